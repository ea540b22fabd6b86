#include "simdjson_shim.h"

#include <simdjson.h>

#include <memory>
#include <new>

namespace dom = simdjson::dom;

struct simdjson_parser {
  dom::parser dom;
};

namespace {

// Documents up to the first share one allocation; a parser beyond the second is not kept.
constexpr size_t smallest_capacity = 4096;
constexpr size_t largest_idle_capacity = 256 * 1024;

thread_local std::unique_ptr<simdjson_parser> idle;

simdjson_status status(simdjson::error_code error) {
  switch (error) {
    case simdjson::SUCCESS: return simdjson_status_ok;
    case simdjson::EMPTY: return simdjson_status_empty;
    case simdjson::DEPTH_ERROR: return simdjson_status_too_deep;
    case simdjson::UTF8_ERROR: return simdjson_status_bad_utf8;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return simdjson_status_bad_number;
    case simdjson::CAPACITY: return simdjson_status_too_long;
    case simdjson::MEMALLOC: return simdjson_status_out_of_memory;
    default: return simdjson_status_malformed;
  }
}

// The power of two that holds `count`, so that growing bodies do not reallocate each time;
// what will not be kept anyway is allocated exactly.
size_t capacity_for(size_t count) {
  if (count > largest_idle_capacity) return count;
  size_t capacity = smallest_capacity;
  while (capacity < count) capacity *= 2;
  return capacity;
}

simdjson::error_code prepare(dom::parser &parser, size_t count, size_t maximum_depth) {
  if (count > parser.max_capacity()) return simdjson::CAPACITY;
  // simdjson counts the document as a level.
  const size_t depth = maximum_depth + 1;
  const bool grows = parser.capacity() < count || parser.capacity() == 0;
  const size_t capacity = grows ? capacity_for(count) : parser.capacity();
  if (grows || parser.max_depth() != depth) {
    if (auto error = parser.allocate(capacity, depth)) return error;
  }
  if (parser.doc.capacity() < capacity) return parser.doc.allocate(capacity);
  return simdjson::SUCCESS;
}

}  // namespace

simdjson_parser *simdjson_parser_acquire(void) {
  if (idle) return idle.release();
  return new (std::nothrow) simdjson_parser;
}

void simdjson_parser_release(simdjson_parser *parser) {
  std::unique_ptr<simdjson_parser> returned(parser);
  if (!idle && returned->dom.capacity() <= largest_idle_capacity) idle = std::move(returned);
}

size_t simdjson_parser_idle_capacity(void) { return idle ? idle->dom.capacity() : 0; }

simdjson_tape simdjson_parser_parse(
    simdjson_parser *parser, const uint8_t *bytes, size_t count, size_t padding,
    size_t maximum_depth) {
  simdjson_tape tape = {};
  auto error = prepare(parser->dom, count, maximum_depth);
  if (!error) {
    const bool copies = padding < simdjson::SIMDJSON_PADDING;
    error = parser->dom.parse(bytes, count, copies).error();
  }
  tape.status = status(error);
  if (error) return tape;

  const dom::document &document = parser->dom.doc;
  tape.words = document.tape.get();
  // The root's payload is the index one past the closing root word.
  tape.word_count = size_t(tape.words[0] & 0x00FFFFFFFFFFFFFF);
  tape.strings = document.string_buf.get();
  // As document::allocate has it, without its last rounding up.
  tape.string_capacity = 5 * document.capacity() / 3 + simdjson::SIMDJSON_PADDING;
  return tape;
}

bool simdjson_parser_lift(simdjson_parser *parser, size_t index, size_t start, size_t count) {
  uint64_t *words = parser->dom.doc.tape.get();
  // The root's payload is the index one past the closing root word.
  const size_t word_count = words ? size_t(words[0] & 0x00FFFFFFFFFFFFFF) : 0;
  // An empty array: no elements, and its end behind the next word.
  const uint64_t empty = (uint64_t('[') << 56) | (index + 2);
  if (index == 0 || index + 1 >= word_count || words[index] != empty) return false;
  words[index] = (uint64_t('A') << 56) | start;
  words[index + 1] = count;
  return true;
}
