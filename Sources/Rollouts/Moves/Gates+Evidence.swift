import FlagEvaluation
import RouteContract

extension Facts {
    /// The evidence for the contract that a route has now and that still counts, the newest first.
    func evidence(_ kind: EvidenceItem.Kind, for route: RouteRollout, at now: Int64) -> [EvidenceItem] {
        let items = evidence.items(kind, of: route.key)
        guard !items.isEmpty, let contract = route.contract?.hash else { return [] }
        return items.filter { $0.contract == contract && $0.holds(at: now) }
    }

    /// The kinds of which there is evidence that has not expired, but all of it of another contract than the route has now.
    package func kindsOfOtherContracts(for route: RouteRollout, at now: Int64) -> [EvidenceItem.Kind] {
        EvidenceItem.Kind.allCases.filter { kind in
            let items = evidence.items(kind, of: route.key).filter { $0.holds(at: now) }
            return !items.isEmpty && items.allSatisfy { $0.contract != route.contract?.hash }
        }
    }

    /// Why there is no evidence of a kind that counts.
    fileprivate func absence(of kind: EvidenceItem.Kind, for route: RouteRollout, at now: Int64) -> String {
        let all = evidence.items(kind, of: route.key)
        if evidence.isDoubtful(kind, of: route.key) { return "the newest evidence is damaged" }
        if all.isEmpty { return "no evidence" }
        return all.contains { $0.holds(at: now) } ? "the evidence is of another contract" : "the evidence has expired"
    }
}

extension EvidenceFinding {
    /// Nil when it passed; otherwise its first reason.
    fileprivate var fault: String? {
        guard verdict != .pass else { return nil }
        let why = reasons.first.map { ": \($0)" } ?? ""
        return verdict == .fail ? "failed" + why : "inconclusive" + why
    }
}

extension GateResult {
    fileprivate static func gate(
        on kind: EvidenceItem.Kind, fails reason: String?, remedy: String
    ) -> GateResult {
        .gate(
            kind.rawValue, fails: reason,
            remedy: "\(remedy): signalbox evidence push ROUTE --kind \(kind.rawValue).")
    }
}

extension Configuration {
    /// The census is listed, and no scan found another one.
    func censusGate(of route: RouteRollout, facts: Facts, at now: Int64) -> GateResult {
        let found = facts.evidence(.entryPoints, for: route, at: now).first?.finding.entryPoints
        let fault: String? =
            if route.entryPoints.isEmpty {
                "no entry point is listed"
            } else if facts.evidence.isDoubtful(.entryPoints, of: route.key) {
                "the newest scan is damaged: push another one"
            } else {
                found.flatMap { route.censusFault(against: $0) }
            }
        return .gate(
            "entryPoints", fails: fault,
            remedy: "List every deep link, notification, restoration and in-app caller.")
    }

    /// Parity passed in all four dimensions, at default and at largest text size; of each scenario and size the newest
    /// comparison counts.
    func parityGate(of route: RouteRollout, facts: Facts, at now: Int64) -> GateResult {
        let items = facts.evidence(.parity, for: route, at: now)
        var seen: Set<String> = []
        var faults: [String] = []
        var open: [EvidenceFinding.Coverage.TextSize: Set<EvidenceFinding.Coverage.Dimension>] = [:]
        for size in EvidenceFinding.Coverage.TextSize.allCases {
            open[size] = Set(EvidenceFinding.Coverage.Dimension.allCases)
        }
        for item in items {
            if item.finding.coverage.isEmpty, seen.isEmpty, let fault = item.finding.fault { faults.append(fault) }
            for part in item.finding.coverage
            where seen.insert("\(part.textSize.rawValue)/\(part.scenario)").inserted {
                if part.verdict == .pass {
                    open[part.textSize]?.subtract(part.dimensions)
                } else {
                    faults.append("\(part.scenario) at \(part.textSize.rawValue) text size: \(part.verdict.rawValue)")
                }
            }
        }
        for size in EvidenceFinding.Coverage.TextSize.allCases {
            guard let left = open[size], !left.isEmpty, !items.isEmpty else { continue }
            let names = left.map(\.rawValue).sorted().joined(separator: ", ")
            faults.append("nothing compared at \(size.rawValue) text size: \(names)")
        }
        if items.isEmpty { faults = [facts.absence(of: .parity, for: route, at: now)] }
        return .gate(
            on: .parity, fails: faults.isEmpty ? nil : faults.joined(separator: "; "),
            remedy: "Compare recordings of both entries at default and largest text size, and push them")
    }

    func rehearsalGate(of route: RouteRollout, facts: Facts, at now: Int64) -> GateResult {
        let newest = facts.evidence(.rehearsal, for: route, at: now).first
        return .gate(
            "rehearsal",
            fails: newest.map(\.finding.fault) ?? facts.absence(of: .rehearsal, for: route, at: now),
            remedy: "Rehearse the rollback on this contract; a rehearsal counts for 30 days.")
    }

    /// Performance parity on the device on which a regression shows first.
    func performanceGate(of route: RouteRollout, facts: Facts, at now: Int64) -> GateResult {
        let items = facts.evidence(.performance, for: route, at: now)
        let newest = items.first { $0.finding.deviceTier == .low }
        let absence =
            items.isEmpty
            ? facts.absence(of: .performance, for: route, at: now) : "no evidence of a device of the low tier"
        return .gate(
            on: .performance, fails: newest.map(\.finding.fault) ?? absence,
            remedy: "Compare both entries on a device of the low tier, and push the recordings")
    }

    func auditGate(of route: RouteRollout, facts: Facts, at now: Int64) -> GateResult {
        let newest = facts.evidence(.accessibilityAudit, for: route, at: now).first
        return .gate(
            on: .accessibilityAudit,
            fails: newest.map(\.finding.fault) ?? facts.absence(of: .accessibilityAudit, for: route, at: now),
            remedy: "Audit the migrated screen until no defect of severity 1 is open, and push the report")
    }

    /// The fixtures of the newest releases with migrated as the default still decode; those of every app that is counted.
    func restorationGate(of route: RouteRollout, releases: Int, facts: Facts, at now: Int64) -> GateResult {
        let items = facts.evidence(.restorationFixtures, for: route, at: now)
        var missing: [String] = []
        for (app, versions) in newestVersions(of: route, upTo: now) {
            let newest = items.first { $0.build.app == app }
            if let fault = newest?.finding.fault {
                missing.append("\(app) \(fault)")
            } else {
                let shown = Set(newest?.finding.releases ?? [])
                let left = versions.suffix(releases).filter { !shown.contains($0) }
                if !left.isEmpty { missing.append("none of \(app) " + left.joined(separator: ", ")) }
            }
        }
        if items.isEmpty { missing = [facts.absence(of: .restorationFixtures, for: route, at: now)] }
        return .gate(
            on: .restorationFixtures, fails: missing.isEmpty ? nil : missing.sorted().joined(separator: "; "),
            remedy: "Decode the restoration fixtures of the last \(releases) releases, and push the result")
    }

    /// Nothing names legacy any more in the commit of each app's deletion build, looked at after that build was released.
    func referencesGate(
        of route: RouteRollout, deletionBuilds: [String: BuildID], facts: Facts, at now: Int64
    ) -> GateResult {
        let items = facts.evidence(.codeReferences, for: route, at: now)
        var faults: [String] = []
        for (app, id) in deletionBuilds.sorted(by: { $0.key < $1.key }) {
            guard let build = builds[id], let commit = build.commit else {
                faults.append("\(id.text) is registered without its commit")
                continue
            }
            let newest = items.first { $0.build.app == app && $0.finding.commit == commit }
            if let newest {
                if let fault = newest.finding.fault { faults.append("\(id.text) \(fault)") }
                let released = build.releasedAt.map { $0 <= now ? $0 : .min } ?? .min
                if newest.createdAt < released { faults.append("the scan is older than \(id.text)") }
            } else {
                faults.append("no scan of the commit of \(id.text)")
            }
        }
        if items.isEmpty { faults = [facts.absence(of: .codeReferences, for: route, at: now)] }
        return .gate(
            on: .codeReferences, fails: faults.isEmpty ? nil : faults.joined(separator: "; "),
            remedy: "Scan the commit of the deletion build with signalbox refs scan, and push the report")
    }

    /// For each app with legacy of the route, the versions released since the stage began, in the order of their release.
    func newestVersions(of route: RouteRollout, upTo now: Int64) -> [String: [String]] {
        let since = max(route.stageSince, route.flippedBackAt ?? route.stageSince)
        let able = Set(builds.values.filter { $0.renderers[route.key]?.contains(.legacy) ?? false }.map(\.id.app))
        var versions = Dictionary(uniqueKeysWithValues: able.map { ($0, [String]()) })
        let released = builds.values.filter { build in
            build.releasedAt.map { $0 > since && $0 <= now } ?? false
        }
        for build in released.sorted(by: { ($0.releasedAt ?? 0, $0.id) < ($1.releasedAt ?? 0, $1.id) })
        where able.contains(build.id.app) && versions[build.id.app]?.contains(build.version) == false {
            versions[build.id.app]?.append(build.version)
        }
        return versions
    }
}

extension RouteRollout {
    /// How the census differs from what was found; nil when it does not.
    package func censusFault(against found: [EntryPoint]) -> String? {
        let (listed, seen) = (Set(entryPoints), Set(found))
        func names(_ points: Set<EntryPoint>) -> String {
            points.map { "\($0.kind.rawValue) \($0.source)" }.sorted().prefix(10).joined(separator: ", ")
        }
        let (unlisted, gone) = (seen.subtracting(listed), listed.subtracting(seen))
        let parts = [
            unlisted.isEmpty ? nil : "found and not listed: " + names(unlisted),
            gone.isEmpty ? nil : "listed and not found: " + names(gone),
        ]
        let texts = parts.compactMap { $0 }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }
}

extension RegisteredContract {
    /// SHA-256 of its canonical JSON: evidence is of one contract.
    package var hash: String { ContentHash.of(JSONValue.object(json).canonicalJSON) }
}
