/// One thing that two recordings are compared in.
public enum ParityDimension: String, CaseIterable, Hashable, Sendable {
    /// Whether the files are whole, and of the same scenario under the same conditions.
    case recording
    /// What analytics was told.
    case events
    /// What a screen reader is told, and can do.
    case accessibility
    /// What an accessibility audit of the platform found.
    case audit
    /// The transitions of the flow's state.
    case states
    /// What links, notifications and saved state open.
    case entries
    case performance
    /// What is shown as text.
    case text
}

/// What a comparison came to.
public enum ParityVerdict: String, CaseIterable, Hashable, Sendable {
    case pass
    case fail
    /// Neither: something that would decide was not recorded, or not recorded well enough.
    case inconclusive
}
