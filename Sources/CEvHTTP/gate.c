// What may reach libevent's parser.
//
// That parser is lenient: it takes bare line feeds, folded headers, trailers that become headers, several
// Content-Length, spaces and signs in chunk sizes, and answers what it does refuse with pages of its own. The gate sees
// the same bytes first and lets only requests pass that mean one thing to everybody. It never changes a byte, and when
// both are done they must agree on where the request ended (`sbx_connection_handle`).
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { METHOD_GET, METHOD_HEAD };
static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
static const int maximum_headers = 100;

void sbx_gate_open(sbx_connection *connection) {
    connection->gate = GATE_REQUEST_LINE;
    connection->method = METHOD_GET;
    connection->head_count = 0;
    connection->header_count = connection->host_count = connection->length_count = connection->encoding_count = 0;
    connection->is_http10 = connection->keeps_alive = connection->closes = false;
    connection->body_count = 0;
    free(connection->target_copy);
    connection->target_copy = NULL;
    connection->target_count = 0;
    connection->request_id_count = 0;
}

static bool refuse(sbx_connection *connection, sbx_reason reason) {
    connection->reason = reason;
    return false;
}

/// tchar of RFC 9110.
static bool is_token(const char *text, size_t count) {
    static const bool allowed[256] = {
        ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1, ['\''] = 1, ['*'] = 1, ['+'] = 1, ['-'] = 1, ['.'] = 1,
        ['^'] = 1, ['_'] = 1, ['`'] = 1, ['|'] = 1, ['~'] = 1, ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
    };
    for (size_t i = 0; i < count; i++)
        if (!allowed[(unsigned char)text[i]]) return false;
    return count > 0;
}

static bool has_controls(const char *text, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        found |= (c < 0x20 && c != '\t') | (c == 0x7f);
    }
    return found;
}

static bool is_same(const char *text, size_t count, const char *word) {
    return count == strlen(word) && strncasecmp(text, word, count) == 0;
}

static bool pass_request_line(sbx_connection *connection, const char *line, size_t count) {
    const char *end = line + count;
    const char *target = memchr(line, ' ', count);
    if (!target || !is_token(line, (size_t)(target - line)))
        return refuse(connection, SBX_MALFORMED_REQUEST_LINE);
    size_t method_count = (size_t)(target++ - line);
    const char *version = memchr(target, ' ', (size_t)(end - target));
    if (!version) return refuse(connection, SBX_MALFORMED_REQUEST_LINE);
    size_t target_count = (size_t)(version++ - target);
    size_t version_count = (size_t)(end - version);
    if (target_count > connection->worker->limits.target) return refuse(connection, SBX_TARGET_TOO_LONG);
    if (version_count != 8 || memcmp(version, "HTTP/", 5) || memchr(version, ' ', version_count))
        return refuse(connection, SBX_MALFORMED_REQUEST_LINE);
    if (memcmp(version + 5, "1.", 2) || (version[7] != '0' && version[7] != '1'))
        return refuse(connection, SBX_VERSION_NOT_SUPPORTED);
    connection->method = -1;
    for (int i = 0; i < 6; i++)
        if (method_count == strlen(methods[i]) && !memcmp(line, methods[i], method_count)) connection->method = i;
    if (connection->method < 0) return refuse(connection, SBX_METHOD_NOT_IMPLEMENTED);
    // A target is a path here: `*`, authorities and whole addresses have no meaning. A second slash would be an
    // authority to libevent, a number sign a fragment.
    if (target_count == 0 || target[0] != '/' || (target_count > 1 && target[1] == '/')
        || memchr(target, '#', target_count) || memchr(target, '\t', target_count)
        || has_controls(target, target_count))
        return refuse(connection, SBX_MALFORMED_REQUEST_LINE);
    connection->is_http10 = version[7] == '0';
    connection->target_position = connection->position - count - 2 + (uint64_t)(target - line);
    connection->target_count = target_count;
    connection->gate = GATE_HEADER_LINES;
    return true;
}

static bool pass_length(sbx_connection *connection, const char *value, size_t count) {
    uint64_t length = 0;
    if (count == 0 || count > 18) return refuse(connection, SBX_AMBIGUOUS_LENGTH);
    for (size_t i = 0; i < count; i++) {
        if (value[i] < '0' || value[i] > '9') return refuse(connection, SBX_AMBIGUOUS_LENGTH);
        length = length * 10 + (uint64_t)(value[i] - '0');
    }
    connection->body_count = length;
    connection->length_count++;
    return true;
}

static void read_connection_options(sbx_connection *connection, const char *value, size_t count) {
    const char *end = value + count;
    if (is_same(value, count, "keep-alive")) connection->keeps_alive = true;
    while (value < end) {
        const char *comma = memchr(value, ',', (size_t)(end - value));
        const char *stop = comma ? comma : end;
        while (value < stop && (*value == ' ' || *value == '\t')) value++;
        while (stop > value && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
        if (is_same(value, (size_t)(stop - value), "close")) connection->closes = true;
        if (!comma) return;
        value = comma + 1;
    }
}

/// Goes back to the client and into logs, so only words are taken; the first counts. Another is as good as none.
static void take_request_id(sbx_connection *connection, const char *value, size_t count) {
    if (connection->request_id_count || count == 0 || count > SBX_REQUEST_ID) return;
    for (size_t i = 0; i < count; i++) {
        char c = value[i];
        bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-'
            || c == '_' || c == '.';
        if (!is_word) return;
    }
    memcpy(connection->request_id, value, count);
    connection->request_id_count = count;
}

static bool pass_header_line(sbx_connection *connection, const char *line, size_t count) {
    const char *colon = memchr(line, ':', count);
    // A leading blank, which would continue the last line, is not a token either.
    if (!colon || !is_token(line, (size_t)(colon - line)) || has_controls(colon, (size_t)(line + count - colon)))
        return refuse(connection, SBX_MALFORMED_HEADER);
    if (++connection->header_count > maximum_headers) return refuse(connection, SBX_HEADER_TOO_LARGE);
    size_t name_count = (size_t)(colon - line);
    const char *value = colon + 1;
    const char *end = line + count;
    // As libevent trims: only spaces in front. A tab there leaves a value that means nothing, and is refused.
    while (value < end && *value == ' ') value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) end--;
    size_t value_count = (size_t)(end - value);
    switch (name_count) {
    case 4:
        if (!is_same(line, name_count, "host")) return true;
        connection->host_count++;
        for (size_t i = 0; i < value_count; i++)
            if (strchr(" \t,/\\@?#", value[i])) return refuse(connection, SBX_HOST_REQUIRED);
        return true;
    case 6:
        if (!is_same(line, name_count, "expect") || is_same(value, value_count, "100-continue")) return true;
        return refuse(connection, SBX_EXPECTATION_FAILED);
    case 10:
        if (is_same(line, name_count, "connection")) read_connection_options(connection, value, value_count);
        return true;
    case 12:
        if (is_same(line, name_count, "x-request-id")) take_request_id(connection, value, value_count);
        return true;
    case 14:
        if (!is_same(line, name_count, "content-length")) return true;
        return pass_length(connection, value, value_count);
    case 17:
        if (!is_same(line, name_count, "transfer-encoding")) return true;
        connection->encoding_count++;
        if (is_same(value, value_count, "chunked")) return true;
        return refuse(connection, SBX_UNSUPPORTED_TRANSFER_ENCODING);
    default:
        return true;
    }
}

static bool end_head(sbx_connection *connection, const char *bytes, uint64_t start) {
    bool is_chunked = connection->encoding_count > 0;
    if (connection->host_count > 1 || (connection->host_count == 0 && !connection->is_http10))
        return refuse(connection, SBX_HOST_REQUIRED);
    if (connection->length_count + connection->encoding_count > 1 || (is_chunked && connection->is_http10))
        return refuse(connection, SBX_AMBIGUOUS_LENGTH);
    // libevent reads no body after HEAD and would take it for the next request.
    if (connection->method == METHOD_HEAD && (is_chunked || connection->body_count > 0))
        return refuse(connection, SBX_AMBIGUOUS_LENGTH);
    const sbx_callbacks *callbacks = &connection->worker->callbacks;
    connection->body_limit = connection->worker->limits.default_body;
    if (is_chunked || connection->body_count > connection->body_limit) {
        sbx_span target = {connection->target_copy, connection->target_count};
        if (!target.bytes) target.bytes = bytes + (connection->target_position - start);
        connection->body_limit = callbacks->body_limit(callbacks->context, connection->method, target);
        if (connection->body_count > connection->body_limit) return refuse(connection, SBX_BODY_TOO_LARGE);
    }
    connection->position += connection->body_count;
    connection->gate = is_chunked ? GATE_CHUNK_SIZE : GATE_PASSED;
    connection->chunk_left = 0;
    connection->chunk_digits = 0;
    return true;
}

/// libevent eats the lines that have passed; the target is needed again at the end of the head.
static bool keep_target(sbx_connection *connection, const char *bytes, uint64_t start) {
    if (connection->gate != GATE_HEADER_LINES || connection->target_copy) return true;
    connection->target_copy = malloc(connection->target_count);
    if (!connection->target_copy) return refuse(connection, SBX_HEADER_TOO_LARGE);
    memcpy(connection->target_copy, bytes + (connection->target_position - start), connection->target_count);
    return true;
}

static bool pass_head(sbx_connection *connection, struct evbuffer *input, uint64_t start) {
    const sbx_limits *limits = &connection->worker->limits;
    size_t offset = (size_t)(connection->position - start);
    size_t count = evbuffer_get_length(input);
    size_t needed = offset + (limits->head - connection->head_count) + 1;
    if (count > needed) count = needed;
    const char *bytes = (const char *)evbuffer_pullup(input, (ev_ssize_t)count);
    if (!bytes) return refuse(connection, SBX_HEADER_TOO_LARGE);
    while (connection->gate <= GATE_HEADER_LINES) {
        const char *line = bytes + offset;
        size_t left = count - offset;
        const char *feed = left ? memchr(line, '\n', left) : NULL;
        if (!feed) {
            bool is_first = connection->gate == GATE_REQUEST_LINE;
            if (is_first && left > 0 && (line[0] < 'A' || line[0] > 'Z'))
                return refuse(connection, SBX_MALFORMED_REQUEST_LINE);
            if (is_first && left > limits->target + 20) return refuse(connection, SBX_TARGET_TOO_LONG);
            if (connection->head_count + left > limits->head) return refuse(connection, SBX_HEADER_TOO_LARGE);
            return keep_target(connection, bytes, start);
        }
        size_t line_count = (size_t)(feed - line);
        if (line_count == 0 || line[line_count - 1] != '\r')
            return refuse(connection, connection->gate == GATE_REQUEST_LINE
                ? SBX_MALFORMED_REQUEST_LINE : SBX_MALFORMED_HEADER);
        offset += line_count + 1;
        connection->position += line_count + 1;
        connection->head_count += line_count + 1;
        line_count--;
        if (connection->gate == GATE_REQUEST_LINE) {
            if (!pass_request_line(connection, line, line_count)) return false;
        } else if (connection->head_count > limits->head) {
            return refuse(connection, SBX_HEADER_TOO_LARGE);
        } else if (line_count == 0) {
            return end_head(connection, bytes, start);
        } else if (!pass_header_line(connection, line, line_count)) {
            return false;
        }
    }
    return true;
}

static int hex_value(unsigned char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// One byte of chunk framing: digits, CRLF, data, CRLF. No extensions, and no trailers, which libevent would make
/// headers of.
static bool pass_framing(sbx_connection *connection, unsigned char c) {
    enum gate next;
    switch (connection->gate) {
    case GATE_CHUNK_SIZE: {
        int digit = hex_value(c);
        if (digit >= 0 && ++connection->chunk_digits <= 8) {
            connection->chunk_left = connection->chunk_left << 4 | (uint64_t)digit;
            return true;
        }
        if (c != '\r' || connection->chunk_digits == 0) return refuse(connection, SBX_MALFORMED_CHUNK);
        connection->gate = GATE_CHUNK_SIZE_END;
        return true;
    }
    case GATE_CHUNK_SIZE_END:
        next = connection->chunk_left == 0 ? GATE_LAST_END : GATE_CHUNK_DATA;
        connection->body_count += connection->chunk_left;
        if (connection->body_count > connection->body_limit) return refuse(connection, SBX_BODY_TOO_LARGE);
        break;
    case GATE_CHUNK_DATA_END:
        connection->gate = GATE_CHUNK_NEXT;
        return c == '\r' || refuse(connection, SBX_MALFORMED_CHUNK);
    case GATE_CHUNK_NEXT:
        next = GATE_CHUNK_SIZE;
        connection->chunk_digits = 0;
        break;
    case GATE_LAST_END:
        connection->gate = GATE_LAST_DONE;
        return c == '\r' || refuse(connection, SBX_MALFORMED_CHUNK);
    default:
        next = GATE_PASSED;
    }
    connection->gate = next;
    return c == '\n' || refuse(connection, SBX_MALFORMED_CHUNK);
}

static bool pass_chunks(sbx_connection *connection, struct evbuffer *input, uint64_t start) {
    while (connection->gate < GATE_PASSED && connection->position < connection->received) {
        if (connection->gate == GATE_CHUNK_DATA) {
            uint64_t count = connection->received - connection->position;
            if (count > connection->chunk_left) count = connection->chunk_left;
            connection->position += count;
            connection->chunk_left -= count;
            if (connection->chunk_left == 0) connection->gate = GATE_CHUNK_DATA_END;
            continue;
        }
        struct evbuffer_ptr place;
        struct evbuffer_iovec part;
        if (evbuffer_ptr_set(input, &place, (size_t)(connection->position - start), EVBUFFER_PTR_SET)
            || evbuffer_peek(input, -1, &place, &part, 1) < 1)
            return refuse(connection, SBX_MALFORMED_CHUNK);
        const unsigned char *bytes = part.iov_base;
        for (size_t i = 0; i < part.iov_len; i++) {
            if (connection->gate == GATE_CHUNK_DATA || connection->gate == GATE_PASSED) break;
            connection->position++;
            if (!pass_framing(connection, bytes[i])) return false;
        }
    }
    return true;
}

/// Looks at what has arrived. False if the request must be refused; `reason` says why.
bool sbx_gate_pass(sbx_connection *connection) {
    struct evbuffer *input = bufferevent_get_input(connection->stream);
    uint64_t start = connection->received - evbuffer_get_length(input);
    if (connection->position < start) return refuse(connection, SBX_AMBIGUOUS_LENGTH);
    if (connection->gate <= GATE_HEADER_LINES && !pass_head(connection, input, start)) return false;
    if (connection->gate > GATE_HEADER_LINES && !pass_chunks(connection, input, start)) return false;
    if (connection->gate <= GATE_HEADER_LINES) {
        if (connection->phase == PHASE_IDLE) sbx_connection_enter(connection, PHASE_HEAD);
    } else if (connection->gate < GATE_PASSED || connection->received < connection->position) {
        if (connection->phase != PHASE_BODY) sbx_connection_enter(connection, PHASE_BODY);
    }
    return true;
}
