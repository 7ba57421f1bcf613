/// Why the server did not start.
package struct HTTPServerError: Error, Equatable, Sendable {
    /// What went wrong, stable.
    package enum Code: String, Sendable {
        /// Another process listens on this address and port.
        case addressInUse = "address_in_use"
        /// The address is not one of this machine's, or not an address.
        case addressNotAvailable = "address_not_available"
        /// The port needs rights that the process lacks.
        case permissionDenied = "permission_denied"
        /// The system gave no socket, thread or memory.
        case outOfResources = "out_of_resources"
    }

    /// What went wrong.
    package let code: Code
    /// For people, never parsed.
    package let message: String
}
