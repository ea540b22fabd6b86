// The bounded queue between loops and workers, in lines that take turns: whoever sends much waits for it himself.
#include <stdlib.h>

#include "internal.h"

// What is made of a body that is longer takes about as much memory as the body.
static const size_t long_body_bytes = 1 << 20;

// Has a line be looked at from now on. The lock is held.
static void open_line(http_server *server, unsigned number) {
  if (number >= server->line_count) server->line_count = number + 1;
}

// Whether a line may have one more worker. No worker leaves a request before it is done, so whoever had all of them
// with long ones would keep the others waiting for as long. The lock is held.
static bool may_have_worker(const http_server *server, unsigned number) {
  return server->lines[number].busy < http_line_share(number, server->options.workers) ||
         server->stops_workers;
}

// Takes a request for a worker; false if the queue is full or closed.
bool http_queue_push(http_server *server, http_exchange *exchange) {
  unsigned number = http_line_number(exchange);
  http_line *line = &server->lines[number];
  size_t capacity = server->options.queue_capacity;
  pthread_mutex_lock(&server->queue_lock);
  bool has_room = server->queue_count < capacity &&
                  line->count < http_line_share(number, capacity) && !server->stops_workers;
  if (has_room) {
    open_line(server, number);
    exchange->next = NULL;
    if (line->tail) line->tail->next = exchange;
    else line->head = exchange;
    line->tail = exchange;
    line->count++;
    server->queue_count++;
    if (may_have_worker(server, number)) pthread_cond_signal(&server->queue_filled);
  }
  pthread_mutex_unlock(&server->queue_lock);
  return has_room;
}

// Whether workers are behind, and a long body of a line would find no place, with those that are coming.
bool http_queue_is_crowded(http_server *server, unsigned number) {
  size_t capacity = server->options.queue_capacity, all = 0, own = 0;
  pthread_mutex_lock(&server->queue_lock);
  // If it is let come, it counts.
  open_line(server, number);
  // With a queue that is half empty, who trickles long bodies must not keep others from theirs.
  bool is_half_full = server->queue_count * 2 > capacity;
  for (unsigned i = 0; is_half_full && i < server->line_count; i++) {
    // What a line has beyond its share finds no place, and so takes none from others.
    size_t count = server->lines[i].count + (size_t)atomic_load(&server->long_bodies[i]);
    size_t share = http_line_share(i, capacity);
    if (count > share) count = share;
    all += count;
    if (i == number) own = count;
  }
  pthread_mutex_unlock(&server->queue_lock);
  return is_half_full && (all >= capacity || own >= http_line_share(number, capacity));
}

// Takes who is first in the next line; NULL if nobody waits who may have a worker. The lock is held.
static http_exchange *take_first(http_server *server) {
  for (unsigned i = 1; i <= server->line_count; i++) {
    unsigned number = (server->last_line + i) % server->line_count;
    http_line *line = &server->lines[number];
    http_exchange *exchange = line->head;
    if (!exchange || !may_have_worker(server, number)) continue;
    line->head = exchange->next;
    if (!line->head) line->tail = NULL;
    line->count--;
    server->queue_count--;
    server->last_line = number;
    return exchange;
  }
  return NULL;
}

// The next request for a worker that is done with the one before; `line` is that one's, or NULL, and becomes the
// next one's. While a worker sleeps here all who wait are in lines that may have no further one, so none need be woken
// for the place that this one leaves: it takes the place itself.
static http_exchange *pop(http_server *server, http_line **line) {
  http_exchange *exchange;
  pthread_mutex_lock(&server->queue_lock);
  if (*line) (*line)->busy--;
  while (!(exchange = take_first(server)) && !server->stops_workers)
    pthread_cond_wait(&server->queue_filled, &server->queue_lock);
  if (exchange) {
    *line = &server->lines[server->last_line];
    (*line)->busy++;
  }
  pthread_mutex_unlock(&server->queue_lock);
  return exchange;
}

void http_queue_close(http_server *server) {
  http_exchange *queued = NULL;
  pthread_mutex_lock(&server->queue_lock);
  server->stops_workers = true;
  for (http_exchange *it; (it = take_first(server)); queued = it) it->next = queued;
  pthread_cond_broadcast(&server->queue_filled);
  pthread_mutex_unlock(&server->queue_lock);
  for (http_exchange *next; queued; queued = next) {
    next = queued->next;
    http_loop_take_answer(queued);
  }
}

// A worker answers what is queued until the queue is closed.
void *http_worker_run(void *context) {
  http_worker *worker = context;
  http_server *server = worker->server;
  http_thread_name("worker", (int)(worker->number - server->options.loops));
  // Long work must not take the processor from the loops, which have others to serve meanwhile.
  http_thread_yield_to_others();
  http_exchange *exchange;
  http_line *line = NULL;
  while ((exchange = pop(server, &line))) {
    exchange->request.thread = worker->number;
    bool is_long = exchange->body_count > long_body_bytes;
    void *room = is_long ? http_memory_make_room(exchange->body_count) : NULL;
    server->handler(server->context, &exchange->request, HTTP_STAGE_WORKER,
                    &exchange->reply);
    free(room);
    http_loop_take_answer(exchange);
    server->answer_observer(server->context);
  }
  http_thread_ends(server, &server->ended_workers);
  return NULL;
}
