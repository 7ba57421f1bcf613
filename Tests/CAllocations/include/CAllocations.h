#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted: on glibc, without a sanitizer, which brings an allocator of its own.
bool sbx_counts_allocations(void);

/// How often this thread has asked for memory since it began, or 0 where that is not counted.
uint64_t sbx_allocations(void);

#endif
