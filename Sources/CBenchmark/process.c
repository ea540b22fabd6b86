#define _GNU_SOURCE  // pipe2, CPU_SET
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "benchmark.h"

bool thread_pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  // None is all there are.
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (core < 0 || i == core) CPU_SET(i, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

double process_cpu_seconds(int pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

long process_memory_kib(int pid, const char *field) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  long value = -1;
  size_t length = strlen(field);
  while (value < 0 && fgets(line, sizeof line, file))
    if (strncmp(line, field, length) == 0 && line[length] == ':') value = atol(line + length + 1);
  fclose(file);
  return value;
}

long process_count(int pid, const char *directory) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, directory);
  DIR *entries = opendir(path);
  if (!entries) return -1;
  long count = 0;
  for (struct dirent *it; (it = readdir(entries));) count += it->d_name[0] != '.';
  closedir(entries);
  return count;
}

long process_raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  return (long)limit.rlim_cur;
}

size_t process_allocated(void) {
  malloc_trim(0);
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Starts a program, on one core if that is not negative, with a pipe from what it prints.
static pid_t start(const char *const *arguments, int core, int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Standard output and error both: one of them says where it listens.
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  extern char **environ;
  pid_t pid = -1;
  // A child keeps to the cores of the thread that starts it.
  if (core >= 0) thread_pin(core);
  int failure = posix_spawn(&pid, arguments[0], &actions, NULL,
                            (char *const *)(uintptr_t)arguments, environ);
  if (core >= 0) thread_pin(-1);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *output = ends[0];
  if (failure != 0) close(ends[0]);
  return failure == 0 ? pid : -1;
}

// Reads what a program prints until it ends, so that it never waits.
static void *drain(void *end) {
  int output = (int)(intptr_t)end;
  char text[65536];
  while (read(output, text, sizeof text) > 0) continue;
  close(output);
  return NULL;
}

int process_start(const char *const *arguments, int core, uint16_t *port) {
  int output;
  pid_t pid = start(arguments, core, &output);
  if (pid < 0) return -1;
  char text[512];
  size_t have = 0;
  char *found = NULL;
  while (!found && have < sizeof text - 1) {
    ssize_t got = read(output, text + have, sizeof text - 1 - have);
    if (got <= 0) break;
    have += (size_t)got;
    text[have] = 0;
    found = strchr(text, '\n') ? strstr(text, "listening on") : NULL;
  }
  if (!found) {
    close(output);
    process_stop(pid);
    return -1;
  }
  pthread_t reader;
  if (pthread_create(&reader, NULL, drain, (void *)(intptr_t)output) == 0) pthread_detach(reader);
  unsigned value = 0;
  for (char *c = found; *c && *c != '\n'; c++)
    if (c[0] >= '0' && c[0] <= '9' && (c[-1] < '0' || c[-1] > '9')) value = (unsigned)atoi(c);
  *port = (uint16_t)value;
  return pid;
}

bool process_run(const char *const *arguments, char *output, size_t size) {
  int end, status = -1;
  pid_t pid = start(arguments, -1, &end);
  if (pid < 0) return false;
  size_t have = 0;
  ssize_t got;
  while (have < size - 1 && (got = read(end, output + have, size - 1 - have)) > 0)
    have += (size_t)got;
  output[have] = 0;
  close(end);
  return waitpid(pid, &status, 0) == pid && status == 0;
}

void process_stop(int pid) {
  kill(pid, SIGTERM);
  waitpid(pid, NULL, 0);
}
