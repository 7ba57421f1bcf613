import RouteContract

extension ParityRecorder {
    /// What a screen without a display shows: its title, its lines and its actions, in this order of focus.
    public mutating func capture(_ contents: ScreenContents, step: String) {
        element("title", label: contents.title, traits: ["header"], step: step)
        text("title", contents.title, step: step)
        for (index, line) in contents.lines.enumerated() {
            element("line.\(index + 1)", label: line, traits: ["staticText"], step: step)
            text("line.\(index + 1)", line, step: step)
        }
        for action in contents.actions {
            element("action.\(action)", label: action, traits: ["button"], actions: ["activate"], step: step)
        }
    }
}
