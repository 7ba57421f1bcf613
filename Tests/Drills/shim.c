/* Loaded before the C library (LD_PRELOAD) into a server under test: makes chosen calls on the database fail, skips
 * syncs, kills at the n-th call, and moves the clock. It is steered through a file that both sides map (SHIM_CONTROL;
 * faults.py has the same layout), so that a fault can begin and end while the server runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct control {
    int64_t calls;        /* counted calls so far */
    int64_t failing_call; /* the first call that fails, from 1; 0: none */
    int64_t error;        /* errno of a failing call; -1: SIGKILL instead */
    int64_t is_lasting;   /* whether the calls after it fail too */
    int64_t failures;     /* calls that were made to fail */
    int64_t skips_syncs;  /* whether syncs of the log are only pretended */
    int64_t clock_offset; /* milliseconds added to the time of day */
    int64_t frozen_at;    /* the time of day in milliseconds, if not 0 */
    int64_t tick;         /* milliseconds after which a wait for signals ends, if not 0 */
    int64_t counts;       /* 1: writes, 2: syncs, 3: both */
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SHIM_CONTROL");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *start = mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (start != MAP_FAILED) control = start;
    close(file);
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

/* Whether the file is the database or its log; *is_log tells which. */
static int is_database(int file, int *is_log) {
    char link[64], path[4096];
    int digits = 0, number = file, size = 0;
    char reversed[16];
    do reversed[digits++] = '0' + number % 10; while ((number /= 10) > 0);
    memcpy(link, "/proc/self/fd/", 14);
    size = 14;
    while (digits > 0) link[size++] = reversed[--digits];
    link[size] = 0;
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    *is_log = length > 4 && !strcmp(path + length - 4, "-wal");
    return strstr(path, "signalbox.db") && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

/* Counts a call and says whether it has to fail. */
static int fails(int kind) {
    if (!(control->counts & kind)) return 0;
    int64_t call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    int64_t first = control->failing_call;
    if (first == 0 || call < first || (call > first && !control->is_lasting)) return 0;
    control->failures++;
    if (control->error < 0) kill(getpid(), SIGKILL);
    errno = (int)control->error;
    return 1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    int is_log;
    if (!real) real = next("pwrite64");
    if (control && is_database(file, &is_log) && fails(1)) return -1;
    return real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return pwrite64(file, bytes, count, offset); }

static int sync_file(int file, const char *name) {
    int (*real)(int) = next(name);
    int is_log;
    if (control && is_database(file, &is_log)) {
        if (fails(2)) return -1;
        if (is_log && control->skips_syncs) return 0;
    }
    return real(file);
}

int fsync(int file) { return sync_file(file, "fsync"); }
int fdatasync(int file) { return sync_file(file, "fdatasync"); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = next("clock_gettime");
    int code = real(clock, time);
    if (code || !control || clock != CLOCK_REALTIME) return code;
    int64_t milliseconds = control->frozen_at
        ? control->frozen_at
        : time->tv_sec * 1000LL + time->tv_nsec / 1000000 + control->clock_offset;
    time->tv_sec = milliseconds / 1000;
    time->tv_nsec = milliseconds % 1000 * 1000000;
    return 0;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit) {
    static int (*real)(const sigset_t *, siginfo_t *, const struct timespec *);
    struct timespec tick;
    if (!real) real = next("sigtimedwait");
    if (control && control->tick && limit) {
        tick.tv_sec = control->tick / 1000;
        tick.tv_nsec = control->tick % 1000 * 1000000;
        limit = &tick;
    }
    return real(set, info, limit);
}
