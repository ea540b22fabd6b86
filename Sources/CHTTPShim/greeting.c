// TLS handshakes, each of which goes on when its client has said more.
//
// libmicrohttpd takes one that waits for its client for one that can go on, and tries all of them in every turn: five
// hundred clients that stop after their first word keep a loop turning, and everybody else's ticks wait twenty
// milliseconds. So whoever has more to say is set aside until it has come.
#define _GNU_SOURCE  // epoll_create1, EPOLLRDHUP
#include <sys/epoll.h>
#include <unistd.h>

#include "internal.h"

bool http_greeters_start(http_loop *loop) {
  loop->greeters_epoll = epoll_create1(EPOLL_CLOEXEC);
  return loop->greeters_epoll >= 0;
}

void http_greeter_begin(http_connection *connection) {
  connection->next_greeter = connection->loop->greeters;
  connection->loop->greeters = connection;
}

void http_greeter_end(http_connection *connection) {
  http_connection **it = &connection->loop->greeters;
  while (*it && *it != connection) it = &(*it)->next_greeter;
  if (*it) *it = connection->next_greeter;
}

static void set_aside(http_connection *connection) {
  struct epoll_event event = {.events = http_tls_awaits(connection->session) | EPOLLRDHUP,
                              .data.ptr = connection};
  // Where there is no memory libmicrohttpd goes on trying.
  if (epoll_ctl(connection->loop->greeters_epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0) {
    http_greeter_begin(connection);
    return;
  }
  MHD_suspend_connection(connection->mhd);
  connection->is_aside = true;
}

static void fetch(http_connection *connection) {
  epoll_ctl(connection->loop->greeters_epoll, EPOLL_CTL_DEL, connection->fd, NULL);
  MHD_resume_connection(connection->mhd);
  connection->is_aside = false;
  http_greeter_begin(connection);
}

void http_greeters_settle(http_loop *loop) {
  http_connection *it = loop->greeters;
  loop->greeters = NULL;
  for (http_connection *next; it; it = next) {
    next = it->next_greeter;
    // It has been cut, or its first request is being read.
    if (it->state != CONNECTION_GREETING) continue;
    if (!http_tls_has_begun(it->session)) {
      set_aside(it);
      continue;
    }
    http_connection_enter(it, CONNECTION_IDLE);
    it->records = http_tls_first_record(it->session);
  }
}

void http_greeters_wake(http_loop *loop) {
  struct epoll_event events[64];
  // The others are told of in the next turn.
  int count = epoll_wait(loop->greeters_epoll, events, 64, 0);
  for (int i = 0; i < count; i++) fetch(events[i].data.ptr);
}

void http_greeters_stop(http_loop *loop) {
  for (http_connection *it = loop->connections; it; it = it->next)
    if (it->is_aside) fetch(it);
}
