#define _GNU_SOURCE  // F_DUPFD_CLOEXEC, epoll_create1
// A loop: one thread, one libmicrohttpd daemon without threads or listening socket, one epoll.
//
// libmicrohttpd's own threads stall when exactly 128 events are ready, and share connections out
// badly; driving MHD_run() from an epoll of our own has neither fault and costs the same.

#include <fcntl.h>
#include <linux/tcp.h>  // tcp_info with bytes received, which the C library's lacks
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

static const double sweep_interval = 0.5;
// A loop that has not run for longer has kept its clients waiting, and not they it: the process was stopped.
static const double standstill = 2;
// How many turns without any event or progress are taken at once, and how long others wait.
enum { most_vain_turns = 8, vain_wait = 5 };
// What is sent over TLS goes out in records, one a turn and without a word of it; and how many turns a
// loop takes on account of answers that others have sent in fewer.
enum { tls_record_bytes = 16 << 10, most_owed_turns = 4096 };
// How long libmicrohttpd may take to send a refusal of its own and to close.
static const double refusal_seconds = 0.5;
// Nothing below TLS 1.2, nor secrets that clients encrypt with the certificate's key (RFC 9325, 4.1): whoever
// gets that key later could read what he has recorded.
static const char tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA";
// The kernel's TCP_ESTABLISHED, where both sides may say more, TCP_FIN_WAIT1 and 2, where only this one
// has said all it will say, and TCP_CLOSE_WAIT, where only the other one has. The header that has the names
// cannot be included together with the one that has the kernel's tcp_info.
enum { established = 1, fin_wait_1 = 4, fin_wait_2 = 5, close_wait = 8 };

void http_loop_wake(http_loop *loop) {
  uint64_t one = 1;
  // Fails only if the counter is full, and then the loop is awake anyway.
  (void)!write(loop->wakeup, &one, sizeof one);
}

bool http_loop_take_socket(http_loop *loop, const http_arrival *arrival) {
  pthread_mutex_lock(&loop->lock);
  if (loop->arrival_count == loop->arrival_capacity) {
    size_t capacity = loop->arrival_capacity ? loop->arrival_capacity * 2 : 64;
    http_arrival *arrivals = realloc(loop->arrivals, capacity * sizeof *arrivals);
    if (!arrivals) {
      pthread_mutex_unlock(&loop->lock);
      return false;
    }
    loop->arrivals = arrivals;
    loop->arrival_capacity = capacity;
  }
  loop->arrivals[loop->arrival_count++] = *arrival;
  // Counted here already, so that the acceptor shares out what it hands over at once.
  atomic_fetch_add(&loop->connection_count, 1);
  atomic_fetch_add(&loop->server->connections, 1);
  pthread_mutex_unlock(&loop->lock);
  http_loop_wake(loop);
  return true;
}

void http_loop_take_answer(http_exchange *exchange) {
  http_loop *loop = exchange->loop;
  pthread_mutex_lock(&loop->lock);
  exchange->next = loop->answered;
  loop->answered = exchange;
  pthread_mutex_unlock(&loop->lock);
  http_loop_wake(loop);
}

static void forget_connection(http_loop *loop, const http_address *address) {
  atomic_fetch_sub(&loop->connection_count, 1);
  atomic_fetch_sub(&loop->server->connections, 1);
  http_server_forget_address(loop->server, address);
}

static bool read_info(int fd, struct tcp_info *info) {
  socklen_t size = sizeof *info;
  memset(info, 0, sizeof *info);
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0;
}

void http_connection_enter(http_connection *connection, http_connection_state state) {
  connection->state = state;
  connection->since = connection->loop->now;
  connection->has_taken_before = false;
}

// Notes what the client has taken before the state that the connection is in, unless that is known.
static void note_taken(http_connection *connection, const struct tcp_info *info) {
  if (connection->has_taken_before) return;
  connection->taken_before = info->tcpi_bytes_acked;
  connection->has_taken_before = true;
}

void http_connection_answer(http_connection *connection, bool is_long) {
  struct tcp_info info;
  http_connection_enter(connection, CONNECTION_ANSWERING);
  connection->moved_at = connection->since;
  // What is short is looked at in the next sweep: it is not worth the call.
  if (is_long && read_info(connection->fd, &info)) note_taken(connection, &info);
}

void http_connection_pace(http_connection *connection, bool is_paced) {
  if (!connection->session || connection->is_paced == is_paced) return;
  connection->is_paced = is_paced;
  unsigned timeout = is_paced ? 0 : http_loop_timeout(connection->loop);
  MHD_set_connection_option(connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT, timeout);
}

static void begin_connection(http_loop *loop, struct MHD_Connection *mhd, void **slot) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
  int fd = info ? info->connect_fd : -1;
  void *session = http_tls_begin(loop->server, mhd);
  http_connection *connection = calloc(1, sizeof *connection);
  if (!connection) {
    // Nobody would watch over it.
    shutdown(fd, SHUT_RDWR);
    return;
  }
  connection->loop = loop;
  connection->mhd = mhd;
  connection->fd = fd;
  connection->session = session;
  connection->moved_at = loop->now;
  http_connection_enter(connection, session ? CONNECTION_GREETING : CONNECTION_IDLE);
  if (session) http_greeter_begin(connection);
  connection->next = loop->connections;
  if (loop->connections) loop->connections->previous = connection;
  loop->connections = connection;
  *slot = connection;
}

// Keeps the socket of a refused client that may still be sending; libmicrohttpd is about to close
// its own descriptor of it. With TLS it has said goodbye in a record, and leaves the stream's end to us.
static void linger(http_loop *loop, const http_connection *connection) {
  struct tcp_info info;
  bool was_refused = connection->lingers || loop->now - loop->refused_at < refusal_seconds;
  if (!was_refused || connection->is_cut || !read_info(connection->fd, &info)) return;
  bool is_half_closed = info.tcpi_state == fin_wait_1 || info.tcpi_state == fin_wait_2;
  if (!is_half_closed && !(connection->session && info.tcpi_state == established)) return;
  int fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return;
  if (!is_half_closed) shutdown(fd, SHUT_WR);
  http_linger_take(&loop->lingerer, fd, loop->now);
}

static void end_connection(http_loop *loop, struct MHD_Connection *mhd, void **slot) {
  http_connection *connection = *slot;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  loop->ended_count++;
  http_count(&loop->freed, HTTP_CONNECTION_BYTES);
  forget_connection(loop, (const http_address *)info->client_addr);
  if (!connection) return;
  http_greeter_end(connection);
  linger(loop, connection);
  if (connection->previous) connection->previous->next = connection->next;
  else loop->connections = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  free(connection);
  *slot = NULL;
}

static void connection_changed(void *context, struct MHD_Connection *mhd, void **slot,
                               enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED) begin_connection(context, mhd, slot);
  else end_connection(context, mhd, slot);
}

static void cut(http_connection *connection) {
  // Once is enough; libmicrohttpd sees the end and closes.
  http_connection_enter(connection, CONNECTION_WAITING);
  connection->is_cut = true;
  shutdown(connection->fd, SHUT_RDWR);
}

// For how long the client has kept the least pace with what it has taken since the connection's state began, be it
// of this answer or of those before, of which the kernel may have megabytes.
static double paid_seconds(http_connection *connection, const struct tcp_info *info) {
  note_taken(connection, info);
  uint64_t taken = info->tcpi_bytes_acked - connection->taken_before;
  return (double)taken / connection->loop->server->options.min_answer_rate;
}

// Notes how much the kernel has counted of what the connection is about; says for how long that has been the same.
static double note_silence(http_connection *connection, uint64_t moved) {
  double now = connection->loop->now;
  if (moved != connection->moved) {
    connection->moved = moved;
    connection->moved_at = now;
  }
  return now - connection->moved_at;
}

// Cuts off who is behind with taking the answer, or takes nothing of it, whatever comes meanwhile: a few bytes a
// minute would hold forty megabytes for forty minutes.
static void sweep_answering(http_connection *connection) {
  http_loop *loop = connection->loop;
  const http_options *options = &loop->server->options;
  struct tcp_info info;
  http_connection_pace(connection, true);
  if (!read_info(connection->fd, &info)) return;
  double due = options->request_timeout_seconds + paid_seconds(connection, &info);
  bool takes_nothing =
      note_silence(connection, info.tcpi_bytes_acked) > options->idle_timeout_seconds;
  if (!takes_nothing && loop->now - connection->since <= due) return;
  http_count(&loop->timed_out, 1);
  cut(connection);
}

// Notes what has come on an idle connection; says whether a request has begun, of which only the
// kernel sees the first bytes. An empty line in front of a request is none of it, and was not counted
// when the request was.
static bool note_beginning(http_connection *connection, uint64_t received) {
  static const uint64_t empty_line = 2;
  if (connection->has_received) return received != connection->received;
  connection->received = received;
  connection->has_received = true;
  // Bytes say nothing with TLS: records are counted. A request is missed that begins in the last record of the one
  // before, or in the first record under other keys.
  bool has_begun = connection->session
                       ? http_tls_count_records(connection->session) > connection->records
                       : received > connection->consumed + empty_line;
  if (!has_begun) connection->consumed = received;
  return has_begun;
}

// Whether all that a client has sent has been read. One that has said all it will say waits for an answer
// while the rest of its request is still in the kernel.
static bool has_ended(int fd) {
  char ignored;
  return recv(fd, &ignored, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// Cuts off who is overdue with a request, has nothing to say, or has gone. Who still takes the last answer, from
// the kernel, has not heard its end yet and is not silent.
static void sweep_receiving(http_connection *connection) {
  http_loop *loop = connection->loop;
  const http_options *options = &loop->server->options;
  struct tcp_info info;
  if (loop->now - connection->since < sweep_interval || !read_info(connection->fd, &info)) return;
  if (connection->state == CONNECTION_IDLE &&
      note_beginning(connection, info.tcpi_bytes_received))
    http_connection_enter(connection, CONNECTION_RECEIVING);
  bool is_idle = connection->state == CONNECTION_IDLE;
  double may_be_silent =
      options->idle_timeout_seconds + (is_idle ? paid_seconds(connection, &info) : 0);
  bool says_nothing = note_silence(connection, info.tcpi_bytes_received) > may_be_silent;
  bool is_overdue = !is_idle && (says_nothing ||
                                 loop->now - connection->since > options->request_timeout_seconds);
  bool is_gone = info.tcpi_state == close_wait && has_ended(connection->fd);
  if (!is_overdue && !says_nothing && !is_gone) return;
  if (is_overdue) http_count(&loop->timed_out, 1);
  cut(connection);
}

// libmicrohttpd only knows inactivity, which every byte ends, and looks at the clock eight times a
// request for it; here a request has to have arrived whole in time, however it trickles, and an
// answer has to be taken. And a client that has gone in the middle of a request is let go at once.
static void sweep(http_loop *loop) {
  for (http_connection *it = loop->connections; it; it = it->next) {
    if (it->state == CONNECTION_ANSWERING) sweep_answering(it);
    else if (it->state != CONNECTION_WAITING) sweep_receiving(it);
  }
  http_linger_run(&loop->lingerer, loop->now);
  http_body_sweep(loop);
}

// Does not hold against clients what the loop has stood still.
static void excuse(http_loop *loop) {
  double now = loop->now, pause = now - loop->last_sweep;
  if (pause <= standstill) return;
  for (http_connection *it = loop->connections; it; it = it->next) {
    it->since = it->since + pause < now ? it->since + pause : now;
    it->moved_at = it->moved_at + pause < now ? it->moved_at + pause : now;
    // Nor has libmicrohttpd, which counts anew from when its timeout is no longer 0.
    if (!it->session || it->is_paced || it->is_aside || it->state == CONNECTION_WAITING) continue;
    MHD_set_connection_option(it->mhd, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
    MHD_set_connection_option(it->mhd, MHD_CONNECTION_OPTION_TIMEOUT, http_loop_timeout(loop));
  }
}

static void add_connection(http_loop *loop, const http_arrival *arrival) {
  uint64_t ends = loop->ended_count;
  if (MHD_add_connection(loop->daemon, arrival->fd, &arrival->address.any, arrival->size) !=
          MHD_YES &&
      loop->ended_count == ends)
    forget_connection(loop, &arrival->address);  // it has closed the socket, and not told of it
}

// An exchange has its answer, or nobody had the time for one.
static void resume(http_loop *loop, http_exchange *exchange) {
  bool is_draining = atomic_load_explicit(&loop->server->is_draining, memory_order_relaxed);
  exchange->phase = EXCHANGE_ANSWERED;
  if (exchange->reply.status == 0)
    http_exchange_refuse(exchange, 503,
                         is_draining ? "the server is stopping" : "the request has no answer");
  MHD_resume_connection(exchange->mhd);
}

// Takes what other threads have left; true if libmicrohttpd has something to do.
static bool read_mailbox(http_loop *loop) {
  pthread_mutex_lock(&loop->lock);
  http_arrival *arrivals = loop->arrivals;
  size_t count = loop->arrival_count;
  http_exchange *answered = loop->answered;
  loop->arrivals = NULL;
  loop->arrival_count = loop->arrival_capacity = 0;
  loop->answered = NULL;
  pthread_mutex_unlock(&loop->lock);

  for (size_t i = 0; i < count; i++) add_connection(loop, &arrivals[i]);
  free(arrivals);
  for (http_exchange *it = answered, *next; it; it = next) {
    next = it->next;
    resume(loop, it);
  }
  return count > 0 || answered;
}

static void take_events(http_loop *loop, const struct epoll_event *events, int count) {
  for (int i = 0; i < count; i++) {
    if (events[i].data.fd == loop->lingerer.epoll) http_linger_run(&loop->lingerer, loop->now);
    if (events[i].data.fd == loop->greeters_epoll) http_greeters_wake(loop);
    if (events[i].data.fd != loop->wakeup) continue;
    uint64_t ignored;
    (void)!read(loop->wakeup, &ignored, sizeof ignored);
    read_mailbox(loop);
  }
}

// How long to wait for events, in milliseconds.
static int choose_wait(const http_loop *loop) {
  MHD_UNSIGNED_LONG_LONG timeout = 0;
  int wait = (int)(sweep_interval * 1000);
  if (MHD_get_timeout(loop->daemon, &timeout) == MHD_YES && timeout < (unsigned)wait)
    wait = (int)timeout;
  // libmicrohttpd says that there is something to do, and does nothing: a chunk's extension that
  // fills its buffer, without an end, would have it turn in circles until the sweep.
  return wait == 0 && loop->vain_turns >= most_vain_turns ? vain_wait : wait;
}

void http_loop_owe_turns(http_loop *loop, size_t count) {
  if (!loop->server->certificate) return;
  size_t turns = loop->owed_turns + count / tls_record_bytes + 1;
  loop->owed_turns = turns < most_owed_turns ? (unsigned)turns : most_owed_turns;
}

// Counts a turn in which nothing came and nobody was called, unless an answer has gone on in it.
static void count_vain_turn(http_loop *loop) {
  if (loop->owed_turns > 0) loop->owed_turns--;
  else loop->vain_turns++;
}

static void wait_and_serve(http_loop *loop) {
  struct epoll_event events[4];
  uint64_t steps = loop->steps;
  int count = epoll_wait(loop->epoll, events, 4, choose_wait(loop));
  // Once for all that is ready: nothing here is measured more finely.
  loop->woken = http_clock();
  loop->now = (double)loop->woken * 1e-9;
  excuse(loop);
  take_events(loop, events, count);
  MHD_run(loop->daemon);
  http_greeters_settle(loop);
  if (count > 0 || loop->steps != steps) loop->vain_turns = 0;
  else count_vain_turn(loop);
  if (loop->now - loop->last_sweep > sweep_interval) {
    sweep(loop);
    loop->last_sweep = loop->now;
  }
}

// Closes what open_all() has opened, and has done with the lock.
static void close_all(http_loop *loop) {
  http_linger_end(&loop->lingerer);
  if (loop->greeters_epoll >= 0) close(loop->greeters_epoll);
  if (loop->epoll >= 0) close(loop->epoll);
  if (loop->wakeup >= 0) close(loop->wakeup);
  pthread_mutex_destroy(&loop->lock);
}

// Workers have ended, so all that was suspended is in the mailbox, or set aside; nothing may be suspended when a
// daemon stops. A request may become whole in any of the last turns: no worker takes it, and it is in the mailbox again.
static void end_daemon(http_loop *loop) {
  http_greeters_stop(loop);
  do MHD_run(loop->daemon);
  while (read_mailbox(loop));
  MHD_stop_daemon(loop->daemon);
  http_forms_end(loop);
  for (http_exchange *it = loop->pool, *next; it; it = next) {
    next = it->next;
    http_exchange_free(it);
  }
  free(loop->long_body);
  close_all(loop);
}

static void *run(void *context) {
  http_loop *loop = context;
  http_server *server = loop->server;
  http_thread_name("loop", (int)loop->number);
  while (!atomic_load_explicit(&server->stops_loops, memory_order_relaxed)) wait_and_serve(loop);
  while (read_mailbox(loop)) MHD_run(loop->daemon);
  if (!atomic_load(&server->is_abandoned)) end_daemon(loop);
  http_thread_ends(server, &server->ended_loops);
  return NULL;
}

// Paths and queries are handed over raw: whoever decodes them knows which part is which.
static size_t leave_escaped(void *context, struct MHD_Connection *mhd, char *text) {
  (void)context;
  (void)mhd;
  return strlen(text);
}

// What libmicrohttpd says is heard where it is of use: why it does not start, and that it has
// refused a request itself, which it tells in no other way.
static void hear_log(void *context, const char *format, va_list arguments) {
  http_loop *loop = context;
  static const char refusal[] = "Error processing request (HTTP response code is %u";
  if (strncmp(format, refusal, sizeof refusal - 1) == 0) {
    http_count_refusal(loop, va_arg(arguments, unsigned));
    loop->refused_at = loop->now;
  } else if (!loop->daemon) {
    vsnprintf(loop->log, sizeof loop->log, format, arguments);
    loop->log[strcspn(loop->log, "\r\n")] = 0;
  }
}

unsigned http_loop_timeout(const http_loop *loop) {
  const http_server *server = loop->server;
  return server->certificate ? server->options.idle_timeout_seconds : 0;
}

static bool start_daemon(http_loop *loop) {
  http_server *server = loop->server;
  // Ends the options at once where there is no TLS.
  struct MHD_OptionItem tls[] = {
      {server->certificate ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, server->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, server->key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)tls_priorities},
      {MHD_OPTION_END, 0, NULL},
  };
  unsigned flags =
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (server->certificate) flags |= MHD_USE_TLS;
  loop->daemon = MHD_start_daemon(
      flags, 0, NULL, NULL, http_exchange_step, loop,
      MHD_OPTION_EXTERNAL_LOGGER, hear_log, loop,
      MHD_OPTION_URI_LOG_CALLBACK, http_exchange_begin, loop,
      MHD_OPTION_NOTIFY_COMPLETED, http_exchange_end, loop,
      MHD_OPTION_NOTIFY_CONNECTION, connection_changed, loop,
      MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
      // Larger is slower: it is cleared for every request.
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_CONNECTION_BYTES,
      // The sweep's business; only with TLS, which has words for it, libmicrohttpd says goodbye.
      MHD_OPTION_CONNECTION_TIMEOUT, http_loop_timeout(loop),
      // Inverted in 0.9.75: −1 is what refuses "Content-Length : 5".
      MHD_OPTION_STRICT_FOR_CLIENT, (int)-1,
      MHD_OPTION_CONNECTION_LIMIT, server->options.max_connections + 64u,
      MHD_OPTION_ARRAY, tls,
      MHD_OPTION_END);
  return loop->daemon;
}

static bool watch(http_loop *loop, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool open_all(http_loop *loop) {
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  loop->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool has_linger = http_linger_start(&loop->lingerer), has_greeters = http_greeters_start(loop);
  if (!has_linger || !has_greeters || loop->epoll < 0 || loop->wakeup < 0) return false;
  if (!start_daemon(loop)) return false;
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info && watch(loop, info->epoll_fd) && watch(loop, loop->wakeup) &&
         watch(loop, loop->lingerer.epoll) && watch(loop, loop->greeters_epoll);
}

bool http_loop_start(http_loop *loop, http_server *server, char *error, size_t error_size) {
  loop->server = server;
  loop->number = (unsigned)(loop - server->loops);
  loop->woken = http_clock();
  loop->now = loop->last_sweep = (double)loop->woken * 1e-9;
  if (pthread_mutex_init(&loop->lock, NULL) != 0) return false;
  if (open_all(loop) && http_thread_start(&loop->thread, run, loop, error, error_size))
    return true;
  if (loop->log[0]) snprintf(error, error_size, "cannot start: %s", loop->log);
  if (loop->daemon) MHD_stop_daemon(loop->daemon);
  close_all(loop);
  return false;
}
