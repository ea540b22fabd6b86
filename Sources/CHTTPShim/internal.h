// What the files of the shim share; nothing outside sees it.
#ifndef LAYOUTD_HTTP_INTERNAL_H
#define LAYOUTD_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "http_shim.h"

typedef struct http_loop http_loop;
typedef struct http_exchange http_exchange;

// What a refusal's name and text fit in.
enum { HTTP_REQUEST_ID_SIZE = 32, HTTP_PROBLEM_SIZE = 512 };

struct http_reply {
  unsigned status;  // 0: not filled in
  const uint8_t *body;
  size_t count;
  void (*release)(void *owner);
  void *owner;
  http_prepared *prepared;   // the same, ready to be sent; NULL if it is not
  const char *content_type;  // static; NULL for none
  char tag[HTTP_TAG_SIZE];   // empty for none
  bool is_read;              // the answer to a GET or HEAD, which caches on the way may keep
  bool changes_nothing;      // whether nothing has been done, as the handler says
  unsigned line;             // whose request it is, as far as the handler has said so
  size_t field_count;
  // Last: only as many are ever looked at as there are, so that nobody need clear them.
  struct {
    char name[32];
    char value[256];
  } fields[HTTP_REPLY_FIELDS];
};

// libmicrohttpd counts who uses a response, under a lock of the response's own.
struct http_prepared {
  struct MHD_Response *response;
  bool is_read;
};

// A client's address. Only these two families are listened on.
typedef union http_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} http_address;

// How many connections each client address has. addresses.c
typedef struct http_address_table {
  pthread_mutex_t lock;
  uint64_t seeds[2];
  struct http_address_count {
    uint64_t key;
    uint32_t count;  // 0: the place is free
  } *places;
  size_t capacity;   // a power of two; at most half of it is used
  size_t used;
} http_address_table;

// Sockets on which all has been said, and which are read a while longer. linger.c
typedef struct http_lingerer {
  int epoll;
  _Atomic unsigned count;
  struct {
    int fd;
    double end;   // when it is closed
    size_t left;  // how many more bytes are thrown away
  } sockets[HTTP_LINGERING_SOCKETS];
} http_lingerer;

typedef enum http_connection_state {
  CONNECTION_GREETING,  // TLS has still to begin
  CONNECTION_IDLE,
  CONNECTION_RECEIVING,
  CONNECTION_WAITING,   // for an answer that is being made, or cut: nothing is due of the client
  CONNECTION_ANSWERING,
} http_connection_state;

// A connection as its loop sees it. All members belong to the loop's thread.
typedef struct http_connection {
  http_loop *loop;
  struct MHD_Connection *mhd;
  int fd;
  http_connection_state state;
  double since;           // when the state began
  void *session;          // of TLS; NULL: none
  uint64_t taken_before;  // what the client had taken, by the kernel's count, when the state began
  bool has_taken_before;  // whether that has been looked at
  uint64_t consumed;      // bytes of the requests on it; without TLS, which has more
  uint64_t records;       // of TLS, read when the last answer had been sent
  uint64_t received;      // the kernel's count of bytes when the sweep first found it idle
  bool has_received;      // whether it has, since the last answer
  uint64_t moved;         // what the kernel had counted when the sweep last looked: received, or taken
  double moved_at;        // when that was found to be another count
  bool is_paced;          // whether the sweep alone times it, though there is TLS
  bool is_cut;            // whether the sweep has shut it
  bool lingers;           // whether its client may still be sending when it is closed
  bool is_aside;          // whether libmicrohttpd does not look at it until its client has gone on with the handshake
  struct http_connection *next, *previous;
  struct http_connection *next_greeter;
} http_connection;

// The form of an answer: all of it but its bytes. See form.c.
typedef struct http_form {
  struct MHD_Response *response;  // NULL: none yet
  uint8_t *body;                  // where its bytes are
  size_t count;
  const char *content_type;
  char tag[HTTP_TAG_SIZE];
  bool is_read;
  bool is_used;                   // whether it is being sent
} http_form;
enum { HTTP_FORMS = 256 };        // that a loop keeps
enum { HTTP_CONNECTION_BYTES = 16 << 10 };  // what libmicrohttpd has for a connection and its request

// A request from its first line until its answer is sent; recycled by its loop.
struct http_exchange {
  http_loop *loop;
  http_connection *connection;
  struct MHD_Connection *mhd;
  enum { EXCHANGE_NEW, EXCHANGE_BODY, EXCHANGE_WORKER, EXCHANGE_ANSWERED, EXCHANGE_SENT } phase;
  http_request request;
  http_reply reply;
  http_form *form;        // in which the answer is sent; NULL: in one of its own
  char *target;           // the raw request target from its path on, NUL-terminated
  size_t target_count, target_capacity;
  size_t path_count;      // of the target, up to its query or its end
  const char *read_target;  // where libmicrohttpd has read it, all of it
  size_t origin_count;    // of it, before its path
  char *joined;           // what came on several lines of one name; NULL: nothing did
  uint8_t *body;
  size_t body_count, body_capacity;
  size_t announced;       // by Content-Length; 0: nothing
  size_t held;            // how much of the loop's `held` is this one's
  unsigned held_line;     // in which line that is counted
  size_t kept;            // how much of the loop's `kept_bytes` is this one's
  size_t drained;         // how much of a refused body has been thrown away
  bool is_long;           // among the server's long bodies that are being received
  unsigned long_line;     // in which line it was counted there
  bool is_refused;        // whether its body was refused in the middle
  bool is_chunked;
  bool is_relayed;        // whether a proxy says that it is on the way
  bool is_receiving;      // among the loop's requests that have not come whole
  bool is_counted;        // among the server's requests in flight, until its answer is sent
  char problem[HTTP_PROBLEM_SIZE];  // the text of a refusal
  http_exchange *next;    // in a pool, the queue or a mailbox
};

// Who waits for a worker, and came in that order. Each who asks has a line, of all that a file of keys has names for;
// past that some share one, but none with HTTP_LINE_SHARED or HTTP_LINE_UNIDENTIFIED.
enum { HTTP_LINES = 1024, HTTP_OWN_LINES = HTTP_LINES - HTTP_FIRST_OWN_LINE };
typedef struct http_line {
  http_exchange *head, *tail;
  size_t count;
  unsigned busy;  // workers that do one of its requests
} http_line;

static inline unsigned http_line_number(const http_exchange *exchange) {
  unsigned line = exchange->reply.line;
  if (line < HTTP_FIRST_OWN_LINE) return line;
  return HTTP_FIRST_OWN_LINE + (line - HTTP_FIRST_OWN_LINE) % HTTP_OWN_LINES;
}

// How much of what all have together one line may have: whoever is told from the others leaves them a quarter at least;
// of one nothing can be left.
static inline size_t http_line_share(unsigned number, size_t limit) {
  if (number == HTTP_LINE_SHARED || limit < 2) return limit;
  return limit - ((limit - 1) / 4 + 1);
}

// A socket from the acceptor.
typedef struct http_arrival {
  int fd;
  socklen_t size;
  http_address address;
} http_arrival;

struct http_loop {
  http_server *server;
  pthread_t thread;
  unsigned number;
  struct MHD_Daemon *daemon;
  int epoll, wakeup;
  _Atomic unsigned connection_count;
  http_connection *connections;   // the loop's thread only
  http_connection *greeters;      // whose handshake libmicrohttpd goes on with in this turn; the loop's thread only
  int greeters_epoll;             // tells of those that are set aside; without TLS of nobody
  http_exchange *pool;            // the loop's thread only
  unsigned pool_count;
  size_t kept_bytes;              // of bodies' buffers that have been used; the loop's thread only
  http_form forms[HTTP_FORMS];    // the loop's thread only
  uint8_t *long_body;             // a buffer that nobody uses, or NULL; the loop's thread only
  size_t long_body_capacity;
  double long_body_since;         // when it was last used
  uint64_t woken;                 // when it last woke up, in nanoseconds; the loop's thread only
  double now;                     // the same in seconds
  double last_sweep;
  double refused_at;              // when libmicrohttpd last refused a request itself
  http_lingerer lingerer;         // the loop's thread only
  // Written by the loop's thread only, so that counting costs no locked instruction and loops do
  // not share a line; read by others.
  _Atomic uint64_t requests, shed, timed_out;
  _Atomic uint64_t receiving;     // requests whose first line has come, and the rest has not
  _Atomic uint64_t in_flight;     // requests being answered
  _Atomic uint64_t starts;        // requests begun: whether a drained server is quiet
  _Atomic uint64_t held;          // bytes of bodies and answers under way
  _Atomic uint64_t held_in_line[HTTP_LINES];  // the same by whose they are
  _Atomic uint64_t freed;         // bytes of long bodies and answers, and of connections, that were under way
  _Atomic uint64_t refusals[HTTP_REFUSALS];
  uint64_t steps;                 // how often libmicrohttpd has called back; the loop's thread only
  unsigned vain_turns;            // turns in a row without any; the loop's thread only
  unsigned owed_turns;            // that answers over TLS take without any; the loop's thread only
  uint64_t ended_count;           // connections that have ended; the loop's thread only
  pthread_mutex_t lock;           // guards the two lists below
  http_arrival *arrivals;         // from the acceptor
  size_t arrival_count, arrival_capacity;
  http_exchange *answered;        // exchanges from the workers
  char log[128];                  // what libmicrohttpd said last before it started
};

typedef struct http_worker {
  http_server *server;
  pthread_t thread;
  unsigned number;
} http_worker;

struct http_server {
  http_options options;
  char *host, *certificate, *key;
  uint8_t *ticket_key;  // NULL: no tickets
  unsigned ticket_key_size;
  http_handler handler;
  http_refusal_observer observer;
  http_answer_observer answer_observer;
  void *context;
  int listener, acceptor_wakeup;
  uint16_t port;
  pthread_t acceptor;
  http_loop *loops;
  unsigned loop_count;
  http_worker *workers;
  unsigned worker_count;
  pthread_mutex_t queue_lock;
  pthread_cond_t queue_filled;
  http_line lines[HTTP_LINES];    // in which requests wait for a worker
  unsigned line_count;            // those up to the last that anybody has been in; others need no look
  unsigned last_line;             // the one whose turn was last
  size_t queue_count;             // in all lines
  bool stops_workers;             // guarded by queue_lock
  pthread_mutex_t end_lock;
  pthread_cond_t thread_ended;
  unsigned ended_workers, ended_loops;  // guarded by end_lock
  // The last one: loops that end leave what a worker may still use.
  atomic_bool is_draining, stops_acceptor, stops_loops, is_abandoned;
  http_address_table addresses;
  http_lingerer lingerer;         // the acceptor's thread only
  _Atomic uint64_t accepted, refused, refused_by_address, connections, accept_failures;
  atomic_int accept_error;        // the last one's
  _Atomic uint64_t long_bodies[HTTP_LINES];  // being received, by whose they are
  http_server *next_abandoned;
};

// loop.c
bool http_loop_start(http_loop *loop, http_server *server, char *error, size_t error_size);
void http_loop_wake(http_loop *loop);
// False if there is no memory; the socket is the caller's then.
bool http_loop_take_socket(http_loop *loop, const http_arrival *arrival);
void http_loop_take_answer(http_exchange *exchange);
// Says that so many bytes are about to be sent, for which the loop is not to wait.
void http_loop_owe_turns(http_loop *loop, size_t count);
// After how many seconds of silence libmicrohttpd closes its connections by itself; 0: it does not.
unsigned http_loop_timeout(const http_loop *loop);
// Changes a counter of a loop, on its thread.
static inline void http_count(_Atomic uint64_t *counter, int64_t change) {
  uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, value + (uint64_t)change, memory_order_relaxed);
}

// thread.c
uint64_t http_clock(void);  // CLOCK_MONOTONIC in nanoseconds
double http_now(void);      // the same in seconds
// Starts a thread; if there can be none, says why.
bool http_thread_start(pthread_t *thread, void *(*run)(void *), void *context, char *error,
                       size_t error_size);
// Names the thread that calls, for debuggers and top; a number below 0 is left out.
void http_thread_name(const char *kind, int number);
// Puts the thread that calls behind the others.
void http_thread_yield_to_others(void);
// Says that a thread that `count` counts has nothing more to do with the server.
void http_thread_ends(http_server *server, unsigned *count);
// Waits until so many have said so; false if the time comes first.
bool http_threads_await(http_server *server, const unsigned *count, unsigned expected, double end);

// addresses.c
bool http_addresses_start(http_address_table *table);
void http_addresses_end(http_address_table *table);
// Counts one more connection of an address; false, and not counted, if it has `limit` already.
bool http_addresses_take(http_address_table *table, const http_address *address, unsigned limit);
void http_addresses_give_back(http_address_table *table, const http_address *address);
size_t http_addresses_count(http_address_table *table);
bool http_address_is_loopback(const http_address *address);

// linger.c
bool http_linger_start(http_lingerer *lingerer);
// Takes a socket over.
void http_linger_take(http_lingerer *lingerer, int fd, double now);
// Throws away what has come, and closes what has ended or is overdue.
void http_linger_run(http_lingerer *lingerer, double now);
void http_linger_end(http_lingerer *lingerer);

// server.c: ends the count of a connection that the acceptor has counted.
void http_server_forget_address(http_server *server, const http_address *address);

// What a large page has on most processors; where it has more, hints come to nothing.
enum : size_t { HTTP_LARGE_PAGE_BYTES = 2 << 20 };

// memory.c: has the memory of the thread that calls grow by so much at once, 16 MiB at the most, in
// large pages where whole ones fit. All arenas of glibc but the first grow by a page, with a system
// call for each, and each page is a fault: a fifth of the time in which a million items are described.
// Returns what keeps the room until it is freed; NULL if there is nothing to free.
void *http_memory_make_room(size_t count);

// exchange.c: libmicrohttpd's callbacks
void *http_exchange_begin(void *loop, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result http_exchange_step(void *loop, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *count, void **exchange);
void http_exchange_end(void *loop, struct MHD_Connection *mhd, void **exchange,
                       enum MHD_RequestTerminationCode code);
void http_exchange_free(http_exchange *exchange);
// Fills in a refusal as the exchange's reply and tells of it.
void http_exchange_refuse(http_exchange *exchange, unsigned status, const char *detail);
void http_count_refusal(http_loop *loop, unsigned status);

// body.c: the memory of bodies and answers that are under way
// Says how many bytes an exchange holds from now on.
void http_hold(http_exchange *exchange, size_t count);
// Whether an exchange may hold so many bytes, if it asks for many. Others may ask at the same time,
// and what is small is not asked about: the limit is exceeded at most by a piece for each loop and
// by 64 KiB for each request and answer. Whoever takes long answers slowly must not keep all others from theirs.
bool http_may_hold(const http_exchange *exchange, uint64_t count);
// Makes room for a body of so many bytes and the padding behind it; false if there is no memory. No body is
// near the limit of size_t: the server sees to that when it starts.
bool http_body_reserve(http_exchange *exchange, size_t count);
// The body has been used: what is not too large stays with the exchange, or with the loop; nothing where
// others keep enough.
void http_body_let_go(http_exchange *exchange);
void http_body_free(http_exchange *exchange);
// Gives back what a loop has kept for long enough.
void http_body_sweep(http_loop *loop);

// A kind of refusal.
typedef struct http_problem {
  unsigned status;
  const char *slug, *title;
} http_problem;

// reply.c
// Fills in a refusal, whose text is kept where the caller says, of HTTP_PROBLEM_SIZE bytes.
void http_reply_refuse(http_reply *reply, const http_problem *problem, const char *detail,
                       const char *id, char *text);
// Sends a short reply on a socket that nobody else writes to, as its last one, as far as the socket takes it; of the
// answer to a HEAD the header alone. The session is that of TLS, or NULL.
void http_reply_say(const http_reply *reply, http_method asked, int fd, void *session);
extern const char http_cache_control[];
struct MHD_Response *http_response_make(const uint8_t *body, size_t count,
                                        void (*release)(void *owner), void *owner);
// One without a body that says nothing of a length; the connection ends after it.
struct MHD_Response *http_response_make_unmeasured(void);
// Adds type and tag, and has caches ask anew before they give the answer to a GET or HEAD again: without
// a word from the server they may guess how long it is good for. False if there was no memory for one of them.
bool http_response_describe(struct MHD_Response *response, const char *content_type,
                            const char *tag, bool is_read);

// form.c: all on the loop's thread
// A form with the reply's bytes in it, which is the caller's until it says that it is not used; NULL
// if there is none for such a reply.
http_form *http_form_take(http_loop *loop, const http_reply *reply);
void http_forms_end(http_loop *loop);

// gate.c: 0 or the status with which a request is refused before its body is read. Fills in the
// request's method and fields, which live as long as libmicrohttpd's request.
typedef struct http_gate_result {
  size_t header_size;  // of the request line and the fields
  uint64_t length;     // of the body, by Content-Length
  bool is_chunked;
  const char *detail;  // why it is refused
} http_gate_result;
unsigned http_gate(http_exchange *exchange, const char *method, const char *version,
                   http_gate_result *result);
// Bodies up to this come along with the header as a rule: refusing them first saves nothing.
enum { HTTP_SHORT_BODY_BYTES = 16 << 10 };
extern const char http_body_is_too_long[];
bool http_takes_body(const http_request *request);
// How long a body may be: where nobody asks for one, a short one is read and left aside.
size_t http_longest_body(const http_exchange *exchange);
// A header that each request is given before its own, so that libmicrohttpd, which takes cookies
// apart into the memory that the header fields are in, takes this one and not what a client sends.
extern const char http_spare_cookie[];

// loop.c: has a connection enter a state now.
void http_connection_enter(http_connection *connection, http_connection_state state);
// Has a connection begin an answer, which its client has to take from now on; one that is long lets him who
// takes much at once rest.
void http_connection_answer(http_connection *connection, bool is_long);
// Has the sweep alone time a connection with TLS, or libmicrohttpd as well, which sees its own writes only: the
// kernel may have megabytes to send before the next.
void http_connection_pace(http_connection *connection, bool is_paced);

// greeting.c: handshakes of TLS, on the loop's thread
bool http_greeters_start(http_loop *loop);
// A connection begins, and libmicrohttpd with its handshake.
void http_greeter_begin(http_connection *connection);
// A connection ends that may still be in it.
void http_greeter_end(http_connection *connection);
// After a turn: whose handshake is not done is set aside until more of it has come; who is done with it is idle.
void http_greeters_settle(http_loop *loop);
// Lets those go on whose clients have.
void http_greeters_wake(http_loop *loop);
// Lets all go on: no daemon stops with one set aside.
void http_greeters_stop(http_loop *loop);

// tls.c
// False if there is no memory, or the certificate and its key are not what they should be, which is said.
bool http_tls_start(http_server *server, char *error, size_t error_size);
void http_tls_end(http_server *server);
// Gives a client that has just connected what it may come again with. Returns its session; NULL without TLS.
void *http_tls_begin(const http_server *server, struct MHD_Connection *mhd);
// Sends a text in a session in which libmicrohttpd has nothing to send.
void http_tls_say(void *session, const char *text, size_t count);
// Whether a session's client has done its part of the handshake.
bool http_tls_has_begun(void *session);
// The event of epoll that a session waits for whose hands are not shaken: that its client says more, or takes more.
unsigned http_tls_awaits(void *session);
// How many records have been read since the keys last changed.
uint64_t http_tls_count_records(void *session);
// The number of the first record that may have a request.
uint64_t http_tls_first_record(void *session);

// queue.c
// Whether the queue is more than half full, and has no place for a long body of a line.
bool http_queue_is_crowded(http_server *server, unsigned number);
bool http_queue_push(http_server *server, http_exchange *exchange);
// Closes the queue and hands what is in it back to its loops, unanswered.
void http_queue_close(http_server *server);
void *http_worker_run(void *worker);

// problem.c: canned refusals in the shape of the service's own.
// A 503 of what may have been done, or has been.
extern const http_problem http_uncertain;
void http_make_request_id(char id[HTTP_REQUEST_ID_SIZE]);
// The kind that goes with a status; of 503 that of which nothing has been done.
const http_problem *http_problem_of(unsigned status);
size_t http_problem_body(const http_problem *problem, const char *detail, const char *id,
                         char text[HTTP_PROBLEM_SIZE]);

#endif
