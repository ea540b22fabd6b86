// One request and its answer: what libmicrohttpd calls, on the loop's thread.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

// How many recycled exchanges a loop keeps.
static const unsigned kept_exchanges = 64;
// How much of a body that is refused is thrown away before the connection is.
static const size_t drained_bytes = 1 << 20;

static const char too_much_is_held[] = "too much is under way, see --max-in-flight-mib";
// Whoever is refused the answer to a change must not take the change for undone.
static const char answer_has_no_room[] =
    "too much is under way for the answer, see --max-in-flight-mib; a change that was asked for has been made";

static const unsigned refusal_statuses[HTTP_REFUSALS] = {400, 413, 414, 431, 503, 505, 0};

static http_exchange *take(http_loop *loop) {
  http_exchange *exchange = loop->pool;
  if (exchange) {
    loop->pool = exchange->next;
    loop->pool_count--;
  } else {
    exchange = calloc(1, sizeof *exchange);
  }
  return exchange;
}

static void release_reply(http_exchange *exchange) {
  if (exchange->reply.release) exchange->reply.release(exchange->reply.owner);
  exchange->reply.release = NULL;
}

void http_exchange_free(http_exchange *exchange) {
  release_reply(exchange);
  http_body_free(exchange);
  free(exchange->target);
  free(exchange->joined);
  free(exchange);
}

// Counts a long body among those that are being received, or not any more.
static void count_long(http_exchange *exchange, bool is_long) {
  if (exchange->is_long == is_long) return;
  exchange->is_long = is_long;
  if (is_long) exchange->long_line = http_line_number(exchange);
  atomic_fetch_add(&exchange->loop->server->long_bodies[exchange->long_line],
                   is_long ? 1 : UINT64_MAX);
}

// Counts a request among those that are being received, or not any more.
static void count_receiving(http_exchange *exchange, bool is_receiving) {
  if (exchange->is_receiving == is_receiving) return;
  exchange->is_receiving = is_receiving;
  http_count(&exchange->loop->receiving, is_receiving ? 1 : -1);
}

static void recycle(http_loop *loop, http_exchange *exchange) {
  count_long(exchange, false);
  release_reply(exchange);
  http_body_let_go(exchange);
  free(exchange->joined);
  exchange->joined = NULL;
  if (loop->pool_count >= kept_exchanges) {
    http_exchange_free(exchange);
    return;
  }
  exchange->next = loop->pool;
  loop->pool = exchange;
  loop->pool_count++;
}

// How much of a target is a scheme and an authority in front of the path: that is how clients ask a proxy,
// and every server has to take it for the path alone (RFC 9112, section 3.2.2). One that nobody is named in,
// or somebody's user name, is none (RFC 9110, section 4.2).
static size_t count_origin(const char *uri) {
  static const char *const schemes[] = {"http://", "https://"};
  if (*uri == '/') return 0;
  for (unsigned i = 0; i < 2; i++) {
    size_t start = strlen(schemes[i]);
    if (strncasecmp(uri, schemes[i], start) != 0) continue;
    size_t count = strcspn(uri + start, "/?@");
    return count > 0 && uri[start + count] == '/' ? start + count : 0;
  }
  return 0;
}

// Keeps a copy of the target, which libmicrohttpd is about to take apart, from its path on.
static bool copy_target(http_exchange *exchange, const char *uri) {
  exchange->read_target = uri;
  exchange->origin_count = count_origin(uri);
  uri += exchange->origin_count;
  size_t count = strlen(uri);
  if (count >= exchange->target_capacity) {
    char *target = realloc(exchange->target, count + 1);
    if (!target) return false;
    exchange->target = target;
    exchange->target_capacity = count + 1;
  }
  memcpy(exchange->target, uri, count + 1);
  exchange->target_count = count;
  const char *query = memchr(uri, '?', count);
  exchange->path_count = query ? (size_t)(query - uri) : count;
  return true;
}

// Sees to it that libmicrohttpd takes apart neither the query nor cookies: a few hundred would fill
// the memory that the header is read into, and nobody asks for them.
static void spare_parsing(const http_exchange *exchange, char *uri, struct MHD_Connection *mhd) {
  // It looks for arguments behind the '?', in a buffer of its own that may be written to.
  if (exchange->path_count + 1 < exchange->target_count)
    uri[exchange->origin_count + exchange->path_count + 1] = 0;
  (void)MHD_set_connection_value(mhd, MHD_HEADER_KIND, http_spare_cookie, "-");
}

static http_bytes bytes_of(const char *text, size_t count) {
  return (http_bytes){(const uint8_t *)text, count};
}

static void reset(http_exchange *exchange, http_loop *loop, struct MHD_Connection *mhd) {
  exchange->loop = loop;
  exchange->mhd = mhd;
  exchange->phase = EXCHANGE_NEW;
  exchange->request.thread = loop->number;
  for (int i = 0; i < HTTP_FIELD_COUNT; i++) exchange->request.fields[i] = bytes_of("", 0);
  exchange->body_count = 0;
  exchange->held = exchange->drained = 0;
  exchange->is_refused = false;
  exchange->request.has_length = false;
  exchange->request.was_announced = false;
  exchange->is_chunked = false;
  exchange->is_relayed = false;
  exchange->is_receiving = false;
  exchange->is_counted = false;
  exchange->is_long = false;
  memset(&exchange->reply, 0, offsetof(http_reply, fields));
  exchange->form = NULL;
}

// Called with the raw target as soon as the request line is there; what it returns becomes the
// request's context. NULL only if there is no memory: the next step closes the connection then.
void *http_exchange_begin(void *context, const char *uri, struct MHD_Connection *mhd) {
  http_loop *loop = context;
  http_exchange *exchange = uri ? take(loop) : NULL;
  if (!exchange) return NULL;
  reset(exchange, loop, mhd);
  if (!copy_target(exchange, uri)) {
    http_exchange_free(exchange);
    return NULL;
  }
  count_receiving(exchange, true);
  spare_parsing(exchange, (char *)uri, mhd);
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  exchange->connection = info ? info->socket_context : NULL;
  http_connection *connection = exchange->connection;
  // The sweep may have seen it begin before.
  if (connection &&
      (connection->state == CONNECTION_IDLE || connection->state == CONNECTION_GREETING))
    http_connection_enter(connection, CONNECTION_RECEIVING);
  http_count(&loop->starts, 1);
  return exchange;
}

unsigned http_refusal_status(unsigned index) {
  return index < HTTP_REFUSALS ? refusal_statuses[index] : 0;
}

void http_count_refusal(http_loop *loop, unsigned status) {
  unsigned i = 0;
  while (i < HTTP_REFUSALS - 1 && refusal_statuses[i] != status) i++;
  http_count(&loop->refusals[i], 1);
}

static void refuse_as(http_exchange *exchange, const http_problem *problem, const char *detail) {
  http_server *server = exchange->loop->server;
  char id[HTTP_REQUEST_ID_SIZE];
  http_make_request_id(id);
  release_reply(exchange);
  http_reply_refuse(&exchange->reply, problem, detail, id, exchange->problem);
  http_count_refusal(exchange->loop, problem->status);
  http_bytes target = bytes_of(exchange->target, exchange->target_count);
  http_bytes origin = exchange->request.fields[HTTP_FIELD_ORIGIN];
  server->observer(server->context, problem->status, target, origin, id, &exchange->reply);
}

void http_exchange_refuse(http_exchange *exchange, unsigned status, const char *detail) {
  refuse_as(exchange, http_problem_of(status), detail);
}

// From now on the client has to take its answer.
static void start_answering(http_exchange *exchange) {
  http_connection *connection = exchange->connection;
  if (!connection) return;
  bool has_body = exchange->request.method != HTTP_METHOD_HEAD && exchange->reply.status != 304;
  size_t count = has_body ? exchange->reply.count : 0;
  http_loop_owe_turns(exchange->loop, count);
  http_connection_answer(connection, count > HTTP_UNCHECKED_BYTES);
}

// Sends a reply that has been prepared: libmicrohttpd counts who uses it.
static enum MHD_Result send_prepared(http_exchange *exchange) {
  http_reply *reply = &exchange->reply;
  enum MHD_Result result =
      MHD_queue_response(exchange->mhd, reply->status, reply->prepared->response);
  release_reply(exchange);
  return result;
}

// Sends a reply in a form that others have been sent in; false if there is none.
static bool send_in_form(http_exchange *exchange, enum MHD_Result *result) {
  http_form *form = http_form_take(exchange->loop, &exchange->reply);
  if (!form) return false;
  exchange->form = form;
  release_reply(exchange);
  *result = MHD_queue_response(exchange->mhd, exchange->reply.status, form->response);
  return true;
}

// Whether the handler has given a header field itself.
static bool says(const http_reply *reply, const char *name) {
  for (size_t i = 0; i < reply->field_count; i++)
    if (strcasecmp(reply->fields[i].name, name) == 0) return true;
  return false;
}

// Whether a reply says nothing of its length: a proxy that sees to compression as well may be behind the
// one that keeps answers, and then the length of ours is not that of what is kept. Squid takes it for that
// all the same (RFC 9111, section 3.2, says not to), and cuts its answers short. libmicrohttpd can only leave
// it out where the connection ends, so that others, who go by the length or do not look at it, are told.
static bool hides_length(const http_exchange *exchange) {
  return exchange->is_relayed && exchange->reply.status == 304;
}

static struct MHD_Response *make_response(http_exchange *exchange) {
  http_reply *reply = &exchange->reply;
  if (hides_length(exchange)) return http_response_make_unmeasured();
  struct MHD_Response *response =
      http_response_make(reply->body, reply->count, reply->release, reply->owner);
  // From here on libmicrohttpd owns the body, and releases it even if it cannot be sent.
  if (response) reply->release = NULL;
  return response;
}

static enum MHD_Result send_once(http_exchange *exchange, bool closes) {
  http_reply *reply = &exchange->reply;
  enum MHD_Result result;
  if (!closes && send_in_form(exchange, &result)) return result;
  struct MHD_Response *response = make_response(exchange);
  if (!response) return MHD_NO;
  // Without memory for all of it no answer is sent rather than one that lacks a field.
  bool is_whole = http_response_describe(response, reply->content_type, reply->tag,
                                         reply->is_read && !says(reply, http_cache_control));
  for (size_t i = 0; i < reply->field_count && is_whole; i++)
    is_whole = MHD_add_response_header(response, reply->fields[i].name,
                                       reply->fields[i].value) == MHD_YES;
  if (closes && is_whole)
    is_whole = MHD_add_response_header(response, "Connection", "close") == MHD_YES;
  result = is_whole ? MHD_queue_response(exchange->mhd, reply->status, response) : MHD_NO;
  MHD_destroy_response(response);
  return result;
}

// Whether a body may follow that the header says nothing of.
static bool may_lack_length(const http_request *request) {
  return !request->has_length && http_takes_body(request);
}

// Sends a reply: from where it is, unless it is short.
static enum MHD_Result send_reply(http_exchange *exchange) {
  http_reply *reply = &exchange->reply;
  http_body_let_go(exchange);
  // What is prepared is held once, however many are sent it; what is not there is not.
  size_t held = reply->prepared || !reply->body ? 0 : reply->count;
  if (!http_may_hold(exchange, held)) {
    if (reply->is_read || reply->changes_nothing || reply->status >= 300)
      http_exchange_refuse(exchange, 503, too_much_is_held);
    else
      refuse_as(exchange, &http_uncertain, answer_has_no_room);
    held = reply->count;
  }
  http_hold(exchange, held);
  // Where chunks ended, libmicrohttpd and a proxy in front may disagree: it takes bare LFs, and a
  // trailer line that begins with NUL for the end. And who gave no length may have sent a body all the
  // same. What follows is not read as a request.
  bool is_end_unsure = exchange->is_chunked || may_lack_length(&exchange->request);
  bool closes = is_end_unsure || hides_length(exchange) ||
                atomic_load_explicit(&exchange->loop->server->is_draining, memory_order_relaxed);
  // Who goes on sending, such as requests that nobody answers any more, loses no answer by that.
  if (exchange->connection && closes) exchange->connection->lingers = true;
  start_answering(exchange);
  bool is_prepared = reply->prepared && reply->prepared->is_read == reply->is_read;
  enum MHD_Result result = is_prepared && reply->field_count == 0 && !closes
                               ? send_prepared(exchange)
                               : send_once(exchange, closes);
  exchange->phase = EXCHANGE_SENT;
  return result;
}

// Sends a refusal past libmicrohttpd, which may have no room for its header, or take no answer yet, and ends the
// connection.
static enum MHD_Result say(http_exchange *exchange) {
  http_connection *connection = exchange->connection;
  if (connection) {
    http_reply_say(&exchange->reply, exchange->request.method, connection->fd, connection->session);
    connection->lingers = true;
  }
  return MHD_NO;
}

static void fill_in_request(http_exchange *exchange) {
  http_request *request = &exchange->request;
  const char *target = exchange->target;
  size_t path_count = exchange->path_count;
  request->path = bytes_of(target, path_count);
  request->query = path_count < exchange->target_count
                       ? bytes_of(target + path_count + 1, exchange->target_count - path_count - 1)
                       : bytes_of("", 0);
  static const uint8_t no_body[HTTP_BODY_PADDING];
  request->body = exchange->body_count ? (http_bytes){exchange->body, exchange->body_count}
                                       : (http_bytes){no_body, 0};
  request->arrival = exchange->loop->woken;
}

// Whether a connection is, when it is resumed, asked for its answer before its socket is read: libmicrohttpd
// does that only with those that have a timeout of their own, and looks at all of these in every turn. The
// others it reads first, and if a client has said all it will say, it closes, though the answer is there.
static void answer_first(const http_exchange *exchange, bool is_first) {
  unsigned timeout = http_loop_timeout(exchange->loop) + (is_first ? 3600 : 0);
  MHD_set_connection_option(exchange->mhd, MHD_CONNECTION_OPTION_TIMEOUT, timeout);
}

// Says no to a request that no worker would come to.
static void shed(http_exchange *exchange) {
  http_count(&exchange->loop->shed, 1);
  http_exchange_refuse(exchange, 503, "too many requests wait for a worker");
}

// The request is whole: answers it here, or hands it to a worker.
static enum MHD_Result dispatch(http_exchange *exchange) {
  http_server *server = exchange->loop->server;
  count_receiving(exchange, false);
  count_long(exchange, false);
  if (exchange->is_refused) return send_reply(exchange);
  fill_in_request(exchange);
  if (exchange->connection) http_connection_enter(exchange->connection, CONNECTION_WAITING);
  http_count(&exchange->loop->requests, 1);
  http_count(&exchange->loop->in_flight, 1);
  exchange->is_counted = true;
  if (server->handler(server->context, &exchange->request, HTTP_STAGE_LOOP, &exchange->reply))
    return send_reply(exchange);
  // Suspended before it is queued: the answer may come at once.
  exchange->phase = EXCHANGE_WORKER;
  answer_first(exchange, true);
  MHD_suspend_connection(exchange->mhd);
  if (http_queue_push(server, exchange)) return MHD_YES;
  shed(exchange);
  http_loop_take_answer(exchange);
  return MHD_YES;
}

// Whether a request is refused whose body is long, and would only be thrown away: by the handler, or
// because no worker would come to it. To receive a megabyte for nothing takes a loop longer than
// hundreds of short requests.
static bool is_refused_unread(http_exchange *exchange) {
  if (!exchange->is_chunked && exchange->announced <= HTTP_SHORT_BODY_BYTES) return false;
  if (!http_takes_body(&exchange->request)) return false;
  http_server *server = exchange->loop->server;
  fill_in_request(exchange);
  if (server->handler(server->context, &exchange->request, HTTP_STAGE_HEADER, &exchange->reply))
    return true;
  exchange->request.was_announced = true;
  if (http_queue_is_crowded(server, http_line_number(exchange))) {
    shed(exchange);
    return true;
  }
  count_long(exchange, true);
  return false;
}

// The header is there.
static enum MHD_Result begin_body(http_exchange *exchange, const char *method,
                                  const char *version) {
  http_gate_result result;
  unsigned status = http_gate(exchange, method, version, &result);
  http_method asked = exchange->request.method;
  exchange->reply.is_read = asked == HTTP_METHOD_GET || asked == HTTP_METHOD_HEAD;
  if (!status && !http_may_hold(exchange, result.length)) {
    status = 503;
    result.detail = too_much_is_held;
  }
  // An answer here closes the connection, which is what a request that lies deserves: where the
  // next one begins is anybody's guess.
  if (status) {
    http_exchange_refuse(exchange, status, result.detail);
    return say(exchange);
  }
  if (exchange->connection) exchange->connection->consumed += result.header_size;
  exchange->is_chunked = result.is_chunked;
  exchange->announced = (size_t)result.length;
  if (is_refused_unread(exchange)) {
    if (exchange->connection) exchange->connection->lingers = true;
    return send_reply(exchange);
  }
  // A length is only a promise: large ones are believed as the bytes arrive. Where the system has large pages
  // for all, what is reserved may be there at once, whether it is written to or not.
  static const size_t most = HTTP_UNCHECKED_BYTES - HTTP_BODY_PADDING;
  size_t first = exchange->announced < most ? exchange->announced : most;
  if (first > 0 && !http_body_reserve(exchange, first)) return MHD_NO;
  exchange->phase = EXCHANGE_BODY;
  return MHD_YES;
}

// Refuses a body that is coming, once: it is counted and told of now, since it may never come whole.
static void refuse_rest(http_exchange *exchange, unsigned status, const char *detail) {
  exchange->is_refused = true;
  http_body_let_go(exchange);
  http_exchange_refuse(exchange, status, detail);
}

// Throws away a piece of a refused body. Where too much comes, the connection ends: libmicrohttpd takes no
// answer before the body's end.
static enum MHD_Result drain(http_exchange *exchange, size_t count) {
  exchange->drained += count;
  return exchange->drained <= drained_bytes ? MHD_YES : say(exchange);
}

// A piece of the body is there.
static enum MHD_Result receive_body(http_exchange *exchange, const char *data, size_t count) {
  size_t total = exchange->body_count + count;
  if (exchange->connection) exchange->connection->consumed += count;
  if (!exchange->is_refused) {
    if (total > http_longest_body(exchange)) refuse_rest(exchange, 413, http_body_is_too_long);
    else if (!http_may_hold(exchange, total)) refuse_rest(exchange, 503, too_much_is_held);
  }
  if (exchange->is_refused) return drain(exchange, count);
  if (!http_body_reserve(exchange, total)) return MHD_NO;
  memcpy(exchange->body + exchange->body_count, data, count);
  exchange->body_count = total;
  if (total > exchange->held) http_hold(exchange, total);
  return MHD_YES;
}

enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *count, void **slot) {
  (void)mhd;
  (void)url;
  http_exchange *exchange = *slot;
  ((http_loop *)context)->steps++;
  if (!exchange) return MHD_NO;
  switch (exchange->phase) {
    case EXCHANGE_NEW: return begin_body(exchange, method, version);
    case EXCHANGE_BODY: {
      if (*count == 0) return dispatch(exchange);
      enum MHD_Result result = receive_body(exchange, data, *count);
      *count = 0;
      return result;
    }
    case EXCHANGE_WORKER: return MHD_YES;
    case EXCHANGE_ANSWERED:
      answer_first(exchange, false);
      return send_reply(exchange);
    case EXCHANGE_SENT: return MHD_YES;
  }
  return MHD_NO;
}

void http_exchange_end(void *context, struct MHD_Connection *mhd, void **slot,
                       enum MHD_RequestTerminationCode code) {
  (void)mhd;
  http_exchange *exchange = *slot;
  ((http_loop *)context)->steps++;
  *slot = NULL;
  if (!exchange) return;
  http_connection *connection = exchange->connection;
  if (connection) {
    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK) http_connection_pace(connection, false);
    http_connection_enter(connection, CONNECTION_IDLE);
    connection->has_received = false;
    if (connection->session) connection->records = http_tls_count_records(connection->session);
  }
  count_receiving(exchange, false);
  if (exchange->is_counted) http_count(&exchange->loop->in_flight, -1);
  // It has been sent, or never will be.
  if (exchange->form) exchange->form->is_used = false;
  recycle(context, exchange);
}
