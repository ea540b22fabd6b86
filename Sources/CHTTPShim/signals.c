// The signals that end or reload a server.
#define _GNU_SOURCE  // sigtimedwait
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

static sigset_t waited_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

// What shells say of who is ended by a signal.
static void end_at_once(int number) { _exit(128 + number); }

void http_signals_await_start(void) {
  // The first process of a container is not ended by what it has no handler for.
  if (getpid() == 1) {
    signal(SIGTERM, end_at_once);
    signal(SIGINT, end_at_once);
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  // Whoever starts it may have blocked these, which is inherited.
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void http_signals_block(void) {
  sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  // A file past the size that the process may write is an error, of the log or the store, not the end.
  signal(SIGXFSZ, SIG_IGN);
}

int http_signals_wait(unsigned seconds) {
  sigset_t signals = waited_signals();
  struct timespec limit = {.tv_sec = (time_t)seconds};
  int received = sigtimedwait(&signals, NULL, &limit);
  // A container whose rules refuse the call: whoever waits again and again must not do so all the time, and what ends
  // the process must not wait for ever.
  if (received < 0 && errno != EAGAIN && errno != EINTR) {
    sigdelset(&signals, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    nanosleep(&limit, NULL);
  }
  return received > 0 ? received : 0;
}
