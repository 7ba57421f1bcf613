import RouteContract
import Testing

@Suite struct `Decoding` {
    let decoding = RouteDecoding<OrderRoute>(schemes: ["https", "shop"], hosts: ["shop.example"])

    func link(_ path: String, scheme: String = "https", host: String = "shop.example", v: [String] = []) -> Link {
        Link(scheme: scheme, host: host, path: path, query: v.map { Link.Parameter("v", $0) })
    }

    @Test(arguments: [
        ("/orders", OrderRoute.list), ("/orders/42", .detail(id: "42")),
        ("/orders/a_B-9/receipt", .receipt(id: "a_B-9")),
        ("/orders/42/support", .support(id: "42")),
    ])
    func `turns a path into its route`(_ path: String, _ route: OrderRoute) throws {
        #expect(try decoding.route(for: link(path)) == route)
        #expect(try decoding.route(for: link(path, scheme: "SHOP", host: "Shop.Example")) == route)
    }

    @Test(arguments: [
        "", "/", "orders", "//orders", "/orders/", "/orders//receipt", "/Orders", "/orders/42/refund",
        "/orders/42/receipt/",
        "/orders/42/receipt/1", "/orders;x", "/trips/7", "/orders/\(String(repeating: "a", count: 600))", "/\u{0}",
    ])
    func `knows no route for any other path`(_ path: String) {
        let error = #expect(throws: RouteError.self) { try decoding.route(for: link(path)) }
        // An empty id is a path with an empty part, which is an id that is none.
        #expect(error?.code == (path == "/orders/" || path == "/orders//receipt" ? .invalidID : .unknownRoute))
    }

    @Test(arguments: [
        ("http", "shop.example"), ("javascript", "shop.example"), ("https", "shop.example.evil.example"),
        ("https", "evil.shop.example"), ("https", "shop.example:443"), ("https", "user@shop.example"), ("https", ""),
        ("", "shop.example"), ("https", "shop.examp\u{217C}e"), ("http\u{17F}", "shop.example"),
        ("https", "\u{17F}hop.example"), ("https", "shop.example\u{0}"), ("https", "shop.example."),
    ])
    func `refuses what is not the app's own scheme and host`(_ scheme: String, _ host: String) {
        let error = #expect(throws: RouteError.self) {
            try decoding.route(for: link("/orders", scheme: scheme, host: host))
        }
        #expect(error?.code == .foreignLink)
    }

    @Test func `takes no character for another that compares equal to it`() {
        let decoding = RouteDecoding<OrderRoute>(schemes: ["https"], hosts: ["kiosk.example"])
        // The Kelvin sign is lower-cased to k.
        let error = #expect(throws: RouteError.self) {
            try decoding.route(for: link("/orders", host: "\u{212A}iosk.example"))
        }
        #expect(error?.code == .foreignLink)
    }

    @Test(arguments: ["%34%32", "4 2", "4.2", "é", "..", "'", "4\n", String(repeating: "a", count: 65)])
    func `refuses an id with other characters, or too many`(_ id: String) {
        let error = #expect(throws: RouteError.self) { try decoding.route(for: link("/orders/\(id)")) }
        #expect(error?.code == .invalidID)
    }

    @Test func `takes an id of 64 characters`() throws {
        let id = String(repeating: "a", count: 64)
        #expect(try decoding.route(for: link("/orders/\(id)")) == .detail(id: id))
    }

    @Test(arguments: [["2"], ["0"], ["-1"], [""], ["one"], ["99999999999999999999"], ["1", "1"]])
    func `refuses a version that this build does not read`(_ versions: [String]) {
        let error = #expect(throws: RouteError.self) { try decoding.route(for: link("/orders", v: versions)) }
        #expect(error?.code == .unsupportedVersion)
    }

    @Test func `takes the version that it reads, and parameters that mean nothing`() throws {
        #expect(try decoding.route(for: link("/orders", v: ["1"])) == .list)
        var tagged = link("/orders")
        tagged.query = [Link.Parameter("utm_source", "mail"), Link.Parameter("V", "9")]
        #expect(try decoding.route(for: tagged) == .list)
    }

    @Test func `turns a notification into its route`() throws {
        let notification = try decoding.notification([
            "notification": "n1", "route": "orders.detail", "id": "42", "v": "1", "badge": "3",
        ])
        #expect(notification.id == "n1")
        #expect(notification.route == .detail(id: "42"))
    }

    @Test(arguments: [
        ([:], RouteError.Code.invalidNotification),
        (["route": "orders.list"], .invalidNotification),
        (["notification": "", "route": "orders.list"], .invalidNotification),
        (["notification": "n 1", "route": "orders.list"], .invalidNotification),
        (["notification": "n1"], .unknownRoute),
        (["notification": "n1", "route": "trips.detail", "id": "7"], .unknownRoute),
        (["notification": "n1", "route": "orders.detail"], .invalidID),
        (["notification": "n1", "route": "orders.list", "id": "42"], .invalidID),
        (["notification": "n1", "route": "orders.detail", "id": "../1"], .invalidID),
        (["notification": "n1", "route": "orders.list", "v": "2"], .unsupportedVersion),
    ])
    func `refuses a notification that leads nowhere`(_ payload: [String: String], _ code: RouteError.Code) {
        let error = #expect(throws: RouteError.self) { try decoding.notification(payload) }
        #expect(error?.code == code)
    }

    @Test func `has an answer for any bytes at all`() {
        var random = SplitMix64(state: 42)
        let alphabet = Array("/orders42receiptsupport%.-_\u{0}é{}id?&=".unicodeScalars)
        func text() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            return String(text)
        }
        for _ in 0..<20_000 {
            do throws(RouteError) {
                let route = try decoding.route(
                    for: link("/orders" + text(), v: Bool.random(using: &random) ? [] : [text()]))
                #expect(route.id.map(OrderRoute.isValidID) ?? (route == .list))
            } catch {
                #expect(error.code != .foreignLink)
            }
        }
    }

    @Test func `gives every key its route, and every route its key`() {
        for key in OrderRoute.keys {
            let routes = [OrderRoute(key: key, id: nil), OrderRoute(key: key, id: "1")].compactMap(\.self)
            #expect(routes.map(\.key) == [key])
        }
        for key in TripRoute.keys {
            let routes = [TripRoute(key: key, id: nil), TripRoute(key: key, id: "1")].compactMap(\.self)
            #expect(routes.map(\.key) == [key])
        }
        #expect(Set(OrderRoute.links.map(\.key)) == Set(OrderRoute.keys))
        #expect(Set(TripRoute.links.map(\.key)) == Set(TripRoute.keys))
    }
}

/// Random numbers that are the same in every run.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
