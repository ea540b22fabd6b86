// Clients that a server has to bear: those that hold on, too many at once, and those that leave.
#ifndef LAYOUTD_CLIENTS_H
#define LAYOUTD_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Holding

typedef enum __attribute__((enum_extensibility(closed))) holder_kind {
  HOLDER_IDLE,      // half of them have never sent anything, the others one request
  HOLDER_TRICKLER,  // sends a byte of a request at each step
  HOLDER_READER,    // takes a few KiB of an answer at each step
} holder_kind;

typedef struct holders_plan {
  uint16_t port;  // of 127.0.0.1
  holder_kind kind;
  unsigned count;
  double period;  // between two steps of one of them
  const uint8_t *_Nonnull request;  // copied
  size_t size;
} holders_plan;

// Connections that are held open, and opened again when the server cuts them off.
typedef struct holders holders;

// NULL if not all can be opened. Others may go with them: their steps are done too, and they are
// closed with these, or at once if these cannot be opened.
holders *_Nullable holders_open(const holders_plan *_Nonnull plan, holders *_Nullable others);

// Does the next step of at most one of each kind, if it is due: called often by a load, between its
// requests, so that no other thread is in its way.
void holders_step(holders *_Nonnull self, double now);

// How often one of them, or of the others, was cut off.
uint64_t holders_cut_off(const holders *_Nonnull self);

void holders_close(holders *_Nonnull self);

// MARK: Overload

enum { OVERLOAD_CLASSES = 3 };

// Requests of one kind, one after the other in memory.
typedef struct overload_class {
  const uint8_t *_Nullable requests;  // must outlive the load
  const size_t *_Nullable ends;       // where each of them ends; likewise
  unsigned count;
  // Arrivals a second, at random; 0: there is always one due for a connection that is free.
  double rate;
} overload_class;

typedef struct overload_plan {
  uint16_t port;         // of 127.0.0.1
  unsigned connections;  // opened as they are needed, so many at most
  double patience;       // seconds after which an answer is not waited for any more
  overload_class classes[OVERLOAD_CLASSES];
  unsigned class_count;
} overload_plan;

// What became of the arrivals of one kind.
typedef struct overload_counts {
  uint64_t arrivals;    // that fell due
  uint64_t unsent;      // of these: no connection was free, so that the server never knew
  uint64_t answers;     // 2xx
  uint64_t shed;        // 503 with Retry-After
  uint64_t closed;      // refused, reset or closed without an answer
  uint64_t unanswered;  // not within the patience; closed by the client then
  uint64_t wrong;       // anything else
  unsigned wrong_status;  // of the last wrong one; 0: no answer that can be read
  double p50_us, p99_us, p999_us;  // of the answers, from when they fell due to the last byte
} overload_counts;

// A load that does not wait for the server: who is due is sent, whoever else is still waiting.
typedef struct overload overload;

overload *_Nullable overload_start(const overload_plan *_Nonnull plan);

// Goes on for so many seconds, on the calling thread.
void overload_run(overload *_Nonnull self, double seconds);

// Waits for what is under way, without new arrivals, for the patience at most.
void overload_finish(overload *_Nonnull self);

overload_counts overload_result(const overload *_Nonnull self, unsigned class_index);

// Forgets what has been counted; what is under way counts from now on.
void overload_reset(overload *_Nonnull self);

void overload_stop(overload *_Nonnull self);

// MARK: Leaving

typedef struct leaving_request {
  const uint8_t *_Nonnull bytes;
  size_t size;
  size_t line_size;  // of the request line
  size_t head_size;  // of line and header fields
} leaving_request;

typedef struct leaving_plan {
  uint16_t port;  // of 127.0.0.1
  unsigned count;
  unsigned at_once;  // at most 256
  uint64_t seed;
  const leaving_request *_Nonnull requests;
  unsigned request_count;
} leaving_plan;

// Where connections were when they were left, and how.
typedef struct leaving_result {
  uint64_t in_line, in_header, in_body, without_reading, while_reading, between_requests;
  uint64_t resets, ends, half_closes;
  uint64_t failures;  // could not connect
} leaving_result;

// Opens connections and leaves each of them at a random point of a request.
leaving_result leaving_run(const leaving_plan *_Nonnull plan);

#endif
