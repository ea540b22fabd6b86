// Refusals of the shim's own, in the shape of the service's (RFC 9457).
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

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

// A number that tells this process from others whose lines are in the same log; never 0.
static unsigned process_number(void) {
  static _Atomic unsigned number;
  unsigned known = atomic_load(&number);
  if (known) return known;
  unsigned own = 0;
  if (getrandom(&own, sizeof own, GRND_NONBLOCK) != sizeof own) own = (unsigned)getpid();
  own |= 1;
  return atomic_compare_exchange_strong(&number, &known, own) ? own : known;
}

void http_make_request_id(char id[HTTP_REQUEST_ID_SIZE]) {
  static _Atomic unsigned long long refusals;
  snprintf(id, HTTP_REQUEST_ID_SIZE, "gate-%x-%llx", process_number(),
           atomic_fetch_add(&refusals, 1) + 1);
}

// The detail is always one of the shim's own constants: nothing that a client has sent is echoed.
size_t http_problem_body(const http_problem *problem, const char *detail, const char *id,
                         char text[HTTP_PROBLEM_SIZE]) {
  int count = snprintf(text, HTTP_PROBLEM_SIZE,
                       "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%u,"
                       "\"detail\":\"%s\",\"requestId\":\"%s\"}",
                       problem->slug, problem->title, problem->status, detail, id);
  if (count < 0) return 0;
  return count < HTTP_PROBLEM_SIZE ? (size_t)count : HTTP_PROBLEM_SIZE - 1;
}
