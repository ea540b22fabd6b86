#define _GNU_SOURCE  // pthread_setname_np, gettid
// Clocks, names and priorities of threads, and waiting for their end.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

uint64_t http_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

double http_now(void) { return (double)http_clock() * 1e-9; }

bool http_thread_start(pthread_t *thread, void *(*run)(void *), void *context, char *error,
                       size_t error_size) {
  // What a limit of threads or memory answers, and a container that refuses the system call, are different numbers.
  int failure = pthread_create(thread, NULL, run, context);
  if (failure == 0) return true;
  snprintf(error, error_size, "cannot start a thread, see --io-threads and --worker-threads: %s",
           strerror(failure));
  return false;
}

void http_thread_name(const char *kind, int number) {
  char name[16];  // all that Linux takes
  if (number < 0) snprintf(name, sizeof name, "%s", kind);
  else snprintf(name, sizeof name, "%s %d", kind, number % 10000);
  pthread_setname_np(pthread_self(), name);
}

void http_thread_yield_to_others(void) {
  // On Linux a priority is a thread's own, and at first that of who has started it: the process may have been
  // put behind others already. If it cannot be changed, nothing is lost but that.
  int niceness = getpriority(PRIO_PROCESS, (id_t)gettid()) + 10;
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), niceness < 19 ? niceness : 19);
}

void http_thread_ends(http_server *server, unsigned *count) {
  pthread_mutex_lock(&server->end_lock);
  (*count)++;
  pthread_cond_broadcast(&server->thread_ended);
  pthread_mutex_unlock(&server->end_lock);
}

bool http_threads_await(http_server *server, const unsigned *count, unsigned expected,
                        double end) {
  struct timespec time = {.tv_sec = (time_t)end, .tv_nsec = (long)((end - (time_t)end) * 1e9)};
  pthread_mutex_lock(&server->end_lock);
  int failure = 0;
  while (*count < expected && failure != ETIMEDOUT)
    failure = pthread_cond_timedwait(&server->thread_ended, &server->end_lock, &time);
  bool have_ended = *count == expected;
  pthread_mutex_unlock(&server->end_lock);
  return have_ended;
}
