#ifndef THREAD_SANITIZER_H
#define THREAD_SANITIZER_H

// Nothing to call: mutex.c replaces functions of the Swift runtime where ThreadSanitizer is on.

#endif
