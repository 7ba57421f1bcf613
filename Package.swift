// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built alike.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "signalbox",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "signalbox", targets: ["signalbox"]),
        .library(name: "RouteContract", targets: ["RouteContract"]),
        .library(name: "FlagEvaluation", targets: ["FlagEvaluation"]),
        .library(name: "Parity", targets: ["Parity"]),
    ],
    targets: [
        // C libraries of the distribution.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(name: "CEvHTTP", linkerSettings: [.linkedLibrary("event")]),

        // Pure: no clock, disk, network, randomness or logging.
        .target(name: "RouteContract", swiftSettings: settings),
        .target(name: "FlagEvaluation", swiftSettings: settings),
        .target(name: "Parity", dependencies: ["FlagEvaluation", "RouteContract"], swiftSettings: settings),
        .target(name: "Rollouts", dependencies: ["FlagEvaluation", "RouteContract"], swiftSettings: settings),

        // The service.
        .target(
            name: "Storage",
            dependencies: ["CSQLite", "CCrypto", "Rollouts", "FlagEvaluation", "RouteContract"],
            resources: [.copy("../../migrations")],
            swiftSettings: settings),
        .target(name: "HTTPServer", dependencies: ["CEvHTTP"], swiftSettings: settings),
        .target(
            name: "SignalboxServer",
            dependencies: [
                "FlagEvaluation", "HTTPServer", "Parity", "Rollouts", "RouteContract", "Storage",
            ],
            swiftSettings: settings),

        // The two programs.
        .executableTarget(
            name: "signalbox",
            dependencies: [
                "CCrypto", "CCurl", "FlagEvaluation", "HTTPServer", "Parity", "Rollouts", "RouteContract",
                "SignalboxServer", "Storage",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "FlagEvaluation", "HTTPServer", "Rollouts", "RouteContract", "SignalboxServer",
                "Storage",
            ],
            exclude: ["evaluation_peers.py"], swiftSettings: settings),

        // What the differential tests drive.
        .executableTarget(
            name: "EvaluationDriver", dependencies: ["FlagEvaluation"], path: "Tests/Conformance/EvaluationDriver",
            swiftSettings: settings),

        // Counts what a thread allocates.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        // A connection of which every byte is seen.
        .target(name: "SocketClient", path: "Tests/SocketClient", swiftSettings: settings),

        .testTarget(name: "RouteContractTests", dependencies: ["RouteContract"], swiftSettings: settings),
        .testTarget(
            name: "FlagEvaluationTests", dependencies: ["CAllocations", "FlagEvaluation"], exclude: ["Vectors"],
            swiftSettings: settings),
        .testTarget(
            name: "ParityTests", dependencies: ["Parity", "FlagEvaluation", "Rollouts", "RouteContract"],
            swiftSettings: settings),
        .testTarget(
            name: "RolloutsTests", dependencies: ["Rollouts", "FlagEvaluation", "RouteContract"],
            swiftSettings: settings),
        .testTarget(
            name: "StorageTests",
            dependencies: ["CSQLite", "Storage", "Rollouts", "FlagEvaluation", "RouteContract"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "SocketClient"], swiftSettings: settings),
        .testTarget(
            name: "SignalboxServerTests",
            dependencies: [
                "CAllocations", "SignalboxServer", "FlagEvaluation", "HTTPServer", "Parity", "Rollouts",
                "RouteContract", "SocketClient", "Storage",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "CSQLite", "SignalboxServer", "FlagEvaluation", "HTTPServer", "Parity", "Rollouts", "RouteContract",
                "Storage",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests", dependencies: ["signalbox", "FlagEvaluation", "Parity", "RouteContract"],
            swiftSettings: settings),
    ]
)
