import Dispatch
import HTTPServer

/// Asks a router in process and waits for the answer, parked or not.
struct RouterCaller {
    let router: Router
    /// The text of an admin key.
    let key: String

    /// The answer; `body` is JSON, empty for none.
    func ask(_ method: Method, _ target: String, _ body: String = "") -> Response {
        let answer = AnswerBox()
        let isDone = DispatchSemaphore(value: 0)
        let (router, headers) = (router, [("Authorization", "Bearer \(key)")])
        Task.detached {
            answer.response = await router.handle(method, target, headers: headers, body: body)
            isDone.signal()
        }
        isDone.wait()
        return answer.response
    }
}

/// `@unchecked Sendable`: written before the semaphore is signalled, read after.
private final class AnswerBox: @unchecked Sendable {
    var response = Response(status: 0)
}
