extension Value {
    /// The value for people and tests; nil when it is not a number, or when containers that a rule made hold one
    /// another so often that they cannot be written out.
    var json: JSONValue? {
        var remaining = 100_000
        let json = json(&remaining)
        return remaining >= 0 ? json : nil
    }

    /// As deep as containers that rules made can lie in one another, which is bounded.
    private func json(_ remaining: inout Int) -> JSONValue? {
        remaining -= 1
        guard remaining >= 0 else { return nil }
        guard let node else {
            if kind == .float, !float.isFinite { return nil }
            return JSONValue(scalar: TapeNode(holding: self))
        }
        guard kind == .object else { return .array(node.elements.map { Value($0).json(&remaining) ?? .null }) }
        var object = JSONObject()
        for member in node.members { object[(member - 1).pointee.text] = Value(member).json(&remaining) ?? .null }
        return .object(object)
    }
}
