let buildCommands = CommandGroup(
    "build", "Registers builds with the renderers that they have compiled.",
    [ListBuilds.self, ShowBuild.self, RegisterBuild.self])
