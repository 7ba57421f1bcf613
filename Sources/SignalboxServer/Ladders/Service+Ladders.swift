import FlagEvaluation
import Rollouts
import RouteContract
import Storage
import Synchronization

extension Service {
    /// Takes every automatic ladder to the step that is due. Called every few seconds.
    ///
    /// Whether a ladder may go is decided again on the writer's thread, so a rollback that came in between wins.
    package func climb() { climb(at: now()) }

    /// The same at a time that is given.
    package func climb(at now: Int64) {
        turnRehearsals(at: now)
        let open = watch.open
        if !open.isEmpty { countStored(for: open) }
        let lastLook = lastLook.withLock { $0.look(at: now) }
        let configuration = snapshot.configuration
        let facts = Facts(units: watch.units)
        for route in configuration.routes.values.sorted(by: { $0.key < $1.key }) {
            guard let step = configuration.dueStep(of: route, facts: facts, lastLook: lastLook, at: now) else {
                continue
            }
            let change = ChangeRequest(
                command: .climb(route: route.key, lastLook: lastLook), actor: .engine,
                reason: "The gates of step \(step) passed.", now: now, facts: facts)
            store.change(judging: { try change.applied(to: $0, beside: $1) }) {
                [report = options.report, log = options.log] outcome in
                switch outcome {
                case .committed(let applied):
                    guard applied.audit != nil, let route = applied.configuration.routes[route.key] else { return }
                    log?.add(.info, "climb", ["route": .string(route.key), "step": .integer(Int64(route.step))])
                case .rejected(let error): report("climb_failed: \(route.key): \(error)")
                case .unknown(let error): report("climb_failed: \(route.key): \(error.code.rawValue)")
                }
            }
        }
    }

    /// Counts what was stored before this process began, or before a step waited for units.
    private func countStored(for open: Set<StartWatch.OpenRung>) {
        guard isCounting.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        let waiting = snapshot.configuration.routes.values.filter { $0.stage == .partialRollout }
        guard let since = waiting.map(\.stepSince).min() else {
            isCounting.store(false, ordering: .releasing)
            return
        }
        let watch = watch
        store.visitStarts(since: since) { start in
            watch.note(start, isNew: false) { 0 }
        } completion: { [self] outcome in
            if case .committed = outcome { watch.complete(open) }
            isCounting.store(false, ordering: .releasing)
        }
    }
}
