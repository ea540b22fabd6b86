// swift-tools-version: 6.3
import PackageDescription

/// Every Swift target is held to the same rules.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  // Lets a request lend its bytes as spans that the compiler keeps from escaping.
  .enableExperimentalFeature("Lifetimes"),
]

/// As in Swift, what is asserted is checked in debug builds and by fuzzers, and by nobody else.
let withoutAsserts: [CSetting] =
  Context.environment["LAYOUTD_FUZZ"] == nil
  ? [.define("NDEBUG", .when(configuration: .release))] : []

let strictC: [CSetting] =
  [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)] + withoutAsserts

let package = Package(
  name: "layoutd",
  products: [
    .executable(name: "layoutd", targets: ["layoutd"]),
    .library(name: "LayoutCore", targets: ["LayoutCore"]),
  ],
  targets: [
    // The layout engine: values in, values out.
    .target(name: "LayoutCore", dependencies: ["CCache"], swiftSettings: strict),
    // The one thing that the engine needs of C: to ask for memory before it is read.
    .target(name: "CCache", cSettings: strictC),
    // Sessions: state behind locks, still no I/O.
    .target(name: "LayoutSessions", dependencies: ["LayoutCore"], swiftSettings: strict),
    // What a request and a response are.
    .target(name: "HTTPMessages", swiftSettings: strict),
    // Requests to responses: one pure function.
    .target(
      name: "LayoutAPI",
      dependencies: [
        "LayoutCore", "LayoutSessions", "HTTPMessages", "CSimdjson", "CResources", "CGnuTLS",
      ],
      swiftSettings: strict),
    .target(
      name: "CSimdjson", cxxSettings: [.enableWarning("all"), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CResources", exclude: ["web"], cSettings: strictC),
    // Hashes of keys, and tickets of TLS; libmicrohttpd needs it as well.
    .systemLibrary(
      name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    // HTTP over libmicrohttpd: C below, one Swift wrapper above.
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "CHTTPShim", dependencies: ["CMicroHTTPD", "CGnuTLS"], cSettings: strictC),
    .target(
      name: "MicroHTTP", dependencies: ["HTTPMessages", "CHTTPShim"], swiftSettings: strict),
    // Sessions in a file: SQLite below, one Swift wrapper above.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "SQLiteStore", dependencies: ["LayoutSessions", "CSQLite"], swiftSettings: strict),
    // Sessions that many servers share: hiredis below, one Swift wrapper above.
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .target(
      name: "RedisStore", dependencies: ["LayoutSessions", "CHiredis"], swiftSettings: strict),
    // The program: options in, everything wired. With what it uses of Swift's library inside it starts in
    // two thirds of the time, and takes 2 MB less, than beside nine libraries. Tests share those with what
    // runs them: they are debug builds, as they see what is internal.
    .executableTarget(
      name: "layoutd",
      dependencies: ["LayoutAPI", "MicroHTTP", "SQLiteStore", "RedisStore", "CThreadSanitizer"],
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))
      ]),
    // Under ThreadSanitizer, for the program and so for all tests: what it cannot see of Swift's Mutex. Else
    // empty.
    .target(name: "CThreadSanitizer", cSettings: strictC),
    // What it costs, beside baselines in the same run.
    .target(name: "CBenchmark", dependencies: ["CMicroHTTPD"], cSettings: strictC),
    .executableTarget(
      name: "LayoutBenchmark",
      dependencies: [
        "CBenchmark", "CSimdjson", "HTTPMessages", "LayoutAPI", "LayoutCore", "LayoutSessions",
        "layoutd",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LayoutCoreTests", dependencies: ["LayoutCore"], swiftSettings: strict),
    .testTarget(
      name: "LayoutSessionsTests",
      dependencies: ["LayoutSessions", "LayoutCore"], swiftSettings: strict),
    // With real files, and a real redis-server.
    .testTarget(
      name: "SQLiteStoreTests", dependencies: ["SQLiteStore", "LayoutSessions", "CSQLite"],
      swiftSettings: strict),
    .testTarget(
      name: "RedisStoreTests", dependencies: ["RedisStore", "LayoutSessions"],
      swiftSettings: strict),
    .testTarget(
      name: "LayoutAPITests",
      dependencies: ["LayoutAPI", "LayoutCore", "LayoutSessions", "HTTPMessages"],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    // Live, on port 0: the C border and the service behind it.
    .testTarget(
      name: "LayoutServerTests",
      dependencies: [
        "MicroHTTP", "HTTPMessages", "LayoutSessions", "LayoutAPI", "layoutd", "CGnuTLS",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x,
  cxxLanguageStandard: .cxx17
)

// What fuzzers do, as tests of what they found; with LAYOUTD_FUZZ the fuzzers themselves, for which
// libFuzzer has to see what every target executes. Tests/Fuzzing/run sets the variable.
let fuzzed: [Target.Dependency] = [
  "HTTPMessages", "LayoutAPI", "LayoutCore", "LayoutSessions", "MicroHTTP",
]
if Context.environment["LAYOUTD_FUZZ"] == nil {
  package.targets.append(
    .testTarget(
      name: "FuzzingTests", dependencies: fuzzed, path: "Tests/Fuzzing",
      exclude: ["CFuzzing", "Corpus", "Driver", "Seeds", "bodies.dict", "run"],
      sources: ["Fuzzers", "ReplayTests.swift"], swiftSettings: strict))
} else {
  for target in package.targets where target.type != .system {
    // Invariants that are checked in debug builds only are checked here too.
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .unsafeFlags(["-sanitize=address", "-sanitize=fuzzer", "-enable-testing", "-g"]),
        .unsafeFlags(["-assert-config", "Debug"]),
      ]
    let coverage = ["-fsanitize=fuzzer-no-link"]
    target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(coverage)]
    target.cxxSettings = (target.cxxSettings ?? []) + [.unsafeFlags(coverage)]
  }
  package.targets += [
    .target(name: "CFuzzing", path: "Tests/Fuzzing/CFuzzing", cSettings: strictC),
    .executableTarget(
      name: "Fuzzers", dependencies: fuzzed + ["CFuzzing"], path: "Tests/Fuzzing",
      exclude: ["Corpus", "ReplayTests.swift", "Seeds", "bodies.dict", "run"],
      sources: ["Fuzzers", "Driver"], swiftSettings: strict),
  ]
}

// What sanitizers have nothing to look for in is not built for them: what has no threads if LAYOUTD_SANITIZED
// says "threads". If it says "memory" the engine, whose tests would take four times as long, is optimized; what is
// asserted in debug builds is asserted all the same. .ci/run sets the variable.
if let sanitized = Context.environment["LAYOUTD_SANITIZED"] {
  var idle = ["LayoutBenchmark", "CBenchmark"]
  if sanitized == "threads" { idle += ["LayoutCoreTests", "FuzzingTests"] }
  package.targets.removeAll { idle.contains($0.name) }
  for target in package.targets where target.name == "LayoutCore" && sanitized == "memory" {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.unsafeFlags(["-O", "-assert-config", "Debug"])]
  }
}
