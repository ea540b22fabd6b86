// The memory of bodies and answers that are under way, on the loop's thread.
#define _DEFAULT_SOURCE  // madvise
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

// What a recycled exchange may keep of its body buffer.
static const size_t kept_body_bytes = 1 << 20;
// How much a loop keeps of body buffers that have been used, all together: 64 MiB would be idle after a
// rush else, and a mebibyte with each client that does not take its answer.
static const size_t kept_loop_bytes = 4 << 20;
// Long bodies come in rushes, and to have pages cleared takes half as long as to receive what fills
// them: a loop keeps the buffer of one for the next, for a while.
static const size_t kept_long_body_bytes = 16 << 20;
static const double kept_long_body_seconds = 10;

// Says how much an exchange keeps of a buffer that has been used. That counts until it is let go of again:
// its pages are there, whatever the next request on it sends.
static void count_kept(http_exchange *exchange, size_t count) {
  exchange->loop->kept_bytes += count - exchange->kept;
  exchange->kept = count;
}

void http_hold(http_exchange *exchange, size_t count) {
  http_loop *loop = exchange->loop;
  int64_t change = (int64_t)count - (int64_t)exchange->held;
  http_count(&loop->held, change);
  http_count(&loop->held_in_line[exchange->held_line], -(int64_t)exchange->held);
  exchange->held_line = http_line_number(exchange);
  http_count(&loop->held_in_line[exchange->held_line], (int64_t)count);
  if (exchange->held > HTTP_SHORT_BODY_BYTES && change < 0) http_count(&loop->freed, -change);
  exchange->held = count;
}

bool http_may_hold(const http_exchange *exchange, uint64_t count) {
  const http_server *server = exchange->loop->server;
  size_t limit = server->options.max_held_bytes;
  if (count <= HTTP_UNCHECKED_BYTES || limit == 0) return true;
  if (count > limit) return false;
  unsigned line = http_line_number(exchange);
  uint64_t sum = count - exchange->held;
  uint64_t own = exchange->held_line == line ? sum : count;
  for (unsigned i = 0; i < server->loop_count; i++) {
    const http_loop *loop = &server->loops[i];
    sum += atomic_load_explicit(&loop->held, memory_order_relaxed);
    own += atomic_load_explicit(&loop->held_in_line[line], memory_order_relaxed);
  }
  return sum <= limit && own <= http_line_share(line, limit);
}

static void drop_body(http_exchange *exchange) {
  free(exchange->body);
  exchange->body = NULL;
  exchange->body_capacity = 0;
}

void http_body_free(http_exchange *exchange) {
  count_kept(exchange, 0);
  drop_body(exchange);
}

void http_body_sweep(http_loop *loop) {
  if (loop->now - loop->long_body_since <= kept_long_body_seconds) return;
  free(loop->long_body);
  loop->long_body = NULL;
  loop->long_body_capacity = 0;
}

void http_body_let_go(http_exchange *exchange) {
  http_hold(exchange, 0);
  count_kept(exchange, 0);
  size_t capacity = exchange->body_capacity;
  http_loop *loop = exchange->loop;
  if (capacity <= kept_body_bytes && loop->kept_bytes + capacity <= kept_loop_bytes) {
    count_kept(exchange, capacity);
    return;
  }
  if (capacity > kept_body_bytes && capacity <= kept_long_body_bytes &&
      capacity >= loop->long_body_capacity) {
    free(loop->long_body);
    loop->long_body = exchange->body;
    loop->long_body_capacity = capacity;
    loop->long_body_since = loop->now;
    exchange->body = NULL;
  }
  drop_body(exchange);
}

// Memory for a long body, in large pages where there are any: faults for each 4 KiB take longer
// than receiving what they hold. What is not touched takes none all the same. Takes over what has
// arrived.
static uint8_t *move_to_large_pages(uint8_t *body, size_t count, size_t capacity) {
  void *start;
  if (posix_memalign(&start, HTTP_LARGE_PAGE_BYTES, capacity) != 0) return NULL;
  // A hint only; whole pages, so that neighbours are none of its business.
  (void)madvise(start, capacity & ~(HTTP_LARGE_PAGE_BYTES - 1), MADV_HUGEPAGE);
  if (count > 0) memcpy(start, body, count);
  free(body);
  return start;
}

// Takes the loop's buffer for what has arrived and the rest of it; false if it has none that suits.
// All its pages are there, so that all of it is held: a length is only a promise, and who has sent
// nothing, or wants much less, must not keep it from others.
static bool move_to_kept(http_exchange *exchange, size_t capacity) {
  http_loop *loop = exchange->loop;
  size_t kept = loop->long_body_capacity;
  if (exchange->body_count == 0 || kept < capacity || kept / 2 > capacity ||
      !http_may_hold(exchange, kept))
    return false;
  memcpy(loop->long_body, exchange->body, exchange->body_count);
  free(exchange->body);
  exchange->body = loop->long_body;
  exchange->body_capacity = kept;
  http_hold(exchange, kept);
  loop->long_body = NULL;
  loop->long_body_capacity = 0;
  return true;
}

// How large a buffer becomes that has to have so many bytes: twice as large each time, so that whoever sends
// little of what he has announced is given little, and no larger than the body can be.
static size_t choose_capacity(const http_exchange *exchange, size_t needed) {
  size_t capacity = 4096;
  while (capacity < needed) capacity *= 2;
  size_t most = (exchange->is_chunked ? http_longest_body(exchange) : exchange->announced) +
                HTTP_BODY_PADDING;
  // Short ones are found large enough by the next request.
  if (capacity <= HTTP_UNCHECKED_BYTES || needed > most) return capacity;
  // Who has sent that much of what was announced is believed the rest.
  bool is_believed = needed > kept_body_bytes && !exchange->is_chunked;
  return is_believed || capacity > most ? most : capacity;
}

bool http_body_reserve(http_exchange *exchange, size_t count) {
  size_t needed = count + HTTP_BODY_PADDING;
  if (needed <= exchange->body_capacity) return true;
  size_t capacity = choose_capacity(exchange, needed);
  if (capacity > kept_body_bytes && move_to_kept(exchange, capacity)) return true;
  uint8_t *body = capacity < HTTP_LARGE_PAGE_BYTES
                      ? realloc(exchange->body, capacity)
                      : move_to_large_pages(exchange->body, exchange->body_count, capacity);
  if (!body) return false;
  exchange->body = body;
  exchange->body_capacity = capacity;
  return true;
}
