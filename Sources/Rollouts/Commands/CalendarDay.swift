/// A day of the Gregorian calendar, in UTC.
package struct CalendarDay: Comparable {
    private let year: Int
    private let month: Int
    private let day: Int

    /// Reads `YYYY-MM-DD`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let length =
            switch month {
            case 2: isLeap ? 29 : 28
            case 4, 6, 9, 11: 30
            case 1...12: 31
            default: 0
            }
        guard day >= 1, day <= length else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day of a time in milliseconds since 1970.
    ///
    /// Years are counted from March, so that the leap day is the last of its year. Source: H. Hinnant,
    /// "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    package init(of milliseconds: Int64) {
        let days = Int(milliseconds / 86_400_000) + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = era * 400 + yearOfEra + (shifted < 10 ? 0 : 1)
    }

    /// `YYYY-MM-DD`
    package var text: String {
        let digits = [(year, 4), (month, 2), (day, 2)].map { number, width in
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }
        return digits.joined(separator: "-")
    }

    package static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
