/// What the look-up of a path found.
struct RouteMatch {
    var route = 0
    /// Start and end of up to four parameters in the path.
    var bounds = SIMD8<UInt16>()
    var parameterCount = 0

    func parameter(_ index: Int, of path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard index >= 0, index < parameterCount else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: path[Int(bounds[2 * index])..<Int(bounds[2 * index + 1])])
    }
}

/// The patterns of all routes as a tree of segments, laid out flat and never changed.
///
/// A literal segment goes before a parameter. If the literal leads nowhere, the parameter is tried.
struct RouteTable: Sendable {
    static let maximumParameters = 4

    private struct Node {
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0
        var parameterNode: Int32 = -1
        /// The route of each method; -1 for none.
        var routes = SIMD8<Int16>(repeating: -1)
    }

    private struct Edge {
        var textStart: Int32
        var textCount: Int32
        var node: Int32
    }

    private var nodes: [Node] = []
    private var edges: [Edge] = []
    private var text: [UInt8] = []

    init(_ routes: [Route]) {
        let root = Branch()
        for (index, route) in routes.enumerated() {
            precondition(route.pattern.first == "/", "a pattern starts with a slash: \(route.pattern)")
            precondition(route.parameterNames.count <= Self.maximumParameters, "too many parameters: \(route.pattern)")
            var branch = root
            for segment in route.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            where route.pattern != "/" {
                branch = branch.child(of: segment.hasPrefix(":") ? nil : String(segment))
            }
            precondition(branch.routes[route.method] == nil, "two routes for \(route.method.name) \(route.pattern)")
            branch.routes[route.method] = index
        }
        _ = lay(root)
    }

    private mutating func lay(_ branch: Branch) -> Int32 {
        let index = nodes.count
        nodes.append(Node())
        for (method, route) in branch.routes { nodes[index].routes[Int(method.rawValue)] = Int16(route) }
        let first = edges.count
        for (segment, _) in branch.literals {
            edges.append(Edge(textStart: Int32(text.count), textCount: Int32(segment.utf8.count), node: -1))
            text.append(contentsOf: segment.utf8)
        }
        nodes[index].firstEdge = Int32(first)
        nodes[index].edgeCount = Int32(branch.literals.count)
        for (offset, literal) in branch.literals.enumerated() { edges[first + offset].node = lay(literal.branch) }
        if let parameter = branch.parameter { nodes[index].parameterNode = lay(parameter) }
        return Int32(index)
    }

    enum Outcome {
        case found(RouteMatch)
        case methodNotAllowed(allowed: [Method])
        case notFound
    }

    /// Looks a checked path up. Allocates only for 405.
    func look(up path: UnsafeRawBufferPointer, for method: Method) -> Outcome {
        var match = RouteMatch()
        var seen: UInt8 = 0
        if descend(node: 0, from: 0, path, method, &match, &seen) { return .found(match) }
        guard seen != 0 else { return .notFound }
        return .methodNotAllowed(allowed: Method.allCases.filter { seen & (1 << $0.rawValue) != 0 })
    }

    /// `from` is the index of the slash before the next segment, or the end of the path.
    private func descend(
        node index: Int, from: Int, _ path: UnsafeRawBufferPointer, _ method: Method, _ match: inout RouteMatch,
        _ seen: inout UInt8
    ) -> Bool {
        let node = nodes[index]
        if from == path.count || (index == 0 && path.count == 1) { return finish(node, method, &match, &seen) }
        let start = from + 1
        var end = start
        while end < path.count, path[end] != 0x2F { end += 1 }
        // By index: a slice would count references on every level.
        for index in Int(node.firstEdge)..<Int(node.firstEdge + node.edgeCount) {
            let edge = edges[index]
            guard Int(edge.textCount) == end - start, isEqual(edge, path, start) else { continue }
            if descend(node: Int(edge.node), from: end, path, method, &match, &seen) { return true }
        }
        guard node.parameterNode >= 0, end > start, match.parameterCount < Self.maximumParameters,
            let first = UInt16(exactly: start), let last = UInt16(exactly: end)
        else { return false }
        match.bounds[2 * match.parameterCount] = first
        match.bounds[2 * match.parameterCount + 1] = last
        match.parameterCount += 1
        if descend(node: Int(node.parameterNode), from: end, path, method, &match, &seen) { return true }
        match.parameterCount -= 1
        return false
    }

    private func isEqual(_ edge: Edge, _ path: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        for offset in 0..<Int(edge.textCount) where text[Int(edge.textStart) + offset] != path[start + offset] {
            return false
        }
        return true
    }

    private func finish(_ node: Node, _ method: Method, _ match: inout RouteMatch, _ seen: inout UInt8) -> Bool {
        var route = node.routes[Int(method.rawValue)]
        if route < 0, method == .head { route = node.routes[Int(Method.get.rawValue)] }
        guard route < 0 else {
            match.route = Int(route)
            return true
        }
        for other in Method.allCases where node.routes[Int(other.rawValue)] >= 0 {
            seen |= 1 << other.rawValue
            if other == .get { seen |= 1 << Method.head.rawValue }
        }
        return false
    }
}

/// A node of the tree while it is being built.
private final class Branch {
    var literals: [(segment: String, branch: Branch)] = []
    var parameter: Branch?
    var routes: [Method: Int] = [:]

    func child(of segment: String?) -> Branch {
        guard let segment else {
            let branch = parameter ?? Branch()
            parameter = branch
            return branch
        }
        if let known = literals.first(where: { $0.segment == segment }) { return known.branch }
        let branch = Branch()
        literals.append((segment, branch))
        return branch
    }
}
