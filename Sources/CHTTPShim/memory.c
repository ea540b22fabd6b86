// How malloc is to keep memory.
#define _GNU_SOURCE  // madvise
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // since Linux 6.1; before, it is refused
#endif

void http_memory_give_back(void) {
#ifdef __GLIBC__
  // What one thread makes and another frees tears holes into the arena of the first, in which the
  // others may not put anything: with one for each thread a churn of sessions took a third more.
  mallopt(M_ARENA_MAX, 2);
  // Above the answers of some thousand elements, which would otherwise be written into new pages
  // each time: to have them cleared takes as long as to write the text.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

#ifdef __GLIBC__
// Has new memory in large pages at once, where whole ones fit: faults for each 4 KiB of it take four
// times as long. The system asks that some of each has been written to, as malloc has, and does it also
// where large pages are not a program's as a rule.
static void collapse(uint8_t *start, uint8_t *end) {
  uintptr_t size = HTTP_LARGE_PAGE_BYTES;
  uintptr_t first = ((uintptr_t)start + size - 1) & ~(size - 1);
  uintptr_t last = (uintptr_t)end & ~(size - 1);
  if (first < last) (void)madvise((void *)first, last - first, MADV_COLLAPSE);
}

// Whether there is nothing between two pieces but what malloc keeps with each.
static bool is_next(const uint8_t *piece, const uint8_t *end) {
  return (uintptr_t)piece - (uintptr_t)end <= 64;
}
#endif

void *http_memory_make_room(size_t count) {
#ifdef __GLIBC__
  // Each smaller than what malloc maps on its own.
  enum { piece_bytes = 512 << 10, most_pieces = 32 };
  uint8_t *pieces[most_pieces];
  unsigned taken = 0;
  while (taken < most_pieces && (size_t)taken * piece_bytes < count &&
         (pieces[taken] = malloc(piece_bytes)))
    taken++;
  // One more stays taken: what is free at the end of an arena is given back at once.
  void *fence = malloc(piece_bytes);
  for (unsigned first = 0, next = 1; first < taken; next++) {
    if (next < taken && is_next(pieces[next], pieces[next - 1] + piece_bytes)) continue;
    collapse(pieces[first], pieces[next - 1] + piece_bytes);
    first = next;
  }
  while (taken > 0) free(pieces[--taken]);
  return fence;
#else
  (void)count;
  return NULL;
#endif
}

void http_memory_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
