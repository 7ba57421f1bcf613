#include "internal.h"

// Only for one field, see send_answer.
#include <event2/http_struct.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

static const char *phrase(int status) {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 507: return "Insufficient Storage";
    default: return "-";
    }
}

static char *put(char *to, const void *bytes, size_t count) {
    memcpy(to, bytes, count);
    return to + count;
}
#define PUT_LITERAL(to, text) put(to, text, sizeof(text) - 1)

static char *put_number(char *to, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

static char *put_date(char *to, sbx_worker *worker) {
    time_t now = time(NULL);
    if (now != worker->date_second) {
        static const char days[] = "SunMonTueWedThuFriSat";
        static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
        struct tm t;
        gmtime_r(&now, &t);
        // Not strftime: a date on the wire does not depend on the locale.
        snprintf(worker->date, sizeof worker->date, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n",
            days + 3 * t.tm_wday, t.tm_mday, months + 3 * t.tm_mon, (t.tm_year + 1900) % 10000, t.tm_hour, t.tm_min,
            t.tm_sec);
        worker->date_second = now;
    }
    return put(to, worker->date, strlen(worker->date));
}

sbx_span sbx_request_id(sbx_connection *connection) {
    if (connection->request_id_count == 0) {
        // A counter from a random start, mixed (splitmix64) so that ids do not look alike.
        uint64_t z = connection->worker->next_request_id += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        for (int i = 0; i < 16; i++) connection->request_id[i] = "0123456789abcdef"[z >> (4 * i) & 15];
        connection->request_id_count = 16;
    }
    return (sbx_span){connection->request_id, connection->request_id_count};
}

static bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/// The lines of ours, without the empty line at the end.
size_t sbx_answer_head(sbx_connection *connection, const sbx_answer *answer, bool closes, char *into) {
    const char *reason = phrase(answer->status);
    char *to = PUT_LITERAL(into, "HTTP/1.1 ");
    if (connection->is_http10) into[7] = '0';
    to = put_number(to, (uint64_t)answer->status);
    *to++ = ' ';
    to = put(to, reason, strlen(reason));
    to = PUT_LITERAL(to, "\r\n");
    to = put_date(to, connection->worker);
    sbx_span id = sbx_request_id(connection);
    to = PUT_LITERAL(to, "X-Request-Id: ");
    to = put(to, id.bytes, id.count);
    to = PUT_LITERAL(to, "\r\n");
    if (has_body(answer->status)) {
        if (answer->content_type.count > 0 && answer->content_type.count <= 128) {
            to = PUT_LITERAL(to, "Content-Type: ");
            to = put(to, answer->content_type.bytes, answer->content_type.count);
            to = PUT_LITERAL(to, "\r\n");
        }
        if (!answer->is_stream) {
            to = PUT_LITERAL(to, "Content-Length: ");
            to = put_number(to, answer->body.count);
            to = PUT_LITERAL(to, "\r\n");
        } else if (!connection->is_http10) {
            to = PUT_LITERAL(to, "Transfer-Encoding: chunked\r\n");
        }
    }
    if (closes)
        to = PUT_LITERAL(to, "Connection: close\r\n");
    else if (connection->is_http10)
        to = PUT_LITERAL(to, "Connection: keep-alive\r\n");
    return (size_t)(to - into);
}

/// Writes straight to the socket, which nearly always takes all of it: no copy and no further turn of the loop.
int sbx_write(sbx_connection *connection, const struct iovec *parts, int count) {
    struct evbuffer *output = bufferevent_get_output(connection->stream);
    ssize_t written = 0;
    if (evbuffer_get_length(output) == 0) {
        written = writev(connection->fd, parts, count);
        if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return -1;
        if (written < 0) written = 0;
    }
    int is_whole = 1;
    for (int i = 0; i < count; i++) {
        size_t skipped = (size_t)written < parts[i].iov_len ? (size_t)written : parts[i].iov_len;
        written -= (ssize_t)skipped;
        if (skipped == parts[i].iov_len) continue;
        is_whole = 0;
        if (evbuffer_add(output, (const char *)parts[i].iov_base + skipped, parts[i].iov_len - skipped)) return -1;
    }
    return is_whole;
}

static void send_answer(sbx_connection *connection, const sbx_answer *answer) {
    struct evhttp_request *request = connection->request;
    bool closes = connection->closes || connection->worker->is_stopping
        || (connection->is_http10 && !connection->keeps_alive);
    char head[SBX_ANSWER_HEAD];
    size_t head_count = sbx_answer_head(connection, answer, closes, head);
    bool sends_body = has_body(answer->status) && connection->method != 1 && answer->body.count > 0;
    struct iovec parts[] = {
        {head, head_count},
        {(void *)answer->header_lines.bytes, answer->header_lines.count},
        {"\r\n", 2},
        {(void *)answer->body.bytes, sends_body ? answer->body.count : 0},
    };
    int first = 0, count = sends_body ? 4 : 3;
    if (answer->header_lines.count == 0) {
        memcpy(head + head_count, "\r\n", 2);
        parts[0].iov_len += 2;
        parts[2] = parts[0];
        first = 2;
    }
    int is_whole = sbx_write(connection, parts + first, count - first);
    if (is_whole < 0) {
        sbx_connection_close(connection);
        return;
    }
    connection->request = NULL;
    sbx_slot_release(connection);
    if (closes) evhttp_add_header(evhttp_request_get_output_headers(request), "Connection", "close");
    if (!is_whole) {
        sbx_connection_enter(connection, PHASE_WRITING);
        bufferevent_enable(connection->stream, EV_WRITE);
    }
    // For a request that was chunked, libevent would end the answer with an empty chunk.
    request->chunked = 0;
    evhttp_send_reply_end(request);
}

void sbx_answer_now(sbx_connection *connection, const sbx_answer *answer) {
    if (connection->request) send_answer(connection, answer);
}

uint64_t sbx_park(sbx_connection *connection) {
    sbx_worker *worker = connection->worker;
    if (!connection->request) return 0;
    if (connection->slot == NO_SLOT) {
        if (worker->first_free_slot == NO_SLOT) {
            uint32_t count = worker->slot_count ? worker->slot_count * 2 : 64;
            struct slot *grown = realloc(worker->slots, count * sizeof *grown);
            if (!grown) return 0;
            for (uint32_t i = worker->slot_count; i < count; i++)
                grown[i] = (struct slot){.generation = 1, .next_free = i + 1 < count ? i + 1 : NO_SLOT};
            worker->first_free_slot = worker->slot_count;
            worker->slots = grown;
            worker->slot_count = count;
        }
        connection->slot = worker->first_free_slot;
        struct slot *slot = &worker->slots[connection->slot];
        worker->first_free_slot = slot->next_free;
        slot->connection = connection;
        atomic_fetch_add_explicit(&worker->parked, 1, memory_order_relaxed);
    }
    return (uint64_t)worker->slots[connection->slot].generation << 32 | connection->slot;
}

bool sbx_is_parked(sbx_connection *connection) { return connection->slot != NO_SLOT; }

void sbx_slot_release(sbx_connection *connection) {
    sbx_worker *worker = connection->worker;
    if (connection->slot == NO_SLOT) return;
    struct slot *slot = &worker->slots[connection->slot];
    slot->connection = NULL;
    slot->generation++;
    slot->next_free = worker->first_free_slot;
    worker->first_free_slot = connection->slot;
    connection->slot = NO_SLOT;
    atomic_fetch_sub_explicit(&worker->parked, 1, memory_order_relaxed);
}

static sbx_connection *waiting(sbx_worker *worker, uint64_t token) {
    uint32_t index = (uint32_t)token;
    if (token == 0 || index >= worker->slot_count) return NULL;
    struct slot *slot = &worker->slots[index];
    return slot->generation == (uint32_t)(token >> 32) ? slot->connection : NULL;
}

sbx_connection *sbx_parked_connection(sbx_worker *worker, uint64_t token) { return waiting(worker, token); }

void sbx_answer_parked(sbx_worker *worker, uint64_t token, const sbx_answer *answer) {
    sbx_connection *connection = waiting(worker, token);
    if (connection) send_answer(connection, answer);
}
