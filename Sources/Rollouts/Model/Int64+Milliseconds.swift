extension Int64 {
    /// From this time to a later one; 0 to an earlier one.
    func milliseconds(until end: Int64) -> Int64 {
        let (difference, isBeyond) = end.subtractingReportingOverflow(self)
        return isBeyond ? (self < end ? .max : 0) : Swift.max(0, difference)
    }
}
