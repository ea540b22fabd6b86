#define _GNU_SOURCE  // memmem
// A load that offers more than a server can take.
//
// It allocates nothing and copies little for a request, so that one core offers several times what
// another can answer: heads are read, bodies are thrown away.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "clients.h"
#include "client_internal.h"

enum { head_size = 1024, scratch_size = 256 << 10, arrivals_at_once = 64 };
static const double sweep_interval = 0.1, longest_pause = 0.05;

typedef struct client {
  int fd;
  bool is_busy;
  bool closes;        // the answer says that it is the connection's last
  bool is_shed;       // 503 with Retry-After
  unsigned class;     // of the request under way
  unsigned status;    // of its answer; 0: its head is not there yet
  double due;         // when it should have been sent
  const uint8_t *rest;  // what is still to be sent
  size_t unsent;
  size_t have;        // bytes of the head
  size_t left;        // bytes of the body that are still to come
  struct client *next;  // among those that are free
  char head[head_size];
} client;

typedef struct kind {
  overload_class plan;
  unsigned next;
  double due;
  overload_counts counts;
  uint64_t *buckets;
} kind;

struct overload {
  overload_plan plan;
  kind kinds[OVERLOAD_CLASSES];
  int epoll;
  client *clients;
  // Free ones; an idle one may have been closed meanwhile, and is opened again like the others.
  client *idle, *closed;
  char *scratch;
  uint64_t random;
  unsigned busy;
  double last_sweep;
};

static double next_gap(overload *self, double rate) {
  return -log(((double)client_random(&self->random) + 1) / (double)(1ull << 52)) / rate;
}

// Closes a connection on which nothing is under way any more.
static void drop(client *it) {
  close(it->fd);
  it->fd = -1;
}

static void free_client(overload *self, client *it) {
  client **list = it->fd >= 0 ? &self->idle : &self->closed;
  it->next = *list;
  *list = it;
}

// The request under way has come to an end.
static void end_request(overload *self, client *it, uint64_t *counter) {
  ++*counter;
  it->is_busy = false;
  self->busy--;
  free_client(self, it);
}

// There will be no answer.
static void fail(overload *self, client *it, uint64_t *counter) {
  drop(it);
  end_request(self, it, counter);
}

static bool send_rest(client *it) {
  while (it->unsent > 0) {
    ssize_t sent = send(it->fd, it->rest, it->unsent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN;
    it->rest += sent;
    it->unsent -= (size_t)sent;
  }
  return true;
}

static bool open_client(overload *self, client *it) {
  it->fd = client_connect(self->plan.port, SOCK_NONBLOCK, 0);
  if (it->fd < 0) return false;
  // Told once of each change, and so never asked to listen to anything else.
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = it};
  epoll_ctl(self->epoll, EPOLL_CTL_ADD, it->fd, &event);
  return true;
}

// Sends a request on a connection that is free, if there is one.
static void arrive(overload *self, unsigned class, double due) {
  kind *kind = &self->kinds[class];
  client **list = self->idle ? &self->idle : &self->closed;
  client *it = *list;
  kind->counts.arrivals++;
  if (!it) {
    kind->counts.unsent++;
    return;
  }
  *list = it->next;
  unsigned i = kind->next;
  kind->next = (kind->next + 1) % kind->plan.count;
  size_t start = i ? kind->plan.ends[i - 1] : 0;
  it->rest = kind->plan.requests + start;
  it->unsent = kind->plan.ends[i] - start;
  it->class = class;
  it->due = due;
  it->is_busy = true;
  it->closes = it->is_shed = false;
  it->status = 0;
  it->have = it->left = 0;
  self->busy++;
  if (it->fd < 0 && !open_client(self, it)) {
    end_request(self, it, &kind->counts.closed);
    return;
  }
  // A connection that has just been closed may still have its last answer to be read.
  (void)send_rest(it);
}

static void send_due(overload *self, double now) {
  for (unsigned class = 0; class < self->plan.class_count; class++) {
    kind *kind = &self->kinds[class];
    if (kind->plan.rate == 0) {
      for (int i = 0; i < arrivals_at_once && (self->idle || self->closed); i++)
        arrive(self, class, now);
      continue;
    }
    for (int i = 0; i < arrivals_at_once && kind->due <= now; i++) {
      arrive(self, class, kind->due);
      kind->due += next_gap(self, kind->plan.rate);
    }
  }
}

static bool has_field(const client *it, size_t size, const char *field) {
  return memmem(it->head, size, field, strlen(field)) != NULL;
}

// Reads what the head says, if it is whole. False if it cannot be an answer.
static bool read_head(client *it, size_t received) {
  const char *end = memmem(it->head, it->have, "\r\n\r\n", 4);
  if (!end) return it->have < head_size;
  size_t size = (size_t)(end - it->head) + 4;
  if (size < 16 || memcmp(it->head, "HTTP/1.1 ", 9) != 0) return false;
  const char *length = memmem(it->head, size, "Content-Length: ", 16);
  size_t body = length ? strtoull(length + 16, NULL, 10) : 0;
  size_t there = received - size;
  if (there > body) return false;
  it->left = body - there;
  it->status = (unsigned)atoi(it->head + 9);
  it->closes = has_field(it, size, "Connection: close");
  it->is_shed = it->status == 503 && has_field(it, size, "Retry-After: ");
  return true;
}

static void end_answer(overload *self, client *it) {
  kind *kind = &self->kinds[it->class];
  overload_counts *counts = &kind->counts;
  uint64_t *counter = &counts->answers;
  if (it->status / 100 == 2) {
    kind->buckets[bucket_of(client_now() - it->due)]++;
  } else if (it->is_shed) {
    counter = &counts->shed;
  } else {
    counter = &counts->wrong;
    counts->wrong_status = it->status;
  }
  // An answer before the request has been sent whole is the connection's last too.
  if (it->closes || it->unsent > 0) drop(it);
  end_request(self, it, counter);
}

// Receives once. False when there is no more for now, or the request or the connection has ended.
static bool receive(overload *self, client *it) {
  overload_counts *counts = &self->kinds[it->class].counts;
  struct iovec parts[2] = {{it->head + it->have, head_size - it->have},
                           {self->scratch, scratch_size}};
  size_t room = scratch_size + (it->status ? 0 : parts[0].iov_len);
  // Of a body that goes on, the kernel throws away what it would have to copy.
  ssize_t got = it->status ? recv(it->fd, self->scratch, scratch_size, MSG_DONTWAIT | MSG_TRUNC)
                           : readv(it->fd, parts, 2);
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    if (it->is_busy) fail(self, it, &counts->closed);
    else drop(it);
    return false;
  }
  size_t count = (size_t)got;
  bool is_answer = it->is_busy;
  if (is_answer && it->status) {
    is_answer = count <= it->left;
    it->left -= count;
  } else if (is_answer) {
    size_t received = it->have + count;
    it->have = received < head_size ? received : head_size;
    is_answer = read_head(it, received);
  }
  if (!is_answer) {
    counts->wrong_status = 0;
    if (it->is_busy) {
      fail(self, it, &counts->wrong);
    } else {
      // An answer that nobody has asked for.
      counts->wrong++;
      drop(it);
    }
    return false;
  }
  if (it->status && it->left == 0) {
    end_answer(self, it);
    return false;
  }
  return count == room;
}

static void take_event(overload *self, client *it, uint32_t events) {
  if (it->fd < 0) return;
  bool has_ended = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
  if (it->is_busy && events & EPOLLOUT && !send_rest(it)) has_ended = true;
  if (has_ended || events & EPOLLIN)
    while (it->fd >= 0 && receive(self, it)) {}
  // What the other side said before it left has been read.
  if (it->fd < 0 || !has_ended) return;
  if (it->is_busy) fail(self, it, &self->kinds[it->class].counts.closed);
  else drop(it);
}

static void take_events(overload *self, int wait) {
  struct epoll_event events[256];
  int ready = epoll_wait(self->epoll, events, 256, wait);
  for (int i = 0; i < ready; i++) take_event(self, events[i].data.ptr, events[i].events);
}

// Gives up what has been waited for long enough.
static void sweep(overload *self, double now) {
  if (now - self->last_sweep < sweep_interval) return;
  self->last_sweep = now;
  for (unsigned i = 0; i < self->plan.connections; i++) {
    client *it = &self->clients[i];
    if (!it->is_busy || now - it->due < self->plan.patience) continue;
    client_reset_on_close(it->fd);
    fail(self, it, &self->kinds[it->class].counts.unanswered);
  }
}

overload *overload_start(const overload_plan *plan) {
  overload *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->plan = *plan;
  self->random = 88172645463325252u;
  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->clients = calloc(plan->connections, sizeof *self->clients);
  self->scratch = malloc(scratch_size);
  bool is_complete = self->epoll >= 0 && self->clients && self->scratch;
  for (unsigned i = 0; i < plan->class_count; i++) {
    self->kinds[i].plan = plan->classes[i];
    self->kinds[i].buckets = calloc(bucket_count, sizeof(uint64_t));
    is_complete = is_complete && self->kinds[i].buckets;
  }
  for (unsigned i = 0; is_complete && i < plan->connections; i++) {
    self->clients[i].fd = -1;
    free_client(self, &self->clients[i]);
  }
  if (is_complete) return self;
  self->plan.connections = 0;
  overload_stop(self);
  return NULL;
}

void overload_run(overload *self, double seconds) {
  double now = client_now(), end = now + seconds;
  // A pause since the last run is not made up for.
  for (unsigned i = 0; i < self->plan.class_count; i++)
    if (now - self->kinds[i].due > longest_pause) self->kinds[i].due = now;
  while ((now = client_now()) < end) {
    send_due(self, now);
    // Never sleeps: waking up would be part of what is measured.
    take_events(self, 0);
    sweep(self, now);
  }
}

void overload_finish(overload *self) {
  double end = client_now() + self->plan.patience + 2 * sweep_interval;
  for (double now; self->busy > 0 && (now = client_now()) < end;) {
    take_events(self, 10);
    sweep(self, now);
  }
}

overload_counts overload_result(const overload *self, unsigned class) {
  const kind *kind = &self->kinds[class];
  overload_counts counts = kind->counts;
  counts.p50_us = quantile_us(kind->buckets, 0.5);
  counts.p99_us = quantile_us(kind->buckets, 0.99);
  counts.p999_us = quantile_us(kind->buckets, 0.999);
  return counts;
}

void overload_reset(overload *self) {
  for (unsigned i = 0; i < self->plan.class_count; i++) {
    self->kinds[i].counts = (overload_counts){0};
    memset(self->kinds[i].buckets, 0, bucket_count * sizeof(uint64_t));
  }
}

void overload_stop(overload *self) {
  for (unsigned i = 0; i < self->plan.connections; i++) {
    if (self->clients[i].fd < 0) continue;
    client_reset_on_close(self->clients[i].fd);
    close(self->clients[i].fd);
  }
  if (self->epoll >= 0) close(self->epoll);
  for (unsigned i = 0; i < OVERLOAD_CLASSES; i++) free(self->kinds[i].buckets);
  free(self->clients);
  free(self->scratch);
  free(self);
}
