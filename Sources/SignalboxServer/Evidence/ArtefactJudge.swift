import FlagEvaluation
import Rollouts
import RouteContract

/// Finds in an artefact what it shows: nobody's word is taken for it.
///
/// Pure: the same bytes against the same registration give the same finding.
struct ArtefactJudge: Sendable {
    let kind: EvidenceItem.Kind
    let route: RouteRollout
    let build: Build
    /// The hash of the route's contract.
    let contract: String
    /// `YYYY-MM-DD`, for the expiry of allowances.
    let today: String

    /// Reasons that are kept of one artefact, and the characters of each.
    static let mostReasons = 20
    static let reasonLength = 300
    /// Bytes of what is kept in memory of one artefact: there may be 50 000.
    static let mostKept = 16 << 10
    private static let limits = JSONLimits(
        depth: 32, keys: 200_000, stringBytes: Configuration.mostArtefactBytes)

    /// Fails with `artefact_too_large`, `artefact_invalid` and `contract_mismatch`.
    func finding(in artefact: String) throws(RolloutError) -> EvidenceFinding {
        guard artefact.utf8.count <= Configuration.mostArtefactBytes else {
            throw RolloutError(
                .artefactTooLarge, "An artefact has at most \(Configuration.mostArtefactBytes >> 20) MB.",
                details: ["most": .integer(Int64(Configuration.mostArtefactBytes))])
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: artefact, limits: Self.limits)
        } catch {
            throw .artefact("it is not JSON: \(error.message) (at byte \(error.offset))")
        }
        guard let object = value.object else { throw .artefact("it is not a JSON object") }
        guard object["kind"] == .string(kind.rawValue) else {
            throw .artefact("its member \"kind\" is not \"\(kind.rawValue)\"")
        }
        var finding: EvidenceFinding
        do throws(RolloutError) {
            finding = try self.finding(in: object)
        } catch {
            // Of what a member should be, the reader of fields knows best.
            guard error.code == .invalidField || error.code == .unknownField else { throw error }
            throw .artefact(error.message)
        }
        finding.reasons = finding.reasons.prefix(Self.mostReasons).map { String($0.prefix(Self.reasonLength)) }
        let kept = JSONValue.object(finding.json).canonicalJSON.count
        guard kept <= Self.mostKept else {
            throw .artefact("what has to be kept of it takes \(kept) bytes, and may take \(Self.mostKept)")
        }
        return finding
    }

    private func finding(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        switch kind {
        case .parity: try parity(in: object)
        case .performance: try performance(in: object)
        case .entryPoints: try entryPoints(in: object)
        case .restorationFixtures: try restorationFixtures(in: object)
        case .codeReferences: try codeReferences(in: object)
        case .accessibilityAudit: try accessibilityAudit(in: object)
        case .rehearsal:
            throw RolloutError.invalidField("/kind", "another: the service makes evidence of rehearsals itself")
        }
    }

    /// `{"kind", "entryPoints": [{"kind", "source"}]}`: passes when they are those of the census.
    private func entryPoints(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        try object.refuseMembers(besides: ["kind", "entryPoints", "tool"])
        let found = try object.optionalObjects("entryPoints") { part, path throws(RolloutError) in
            try EntryPoint(json: part, at: path)
        }
        guard let found, found.count <= 1_000 else { throw .artefact("it lists no entry points, or more than 1000") }
        let fault = route.censusFault(against: found)
        var finding = EvidenceFinding(fault == nil ? .pass : .fail, [fault].compactMap { $0 })
        finding.entryPoints = found
        return finding
    }

    /// `{"kind", "fixtures": [{"release", "fixture", "decodes"}]}`: passes when each decodes.
    private func restorationFixtures(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        try object.refuseMembers(besides: ["kind", "fixtures", "tool"])
        var releases: [String] = []
        var broken: [String] = []
        let fixtures = try object.optionalObjects("fixtures") { part, path throws(RolloutError) in
            try part.refuseMembers(besides: ["release", "fixture", "decodes", "error"], at: path)
            let release = try part.requiredString("release", at: path)
            let fixture = try part.requiredString("fixture", at: path)
            guard let decodes = try part.optionalBool("decodes", at: path), !release.isEmpty, release.utf8.count <= 100
            else { throw .invalidField(path, "a release of at most 100 bytes, a fixture and whether it decodes") }
            if !releases.contains(release) { releases.append(release) }
            if !decodes { broken.append("\(fixture) of \(release) does not decode") }
            return fixture
        }
        guard let fixtures, !fixtures.isEmpty else { throw .artefact("it names no fixture") }
        guard releases.count <= 500 else { throw .artefact("it names more than 500 releases") }
        var finding = EvidenceFinding(broken.isEmpty ? .pass : .fail, broken)
        finding.releases = releases
        return finding
    }

    /// What `signalbox refs scan` reports: `{"kind", "commit", "references": [{"file", "line", "kind", "symbol"}]}`; passes
    /// when there is none outside comments.
    ///
    /// A scan that did not see all, or of a tree that differs from its commit, or that did not look for all of the route's
    /// legacy symbols and its key, shows nothing either way.
    private func codeReferences(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        let commit = try object.requiredString("commit")
        guard let registered = build.commit else {
            throw .artefact("\(build.id.text) is registered without its commit, so no scan can be of it")
        }
        guard commit == registered else {
            throw .artefact("it is a scan of \(commit), and \(build.id.text) is registered with \(registered)")
        }
        if let scanned = object.optional("route"), scanned != .string(route.key) {
            throw .artefact("it is a scan for another route than \"\(route.key)\"")
        }
        let references = try object.optionalObjects("references") { part, path throws(RolloutError) in
            let line = try part.requiredInteger("line", at: path)
            let (file, symbol) = (
                try part.requiredString("file", at: path), try part.requiredString("symbol", at: path)
            )
            return part["kind"] == "comment" ? nil : "\(file):\(line) names \(symbol)"
        }
        guard let references else { throw .artefact("it has no list \"references\"") }
        var found = references.compactMap { $0 }
        // The list of a large scan is cut off; its sum is not.
        if let total = try object.optionalInteger("total"), total > found.count {
            found.append("\(total) references in all")
        }
        let doubts = try doubts(aboutScan: object)
        let verdict: EvidenceItem.Verdict = !found.isEmpty ? .fail : doubts.isEmpty ? .pass : .inconclusive
        var finding = EvidenceFinding(verdict, found + doubts)
        finding.commit = commit
        return finding
    }

    /// Why a scan that found nothing shows nothing.
    private func doubts(aboutScan object: JSONObject) throws(RolloutError) -> [String] {
        var doubts: [String] = []
        switch try object.optionalBool("dirty") {
        case false?: break
        case true?: doubts.append("the tree differs from its commit")
        case nil: doubts.append("it does not say whether the tree is as its commit has it")
        }
        if let folder = try object.optionalString("folder"), !folder.isEmpty {
            doubts.append("it looked only into \(folder)")
        }
        let unread = try object.optionalInteger("unreadableTotal") ?? 0
        if unread > 0 { doubts.append("\(unread) files could not be read") }
        let looked = Set([object["symbols"], object["keys"]].flatMap { $0?.array ?? [] }.compactMap(\.string))
        let missed = (route.legacySymbols + [route.key]).filter { !looked.contains($0) }
        if !missed.isEmpty { doubts.append("it did not look for " + missed.joined(separator: ", ")) }
        return doubts
    }

    /// `{"kind", "defects": [{"id", "severity", "open", "summary"?}]}`: passes when none of severity 1 is open.
    private func accessibilityAudit(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        try object.refuseMembers(besides: ["kind", "defects", "tool"])
        var open: [String] = []
        let defects = try object.optionalObjects("defects") { part, path throws(RolloutError) in
            try part.refuseMembers(besides: ["id", "severity", "open", "summary"], at: path)
            let severity = try part.requiredInteger("severity", at: path)
            guard let isOpen = try part.optionalBool("open", at: path), (1...5).contains(severity) else {
                throw .invalidField(path, "a severity from 1 to 5 and whether the defect is open")
            }
            let id = try part.requiredString("id", at: path)
            if isOpen, severity == 1 { open.append("\(id) is open, of severity 1") }
            return id
        }
        guard defects != nil else { throw .artefact("it has no list \"defects\"") }
        return EvidenceFinding(open.isEmpty ? .pass : .fail, open)
    }
}

extension RolloutError {
    /// `artefact_invalid`
    static func artefact(_ why: String) -> RolloutError {
        // A sentence of another reader ends by itself.
        let end = why.hasSuffix(".") ? "" : "."
        return RolloutError(.artefactInvalid, "The artefact is not what its kind says: \(why)\(end)")
    }
}
