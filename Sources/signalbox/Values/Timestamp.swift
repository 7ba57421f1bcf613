#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A moment, in milliseconds since 1970, UTC. Written `2026-03-01T09:30:00Z`, `2026-03-01` or `now`.
struct Timestamp: SingleValue, Equatable {
    static let placeholder = "TIME"
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// What the clock says.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    init(argument text: String) throws(ValueError) {
        if text == "now" {
            self = .now
            return
        }
        guard let moment = Timestamp(text) else {
            throw ValueError(
                "is '\(text)'; write now, a day such as 2026-03-01, or a time such as 2026-03-01T09:30:00Z")
        }
        self = moment
    }

    /// Reads a time, or a day for its beginning in UTC.
    init?(_ text: String) {
        let day = CalendarDate(text).map { Int64($0.daysSince1970) * 86_400_000 }
        guard let milliseconds = day ?? Timestamp.read(text) else { return nil }
        self.milliseconds = milliseconds
    }

    /// RFC 3339 in UTC, to the second.
    var text: String {
        let seconds = floorDivided(milliseconds, by: 1_000)
        let day = CalendarDate(daysSince1970: Int(floorDivided(seconds, by: 86_400)))
        let second = Int(seconds - Int64(day.daysSince1970) * 86_400)
        let (hours, minutes, rest) = (second / 3_600, second / 60 % 60, second % 60)
        return "\(day.text)T\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(rest, 2))Z"
    }

    /// `5 d`, `3 h`, `12 min`: how long ago this was at another moment.
    func age(at now: Timestamp) -> String {
        let seconds = max(0, now.milliseconds / 1_000 - milliseconds / 1_000)
        if seconds >= 2 * 86_400 { return "\(seconds / 86_400) d" }
        if seconds >= 2 * 3_600 { return "\(seconds / 3_600) h" }
        return seconds >= 120 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    /// RFC 3339: date, `T`, time, at most milliseconds, `Z` or an offset.
    private static func read(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), let date = CalendarDate(text.prefix(10)),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var rest = bytes[19...]
        var thousandths = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard (1...9).contains(digits.count), let value = number(digits.prefix(3)) else { return nil }
            thousandths = value * [100, 10, 1][min(digits.count, 3) - 1]
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offsetMinutes(Array(rest)) else { return nil }
        let minutes = Int64(date.daysSince1970) * 1_440 + Int64(hour * 60 + minute - offset)
        return (minutes * 60 + Int64(second)) * 1_000 + Int64(thousandths)
    }

    private static func offsetMinutes(_ bytes: [UInt8]) -> Int? {
        if bytes == [UInt8(ascii: "Z")] { return 0 }
        guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]), hours < 24,
            let minutes = number(bytes[4..<6]), minutes < 60
        else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "+"): return hours * 60 + minutes
        case UInt8(ascii: "-"): return -(hours * 60 + minutes)
        default: return nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { sum, byte in
            sum.flatMap { (0x30...0x39).contains(byte) ? $0 * 10 + Int(byte - 0x30) : nil }
        }
    }
}

/// Rounds towards the past also before 1970, and does not overflow.
private func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}

/// The number with zeros before it.
func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
