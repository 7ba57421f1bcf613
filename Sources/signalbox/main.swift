#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

exit(Program(root: signalboxCommands).run(Array(CommandLine.arguments.dropFirst()), on: .ofProcess).rawValue)
