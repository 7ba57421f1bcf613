/// A moment to come. Written `2027-03-01T09:30:00Z`, or `2027-03-01` for the beginning of that day in UTC.
struct Deadline: SingleValue, Equatable {
    static let placeholder = "TIME"
    let moment: Timestamp

    init(argument text: String) throws(ValueError) {
        guard let moment = Timestamp(text) else {
            throw ValueError("is '\(text)'; write a day such as 2027-03-01, or a time such as 2027-03-01T09:30:00Z")
        }
        self.moment = moment
    }
}
