// What C says and Swift cannot: that memory will be read soon.
#ifndef LAYOUTD_CACHE_H
#define LAYOUTD_CACHE_H

#include <stddef.h>
#include <stdint.h>

/// Asks the processor to bring memory into its second-level cache; returns at once.
///
/// Nothing is read, so that any address will do.
static inline void cache_fetch(const void *_Nonnull start, size_t length) {
  // Into the second level: the first takes so few lines at a time that those who ask for more wait.
  uintptr_t end = (uintptr_t)start + length;
  for (uintptr_t line = (uintptr_t)start & ~(uintptr_t)63; line < end; line += 64) {
    __builtin_prefetch((const void *)line, 0, 2);
  }
}

#endif
