/// What needs a person now.
struct Status: ServiceCommand {
    static let name = "status"
    static let abstract = "Says on one screen which routes need a person now, and how far all have come."
    static let discussion = """
        The most urgent first: rolled back, stopped, rolled back in part, held, ahead of a route that it requires, overdue, to \
        approve, moved by force, without an owner, with a waiver that ends within 7 days, stuck. It fits 80 columns and 24 \
        lines; what does not fit is counted, and --all lists it.
        """
    static let examples = ["signalbox status", "signalbox status --owner 'Trips team' --all"]

    @Option("Only what this owner answers for.") var owner: String?
    @Option("Lists everything, however long that is.") var all: Bool

    func run(_ service: Service) throws -> ExitCode {
        let query = [("owner", owner), ("limit", all ? "\(NeedList.mostListed)" : nil)]
        return try service.show(.get("status", query: query)) { answer in
            let progress = ProgrammeView(answer).lines
            let list = NeedList(in: answer)
            let room = all ? Int.max : NeedList.screenLines - progress.count - 1
            let needs = list.text(for: service, inLines: room, ifEmpty: "Nothing needs a person now.")
            return ([needs, ""] + progress).joined(separator: "\n")
        }
    }
}
