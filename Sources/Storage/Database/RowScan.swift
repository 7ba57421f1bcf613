/// Rows of an environment that were read one by one, and how many of them are not what was written.
struct RowScan {
    let environment: Int64
    private(set) var damaged: Int64 = 0

    init(of environment: Int64) { self.environment = environment }

    /// Counts the rows of `select`, which ends with its table.
    mutating func count(
        _ select: String, on connection: inout Connection, isSound: (Statement) -> Bool
    ) throws(StoreError) -> Int64 {
        let rows = try connection.statement("SELECT \(select) WHERE environment = ?")
        rows.bind(environment, at: 1)
        var count: Int64 = 0
        while try rows.step() {
            count += 1
            if !isSound(rows) { damaged += 1 }
        }
        return count
    }
}
