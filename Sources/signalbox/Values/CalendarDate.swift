/// A day of the Gregorian calendar, `2026-03-01`.
struct CalendarDate: SingleValue, Comparable {
    static let placeholder = "DATE"
    /// Days since 1 January 1970.
    let daysSince1970: Int

    init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    init(argument text: String) throws(ValueError) {
        guard let date = CalendarDate(text) else { throw ValueError("is '\(text)', not a day such as 2026-03-01") }
        self = date
    }

    /// Reads `YYYY-MM-DD`; nil when there is no such day.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month, day: day)
        // 31 April would have become 1 May.
        guard text == self.text else { return nil }
    }

    /// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil.
    private init(year: Int, month: Int, day: Int) {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince1970 = era * 146_097 + dayOfEra - 719_468
    }

    /// `YYYY-MM-DD`. Source: the same, civil_from_days.
    var text: String {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, 2))"
    }

    static func < (left: CalendarDate, right: CalendarDate) -> Bool { left.daysSince1970 < right.daysSince1970 }
}
