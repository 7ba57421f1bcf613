/// What `--version` says.
let version = "0.1.0"

/// Everything that can be asked for. A command that is not in a group is listed here, any other in its group.
let signalboxCommands = CommandGroup(
    "signalbox", "Decides which renderer a journey gets, and moves routes from legacy to migrated.",
    members: [
        .command(Status.self),
        .command(Overdue.self),
        .command(MakeForecast.self),
        .group(routeCommands),
        .group(flowCommands),
        .group(overrideCommands),
        .group(conditionCommands),
        .group(waiverCommands),
        .group(evidenceCommands),
        .command(HoldAll.self),
        .command(RollBackAll.self),
        .group(journeyCommands),
        .group(flagCommands),
        .command(Evaluate.self),
        .group(parityCommands),
        .group(referenceCommands),
        .group(cohortCommands),
        .group(buildCommands),
        .group(environmentCommands),
        .group(configurationCommands),
        .group(keyCommands),
        .group(auditCommands),
        .command(Sweep.self),
        .command(Serve.self),
        .command(MakeBackup.self),
        .command(Restore.self),
        .command(Doctor.self),
        .command(PrintCompletion.self),
        .command(PrintReference.self),
        .command(PrintKeys.self),
    ])
