/// A screen without a display: what it would show, and what a user could do there.
///
/// Both entries of a reference flow make these, so that one suite of tests runs against the two.
@MainActor
public final class HeadlessScreen {
    private let read: @MainActor () -> ScreenContents
    private let act: @MainActor (String, String) -> Void

    /// A screen over whatever an entry keeps its state in.
    ///
    /// - Parameters:
    ///   - read: what the screen shows now.
    ///   - act: does an action, by its name, with the text that was typed.
    public init(
        read: @escaping @MainActor () -> ScreenContents, act: @escaping @MainActor (String, String) -> Void
    ) {
        self.read = read
        self.act = act
    }

    /// What the screen shows now.
    public var contents: ScreenContents { read() }

    /// Does what a user does.
    ///
    /// - Parameters:
    ///   - action: one of the actions that the contents list.
    ///   - text: for an action that takes one, as a field does.
    /// - Returns: false, with nothing done, when the screen does not offer the action now.
    @discardableResult
    public func perform(_ action: String, _ text: String = "") -> Bool {
        guard contents.actions.contains(action) else { return false }
        act(action, text)
        return true
    }
}

/// What a screen shows at one moment.
public struct ScreenContents: Hashable, Sendable {
    /// The title in the bar.
    public var title: String
    /// The lines of the screen, the first one topmost.
    public var lines: [String]
    /// The names of what can be done now: `save`, `open 42`.
    public var actions: [String]

    /// The contents of a screen.
    public init(title: String, lines: [String], actions: [String]) {
        self.title = title
        self.lines = lines
        self.actions = actions
    }
}
