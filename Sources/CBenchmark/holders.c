#define _GNU_SOURCE
// Clients that hold connections open.
#include <stdlib.h>
#include <string.h>

#include "clients.h"
#include "client_internal.h"

// What a slow reader takes at once, and may have waiting: more than the least rate that a server
// puts up with, if a step comes ten times a second.
enum { reader_bytes = 4096 };

typedef struct holder {
  int fd;
  size_t sent;
} holder;

struct holders {
  holders_plan plan;
  uint8_t *request;
  holder *all;
  unsigned next;    // whose step is the next
  double due;       // and when
  uint64_t cut_off;
  holders *others;
};

static bool begin(holders *self, unsigned i) {
  holder *it = &self->all[i];
  holder_kind kind = self->plan.kind;
  it->fd = client_connect(self->plan.port, 0, kind == HOLDER_READER ? reader_bytes : 0);
  if (it->fd < 0) return false;
  // Tricklers begin everywhere in the request, so that all of its parts are under way.
  size_t size = self->plan.size;
  it->sent = kind == HOLDER_TRICKLER ? i * 7 % size : kind == HOLDER_IDLE && i % 2 ? 0 : size;
  return it->sent == 0 ||
         send(it->fd, self->request, it->sent, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)it->sent;
}

holders *holders_open(const holders_plan *plan, holders *others) {
  holders *self = calloc(1, sizeof *self);
  if (!self) {
    if (others) holders_close(others);
    return NULL;
  }
  self->others = others;
  self->plan = *plan;
  self->request = malloc(plan->size);
  self->all = calloc(plan->count, sizeof *self->all);
  bool is_complete = self->request && self->all;
  if (!is_complete) self->plan.count = 0;
  if (is_complete) memcpy(self->request, plan->request, plan->size);
  for (unsigned i = 0; i < self->plan.count; i++) self->all[i].fd = -1;
  for (unsigned i = 0; i < self->plan.count && is_complete; i++) is_complete = begin(self, i);
  self->due = client_now();
  if (is_complete) return self;
  holders_close(self);
  return NULL;
}

// Receives what is there; false if there will be no more.
static bool receive(const holders *self, const holder *it) {
  char ignored[reader_bytes];
  for (;;) {
    ssize_t count = recv(it->fd, ignored, sizeof ignored, MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    if (self->plan.kind == HOLDER_READER) return true;
  }
}

static bool step(holders *self, holder *it) {
  if (it->fd < 0 || !receive(self, it)) return false;
  if (self->plan.kind != HOLDER_TRICKLER) return true;
  if (it->sent == self->plan.size) it->sent = 0;
  return send(it->fd, self->request + it->sent++, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

static void step_next(holders *self, double now) {
  if (now < self->due) return;
  self->due += self->plan.period / self->plan.count;
  // What could not be done in time is left out.
  if (now - self->due > self->plan.period) self->due = now;
  holder *it = &self->all[self->next];
  if (!step(self, it)) {
    self->cut_off++;
    if (it->fd >= 0) close(it->fd);
    begin(self, self->next);
  }
  self->next = (self->next + 1) % self->plan.count;
}

void holders_step(holders *self, double now) {
  for (holders *it = self; it; it = it->others) step_next(it, now);
}

uint64_t holders_cut_off(const holders *self) {
  uint64_t sum = 0;
  for (const holders *it = self; it; it = it->others) sum += it->cut_off;
  return sum;
}

void holders_close(holders *self) {
  if (self->others) holders_close(self->others);
  for (unsigned i = 0; i < self->plan.count; i++) {
    if (self->all[i].fd < 0) continue;
    client_reset_on_close(self->all[i].fd);
    close(self->all[i].fd);
  }
  free(self->request);
  free(self->all);
  free(self);
}
