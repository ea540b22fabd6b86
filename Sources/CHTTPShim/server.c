// Starting, accepting, stopping.
#define _GNU_SOURCE  // accept4
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

// Says no to a connection past the cap; libmicrohttpd would let it hang.
static void turn_away(http_server *server, int fd) {
  char body[512], text[1024];
  size_t count = http_problem_body(503, "too many connections", body, sizeof body);
  int size = snprintf(text, sizeof text,
                      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json"
                      "\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                      count, body);
  (void)!send(fd, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
  // Closing with bytes unread would reset the connection and take the answer along.
  shutdown(fd, SHUT_WR);
  char ignored[4096];
  (void)!recv(fd, ignored, sizeof ignored, MSG_DONTWAIT);
  close(fd);
  atomic_fetch_add_explicit(&server->refused, 1, memory_order_relaxed);
}

static void *accept_connections(void *context) {
  http_server *server = context;
  struct pollfd fds[2] = {{.fd = server->listener, .events = POLLIN},
                          {.fd = server->acceptor_wakeup, .events = POLLIN}};
  while (!atomic_load(&server->stops_acceptor)) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR) break;
    int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      // Out of descriptors: the connection waits, and so do we, rather than spin.
      if (errno == EMFILE || errno == ENFILE) usleep(10 * 1000);
      continue;
    }
    if (atomic_load(&server->connections) >= server->options.max_connections) {
      turn_away(server, fd);
      continue;
    }
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    http_loop *least = &server->loops[0];
    for (unsigned i = 1; i < server->loop_count; i++)
      if (atomic_load(&server->loops[i].connection_count) < atomic_load(&least->connection_count))
        least = &server->loops[i];
    atomic_fetch_add_explicit(&server->accepted, 1, memory_order_relaxed);
    http_loop_take_socket(least, fd);
  }
  return NULL;
}

static bool listen_on(http_server *server, char *error, size_t error_size) {
  char port[8];
  snprintf(port, sizeof port, "%u", server->options.port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
  int failure = getaddrinfo(server->host, port, &hints, &found);
  if (failure != 0) {
    snprintf(error, error_size, "cannot find %s: %s", server->host, gai_strerror(failure));
    return false;
  }
  for (struct addrinfo *it = found; it && server->listener < 0; it = it->ai_next) {
    int fd = socket(it->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, it->ai_addr, it->ai_addrlen) == 0 && listen(fd, 1024) == 0) {
      server->listener = fd;
    } else {
      snprintf(error, error_size, "cannot listen on %s port %s: %s", server->host, port,
               strerror(errno));
      close(fd);
    }
  }
  freeaddrinfo(found);
  if (server->listener < 0) return false;
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  getsockname(server->listener, (struct sockaddr *)&address, &size);
  server->port = ntohs(address.ss_family == AF_INET6
                           ? ((struct sockaddr_in6 *)&address)->sin6_port
                           : ((struct sockaddr_in *)&address)->sin_port);
  return true;
}

// Ends the threads that were started, in the order in which work flows, and frees everything.
static void tear_down(http_server *server) {
  pthread_mutex_lock(&server->queue_lock);
  server->stops_workers = true;
  pthread_cond_broadcast(&server->queue_filled);
  pthread_mutex_unlock(&server->queue_lock);
  for (unsigned i = 0; i < server->worker_count; i++) pthread_join(server->workers[i], NULL);
  atomic_store(&server->stops_loops, true);
  for (unsigned i = 0; i < server->loop_count; i++) {
    http_loop_wake(&server->loops[i]);
    pthread_join(server->loops[i].thread, NULL);
  }
  if (server->listener >= 0) close(server->listener);
  if (server->acceptor_wakeup >= 0) close(server->acceptor_wakeup);
  pthread_cond_destroy(&server->queue_filled);
  pthread_mutex_destroy(&server->queue_lock);
  free(server->workers);
  free(server->loops);
  free(server->host);
  free(server);
}

http_server *http_server_start(const http_options *options, http_handler handler, void *context,
                               char *error, size_t error_size) {
  snprintf(error, error_size, "out of memory or threads");
  http_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->options = *options;
  server->handler = handler;
  server->context = context;
  server->listener = -1;
  server->acceptor_wakeup = -1;
  pthread_mutex_init(&server->queue_lock, NULL);
  pthread_cond_init(&server->queue_filled, NULL);
  server->host = strdup(options->host);
  server->loops = calloc(options->loops, sizeof *server->loops);
  server->workers = calloc(options->workers, sizeof *server->workers);
  bool ok = server->host && server->loops && server->workers &&
            listen_on(server, error, error_size);
  server->acceptor_wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (unsigned i = 0; ok && i < options->loops; i++)
    if ((ok = http_loop_start(&server->loops[i], server))) server->loop_count++;
  for (unsigned i = 0; ok && i < options->workers; i++)
    if ((ok = pthread_create(&server->workers[i], NULL, http_worker_run, server) == 0))
      server->worker_count++;
  ok = ok && server->acceptor_wakeup >= 0 &&
       pthread_create(&server->acceptor, NULL, accept_connections, server) == 0;
  if (ok) return server;
  tear_down(server);
  return NULL;
}

uint16_t http_server_port(const http_server *server) { return server->port; }

http_statistics http_server_statistics(http_server *server) {
  pthread_mutex_lock(&server->queue_lock);
  uint64_t queued = server->queue_count;
  pthread_mutex_unlock(&server->queue_lock);
  http_statistics statistics = {
      .accepted = atomic_load(&server->accepted),
      .refused = atomic_load(&server->refused),
      .connections = atomic_load(&server->connections),
      .queued = queued,
  };
  for (unsigned i = 0; i < server->loop_count; i++) {
    http_loop *loop = &server->loops[i];
    statistics.requests += atomic_load(&loop->requests);
    statistics.shed += atomic_load(&loop->shed);
    statistics.timed_out += atomic_load(&loop->timed_out);
    statistics.in_flight += atomic_load(&loop->in_flight);
  }
  return statistics;
}

// How many requests have begun.
static uint64_t count_starts(http_server *server) {
  uint64_t starts = 0;
  for (unsigned i = 0; i < server->loop_count; i++)
    starts += atomic_load(&server->loops[i].starts);
  return starts;
}

void http_server_stop(http_server *server, unsigned drain_seconds) {
  atomic_store(&server->is_draining, true);
  atomic_store(&server->stops_acceptor, true);
  uint64_t one = 1;
  (void)!write(server->acceptor_wakeup, &one, sizeof one);
  pthread_join(server->acceptor, NULL);
  close(server->listener);
  server->listener = -1;
  // Until nothing is in flight and no request has begun for a while: one that is on its way
  // through the kernel is answered too.
  double end = http_now() + drain_seconds;
  uint64_t starts = count_starts(server);
  double quiet_since = http_now();
  while (http_now() < end) {
    usleep(10 * 1000);
    uint64_t now_started = count_starts(server);
    if (now_started != starts || http_server_statistics(server).in_flight > 0) {
      starts = now_started;
      quiet_since = http_now();
    }
    if (http_now() - quiet_since > 0.15) break;
  }
  tear_down(server);
}

static sigset_t waited_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

void http_signals_block(void) {
  sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int http_signals_wait(void) {
  sigset_t signals = waited_signals();
  int received = 0;
  while (sigwait(&signals, &received) != 0) {
  }
  return received;
}

void http_memory_give_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}
