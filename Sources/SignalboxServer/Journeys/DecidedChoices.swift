import FlagEvaluation
import Rollouts
import RouteContract

/// What a device decided for a journey while it was offline.
struct DecidedChoices: Hashable, Sendable {
    /// The configuration that it decided by.
    let epoch: Int64
    let revision: Int64
    let choices: [String: Choice]

    /// Reads `{"epoch", "revision", "choices": {route: {"renderer", "reason"}}}`.
    init(_ json: JSONObject) throws(RolloutError) {
        let path = "/decided"
        try json.refuseMembers(besides: ["epoch", "revision", "choices"], at: path)
        epoch = try json.requiredInteger("epoch", at: path)
        revision = try json.requiredInteger("revision", at: path)
        guard epoch >= 0, revision >= 0 else { throw .invalidField(path, "an epoch and a revision from 0") }
        let told = try json.requiredObject("choices", at: path)
        guard told.entries.count <= JourneyReader.mostChoices else {
            throw .invalidField(path + "/choices", "at most \(JourneyReader.mostChoices) routes")
        }
        var choices: [String: Choice] = [:]
        for (route, choice) in told.entries {
            let path = path + "/choices/" + route
            guard let members = choice.object else { throw .invalidField(path, "an object") }
            try members.refuseMembers(besides: ["renderer", "reason"], at: path)
            choices[route] = Choice(
                renderer: try members.requiredWord("renderer", at: path),
                reason: try members.requiredWord("reason", at: path))
        }
        self.choices = choices
    }

    /// Whether another pin shows another renderer for a route that was decided.
    func contradicts(_ pinned: [(route: String, choice: Choice)]) -> Bool {
        pinned.contains { route, choice in choices[route].map { $0.renderer != choice.renderer } ?? false }
    }
}
