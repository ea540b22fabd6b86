// What C says and Swift cannot: that memory will be read soon.
#ifndef LAYOUTD_CACHE_H
#define LAYOUTD_CACHE_H

#include <stddef.h>

/// Asks the processor to bring memory into its second-level cache; returns at once.
///
/// Nothing is read, so that any address will do.
static inline void cache_fetch(const void *_Nonnull start, size_t length) {
  // Into the second level: the first takes so few lines at a time that those who ask for more wait.
  for (size_t offset = 0; offset < length; offset += 64) {
    __builtin_prefetch((const char *)start + offset, 0, 2);
  }
}

#endif
