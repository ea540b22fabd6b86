#define _GNU_SOURCE  // accept4
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "benchmark.h"

typedef struct {
  struct MHD_Daemon *daemon;
  int wakeup;
  pthread_mutex_t lock;
  int arrivals[1024];
  unsigned arrival_count;
} loop;

static struct MHD_Response *answer;

static enum MHD_Result respond(void *context, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *count, void **state) {
  (void)context, (void)url, (void)method, (void)version, (void)data;
  static int seen;
  if (!*state) {
    *state = &seen;
    return MHD_YES;
  }
  if (*count) {
    *count = 0;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, answer);
}

static void *run(void *context) {
  loop *self = context;
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  int fds[2] = {self->wakeup, info->epoll_fd};
  for (int i = 0; i < 2; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event);
  }
  for (;;) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    int wait = 500;
    if (MHD_get_timeout(self->daemon, &timeout) == MHD_YES && timeout < 500) wait = (int)timeout;
    struct epoll_event events[2];
    int count = epoll_wait(epoll, events, 2, wait);
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd != self->wakeup) continue;
      uint64_t ignored;
      (void)!read(self->wakeup, &ignored, sizeof ignored);
      pthread_mutex_lock(&self->lock);
      for (unsigned k = 0; k < self->arrival_count; k++) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        MHD_add_connection(self->daemon, self->arrivals[k], (struct sockaddr *)&address,
                           sizeof address);
      }
      self->arrival_count = 0;
      pthread_mutex_unlock(&self->lock);
    }
    MHD_run(self->daemon);
  }
  return NULL;
}

void bare_server_run(size_t count, unsigned loops) {
  char *body = malloc(count + 1);
  loop *all = calloc(loops, sizeof *all);
  if (!body || !all) return;
  memset(body, '1', count);
  answer = MHD_create_response_from_buffer(count, body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(answer, "Content-Type", "application/json");
  MHD_add_response_header(answer, "ETag", "\"1\"");
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1024) != 0) return;
  getsockname(listener, (struct sockaddr *)&address, &size);
  for (unsigned i = 0; i < loops; i++) {
    all[i].wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&all[i].lock, NULL);
    all[i].daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, respond, NULL,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16 * 1024, MHD_OPTION_END);
    pthread_t thread;
    if (!all[i].daemon || pthread_create(&thread, NULL, run, &all[i]) != 0) return;
  }
  printf("listening on %u\n", ntohs(address.sin_port));
  fflush(stdout);
  for (unsigned next = 0;; next++) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) continue;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    loop *target = &all[next % loops];
    pthread_mutex_lock(&target->lock);
    if (target->arrival_count < 1024) target->arrivals[target->arrival_count++] = fd;
    else close(fd);
    pthread_mutex_unlock(&target->lock);
    uint64_t wake = 1;
    (void)!write(target->wakeup, &wake, sizeof wake);
  }
}
