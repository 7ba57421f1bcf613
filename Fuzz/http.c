// Feeds bytes to the HTTP server as a client would, in pieces, and holds it to what it promises:
// a request that is handed on has a plain path and a body within its limit, every request gets one answer that is ours,
// a refusal is the last of a connection, and the connection ends when the client is done.
//
// The first byte says where the bytes are cut in two: what arrives in two pieces must mean the same as in one.
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BODY_LIMIT = 256 };
static sbx_worker *worker;
static uint16_t port;
/// What the server did with the bytes of one run.
static struct outcome {
    size_t handled, refused;
    uint64_t seen;  // over methods, targets and bodies
} now;

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

static void mix(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) now.seen = (now.seen ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static sbx_span span(const char *text) { return (sbx_span){text, strlen(text)}; }

static size_t body_limit(void *context, int method, sbx_span target) {
    (void)context, (void)method, (void)target;
    return BODY_LIMIT;
}

static void on_request(void *context, const sbx_request *request) {
    (void)context;
    must(now.refused == 0, "nothing is handed on after a refusal");
    must(request->method >= 0 && request->method < 6, "the method is one of six");
    const char *target = request->target.bytes;
    must(request->target.count > 0 && target[0] == '/', "the target is a path");
    for (size_t i = 0; i < request->target.count; i++)
        must((unsigned char)target[i] > ' ' && target[i] != 0x7f, "the target has neither space nor control");
    must(request->body.count <= BODY_LIMIT, "the body is within its limit");
    mix(&request->method, sizeof request->method);
    mix(target, request->target.count);
    if (request->body.count) mix(request->body.bytes, request->body.count);
    sbx_header(request->connection, "content-type");
    now.handled++;
    sbx_answer answer = {.status = 200, .content_type = span("text/plain"), .body = span("ok")};
    sbx_answer_now(request->connection, &answer);
}

static void on_refused(void *context, sbx_connection *connection, sbx_reason reason) {
    (void)context, (void)reason;
    now.refused++;
    sbx_answer answer = {.status = 400, .content_type = span("text/plain"), .body = span("no")};
    sbx_refuse(connection, &answer);
}

static void nothing(void *context) { (void)context; }
static void no_stream(void *context, size_t index) { (void)context, (void)index; }

static void set_up(void) {
    const sbx_limits limits = {
        .head = 2048, .target = 512, .default_body = 128, .largest_body = BODY_LIMIT, .connections = 8,
        .head_milliseconds = 60000, .body_milliseconds = 60000, .write_milliseconds = 60000, .idle_milliseconds = 60000};
    const sbx_callbacks callbacks = {
        .body_limit = body_limit, .request = on_request, .refused = on_refused, .woken = nothing, .soon = nothing,
        .stream_closed = no_stream};
    int fd = sbx_listen("127.0.0.1", 0, true, &port);
    must(fd >= 0, "a port is free");
    worker = sbx_worker_create(fd, &limits, &callbacks, sbx_gauge_create());
    must(worker != NULL, "there is memory for a worker");
}

/// Lets the server work. `idle` counts the turns in which nothing came: on a busy machine the kernel may bring it late.
static void turn(int idle) {
    if (idle >= 400) usleep(1000);
    event_base_loop(worker->base, EVLOOP_NONBLOCK);
}

/// Turns after which nothing comes any more: two seconds.
enum { MOST_IDLE = 2400 };

/// The answers of the connection so far, counted by their status lines.
static size_t read_answers(int fd, bool *has_ended) {
    char buffer[65536];
    static char all[1 << 18];
    size_t count = 0;
    for (int idle = 0; idle < MOST_IDLE; idle++) {
        turn(idle);
        ssize_t got = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN)) {
            *has_ended = true;
            break;
        }
        if (got < 0) continue;
        if (count + (size_t)got < sizeof all) memcpy(all + count, buffer, (size_t)got), count += (size_t)got;
        idle = 0;
    }
    size_t answers = 0;
    // "100 Continue" is not an answer.
    for (size_t i = 0; i + 12 <= count; i++) answers += !memcmp(all + i, "HTTP/1.", 7) && memcmp(all + i + 9, "100", 3);
    must(count == 0 || !memcmp(all, "HTTP/1.", count < 7 ? count : 7), "the first byte is of an answer");
    return answers;
}

static struct outcome run(const uint8_t *bytes, size_t count, size_t cut) {
    now = (struct outcome){.seen = 0xcbf29ce484222325u};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct linger abrupt = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);  // no port stays behind
    must(connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "the server takes a connection");
    if (cut) {
        must(send(fd, bytes, cut, MSG_NOSIGNAL) == (ssize_t)cut, "the first piece is taken");
        for (int i = 0; i < 3; i++) turn(0);
    }
    ssize_t sent = count > cut ? send(fd, bytes + cut, count - cut, MSG_NOSIGNAL) : 0;
    (void)sent;  // a refusal of the first piece may have ended the connection
    shutdown(fd, SHUT_WR);
    bool has_ended = false;
    size_t answers = read_answers(fd, &has_ended);
    close(fd);
    must(has_ended, "the connection ends when the client is done");
    must(now.refused <= 1, "a connection is refused once");
    must(answers <= now.handled + now.refused, "every answer is of a request");
    for (int i = 0; i < MOST_IDLE && sbx_worker_open(worker); i++) turn(i);
    must(sbx_worker_open(worker) == 0, "no connection is left over");
    return now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!worker) set_up();
    if (size < 2 || size > 16384) return 0;
    struct outcome whole = run(data + 1, size - 1, 0);
    struct outcome pieces = run(data + 1, size - 1, data[0] % (size - 1));
    must(whole.handled == pieces.handled && whole.seen == pieces.seen, "two pieces mean what one does");
    return 0;
}
