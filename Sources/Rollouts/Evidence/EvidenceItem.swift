import FlagEvaluation

/// What an artefact shows of a route: written once, never rewritten. It moves no revision.
package struct EvidenceItem: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case parity, performance, entryPoints, restorationFixtures, rehearsal, codeReferences, accessibilityAudit

        /// How long an item counts.
        package var lifetimeMilliseconds: Int64 {
            switch self {
            case .rehearsal, .codeReferences: 30 * 86_400_000
            default: 90 * 86_400_000
            }
        }
    }
    package enum Verdict: String, CaseIterable, Sendable {
        case pass, fail, inconclusive
    }

    /// UUIDv7 as text.
    package let id: String
    package let kind: Kind
    package let route: String
    /// The hash of the contract that was registered then: for another contract it says nothing.
    package let contract: String
    package let build: BuildID
    /// What made the artefact.
    package let producer: String
    /// SHA-256 of the artefact, lower-case hexadecimal.
    package let artefact: String
    /// Bytes of the artefact.
    package let size: Int
    package let finding: EvidenceFinding
    /// Milliseconds since 1970.
    package let createdAt: Int64
    package let expiresAt: Int64

    package init(
        id: String, kind: Kind, route: String, contract: String, build: BuildID, producer: String, artefact: String,
        size: Int, finding: EvidenceFinding, createdAt: Int64, expiresAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.route = route
        self.contract = contract
        self.build = build
        self.producer = producer
        self.artefact = artefact
        self.size = size
        self.finding = finding
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    package func holds(at now: Int64) -> Bool { now < expiresAt }

    /// Whether the other says the same of the same: pushing it again is a repeat.
    package func repeats(_ other: EvidenceItem) -> Bool {
        kind == other.kind && route == other.route && contract == other.contract && build == other.build
            && artefact == other.artefact && finding == other.finding
    }
}

/// What the service itself found in an artefact, and what gates ask of it.
package struct EvidenceFinding: Hashable, Sendable {
    /// One scenario at one text size, compared.
    package struct Coverage: Hashable, Sendable {
        package enum TextSize: String, CaseIterable, Sendable {
            case standard = "default"
            case largest
        }
        /// What parity is asked for in.
        package enum Dimension: String, CaseIterable, Sendable {
            case events, accessibility, state, entryPoints
        }
        package let scenario: String
        package let textSize: TextSize
        /// Those in which both recordings were compared.
        package let dimensions: Set<Dimension>
        package let verdict: EvidenceItem.Verdict

        package init(scenario: String, textSize: TextSize, dimensions: Set<Dimension>, verdict: EvidenceItem.Verdict) {
            self.scenario = scenario
            self.textSize = textSize
            self.dimensions = dimensions
            self.verdict = verdict
        }
    }
    package enum DeviceTier: String, CaseIterable, Sendable {
        case low, middle, high
    }

    package var verdict: EvidenceItem.Verdict
    /// For people: why it did not pass, or what to know although it did. Bounded by whoever makes it.
    package var reasons: [String]
    /// Of `parity`.
    package var coverage: [Coverage] = []
    /// Of `performance`.
    package var deviceTier: DeviceTier?
    /// Of `restorationFixtures`: the versions whose fixtures decode.
    package var releases: [String] = []
    /// Of `codeReferences`: the commit that was scanned.
    package var commit: String?
    /// Of `entryPoints`: those that were found.
    package var entryPoints: [EntryPoint] = []

    package init(_ verdict: EvidenceItem.Verdict, _ reasons: [String] = []) {
        self.verdict = verdict
        self.reasons = reasons
    }
}
