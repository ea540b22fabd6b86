#define _GNU_SOURCE  // clock_gettime
// A loop: one thread, one libmicrohttpd daemon without threads or listening socket, one epoll.
//
// libmicrohttpd's own threads stall when exactly 128 events are ready, and share connections out
// badly; driving MHD_run() from an epoll of our own has neither fault and costs the same.

#include <errno.h>
#include <netinet/in.h>
#include <linux/tcp.h>  // tcp_info with bytes received, which the C library's lacks
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

static const double sweep_interval = 0.5;
// The kernel's TCP_CLOSE_WAIT: the other side has said all it will say. The header that has the name
// cannot be included together with the one that has the kernel's tcp_info.
enum { close_wait = 8 };

double http_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void http_loop_wake(http_loop *loop) {
  uint64_t one = 1;
  // Fails only if the counter is full, and then the loop is awake anyway.
  (void)!write(loop->wakeup, &one, sizeof one);
}

void http_loop_take_socket(http_loop *loop, int fd) {
  pthread_mutex_lock(&loop->lock);
  if (loop->arrival_count == loop->arrival_capacity) {
    size_t capacity = loop->arrival_capacity ? loop->arrival_capacity * 2 : 64;
    int *arrivals = realloc(loop->arrivals, capacity * sizeof *arrivals);
    if (!arrivals) {
      pthread_mutex_unlock(&loop->lock);
      close(fd);
      return;
    }
    loop->arrivals = arrivals;
    loop->arrival_capacity = capacity;
  }
  loop->arrivals[loop->arrival_count++] = fd;
  // Counted here already, so that the acceptor shares out what it hands over at once.
  atomic_fetch_add(&loop->connection_count, 1);
  atomic_fetch_add(&loop->server->connections, 1);
  pthread_mutex_unlock(&loop->lock);
  http_loop_wake(loop);
}

void http_loop_take_answer(http_exchange *exchange) {
  http_loop *loop = exchange->loop;
  pthread_mutex_lock(&loop->lock);
  exchange->next = loop->answered;
  loop->answered = exchange;
  pthread_mutex_unlock(&loop->lock);
  http_loop_wake(loop);
}

static void forget_connection(http_loop *loop) {
  atomic_fetch_sub(&loop->connection_count, 1);
  atomic_fetch_sub(&loop->server->connections, 1);
}

static void connection_changed(void *context, struct MHD_Connection *mhd, void **slot,
                               enum MHD_ConnectionNotificationCode code) {
  http_loop *loop = context;
  http_connection *connection = *slot;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    connection = calloc(1, sizeof *connection);
    if (!connection) return;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection->loop = loop;
    connection->fd = info ? info->connect_fd : -1;
    connection->state = CONNECTION_RECEIVING;
    connection->since = loop->now;
    connection->next = loop->connections;
    if (loop->connections) loop->connections->previous = connection;
    loop->connections = connection;
    *slot = connection;
  } else {
    loop->ended_count++;
    forget_connection(loop);
    if (!connection) return;
    if (connection->previous) connection->previous->next = connection->next;
    else loop->connections = connection->next;
    if (connection->next) connection->next->previous = connection->previous;
    free(connection);
    *slot = NULL;
  }
}

// Cuts off what is overdue. libmicrohttpd only knows inactivity, which every byte ends; here a
// request has to have arrived whole in time, however it trickles. And a client that has gone in the
// middle of a request is let go at once, which libmicrohttpd would do after its idle timeout only.
static void sweep(http_loop *loop, double now) {
  double limit = loop->server->options.request_timeout_seconds;
  for (http_connection *it = loop->connections; it; it = it->next) {
    if (it->state == CONNECTION_ANSWERING || now - it->since < sweep_interval) continue;
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(it->fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    if (it->state == CONNECTION_IDLE) {
      // The first bytes of a next request are seen by the kernel only.
      if (!it->has_received) {
        it->received = info.tcpi_bytes_received;
        it->has_received = true;
      } else if (info.tcpi_bytes_received != it->received) {
        it->state = CONNECTION_RECEIVING;
        it->since = now;
      }
    }
    bool is_overdue = it->state == CONNECTION_RECEIVING && now - it->since > limit;
    bool is_gone = info.tcpi_state == close_wait;
    if (!is_overdue && !is_gone) continue;
    if (is_overdue) http_count(&loop->timed_out, 1);
    it->state = CONNECTION_ANSWERING;  // once is enough; libmicrohttpd sees the end and closes
    shutdown(it->fd, SHUT_RDWR);
  }
}

// Takes what other threads have left; true if libmicrohttpd has something to do.
static bool read_mailbox(http_loop *loop) {
  pthread_mutex_lock(&loop->lock);
  int *arrivals = loop->arrivals;
  size_t count = loop->arrival_count;
  http_exchange *answered = loop->answered;
  loop->arrivals = NULL;
  loop->arrival_count = loop->arrival_capacity = 0;
  loop->answered = NULL;
  pthread_mutex_unlock(&loop->lock);

  for (size_t i = 0; i < count; i++) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getpeername(arrivals[i], (struct sockaddr *)&address, &size) != 0) {
      close(arrivals[i]);
      forget_connection(loop);
      continue;
    }
    uint64_t ends = loop->ended_count;
    if (MHD_add_connection(loop->daemon, arrivals[i], (struct sockaddr *)&address, size) !=
            MHD_YES &&
        loop->ended_count == ends)
      forget_connection(loop);  // it has closed the socket, and not told of it
  }
  free(arrivals);
  for (http_exchange *it = answered, *next; it; it = next) {
    next = it->next;
    it->phase = EXCHANGE_ANSWERED;
    if (it->reply.status == 0) it->reply.status = 503;
    MHD_resume_connection(it->mhd);
  }
  return count > 0 || answered;
}

static void *run(void *context) {
  http_loop *loop = context;
  struct epoll_event events[2];
  while (!atomic_load_explicit(&loop->server->stops_loops, memory_order_relaxed)) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    int wait = (int)(sweep_interval * 1000);
    if (MHD_get_timeout(loop->daemon, &timeout) == MHD_YES && timeout < (unsigned)wait)
      wait = (int)timeout;
    int count = epoll_wait(loop->epoll, events, 2, wait);
    // Once for all that is ready: nothing here is measured more finely.
    loop->now = http_now();
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd != loop->wakeup) continue;
      uint64_t ignored;
      (void)!read(loop->wakeup, &ignored, sizeof ignored);
      read_mailbox(loop);
    }
    MHD_run(loop->daemon);
    if (loop->now - loop->last_sweep > sweep_interval) {
      sweep(loop, loop->now);
      loop->last_sweep = loop->now;
    }
  }
  // Nothing may be suspended when a daemon stops: workers have ended, so this is all there is.
  while (read_mailbox(loop)) MHD_run(loop->daemon);
  MHD_stop_daemon(loop->daemon);
  for (http_exchange *it = loop->pool, *next; it; it = next) {
    next = it->next;
    http_exchange_free(it);
  }
  close(loop->epoll);
  close(loop->wakeup);
  pthread_mutex_destroy(&loop->lock);
  return NULL;
}

// Paths and queries are handed over raw: whoever decodes them knows which part is which.
static size_t leave_escaped(void *context, struct MHD_Connection *mhd, char *text) {
  (void)context;
  (void)mhd;
  return strlen(text);
}

static void ignore_log(void *context, const char *format, va_list arguments) {
  (void)context;
  (void)format;
  (void)arguments;
}

bool http_loop_start(http_loop *loop, http_server *server) {
  loop->server = server;
  loop->now = loop->last_sweep = http_now();
  if (pthread_mutex_init(&loop->lock, NULL) != 0) return false;
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  loop->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  loop->daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
      NULL, NULL, http_exchange_step, loop,
      MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
      MHD_OPTION_URI_LOG_CALLBACK, http_exchange_begin, loop,
      MHD_OPTION_NOTIFY_COMPLETED, http_exchange_end, loop,
      MHD_OPTION_NOTIFY_CONNECTION, connection_changed, loop,
      MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
      // Larger is slower: it is cleared for every request.
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16 * 1024,
      MHD_OPTION_CONNECTION_TIMEOUT, server->options.idle_timeout_seconds,
      // Inverted in 0.9.75: −1 is what refuses "Content-Length : 5".
      MHD_OPTION_STRICT_FOR_CLIENT, (int)-1,
      MHD_OPTION_CONNECTION_LIMIT, server->options.max_connections + 64u,
      MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      loop->daemon ? MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
  bool ok = loop->epoll >= 0 && loop->wakeup >= 0 && info;
  int fds[2] = {loop->wakeup, info ? info->epoll_fd : -1};
  for (int i = 0; ok && i < 2; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
    ok = epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fds[i], &event) == 0;
  }
  if (ok && pthread_create(&loop->thread, NULL, run, loop) == 0) return true;
  if (loop->daemon) MHD_stop_daemon(loop->daemon);
  if (loop->epoll >= 0) close(loop->epoll);
  if (loop->wakeup >= 0) close(loop->wakeup);
  pthread_mutex_destroy(&loop->lock);
  return false;
}
