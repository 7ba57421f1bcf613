let journeyCommands = CommandGroup(
    "journey", "Starts, resumes, shows and finishes journeys, as a client would.",
    [
        StartJourney.self, ResumeJourney.self, ShowJourney.self, ExplainJourney.self, FinishJourney.self,
        ReportConflict.self,
    ])
