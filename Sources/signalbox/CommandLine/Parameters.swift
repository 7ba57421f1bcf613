/// A value that stands in its place on the command line.
@propertyWrapper struct Argument<Value: ParameterValue>: DeclaredParameter {
    fileprivate let box: Box<Value>
    private let name: String?

    /// `name` is what help calls it, when the property's own name is too general.
    init(_ help: String, name: String? = nil) {
        box = Box(help: help, initial: nil)
        self.name = name
    }

    var wrappedValue: Value { box.current }
    func parameter(label: String) -> Parameter { box.parameter(kind: .argument, label: name ?? label) }
}

/// A value that is given by name, `--name value` or `--name=value`; a `Bool` is given by name alone.
///
/// The name is the property's, `releasedAt` is `--released-at`.
@propertyWrapper struct Option<Value: ParameterValue>: DeclaredParameter {
    fileprivate let box: Box<Value>

    init(_ help: String) { box = Box(help: help, initial: nil) }
    init(wrappedValue: Value, _ help: String) { box = Box(help: help, initial: wrappedValue) }

    var wrappedValue: Value { box.current }
    func parameter(label: String) -> Parameter { box.parameter(kind: .option, label: label) }
}

/// Parameters that several commands share; kept as an ordinary property of theirs.
protocol ParameterGroup {
    init()
}

/// One parameter of a command, as parsing, help and completion see it.
struct Parameter {
    enum Kind { case argument, option }
    let kind: Kind
    /// `released-at` of an option, `ROUTE` of an argument.
    let name: String
    let help: String
    let shape: ParameterShape
    let placeholder: String
    let choices: [String]
    /// The value that holds when nothing is given, as text.
    let defaultText: String?
    /// Whether the command cannot run without it.
    let isRequired: Bool
    /// Gives the property its value.
    let bind: ([String]) throws(ValueError) -> Void

    /// `--released-at`, or `ROUTE`.
    var spelling: String { kind == .option ? "--\(name)" : name }

    /// `--released-at TIME`, or `ROUTE`.
    var signature: String { kind == .argument || shape == .flag ? spelling : "\(spelling) \(placeholder)" }
}

extension Parameter {
    /// The parameters that the properties of a value declare, in their order.
    static func declared(by value: Any) -> [Parameter] {
        Mirror(reflecting: value).children.flatMap { child -> [Parameter] in
            switch child.value {
            case let declared as any DeclaredParameter:
                [declared.parameter(label: String((child.label ?? "_").dropFirst()))]
            case let group as any ParameterGroup: declared(by: group)
            default: []
            }
        }
    }
}

/// What `@Argument` and `@Option` have in common.
protocol DeclaredParameter {
    func parameter(label: String) -> Parameter
}

/// Where the value lives: a command is made before its command line is read.
private final class Box<Value: ParameterValue> {
    let help: String
    let initial: Value?
    var value: Value?

    init(help: String, initial: Value?) {
        self.help = help
        self.initial = initial
    }

    var current: Value {
        guard let value = value ?? initial else { preconditionFailure("read before the command line was bound") }
        return value
    }

    func parameter(kind: Parameter.Kind, label: String) -> Parameter {
        let shape = Value.shape
        return Parameter(
            kind: kind, name: kind == .option ? kebabCase(label) : kebabCase(label).uppercased(), help: help,
            shape: shape,
            placeholder: Value.placeholder, choices: Value.choices,
            defaultText: shape == .required ? initial.map { "\($0)" } : nil,
            isRequired: Value.isNeeded && initial == nil,
            bind: { [self] texts throws(ValueError) in
                if texts.isEmpty, initial != nil { return }
                value = try Value.read(texts)
            })
    }

    /// `releasedAt` is `released-at`, and `minimumOS` is `minimum-os`.
    private func kebabCase(_ label: String) -> String {
        var name = ""
        var previous: Character?
        for character in label {
            if character.isUppercase, previous?.isLowercase == true { name += "-" }
            name += character.lowercased()
            previous = character
        }
        return name
    }
}
