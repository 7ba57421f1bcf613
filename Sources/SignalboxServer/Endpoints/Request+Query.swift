import HTTPServer

extension Request {
    /// A number of the query; nil when it is not there. Fails with `invalid_query`.
    func number(_ name: String, _ range: ClosedRange<Int64>) throws -> Int64? {
        guard let text = query(name) else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw ServiceError(
                .invalidQuery, "\"\(name)\" must be an integer from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// `true` or `false` of the query; nil when it is not there. Fails with `invalid_query`.
    func flag(_ name: String) throws -> Bool? {
        guard let text = query(name) else { return nil }
        guard let value = Bool(text) else { throw ServiceError(.invalidQuery, "\"\(name)\" must be true or false.") }
        return value
    }
}
