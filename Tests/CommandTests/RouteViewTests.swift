import FlagEvaluation
import Testing

@testable import signalbox

@Suite struct `A route in words` {
    private static let plan =
        #""plan":{"steps":[{"cohort":"internal","share":50000},{"cohort":null,"share":5000},{"cohort":null,"share":500}]}"#

    @Test(arguments: [
        (#""stage":"notStarted","status":"active","step":0"#, "notStarted"),
        (#""stage":"partialRollout","status":"active","step":1"#, "partialRollout, step 1 of 3: 50% of internal"),
        (
            #""stage":"partialRollout","status":"held","step":3"#,
            "partialRollout, step 3 of 3: 5% of everybody, and 50% of internal, held"
        ),
        (#""stage":"partialRollout","status":"active","step":9"#, "partialRollout, step 9 of 3"),
        (
            #""stage":"partialRollout","status":"active","step":-9223372036854775808"#,
            "partialRollout, step -9223372036854775808 of 3"
        ),
        (
            #""stage":"partialRollout","status":"rolledBack","step":0,"rolledBackFrom":"oldDisabled""#,
            "partialRollout, step 0 of 3, rolled back from oldDisabled: new journeys get legacy"
        ),
        (
            #""stage":"defaultNew","status":"rolledBack","step":0,"rolledBackFrom":"defaultNew""#,
            "defaultNew, rolled back: new journeys get legacy"
        ),
        (#""stage":"compatible","status":"island","step":0"#, "compatible, an island: it stays legacy"),
    ])
    func `says stage, step and status`(members: String, position: String) throws {
        let route = try JSONValue(parsing: "{\(members),\(Self.plan)}")
        #expect(RouteView(route: route).position == position)
    }

    @Test(arguments: [
        ("[null,10000]", "10% of everybody"), ("[null,100000]", "everybody"), (#"["staff",100000]"#, "all of staff"),
        (#"["staff",100000],[null,10000]"#, "10% of everybody, and all of staff"),
        (#"["staff",50000],[null,50000]"#, "50% of everybody"), ("[null,0]", "0% of everybody"),
        (#"["a",1000],["b",2000],[null,500]"#, "0.5% of everybody, and 2% of b, and 1% of a"),
        (#"["a",1000],["b",2000]"#, "2% of b, and 1% of a"), (#"["a",100000],[null,100000]"#, "everybody"),
    ])
    func `says of a step what all steps up to it give`(steps: String, words: String) throws {
        let list = try JSONValue(parsing: "[\(steps)]").array ?? []
        let plan = list.map { step -> JSONValue in
            ["cohort": step.array?.first ?? .null, "share": step.array?.last ?? .null]
        }
        let view = RouteView(route: ["plan": ["steps": .array(plan)]])
        #expect(view.stepText(at: Int64(plan.count)) == words)
        #expect(view.stepText(at: Int64(plan.count) + 1) == nil)
    }

    @Test(arguments: [
        ("pass", "step 2, by Mia\n"), ("waived", "step 2, by Mia, but it counts no more: the cohort changed\n"),
        ("fail", "step 2, by Mia, but it counts no more: the cohort changed\n"),
    ])
    func `says whether its approval still counts`(verdict: String, words: String) throws {
        let gate = #"{"name":"approval","verdict":"\#(verdict)","reason":"the cohort changed"}"#
        let service = try CannedService(
            200, #"{"key":"a","approval":{"step":2,"by":"Mia"},"next":{"move":"step 2","gates":[\#(gate)]}}"#)
        defer { service.stop() }
        #expect(Run("route show a", at: service).output.contains(words))
    }
}
