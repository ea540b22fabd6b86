// What the benchmark needs from C: a bare libmicrohttpd program to compare with, and a load.
#ifndef LAYOUTD_BENCHMARK_H
#define LAYOUTD_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients.h"
#include "loops.h"

// Serves one prebuilt answer of `count` bytes to every request, from `loops` threads, and never
// returns. Prints "listening on PORT" on standard output first. It is driven as the shim drives
// libmicrohttpd, and does nothing else: what it costs is what libmicrohttpd and the kernel cost.
void bare_server_run(size_t count, unsigned loops);

typedef struct load_plan {
  uint16_t port;  // of 127.0.0.1
  unsigned connections;
  double seconds;
  // Requests a second in all, falling due at random whatever is under way; 0: one under way on each
  // connection, as fast as they are answered.
  double rate;
  // Requests of `size` bytes each, one after the other in memory: `groups` times `per_connection`.
  // A connection sends those of one group over and over, from number `first` on.
  const uint8_t *_Nonnull requests;
  size_t size;
  unsigned groups, per_connection, first;
  holders *_Nullable holders;  // that have their steps meanwhile; with a rate only
} load_plan;

typedef struct load_result {
  uint64_t answers;       // with status 2xx
  uint64_t failures;      // other answers, connections lost, and answers that never came
  uint64_t body_bytes;    // of all answers
  double seconds;
  // To the last byte, from sending; with a rate from when it fell due.
  double p50_us, p99_us, p999_us;
} load_result;

// Sends requests on kept-alive connections, from the calling thread.
load_result load_run(const load_plan *_Nonnull plan);

// Keeps the calling thread, and what it starts, on one core; -1: on none. Returns false if refused.
bool thread_pin(int core);

// The processor time, in seconds, that a process and its threads have used; negative if unknown.
double process_cpu_seconds(int pid);

// Starts `arguments[0]`, on one core if that is not negative, and waits until it prints a line that
// holds "listening on", from which the last number is the port. Returns the process id, or -1.
int process_start(const char *_Nullable const *_Nonnull arguments, int core,
                  uint16_t *_Nonnull port);

// Runs `arguments[0]` to its end and takes what it prints, ended by a NUL. Returns whether all went
// well.
bool process_run(const char *_Nullable const *_Nonnull arguments, char *_Nonnull output,
                 size_t size);

// Ends a started process and waits for it.
void process_stop(int pid);

// A field of the process's status in KiB, such as VmHWM, the most memory it has used; -1 if unknown.
long process_memory_kib(int pid, const char *_Nonnull field);

// How many entries a directory of the process has, such as fd or task; -1 if unknown.
long process_count(int pid, const char *_Nonnull directory);

// Lets this process, and what it starts, open as many descriptors as it may; returns how many.
long process_raise_descriptors(void);

// The bytes that this process has from malloc; what is free goes back to the system first.
size_t process_allocated(void);

#endif
