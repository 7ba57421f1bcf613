/// Reads every item of evidence and every artefact, and checks them: for a restore and `doctor`.
///
/// An item may rest on an artefact that is not there: those are let go when room is needed.
struct EvidenceScan {
    private var rows: RowScan
    private(set) var items: Int64 = 0
    private(set) var artefacts: Int64 = 0
    /// Rows that are not what was stored.
    var damaged: Int64 { rows.damaged }

    init(environment: Int64) { rows = RowScan(of: environment) }

    mutating func run(on connection: inout Connection) throws(StoreError) {
        items = try rows.count("\(EvidenceRow.columns) FROM evidence", on: &connection) { rows in
            (try? EvidenceRow(rows).item()) != nil
        }
        var sha = SHA256()
        artefacts = try rows.count("hash, size, content FROM evidence_artefacts", on: &connection) { rows in
            rows.withBytes(2) { sha.digest(of: $0) }.hexadecimal == rows.text(0) && rows.byteCount(2) == rows.int64(1)
        }
    }
}
