#ifndef CEVHTTP_INTERNAL_H
#define CEVHTTP_INTERNAL_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "CEvHTTP.h"

/// What a connection waits for. Each phase has one deadline for its whole length, so the connections of a phase, kept
/// in the order in which they entered it, are also in the order of their deadlines.
enum phase { PHASE_IDLE, PHASE_HEAD, PHASE_BODY, PHASE_HANDLING, PHASE_WRITING, PHASE_STREAMING, PHASE_CLOSING, PHASE_COUNT };

/// Room for the longest request id that is taken from a client.
#define SBX_REQUEST_ID 64

/// How far the gate has come in the request that is arriving.
enum gate {
    GATE_REQUEST_LINE,
    GATE_HEADER_LINES,
    GATE_CHUNK_SIZE,
    GATE_CHUNK_SIZE_END,
    GATE_CHUNK_DATA,
    GATE_CHUNK_DATA_END,
    GATE_CHUNK_NEXT,
    GATE_LAST_END,
    GATE_LAST_DONE,
    GATE_PASSED,
    GATE_REFUSED,
};

struct sbx_connection {
    TAILQ_ENTRY(sbx_connection) in_phase;
    sbx_connection *next_attention;
    bool needs_attention;
    bool is_new;
    sbx_worker *worker;
    struct bufferevent *stream;
    struct evbuffer_cb_entry *watch;
    struct event *interest;
    bool is_interested;
    struct evhttp_connection *http;
    struct evhttp_request *request;  // while it is being handled or parked
    enum phase phase;
    uint64_t deadline;
    int fd;
    uint32_t slot;  // of the parked request, or NO_SLOT
    void *stream_context;  // of an event stream
    size_t stream_index;

    // The gate. Positions count the bytes of the connection from its start.
    enum gate gate;
    sbx_reason reason;
    uint64_t received;
    uint64_t position;
    uint64_t target_position;
    size_t target_count;
    char *target_copy;
    size_t head_count;
    int method;
    int header_count, host_count, length_count, encoding_count;
    bool is_http10, keeps_alive, closes;
    uint64_t body_count, body_limit, chunk_left;
    int chunk_digits;

    char request_id[SBX_REQUEST_ID];  // the client's, or one of ours
    size_t request_id_count;
};

struct slot {
    sbx_connection *connection;
    uint32_t generation;
    uint32_t next_free;
};
#define NO_SLOT UINT32_MAX

TAILQ_HEAD(phase_queue, sbx_connection);

struct sbx_gauge {
    atomic_size_t open;
};

struct sbx_worker {
    struct event_base *base;
    struct evhttp *http;
    struct evhttp_bound_socket *bound;
    struct event *tick, *wake, *attention, *soon;
    int wake_read, wake_write;
    int soon_timer;  // what `soon` listens to, or -1
    sbx_limits limits;
    sbx_callbacks callbacks;
    sbx_gauge *gauge;
    pthread_t thread;
    bool is_running, is_stopping, is_listener_paused;
    uint64_t stop_at;
    uint64_t phase_milliseconds[PHASE_COUNT];
    struct phase_queue phases[PHASE_COUNT];
    sbx_connection *first_attention;
    sbx_connection **by_fd;
    size_t fd_count;
    struct slot *slots;
    uint32_t slot_count, first_free_slot;
    time_t date_second;
    char date[40];
    uint64_t next_request_id;
    atomic_bool stop_wanted;
    atomic_uint_least64_t stop_grace;
    atomic_uint_least64_t accepted;
    atomic_size_t open, parked;
};

// connection.c
struct bufferevent *sbx_connection_accept(struct event_base *base, void *worker);
void sbx_connection_enter(sbx_connection *connection, enum phase phase);
void sbx_connection_close(sbx_connection *connection);
bool sbx_connection_keep_interest(sbx_connection *connection);
void sbx_connection_refuse(sbx_connection *connection, sbx_reason reason);
void sbx_connection_handle(struct evhttp_request *request, void *worker);
void sbx_worker_attend(evutil_socket_t fd, short what, void *worker);
void sbx_worker_expire(sbx_worker *worker);

// gate.c
void sbx_gate_open(sbx_connection *connection);
bool sbx_gate_pass(sbx_connection *connection);

// answer.c
/// Room for the longest head of ours: a status line, a date, a request id, a media type of 128 bytes, a length and
/// one more line.
#define SBX_ANSWER_HEAD 512
size_t sbx_answer_head(sbx_connection *connection, const sbx_answer *answer, bool closes, char *into);
void sbx_slot_release(sbx_connection *connection);
/// 1 if the kernel took everything, 0 if some waits in the output buffer, -1 if the connection is broken.
int sbx_write(sbx_connection *connection, const struct iovec *parts, int count);

// stream.c
void sbx_stream_readable(sbx_connection *connection);

// worker.c
uint64_t sbx_milliseconds(void);

#endif
