// Tells the thread sanitizer what the Swift library's mutex does where it does it out of sight: when a thread has
// waited for a lock that another gave up. The library itself is not built with the sanitizer, so without this every
// lock that was fought over looks like none. The fast paths are compiled into the program and are seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slowly(uint32_t, SELF) __asm__(LOCK);
SWIFT void unlock_slowly(SELF) __asm__(UNLOCK);

SWIFT void lock_slowly(uint32_t found, SELF) {
    SWIFT void (*original)(uint32_t, SELF) = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
    original(found, self);
    __tsan_acquire(self);
}

SWIFT void unlock_slowly(SELF) {
    SWIFT void (*original)(SELF) = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
    __tsan_release(self);
    original(self);
}
