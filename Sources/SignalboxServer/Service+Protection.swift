import Storage

extension Service {
    /// Why nothing is stored; nil when all is well. Flags are evaluated all the same.
    package var storeFailure: StoreError? { store.health.failure }

    /// Walks the audit in the background, as a start does. `report` gets a line when it is not what it was.
    package func verifyAudit(reportingTo report: @escaping @Sendable (String) -> Void) {
        store.verifyAuditAndAnchor { outcome in
            switch outcome {
            case .committed(let verdict):
                if let fault = verdict.fault { report("audit_cut: \(fault) Nothing is stored until it is cleared up.") }
            case .rejected(let error): report("audit_not_verified: \(error)")
            case .unknown(let error): report("audit_not_verified: \(error.message)")
            }
        }
    }

    /// Writes down outside the database how far it has come. `report` gets a line when that fails.
    package func writeAnchor(reportingTo report: @escaping @Sendable (String) -> Void) {
        store.writeAnchor { outcome in
            switch outcome {
            case .committed: return
            case .rejected(let error): report("anchor_not_written: \(error)")
            case .unknown(let error): report("anchor_not_written: \(error.message)")
            }
        }
    }
}
