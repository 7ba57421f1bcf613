import Foundation
import RouteContract
import Testing

/// What releases of the app have stored. Add one for every version of the stored form; never change one.
private enum Fixtures {
    static let version1 = """
        [
          {
            "schema": 1,
            "journey": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
            "route": {"key": "orders.receipt", "id": "42"},
            "time": 1645557742500
          },
          {
            "schema": 1,
            "journey": "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
            "route": {"key": "orders.list"},
            "time": 1645557743000
          }
        ]
        """
}

@Suite struct `A restoration record` {
    let journey = JourneyID(milliseconds: 1_645_557_742_000, randomA: 0xCC3, randomB: 0x18C4_DC0C_0C07_398F)

    @Test func `of every release is still read`() throws {
        let records = try JSONDecoder().decode(
            [RestorationRecord<OrderRoute>].self, from: Data(Fixtures.version1.utf8))
        #expect(
            records == [
                RestorationRecord(journey: journey, route: .receipt(id: "42"), time: 1_645_557_742_500),
                RestorationRecord(journey: journey, route: .list, time: 1_645_557_743_000),
            ])
    }

    @Test(arguments: [TripRoute.tripDetail(id: "7"), .editTrip(id: "7")])
    func `is read as it was written`(_ route: TripRoute) throws {
        let record = RestorationRecord(journey: journey, route: route, time: 5)
        let data = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(RestorationRecord<TripRoute>.self, from: data) == record)
        let stored = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(stored["schema"] as? Int == 1)
        #expect(stored["route"] as? [String: String] == ["key": route.key, "id": "7"])
    }

    @Test(arguments: [
        (#"{"key":"orders.gone","id":"1"}"#, 1, RouteError.Code.unknownRoute),
        (#"{"key":"orders.detail"}"#, 1, .invalidID),
        (#"{"key":"orders.detail","id":"../1"}"#, 1, .invalidID), (#"{"anything":true}"#, 2, .unsupportedVersion),
        (#"{"key":"orders.list"}"#, 0, .unsupportedVersion),
    ])
    func `that this build cannot follow says why`(_ route: String, _ schema: Int, _ code: RouteError.Code) {
        let text = #"{"schema":\#(schema),"journey":"\#(journey)","route":\#(route),"time":1}"#
        let error = #expect(throws: RouteError.self) {
            try JSONDecoder().decode(RestorationRecord<OrderRoute>.self, from: Data(text.utf8))
        }
        #expect(error?.code == code)
    }
}
