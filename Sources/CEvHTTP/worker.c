#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#endif

uint64_t sbx_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Coarse: it is read for every request, and deadlines are seconds.
uint64_t sbx_milliseconds(void) {
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static int bound_socket(const struct addrinfo *address, bool shares_port) {
    int on = 1;
    int fd = socket(address->ai_family, SOCK_STREAM, 0);
    if (fd < 0) return -errno;
    int failed = fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK)
        || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)
        || (shares_port && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on))
        || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)  // accepted sockets inherit it
        || bind(fd, address->ai_addr, address->ai_addrlen);
    if (!failed) return fd;
    int error = errno;
    close(fd);
    return -error;
}

int sbx_listen(const char *host, uint16_t port, bool is_first, uint16_t *bound_port) {
    struct addrinfo hints = {
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *address = NULL;
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    if (getaddrinfo(host, service, &hints, &address) != 0) return -EADDRNOTAVAIL;
    int fd = 0;
    if (is_first && port != 0) {
        // A second server of the same user would silently share the port: a socket that does not share finds out.
        fd = bound_socket(address, false);
        if (fd >= 0) close(fd);
    }
    if (fd >= 0) fd = bound_socket(address, true);
    freeaddrinfo(address);
    if (fd < 0) return fd;
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    if (listen(fd, 1024) || getsockname(fd, (struct sockaddr *)&own, &length)) {
        int error = errno;
        close(fd);
        return -error;
    }
    *bound_port = ntohs(
        own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port : ((struct sockaddr_in *)&own)->sin_port);
    return fd;
}

void sbx_close(int socket) { close(socket); }

sbx_gauge *sbx_gauge_create(void) { return calloc(1, sizeof(sbx_gauge)); }
void sbx_gauge_free(sbx_gauge *gauge) { free(gauge); }

static void close_listener(sbx_worker *worker) {
    if (worker->bound) evhttp_del_accept_socket(worker->http, worker->bound);
    worker->bound = NULL;
}

static void end_if_done(sbx_worker *worker) {
    if (worker->is_stopping && atomic_load_explicit(&worker->open, memory_order_relaxed) == 0)
        event_base_loopbreak(worker->base);
}

static void begin_stop(sbx_worker *worker) {
    worker->is_stopping = true;
    worker->stop_at = sbx_milliseconds() + atomic_load(&worker->stop_grace);
    close_listener(worker);
    sbx_connection *connection;
    while ((connection = TAILQ_FIRST(&worker->phases[PHASE_IDLE]))) sbx_connection_close(connection);
    while ((connection = TAILQ_FIRST(&worker->phases[PHASE_STREAMING]))) sbx_stream_end(connection);
}

static void on_wake(evutil_socket_t fd, short what, void *argument) {
    (void)what;
    sbx_worker *worker = argument;
    char drained[64];
    while (read(fd, drained, sizeof drained) == (ssize_t)sizeof drained) {}
    worker->callbacks.woken(worker->callbacks.context);
    if (!worker->is_stopping && atomic_load(&worker->stop_wanted)) begin_stop(worker);
    end_if_done(worker);
}

static void on_soon(evutil_socket_t fd, short what, void *argument) {
    (void)what;
    sbx_worker *worker = argument;
    uint64_t expirations;
    // Nothing to read: the pause began anew meanwhile.
    if (fd >= 0 && read(fd, &expirations, sizeof expirations) < 0) return;
    worker->callbacks.soon(worker->callbacks.context);
}

#ifdef __linux__
// A descriptor and not libevent's timer, which follows a clock that moves every few milliseconds only.
static bool open_soon(sbx_worker *worker) {
    worker->soon_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (worker->soon_timer < 0) return false;
    worker->soon = event_new(worker->base, worker->soon_timer, EV_READ | EV_PERSIST, on_soon, worker);
    return worker->soon && event_add(worker->soon, NULL) == 0;
}

void sbx_worker_soon(sbx_worker *worker, uint32_t microseconds) {
    struct itimerspec pause = {.it_value = {.tv_nsec = (long)microseconds * 1000}};
    timerfd_settime(worker->soon_timer, 0, &pause, NULL);
}
#else
static bool open_soon(sbx_worker *worker) {
    worker->soon = event_new(worker->base, -1, 0, on_soon, worker);
    return worker->soon != NULL;
}

void sbx_worker_soon(sbx_worker *worker, uint32_t microseconds) {
    struct timeval pause = {.tv_usec = (suseconds_t)microseconds};
    event_add(worker->soon, &pause);
}
#endif

static void on_tick(evutil_socket_t fd, short what, void *argument) {
    (void)fd, (void)what;
    sbx_worker *worker = argument;
    sbx_worker_expire(worker);
    if (worker->is_listener_paused && worker->bound) {
        worker->is_listener_paused = false;
        evconnlistener_enable(evhttp_bound_socket_get_listener(worker->bound));
    }
    if (worker->is_stopping && sbx_milliseconds() >= worker->stop_at) event_base_loopbreak(worker->base);
    end_if_done(worker);
}

/// The worker of this thread. evhttp keeps the argument of its listener to itself.
static _Thread_local sbx_worker *current;

/// Out of descriptors or memory: a listener that stays readable would spin.
static void on_accept_error(struct evconnlistener *listener, void *argument) {
    (void)argument;
    current->is_listener_paused = true;
    evconnlistener_disable(listener);
}

static bool open_wake(sbx_worker *worker) {
#ifdef __linux__
    worker->wake_read = worker->wake_write = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return worker->wake_read >= 0;
#else
    int ends[2];
    if (pipe(ends)) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    worker->wake_read = ends[0];
    worker->wake_write = ends[1];
    return true;
#endif
}

/// Often enough to keep the shortest deadline within an eighth of its length.
static struct timeval tick_interval(const sbx_limits *limits) {
    uint64_t deadlines[] = {limits->head_milliseconds, limits->body_milliseconds, limits->write_milliseconds,
                            limits->idle_milliseconds};
    uint64_t interval = 250;
    for (size_t i = 0; i < sizeof deadlines / sizeof *deadlines; i++)
        if (deadlines[i] / 8 < interval) interval = deadlines[i] / 8;
    if (interval < 5) interval = 5;
    return (struct timeval){.tv_usec = (suseconds_t)interval * 1000};
}

static bool set_up(sbx_worker *worker, int listening_socket) {
    struct event_config *config = event_config_new();
    if (config) {
        // Reading is switched off and on again around every request; the change list makes that free.
        event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
        worker->base = event_base_new_with_config(config);
        event_config_free(config);
    }
    if (!worker->base || !(worker->http = evhttp_new(worker->base)) || !open_wake(worker)) return false;
    evhttp_set_allowed_methods(worker->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT
        | EVHTTP_REQ_PATCH | EVHTTP_REQ_DELETE);
    // The gate refuses first, with our words. These are the second line.
    evhttp_set_max_headers_size(worker->http, (ev_ssize_t)worker->limits.head + 1024);
    evhttp_set_max_body_size(worker->http, (ev_ssize_t)worker->limits.largest_body);
    evhttp_set_bevcb(worker->http, sbx_connection_accept, worker);
    evhttp_set_gencb(worker->http, sbx_connection_handle, worker);
    worker->tick = event_new(worker->base, -1, EV_PERSIST, on_tick, worker);
    worker->wake = event_new(worker->base, worker->wake_read, EV_READ | EV_PERSIST, on_wake, worker);
    worker->attention = event_new(worker->base, -1, 0, sbx_worker_attend, worker);
    struct timeval interval = tick_interval(&worker->limits);
    if (!worker->tick || !worker->wake || !worker->attention || !open_soon(worker)) return false;
    if (event_add(worker->tick, &interval) || event_add(worker->wake, NULL)) return false;
    worker->bound = evhttp_accept_socket_with_handle(worker->http, listening_socket);
    if (!worker->bound) return false;
    evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(worker->bound), on_accept_error);
    return true;
}

sbx_worker *sbx_worker_create(
    int listening_socket, const sbx_limits *limits, const sbx_callbacks *callbacks, sbx_gauge *gauge) {
    sbx_worker *worker = calloc(1, sizeof *worker);
    if (!worker) {
        close(listening_socket);
        return NULL;
    }
    worker->limits = *limits;
    worker->callbacks = *callbacks;
    worker->gauge = gauge;
    worker->wake_read = worker->wake_write = worker->soon_timer = -1;
    evutil_secure_rng_get_bytes(&worker->next_request_id, sizeof worker->next_request_id);
    worker->first_free_slot = NO_SLOT;
    worker->phase_milliseconds[PHASE_IDLE] = limits->idle_milliseconds;
    worker->phase_milliseconds[PHASE_HEAD] = limits->head_milliseconds;
    worker->phase_milliseconds[PHASE_BODY] = limits->body_milliseconds;
    worker->phase_milliseconds[PHASE_WRITING] = limits->write_milliseconds;
    worker->phase_milliseconds[PHASE_CLOSING] = 2000;
    for (int phase = 0; phase < PHASE_COUNT; phase++) TAILQ_INIT(&worker->phases[phase]);
    if (set_up(worker, listening_socket)) return worker;
    if (!worker->bound) close(listening_socket);
    sbx_worker_free(worker);
    return NULL;
}

static void *run(void *argument) {
    sbx_worker *worker = current = argument;
    event_base_dispatch(worker->base);
    close_listener(worker);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        sbx_connection *connection;
        while ((connection = TAILQ_FIRST(&worker->phases[phase]))) sbx_connection_close(connection);
    }
    return NULL;
}

int sbx_worker_start(sbx_worker *worker) {
    // Signals belong to the main thread; SIGPIPE of a write to a closed socket is an error code here, not a signal.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&worker->thread, NULL, run, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    worker->is_running = error == 0;
    return error;
}

void sbx_worker_wake(sbx_worker *worker) {
    uint64_t one = 1;
#ifdef __linux__
    ssize_t written = write(worker->wake_write, &one, sizeof one);
#else
    ssize_t written = write(worker->wake_write, &one, 1);
#endif
    (void)written;  // a full counter or pipe wakes just as well
}

void sbx_worker_stop(sbx_worker *worker, uint64_t grace_milliseconds) {
    atomic_store(&worker->stop_grace, grace_milliseconds);
    atomic_store(&worker->stop_wanted, true);
    sbx_worker_wake(worker);
}

void sbx_worker_join(sbx_worker *worker) {
    if (worker->is_running) pthread_join(worker->thread, NULL);
    worker->is_running = false;
}

void sbx_worker_free(sbx_worker *worker) {
    if (worker->tick) event_free(worker->tick);
    if (worker->wake) event_free(worker->wake);
    if (worker->attention) event_free(worker->attention);
    if (worker->soon) event_free(worker->soon);
    if (worker->soon_timer >= 0) close(worker->soon_timer);
    if (worker->http) evhttp_free(worker->http);
    if (worker->base) event_base_free(worker->base);
    if (worker->wake_write >= 0) close(worker->wake_write);
    if (worker->wake_read >= 0 && worker->wake_read != worker->wake_write) close(worker->wake_read);
    free(worker->by_fd);
    free(worker->slots);
    free(worker);
}

uint64_t sbx_worker_accepted(const sbx_worker *worker) { return atomic_load(&worker->accepted); }
size_t sbx_worker_open(const sbx_worker *worker) { return atomic_load(&worker->open); }
size_t sbx_worker_parked(const sbx_worker *worker) { return atomic_load(&worker->parked); }
