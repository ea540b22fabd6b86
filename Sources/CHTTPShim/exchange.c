// One request and its answer: what libmicrohttpd calls, on the loop's thread.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// What a recycled exchange may keep of its body buffer, and how many a loop keeps.
static const size_t kept_body_bytes = 1 << 20;
static const unsigned kept_exchanges = 64;
// How much of a body that is too large is thrown away before the connection is.
static const size_t drained_bytes = 1 << 20;

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
  free(exchange->target);
  free(exchange->body);
  free(exchange);
}

static void recycle(http_loop *loop, http_exchange *exchange) {
  release_reply(exchange);
  if (loop->pool_count >= kept_exchanges) {
    http_exchange_free(exchange);
    return;
  }
  if (exchange->body_capacity > kept_body_bytes) {
    free(exchange->body);
    exchange->body = NULL;
    exchange->body_capacity = 0;
  }
  exchange->next = loop->pool;
  loop->pool = exchange;
  loop->pool_count++;
}

// Called with the raw target as soon as the request line is there; what it returns becomes the
// request's context. NULL only if there is no memory: the next step closes the connection then.
void *http_exchange_begin(void *context, const char *uri, struct MHD_Connection *mhd) {
  http_loop *loop = context;
  http_exchange *exchange = take(loop);
  if (!exchange) return NULL;
  size_t count = strlen(uri) + 1;
  if (count > exchange->target_capacity) {
    char *target = realloc(exchange->target, count);
    if (!target) {
      http_exchange_free(exchange);
      return NULL;
    }
    exchange->target = target;
    exchange->target_capacity = count;
  }
  memcpy(exchange->target, uri, count);
  exchange->loop = loop;
  exchange->mhd = mhd;
  exchange->phase = EXCHANGE_NEW;
  exchange->body_count = 0;
  exchange->is_too_large = false;
  exchange->is_counted = false;
  exchange->reply.status = 0;
  exchange->reply.field_count = 0;
  exchange->reply.release = NULL;
  exchange->reply.prepared = NULL;
  exchange->reply.content_type = NULL;
  exchange->reply.tag[0] = 0;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  exchange->connection = info ? info->socket_context : NULL;
  if (exchange->connection && exchange->connection->state == CONNECTION_IDLE) {
    exchange->connection->state = CONNECTION_RECEIVING;
    exchange->connection->since = exchange->loop->now;
  }
  http_count(&loop->starts, 1);
  return exchange;
}

// Makes room for a body of so many bytes and the padding behind it.
static bool reserve(http_exchange *exchange, size_t count) {
  size_t needed = count + HTTP_BODY_PADDING;
  if (needed <= exchange->body_capacity) return true;
  size_t capacity = exchange->body_capacity ? exchange->body_capacity : 4096;
  while (capacity < needed) capacity *= 2;
  // Who has sent that much of what was announced is believed the rest.
  if (needed > kept_body_bytes && exchange->announced >= count)
    capacity = exchange->announced + HTTP_BODY_PADDING;
  uint8_t *body = realloc(exchange->body, capacity);
  if (!body) return false;
  exchange->body = body;
  exchange->body_capacity = capacity;
  return true;
}

// What a body that is empty points to.
static char nothing[1];

static struct MHD_Response *make_response(const uint8_t *body, size_t count,
                                          void (*release)(void *owner), void *owner) {
  return MHD_create_response_from_buffer_with_free_callback_cls(
      count, body ? (void *)(uintptr_t)body : nothing, release, owner);
}

static void describe(struct MHD_Response *response, const char *content_type, const char *tag) {
  if (content_type) MHD_add_response_header(response, "Content-Type", content_type);
  if (*tag) MHD_add_response_header(response, "ETag", tag);
}

// Sends a reply from where it is.
static enum MHD_Result send_reply(http_exchange *exchange) {
  http_reply *reply = &exchange->reply;
  bool is_draining =
      atomic_load_explicit(&exchange->loop->server->is_draining, memory_order_relaxed);
  if (reply->prepared && reply->field_count == 0 && !is_draining) {
    // Queued, it is libmicrohttpd's too; the handler's hold on it can go.
    enum MHD_Result result =
        MHD_queue_response(exchange->mhd, reply->status, reply->prepared->response);
    release_reply(exchange);
    exchange->phase = EXCHANGE_SENT;
    return result;
  }
  struct MHD_Response *response;
  if (reply->release) {
    // From here on libmicrohttpd owns the body, and releases it even if it cannot be sent.
    response = make_response(reply->body, reply->count, reply->release, reply->owner);
    if (response) reply->release = NULL;
  } else {
    response = MHD_create_response_from_buffer(
        reply->count, reply->count ? (void *)(uintptr_t)reply->body : nothing,
        MHD_RESPMEM_MUST_COPY);
  }
  if (!response) return MHD_NO;
  describe(response, reply->content_type, reply->tag);
  for (size_t i = 0; i < reply->field_count; i++)
    MHD_add_response_header(response, reply->fields[i].name, reply->fields[i].value);
  if (is_draining) MHD_add_response_header(response, "Connection", "close");
  enum MHD_Result result = MHD_queue_response(exchange->mhd, reply->status, response);
  MHD_destroy_response(response);
  exchange->phase = EXCHANGE_SENT;
  return result;
}

// Answers with a refusal of the shim's own.
static enum MHD_Result refuse(http_exchange *exchange, unsigned status, const char *detail) {
  char text[512];
  size_t count = http_problem_body(status, detail, text, sizeof text);
  exchange->reply.field_count = 0;
  http_reply_body(&exchange->reply, status, (const uint8_t *)text, count, NULL, NULL);
  http_reply_header(&exchange->reply, "Content-Type", "application/problem+json");
  if (status == 503) http_reply_header(&exchange->reply, "Retry-After", "1");
  return send_reply(exchange);
}

static http_bytes bytes_of(const char *text) {
  return (http_bytes){(const uint8_t *)(text ? text : ""), text ? strlen(text) : 0};
}

static void fill_in_request(http_exchange *exchange) {
  http_request *request = &exchange->request;
  const char *query = strchr(exchange->target, '?');
  size_t path_count = query ? (size_t)(query - exchange->target) : strlen(exchange->target);
  request->path = (http_bytes){(const uint8_t *)exchange->target, path_count};
  request->query = bytes_of(query ? query + 1 : NULL);
  request->body = exchange->body_count ? (http_bytes){exchange->body, exchange->body_count}
                                       : bytes_of(NULL);
}

// The request is whole: answers it here, or hands it to a worker.
static enum MHD_Result dispatch(http_exchange *exchange) {
  http_server *server = exchange->loop->server;
  if (exchange->is_too_large)
    return refuse(exchange, 413, "the body is longer than --max-body-mib allows");
  fill_in_request(exchange);
  if (exchange->connection) exchange->connection->state = CONNECTION_ANSWERING;
  http_count(&exchange->loop->requests, 1);
  http_count(&exchange->loop->in_flight, 1);
  exchange->is_counted = true;
  if (server->handler(server->context, &exchange->request, false, &exchange->reply))
    return send_reply(exchange);
  // Suspended before it is queued: the answer may come at once.
  exchange->phase = EXCHANGE_WORKER;
  MHD_suspend_connection(exchange->mhd);
  if (http_queue_push(server, exchange)) return MHD_YES;
  http_count(&exchange->loop->shed, 1);
  char text[512];
  size_t count = http_problem_body(503, "too many requests wait for a worker", text, sizeof text);
  // The text has to outlive this frame, the answer is sent when the connection has resumed.
  uint8_t *copy = malloc(count);
  if (copy) memcpy(copy, text, count);
  http_reply_body(&exchange->reply, 503, copy, copy ? count : 0, free, copy);
  http_reply_header(&exchange->reply, "Content-Type", "application/problem+json");
  http_reply_header(&exchange->reply, "Retry-After", "1");
  http_loop_take_answer(exchange);
  return MHD_YES;
}

enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *count, void **slot) {
  (void)url;
  http_loop *loop = context;
  http_exchange *exchange = *slot;
  if (!exchange) return MHD_NO;
  switch (exchange->phase) {
    case EXCHANGE_NEW: {
      uint64_t length;
      const char *detail = "";
      unsigned status = http_gate(mhd, exchange->target, method, version,
                                  loop->server->options.max_body_bytes,
                                  &exchange->request, &length, &detail);
      // An answer here closes the connection, which is what a request that lies deserves: where
      // the next one begins is anybody's guess.
      if (status) return refuse(exchange, status, detail);
      // A length is only a promise: large ones are believed as the bytes arrive.
      size_t first = length < kept_body_bytes ? (size_t)length : kept_body_bytes - HTTP_BODY_PADDING;
      exchange->announced = (size_t)length;
      if (length > 0 && !reserve(exchange, first)) return MHD_NO;
      exchange->phase = EXCHANGE_BODY;
      return MHD_YES;
    }
    case EXCHANGE_BODY:
      if (*count == 0) return dispatch(exchange);
      if (exchange->body_count + *count > loop->server->options.max_body_bytes)
        exchange->is_too_large = true;
      if (exchange->is_too_large) {
        exchange->body_count += *count;
        if (exchange->body_count > loop->server->options.max_body_bytes + drained_bytes)
          return MHD_NO;
      } else {
        if (!reserve(exchange, exchange->body_count + *count)) return MHD_NO;
        memcpy(exchange->body + exchange->body_count, data, *count);
        exchange->body_count += *count;
      }
      *count = 0;
      return MHD_YES;
    case EXCHANGE_WORKER: return MHD_YES;
    case EXCHANGE_ANSWERED: return send_reply(exchange);
    case EXCHANGE_SENT: return MHD_YES;
  }
  return MHD_NO;
}

void http_exchange_end(void *context, struct MHD_Connection *mhd, void **slot,
                       enum MHD_RequestTerminationCode code) {
  (void)mhd;
  (void)code;
  http_exchange *exchange = *slot;
  *slot = NULL;
  if (!exchange) return;
  if (exchange->connection) {
    exchange->connection->state = CONNECTION_IDLE;
    exchange->connection->since = exchange->loop->now;
    exchange->connection->has_received = false;
  }
  if (exchange->is_counted) http_count(&exchange->loop->in_flight, -1);
  recycle(context, exchange);
}

void http_reply_header(http_reply *reply, const char *name, const char *value) {
  if (reply->field_count == HTTP_REPLY_FIELDS) return;
  if (strlen(name) >= sizeof reply->fields->name) return;
  if (strlen(value) >= sizeof reply->fields->value) return;
  strcpy(reply->fields[reply->field_count].name, name);
  strcpy(reply->fields[reply->field_count].value, value);
  reply->field_count++;
}

// Copies a tag with a NUL behind it; empty if it does not fit.
static void copy_tag(char *to, const uint8_t *tag, size_t count) {
  if (count >= HTTP_TAG_SIZE) count = 0;
  if (count) memcpy(to, tag, count);
  to[count] = 0;
}

void http_reply_describe(http_reply *reply, const char *content_type, const uint8_t *tag,
                         size_t tag_count) {
  reply->content_type = content_type;
  copy_tag(reply->tag, tag, tag_count);
}

http_prepared *http_prepare(const char *content_type, const uint8_t *tag, size_t tag_count,
                            const uint8_t *body, size_t count, void (*release)(void *owner),
                            void *owner) {
  http_prepared *prepared = malloc(sizeof *prepared);
  struct MHD_Response *response = prepared ? make_response(body, count, release, owner) : NULL;
  if (!response) {
    free(prepared);
    release(owner);
    return NULL;
  }
  char text[HTTP_TAG_SIZE];
  copy_tag(text, tag, tag_count);
  describe(response, content_type, text);
  prepared->response = response;
  return prepared;
}

void http_prepared_free(http_prepared *prepared) {
  MHD_destroy_response(prepared->response);
  free(prepared);
}

void http_reply_prepared(http_reply *reply, http_prepared *prepared) { reply->prepared = prepared; }

void http_reply_body(http_reply *reply, unsigned status, const uint8_t *body, size_t count,
                     void (*release)(void *owner), void *owner) {
  reply->status = status;
  reply->body = body;
  reply->count = count;
  reply->release = release;
  reply->owner = owner;
}
