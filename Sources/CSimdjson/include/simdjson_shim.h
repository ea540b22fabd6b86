// simdjson's DOM parser for Swift.
//
// A parsed document is handed over as simdjson's *tape*, a documented format
// (https://github.com/simdjson/simdjson/blob/master/doc/tape.md), so that Swift
// walks it without a call per element.
//
// Nothing crosses owned: the bytes are lent for the length of a parse, the tape is
// lent until the parser's next parse or release.
#ifndef SIMDJSON_SHIM_H
#define SIMDJSON_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct simdjson_parser simdjson_parser;

typedef enum __attribute__((enum_extensibility(closed))) simdjson_status {
  simdjson_status_ok,
  simdjson_status_empty,          // nothing but white space
  simdjson_status_malformed,      // not JSON; also a BOM, NaN, trailing text, a lone surrogate
  simdjson_status_too_deep,       // more containers inside each other than allowed
  simdjson_status_bad_utf8,       // not UTF-8
  simdjson_status_bad_number,     // malformed, an integer beyond 64 bits, or not finite
  simdjson_status_too_long,       // 4 GiB or more
  simdjson_status_out_of_memory,
} simdjson_status;

// One parsed document. Word 0 is the root, word 1 the first word of the value.
typedef struct simdjson_tape {
  simdjson_status status;  // the rest is zero unless this is OK
  const uint64_t *_Nullable words;
  size_t word_count;
  const uint8_t *_Nullable strings;  // 4 bytes of length, the bytes, a NUL, and so on
  size_t string_capacity;            // readable bytes: at least 8 more than the tape refers to
} simdjson_tape;

// Takes the parser that this thread keeps, or makes one. NULL: out of memory.
simdjson_parser *_Nullable simdjson_parser_acquire(void);

// Gives a parser back. The thread keeps one for the next time; a second one, and one that
// has grown to documents over 256 KiB (about 4 MiB of memory), is destroyed.
void simdjson_parser_release(simdjson_parser *_Nonnull parser);

// Parses `count` bytes, of which `padding` more may be read; they are copied first unless
// that is at least SIMDJSON_PADDING (64).
simdjson_tape simdjson_parser_parse(
    simdjson_parser *_Nonnull parser, const uint8_t *_Nonnull bytes, size_t count,
    size_t padding, size_t maximum_depth);

// Marks the empty array at a word of the tape just parsed as one whose elements are elsewhere: its
// first word becomes the type 'A' with `start`, its second one `count`. False: no empty array is
// there.
bool simdjson_parser_lift(
    simdjson_parser *_Nonnull parser, size_t index, size_t start, size_t count);

// How long a document this thread's idle parser can take without allocating; 0: it keeps none.
size_t simdjson_parser_idle_capacity(void);

#ifdef __cplusplus
}
#endif
#endif
