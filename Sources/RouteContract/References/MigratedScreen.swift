extension HeadlessScreen {
    /// What a migrated screen is made of: a state, what it looks like, and how an action changes it.
    convenience init<State, R: Route, O: Outcome>(
        state: State, onEvent: @escaping @MainActor (ScreenEvent<R, O>) -> Void,
        body: @escaping @MainActor (State) -> ScreenContents,
        reduce: @escaping @MainActor (inout State, String, String) -> ScreenEvent<R, O>?
    ) {
        let box = StateBox(state)
        self.init {
            body(box.state)
        } act: { action, text in
            // Told only after the state was written: who hears of it may look at the screen.
            if let event = reduce(&box.state, action, text) { onEvent(event) }
        }
    }
}

@MainActor
private final class StateBox<State> {
    var state: State

    init(_ state: State) { self.state = state }
}
