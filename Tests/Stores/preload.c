// Has the disk and the memory fail under SQLite, in a server that is started with this in LD_PRELOAD.
//
// What fails is written in the file that PRELOAD_FAULTS names, which is mapped: 1 in its first byte has every
// fsync and fdatasync fail, and 1 in its second has one in four of SQLite's allocations fail.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SYNC, MEMORY };

extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *old, size_t size);

static volatile char *faults;
static _Atomic uint32_t count;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("PRELOAD_FAULTS");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, 2, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  faults = mapped;
}

// Whether an allocation is one of SQLite's, and fails.
static int fails(void *caller) {
  static _Thread_local int is_asking;
  if (!faults || !faults[MEMORY] || is_asking) return 0;
  // dladdr may allocate.
  is_asking = 1;
  Dl_info info;
  int is_of_sqlite = dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libsqlite3");
  is_asking = 0;
  // By a hash of their number: no place in SQLite fails always, and none never.
  return is_of_sqlite && ((++count * 2654435761u) >> 30) == 0;
}

void *malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *realloc(void *old, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

static int sync_or_fail(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (faults && faults[SYNC]) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fsync(int fd) { return sync_or_fail("fsync", fd); }
int fdatasync(int fd) { return sync_or_fail("fdatasync", fd); }
