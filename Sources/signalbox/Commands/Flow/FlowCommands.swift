let flowCommands = CommandGroup(
    "flow", "Makes flows, and moves all routes of one at once.",
    [
        ListFlows.self,
        ShowFlow.self,
        CreateFlow.self,
        EditFlow.self,
        Advance<FlowNoun>.self,
        Retreat<FlowNoun>.self,
        Hold<FlowNoun>.self,
        Resume<FlowNoun>.self,
        RollBack<FlowNoun>.self,
        Approve<FlowNoun>.self,
    ])
