import HTTPServer

extension Request {
    /// Fails with `invalid_query` for a parameter that nobody reads: one that is misspelt would silently count for nothing,
    /// and of one that is given twice nobody knows which counts. A stop is only refused for `dryRun`: whoever tries it does not
    /// want it done.
    func checkQuery(knowing names: [String], isStop: Bool) throws {
        guard !query.isEmpty else { return }
        var seen: Set<String> = []
        for name in queryNames where !isStop || name == "dryRun" {
            guard names.contains(name) else {
                let known = names.isEmpty ? "There are none here." : "Here are: \(names.joined(separator: ", "))."
                throw ServiceError(.invalidQuery, "There is no query parameter \"\(name.prefix(64))\". \(known)")
            }
            guard seen.insert(name).inserted else {
                throw ServiceError(.invalidQuery, "The query parameter \"\(name)\" stands there twice.")
            }
        }
    }

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
