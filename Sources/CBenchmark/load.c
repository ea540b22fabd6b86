#define _GNU_SOURCE  // memmem
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "benchmark.h"
#include "client_internal.h"

enum { buffer_size = 1 << 20 };

typedef struct client {
  int fd;
  uint8_t *buffer;
  unsigned group, next;  // which requests it sends, and the next of them
  size_t have, need, body;
  double due;  // when the request under way was sent, or should have been
  struct client *idle;
} client;

typedef struct load {
  const load_plan *plan;
  load_result result;
  int epoll;
  client *clients;
  client *idle;  // those without a request under way
  uint64_t *buckets;
} load;

static void give_up(load *self, client *it) {
  self->result.failures++;
  if (it->fd >= 0) close(it->fd);
  it->fd = -1;
}

static void send_request(load *self, client *it, double due) {
  const load_plan *plan = self->plan;
  it->have = it->need = 0;
  it->due = due;
  size_t index = (size_t)it->group * plan->per_connection + it->next;
  it->next = (it->next + 1) % plan->per_connection;
  // Small requests fit the socket's buffer: nothing else is under way on it.
  if (send(it->fd, plan->requests + index * plan->size, plan->size, MSG_NOSIGNAL) !=
      (ssize_t)plan->size)
    give_up(self, it);
}

// Whether the answer is whole.
static bool is_whole(client *self) {
  if (!self->need) {
    uint8_t *end = memmem(self->buffer, self->have, "\r\n\r\n", 4);
    if (!end) return false;
    size_t head = (size_t)(end - self->buffer) + 4;
    uint8_t *length = memmem(self->buffer, head, "Content-Length: ", 16);
    self->body = length ? strtoull((char *)length + 16, NULL, 10) : 0;
    self->need = head + self->body;
  }
  return self->have >= self->need;
}

// Receives what is there; whether a whole answer was.
static bool receive(load *self, client *it) {
  ssize_t got = recv(it->fd, it->buffer + it->have, buffer_size - it->have, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return false;
  if (got > 0) it->have += (size_t)got;
  if (got <= 0 || it->have == buffer_size) {
    give_up(self, it);
    return false;
  }
  if (!is_whole(it)) return false;
  if (it->buffer[9] == '2') self->result.answers++;
  else self->result.failures++;
  self->result.body_bytes += it->body;
  self->buckets[bucket_of(client_now() - it->due)]++;
  return true;
}

// One request under way on each connection, as fast as they are answered.
static void run_closed(load *self, double end) {
  for (unsigned i = 0; i < self->plan->connections; i++)
    if (self->clients[i].fd >= 0) send_request(self, &self->clients[i], client_now());
  struct epoll_event events[256];
  // Does not sleep where it has a core of its own: waking it up would be a part of what the server
  // costs, and the larger one the more often it waits for the server.
  int wait = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 0 : 100;
  // Where others have the cores, a server may have had none of a short time: its first answer is waited for.
  for (double time = client_now(); time < end || (self->result.answers == 0 && time < end + 1);
       time = client_now()) {
    int ready = epoll_wait(self->epoll, events, 256, wait);
    for (int i = 0; i < ready; i++) {
      client *it = events[i].data.ptr;
      if (it->fd >= 0 && receive(self, it)) send_request(self, it, client_now());
    }
  }
}

// Requests fall due at random, so many a second on average, whether or not the ones before were
// answered; one that finds no connection idle waits, and its time counts from when it was due.
static void run_open(load *self, double end) {
  for (unsigned i = 0; i < self->plan->connections; i++) {
    if (self->clients[i].fd < 0) continue;
    self->clients[i].idle = self->idle;
    self->idle = &self->clients[i];
  }
  uint64_t random = 88172645463325252u;
  double due = client_now(), last = end + 1;
  unsigned under_way = 0;
  struct epoll_event events[256];
  // After the end what is under way is waited for, a second at most.
  for (double time = due; time < end || (under_way > 0 && time < last); time = client_now()) {
    while (due <= time && due < end && self->idle) {
      client *it = self->idle;
      self->idle = it->idle;
      send_request(self, it, due);
      under_way += it->fd >= 0;
      double part = ((double)client_random(&random) + 1) / (double)(1ull << 52);
      due -= log(part) / self->plan->rate;
    }
    if (self->plan->holders) holders_step(self->plan->holders, time);
    // Never sleeps: waking up would be part of what is measured.
    int ready = epoll_wait(self->epoll, events, 256, 0);
    for (int i = 0; i < ready; i++) {
      client *it = events[i].data.ptr;
      if (it->fd < 0) continue;
      bool whole = receive(self, it);
      under_way -= whole || it->fd < 0;
      if (!whole) continue;
      it->idle = self->idle;
      self->idle = it;
    }
  }
  self->result.failures += under_way;
}

load_result load_run(const load_plan *plan) {
  load self = {.plan = plan, .epoll = epoll_create1(EPOLL_CLOEXEC)};
  self.buckets = calloc(bucket_count, sizeof *self.buckets);
  self.clients = calloc(plan->connections, sizeof *self.clients);
  if (!self.buckets || !self.clients || self.epoll < 0) return (load_result){.failures = 1};
  for (unsigned i = 0; i < plan->connections; i++) {
    client *it = &self.clients[i];
    it->group = i % plan->groups;
    it->next = plan->first % plan->per_connection;
    it->buffer = malloc(buffer_size);
    it->fd = it->buffer ? client_connect(plan->port, 0, 0) : -1;
    if (it->fd < 0) {
      self.result.failures++;
      continue;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
    epoll_ctl(self.epoll, EPOLL_CTL_ADD, it->fd, &event);
  }
  double start = client_now();
  if (plan->rate > 0) run_open(&self, start + plan->seconds);
  else run_closed(&self, start + plan->seconds);
  self.result.seconds = client_now() - start;
  self.result.p50_us = quantile_us(self.buckets, 0.5);
  self.result.p99_us = quantile_us(self.buckets, 0.99);
  self.result.p999_us = quantile_us(self.buckets, 0.999);
  for (unsigned i = 0; i < plan->connections; i++) {
    if (self.clients[i].fd >= 0) close(self.clients[i].fd);
    free(self.clients[i].buffer);
  }
  close(self.epoll);
  free(self.clients);
  free(self.buckets);
  return self.result;
}
