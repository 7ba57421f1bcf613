#include "internal.h"

#include <stdlib.h>
#include <string.h>

void sbx_connection_enter(sbx_connection *connection, enum phase phase) {
    sbx_worker *worker = connection->worker;
    TAILQ_REMOVE(&worker->phases[connection->phase], connection, in_phase);
    connection->phase = phase;
    connection->deadline = sbx_milliseconds() + worker->phase_milliseconds[phase];
    TAILQ_INSERT_TAIL(&worker->phases[phase], connection, in_phase);
}

static void want_attention(sbx_connection *connection) {
    sbx_worker *worker = connection->worker;
    if (connection->needs_attention) return;
    connection->needs_attention = true;
    connection->next_attention = worker->first_attention;
    worker->first_attention = connection;
    event_active(worker->attention, EV_TIMEOUT, 1);
}

static void forget_attention(sbx_connection *connection) {
    sbx_connection **link = &connection->worker->first_attention;
    while (*link && *link != connection) link = &(*link)->next_attention;
    if (*link) *link = connection->next_attention;
}

// libevent stops reading for the length of each request, which costs a system call to tell the kernel and another to
// take it back. A second interest in the same descriptor leaves the kernel's list as it is. It has to go when something
// arrives that nobody wants yet, or the loop would spin.

static void on_readable(evutil_socket_t fd, short what, void *argument) {
    (void)fd, (void)what;
    sbx_connection *connection = argument;
    if (connection->phase == PHASE_STREAMING) {
        sbx_stream_readable(connection);
        return;
    }
    if (connection->phase != PHASE_HANDLING && connection->phase != PHASE_WRITING) return;
    event_del(connection->interest);
    connection->is_interested = false;
}

static bool keep_interest(sbx_connection *connection) {
    if (!connection->is_interested) connection->is_interested = event_add(connection->interest, NULL) == 0;
    return connection->is_interested;
}

/// libevent frees the connection, and with it the request and the stream.
static void on_close(struct evhttp_connection *http, void *argument) {
    (void)http;
    sbx_connection *connection = argument;
    sbx_worker *worker = connection->worker;
    TAILQ_REMOVE(&worker->phases[connection->phase], connection, in_phase);
    if (connection->needs_attention) forget_attention(connection);
    sbx_slot_release(connection);
    if (connection->stream_context) worker->callbacks.stream_closed(connection->stream_context, connection->stream_index);
    evbuffer_remove_cb_entry(bufferevent_get_input(connection->stream), connection->watch);
    event_free(connection->interest);
    worker->by_fd[connection->fd] = NULL;
    atomic_fetch_sub_explicit(&worker->gauge->open, 1, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&worker->open, 1, memory_order_relaxed) == 1 && worker->is_stopping)
        event_base_loopbreak(worker->base);
    free(connection->target_copy);
    free(connection);
}

bool sbx_connection_keep_interest(sbx_connection *connection) { return keep_interest(connection); }

void sbx_connection_close(sbx_connection *connection) { evhttp_connection_free(connection->http); }

/// Sees every byte before libevent's parser does.
static void on_input(struct evbuffer *input, const struct evbuffer_cb_info *info, void *argument) {
    (void)input;
    if (info->n_added == 0) return;
    sbx_connection *connection = argument;
    connection->received += info->n_added;
    if (connection->gate >= GATE_PASSED) return;
    if (!sbx_gate_pass(connection)) sbx_connection_refuse(connection, connection->reason);
}

/// libevent asks for the stream of a new connection, and only afterwards makes the connection. `sbx_worker_attend` runs
/// before anything can be read from it.
struct bufferevent *sbx_connection_accept(struct event_base *base, void *argument) {
    sbx_worker *worker = argument;
    sbx_connection *connection = calloc(1, sizeof *connection);
    struct bufferevent *stream = bufferevent_socket_new(base, -1, 0);
    if (connection && stream) {
        connection->watch = evbuffer_add_cb(bufferevent_get_input(stream), on_input, connection);
        connection->worker = worker;
        connection->stream = stream;
        connection->slot = NO_SLOT;
        connection->is_new = true;
        if (connection->watch) {
            bufferevent_incref(stream);
            want_attention(connection);
            return stream;
        }
    }
    // Without a watch nothing may reach the parser: the stream that libevent makes itself then has no gate, so the
    // process ends here as it does for any other lack of memory in libevent and Swift.
    abort();
}

static bool reserve_fd(sbx_worker *worker, int fd) {
    if ((size_t)fd < worker->fd_count) return true;
    size_t count = worker->fd_count ? worker->fd_count : 256;
    while (count <= (size_t)fd) count *= 2;
    sbx_connection **grown = realloc(worker->by_fd, count * sizeof *grown);
    if (!grown) return false;
    memset(grown + worker->fd_count, 0, (count - worker->fd_count) * sizeof *grown);
    worker->by_fd = grown;
    worker->fd_count = count;
    return true;
}

static void welcome(sbx_connection *connection) {
    sbx_worker *worker = connection->worker;
    void *http = NULL;
    bufferevent_getcb(connection->stream, NULL, NULL, NULL, &http);
    connection->http = http;
    connection->is_new = false;
    connection->fd = bufferevent_getfd(connection->stream);
    bool is_alive = http && connection->fd >= 0;
    if (is_alive)
        connection->interest = event_new(worker->base, connection->fd, EV_READ | EV_PERSIST, on_readable, connection);
    if (!connection->interest || !reserve_fd(worker, connection->fd) || !keep_interest(connection)) {
        if (connection->interest) event_free(connection->interest);
        evbuffer_remove_cb_entry(bufferevent_get_input(connection->stream), connection->watch);
        if (is_alive) sbx_connection_close(connection);
        bufferevent_decref(connection->stream);
        free(connection);
        return;
    }
    bufferevent_decref(connection->stream);
    evhttp_connection_set_closecb(connection->http, on_close, connection);
    worker->by_fd[connection->fd] = connection;
    // In this order: who has seen it accepted sees it open.
    atomic_fetch_add(&worker->open, 1);
    atomic_fetch_add(&worker->accepted, 1);
    size_t others = atomic_fetch_add_explicit(&worker->gauge->open, 1, memory_order_relaxed);
    TAILQ_INSERT_TAIL(&worker->phases[PHASE_IDLE], connection, in_phase);
    sbx_connection_enter(connection, PHASE_IDLE);
    size_t limit = worker->limits.connections;
    if (worker->is_stopping || others >= limit + limit / 8 + 16)
        sbx_connection_close(connection);
    else if (others >= limit)
        sbx_connection_refuse(connection, SBX_TOO_MANY_CONNECTIONS);
}

void sbx_worker_attend(evutil_socket_t fd, short what, void *argument) {
    (void)fd, (void)what;
    sbx_worker *worker = argument;
    sbx_connection *connection;
    while ((connection = worker->first_attention)) {
        worker->first_attention = connection->next_attention;
        connection->needs_attention = false;
        if (connection->is_new)
            welcome(connection);
        else
            sbx_connection_refuse(connection, connection->reason);
    }
}

// After a refusal the stream is ours: libevent's parser sees nothing more of it. The client may still be sending, and
// closing with unread bytes would make the kernel throw the answer away, so they are read until the client closes too.

static void drain(struct bufferevent *stream, void *argument) {
    (void)argument;  // not always ours: libevent's postponed read passes its own
    struct evbuffer *input = bufferevent_get_input(stream);
    evbuffer_drain(input, evbuffer_get_length(input));
}

static void finish_writing(struct bufferevent *stream, void *argument) {
    (void)argument;
    shutdown(bufferevent_getfd(stream), SHUT_WR);
}

static void end_stream(struct bufferevent *stream, short what, void *argument) {
    (void)stream, (void)what;
    sbx_connection_close(argument);
}

void sbx_connection_refuse(sbx_connection *connection, sbx_reason reason) {
    connection->gate = GATE_REFUSED;
    connection->request = NULL;
    bufferevent_setcb(connection->stream, drain, finish_writing, end_stream, connection);
    bufferevent_enable(connection->stream, EV_READ | EV_WRITE);
    sbx_connection_enter(connection, PHASE_CLOSING);
    connection->worker->callbacks.refused(connection->worker->callbacks.context, connection, reason);
}

void sbx_refuse(sbx_connection *connection, const sbx_answer *answer) {
    struct evbuffer *output = bufferevent_get_output(connection->stream);
    char head[SBX_ANSWER_HEAD];
    size_t count = sbx_answer_head(connection, answer, true, head);
    evbuffer_add(output, head, count);
    if (answer->header_lines.count) evbuffer_add(output, answer->header_lines.bytes, answer->header_lines.count);
    evbuffer_add(output, "\r\n", 2);
    if (connection->method != 1) evbuffer_add(output, answer->body.bytes, answer->body.count);
}

void sbx_worker_expire(sbx_worker *worker) {
    uint64_t now = sbx_milliseconds();
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (phase == PHASE_HANDLING || phase == PHASE_STREAMING) continue;
        sbx_connection *connection;
        while ((connection = TAILQ_FIRST(&worker->phases[phase])) && connection->deadline <= now) {
            if (phase == PHASE_HEAD || phase == PHASE_BODY)
                sbx_connection_refuse(connection, SBX_REQUEST_TIMEOUT);
            else
                sbx_connection_close(connection);
        }
    }
}

/// The answer has been handed to the kernel and the connection stays open.
static void on_complete(struct evhttp_request *request, void *argument) {
    (void)request;
    sbx_connection *connection = argument;
    sbx_gate_open(connection);
    sbx_connection_enter(connection, PHASE_IDLE);
    keep_interest(connection);
    if (connection->received == connection->position) return;
    // The client sent its next request early. A refusal has to wait until libevent has let go of the last one.
    if (!sbx_gate_pass(connection)) want_attention(connection);
}

void sbx_connection_handle(struct evhttp_request *request, void *argument) {
    sbx_worker *worker = argument;
    struct evhttp_connection *http = evhttp_request_get_connection(request);
    int fd = bufferevent_getfd(evhttp_connection_get_bufferevent(http));
    sbx_connection *connection = fd >= 0 && (size_t)fd < worker->fd_count ? worker->by_fd[fd] : NULL;
    if (!connection) {
        evhttp_connection_free(http);
        return;
    }
    sbx_connection_enter(connection, PHASE_HANDLING);
    // Two parsers read this request; they must agree on where it ends.
    size_t unread = evbuffer_get_length(bufferevent_get_input(connection->stream));
    if (connection->gate != GATE_PASSED || connection->received - unread != connection->position) {
        sbx_connection_refuse(connection, SBX_AMBIGUOUS_LENGTH);
        return;
    }
    connection->request = request;
    evhttp_request_set_on_complete_cb(request, on_complete, connection);
    const char *target = evhttp_request_get_uri(request);
    struct evbuffer *body = evhttp_request_get_input_buffer(request);
    size_t body_count = evbuffer_get_length(body);
    const sbx_request seen = {
        .connection = connection,
        .method = connection->method,
        .target = {target, target ? strlen(target) : 0},
        .body = {body_count ? evbuffer_pullup(body, -1) : NULL, body_count},
    };
    worker->callbacks.request(worker->callbacks.context, &seen);
}

sbx_span sbx_header(sbx_connection *connection, const char *name) {
    if (!connection->request) return (sbx_span){NULL, 0};
    const char *value = evhttp_find_header(evhttp_request_get_input_headers(connection->request), name);
    return (sbx_span){value, value ? strlen(value) : 0};
}

const char *sbx_remote_address(sbx_connection *connection) {
    char *address = NULL;
    ev_uint16_t port = 0;
    evhttp_connection_get_peer(connection->http, &address, &port);
    return address ? address : "";
}
