/// How to reach the service, for every command that asks it.
struct ConnectionOptions: ParameterGroup {
    @Option("Prints the service's JSON, unchanged.") var json: Bool
    @Option("Where the service is. Otherwise SIGNALBOX_URL, otherwise \(defaultURL).") var url: String?
    @Option("How long to wait for the answer, from 1 to 3600 seconds.") var timeout = Timeout(number: 30)

    static let defaultURL = "http://127.0.0.1:8080"
    static let defaultKeyFile = "var/signalbox/admin.key"
    static let variables: [(name: String, help: String)] = [
        ("SIGNALBOX_URL", "Where the service is; \(defaultURL) unless it is set."),
        ("SIGNALBOX_KEY_FILE", "A file of mode 0600 that holds the key; it goes before SIGNALBOX_KEY."),
        ("SIGNALBOX_KEY", "The key itself. When neither is set, \(defaultKeyFile) is used if it exists."),
    ]

    /// The address without a slash at its end.
    func base(on terminal: Terminal) throws(CommandError) -> String {
        var base = url ?? terminal.variable("SIGNALBOX_URL") ?? ""
        if base.isEmpty { base = Self.defaultURL }
        while base.hasSuffix("/") { base.removeLast() }
        guard base.hasPrefix("http://") || base.hasPrefix("https://"), base.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .usage("'\(base.printable)' is not an address such as \(Self.defaultURL)") }
        return base
    }

    /// The key, from a file or the environment; never from the command line, which every process can read.
    func key(on terminal: Terminal) throws(CommandError) -> ServiceKey {
        let bytes: [UInt8]
        let origin: String
        if let path = terminal.variable("SIGNALBOX_KEY_FILE"), !path.isEmpty {
            (bytes, origin) = (try FilePath(path).secretBytes(), path)
        } else if let text = terminal.variable("SIGNALBOX_KEY"), !text.isEmpty {
            (bytes, origin) = (Array(text.utf8), "SIGNALBOX_KEY")
        } else if FilePath(Self.defaultKeyFile).exists {
            (bytes, origin) = (try FilePath(Self.defaultKeyFile).secretBytes(), Self.defaultKeyFile)
        } else {
            throw .key("there is no key; set SIGNALBOX_KEY_FILE to a file of mode 0600, or SIGNALBOX_KEY")
        }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let key = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        guard !key.isEmpty, key.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .key("the key is empty, or holds what no key does")
        }
        return ServiceKey(text: String(decoding: key, as: UTF8.self), origin: origin)
    }
}

/// The key that is shown to the service.
struct ServiceKey {
    let text: String
    /// The file or the variable that it came from.
    let origin: String
}
