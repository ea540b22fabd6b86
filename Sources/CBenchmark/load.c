#define _GNU_SOURCE  // memmem
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "benchmark.h"

enum { buffer_size = 1 << 20, bucket_count = 4096 };

typedef struct {
  int fd;
  uint8_t *buffer;
  const uint8_t *request;
  size_t have, need, body;
  double sent;
} client;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool send_request(client *self, size_t count) {
  self->have = self->need = 0;
  self->sent = now();
  // Small requests fit the socket's buffer: nothing else is under way on it.
  return send(self->fd, self->request, count, MSG_NOSIGNAL) == (ssize_t)count;
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

static int connect_to(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    if (fd >= 0) close(fd);
    return -1;
  }
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

// Latencies in steps of 2 %.
static unsigned bucket_of(double us) {
  unsigned i = 0;
  for (double edge = 1; edge < us && i < bucket_count - 1; edge *= 1.02) i++;
  return i;
}

static double quantile(const uint64_t *buckets, uint64_t total, double part) {
  uint64_t sum = 0;
  double edge = 1;
  for (unsigned i = 0; i < bucket_count; i++, edge *= 1.02) {
    sum += buckets[i];
    if ((double)sum >= (double)total * part) return edge;
  }
  return edge;
}

load_result load_run(uint16_t port, unsigned connections, double seconds, const uint8_t *requests,
                     size_t count, unsigned kinds) {
  load_result result = {0};
  uint64_t *buckets = calloc(bucket_count, sizeof *buckets);
  client *clients = calloc(connections, sizeof *clients);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (!buckets || !clients || epoll < 0) return result;
  for (unsigned i = 0; i < connections; i++) {
    clients[i].buffer = malloc(buffer_size);
    clients[i].request = requests + i % kinds * count;
    clients[i].fd = clients[i].buffer ? connect_to(port) : -1;
    if (clients[i].fd < 0) {
      result.failures++;
      continue;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
    epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].fd, &event);
  }
  double start = now(), end = start + seconds;
  for (unsigned i = 0; i < connections; i++)
    if (clients[i].fd >= 0) send_request(&clients[i], count);
  struct epoll_event events[256];
  while (now() < end) {
    int ready = epoll_wait(epoll, events, 256, 100);
    for (int i = 0; i < ready; i++) {
      client *it = events[i].data.ptr;
      if (it->fd < 0) continue;
      ssize_t got = recv(it->fd, it->buffer + it->have, buffer_size - it->have, MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) continue;
      if (got > 0) it->have += (size_t)got;
      if (got <= 0 || it->have == buffer_size) {
        result.failures++;
        close(it->fd);
        it->fd = -1;
        continue;
      }
      if (!is_whole(it)) continue;
      if (it->buffer[9] == '2') result.answers++;
      else result.failures++;
      result.answer_bytes = it->body;
      buckets[bucket_of((now() - it->sent) * 1e6)]++;
      send_request(it, count);
    }
  }
  result.seconds = now() - start;
  result.p50_us = quantile(buckets, result.answers + result.failures, 0.5);
  result.p99_us = quantile(buckets, result.answers + result.failures, 0.99);
  for (unsigned i = 0; i < connections; i++) {
    if (clients[i].fd >= 0) close(clients[i].fd);
    free(clients[i].buffer);
  }
  close(epoll);
  free(clients);
  free(buckets);
  return result;
}

double process_cpu_seconds(int pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

long process_peak_kib(int pid) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  long peak = -1;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %ld kB", &peak) == 1) break;
  fclose(file);
  return peak;
}

int process_start(const char *const *arguments, uint16_t *port) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Standard output and error both: one of them says where it listens.
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  extern char **environ;
  pid_t pid = -1;
  int failure = posix_spawn(&pid, arguments[0], &actions, NULL,
                            (char *const *)(uintptr_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[512];
  size_t have = 0;
  char *found = NULL;
  while (failure == 0 && !found && have < sizeof text - 1) {
    ssize_t got = read(ends[0], text + have, sizeof text - 1 - have);
    if (got <= 0) break;
    have += (size_t)got;
    text[have] = 0;
    found = strchr(text, '\n') ? strstr(text, "listening on") : NULL;
  }
  // The pipe stays open in the child; nobody writes to it afterwards.
  if (!found) {
    close(ends[0]);
    if (failure == 0) process_stop(pid);
    return -1;
  }
  unsigned value = 0;
  for (char *c = found; *c && *c != '\n'; c++)
    if (c[0] >= '0' && c[0] <= '9' && (c[-1] < '0' || c[-1] > '9')) value = (unsigned)atoi(c);
  *port = (uint16_t)value;
  return pid;
}

void process_stop(int pid) {
  kill(pid, SIGTERM);
  waitpid(pid, NULL, 0);
}
