import FlagEvaluation
import Testing

@Suite struct `An edit of a split` {
    private func flag(_ targeting: String) throws -> JSONObject {
        ["state": "ENABLED", "variants": ["a": 1, "b": 2, "c": 3], "targeting": try .of(targeting)]
    }

    @Test(
        arguments: [
            // shares move, order and sum stay
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["a",20],["b",80]]}"#, nil),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["a",10],["c",5],["b",85]]}"#, nil),
            (#"{"fractional":[["a",10],["c",5],["b",85]]}"#, #"{"fractional":[["a",15],["b",85]]}"#, nil),
            (#"{"fractional":[["a"],["b"]]}"#, #"{"fractional":[["a",1],["b",1.0]]}"#, nil),
            // wrapped, or beside another
            (
                #"{"fractional":[["a",10],["b",90]]}"#, #"{"if":[{"var":"x"},"c",{"fractional":[["a",10],["b",90]]}]}"#,
                nil
            ),
            (
                #"{"fractional":[["a",10],["b",90]]}"#,
                #"{"if":[{"var":"x"},{"fractional":[["c",1],["b",1]]},{"fractional":[["a",10],["b",90]]}]}"#, nil
            ),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"var":"x"}"#, nil),
            // what moves units
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["b",90],["a",10]]}"#, .order),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["a",10],["b",10]]}"#, .total),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["a",10],["b",90],["c",100]]}"#, .total),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[["a",10],["b",{"var":"w"}]]}"#, .total),
            (#"{"fractional":[["a",10],["b",90]]}"#, #"{"fractional":[{"var":"email"},["a",10],["b",90]]}"#, .bucketBy),
        ] as [(String, String, Reshuffle.Cause?)])
    func `is known for what it moves`(old: String, new: String, cause: Reshuffle.Cause?) throws {
        let found = try Reshuffle.all(replacing: flag(old), by: flag(new))
        #expect(found.map(\.cause) == (cause.map { [$0] } ?? []))
    }

    @Test func `is named by where it stands`() throws {
        let (old, new) = (
            #"{"if":[1,{"fractional":[["a",1],["b",1]]}]}"#, #"{"if":[1,{"fractional":[["b",1],["a",1]]}]}"#
        )
        #expect(try Reshuffle.all(replacing: flag(old), by: flag(new)).map(\.path) == ["/targeting/if/1/fractional"])
    }
}
