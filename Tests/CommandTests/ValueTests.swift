import FlagEvaluation
import Testing

@testable import signalbox

@Suite struct `A share` {
    @Test(arguments: [
        ("0", 0), ("1000", 1_000), ("100000", 100_000), ("5%", 5_000), ("0.5%", 500), ("0.05%", 50), ("0.001%", 1),
        ("12.345%", 12_345), ("100%", 100_000), ("100.000%", 100_000), ("0%", 0), ("33.3%", 33_300),
    ])
    func `is a part of 100000`(text: String, units: Int) throws {
        #expect(try Share(argument: text).units == units)
    }

    @Test(arguments: [
        "", "%", "-1", "+5", "5 %", "0.5", "100001", "101%", "100.001%", "5.%", ".5%", "0.0005%", "5,5%", "5%%", "1e3",
        "٥", "1.2.3%", "99999999999999999999", "99999999999999999999%",
    ])
    func `is refused in any other form`(text: String) {
        #expect(throws: ValueError.self) { try Share(argument: text) }
    }

    @Test(arguments: [
        ("50", "write 50% or 0.05%"), ("1", "write 1% or 0.001%"), ("100", "write 100% or 0.1%"),
        ("999", "write 0.999%"),
    ])
    func `is not a small bare number, which was meant in per cent`(text: String, hint: String) {
        let error = #expect(throws: ValueError.self) { try StepText(argument: "staff=\(text)") }
        #expect(error?.reason.hasSuffix(hint) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [(0, "0%"), (1, "0.001%"), (500, "0.5%"), (5_000, "5%"), (12_345, "12.345%"), (100_000, "100%")])
    func `is shown in per cent`(units: Int, text: String) {
        #expect(Share(units: units).text == text)
    }

    @Test func `may be given to a cohort`() throws {
        let step = try StepText(argument: "internal=50%")
        #expect(step.cohort == "internal")
        #expect(step.share.units == 50_000)
        #expect(try StepText(argument: "5%").cohort == nil)
        for text in ["=5%", "a b=5%", "internal=", "internal=5%=6%"] {
            #expect(throws: ValueError.self) { try StepText(argument: text) }
        }
    }
}

@Suite struct `A time` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2026-03-01T09:30:00.250Z", 1_772_357_400_250), ("2026-03-01T09:30:00.1Z", 1_772_357_400_100),
        ("2026-03-01T11:30:00+02:00", 1_772_357_400_000), ("1969-12-31T23:59:59Z", -1_000),
        ("2026-03-01", 1_772_323_200_000),
    ])
    func `is read from RFC 3339`(text: String, milliseconds: Int64) throws {
        #expect(try Timestamp(argument: text).milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "yesterday", "2026-3-1", "2026-02-29", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T09:60:00Z", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z", "2026-03-01T09:30:00+2:00",
        "2026-03-01T09:30:00.Z", "2026-03-01T09:30:00+24:00", "2026-03-01T-9:30:00Z",
    ])
    func `is refused in any other form`(text: String) {
        #expect(throws: ValueError.self) { try Timestamp(argument: text) }
    }

    @Test func `to come is not now, and its error does not suggest so`() throws {
        #expect(try Deadline(argument: "2027-03-01").moment.text == "2027-03-01T00:00:00Z")
        let error = #expect(throws: ValueError.self) { try Deadline(argument: "now") }
        #expect(error?.reason == "is 'now'; write a day such as 2027-03-01, or a time such as 2027-03-01T09:30:00Z")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_772_357_400_250, "2026-03-01T09:30:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
    ])
    func `is shown to the second, in UTC`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test(arguments: [Int64.min, .min + 1, .max])
    func `of any size can be shown`(milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).text.hasSuffix("Z"))
    }

    @Test(arguments: [(5, "5 s"), (125, "2 min"), (3 * 3_600, "3 h"), (5 * 86_400, "5 d")])
    func `has an age`(seconds: Int64, age: String) {
        #expect(Timestamp(milliseconds: 0).age(at: Timestamp(milliseconds: seconds * 1_000)) == age)
    }

    @Test func `may be a length instead`() throws {
        for (text, seconds) in [("90s", 90), ("30m", 1_800), ("24h", 86_400), ("7d", 604_800)] {
            #expect(try Lifetime(argument: text).seconds == seconds)
            #expect(Lifetime(seconds: seconds).text == (text == "24h" ? "1d" : text))
        }
        for text in ["", "d", "0h", "-1h", "1.5h", "24", "24 h", "999999999d"] {
            #expect(throws: ValueError.self) { try Lifetime(argument: text) }
        }
    }
}

@Suite struct `The id of a journey` {
    @Test func `is another each time, and now`() throws {
        let before = Timestamp.now.milliseconds
        let ids = (0..<1_000).map { _ in UUIDv7.minted().text }
        #expect(Set(ids).count == ids.count)
        for text in ids {
            #expect(try UUIDv7(argument: text).text == text)
            let minted = try #require(Int64(text.split(separator: "-").prefix(2).joined(), radix: 16))
            #expect((before...Timestamp.now.milliseconds).contains(minted))
        }
    }

    @Test(arguments: [
        "", "x", "0123456789ab7fffbfffffffffffffff", "01234567-89ab-4fff-bfff-ffffffffffff",
        "01234567-89ab-7fff-cfff-ffffffffffff", "01234567-89ab-7fff-bfff-fffffffffffg",
        "01234567-89ab-7fff-bfff-ffffffffffff0",
    ])
    func `is refused in any other form`(text: String) {
        #expect(throws: ValueError.self) { try UUIDv7(argument: text) }
    }
}

@Suite struct `A number in a range` {
    @Test(arguments: [("0", 0), ("1000000", 1_000_000)])
    func `is taken at both ends`(text: String, number: Int) throws {
        #expect(try RequestLimit(argument: text).number == number)
    }

    @Test(arguments: ["-1", "1000001", "", "x", "1.5", "99999999999999999999"])
    func `is refused with its ends`(text: String) {
        #expect(throws: ValueError("is '\(text)'; write a number from 0 to 1000000")) {
            try RequestLimit(argument: text)
        }
    }
}

@Suite struct `A unit made of the app's own id` {
    /// Computed with Python: `base64.urlsafe_b64encode(hmac.new(salt, id, "sha256").digest()[:16]).rstrip(b"=")`.
    @Test(arguments: [
        ("device-1", "salt", "yiDwXqfNnP2tlWgJnBbgcA"),
        ("Zoë", "0123456789abcdef", "kmGghFzsu_uqG0_jlI13ug"),
        ("", "salt", "N51_eWb0AMtuPAssykv4og"),
    ])
    func `is the same as every client makes it`(rawUnit: String, salt: String, unit: String) {
        #expect(UnitHash.unit(forRawUnit: rawUnit, salt: Array(salt.utf8)) == unit)
    }
}

@Suite struct `The renderers of a route` {
    @Test func `are read from one text`() throws {
        let both = try RouteRenderers(argument: "trips.edit=legacy,migrated")
        #expect(both.route == "trips.edit")
        #expect(try RouteRenderers.json([both]) == ["trips.edit": ["legacy", "migrated"]])
    }

    @Test(arguments: [
        "trips.edit", "trips.edit=", "=legacy", "a=legacy,", "a=new", "a=legacy,legacy", "a=legacy=migrated",
    ])
    func `are refused in any other form`(text: String) {
        #expect(throws: ValueError.self) { try RouteRenderers(argument: text) }
    }
}
