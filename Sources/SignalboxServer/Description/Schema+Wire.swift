import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// The values that several endpoints share, each spelled once.
extension Schema {
    /// `{"error": {"code", "message", "details"?}}` with one of those codes.
    static func failure(_ codes: [String]) -> Schema {
        ["error": ["code": .words(codes), "message": .string, "details?": .any]]
    }

    static let reason = Schema.keywords(["type": "string", "minLength": 1, "maxLength": 500])
    static let share = Schema.integer(0...100_000)

    /// Where the environment stands, in every answer that shows what is configured.
    static let standing: Schema = ["epoch": .integer, "revision": .integer]

    /// What every change answers.
    static let changed: Schema = [
        "epoch": .integer, "revision": .integer, "changed": .boolean, "dryRun?": .boolean,
        "unitsChanged?": ["toMigrated": .integer, "toLegacy": .integer, "of": .integer],
        "variantsChanged?": .list(of: variantsChanged), "notCounted?": .integer,
    ]

    /// How many units an edit of a flag would move, and between which variants.
    static let variantsChanged = Schema.named(
        "VariantsChanged",
        [
            "flag": .key, "changed": .integer, "of": .integer,
            "pairs": .list(of: ["from": .string.orNull, "to": .string.orNull, "units": .integer]),
            "reshuffles": .list(of: ["path": .string, "cause": .words(["bucket_by", "order", "total"])]),
        ])

    static let flow = Schema.named("Flow", flowMembers)
    static let flowMembers: Schema = [
        "id": .string, "key": .key, "owner": .string, "journeyLifetimeSeconds": .integer,
    ]

    static let plan = Schema.named(
        "Plan",
        [
            "steps": .list(of: .named("Step", step)), "holdout?": Schema.share.orNull,
            "legacyShareAtDeletion?": Schema.share.orNull,
            "advance?": .words(of: RolloutPlan.Advance.self), "releasesBeforeDisabling?": Schema.integer(1...20).orNull,
        ])
    static let step: Schema = [
        "cohort?": .string.orNull, "share": .share, "holdSeconds?": .integer(0...RolloutPlan.longestHoldSeconds),
        "minimumUnits?": .integer(0...Int64(RolloutPlan.mostMinimumUnits)), "needsApproval?": .boolean,
        "isMonitored?": .boolean,
    ]
    static let contract = Schema.named(
        "Contract", ["schemaVersion": .integer, "payload": .anyObject, "outcomes": .list(of: .string)])
    static let entryPoint = Schema.named(
        "EntryPoint", ["kind": .words(of: EntryPoint.Kind.self), "source": .string])
    static let deletion = Schema.named("Deletion", ["date": .string, "owner": .string])

    /// What may be set of a route.
    static let routeFields: Schema = [
        "owner?": .string.orNull, "purpose?": .string.orNull, "contract?": contract.orNull,
        "entryPoints?": .list(of: entryPoint).orNull, "requires?": .list(of: .string).orNull,
        "excludes?": .list(of: .string).orNull, "plan?": plan.orNull,
        "deletion?": deletion.orNull, "legacySymbols?": .list(of: .string).orNull,
        "restore?": Schema.words(of: RestorePolicy.self).orNull,
    ]

    static let route = Schema.named("Route", routeMembers)
    static let routeMembers: Schema = [
        "key": .key, "flow": .key, "owner": .string.orNull, "purpose": .string.orNull, "contract": contract.orNull,
        "entryPoints": .list(of: entryPoint), "requires": .list(of: .string), "plan": plan.orNull,
        "deletion": deletion.orNull, "stage": .words(of: Stage.self), "status": .words(of: RouteStatus.self),
        "step": .integer, "stageSince": .time, "stepSince": .time,
        "rolledBackFrom": .either([.words(of: Stage.self), .null]), "highestHealthyStep": .integer,
        "flipBacks": .integer, "rollbackLevel?": .words(of: RollbackLevel.self),
        "restore?": .words(of: RestorePolicy.self),
        "exclusions?": .list(of: exclusion), "flippedBackAt?": .time, "excludes?": .list(of: .string),
        "rehearsal?": [
            "cohort": .key, "startedAt": .time, "backAt": .time, "endsAt": .time, "by": .string, "isBack": .boolean,
        ],
        "stepRevision?": .integer, "approval?": ["step": .integer, "by": .string, "at": .time, "hash?": .string],
        "legacySymbols?": .list(of: .string),
        "island": Schema.named("Island", ["owner": .string, "reason": .string, "reviewDate": .string]).orNull,
        "forcedMove?": Schema.named(
            "ForcedMove",
            ["move": .string, "gates": .list(of: .string), "actor": .string, "reason": .string, "at": .time]),
        "stop?": Schema.named("RouteStop", ["condition": .string, "hash": .string, "at": .time]),
    ]

    /// What a rollback may be limited to.
    static let scope: Schema = ["app?": .key, "builds?": .string, "os?": .string]
    static let exclusion = Schema.named(
        "Exclusion",
        [
            "id": .string, "scope": scope, "level": .words(of: RollbackLevel.self), "reason": .string, "since": .time,
            "by": .string,
        ])

    static let gate = Schema.named(
        "Gate",
        [
            "name": .string, "isHard": .boolean, "verdict": .words(["pass", "fail", "unknown", "waived"]),
            "blocks": .boolean, "reason": .string.orNull, "remedy": .string, "passesAt?": .time,
            "waiver?": ["approver": .string, "reason": .string, "expiresAt": .time],
        ])
    static let live: Schema = ["legacy": .integer, "migrated": .integer]

    static let warning = Schema.named(
        "Warning",
        [
            "path": .string,
            "code": .words(["operator_misuse", "unresolved_reference", "unknown_variant", "more_warnings"]),
        ])

    static let build = Schema.named("Build", manifest.with(["build": .string]))
    static let manifest: Schema = [
        "version": .string, "releasedAt?": .time.orNull, "minimumOS?": .string.orNull, "commit?": .string.orNull,
        "renderers": .map(.list(of: .words(of: Renderer.self))),
    ]

    static let outcome: Schema = ["status": .words(of: OutcomeStatus.self), "name?": .key]
    static let choice: Schema = [
        "renderer": .words(of: Renderer.self), "reason": .words(of: ChoiceReason.self),
    ]
    static let journey = Schema.named(
        "Journey",
        [
            "id": .string, "segment": .integer, "flow": .key, "unit": .string, "build": .string, "pinned": .boolean,
            "epoch": .integer, "revision": .integer, "startedAt": .time, "expiresAt": .time,
            "choices": .map(.named("Choice", choice)), "outcome": .either([.named("Outcome", outcome), .null]),
            "parent?": .string, "segmentReason?": .words(of: SegmentReason.self), "origin?": .words(of: PinOrigin.self),
            "end?": .words([OutcomeStatus.interrupted.rawValue]), "conflict?": .boolean, "buildRegistered?": .boolean,
        ])
    static let conflict = Schema.named(
        "Conflict", ["segment": .integer, "choices": shownChoices, "reportedAt": .time])
    /// What a device shows.
    static let shownChoices = Schema.map(.words(of: Renderer.self))
    /// What asks for renderers.
    private static let asking: Schema = [
        "flow": .key, "unit": .keywords(["type": "string", "minLength": 1, "maxLength": 256]), "build": .string,
        "context?": Schema.anyObject.orNull, "has?": Schema.map(.list(of: .words(of: Renderer.self))).orNull,
    ]
    private static let uuid = Schema.keywords(["type": "string", "format": "uuid"])
    /// A resume of a journey.
    static let resume = Schema.named(
        "Resume", asking.with(["attempt": uuid, "lastProcessDied?": Schema.boolean.orNull]))
    /// The start of a journey.
    static let start = Schema.named(
        "Start",
        asking.with([
            "id": uuid, "parent?": uuid.orNull,
            "decided?": Schema.object([
                ("epoch", .integer), ("revision", .integer), ("choices", .map(.named("Choice", choice))),
            ]).orNull,
        ]))

    static let accessKey = Schema.named(
        "Key",
        [
            "id": .string, "kind": .words(of: AccessKey.Kind.self),
            "role": .either([.words(of: AccessKey.Role.self), .null]),
            "holder": .string, "createdAt": .time, "expiresAt": .time.orNull, "revokedAt": .time.orNull,
        ])
    static let listedKey = Schema.named("ListedKey", accessKey.with(["lastUsedAt": .time.orNull]))
}
