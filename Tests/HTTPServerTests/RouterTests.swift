import Testing

@testable import HTTPServer

@Suite struct `A router` {
    private func text(_ response: Response) -> String { String(decoding: response.body, as: UTF8.self) }

    /// Answers with the pattern that matched and its parameters.
    private func router(_ routes: [(Method, String)]) -> Router {
        var list = Routes()
        for (method, pattern) in routes {
            list.add(method, pattern) { request in
                let names = request.router.parameterNames(of: request.routeIndex)
                let values = names.map { "\($0)=\(request.parameter($0))" }
                let answer = ([pattern] + values).joined(separator: " ")
                return .now(Response(status: 200, contentType: .text, body: Array(answer.utf8)))
            }
        }
        return Router(list, errors: .testing)
    }

    @Test(arguments: [
        ("/", "/"), ("/v1/routes", "/v1/routes"), ("/v1/routes/orders.detail", "/v1/routes/:key key=orders.detail"),
        ("/v1/routes/export", "/v1/routes/export"), ("/v1/routes/exports", "/v1/routes/:key key=exports"),
        ("/v1/routes/a/advance", "/v1/routes/:key/advance key=a"),
        ("/v1/routes/export/advance", "/v1/routes/:key/advance key=export"),
        ("/a/1/2/3", "/a/:x/:y/:z x=1 y=2 z=3"), ("/v1/routes/a%20b%C3%BC", "/v1/routes/:key key=a bü"),
        ("/v1/routes/a?x=/../", "/v1/routes/:key key=a"), ("/v1/routes/...", "/v1/routes/:key key=..."),
        ("/v1/routes/ü", "/v1/routes/:key key=ü"), ("/v1/routes/.well-known", "/v1/routes/:key key=.well-known"),
    ])
    func `finds the handler of a path, a literal before a parameter`(path: String, expected: String) async {
        let router = router([
            (.get, "/"), (.get, "/v1/routes"), (.get, "/v1/routes/:key"), (.get, "/v1/routes/export"),
            (.get, "/v1/routes/:key/advance"), (.get, "/a/:x/:y/:z"),
        ])
        let response = await router.handle(.get, path)
        #expect(response.status == 200)
        #expect(text(response) == expected)
    }

    @Test(arguments: [
        "/v1", "/v1/", "/v1/routes/", "/V1/routes", "/v1/Routes", "/v1/%72outes", "/v1/routes/a/b/c", "/v1/route",
    ])
    func `finds nothing at a path that is not spelled exactly like a pattern`(path: String) async {
        let router = router([(.get, "/v1/routes"), (.get, "/v1/routes/:key")])
        let response = await router.handle(.get, path)
        #expect(response.status == 404)
        #expect(text(response).contains(#""code":"path_not_found""#))
    }

    @Test func `names the methods that a path takes`() async {
        let router = router([(.get, "/a/:x"), (.put, "/a/:x"), (.delete, "/a/b"), (.post, "/c")])
        let all = await router.handle(.patch, "/a/b")
        #expect(all.status == 405)
        #expect(all.header("allow") == "GET, HEAD, PUT, DELETE")
        #expect(await router.handle(.get, "/c").header("Allow") == "POST")
        #expect(await router.handle(.head, "/c").status == 405)
        // The literal has no PUT, the parameter has.
        #expect(text(await router.handle(.put, "/a/b")) == "/a/:x x=b")
        #expect(await router.handle(.head, "/a/1").status == 200)
    }

    @Test(arguments: [
        "", "x", "v1/routes", "//", "//v1", "/v1//routes", "/./v1", "/v1/.", "/v1/..", "/v1/../admin", "/v1/./a",
        "/v1/%2e", "/v1/%2E%2e/a", "/v1/a%2eb", "/v1/a%2fb", "/v1/a%2Fb", "/v1/a%5cb", "/v1/a%5Cb", "/v1/a\\b",
        "/v1/%00", "/v1/a%0ab", "/v1/%7f", "/v1/%", "/v1/%1", "/v1/%zz", "/v1/%2", "/v1/a%+1", "/v1/ a", "/v1/a\u{0}b",
        "/v1/%ff", "/v1/%c3", "/v1/%c0%af", "/v1/%ed%a0%80", "/v1/%f4%90%80%80", "/..%2f", "/%2e%2e/admin",
    ])
    func `refuses a path that could mean something else`(path: String) async {
        let router = router([(.get, "/v1/:a"), (.get, "/v1/:a/:b"), (.get, "/admin")])
        let response = await router.handle(.get, path)
        #expect(response.status == 400)
        #expect(text(response).contains(#""code":"malformed_path""#))
    }

    @Test func `refuses a path that is not UTF-8`() async {
        let router = router([(.get, "/v1/:a")])
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80]] {
            #expect(await router.handle(.get, target: Array("/v1/".utf8) + bytes).status == 400)
        }
    }

    @Test func `reads the query`() async {
        var routes = Routes()
        routes.get("/q") { request in
            let values = ["a", "b", "c", "d", "e f"].map { request.query($0) ?? "nil" }
            return .now(Response(status: 200, contentType: .text, body: Array(values.joined(separator: "|").utf8)))
        }
        let router = Router(routes, errors: .testing)
        #expect(text(await router.handle(.get, "/q?a=1&b=&c&a=2&e+f=x+y%2B%26")) == "1|||nil|x y+&")
        #expect(text(await router.handle(.get, "/q?")) == "nil|nil|nil|nil|nil")
        for query in ["a=%", "a=%4", "%xx=1", "a=%00", "a=%FF%FE", "a=%C3%28", "a=%ED%A0%80", "%80=1"] {
            let response = await router.handle(.get, "/q?\(query)")
            #expect(response.status == 400)
            #expect(text(response).contains("malformed_query"))
        }
    }

    @Test func `holds each route to its body limit`() async {
        let router = Router(TestServer.routes(), errors: .testing, defaultBodyLimit: 100)
        #expect(await router.handle(.post, "/small", body: "1234567890").status == 200)
        #expect(await router.handle(.post, "/small", body: "12345678901").status == 413)
        #expect(await router.handle(.post, "/echo", body: [UInt8](repeating: 0, count: 100)).status == 200)
        #expect(await router.handle(.post, "/echo", body: [UInt8](repeating: 0, count: 101)).status == 413)
        #expect(await router.handle(.post, "/large", body: [UInt8](repeating: 0, count: 1_048_576)).status == 200)
    }

    @Test func `turns what a handler throws into an answer`() async {
        let response = await Router(TestServer.routes(), errors: .testing).handle(.get, "/throw")
        #expect(response.status == 500)
        #expect(text(response).contains("it broke"))
    }

    @Test func `shows the request to the handler`() async {
        let router = Router(TestServer.routes(), errors: .testing)
        let response = await router.handle(.get, "/seen/a%2Db?q=1", headers: [("x-seen", "yes")])
        #expect(text(response) == "a-b|1|yes|127.0.0.1")
    }

    @Test func `lists its routes`() {
        let router = Router(TestServer.routes(), errors: .testing)
        #expect(router.routes.first?.pattern == "/hello")
        #expect(router.routes.contains { $0.method == .get && $0.parameterNames == ["name"] })
    }

    @Test func `waits for the answer to a parked request`() async {
        let parked = ParkedRequests()
        let router = Router(TestServer.routes(parked), errors: .testing)
        async let response = router.handle(.post, "/park")
        let request = await parked.next()
        request.complete(with: Response(status: 202))
        request.complete(with: Response(status: 500))
        #expect(await response.status == 202)
    }

    @Test func `answers 500 for a request that nobody will answer`() async {
        var routes = Routes()
        routes.get("/dropped") { request in
            _ = request.park()
            return .later
        }
        routes.get("/forgotten") { _ in .later }
        let router = Router(routes, errors: .testing)
        for path in ["/dropped", "/forgotten"] {
            let response = await router.handle(.get, path)
            #expect(response.status == 500)
            #expect(text(response).contains("unanswered"))
        }
    }
}

@Suite struct `A response` {
    @Test func `cannot be split by the value of a header`() {
        let response = Response(status: 200).addingHeader("X-A", "1\r\nX-B: 2\u{0}\u{7f}")
        #expect(response.header("x-a") == "1X-B: 2")
        #expect(response.header("X-B") == nil)
    }
}
