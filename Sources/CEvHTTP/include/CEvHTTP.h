// libevent's HTTP server behind plain functions.
//
// One sbx_worker is one thread, one event base and one listening socket. Its callbacks run on its thread; every other
// function that takes a worker or a connection must be called there too, unless it says otherwise. libevent's headers
// stay inside the .c files: they break debug builds of Swift modules.
#ifndef CEVHTTP_H
#define CEVHTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sbx_worker sbx_worker;
typedef struct sbx_connection sbx_connection;
typedef struct sbx_gauge sbx_gauge;

typedef struct {
    const void *bytes;
    size_t count;
} sbx_span;

/// A whole request. Everything in it is valid until the request is answered or the callback returns.
typedef struct {
    sbx_connection *connection;
    int method;  // GET HEAD POST PUT PATCH DELETE from 0
    sbx_span target;
    sbx_span body;
} sbx_request;

/// A whole answer. Nothing in it is kept.
typedef struct {
    int status;
    sbx_span content_type;
    sbx_span header_lines;  // each with its CRLF
    sbx_span body;
    bool is_stream;  // the body is only its beginning
} sbx_answer;

/// Why a request is refused before anybody is asked. The connection closes after the answer.
typedef enum {
    SBX_MALFORMED_REQUEST_LINE,
    SBX_MALFORMED_HEADER,
    SBX_HOST_REQUIRED,
    SBX_AMBIGUOUS_LENGTH,
    SBX_MALFORMED_CHUNK,
    SBX_UNSUPPORTED_TRANSFER_ENCODING,
    SBX_TARGET_TOO_LONG,
    SBX_HEADER_TOO_LARGE,
    SBX_BODY_TOO_LARGE,
    SBX_EXPECTATION_FAILED,
    SBX_METHOD_NOT_IMPLEMENTED,
    SBX_VERSION_NOT_SUPPORTED,
    SBX_REQUEST_TIMEOUT,
    SBX_TOO_MANY_CONNECTIONS,
} sbx_reason;

typedef struct {
    void *context;
    /// How large the body of this request may be. Asked only for bodies above the default and for chunked ones.
    size_t (*body_limit)(void *context, int method, sbx_span target);
    /// A whole request; it must be answered or parked before the callback returns.
    void (*request)(void *context, const sbx_request *request);
    /// A refusal; the callback gives its answer to sbx_refuse.
    void (*refused)(void *context, sbx_connection *connection, sbx_reason reason);
    /// Somebody called sbx_worker_wake.
    void (*woken)(void *context);
    /// Somebody called sbx_worker_soon.
    void (*soon)(void *context);
    /// A stream's connection is gone; the first argument is what sbx_stream_begin was given.
    void (*stream_closed)(void *stream_context, size_t index);
} sbx_callbacks;

typedef struct {
    size_t head;
    size_t target;
    size_t default_body;
    size_t largest_body;
    size_t connections;  // of all workers together
    uint64_t head_milliseconds;
    uint64_t body_milliseconds;
    uint64_t write_milliseconds;
    uint64_t idle_milliseconds;
} sbx_limits;

/// A socket that listens, or the negated errno. Callable anywhere.
///
/// With `is_first`, it fails if any other process listens there, also one that shares its port.
int sbx_listen(const char *address, uint16_t port, bool is_first, uint16_t *bound_port);
void sbx_close(int socket);

/// The number of open connections of several workers. Callable anywhere.
sbx_gauge *sbx_gauge_create(void);
void sbx_gauge_free(sbx_gauge *gauge);

/// NULL if memory is short. Takes the socket in any case.
sbx_worker *sbx_worker_create(
    int listening_socket, const sbx_limits *limits, const sbx_callbacks *callbacks, sbx_gauge *gauge);
/// Starts the thread: 0, or an errno. Callable anywhere, as are the following.
int sbx_worker_start(sbx_worker *worker);
void sbx_worker_wake(sbx_worker *worker);
/// Closes the listener and what is idle, then ends the thread when all requests are answered or time is up.
void sbx_worker_stop(sbx_worker *worker, uint64_t grace_milliseconds);
void sbx_worker_join(sbx_worker *worker);
/// The worker must not be running.
void sbx_worker_free(sbx_worker *worker);
uint64_t sbx_worker_accepted(const sbx_worker *worker);
size_t sbx_worker_open(const sbx_worker *worker);
size_t sbx_worker_parked(const sbx_worker *worker);

/// The first header of that name, whatever its case; bytes is NULL if there is none.
sbx_span sbx_header(sbx_connection *connection, const char *name);
/// The peer's numeric address.
const char *sbx_remote_address(sbx_connection *connection);

/// The request's id: what the client sent as X-Request-Id, or one made here. Every answer carries it.
sbx_span sbx_request_id(sbx_connection *connection);

/// Answers the request that is being handled. The connection may be gone afterwards.
void sbx_answer_now(sbx_connection *connection, const sbx_answer *answer);
/// Lets the request wait: a token for sbx_answer_parked.
uint64_t sbx_park(sbx_connection *connection);
bool sbx_is_parked(sbx_connection *connection);
/// The connection of a request that still waits; NULL if it has been answered otherwise or its connection is gone: then
/// an answer does nothing.
sbx_connection *sbx_parked_connection(sbx_worker *worker, uint64_t token);
void sbx_answer_parked(sbx_worker *worker, uint64_t token, const sbx_answer *answer);
/// Answers a refusal; only inside the callback for it.
void sbx_refuse(sbx_connection *connection, const sbx_answer *answer);

/// Makes the request that is being handled an event stream. The answer's body is its beginning.
///
/// False if it could not be sent; the connection is gone then, after stream_closed. The stream lasts until stream_closed.
bool sbx_stream_begin(sbx_connection *connection, const sbx_answer *answer, void *context, size_t index);
void sbx_stream_set_index(sbx_connection *connection, size_t index);
/// False if the reader was too slow or is gone: the stream was closed, and stream_closed has been called.
bool sbx_stream_send(sbx_connection *connection, sbx_span bytes);
void sbx_stream_end(sbx_connection *connection);
/// Calls back after so many microseconds, 1 to 999 999; what is ready on the worker's sockets is looked at in between. A
/// pause that is under way begins anew.
void sbx_worker_soon(sbx_worker *worker, uint32_t microseconds);

/// A clock that only rises, for durations. Callable anywhere.
uint64_t sbx_nanoseconds(void);

#endif
