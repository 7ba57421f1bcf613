import RouteContract

/// What one sweep did.
package struct SweepReport: Hashable, Sendable {
    /// Segments, outcomes and conflicts that are gone.
    package let deletedRows: Int
    /// Set when nothing was deleted, because more than a tenth of the journeys that were live would have been.
    package let refusal: SweepRefusal?
}

/// Why a sweep deleted nothing.
package struct SweepRefusal: Hashable, Sendable {
    /// Journeys that had not expired when the store was last swept.
    package let live: Int
    /// Those of them that would have been deleted.
    package let affected: Int
}

extension Store {
    /// Deletes journeys whose ids are older than any that is accepted, in slices between other work.
    ///
    /// A clock that jumped ahead would make all journeys look old. So the time of the last sweep is remembered, and when
    /// more than a tenth of what was live then would go, nothing does, until a person says so with `isConfirmed`. A time
    /// that jumped is not remembered while there is no journey to judge it by: it would be believed from then on.
    package func sweep(
        at now: Int64, isConfirmed: Bool = false, completion: @escaping @Sendable (StoreOutcome<SweepReport>) -> Void
    ) {
        let sweep = Sweep(now: now)
        if isConfirmed { return write(.sweep(sweep, completion)) }
        read(completion) { reader in
            SweepCaution(sweep: sweep, completion: completion) { self.write(.sweep($0, completion)) }.begin(on: reader)
        }
    }
}

/// Finds out, before a sweep, whether its time of day can be believed.
private struct SweepCaution: Sendable {
    let sweep: Sweep
    let completion: @Sendable (StoreOutcome<SweepReport>) -> Void
    let goAhead: @Sendable (Sweep) -> Void

    /// Whatever is older than the longest lifetime before the last sweep had expired by then.
    private static let longestLifetimeMilliseconds: Int64 = 7 * 86_400_000

    func begin(on reader: Reader) {
        do {
            let sweptAt = try reader.environment.sweptAt(on: &reader.connection)
            let earliest = sweptAt.subtractingReportingOverflow(Self.longestLifetimeMilliseconds).partialValue
            let first = JourneyID.first(at: earliest)
            // The usual case: nothing that this sweep may delete was live at the last one.
            if sweep.firstKept <= first { return goAhead(sweep) }
            count(after: first, sweptAt: sweptAt, live: 0, affected: 0, on: reader)
        } catch {
            completion(.rejected(error))
        }
    }

    private func count(after id: JourneyID, sweptAt: Int64, live: Int, affected: Int, on reader: Reader) {
        do {
            let slice = try reader.slice(after: id)
            let counted = try reader.countUnexpired(in: slice, at: sweptAt, before: sweep.firstKept)
            let live = live + counted.all
            let affected = affected + counted.affected
            guard let last = slice.last else { return decide(live: live, affected: affected) }
            reader.goOn { count(after: last, sweptAt: sweptAt, live: live, affected: affected, on: $0) }
        } catch {
            completion(.rejected(error))
        }
    }

    private func decide(live: Int, affected: Int) {
        if affected * 10 > live {
            let refusal = SweepRefusal(live: live, affected: affected)
            completion(.committed(SweepReport(deletedRows: 0, refusal: refusal)))
        } else {
            var sweep = sweep
            sweep.isBelieved = live > 0
            goAhead(sweep)
        }
    }
}
