let flagCommands = CommandGroup(
    "flag", "Reads and changes ordinary flags.",
    [
        ListFlags.self, ShowFlag.self, SetFlag.self, EnableFlag.self, DisableFlag.self, DeleteFlag.self,
        PreviewFlag.self, ImportFlags.self, ExportFlags.self,
    ])
