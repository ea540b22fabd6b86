// What the program was started with.
//
// Swift looks for it in /proc, and for where that is behind the environment of the start. Where there is no /proc, or
// a library that is loaded first has set a variable, it finds nothing, and options would be as if nobody had given them.
#include "internal.h"

static size_t argument_count;
static char *const *arguments;

// glibc hands over to constructors what it hands over to main().
__attribute__((constructor)) static void keep_arguments(int count, char **texts, char **) {
  argument_count = count > 0 ? (size_t)count : 0;
  arguments = texts;
}

size_t http_arguments_count(void) { return argument_count; }

const char *http_argument(size_t index) { return arguments[index]; }
