import HTTPServer

extension Service {
    /// Every endpoint there is.
    func api() -> API {
        var api = API(service: self)
        api.addOFREPEndpoints()
        api.addJourneyEndpoints()
        api.addJourneyResumeEndpoints()
        api.addJourneyExplanationEndpoints()
        api.addFlowEndpoints()
        api.addRouteEndpoints()
        api.addDrainEndpoints()
        api.addForecastEndpoint()
        api.addStatusEndpoints()
        api.addMoveEndpoints()
        api.addFlagEndpoints()
        api.addFlagFileEndpoints()
        api.addEvaluateEndpoints()
        api.addOverrideEndpoints()
        api.addConditionEndpoints()
        api.addWaiverEndpoints()
        api.addEvidenceEndpoints()
        api.addEnvironmentEndpoints()
        api.addConfigurationEndpoints()
        api.addCohortEndpoints()
        api.addBuildEndpoints()
        api.addKeyEndpoints()
        api.addAuditEndpoints()
        api.addSweepEndpoints()
        api.addBackupEndpoints()
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
                forError: { [service] in service.failure($0) },
                forRefusal: { Failures.response($0.status, $0.code, $0.message) }))
    }
}
