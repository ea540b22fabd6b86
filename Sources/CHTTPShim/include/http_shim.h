// An HTTP/1.1 server over libmicrohttpd that owns its threads.
//
//   acceptor ──▶ loop 0 ──▶ handler                     what is short is answered on the loop
//            └─▶ loop 1 ──▶ handler ──▶ queue ──▶ worker ──▶ handler
//                  ▲                                    │
//                  └──────────── mailbox ◀──────────────┘   what is long, on a worker
//
// What crosses this border, who owns it, and where:
//
// - A request is lent to the handler for the length of one call. Its bytes stay where they were
//   received. Nothing of it may be used after the handler has returned.
// - A reply is filled in by the handler. Header names and values are copied before the handler's
//   frame is left behind: they may be on its stack only through `http_reply_header`. The body stays
//   the handler's, is sent from where it is unless it is short, and must not change until `release` is
//   called: exactly once for each reply that has one, on any thread.
// - An answer that is sent often can be prepared: its fields are copied and its body is kept once,
//   until it is freed and nobody is sent it any more.
// - The handler is called on loop threads and worker threads, on many at once. On a loop thread it
//   must be done within about 100 µs, or return false to be called again on a worker thread.
// - All calls of libmicrohttpd for a connection happen on its loop's thread.
// - Each thread that calls the handler has a number: the loops from 0 on, then the workers. So what
//   the handler counts can have one writer for each thread.
//
// The functions below may be called from any thread, unless they say otherwise.
#ifndef LAYOUTD_HTTP_SHIM_H
#define LAYOUTD_HTTP_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// After a body so many bytes may be read, whatever they are: parsers read ahead.
enum { HTTP_BODY_PADDING = 64 };

// A reply has at most so many header fields.
enum { HTTP_REPLY_FIELDS = 8 };

// What an entity tag with its quotes and a NUL fits in.
enum { HTTP_TAG_SIZE = 48 };

// So much a request or its answer may hold without a look at what all others hold.
enum { HTTP_UNCHECKED_BYTES = 64 << 10 };

// So many closed connections at most are still read by each loop, and by the acceptor.
enum { HTTP_LINGERING_SOCKETS = 64 };

typedef enum __attribute__((enum_extensibility(closed))) http_method {
  HTTP_METHOD_GET,
  HTTP_METHOD_HEAD,
  HTTP_METHOD_POST,
  HTTP_METHOD_PUT,
  HTTP_METHOD_PATCH,
  HTTP_METHOD_DELETE,
  HTTP_METHOD_OPTIONS,
  HTTP_METHOD_OTHER,  // a token that is none of these
} http_method;

// Bytes that belong to somebody else. `start` is never NULL.
typedef struct http_bytes {
  const uint8_t *_Nonnull start;
  size_t count;
} http_bytes;

// The request header fields that are handed over.
typedef enum http_field {
  HTTP_FIELD_CONTENT_TYPE,
  HTTP_FIELD_CONTENT_ENCODING,
  HTTP_FIELD_ACCEPT,
  HTTP_FIELD_IF_MATCH,
  HTTP_FIELD_IF_NONE_MATCH,
  HTTP_FIELD_AUTHORIZATION,
  HTTP_FIELD_ORIGIN,
  HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD,
  HTTP_FIELD_COUNT,
} http_field;

// A request that has arrived whole and passed the gate.
typedef struct http_request {
  http_method method;
  http_bytes path;   // raw; begins with '/', no query
  http_bytes query;  // raw, without its '?'
  http_bytes body;   // HTTP_BODY_PADDING more bytes are readable
  bool has_length;   // whether the header says how long the body is, or that it comes in chunks
  bool was_announced;  // whether the handler has let it come by its header
  http_bytes fields[HTTP_FIELD_COUNT];  // by http_field; empty if absent; of several lines all, with
                                        // commas between; an If-Match without a value is the empty
                                        // tag, "", which nothing has
  unsigned thread;   // the number of the thread that calls
  uint64_t arrival;  // when it was whole: nanoseconds of CLOCK_MONOTONIC
} http_request;

// A field by its name: to Swift an array is a tuple, whose members have none.
static inline http_bytes http_request_field(const http_request *_Nonnull request,
                                            http_field field) {
  return request->fields[field];
}

// What the handler fills in.
typedef struct http_reply http_reply;

// Says that nothing has changed, so that whoever cannot be sent the answer is not told that something may have.
void http_reply_changes_nothing(http_reply *_Nonnull reply);

// Adds a header field; both texts are copied. Nothing is added without a value, past HTTP_REPLY_FIELDS, or longer
// than there is room for: whoever answers knows what it answers with, and debug builds hold it to the last two.
// An answer to GET or HEAD without `Cache-Control` is sent with `no-cache`.
void http_reply_header(http_reply *_Nonnull reply, const char *_Nonnull name,
                       const char *_Nonnull value);

// Sets the type of the body, which must live as long as the process, and the entity tag, which is
// copied; NULL and 0 for none. A tag of HTTP_TAG_SIZE bytes or more is left out.
void http_reply_describe(http_reply *_Nonnull reply, const char *_Nullable content_type,
                         const uint8_t *_Nullable tag, size_t tag_count);

// Sets the status and the body. `release(owner)` is called when the body is not needed any more. One that is NULL and
// has a length is not there: only to HEAD, and of 304, where its length alone is sent.
void http_reply_body(http_reply *_Nonnull reply, unsigned status,
                     const uint8_t *_Nullable body, size_t count,
                     void (*_Nullable release)(void *_Nullable owner), void *_Nullable owner);

// A type, a tag and a body in the form in which they are sent; sent by many at once.
typedef struct http_prepared http_prepared;

// Prepares an answer, to GET and HEAD (`is_read`) or to other methods: it is sent to those alone. NULL if
// there is no memory, or the type or the tag cannot be sent. `release(owner)` is called when the body is not
// needed any more, at once if NULL is returned.
http_prepared *_Nullable http_prepare(const char *_Nullable content_type,
                                      const uint8_t *_Nullable tag, size_t tag_count, bool is_read,
                                      const uint8_t *_Nullable body, size_t count,
                                      void (*_Nonnull release)(void *_Nullable owner),
                                      void *_Nullable owner);

// Frees a prepared answer. What is under way is still sent.
void http_prepared_free(http_prepared *_Nonnull prepared);

// Says that the reply, which is filled in too, is what has been prepared. It must not be freed
// before the reply's body is released.
void http_reply_prepared(http_reply *_Nonnull reply, http_prepared *_Nonnull prepared);

// The line in which a request waits for a worker, and in which a long answer to it is counted.
enum {
  HTTP_LINE_SHARED,        // clients are not told apart, or only one is known: as it is if nothing is said
  HTTP_LINE_UNIDENTIFIED,  // clients are told apart, and this one has not said who it is
  HTTP_FIRST_OWN_LINE,     // this and above: a known client's own
};

// Puts a request in a line. There are 1,022 own ones, which any further clients share. Lines take turns, and each
// but the shared one may have three quarters of the queue, of the workers, and of the bytes under way.
void http_reply_put_in_line(http_reply *_Nonnull reply, unsigned line);

// How far a request has come when the handler is asked.
typedef enum __attribute__((enum_extensibility(closed))) http_stage {
  HTTP_STAGE_HEADER,  // a long body is still to come; true refuses it, false lets it come
  HTTP_STAGE_LOOP,    // whole, on the thread that serves; false to be called again on a worker
  HTTP_STAGE_WORKER,  // whole, on a worker; must be true
} http_stage;

// Answers a request: true if `reply` is filled in.
typedef bool (*http_handler)(void *_Nullable context, const http_request *_Nonnull request,
                             http_stage stage, http_reply *_Nonnull reply);

// Told of each request that is refused by the shim itself, on the thread that refuses it: the raw
// target and the field Origin, empty where none was read, and the name that the answer's problem
// carries. May add fields to the reply, if there is one.
typedef void (*http_refusal_observer)(void *_Nullable context, unsigned status, http_bytes target,
                                      http_bytes origin, const char *_Nonnull request_id,
                                      http_reply *_Nullable reply);

// Told on a worker that its answer is on its way: what is left to be done need not keep who asked.
typedef void (*http_answer_observer)(void *_Nullable context);

typedef struct http_options {
  const char *_Nonnull host;        // a name or an address
  uint16_t port;                    // 0 takes a free one
  unsigned loops;                   // threads that serve connections, at least 1
  unsigned workers;                 // threads that do long work, at least 1
  size_t queue_capacity;            // requests that wait for a worker; past it 503
  size_t max_body_bytes;            // past it 413
  unsigned max_connections;         // past it 503 and closed
  unsigned request_timeout_seconds; // for a request to arrive whole, however it trickles
  unsigned idle_timeout_seconds;    // in which something has to come, or to be taken; and longer by what is taken of
                                    // an answer that was sent, at the pace below
  double min_answer_rate;           // bytes of an answer to be taken in a second; who is behind by that
                                    // time is cut off
  unsigned max_connections_per_address;  // past it 503 and closed; 0 for no limit
  bool spares_loopback;             // whether loopback addresses are free of that limit
  size_t max_held_bytes;            // bodies and answers under way; past it 503; 0 for no limit
  size_t max_target_bytes;          // past it 414
  size_t max_header_bytes;          // names, values and 4 for each field; past it 431
  const char *_Nullable certificate;  // PEM, the server's first; copied; NULL for no TLS
  const char *_Nullable key;          // PEM; copied
} http_options;

// Refusals are counted by status; the last count is for all that have none of their own.
enum { HTTP_REFUSALS = 7 };

// The status that a count is for; 0 for the last one.
unsigned http_refusal_status(unsigned index);

typedef struct http_server http_server;

// How a server is doing. Counters grow; gauges are as of now.
typedef struct http_statistics {
  uint64_t accepted;      // connections taken
  uint64_t refused;       // connections turned away: too many in all
  uint64_t refused_by_address;  // connections turned away: too many from their address
  uint64_t requests;      // requests handed to the handler
  uint64_t shed;          // requests turned away: the queue was full
  uint64_t timed_out;     // connections cut off: a request did not arrive, or its answer was not
                          // taken, in time
  uint64_t refusals[HTTP_REFUSALS];  // requests refused by the shim itself, by status
  uint64_t connections;   // open now
  uint64_t in_flight;     // requests being answered now
  uint64_t queued;        // requests that wait for a worker now
  uint64_t held;          // bytes of bodies and answers under way now
  uint64_t freed;         // bytes of long bodies and answers, and of connections, that are not any more
  uint64_t lingering;     // closed connections that are still read now
  uint64_t addresses;     // client addresses that have counted connections now
  uint64_t accept_failures;  // tries to take a connection that failed
  int accept_error;       // the system's number for what the last of them failed of
} http_statistics;

// Starts a server: it accepts connections when this returns. NULL: `error` says why.
http_server *_Nullable http_server_start(const http_options *_Nonnull options,
                                         http_handler _Nonnull handler,
                                         http_refusal_observer _Nonnull observer,
                                         http_answer_observer _Nonnull answer_observer,
                                         void *_Nullable context,
                                         char *_Nonnull error, size_t error_size);

// The port that it listens on.
uint16_t http_server_port(const http_server *_Nonnull server);

http_statistics http_server_statistics(http_server *_Nonnull server);

// Stops: closes the listening socket and finishes what is under way for at most so many seconds;
// then answers 503 to what is still queued and cuts off the rest. Blocks. Call once, from none of
// its threads.
//
// True: all threads have ended, the handler is not called any more and every reply has been released;
// the port and the statistics can still be asked for. False: a thread was still in the handler half a
// second after that time, and everything that it may use was left as it is, for good; the process
// should end.
bool http_server_stop(http_server *_Nonnull server, unsigned drain_seconds);

// Frees a server of which http_server_stop() has said that all threads have ended; nobody may ask it
// for anything meanwhile or afterwards.
void http_server_free(http_server *_Nonnull server);

// Blocks SIGHUP, for this thread and those it starts; one that comes is waited for later. SIGTERM and SIGINT end the
// process at once, the first one of a container too.
void http_signals_await_start(void);

// Blocks SIGTERM, SIGINT and SIGHUP and ignores SIGPIPE and SIGXFSZ, for this thread and those it starts.
// Call on the main thread before any other thread starts.
void http_signals_block(void);

// Waits for one of the blocked signals and returns it; 0 if none has come in so many seconds.
int http_signals_wait(unsigned seconds);

// How many texts the program was started with, its name among them.
size_t http_arguments_count(void);

// One of them, which lives as long as the process.
const char *_Nonnull http_argument(size_t index);

// Opens those of standard input, output and error that are closed, to nowhere. Else a socket or the like would
// have their number, and be written the log to. Call before anything is opened.
void http_streams_open(void);

// Lets the process have as many descriptors as it may; returns how many these are.
uint64_t http_descriptors_raise(void);

// Has malloc map what is large on its own, so that all of it goes back to the system when it is
// freed. Left to itself, glibc learns from the first large piece that is freed to keep the next
// ones, up to 32 MiB each. And has all threads share two arenas, whose holes they fill for each
// other. Call before any other thread starts.
void http_memory_give_back(void);

// Gives whole pages that are free back to the system, wherever they are; malloc by itself keeps
// those that have something in use behind them.
void http_memory_trim(void);

#endif
