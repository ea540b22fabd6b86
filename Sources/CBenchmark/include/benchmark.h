// What the benchmark needs from C: a bare libmicrohttpd program to compare with, and a load.
#ifndef LAYOUTD_BENCHMARK_H
#define LAYOUTD_BENCHMARK_H

#include <stddef.h>
#include <stdint.h>

#include "loops.h"

// Serves one prebuilt answer of `count` bytes to every request, from `loops` threads, and never
// returns. Prints "listening on PORT" on standard output first. It is driven as the shim drives
// libmicrohttpd, and does nothing else: what it costs is what libmicrohttpd and the kernel cost.
void bare_server_run(size_t count, unsigned loops);

typedef struct load_result {
  uint64_t answers;       // with status 2xx
  uint64_t failures;      // other answers, and connections lost
  double seconds;
  double p50_us, p99_us;  // from sending to the last byte
  size_t answer_bytes;    // of the last answer's body
} load_result;

// Sends requests on so many kept-alive connections of 127.0.0.1, one under way on each, for so many
// seconds. There are `kinds` requests of `count` bytes each, one after the other in memory; a
// connection always sends the same.
load_result load_run(uint16_t port, unsigned connections, double seconds,
                     const uint8_t *_Nonnull requests, size_t count, unsigned kinds);

// The processor time, in seconds, that a process and its threads have used; negative if unknown.
double process_cpu_seconds(int pid);

// Starts `arguments[0]` and waits until it prints a line that holds "listening on", from which the
// last number is the port. Returns the process id, or -1.
int process_start(const char *_Nullable const *_Nonnull arguments, uint16_t *_Nonnull port);

// Ends a started process and waits for it.
void process_stop(int pid);

// The most memory the process has used so far, in KiB; -1 if unknown.
long process_peak_kib(int pid);

#endif
