import FlagEvaluation
import Rollouts

/// The columns of an item of evidence, wherever they are read.
///
/// The checksum covers the document alone. Rows are chosen, and artefacts let go, by the other columns: so they are
/// compared with what the document says.
struct EvidenceRow {
    static let columns = "id, route, kind, artefact, expires_at, document, checksum"
    private let row: Statement

    /// The row that the statement stands at, whose first columns these are.
    init(_ row: Statement) { self.row = row }

    var id: String { row.text(0) }

    /// The item, if its row is what was stored.
    func item() throws(StoreError) -> EvidenceItem {
        guard let item = document, item.id == id, item.route == row.text(1), item.kind.rawValue == row.text(2),
            item.artefact == row.text(3), item.expiresAt == row.int64(4)
        else {
            throw StoreError(
                .damagedRow, "The evidence \(id) is not what was stored. Keep the files, then restore a backup.")
        }
        return item
    }

    /// Where a row that is not what was stored belongs, as far as that can be told: in more than one place when its kind
    /// cannot be read.
    var places: (route: String, kinds: [EvidenceItem.Kind]) {
        if let document { return (document.route, [document.kind]) }
        return (row.text(1), EvidenceItem.Kind(rawValue: row.text(2)).map { [$0] } ?? EvidenceItem.Kind.allCases)
    }

    /// What the document says; nil when it is not what was stored.
    private var document: EvidenceItem? {
        let document = row.bytes(5)
        guard RowChecksum.of(evidence: document) == row.int64(6),
            let json = (try? JSONValue(parsing: document, limits: .trusted))?.object
        else { return nil }
        return try? EvidenceItem(json: json)
    }
}

extension RowChecksum {
    /// The checksum of an item's document, as its column holds it.
    static func of(evidence document: [UInt8]) -> Int64 {
        var sum = RowChecksum()
        sum.add("evidence")
        document.withUnsafeBytes { sum.add($0) }
        return Int64(bitPattern: sum.value)
    }
}
