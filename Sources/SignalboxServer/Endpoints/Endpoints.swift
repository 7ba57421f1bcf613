import HTTPServer

extension Service {
    /// Every endpoint there is.
    func api() -> API {
        var api = API(service: self)
        api.addOFREPEndpoints()
        api.addJourneyEndpoints()
        api.addFlowEndpoints()
        api.addRouteEndpoints()
        api.addMoveEndpoints()
        api.addFlagEndpoints()
        api.addCohortEndpoints()
        api.addBuildEndpoints()
        api.addKeyEndpoints()
        api.addAuditEndpoints()
        api.addOperationsEndpoints()
        return api
    }
}

extension API {
    /// The router of what has been listed.
    func router() -> Router {
        Router(
            routes,
            errors: ErrorResponses(
                forError: { Failures.response(for: $0) },
                forRefusal: { Failures.response($0.status, $0.code, $0.message) }))
    }
}
