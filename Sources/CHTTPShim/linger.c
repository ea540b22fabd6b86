#define _GNU_SOURCE  // epoll_create1
// Closing in a way in which the last answer arrives.
//
// A socket that is closed with bytes unread, or that receives more, is reset, and a client that is
// still sending loses the answer that says why it should not. So what a refused client sends is
// read and thrown away for a while.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

static const double lingering_seconds = 2;
// More than most bodies that are refused; nothing of it is kept, or even copied.
static const size_t lingering_bytes = 16 << 20;
// How often one socket is read before others have their turn.
static const int reads_at_once = 16;

bool http_linger_start(http_lingerer *lingerer) {
  atomic_store(&lingerer->count, 0);
  lingerer->epoll = epoll_create1(EPOLL_CLOEXEC);
  return lingerer->epoll >= 0;
}

static unsigned count_of(http_lingerer *lingerer) {
  return atomic_load_explicit(&lingerer->count, memory_order_relaxed);
}

void http_linger_take(http_lingerer *lingerer, int fd, double now) {
  unsigned count = count_of(lingerer);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (count == HTTP_LINGERING_SOCKETS ||
      epoll_ctl(lingerer->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
    close(fd);
    return;
  }
  lingerer->sockets[count].fd = fd;
  lingerer->sockets[count].end = now + lingering_seconds;
  lingerer->sockets[count].left = lingering_bytes;
  atomic_store_explicit(&lingerer->count, count + 1, memory_order_relaxed);
}

// Whether a socket is done with.
static bool drain(int fd, size_t *left) {
  char ignored[1 << 14];
  for (int i = 0; i < reads_at_once; i++) {
    // TCP throws away what would be truncated, without copying it.
    ssize_t count = recv(fd, ignored, sizeof ignored, MSG_DONTWAIT | MSG_TRUNC);
    if (count == 0) return true;
    if (count < 0) return errno != EAGAIN && errno != EINTR;
    if ((size_t)count >= *left) return true;
    *left -= (size_t)count;
  }
  return false;
}

// The last one takes the place of the one that ends.
static void end(http_lingerer *lingerer, unsigned i) {
  unsigned last = count_of(lingerer) - 1;
  close(lingerer->sockets[i].fd);
  lingerer->sockets[i] = lingerer->sockets[last];
  atomic_store_explicit(&lingerer->count, last, memory_order_relaxed);
}

void http_linger_run(http_lingerer *lingerer, double now) {
  for (unsigned i = count_of(lingerer); i-- > 0;) {
    if (now > lingerer->sockets[i].end ||
        drain(lingerer->sockets[i].fd, &lingerer->sockets[i].left))
      end(lingerer, i);
  }
}

void http_linger_end(http_lingerer *lingerer) {
  while (count_of(lingerer) > 0) end(lingerer, 0);
  if (lingerer->epoll >= 0) close(lingerer->epoll);
}
