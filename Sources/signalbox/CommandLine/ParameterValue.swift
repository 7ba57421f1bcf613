/// What an `@Argument` or `@Option` property may hold.
protocol ParameterValue {
    static var shape: ParameterShape { get }
    /// Whether it must be given when there is no default.
    static var isNeeded: Bool { get }
    /// What stands for the value in help.
    static var placeholder: String { get }
    /// Every text that is accepted, when these can be counted.
    static var choices: [String] { get }
    /// Makes the value of the texts that were given; throws the reason why they do not fit.
    static func read(_ texts: [String]) throws(ValueError) -> Self
}

extension ParameterValue {
    static var isNeeded: Bool { shape == .required || shape == .repeated }
}

/// How often a parameter may be given, and with what.
enum ParameterShape {
    /// `--name` alone, or not at all.
    case flag
    /// Exactly once.
    case required
    /// At most once.
    case optional
    /// Once or more; with a default also not at all.
    case repeated
}

/// Why a text is not acceptable as a value: a phrase that follows the name of the parameter.
struct ValueError: Error, Equatable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// A value that is written as one text.
protocol SingleValue: ParameterValue {
    init(argument text: String) throws(ValueError)
}

extension SingleValue {
    static var shape: ParameterShape { .required }
    static var placeholder: String { "TEXT" }
    static var choices: [String] { [] }
    static func read(_ texts: [String]) throws(ValueError) -> Self {
        guard let text = texts.first else { throw ValueError("is needed") }
        return try Self(argument: text)
    }
}

extension Optional: ParameterValue where Wrapped: SingleValue {
    static var shape: ParameterShape { .optional }
    static var placeholder: String { Wrapped.placeholder }
    static var choices: [String] { Wrapped.choices }
    static func read(_ texts: [String]) throws(ValueError) -> Wrapped? {
        guard let text = texts.first else { return nil }
        return try Wrapped(argument: text)
    }
}

extension Array: ParameterValue where Element: SingleValue {
    static var shape: ParameterShape { .repeated }
    static var placeholder: String { Element.placeholder }
    static var choices: [String] { Element.choices }
    static func read(_ texts: [String]) throws(ValueError) -> [Element] {
        var elements: [Element] = []
        for text in texts { elements.append(try Element(argument: text)) }
        return elements
    }
}

extension Bool: ParameterValue {
    static var shape: ParameterShape { .flag }
    static var placeholder: String { "" }
    static var choices: [String] { [] }
    static func read(_ texts: [String]) -> Bool { !texts.isEmpty }
}

extension String: SingleValue {
    init(argument text: String) throws(ValueError) {
        guard !text.isEmpty else { throw ValueError("is empty") }
        self = text
    }
}

extension Int: SingleValue {
    static var placeholder: String { "N" }
    init(argument text: String) throws(ValueError) {
        guard let number = Int(text), number >= 0 else { throw ValueError("is '\(text)', not a whole number") }
        self = number
    }
}

extension SingleValue where Self: CaseIterable, Self: RawRepresentable, RawValue == String {
    static var choices: [String] { allCases.map(\.rawValue) }
    static var placeholder: String { choices.joined(separator: "|") }
    init(argument text: String) throws(ValueError) {
        guard let value = Self(rawValue: text) else {
            let hint =
                Suggestion.phrase(for: text, among: Self.choices)
                ?? "; it is one of \(Self.choices.joined(separator: ", "))"
            throw ValueError("is '\(text)'\(hint)")
        }
        self = value
    }
}
