extension Machine {
    /// Ends the evaluation: it has had its share of steps or memory.
    mutating func exhaust() -> Value {
        steps = -1
        return .null
    }

    /// How deeply containers that rules made may lie in one another.
    private static let deepest: UInt32 = 64

    private static func depth(of value: Value) -> UInt32 { value.node?.pointee.depth ?? 0 }

    /// An array of values.
    mutating func array(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        guard let nodes = arena.allocateNodes(count + 1) else { return exhaust() }
        var depth: UInt32 = 0
        for index in 0..<count {
            nodes[index + 1] = TapeNode(holding: values[index])
            depth = max(depth, Self.depth(of: values[index]))
        }
        return finished(nodes, .array, count: count, span: count + 1, holding: depth)
    }

    /// An object of values by names.
    mutating func object(_ members: [(name: Value, value: Value)]) -> Value {
        guard let nodes = arena.allocateNodes(members.count * 2 + 1) else { return exhaust() }
        var depth: UInt32 = 0
        for (index, member) in members.enumerated() {
            nodes[index * 2 + 1] = TapeNode(
                payload: member.name.payload, length: member.name.length,
                span: fingerprint(of: member.name.address, count: Int(member.name.length)), start: 0, stop: 0,
                kind: .key)
            nodes[index * 2 + 2] = TapeNode(holding: member.value)
            depth = max(depth, Self.depth(of: member.value))
        }
        return finished(nodes, .object, count: members.count, span: members.count * 2 + 1, holding: depth)
    }

    private mutating func finished(
        _ nodes: UnsafeMutablePointer<TapeNode>, _ kind: ValueKind, count: Int, span: Int, holding depth: UInt32
    ) -> Value {
        guard depth < Self.deepest else { return exhaust() }
        nodes[0] = TapeNode(kind, count: count, span: span, depth: depth + 1)
        return Value(nodes)
    }

    /// One array of the elements of arrays and of what is none.
    mutating func merge(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        var total = 0
        for index in 0..<count { total += values[index].kind == .array ? Int(values[index].length) : 1 }
        steps -= total
        guard steps >= 0, let nodes = arena.allocateNodes(total + 1) else { return exhaust() }
        var written = 0
        var depth: UInt32 = 0
        for index in 0..<count {
            let value = values[index]
            if value.kind == .array, let list = value.node {
                depth = max(depth, list.pointee.depth)
                for node in list.elements {
                    nodes[written + 1] = TapeNode(holding: Value(node))
                    written += 1
                }
            } else {
                nodes[written + 1] = TapeNode(holding: value)
                depth = max(depth, Self.depth(of: value))
                written += 1
            }
        }
        return finished(nodes, .array, count: written, span: written + 1, holding: depth)
    }

    // MARK: Loops

    /// Begins a loop, or gives what it is for nothing to work on.
    mutating func beginLoop(
        _ kind: LoopKind, over list: Value, initial: Value, at level: Int
    ) -> Value? {
        guard list.kind == .array, list.length > 0, let node = list.node else {
            switch kind {
            case .map, .filter: return array(stack, 0)
            case .reduce: return initial
            case .all, .some: return .false
            case .none: return .true
            }
        }
        var output: UnsafeMutablePointer<TapeNode>?
        if kind == .map || kind == .filter {
            output = arena.allocateNodes(Int(list.length) + 1)
            guard output != nil else { return exhaust() }
        }
        loops[level] = Loop(
            cursor: node + 1, remaining: list.length, output: output, written: 0, accumulator: initial, outer: element,
            depth: 0)
        element = elementValue(kind, level)
        return nil
    }

    /// What paths within the loop begin at.
    private mutating func elementValue(_ kind: LoopKind, _ level: Int) -> Value {
        let current = Value(loops[level].cursor)
        guard kind == .reduce else { return current }
        return object([
            (Value(literal: "current"), current), (Value(literal: "accumulator"), loops[level].accumulator),
        ])
    }

    /// Takes what the body gave for one element and goes on to the next, or gives the loop's value.
    mutating func endLoopTurn(_ kind: LoopKind, with value: Value, at level: Int) -> Value? {
        let loop = loops + level
        let isTruthy = value.isTruthy
        switch kind {
        case .map: Self.keep(value, in: loop)
        case .filter: if isTruthy { Self.keep(Value(loop.pointee.cursor), in: loop) }
        case .reduce: loop.pointee.accumulator = value
        case .all: if !isTruthy { return leaveLoop(loop, with: .false) }
        case .some: if isTruthy { return leaveLoop(loop, with: .true) }
        case .none: if isTruthy { return leaveLoop(loop, with: .false) }
        }
        loop.pointee.remaining -= 1
        if loop.pointee.remaining > 0, steps >= 0 {
            loop.pointee.cursor += Int(loop.pointee.cursor.pointee.span)
            element = elementValue(kind, level)
            return nil
        }
        switch kind {
        case .map, .filter:
            guard let output = loop.pointee.output else { return exhaust() }
            let written = loop.pointee.written
            return leaveLoop(
                loop,
                with: finished(output, .array, count: written, span: written + 1, holding: loop.pointee.depth))
        case .reduce: return leaveLoop(loop, with: loop.pointee.accumulator)
        case .all, .none: return leaveLoop(loop, with: .true)
        case .some: return leaveLoop(loop, with: .false)
        }
    }

    private static func keep(_ value: Value, in loop: UnsafeMutablePointer<Loop>) {
        loop.pointee.written += 1
        loop.pointee.output?[loop.pointee.written] = TapeNode(holding: value)
        loop.pointee.depth = max(loop.pointee.depth, depth(of: value))
    }

    private mutating func leaveLoop(_ loop: UnsafeMutablePointer<Loop>, with value: Value) -> Value {
        element = loop.pointee.outer
        return value
    }
}
