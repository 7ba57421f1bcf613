import FlagEvaluation
import Foundation
import Testing

/// The files with which flagd tests its own schemas.
@Suite struct `flagd's schema files` {
    private static let base = "flagd-schemas/test"

    /// A whole file may have its flags in an array; flagd's schema of flags by key refuses that.
    private static let faults: [(file: String, code: FlagError.Code, path: String)] = [
        ("empty-variants.json", .invalidVariants, "/flags/myBoolFlag/variants"),
        ("malformed-flag.json", .missingMember, "/flags/not-a-flag"),
        ("missing-variants.json", .missingMember, "/flags/myBoolFlag"),
        ("mixed-variant-types.ffconfig.json", .mixedVariantTypes, "/flags/myBoolFlag/variants/off"),
        ("state-set-incorrectly.json", .invalidState, "/flags/myBoolFlag/state"),
        ("with-invalid-flag-metadata.json", .invalidType, "/flags/myBoolFlag/metadata/invalid"),
        ("with-invalid-flag-set-metadata.json", .invalidType, "/metadata/invalid"),
        ("with-invalid-targeting.json", .unknownOperator, "/flags/targetedFlag/targeting/not-a-real-rule"),
    ]

    @Test func `are refused with the path of the fault when their structure is wrong`() throws {
        guard let folder = Suites.folder(Self.base) else { return }
        let files = try Suites.files(in: folder.appending(path: "flags/negative"), extension: "json")
        #expect(files.map(\.lastPathComponent) == (Self.faults.map(\.file) + ["with-array-flags.json"]).sorted())
        for fault in Self.faults {
            let json = try Suites.json(folder.appending(path: "flags/negative/\(fault.file)"))
            let error = #expect(throws: FlagError.self, "\(fault.file)") { try FlagFile(json: json) }
            #expect(error.map { [$0.code.rawValue, $0.path] } == [fault.code.rawValue, fault.path])
        }
        #expect(
            try FlagFile(json: Suites.json(folder.appending(path: "flags/negative/with-array-flags.json"))).flags.count
                == 1)
    }

    /// The path of the warning within the flag; nil where the rule is refused.
    private static let misuses: [(file: String, path: String?)] = [
        ("fractional-decimal-weighting.json", nil),
        ("fractional-invalid-bucketing.json", "/targeting/fractional/0"),
        ("fractional-invalid-weighting.json", "/targeting/fractional/1/1"),
        ("fractional-negative-weighting.json", "/targeting/fractional/1/1"),
        ("invalid-ends-with-param.json", "/targeting/if/0/ends_with"),
        ("invalid-flagd-props.json", "/targeting/if/0/==/0/var"),
        ("invalid-starts-with-param.json", "/targeting/if/0/starts_with"),
        ("sem-ver-invalid-range-specifier.json", "/targeting/if/0/sem_ver"),
        ("sem-ver-invalid-ver-expression.json", "/targeting/if/0/sem_ver"),
    ]

    @Test func `are taken with a warning when an operator is misused`() throws {
        guard let folder = Suites.folder("\(Self.base)/targeting/negative") else { return }
        let files = try Suites.files(in: folder, extension: "json")
        #expect(files.map(\.lastPathComponent) == Self.misuses.map(\.file))
        for (file, path) in Self.misuses {
            let json: JSONValue = [
                "state": "ENABLED", "variants": ["yes": 1, "no": 2],
                "targeting": try Suites.json(folder.appending(path: file)),
            ]
            guard let path else {
                let error = #expect(throws: FlagError.self) { try FlagDefinition(key: "f", json: json) }
                #expect(error?.code == .decimalWeight && error?.path == "/targeting/fractional/1/1")
                continue
            }
            let warnings = try FlagDefinition(key: "f", json: json).warnings
            #expect(warnings.contains(FlagWarning(path: path, code: .operatorMisuse)), "\(file)")
        }
    }

    @Test func `are taken without a warning when they are as they should be`() throws {
        guard let folder = Suites.folder(Self.base) else { return }
        for kind in ["flagd", "flags"] {
            for file in try Suites.files(in: folder.appending(path: "\(kind)/positive"), extension: "json") {
                #expect(throws: Never.self, "\(file.lastPathComponent)") { try FlagFile(json: Suites.json(file)) }
            }
        }
        for file in try Suites.files(in: folder.appending(path: "targeting/positive"), extension: "json") {
            let targeting = try Suites.json(file)
            #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try FlagDefinition(
                    key: "f", json: ["state": "ENABLED", "variants": ["a": 1], "targeting": targeting])
            }
        }
    }
}
