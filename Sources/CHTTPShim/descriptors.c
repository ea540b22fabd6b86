#define _GNU_SOURCE  // O_PATH
// How many descriptors the process may have, and those that it is started with.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "internal.h"

uint64_t http_descriptors_raise(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return UINT64_MAX;
  rlim_t allowed = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : allowed;
}

void http_streams_open(void) {
  // What is opened gets the lowest number that is free.
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
    // Where there are no devices, what can be neither read nor written has the number.
    if (fd < 0) fd = open("/", O_PATH);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}
