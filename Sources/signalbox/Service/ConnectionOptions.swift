/// How to reach the service, for every command that asks it.
struct ConnectionOptions: ParameterGroup {
    @Option("Prints the service's JSON, unchanged.") var json: Bool
    @Option("Where the service is. Otherwise SIGNALBOX_URL, otherwise \(defaultURL).") var url: String?
    @Option("How many seconds to wait for the answer.") var timeout: Int = 30

    static let defaultURL = "http://127.0.0.1:8080"
    static let defaultKeyFile = "var/signalbox/admin.key"
    static let variables: [(name: String, help: String)] = [
        ("SIGNALBOX_URL", "Where the service is; \(defaultURL) unless it is set."),
        ("SIGNALBOX_KEY_FILE", "A file of mode 0600 that holds the key; \(defaultKeyFile) is used when it exists."),
        ("SIGNALBOX_KEY", "The key itself, when there is no file."),
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
    func key(on terminal: Terminal) throws(CommandError) -> String {
        let bytes: [UInt8]
        if let path = terminal.variable("SIGNALBOX_KEY_FILE"), !path.isEmpty {
            bytes = try FilePath(path).secretBytes()
        } else if let text = terminal.variable("SIGNALBOX_KEY"), !text.isEmpty {
            bytes = Array(text.utf8)
        } else if FilePath(Self.defaultKeyFile).exists {
            bytes = try FilePath(Self.defaultKeyFile).secretBytes()
        } else {
            throw .key("there is no key; set SIGNALBOX_KEY_FILE to a file of mode 0600, or SIGNALBOX_KEY")
        }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let key = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        guard !key.isEmpty, key.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .key("the key is empty, or holds what no key does")
        }
        return String(decoding: key, as: UTF8.self)
    }
}
