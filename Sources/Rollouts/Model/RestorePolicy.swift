/// What a journey that is resumed does with its choice for a route.
package enum RestorePolicy: String, CaseIterable, Sendable {
    /// It keeps the renderer that it has.
    case keepPin
    /// It gets what a new journey would get. Only where it is shown that both renderers accept the saved route.
    case redecide
}
