let routeCommands = CommandGroup(
    "route", "Registers routes, and moves them from legacy to migrated.",
    [
        ListRoutes.self,
        ShowRoute.self,
        RegisterRoute.self,
        EditRoute.self,
        PlanRoute.self,
        ShowGates.self,
        WaitForRoute.self,
        Advance<RouteNoun>.self,
        Retreat<RouteNoun>.self,
        Hold<RouteNoun>.self,
        Resume<RouteNoun>.self,
        RollBack<RouteNoun>.self,
        Approve<RouteNoun>.self,
        MakeIsland.self,
        ShowRouteJourneys.self,
    ])
