let parityCommands = CommandGroup(
    "parity", "Compares what the legacy and the migrated entry of a flow do.", [CompareRecordings.self])
