// What the files of the shim share; nothing outside sees it.
#ifndef LAYOUTD_HTTP_INTERNAL_H
#define LAYOUTD_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "http_shim.h"

typedef struct http_loop http_loop;
typedef struct http_exchange http_exchange;

struct http_reply {
  unsigned status;  // 0: not filled in
  const uint8_t *body;
  size_t count;
  void (*release)(void *owner);
  void *owner;
  http_prepared *prepared;   // the same, ready to be sent; NULL if it is not
  const char *content_type;  // static; NULL for none
  char tag[HTTP_TAG_SIZE];   // empty for none
  size_t field_count;
  struct {
    char name[32];
    char value[256];
  } fields[HTTP_REPLY_FIELDS];
};

// libmicrohttpd counts who uses a response, under a lock of the response's own.
struct http_prepared {
  struct MHD_Response *response;
};

// A connection as its loop sees it. All members belong to the loop's thread.
typedef struct http_connection {
  http_loop *loop;
  int fd;
  enum { CONNECTION_RECEIVING, CONNECTION_ANSWERING, CONNECTION_IDLE } state;
  double since;           // when the state began
  uint64_t received;      // the kernel's count of bytes at the first sweep of an idle connection
  bool has_received;      // whether `received` is known
  struct http_connection *next, *previous;
} http_connection;

// A request from its first line until its answer is sent; recycled by its loop.
struct http_exchange {
  http_loop *loop;
  http_connection *connection;
  struct MHD_Connection *mhd;
  enum { EXCHANGE_NEW, EXCHANGE_BODY, EXCHANGE_WORKER, EXCHANGE_ANSWERED, EXCHANGE_SENT } phase;
  http_request request;
  http_reply reply;
  char *target;           // the raw request target, NUL-terminated
  size_t target_capacity;
  uint8_t *body;
  size_t body_count, body_capacity;
  size_t announced;  // by Content-Length; 0: nothing
  bool is_too_large;
  bool is_counted;        // among the server's requests in flight, until its answer is sent
  http_exchange *next;    // in a pool, the queue or a mailbox
};

struct http_loop {
  http_server *server;
  pthread_t thread;
  struct MHD_Daemon *daemon;
  int epoll, wakeup;
  _Atomic unsigned connection_count;
  http_connection *connections;   // the loop's thread only
  http_exchange *pool;            // the loop's thread only
  unsigned pool_count;
  double now;                     // when it last woke up; the loop's thread only
  double last_sweep;
  // Written by the loop's thread only, so that counting costs no locked instruction and loops do
  // not share a line; read by others.
  _Atomic uint64_t requests, shed, timed_out;
  _Atomic uint64_t in_flight;     // requests being answered
  _Atomic uint64_t starts;        // requests begun: whether a drained server is quiet
  uint64_t ended_count;           // connections that have ended; the loop's thread only
  pthread_mutex_t lock;           // guards the two lists below
  int *arrivals;                  // sockets from the acceptor
  size_t arrival_count, arrival_capacity;
  http_exchange *answered;        // exchanges from the workers
};

struct http_server {
  http_options options;
  char *host;
  http_handler handler;
  void *context;
  int listener, acceptor_wakeup;
  uint16_t port;
  pthread_t acceptor;
  http_loop *loops;
  unsigned loop_count;
  pthread_t *workers;
  unsigned worker_count;
  pthread_mutex_t queue_lock;
  pthread_cond_t queue_filled;
  http_exchange *queue_head, *queue_tail;
  size_t queue_count;
  bool stops_workers;             // guarded by queue_lock
  atomic_bool is_draining, stops_acceptor, stops_loops;
  _Atomic uint64_t accepted, refused, connections;
};

// loop.c
bool http_loop_start(http_loop *loop, http_server *server);
void http_loop_wake(http_loop *loop);
void http_loop_take_socket(http_loop *loop, int fd);
void http_loop_take_answer(http_exchange *exchange);
double http_now(void);
// Changes a counter of a loop, on its thread.
static inline void http_count(_Atomic uint64_t *counter, int change) {
  uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, value + (uint64_t)(int64_t)change, memory_order_relaxed);
}

// exchange.c: libmicrohttpd's callbacks
void *http_exchange_begin(void *loop, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result http_exchange_step(void *loop, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *count, void **exchange);
void http_exchange_end(void *loop, struct MHD_Connection *mhd, void **exchange,
                       enum MHD_RequestTerminationCode code);
void http_exchange_free(http_exchange *exchange);

// gate.c: 0 or the status with which a request is refused before its body is read. Fills in the
// request's method and fields, which live as long as libmicrohttpd's request.
unsigned http_gate(struct MHD_Connection *mhd, const char *target, const char *method,
                   const char *version, size_t max_body_bytes, http_request *request,
                   uint64_t *length, const char **detail);

// queue.c
bool http_queue_push(http_server *server, http_exchange *exchange);
void *http_worker_run(void *server);

// problem.c: canned refusals in the shape of the service's own.
size_t http_problem_body(unsigned status, const char *detail, char *text, size_t size);
const char *http_problem_title(unsigned status);

#endif
