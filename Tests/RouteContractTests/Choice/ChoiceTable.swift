import Foundation
import RouteContract

/// The choice function as rows, made by asking it about every input and leaving out what makes no difference.
///
/// Every input matches exactly one row.
struct ChoiceTable {
    struct Row: Equatable {
        /// For each variable the places of the values that the row is for; nil when all are.
        var when: [[Int]?]
        var then: ChoiceResult?
    }

    private(set) var rows: [Row] = []

    /// A tree whose levels are the variables, in which equal subtrees are one node.
    private struct Node: Hashable {
        /// The child's number for each value of the variable.
        let children: [Int]
    }

    private var nodes: [Node] = []
    private var leaves: [ChoiceResult?] = []
    private var nodeNumbers: [Node: Int] = [:]
    private var leafNumbers: [ChoiceResult?: Int] = [:]

    init() {
        let root = number(of: ChoiceInput(), below: 0)
        collect(root, Row(when: Variable.all.map { _ in nil }, then: nil), level: 0)
    }

    private mutating func number(of input: ChoiceInput, below level: Int) -> Int {
        guard level < Variable.all.count else {
            let result = choose(input)
            if let known = leafNumbers[result] { return known }
            leafNumbers[result] = leaves.count
            leaves.append(result)
            return leaves.count - 1
        }
        var children: [Int] = []
        for value in Variable.all[level].values {
            var input = input
            value.set(&input)
            children.append(number(of: input, below: level + 1))
        }
        let node = Node(children: children)
        if let known = nodeNumbers[node] { return known }
        nodeNumbers[node] = nodes.count
        nodes.append(node)
        return nodes.count - 1
    }

    private mutating func collect(_ number: Int, _ row: Row, level: Int) {
        guard level < Variable.all.count else {
            rows.append(Row(when: row.when, then: leaves[number]))
            return
        }
        let children = nodes[number].children
        var seen: Set<Int> = []
        for child in children where seen.insert(child).inserted {
            var row = row
            let places = children.indices.filter { children[$0] == child }
            if places.count < children.count { row.when[level] = places }
            collect(child, row, level: level + 1)
        }
    }
}

extension ChoiceTable {
    /// The file's text: one row a line, so that a change of the function is a readable difference.
    var json: String {
        let inputs = Variable.all.map { variable in
            "    \(quoted(variable.name)): \(list(variable.values.map(\.word)))"
        }
        let lines = rows.map { row in
            let conditions = zip(Variable.all, row.when).compactMap { variable, places in
                places.map { "\(quoted(variable.name)): \(list($0.map { variable.values[$0].word }))" }
            }
            return "    {\"when\": {\(conditions.joined(separator: ", "))}, \"then\": \(text(of: row.then))}"
        }
        return """
            {
              "about": \(quoted(Self.about)),
              "inputs": {
            \(inputs.joined(separator: ",\n"))
              },
              "rows": [
            \(lines.joined(separator: ",\n"))
              ]
            }

            """
    }

    private static let about =
        "Which renderer a journey gets for a route. Each input has one of the values listed under inputs. A row "
        + "matches when each input that it names has one of the values it lists; inputs that it does not name may have "
        + "any. Exactly one row matches. then is the choice, {\"end\": true} when the journey ends, or null when the "
        + "build has neither renderer."

    private func text(of result: ChoiceResult?) -> String {
        switch result {
        case nil: "null"
        case .end: "{\"end\": true}"
        case .open(let choice):
            "{\"renderer\": \(quoted(choice.renderer.rawValue)), \"reason\": \(quoted(choice.reason.rawValue))}"
        }
    }

    private func list(_ words: [String]) -> String { "[\(words.map(quoted).joined(separator: ", "))]" }

    private func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }
}
