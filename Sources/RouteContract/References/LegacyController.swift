/// What a legacy screen is made of: an object that is changed from outside and that redraws itself.
@MainActor
class LegacyController {
    var title = ""
    var lines: [String] = []
    private var buttons: [(name: String, whenTapped: @MainActor (String) -> Void)] = []

    /// Draws everything again from the model. Subclasses fill ``title``, ``lines`` and the buttons.
    func redraw() {
        lines = []
        buttons = []
    }

    /// Adds a button; of a field, the closure gets the text.
    final func add(_ name: String, whenTapped: @escaping @MainActor (String) -> Void) {
        buttons.append((name, whenTapped))
    }

    /// This controller, as the platform shows it. The screen holds the controller.
    final var screen: HeadlessScreen {
        HeadlessScreen {
            self.redraw()
            return ScreenContents(title: self.title, lines: self.lines, actions: self.buttons.map(\.name))
        } act: { name, text in
            self.buttons.first { $0.name == name }?.whenTapped(text)
        }
    }
}
