// Starting, accepting, stopping.
#define _GNU_SOURCE  // accept4, explicit_bzero
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

// Says no to a connection past a cap; libmicrohttpd would let it hang. With TLS there is nobody to
// say it to yet.
static void turn_away(http_server *server, int fd, const char *detail) {
  if (server->certificate) {
    close(fd);
    return;
  }
  char id[HTTP_REQUEST_ID_SIZE], problem[HTTP_PROBLEM_SIZE];
  http_make_request_id(id);
  http_reply reply;
  http_reply_refuse(&reply, http_problem_of(503), detail, id, problem);
  // It may be a GET: nobody has read it.
  reply.is_read = true;
  http_reply_say(&reply, HTTP_METHOD_GET, fd, NULL);
  http_linger_take(&server->lingerer, fd, http_now());
  http_bytes unread = {(const uint8_t *)"", 0};
  server->observer(server->context, 503, unread, unread, id, NULL);
}

static bool is_counted_by_address(const http_server *server, const http_address *address) {
  const http_options *options = &server->options;
  return options->max_connections_per_address > 0 &&
         !(options->spares_loopback && http_address_is_loopback(address));
}

static bool take_address(http_server *server, const http_address *address) {
  return !is_counted_by_address(server, address) ||
         http_addresses_take(&server->addresses, address,
                             server->options.max_connections_per_address);
}

void http_server_forget_address(http_server *server, const http_address *address) {
  if (is_counted_by_address(server, address))
    http_addresses_give_back(&server->addresses, address);
}

static http_loop *least_loaded(http_server *server) {
  http_loop *least = &server->loops[0];
  for (unsigned i = 1; i < server->loop_count; i++)
    if (atomic_load(&server->loops[i].connection_count) < atomic_load(&least->connection_count))
      least = &server->loops[i];
  return least;
}

static void take_connection(http_server *server, const http_arrival *arrival) {
  if (atomic_load(&server->connections) >= server->options.max_connections) {
    atomic_fetch_add_explicit(&server->refused, 1, memory_order_relaxed);
    turn_away(server, arrival->fd, "too many connections, see --max-connections");
    return;
  }
  if (!take_address(server, &arrival->address)) {
    atomic_fetch_add_explicit(&server->refused_by_address, 1, memory_order_relaxed);
    turn_away(server, arrival->fd,
              "too many connections from this address, see --max-connections-per-address");
    return;
  }
  int one = 1;
  setsockopt(arrival->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (http_loop_take_socket(least_loaded(server), arrival)) {
    atomic_fetch_add_explicit(&server->accepted, 1, memory_order_relaxed);
  } else {
    http_server_forget_address(server, &arrival->address);
    close(arrival->fd);
  }
}

// Takes the connection that has waited longest; false if there is none to be had.
static bool accept_connection(http_server *server) {
  http_arrival arrival = {.size = sizeof arrival.address};
  arrival.fd = accept4(server->listener, &arrival.address.any, &arrival.size,
                       SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (arrival.fd >= 0) {
    take_connection(server, &arrival);
    return true;
  }
  // This client has gone again; others may still be waiting.
  if (errno == EINTR || errno == ECONNABORTED) return true;
  if (errno == EAGAIN) return false;
  // Out of descriptors or memory: the connection waits, and so do we, rather than spin.
  atomic_store(&server->accept_error, errno);
  atomic_fetch_add(&server->accept_failures, 1);
  usleep(10 * 1000);
  return false;
}

static void *accept_connections(void *context) {
  http_server *server = context;
  struct pollfd fds[3] = {{.fd = server->listener, .events = POLLIN},
                          {.fd = server->acceptor_wakeup, .events = POLLIN},
                          {.fd = server->lingerer.epoll, .events = POLLIN}};
  http_thread_name("acceptor", -1);
  // To turn a client away costs more than to answer a tick. Where the loops need all the processor,
  // it is theirs: those at the door wait in the kernel, and for the most part give up there.
  http_thread_yield_to_others();
  double looked_at = 0;  // what lingers
  while (!atomic_load(&server->stops_acceptor)) {
    // What lingers ends some time even if nothing comes.
    int wait = atomic_load(&server->lingerer.count) > 0 ? 500 : -1;
    if (poll(fds, 3, wait) < 0) continue;
    double now = http_now();
    if (fds[2].revents || now - looked_at >= 0.5) {
      http_linger_run(&server->lingerer, now);
      looked_at = now;
    }
    if (fds[0].revents) (void)accept_connection(server);
  }
  // Those that the kernel has accepted would be reset with the listener. It has room for no more than that.
  for (int left = SOMAXCONN; left > 0 && accept_connection(server); left--) {}
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
    int one = 1;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd >= 0 && bind(fd, it->ai_addr, it->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
      server->listener = fd;
    } else {
      snprintf(error, error_size, "cannot listen on %s port %s: %s", server->host, port,
               strerror(errno));
      if (fd >= 0) close(fd);
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

void http_server_free(http_server *server) {
  if (server->listener >= 0) close(server->listener);
  if (server->acceptor_wakeup >= 0) close(server->acceptor_wakeup);
  http_linger_end(&server->lingerer);
  http_addresses_end(&server->addresses);
  pthread_cond_destroy(&server->queue_filled);
  pthread_mutex_destroy(&server->queue_lock);
  pthread_cond_destroy(&server->thread_ended);
  pthread_mutex_destroy(&server->end_lock);
  http_tls_end(server);
  if (server->key) explicit_bzero(server->key, strlen(server->key));
  free(server->key);
  free(server->certificate);
  free(server->workers);
  free(server->loops);
  free(server->host);
  free(server);
}

// How many requests are being answered.
static uint64_t count_in_flight(const http_server *server) {
  uint64_t count = 0;
  for (unsigned i = 0; i < server->loop_count; i++)
    count += atomic_load(&server->loops[i].in_flight);
  return count;
}

static void stop_loops(http_server *server) {
  atomic_store(&server->stops_loops, true);
  for (unsigned i = 0; i < server->loop_count; i++) http_loop_wake(&server->loops[i]);
}

// Ends the threads that were started, in the order in which work flows. False if that takes longer
// than `end`, and then some are left alone, and nothing may be freed that they use.
static bool end_threads(http_server *server, double end) {
  http_queue_close(server);
  if (!http_threads_await(server, &server->ended_workers, server->worker_count, end))
    atomic_store(&server->is_abandoned, true);
  // What they have made, and what loops had begun to send, is still on its way.
  while (!atomic_load(&server->is_abandoned) && count_in_flight(server) > 0 && http_now() < end)
    usleep(10 * 1000);
  stop_loops(server);
  bool have_ended =
      http_threads_await(server, &server->ended_loops, server->loop_count, end + 0.25);
  if (!have_ended || atomic_load(&server->is_abandoned)) {
    for (unsigned i = 0; i < server->worker_count; i++) pthread_detach(server->workers[i].thread);
    for (unsigned i = 0; i < server->loop_count; i++) pthread_detach(server->loops[i].thread);
    return false;
  }
  for (unsigned i = 0; i < server->worker_count; i++)
    pthread_join(server->workers[i].thread, NULL);
  for (unsigned i = 0; i < server->loop_count; i++) pthread_join(server->loops[i].thread, NULL);
  return true;
}

// The texts of its options are the server's own from here on: the caller has lent them for the call.
static bool copy_texts(http_server *server) {
  http_options *options = &server->options;
  bool has_tls = options->certificate;
  options->host = server->host = strdup(options->host);
  if (has_tls) {
    options->certificate = server->certificate = strdup(options->certificate);
    options->key = server->key = strdup(options->key ? options->key : "");
  }
  return server->host && (!has_tls || (server->certificate && server->key));
}

static bool start_threads(http_server *server, char *error, size_t error_size) {
  for (unsigned i = 0; i < server->options.loops; i++) {
    if (!http_loop_start(&server->loops[i], server, error, error_size)) return false;
    server->loop_count++;
  }
  for (unsigned i = 0; i < server->options.workers; i++) {
    http_worker *worker = &server->workers[i];
    worker->server = server;
    worker->number = server->options.loops + i;
    if (!http_thread_start(&worker->thread, http_worker_run, worker, error, error_size))
      return false;
    server->worker_count++;
  }
  return http_thread_start(&server->acceptor, accept_connections, server, error, error_size);
}

static void make_locks(http_server *server) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&server->thread_ended, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&server->end_lock, NULL);
  pthread_mutex_init(&server->queue_lock, NULL);
  pthread_cond_init(&server->queue_filled, NULL);
}

// Keeps what is added to a limit from wrapping around.
static void bound_options(http_options *options) {
  if (options->max_connections > UINT_MAX / 2) options->max_connections = UINT_MAX / 2;
  if (options->max_body_bytes > SIZE_MAX / 8) options->max_body_bytes = SIZE_MAX / 8;
}

http_server *http_server_start(const http_options *options, http_handler handler,
                               http_refusal_observer observer,
                               http_answer_observer answer_observer, void *context, char *error,
                               size_t error_size) {
  snprintf(error, error_size, "out of memory, threads or descriptors");
  http_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->options = *options;
  bound_options(&server->options);
  server->handler = handler;
  server->observer = observer;
  server->answer_observer = answer_observer;
  server->context = context;
  server->listener = -1;
  make_locks(server);
  server->acceptor_wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  server->loops = calloc(options->loops, sizeof *server->loops);
  server->workers = calloc(options->workers, sizeof *server->workers);
  bool can_linger = http_linger_start(&server->lingerer);
  bool can_count = http_addresses_start(&server->addresses);
  if (can_linger && can_count && server->acceptor_wakeup >= 0 && server->loops &&
      server->workers && copy_texts(server) && http_tls_start(server, error, error_size) &&
      listen_on(server, error, error_size) &&
      start_threads(server, error, error_size))
    return server;
  // No request has come yet, so that all threads end at once.
  if (end_threads(server, http_now() + 10)) http_server_free(server);
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
      .refused_by_address = atomic_load(&server->refused_by_address),
      .connections = atomic_load(&server->connections),
      .queued = queued,
      .lingering = atomic_load(&server->lingerer.count),
      .addresses = http_addresses_count(&server->addresses),
      .accept_failures = atomic_load(&server->accept_failures),
      .accept_error = atomic_load(&server->accept_error),
  };
  for (unsigned i = 0; i < server->loop_count; i++) {
    http_loop *loop = &server->loops[i];
    statistics.requests += atomic_load(&loop->requests);
    statistics.shed += atomic_load(&loop->shed);
    statistics.timed_out += atomic_load(&loop->timed_out);
    statistics.in_flight += atomic_load(&loop->in_flight);
    statistics.held += atomic_load(&loop->held);
    statistics.freed += atomic_load(&loop->freed);
    statistics.lingering += atomic_load(&loop->lingerer.count);
    for (unsigned j = 0; j < HTTP_REFUSALS; j++)
      statistics.refusals[j] += atomic_load(&loop->refusals[j]);
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

static void stop_accepting(http_server *server) {
  atomic_store(&server->stops_acceptor, true);
  uint64_t one = 1;
  (void)!write(server->acceptor_wakeup, &one, sizeof one);
  pthread_join(server->acceptor, NULL);
  close(server->listener);
  server->listener = -1;
}

// Whether no request is being received or answered, and nobody may still be reading a last answer.
static bool is_quiet(const http_server *server) {
  uint64_t count = count_in_flight(server);
  for (unsigned i = 0; i < server->loop_count; i++)
    count += atomic_load(&server->loops[i].receiving) + atomic_load(&server->loops[i].lingerer.count);
  return count == 0;
}

// Waits until nothing is under way and no request has begun for a while: one that is on its way
// through the kernel is answered too.
static void drain(http_server *server, double end) {
  uint64_t starts = count_starts(server);
  double quiet_since = http_now();
  while (http_now() < end && http_now() - quiet_since < 0.15) {
    usleep(10 * 1000);
    uint64_t now_started = count_starts(server);
    if (now_started == starts && is_quiet(server)) continue;
    starts = now_started;
    quiet_since = http_now();
  }
}

// What could not be freed stays reachable, so that whoever looks for leaks sees that it is meant.
static void abandon(http_server *server) {
  static _Atomic(http_server *) abandoned;
  server->next_abandoned = atomic_exchange(&abandoned, server);
}

bool http_server_stop(http_server *server, unsigned drain_seconds) {
  double end = http_now() + drain_seconds;
  atomic_store(&server->is_draining, true);
  stop_accepting(server);
  drain(server, end);
  // Who is about to be done gets half a second more.
  bool have_ended = end_threads(server, (end > http_now() ? end : http_now()) + 0.5);
  if (!have_ended) abandon(server);
  return have_ended;
}
