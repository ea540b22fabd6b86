// Tells ThreadSanitizer about the half of Swift's Mutex that it cannot see.
//
// The fast path of Synchronization.Mutex is inlined where it is used, and so instrumented. Where
// threads wait for each other it calls into libswiftSynchronization.so, which is not: there the lock
// changes hands in the kernel (FUTEX_LOCK_PI), ThreadSanitizer misses that one thread's unlocking
// happens before the other's locking, and everything behind a mutex is reported as a race, in a
// program of nothing but a Mutex too. These functions stand in for those of the library, and say so.
// A suppression would have to name whatever code runs under a lock, and so hide real races.
#define _GNU_SOURCE
#include "thread_sanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Methods of Synchronization._MutexHandle: self comes in the context register.
typedef __attribute__((swiftcall)) void lock_slow(
    uint32_t thread, __attribute__((swift_context)) void *handle);
typedef __attribute__((swiftcall)) bool try_lock_slow(
    __attribute__((swift_context)) void *handle);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

lock_slow mutex_lock_slow __asm__(LOCK_SLOW);
try_lock_slow mutex_try_lock_slow __asm__(TRY_LOCK_SLOW);
unlock_slow mutex_unlock_slow __asm__(UNLOCK_SLOW);

// The library's function behind ours.
static void *real(const char *name, _Atomic(void *) *kept) {
  void *found = atomic_load_explicit(kept, memory_order_acquire);
  if (found) return found;
  found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  atomic_store_explicit(kept, found, memory_order_release);
  return found;
}

__attribute__((swiftcall)) void mutex_lock_slow(
    uint32_t thread, __attribute__((swift_context)) void *handle) {
  static _Atomic(void *) kept;
  ((lock_slow *)real(LOCK_SLOW, &kept))(thread, handle);
  __tsan_acquire(handle);
}

__attribute__((swiftcall)) bool mutex_try_lock_slow(
    __attribute__((swift_context)) void *handle) {
  static _Atomic(void *) kept;
  const bool is_locked = ((try_lock_slow *)real(TRY_LOCK_SLOW, &kept))(handle);
  if (is_locked) __tsan_acquire(handle);
  return is_locked;
}

__attribute__((swiftcall)) void mutex_unlock_slow(__attribute__((swift_context)) void *handle) {
  static _Atomic(void *) kept;
  __tsan_release(handle);
  ((unlock_slow *)real(UNLOCK_SLOW, &kept))(handle);
}

#endif
#endif
