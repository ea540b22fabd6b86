// What a handler fills in, and what is made of it for libmicrohttpd.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "internal.h"

const char http_cache_control[] = "Cache-Control";

// What a body that is empty points to.
static char nothing[1];

static ssize_t read_nothing(void *context, uint64_t position, char *buffer, size_t size) {
  (void)context;
  (void)position;
  (void)buffer;
  (void)size;
  return MHD_CONTENT_READER_END_OF_STREAM;
}

struct MHD_Response *http_response_make(const uint8_t *body, size_t count,
                                        void (*release)(void *owner), void *owner) {
  // Nobody reads what is not there.
  if (!body && count) return MHD_create_response_from_callback(count, 1, read_nothing, owner, release);
  void *start = count ? (void *)(uintptr_t)body : nothing;
  if (!release) return MHD_create_response_from_buffer(count, start, MHD_RESPMEM_MUST_COPY);
  return MHD_create_response_from_buffer_with_free_callback_cls(count, start, release, owner);
}

struct MHD_Response *http_response_make_unmeasured(void) {
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
  // Otherwise it would be chunked, and the end of the chunks would follow.
  if (response)
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_OPTION_END);
  return response;
}

bool http_response_describe(struct MHD_Response *response, const char *content_type,
                            const char *tag, bool is_read) {
  bool has_type = !content_type ||
                  MHD_add_response_header(response, "Content-Type", content_type) == MHD_YES;
  bool has_tag = !*tag || MHD_add_response_header(response, "ETag", tag) == MHD_YES;
  bool has_caching =
      !is_read || MHD_add_response_header(response, http_cache_control, "no-cache") == MHD_YES;
  return has_type && has_tag && has_caching;
}

void http_reply_header(http_reply *reply, const char *name, const char *value) {
  // libmicrohttpd has no fields without a value.
  if (!*value) return;
  bool has_room = reply->field_count < HTTP_REPLY_FIELDS &&
                  strlen(name) < sizeof reply->fields->name &&
                  strlen(value) < sizeof reply->fields->value;
  assert(has_room);
  if (!has_room) return;
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
                            bool is_read, const uint8_t *body, size_t count,
                            void (*release)(void *owner), void *owner) {
  http_prepared *prepared = malloc(sizeof *prepared);
  struct MHD_Response *response = prepared ? http_response_make(body, count, release, owner) : NULL;
  if (!response) {
    free(prepared);
    release(owner);
    return NULL;
  }
  char text[HTTP_TAG_SIZE];
  copy_tag(text, tag, tag_count);
  if (!http_response_describe(response, content_type, text, is_read)) {
    MHD_destroy_response(response);
    free(prepared);
    return NULL;
  }
  prepared->response = response;
  prepared->is_read = is_read;
  return prepared;
}

void http_prepared_free(http_prepared *prepared) {
  MHD_destroy_response(prepared->response);
  free(prepared);
}

void http_reply_prepared(http_reply *reply, http_prepared *prepared) { reply->prepared = prepared; }

void http_reply_changes_nothing(http_reply *reply) { reply->changes_nothing = true; }

void http_reply_put_in_line(http_reply *reply, unsigned line) { reply->line = line; }

void http_reply_body(http_reply *reply, unsigned status, const uint8_t *body, size_t count,
                     void (*release)(void *owner), void *owner) {
  reply->status = status;
  reply->body = body;
  reply->count = count;
  reply->release = release;
  reply->owner = owner;
}

void http_reply_refuse(http_reply *reply, const http_problem *problem, const char *detail,
                       const char *id, char *text) {
  size_t count = http_problem_body(problem, detail, id, text);
  reply->field_count = 0;
  reply->prepared = NULL;
  http_reply_describe(reply, "application/problem+json", NULL, 0);
  http_reply_body(reply, problem->status, (const uint8_t *)text, count, NULL, NULL);
  if (problem->status == 503) http_reply_header(reply, "Retry-After", "1");
}

// Adds to a text; what does not fit is left out.
__attribute__((format(printf, 4, 5)))
static void add(char *text, size_t size, size_t *count, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int added = vsnprintf(text + *count, size - *count, format, arguments);
  va_end(arguments);
  if (added > 0 && (size_t)added < size - *count) *count += (size_t)added;
}

void http_reply_say(const http_reply *reply, http_method asked, int fd, void *session) {
  char text[4096], date[64];
  size_t count = 0;
  time_t now = time(NULL);
  struct tm fields;
  bool has_date = gmtime_r(&now, &fields) &&
                  strftime(date, sizeof date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &fields) > 0;
  add(text, sizeof text, &count, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n", reply->status,
      MHD_get_reason_phrase_for(reply->status), reply->content_type);
  for (size_t i = 0; i < reply->field_count; i++)
    add(text, sizeof text, &count, "%s: %s\r\n", reply->fields[i].name, reply->fields[i].value);
  if (reply->is_read) add(text, sizeof text, &count, "%s: no-cache\r\n", http_cache_control);
  add(text, sizeof text, &count, "%sConnection: close\r\nContent-Length: %zu\r\n\r\n%.*s",
      has_date ? date : "", reply->count, asked == HTTP_METHOD_HEAD ? 0 : (int)reply->count,
      (const char *)reply->body);
  if (session) {
    http_tls_say(session, text, count);
    return;
  }
  (void)!send(fd, text, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(fd, SHUT_WR);
}
