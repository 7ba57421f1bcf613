import Testing

@testable import Storage

@Suite struct `SHA-256` {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `gives the digests of FIPS 180`(text: String, digest: String) {
        var sha = SHA256()
        #expect(sha.digest(of: text).hexadecimal == digest)
        #expect(sha.digest(of: text) == SHA256Digest(hexadecimal: digest))
    }

    @Test func `with a key gives the codes of RFC 4231, one after the other`() {
        var first = HMACSHA256(key: Array("Jefe".utf8))
        let code = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        for _ in 1...2 {
            let made = Array("what do ya want for nothing?".utf8).withUnsafeBytes { first.code(of: $0) }
            #expect(made.hexadecimal == code)
        }
        var empty = HMACSHA256(key: [])
        let ofNothing = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(empty.code(of: UnsafeRawBufferPointer(start: nil, count: 0)).hexadecimal == ofNothing)
    }

    @Test(arguments: ["", "00", String(repeating: "g", count: 64), String(repeating: "0", count: 63) + "ä"])
    func `is read from 64 hexadecimal digits and nothing else`(text: String) {
        #expect(SHA256Digest(hexadecimal: text) == nil)
    }

    @Test func `compares in constant time as it compares otherwise`() throws {
        for (digit, otherDigit) in [("0", "1"), ("f", "e")] {
            let base = try #require(SHA256Digest(hexadecimal: String(repeating: digit, count: 64)))
            for place in 0..<64 {
                var digits = Array(repeating: digit, count: 64)
                digits[place] = otherDigit
                let other = try #require(SHA256Digest(hexadecimal: digits.joined()))
                #expect(!base.isEqualInConstantTime(to: other))
            }
            #expect(base.isEqualInConstantTime(to: base))
        }
    }
}
