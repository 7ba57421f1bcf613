import FlagEvaluation
import Rollouts
import RouteContract
import Storage

extension Service {
    /// Writes down what the clock has done to rehearsals, and keeps what was measured as evidence.
    func turnRehearsals(at now: Int64) {
        for route in snapshot.configuration.routes.values.sorted(by: { $0.key < $1.key }) {
            guard let rehearsal = route.rehearsal, rehearsal.isDue(at: now) else { continue }
            let change = ChangeRequest(
                command: .turnRehearsal(route: route.key), actor: .engine,
                reason: rehearsal.isBack ? "The rehearsal is over." : "The rehearsal flips back.", now: now)
            store.change(judging: { try change.applied(to: $0, beside: $1) }) { [self] outcome in
                guard let applied = outcome.value else {
                    return options.report("rehearsal_failed: \(route.key) could not be turned")
                }
                guard rehearsal.isBack, applied.audit != nil else { return }
                guard let measured = rehearsals.take(route) else {
                    return options.report("rehearsal_lost: nothing was measured of \(route.key); rehearse again")
                }
                record(measured, of: route, at: now)
            }
        }
    }

    private func record(_ measured: RehearsalWatch.Measured, of route: RouteRollout, at now: Int64) {
        let findings = measured.findings()
        if findings.isEmpty { options.report("rehearsal_empty: no journey of the cohort met \(route.key)") }
        for (build, finding, artefact) in findings {
            recordRehearsal(of: route, in: build, artefact, finding: finding, at: now) {
                [report = options.report] outcome in
                if outcome.value == nil { report("rehearsal_not_stored: \(route.key) in \(build.text)") }
            }
        }
    }
}
