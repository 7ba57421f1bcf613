/// A file of flags as flagd reads it: `{"flags": …, "$evaluators": {…}, "metadata": {…}}`.
public struct FlagFile: Hashable, Sendable {
    /// In the order of the file.
    public let flags: [FlagDefinition]
    /// Named rules that targeting may refer to.
    public let evaluators: JSONObject
    /// About the whole set; a flag's own metadata wins.
    public let metadata: JSONObject
    /// What will not do what it looks like; paths begin at the file.
    public let warnings: [FlagWarning]

    /// Reads a file whose flags are an object by key, or an array of flags with their `key`.
    ///
    /// The format does not say how its splits bucket, so `bucketing` does, for all of them.
    public init(json: JSONValue, bucketing: Bucketing = .v2) throws(FlagError) {
        guard case .object(let file) = json else { throw FlagError(.invalidType, at: "", "A flag file is an object.") }
        metadata = try DefinitionCheck.metadata(file["metadata"])
        evaluators = try Self.object(file["$evaluators"] ?? .object(JSONObject()), at: "/$evaluators")
        var warnings: [FlagWarning] = []
        for (key, rule) in evaluators.entries {
            let path = JSONPointer().appending("$evaluators").appending(key).text
            do throws(FlagError) {
                warnings += try Cohorts.check(key: key, rule: rule, among: evaluators).map { $0.within(path) }
            } catch {
                throw error.within(path)
            }
        }
        let cohorts = Set(evaluators.keys)
        var flags: [FlagDefinition] = []
        for (key, json, path) in try Self.definitions(file["flags"]) {
            do throws(FlagError) {
                let flag = try FlagDefinition(key: key, json: json, cohorts: cohorts, bucketing: bucketing)
                warnings += flag.warnings.map { $0.within(path) }
                flags.append(flag)
            } catch {
                throw error.within(path)
            }
        }
        self.flags = flags
        self.warnings = warnings
    }

    private static func definitions(
        _ flags: JSONValue?
    ) throws(FlagError) -> [(key: String, json: JSONValue, path: String)] {
        let base = JSONPointer().appending("flags")
        switch flags {
        case nil: throw FlagError(.missingMember, at: "", "A flag file has flags.")
        case .object(let object): return object.entries.map { ($0.key, $0.value, base.appending($0.key).text) }
        case .array(let elements):
            var seen: Set<String> = []
            var definitions: [(key: String, json: JSONValue, path: String)] = []
            for (index, element) in elements.enumerated() {
                let path = base.appending(index).text
                guard case .object(var object) = element else {
                    throw FlagError(.invalidType, at: path, "A flag is an object.")
                }
                guard case .string(let key)? = object["key"] else {
                    throw FlagError(.missingMember, at: path, "A flag in an array has a key.")
                }
                guard seen.insert(key).inserted else {
                    throw FlagError(.duplicateKey, at: path + "/key", "There is another flag \"\(key)\".")
                }
                object["key"] = nil
                definitions.append((key, .object(object), path))
            }
            return definitions
        default: throw FlagError(.invalidType, at: "/flags", "Flags are an object or an array.")
        }
    }

    private static func object(_ value: JSONValue, at path: String) throws(FlagError) -> JSONObject {
        guard case .object(let object) = value else { throw FlagError(.invalidType, at: path, "This is an object.") }
        return object
    }
}

extension FlagWarning {
    /// The same warning seen from a place further out.
    func within(_ prefix: String) -> FlagWarning { FlagWarning(path: prefix + path, code: code) }
}
