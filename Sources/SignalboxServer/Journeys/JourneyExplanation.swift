import FlagEvaluation
import Rollouts
import RouteContract
import Storage

/// How the choices of one stored journey came about.
struct JourneyExplanation {
    private let record: JourneyRecord
    private let segments: [JourneyRecord]
    private let conflict: JourneyConflict?
    private let past: PastConfiguration.Found
    private let snapshot: Snapshot?
    private let flow: Flow?
    private let context: EvaluationContext
    private let hasContext: Bool

    init(
        record: JourneyRecord, history: (segments: [JourneyRecord], conflict: JourneyConflict?),
        past: PastConfiguration.Found, current: Snapshot, _ attributes: JSONObject
    ) {
        self.record = record
        (segments, conflict) = history
        self.past = past
        let configuration = past.configuration
        snapshot =
            past.basis == .current
            ? current
            : configuration.map {
                Snapshot($0, publishedAt: record.pin.startedAt, after: current)
            }
        // A flow is never removed and its id never changes, so the buckets can always be told.
        flow = (configuration ?? current.configuration).flows[record.pin.flow]
        var attributes = attributes
        hasContext = !attributes.isEmpty
        attributes["build"] = .string(record.pin.build.text)
        context = EvaluationContext(targetingKey: record.pin.unit, attributes: attributes)
    }

    var json: JSONObject {
        let pin = record.pin
        return [
            "id": .string(pin.id.description), "segment": .integer(record.segment), "flow": .string(pin.flow),
            "unit": .string(pin.unit), "build": .string(pin.build.text), "epoch": .integer(pin.epoch),
            "revision": .integer(pin.revision), "startedAt": .integer(pin.startedAt),
            "outcome": .members(record.outcome?.outcome.json), "basis": .string(past.basis.rawValue),
            "notes": .strings(notes), "segments": .objects(segments.map(\.history)),
            "conflict": .members(conflict?.json), "bucket": bucket(""), "holdoutBucket": bucket("holdout/"),
            "of": .integer(Int64(RolloutPlan.wholeShare)), "routes": .object(routes),
        ]
    }

    private var notes: [String] {
        guard snapshot != nil else { return past.notes }
        let attributes =
            hasContext ? [] : ["No attributes were given: they are not stored, and cohorts may ask for them."]
        return past.notes + attributes + ["What the client said of its build is not stored; the manifest is asked."]
    }

    /// Where the flow's salt puts the unit, of 100 000.
    private func bucket(_ salt: String) -> JSONValue {
        guard let flow else { return .null }
        let bucket = Bucket(hashing: flow.id + "/" + salt + record.pin.unit)
        return .integer(Int64(bucket.position(among: UInt32(RolloutPlan.wholeShare))))
    }

    private var routes: JSONObject {
        let scratch = EvaluationScratch()
        let choices = record.pin.choices.all ?? []
        return JSONObject(choices.map { ($0.route, .object(explained($0.route, $0.choice, scratch))) })
    }

    private func explained(_ key: String, _ stored: Choice, _ scratch: EvaluationScratch) -> JSONObject {
        var json: JSONObject = ["stored": .object(stored.json), "recomputed": .null, "agrees": .null]
        guard let snapshot, let route = snapshot.configuration.routes[key], let compiled = snapshot.route(key) else {
            return json
        }
        // The journey was decided when it began, as far as its id tells that.
        let choice = snapshot.choice(
            of: compiled, in: record.pin.build, for: context, at: record.pin.startedAt, using: scratch)
        json["recomputed"] = .members(choice?.json)
        // What a journey had before is no choice by the configuration.
        json["agrees"] = stored.reason.comesFromPin ? .null : .bool(choice == stored)
        json["exclusion"] =
            snapshot.exclusion(of: compiled, for: context, using: scratch).map { .object($0.json) }
        json["stage"] = .string(route.stage.rawValue)
        json["status"] = .string(route.status.rawValue)
        json["step"] = .integer(Int64(route.step))
        json["plan"] = .members(route.plan?.json)
        let renderers = compiled.renderers(in: record.pin.build, claimed: nil)
        json["inBuild"] = .strings(Renderer.allCases.filter { renderers.contains($0) }.map(\.rawValue))
        return json
    }
}

extension ChoiceReason {
    fileprivate var comesFromPin: Bool {
        self == .pinned || self == .crashLoopBreaker || self == .pinnedRendererUnavailable
    }
}

extension JourneyRecord {
    /// The segment with how it came to be.
    fileprivate var history: JSONObject {
        let choices = (pin.choices.all ?? []).map { ($0.route, JSONValue.object($0.choice.json)) }
        return [
            "segment": .integer(segment), "reason": .text(pin.opening?.reason.rawValue),
            "build": .string(pin.build.text),
            "epoch": .integer(pin.epoch), "revision": .integer(pin.revision),
            "openedAt": .integer(pin.opening?.openedAt ?? pin.startedAt),
            "attempt": .text(pin.opening?.attempt.description),
            "origin": .text(pin.origin?.rawValue), "choices": .object(JSONObject(choices)),
        ]
    }
}

extension Choice {
    fileprivate var json: JSONObject {
        ["renderer": .string(renderer.rawValue), "reason": .string(reason.rawValue)]
    }
}
