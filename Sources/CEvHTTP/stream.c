#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

/// What may wait for a slow reader here, besides what the kernel holds for it.
#define LARGEST_BACKLOG 16384
#define KERNEL_BACKLOG 16384

static void on_drained(struct bufferevent *stream, void *argument) { (void)stream, (void)argument; }

static void on_end(struct bufferevent *stream, short what, void *argument) {
    (void)stream, (void)what;
    sbx_connection_close(argument);
}

/// False if the connection is broken or too far behind.
static bool send_parts(sbx_connection *connection, struct iovec *parts, int count) {
    if (sbx_write(connection, parts, count) < 0) return false;
    return evbuffer_get_length(bufferevent_get_output(connection->stream)) <= LARGEST_BACKLOG;
}

static bool send_chunk(sbx_connection *connection, struct iovec *head, sbx_span bytes) {
    char size[20];
    int size_count = connection->is_http10 ? 0 : snprintf(size, sizeof size, "%zx\r\n", bytes.count);
    struct iovec parts[] = {
        *head,
        {size, (size_t)size_count},
        {(void *)bytes.bytes, bytes.count},
        {"\r\n", connection->is_http10 ? 0 : 2},
    };
    int first = head->iov_len ? 0 : 1;
    return send_parts(connection, parts + first, 4 - first);
}

bool sbx_stream_begin(sbx_connection *connection, const sbx_answer *answer, void *context, size_t index) {
    if (!connection->request) return false;
    char head[SBX_ANSWER_HEAD + 1024];
    if (answer->header_lines.count > 1000) return false;
    size_t count = sbx_answer_head(connection, answer, connection->is_http10, head);
    if (answer->header_lines.count) memcpy(head + count, answer->header_lines.bytes, answer->header_lines.count);
    count += answer->header_lines.count;
    memcpy(head + count, "\r\n", 2);

    // The stream is ours from here on. libevent's parser keeps the request until the connection goes.
    connection->request = NULL;
    sbx_slot_release(connection);
    bufferevent_setcb(connection->stream, NULL, on_drained, on_end, connection);
    bufferevent_disable(connection->stream, EV_READ);
    bufferevent_set_timeouts(connection->stream, NULL, NULL);
    int backlog = KERNEL_BACKLOG;
    setsockopt(connection->fd, SOL_SOCKET, SO_SNDBUF, &backlog, sizeof backlog);
    sbx_connection_enter(connection, PHASE_STREAMING);
    connection->stream_context = context;
    connection->stream_index = index;
    struct iovec whole_head = {head, count + 2};
    if (sbx_connection_keep_interest(connection) && send_chunk(connection, &whole_head, answer->body)) return true;
    sbx_connection_close(connection);
    return false;
}

void sbx_stream_set_index(sbx_connection *connection, size_t index) { connection->stream_index = index; }

bool sbx_stream_send(sbx_connection *connection, sbx_span bytes) {
    struct iovec nothing = {NULL, 0};
    if (send_chunk(connection, &nothing, bytes)) return true;
    sbx_connection_close(connection);
    return false;
}

void sbx_stream_end(sbx_connection *connection) {
    struct iovec last = {"0\r\n\r\n", 5};
    if (!connection->is_http10) send_parts(connection, &last, 1);
    sbx_connection_close(connection);
}

void sbx_stream_readable(sbx_connection *connection) {
    char byte;
    ssize_t count = recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    // The end of the client, or a client that speaks where it has nothing to say.
    sbx_connection_close(connection);
}
