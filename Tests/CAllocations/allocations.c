#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

// The functions of the program take the place of the C library's, also for the libraries that it loads.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// With another model a library would ask for the variable's memory at its first use: for ever, here.
static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!is_power || alignment % sizeof(void *) != 0) return EINVAL;
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

bool sbx_counts_allocations(void) { return true; }
uint64_t sbx_allocations(void) { return count; }

#else

bool sbx_counts_allocations(void) { return false; }
uint64_t sbx_allocations(void) { return 0; }

#endif
