// Refusals of the shim's own, in the shape of the service's (RFC 9457).
#include <stdio.h>

#include "internal.h"

static const http_problem problems[] = {
    {400, "bad-request", "The request is malformed"},
    {413, "content-too-large", "The body is too large"},
    {414, "uri-too-long", "The URL is too long"},
    {431, "header-fields-too-large", "The header fields are too large"},
    {503, "unavailable", "The server cannot answer now"},
};

const http_problem http_uncertain = {503, "uncertain", "The change may have been made"};

const http_problem *http_problem_of(unsigned status) {
  size_t count = sizeof problems / sizeof *problems;
  for (size_t i = 0; i < count; i++)
    if (problems[i].status == status) return &problems[i];
  return problems;
}

void http_make_request_id(char id[HTTP_REQUEST_ID_SIZE]) {
  static _Atomic unsigned long long refusals;
  snprintf(id, HTTP_REQUEST_ID_SIZE, "gate-%llx", atomic_fetch_add(&refusals, 1) + 1);
}

// The detail is always one of the shim's own constants: nothing that a client has sent is echoed.
size_t http_problem_body(const http_problem *problem, const char *detail, const char *id,
                         char *text, size_t size) {
  int count = snprintf(text, size,
                       "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%u,"
                       "\"detail\":\"%s\",\"requestId\":\"%s\"}",
                       problem->slug, problem->title, problem->status, detail, id);
  return count < 0 ? 0 : (size_t)count < size ? (size_t)count : size - 1;
}
