let configurationCommands = CommandGroup(
    "config", "Keeps a whole environment as one document.",
    [
        ExportConfiguration.self, CompareConfigurations.self, ApplyConfiguration.self, ListRevisions.self,
        RollBackConfiguration.self,
    ])
