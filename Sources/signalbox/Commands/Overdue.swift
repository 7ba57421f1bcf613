/// What should have been done by now.
struct Overdue: ServiceCommand {
    static let name = "overdue"
    static let abstract = "Lists what should have been done by now, with who answers for it and what to do."
    static let discussion = """
        Deletion dates and reviews of islands that have passed, routes that are held at a step older than 14 days (when the \
        hold itself began is not stored), and waivers of moves to come that end within 7 days: the part of 'signalbox status' \
        that is late. With --fail the exit status is 1 when there is any.
        """
    static let examples = ["signalbox overdue", "signalbox overdue --fail"]

    @Option("Only what this owner answers for.") var owner: String?
    @Option("Ends with the exit code 1 when anything is overdue, for CI.") var fail: Bool

    func run(_ service: Service) throws -> ExitCode {
        let query = [("overdue", "true"), ("owner", owner), ("limit", "\(NeedList.mostListed)")]
        let (answer, value) = try service.fetch(.get("status", query: query))
        let list = NeedList(in: value)
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else {
            service.terminal.say(list.text(for: service, ifEmpty: "Nothing is overdue."))
        }
        return fail && list.count > 0 ? .refused : .done
    }
}
