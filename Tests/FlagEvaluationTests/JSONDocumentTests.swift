import FlagEvaluation
import Testing

@Suite struct `A document` {
    private func document(_ text: String, _ document: JSONDocument = JSONDocument()) throws -> JSONDocument {
        try Array(text.utf8).withUnsafeBytes { try document.parse($0) }
        return document
    }

    @Test func `is read by name, without values being built`() throws {
        let text = #"{"id":"a\u0062c","n":-5,"x":1.5,"ok":true,"has":{"r":["legacy","migrated"]},"none":null}"#
        let document = try document(text)
        let root = document.root
        func node(_ name: String) throws -> JSONDocument.Node { try #require(document.member(named: name, of: root)) }
        #expect(document.kind(of: root) == .object && document.count(of: root) == 6)
        #expect(try document.string(node("id")) == "abc")
        #expect(try document.utf8(node("id")).map(Array.init) == Array("abc".utf8))
        #expect(try document.integer(node("n")) == -5 && document.number(node("n")) == -5)
        #expect(try document.number(node("x")) == 1.5 && document.integer(node("x")) == nil)
        #expect(try document.bool(node("ok")) == true && document.isNull(node("none")))
        let list = try #require(document.member("r", of: node("has")))
        #expect(document.elements(of: list).map { document.string($0) } == ["legacy", "migrated"])
        #expect(try document.isString(node("id"), "abc") && !document.isString(node("id"), "abcd"))
        #expect(try !document.isString(node("id"), "abd") && !document.isString(node("n"), ""))
        #expect(document.members(of: root).map(\.key) == ["id", "n", "x", "ok", "has", "none"])
        #expect(document.member("missing", of: root) == nil && document.member("r", of: list) == nil)
        #expect(try String(text.utf8.dropFirst(document.range(of: node("has")).lowerBound).prefix(4)) == #"{"r""#)
        #expect(try document.range(of: node("id")).count == 10)
        #expect(try document.value(of: node("has")) == ["r": ["legacy", "migrated"]])
    }

    @Test func `holds null after an error, and for nodes that it does not have`() throws {
        let document = try document("[1,[2,3]]")
        let inner = try #require(document.elements(of: document.root).last)
        #expect(throws: JSONError.self) { try self.document("[1,", document) }
        #expect(document.isNull(document.root))
        #expect(document.isNull(inner) && document.elements(of: inner).isEmpty && document.string(inner) == nil)
    }

    @Test func `gives nodes of other documents some value, never a fault`() throws {
        let long = try document("[[0],[1],[2],[3],[4]]")
        let other = try document(#"{"a":{"b":{"c":[1,2],"d":"e"}}}"#)
        let nodes = long.elements(of: long.root).flatMap { [$0] + long.elements(of: $0) }
        #expect(nodes.count == 10)
        for node in nodes {
            _ = (other.value(of: node), other.string(node), other.members(of: node).count, other.range(of: node))
            let context = EvaluationContext(other, at: node)
            _ = try Rule(.of(#"{"map":[{"var":""},{"var":"c.0"}]}"#)).value(for: context, at: 0)
        }
    }

    @Test func `keeps its storage for texts of all sizes`() throws {
        let document = JSONDocument()
        for size in [1, 100_000, 3, 2_000_000, 10, 5_000] {
            let text = "[" + (0..<size).map { _ in "1" }.joined(separator: ",") + "]"
            #expect(try self.document(text, document).count(of: document.root) == size)
        }
    }

    @Test func `finds one of many keys by its bytes`() throws {
        let text = "{" + (0..<900).map { "\"name.\($0)\":\($0)" }.joined(separator: ",") + ",\"\":-1}"
        let document = try document(text)
        for index in stride(from: 0, to: 900, by: 37) {
            let node = try #require(document.member(named: "name.\(index)", of: document.root))
            #expect(document.integer(node) == Int64(index))
        }
        #expect(document.member("", of: document.root).flatMap { document.integer($0) } == -1)
        #expect(document.member("name.900", of: document.root) == nil)
    }

    @Test(arguments: [33, 500])
    func `refuses a duplicate among many keys by itself`(count: Int) throws {
        for place in [0, count / 2, count - 1] {
            let names = (0..<count).map { "key\($0)" } + ["key\(place)"]
            let text = "{" + names.map { "\"\($0)\":{}" }.joined(separator: ",") + "}"
            let error = #expect(throws: JSONError.self) { try document(text) }
            #expect(error?.code == .duplicateKey)
        }
    }
}
