import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

/// What `/openapi.json` says about an endpoint, declared where the endpoint is added.
package struct About: Sendable {
    /// A query parameter or a header.
    struct Parameter: Sendable {
        let name: String
        let place: String
        let schema: Schema
        let isRequired: Bool
    }

    /// One answer that is not a failure of ours.
    struct Answer: Sendable {
        let status: Int
        let schema: Schema?
        let contentType: ContentType
    }

    /// One sentence, without its point. Empty for an endpoint that nobody described.
    let summary: String
    private(set) var body: Schema?
    private(set) var needsBody = false
    /// Whether it only takes away: then nothing in the query keeps it from being done but a wish to try it.
    private(set) var isStop = false
    private(set) var parameters: [Parameter] = []
    private(set) var answers: [Answer] = []
    /// What it may fail with beside what any request may, by status.
    private(set) var codes: [(status: Int, code: String)] = []

    init(_ summary: String) { self.summary = summary }

    /// The body. One that may be left out is `isOptional`.
    func takes(_ schema: Schema, isOptional: Bool = false) -> About {
        adding {
            $0.body = schema
            $0.needsBody = !isOptional
        }.fails(.invalidJSON, .bodyRequired).fails(.invalidField, .unknownField)
    }

    func takes(query name: String, _ schema: Schema, isRequired: Bool = false) -> About {
        adding {
            $0.parameters.append(Parameter(name: name, place: "query", schema: schema, isRequired: isRequired))
        }
    }

    /// It stops something, which must not wait for anybody to correct a query.
    func stops() -> About { adding { $0.isStop = true } }

    /// What may stand in the query.
    var queryParameters: [String] { parameters.filter { $0.place == "query" }.map(\.name) }

    func takes(header name: String, _ schema: Schema) -> About {
        adding {
            $0.parameters.append(Parameter(name: name, place: "header", schema: schema, isRequired: false))
        }
    }

    /// The answer 200 with that body.
    func gives(_ schema: Schema, as contentType: ContentType = .json) -> About { gives(200, schema, as: contentType) }

    /// An answer with that body, or with none.
    func gives(_ status: Int, _ schema: Schema?, as contentType: ContentType = .json) -> About {
        adding { $0.answers.append(Answer(status: status, schema: schema, contentType: contentType)) }
    }

    /// A change: it takes a reason, and the revision that it is meant for, besides `takes`, and answers where the
    /// configuration then stands, with `shows`.
    func changes(takes: Schema = [:], shows: Schema, creates: Bool = false, tries: Bool = false) -> About {
        let common: Schema = [
            "reason": .reason, "ifRevision?": Schema.integer.orNull, "ifEpoch?": Schema.integer.orNull,
        ]
        let whole = common.with(tries ? ["dryRun?": .boolean] : [:]).with(takes)
        let answer = Schema.changed.with(shows)
        return self.takes(whole).givesChange(answer, creates: creates)
    }

    /// A removal: it takes its reason from the query.
    func removes() -> About {
        takes(query: "reason", .reason, isRequired: true).takes(query: "ifRevision", .integer(0...Int64.max))
            .takes(query: "ifEpoch", .integer(0...Int64.max)).givesChange(Schema.changed, creates: false)
            .fails(.invalidField)
    }

    private func givesChange(_ answer: Schema, creates: Bool) -> About {
        (creates ? gives(201, answer) : self).gives(answer).fails(.reasonRequired, .revisionExhausted, .notAllowed)
            .fails(.revisionChanged).fails(.outcomeUnknown).usesStore()
    }

    /// It waits for the store, so it fails when that does.
    func usesStore() -> About { fails(StoreError.Code.allCases) }

    func fails(_ codes: ServiceError.Code...) -> About {
        failing(codes.map { (Failures.status($0), $0.rawValue) })
    }

    func fails(_ codes: RolloutError.Code...) -> About {
        failing(codes.map { (Failures.status($0), $0.rawValue) })
    }

    func fails(_ codes: [StoreError.Code]) -> About {
        failing(codes.map { (Failures.status($0), $0.rawValue) })
    }

    private func failing(_ more: [(Int, String)]) -> About {
        adding { $0.codes += more.map { (status: $0.0, code: $0.1) } }
    }

    private func adding(_ change: (inout About) -> Void) -> About {
        var copy = self
        change(&copy)
        return copy
    }
}
