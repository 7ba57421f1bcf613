import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private typealias Coverage = EvidenceFinding.Coverage

extension Facts {
    /// Only these items.
    fileprivate static func items(_ items: EvidenceItem...) -> Facts { Facts(evidence: EvidenceLedger(items)) }
}

extension EvidenceItem {
    fileprivate func changed(
        id: String? = nil, contract: String? = nil, build: BuildID? = nil, at now: Int64? = nil,
        expiresAt: Int64? = nil,
        _ change: (inout EvidenceFinding) -> Void = { _ in }
    ) -> EvidenceItem {
        var finding = finding
        change(&finding)
        return EvidenceItem(
            id: id ?? self.id, kind: kind, route: route, contract: contract ?? self.contract,
            build: build ?? self.build,
            producer: producer, artefact: artefact, size: size, finding: finding, createdAt: now ?? createdAt,
            expiresAt: expiresAt ?? self.expiresAt)
    }
}

/// What the gate of that name says about the move; nil when it passes.
private func fault(
    _ name: String, toward move: NextMove, _ facts: Facts, in configuration: Configuration, at now: Int64 = noon
) throws -> String? {
    let gates = configuration.gates(
        of: try configuration.route("trips.edit"), toward: move, facts: facts, at: now)
    let gate = try #require(gates.first { $0.name == name })
    if case .fail(let reason) = gate.verdict { return reason }
    return nil
}

@Suite struct `A gate on evidence` {
    private static let evidenceGates: [(EvidenceItem.Kind, Stage)] = [
        (.parity, .partialRollout), (.rehearsal, .partialRollout), (.performance, .defaultNew),
        (.accessibilityAudit, .defaultNew),
    ]

    @Test(arguments: evidenceGates)
    func `fails without evidence, and with none that counts`(kind: EvidenceItem.Kind, stage: Stage) throws {
        let configuration = try Configuration.example
        func fault(_ facts: Facts) throws -> String? {
            try RolloutsTests.fault(kind.rawValue, toward: .stage(stage), facts, in: configuration)
        }
        let passing = EvidenceItem.passing(kind)
        #expect(try fault(.items(passing)) == nil)
        #expect(try fault(Facts()) == "no evidence")
        #expect(try fault(.items(passing.changed(expiresAt: noon))) == "the evidence has expired")
        #expect(try fault(.items(passing.changed(contract: "another"))) == "the evidence is of another contract")
        #expect(try fault(.items(.passing(kind, of: "trips.list"))) == "no evidence", "of another route")
    }

    @Test(arguments: evidenceGates.filter { $0.0 != .parity })
    func `goes by the newest item`(kind: EvidenceItem.Kind, stage: Stage) throws {
        let configuration = try Configuration.example
        let old = EvidenceItem.passing(kind)
        let new = old.changed(id: "z", at: noon) {
            $0.verdict = .fail; $0.reasons = ["it is slower"]
        }
        for facts in [Facts.items(old, new), .items(new, old)] {
            let why = try fault(kind.rawValue, toward: .stage(stage), facts, in: configuration)
            #expect(why == "failed: it is slower")
        }
        let unsure = new.changed { $0.verdict = .inconclusive }
        #expect(
            try fault(kind.rawValue, toward: .stage(stage), .items(unsure), in: configuration)
                == "inconclusive: it is slower")
    }

    @Test func `on parity wants every dimension at both text sizes, from one item or from several`() throws {
        let configuration = try Configuration.example
        let whole = EvidenceItem.passing(.parity)
        func fault(_ facts: Facts) throws -> String? {
            try RolloutsTests.fault("parity", toward: .stage(.partialRollout), facts, in: configuration)
        }
        let small = whole.changed(id: "a") { $0.coverage.removeAll { $0.textSize == .largest } }
        let large = whole.changed(id: "b") { $0.coverage.removeAll { $0.textSize == .standard } }
        #expect(
            try fault(.items(small))
                == "nothing compared at largest text size: accessibility, entryPoints, events, state")
        #expect(try fault(.items(small, large)) == nil)
        let deaf = whole.changed { finding in
            finding.coverage = finding.coverage.map {
                Coverage(
                    scenario: $0.scenario, textSize: $0.textSize, dimensions: $0.dimensions.subtracting([.events]),
                    verdict: .pass)
            }
        }
        #expect(try fault(.items(deaf))?.contains("nothing compared at default text size: events") == true)
    }

    @Test func `on parity counts the newest comparison of each scenario and size`() throws {
        let configuration = try Configuration.example
        let whole = EvidenceItem.passing(.parity)
        func failing(_ scenario: String, at now: Int64) -> EvidenceItem {
            whole.changed(id: scenario + "\(now)", at: now) {
                $0.verdict = .fail
                $0.coverage = [Coverage(scenario: scenario, textSize: .standard, dimensions: [], verdict: .fail)]
            }
        }
        func fault(_ facts: Facts) throws -> String? {
            try RolloutsTests.fault("parity", toward: .stage(.partialRollout), facts, in: configuration)
        }
        #expect(try fault(.items(whole, failing("edit", at: noon - 2 * day))) == nil, "it was recorded anew since")
        #expect(try fault(.items(whole, failing("other", at: noon - 2 * day))) == "other at default text size: fail")
        #expect(
            try fault(.items(whole, failing("edit", at: noon)))?.hasPrefix("edit at default text size: fail") == true)
    }

    @Test func `on performance wants a device of the low tier`() throws {
        let configuration = try Configuration.example
        let high = EvidenceItem.passing(.performance).changed { $0.deviceTier = .high }
        let why = try fault("performance", toward: .stage(.defaultNew), .items(high), in: configuration)
        #expect(why == "no evidence of a device of the low tier")
    }

    @Test func `on the census is for nothing but a contradiction`() throws {
        let configuration = try Configuration.example
        func fault(_ facts: Facts) throws -> String? {
            try RolloutsTests.fault("entryPoints", toward: .stage(.compatible), facts, in: configuration)
        }
        #expect(try fault(Facts()) == nil)
        #expect(try fault(.items(.passing(.entryPoints))) == nil)
        let more = EvidenceItem.passing(.entryPoints).changed {
            $0.entryPoints.append(EntryPoint(kind: .inApp, source: "home"))
        }
        #expect(try fault(.items(more)) == "found and not listed: inApp home")
        // What counts is what was found against the census as it stands, not the verdict of then.
        var fields = RouteFields()
        fields.entryPoints = more.finding.entryPoints
        let edited = try configuration.after(.editRoute(key: "trips.edit", fields))
        #expect(
            try RolloutsTests.fault("entryPoints", toward: .stage(.compatible), .items(more), in: edited) == nil)
        #expect(
            try RolloutsTests.fault(
                "entryPoints", toward: .stage(.compatible), .items(.passing(.entryPoints)), in: edited)
                == "listed and not found: inApp home")
    }

    @Test func `fails while the newest evidence is damaged, whatever was found before`() throws {
        let configuration = try Configuration.example
        var ledger = EvidenceLedger([.passing(.entryPoints), .passing(.accessibilityAudit)])
        func faults() throws -> [String?] {
            [
                try fault("entryPoints", toward: .stage(.compatible), Facts(evidence: ledger), in: configuration),
                try fault(
                    "accessibilityAudit", toward: .stage(.defaultNew), Facts(evidence: ledger), in: configuration),
            ]
        }
        #expect(try faults() == [nil, nil])
        for kind: EvidenceItem.Kind in [.entryPoints, .accessibilityAudit] { ledger.doubt(kind, of: "trips.edit") }
        #expect(ledger.count == 0)
        #expect(
            try faults() == ["the newest scan is damaged: push another one", "the newest evidence is damaged"])
        for kind: EvidenceItem.Kind in [.entryPoints, .accessibilityAudit] { ledger.add(.passing(kind)) }
        #expect(try faults() == [nil, nil])
    }

    @Test(
        arguments: [
            (["7.4", "7.5"], 2, nil), (["7.3", "7.4", "7.5"], 2, nil), (["7.5"], 2, "none of app 7.4"),
            (["7.5"], 1, nil),
            ([], 2, "none of app 7.4, 7.5"),
        ] as [([String], Int, String?)])
    func `on fixtures wants those of the releases that are counted`(
        shown: [String], needed: Int, expected: String?
    ) throws {
        var configuration = try Configuration.example(at: .defaultNew, since: noon - 30 * day)
        configuration.routes["trips.edit"]?.plan?.releasesBeforeDisabling = needed
        for (number, version, days) in [(731, "7.4", 20), (732, "7.5", 10)] as [(Int64, String, Int64)] {
            let build = Build.app(
                number, ["trips.edit": [.legacy, .migrated]], version: version, releasedAt: noon - days * day)
            configuration.store(.build(build))
        }
        let item = EvidenceItem.passing(.restorationFixtures).changed { $0.releases = shown }
        #expect(
            try fault("restorationFixtures", toward: .stage(.oldDisabled), .items(item), in: configuration) == expected)
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.oldDisabled), facts: .items(item), at: noon)
        #expect(gates.first?.verdict == .pass, "\(gates)")
    }

    @Test func `on code wants a scan of the deletion build's commit that is younger than it`() throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        func fault(_ item: EvidenceItem?) throws -> String? {
            let facts = item.map { Facts.items($0) } ?? Facts()
            return try RolloutsTests.fault("codeReferences", toward: .stage(.oldDeleted), facts, in: configuration)
        }
        let scan = EvidenceItem.passing(.codeReferences).changed(build: BuildID(app: "app", number: 740))
        configuration.store(
            .build(.app(740, ["trips.edit": [.migrated]], releasedAt: noon - 2 * day, commit: "c740")))
        #expect(try fault(scan) == nil)
        #expect(try fault(nil) == "no evidence")
        #expect(try fault(scan.changed(at: noon - 3 * day)) == "the scan is older than app:740")
        #expect(try fault(scan.changed { $0.commit = "c739" }) == "no scan of the commit of app:740")
        #expect(
            try fault(
                scan.changed {
                    $0.verdict = .fail; $0.reasons = ["a.swift:1"]
                }) == "app:740 failed: a.swift:1")
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]])))
        #expect(try fault(scan) == "app:740 is registered without its commit")
    }
}

@Suite struct `The ledger` {
    @Test func `keeps the newest first and forgets what has ended`() {
        let items = (0..<5).map { number in
            EvidenceItem.passing(.parity).changed(
                id: "i\(number)", at: noon + Int64(number % 3), expiresAt: noon + 10 + Int64(number))
        }
        var ledger = EvidenceLedger(items)
        #expect(ledger.items(.parity, of: "trips.edit").map(\.id) == ["i2", "i4", "i1", "i3", "i0"])
        #expect(ledger.count == 5)
        ledger.removeExpired(at: noon + 12)
        #expect(ledger.items(.parity, of: "trips.edit").map(\.id) == ["i4", "i3"])
        #expect(ledger.count == 2)
        #expect(ledger.items(.performance, of: "trips.edit").isEmpty && ledger.items(.parity, of: "x").isEmpty)
    }

    @Test func `knows an item that says the same of the same`() {
        let item = EvidenceItem.passing(.parity)
        let ledger = EvidenceLedger([item])
        #expect(ledger.item(repeatedBy: item.changed(id: "other", at: noon), at: noon) == item)
        #expect(ledger.item(repeatedBy: item.changed { $0.reasons = ["x"] }, at: noon) == nil)
        #expect(ledger.item(repeatedBy: item.changed(build: BuildID(app: "app", number: 1)), at: noon) == nil)
    }

    @Test func `takes an item only for what is registered, while there is room`() throws {
        let configuration = try Configuration.example
        let item = EvidenceItem.passing(.parity).changed(at: noon, expiresAt: noon + 90 * day)
        func refusal(_ item: EvidenceItem, beside ledger: EvidenceLedger = EvidenceLedger()) -> RolloutError.Code? {
            do throws(RolloutError) {
                _ = try configuration.recording(item, beside: ledger, by: ana, reason: "CI", at: noon)
                return nil
            } catch { return error.code }
        }
        #expect(refusal(item) == nil)
        #expect(refusal(item.changed(contract: "another")) == .contractMismatch)
        #expect(refusal(item.changed(build: BuildID(app: "app", number: 1))) == .buildNotFound)
        #expect(refusal(item.changed(expiresAt: noon + 91 * day)) == .invalidField)
        #expect(refusal(item.changed(expiresAt: noon)) == .invalidField)
        #expect(refusal(.passing(.parity, of: "nowhere")) == .routeNotFound)
        #expect(refusal(.passing(.parity, of: "orders.detail")) == .invalidField, "the build does not have it")
    }

    @Test func `is written into the audit, and says a repeat only once`() throws {
        let configuration = try Configuration.example
        let item = EvidenceItem.passing(.performance).changed(at: noon, expiresAt: noon + 90 * day)
        let first = try configuration.recording(item, beside: EvidenceLedger(), by: ana, reason: "CI", at: noon)
        #expect(first.audit?.action == "evidence.push" && first.audit?.subject == "evidence/trips.edit")
        #expect(first.audit?.after == .object(item.json))
        let second = try configuration.recording(
            item.changed(id: "other"), beside: EvidenceLedger([item]), by: ana, reason: "CI", at: noon)
        #expect(second.audit == nil && second.item == item)
    }

    @Test(arguments: EvidenceItem.Kind.allCases) func `reads back what it wrote`(kind: EvidenceItem.Kind) throws {
        let item = EvidenceItem.passing(kind)
        #expect(try EvidenceItem(json: item.json) == item)
    }
}

@Suite struct `A content hash` {
    /// Source: FIPS 180-2, appendix B, and RFC 6234.
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func `is SHA-256`(text: String, hash: String) { #expect(ContentHash.of(Array(text.utf8)) == hash) }

    @Test func `is SHA-256 of a long text`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(ContentHash.of(bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
