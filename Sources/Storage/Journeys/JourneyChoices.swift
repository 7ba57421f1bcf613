import RouteContract

/// The frozen choices of a journey in the form in which they are stored: `trips.edit=migrated/share;trips=legacy/stage`.
///
/// Text, so that a row can be read in any SQLite shell, and so that counting journeys by choice is a GROUP BY.
package struct JourneyChoices: Hashable, Sendable {
    /// UTF-8.
    package private(set) var text: [UInt8] = []

    package init() {}

    package init(_ choices: some Sequence<(route: String, choice: Choice)>) {
        for (route, choice) in choices { append(choice, for: route) }
    }

    /// What was stored.
    init(text: [UInt8]) { self.text = text }

    /// Adds a route that has no choice yet. Route keys contain none of `=`, `/` and `;`.
    package mutating func append(_ choice: Choice, for route: String) {
        if !text.isEmpty { text.append(UInt8(ascii: ";")) }
        text.append(contentsOf: route.utf8)
        text.append(UInt8(ascii: "="))
        text.append(contentsOf: choice.renderer.rawValue.utf8)
        text.append(UInt8(ascii: "/"))
        text.append(contentsOf: choice.reason.rawValue.utf8)
    }

    /// Every route with its choice, in the order in which they were added; nil when the text is not of that form.
    package var all: [(route: String, choice: Choice)]? {
        var choices: [(route: String, choice: Choice)] = []
        for part in text.split(separator: UInt8(ascii: ";")) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                let slash = part.lastIndex(of: UInt8(ascii: "/")), equals < slash,
                let renderer = Renderer(rawValue: String(decoding: part[(equals + 1)..<slash], as: UTF8.self)),
                let reason = ChoiceReason(rawValue: String(decoding: part[(slash + 1)...], as: UTF8.self))
            else { return nil }
            let route = String(decoding: part[..<equals], as: UTF8.self)
            choices.append((route, Choice(renderer: renderer, reason: reason)))
        }
        return choices
    }

    /// The choice of one route; nil when it has none.
    package subscript(route: String) -> Choice? { all?.first { $0.route == route }?.choice }
}
