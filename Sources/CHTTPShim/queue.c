// The bounded queue between loops and workers.
#include <stdlib.h>

#include "internal.h"

// What is made of a body that is longer takes about as much memory as the body.
static const size_t long_body_bytes = 1 << 20;

// Takes a request for a worker; false if the queue is full or closed.
bool http_queue_push(http_server *server, http_exchange *exchange) {
  pthread_mutex_lock(&server->queue_lock);
  bool has_room = server->queue_count < server->options.queue_capacity && !server->stops_workers;
  if (has_room) {
    exchange->next = NULL;
    if (server->queue_tail) server->queue_tail->next = exchange;
    else server->queue_head = exchange;
    server->queue_tail = exchange;
    server->queue_count++;
    pthread_cond_signal(&server->queue_filled);
  }
  pthread_mutex_unlock(&server->queue_lock);
  return has_room;
}

// Whether workers are behind, and so many requests more would find no place.
bool http_queue_is_crowded(http_server *server, uint64_t coming) {
  pthread_mutex_lock(&server->queue_lock);
  size_t capacity = server->options.queue_capacity;
  // With a queue that is half empty, who trickles long bodies must not keep others from theirs.
  bool is_crowded =
      server->queue_count * 2 > capacity && server->queue_count + coming >= capacity;
  pthread_mutex_unlock(&server->queue_lock);
  return is_crowded;
}

static http_exchange *pop(http_server *server) {
  pthread_mutex_lock(&server->queue_lock);
  while (!server->queue_head && !server->stops_workers)
    pthread_cond_wait(&server->queue_filled, &server->queue_lock);
  http_exchange *exchange = server->queue_head;
  if (exchange) {
    server->queue_head = exchange->next;
    if (!server->queue_head) server->queue_tail = NULL;
    server->queue_count--;
  }
  pthread_mutex_unlock(&server->queue_lock);
  return exchange;
}

void http_queue_close(http_server *server) {
  pthread_mutex_lock(&server->queue_lock);
  http_exchange *queued = server->queue_head;
  server->queue_head = server->queue_tail = NULL;
  server->queue_count = 0;
  server->stops_workers = true;
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
  while ((exchange = pop(server))) {
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
