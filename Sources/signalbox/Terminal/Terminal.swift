#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a command reads its surroundings and puts its words.
struct Terminal {
    /// Takes bytes for standard output.
    let output: ([UInt8]) -> Void
    /// Takes bytes for standard error.
    let errors: ([UInt8]) -> Void
    /// Whether colour helps whoever reads standard output.
    let isColoured: Bool
    /// The environment variables.
    let variable: (String) -> String?
    /// What the clock says.
    let now: () -> Timestamp
    /// Waits for so many milliseconds.
    let pause: (Int64) -> Void

    /// The one that the program was started on.
    static var ofProcess: Terminal {
        Terminal(
            output: { writeAll($0, to: STDOUT_FILENO) }, errors: { writeAll($0, to: STDERR_FILENO) },
            isColoured: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil,
            variable: { name in getenv(name).map { String(cString: $0) } }, now: { .now },
            pause: { _ = usleep(UInt32(clamping: $0 * 1_000)) })
    }

    /// Prints for people.
    func say(_ text: String) { output(Array((text + "\n").utf8)) }

    /// Prints to standard error.
    func complain(_ text: String) { errors(Array((text + "\n").utf8)) }

    /// Prints a document for programs, unchanged, with a newline at its end.
    func emit(_ document: [UInt8]) { output(document.last == UInt8(ascii: "\n") ? document : document + [10]) }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
