let journeyCommands = CommandGroup(
    "journey", "Starts, shows and finishes journeys, as a client would.",
    [StartJourney.self, ShowJourney.self, ExplainJourney.self, FinishJourney.self])
