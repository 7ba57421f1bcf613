import FlagEvaluation

/// What a recording and its comparison may at most hold. A recording beyond them is inconclusive, never cut.
public enum ParityLimits {
    /// Bytes of one recording.
    public static let recordingBytes = 4 << 20
    /// Lines of one recording.
    public static let lines = 20_000
    /// Bytes of one line.
    public static let lineBytes = 65_536
    /// Samples of one metric in one recording.
    public static let samplesOfMetric = 1_000
    /// Samples in one recording.
    public static let samples = 5_000
    /// Findings that are listed; those beyond are counted, and decide as the others do.
    public static let findings = 500
    /// Rules of each kind.
    public static let rules = 500
    /// Bytes of a name, an identifier or a reason.
    public static let nameBytes = 512

    static let line = JSONLimits(depth: 16, keys: 1_000, stringBytes: 16_384)
}
