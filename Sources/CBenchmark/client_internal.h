// What the loads share: a clock, random numbers, sockets and histograms.
#ifndef LAYOUTD_CLIENT_INTERNAL_H
#define LAYOUTD_CLIENT_INTERNAL_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline double client_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// The state must not be 0.
static inline uint64_t client_random(uint64_t *state) {
  *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
  return *state >> 12;
}

// A connection to a port of 127.0.0.1, or one on its way if `flags` has SOCK_NONBLOCK; -1: refused.
// A receive buffer of 0 is the system's.
static inline int client_connect(uint16_t port, int flags, int receive_buffer) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (fd < 0) return -1;
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // Before it connects, or the window has been offered already.
  if (receive_buffer > 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  return fd;
}

// Has a close send RST instead of FIN, which leaves no port waiting.
static inline void client_reset_on_close(int fd) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

// Latencies are counted in steps of a 32nd of a power of two nanoseconds, 3 %.
enum { sub_bits = 5, bucket_count = 64 << sub_bits };

static inline unsigned bucket_of(double seconds) {
  uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
  ns += 1u << sub_bits;
  unsigned power = 63u - (unsigned)__builtin_clzll(ns);
  return ((power - sub_bits) << sub_bits) + (unsigned)(ns >> (power - sub_bits));
}

static inline double quantile_us(const uint64_t *buckets, double part) {
  uint64_t total = 0, sum = 0;
  for (unsigned i = 0; i < bucket_count; i++) total += buckets[i];
  unsigned i = 0;
  while (i < bucket_count - 1 && (double)(sum += buckets[i]) < (double)total * part) i++;
  unsigned power = i >> sub_bits, rest = i & ((1u << sub_bits) - 1);
  if (power == 0) return 0;
  uint64_t ns = (uint64_t)((1u << sub_bits) + rest) << (power - 1);
  return (double)(ns - (1u << sub_bits)) / 1000;
}

#endif
