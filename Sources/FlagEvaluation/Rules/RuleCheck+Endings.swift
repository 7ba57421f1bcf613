extension RuleCheck {
    /// Warns of literals that a flag's rule gives as its answer and that name no variant: evaluated, they are an error.
    ///
    /// What only evaluation can tell, and what cohorts give, is passed over.
    mutating func checkEndings(of rule: JSONValue, among variants: Set<String>, at path: JSONPointer) {
        switch RuleShape(rule) {
        case .data(.null), .unknownOperation: break
        case .data(.string(let name)) where variants.contains(name): break
        case .data(.bool(let value)) where variants.contains(value ? "true" : "false"): break
        case .data, .array: warn(.unknownVariant, at: path)
        case .operation(let known, let arguments, let isArray) where known == .condition || known == .ternary:
            let path = path.appending(known.rawValue)
            for (index, argument) in arguments.enumerated()
            where !index.isMultiple(of: 2) || index == arguments.count - 1 {
                checkEndings(of: argument, among: variants, at: isArray ? path.appending(index) : path)
            }
        case .operation(.fractional, let arguments, isArray: true):
            for (index, argument) in arguments.enumerated() {
                guard let variant = argument.array?.first else { continue }
                checkEndings(
                    of: variant, among: variants,
                    at: path.appending(Operator.fractional.rawValue).appending(index).appending(0))
            }
        case .operation: break
        }
    }
}
