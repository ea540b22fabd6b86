#define _GNU_SOURCE
// Clients that leave in the middle of a request.
#include <string.h>

#include "clients.h"
#include "client_internal.h"

enum { most_at_once = 256, small_buffer = 4096 };

typedef struct visit {
  int fd;
  enum { GONE, THERE, READING, HALF_CLOSED } state;
} visit;

typedef struct leaver {
  const leaving_plan *plan;
  leaving_result result;
  uint64_t random;
} leaver;

static size_t below(leaver *self, size_t limit) {
  return limit ? client_random(&self->random) % limit : 0;
}

static void send_some(int fd, const uint8_t *bytes, size_t size) {
  // What does not fit is left out, which is a random point too.
  (void)!send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Sends a request, or a part of it.
static void send_part(leaver *self, visit *it, const leaving_request *request) {
  size_t size = request->size, body = request->size - request->head_size;
  switch (below(self, 6)) {
    case 0:
      self->result.in_line++;
      size = 1 + below(self, request->line_size - 1);
      break;
    case 1:
      self->result.in_header++;
      size = request->line_size + below(self, request->head_size - request->line_size);
      break;
    case 2:
      self->result.in_body++;
      size = request->head_size + below(self, body);
      break;
    case 3: self->result.without_reading++; break;
    case 4:
      self->result.while_reading++;
      it->state = READING;
      break;
    case 5:
      // A whole one, and then the beginning of another.
      self->result.between_requests++;
      send_some(it->fd, request->bytes, request->size);
      size = below(self, request->head_size);
      break;
  }
  send_some(it->fd, request->bytes, size);
}

static void arrive(leaver *self, visit *it) {
  const leaving_plan *plan = self->plan;
  // With a small buffer a large answer stays under way.
  it->fd = client_connect(plan->port, 0, below(self, 2) ? small_buffer : 0);
  it->state = it->fd < 0 ? GONE : THERE;
  if (it->fd < 0) self->result.failures++;
  else send_part(self, it, &plan->requests[below(self, plan->request_count)]);
}

static void leave(leaver *self, visit *it) {
  char ignored[small_buffer];
  if (it->state == READING)
    (void)!recv(it->fd, ignored, 1 + below(self, sizeof ignored), MSG_DONTWAIT);
  unsigned way = it->state == HALF_CLOSED ? 3 : (unsigned)below(self, 3);
  if (way == 2) {
    self->result.half_closes++;
    shutdown(it->fd, SHUT_WR);
    it->state = HALF_CLOSED;
    return;
  }
  if (way == 0) {
    self->result.resets++;
    client_reset_on_close(it->fd);
  }
  if (way == 1) self->result.ends++;
  close(it->fd);
  it->state = GONE;
}

leaving_result leaving_run(const leaving_plan *plan) {
  leaver self = {.plan = plan, .random = plan->seed * 0x9E3779B97F4A7C15u | 1};
  visit visits[most_at_once] = {0};
  unsigned at_once = plan->at_once < most_at_once ? plan->at_once : most_at_once;
  for (unsigned arrived = 0; arrived < plan->count;) {
    visit *it = &visits[below(&self, at_once)];
    if (it->state != GONE) {
      leave(&self, it);
    } else {
      arrive(&self, it);
      arrived++;
    }
  }
  for (unsigned i = 0; i < at_once; i++)
    while (visits[i].state != GONE) leave(&self, &visits[i]);
  return self.result;
}
