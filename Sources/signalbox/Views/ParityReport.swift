import Parity

/// A comparison, for people: the verdict first, then what it rests on.
struct ParityReport {
    private let comparison: ParityComparison

    init(of comparison: ParityComparison) { self.comparison = comparison }

    func text(coloured: Bool) -> String {
        var parts = [facts]
        var dimensions = Table("DIMENSION", "STANDING")
        for dimension in ParityDimension.allCases {
            let standing = comparison.dimensions[dimension] ?? .notCaptured
            dimensions.add(dimension.rawValue, standing == .notCaptured ? "not captured" : standing.rawValue)
        }
        parts.append(dimensions.text(coloured: coloured, ifEmpty: ""))
        parts += [table(comparison.findings), table(comparison.controlFindings)]
            .map { $0.text(coloured: coloured, ifEmpty: "") }
        if comparison.leftOff > 0 { parts.append("and \(comparison.leftOff) more") }
        let allowances = comparison.allowances.map(Self.line)
        if !allowances.isEmpty { parts.append(allowances.joined(separator: "\n")) }
        if comparison.control == .absent {
            parts.append("Legacy was not compared with itself: give a second recording with --aa.")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var facts: String {
        let header = comparison.oldHeader
        return signalbox.facts([
            "verdict": comparison.verdict.rawValue,
            "legacy against legacy": comparison.control == .absent ? "not made" : comparison.control.rawValue,
            "scenario": header.map { "\($0.flow) / \($0.scenario)".printable } ?? "",
            "recorded": header.map {
                "\($0.app):\($0.build) on \($0.device), \($0.os), \($0.locale), text size \($0.contentSize)".printable
            } ?? "",
        ])
    }

    private func table(_ findings: [ParityFinding]) -> Table {
        var table = Table("OLD", "NEW", "EFFECT", "DIFFERENCE", "SUBJECT", "WHAT")
        for finding in findings {
            table.add(
                finding.oldLine.map { "\($0)" } ?? "", finding.newLine.map { "\($0)" } ?? "",
                finding.effect.rawValue, "\(finding.dimension.rawValue) \(finding.difference.rawValue)",
                finding.subject.printable, finding.message.printable)
        }
        return table
    }

    private static func line(_ allowance: ParityComparison.Allowance) -> String {
        let (allowed, uses) = (allowance.allowed, allowance.used)
        let use = allowance.isExpired ? "expired" : uses == 0 ? "not needed" : "used \(uses) ×"
        let what = "\(allowed.dimension.rawValue) \(allowed.difference.rawValue) \(allowed.subject)"
        return "allowed until \(allowed.expires) by \(allowed.owner): \(what), \(use): \(allowed.reason)".printable
    }
}
