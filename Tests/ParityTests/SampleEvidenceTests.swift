import FlagEvaluation
import Foundation
import Parity
import Rollouts
import RouteContract
import Testing

/// `deploy/sample-evidence` is what the tour pushes: real recordings of the sample's entries. Written anew with
/// `SIGNALBOX_WRITE_SAMPLE_EVIDENCE=1`.
@MainActor
@Suite struct `The sample's evidence` {
    static let deploy = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy")
        .standardizedFileURL

    private func contract(of route: String) throws -> String {
        let data = try Data(contentsOf: Self.deploy.appending(path: "sample-contracts/\(route).json"))
        let json = try #require(try JSONValue(parsing: [UInt8](data)).object)
        return try RegisteredContract(json: json).hash
    }

    private func artefact<R, O>(of scenario: SampleScenario<R, O>) throws -> String {
        let contract = try contract(of: scenario.name)
        let runs = ["default", "largest"].map { size -> JSONValue in
            @MainActor func text(_ renderer: Renderer, run: Int64) -> JSONValue {
                .string(
                    String(
                        decoding: scenario.recording(renderer, run: run, contentSize: size, contract: contract),
                        as: UTF8.self))
            }
            return [
                "legacy": text(.legacy, run: 1), "control": text(.legacy, run: 2), "migrated": text(.migrated, run: 1),
            ]
        }
        return JSONValue.object(["kind": "parity", "runs": .array(runs)]).prettyJSONText + "\n"
    }

    private func check(_ artefact: String, of route: String) throws {
        let file = Self.deploy.appending(path: "sample-evidence/\(route).parity.json")
        if ProcessInfo.processInfo.environment["SIGNALBOX_WRITE_SAMPLE_EVIDENCE"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(artefact.utf8).write(to: file, options: .atomic)
        }
        let kept = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(kept == artefact, "\(route): the entries record otherwise; if that is meant, write it anew")
        #expect(kept.utf8.count <= Configuration.mostArtefactBytes)
    }

    @Test func `is what the entries of trips record`() throws {
        for scenario in SampleScenarios.trips { try check(try artefact(of: scenario), of: scenario.name) }
    }

    @Test func `is what the entries of orders record`() throws {
        for scenario in SampleScenarios.orders { try check(try artefact(of: scenario), of: scenario.name) }
    }
}
