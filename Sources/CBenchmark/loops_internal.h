// What the loops have in common.
#ifndef LAYOUTD_LOOPS_INTERNAL_H
#define LAYOUTD_LOOPS_INTERNAL_H

#include <stdbool.h>

#include "loops.h"

enum { few_columns = 4, many_columns = 12, page_columns = 4, page_rows = 4 };
// The layouts' defaults, in millionths.
enum { spacing = 10'000'000 };

typedef struct flow_line {
  uint32_t first;   // its first item
  uint32_t length;  // that of its longest item
  int64_t top;
} flow_line;

struct loop_layout {
  loop_kind kind;
  size_t count, capacity;
  int64_t width, height;  // the viewport's
  uint32_t *widths, *heights;
  // list, waterfall: where each item begins
  int64_t *tops;
  // waterfall: lengths scaled to the columns, and the columns
  uint32_t *lengths;
  uint8_t *columns;
  int column_count;  // few_columns or many_columns
  // flow
  flow_line *lines;
  size_t line_count;
  // what loop_copy copies to
  uint8_t *copy;
};

// What each kind does: all from an item on, of which the ones before are laid out.
int64_t list_arrange(loop_layout *self, size_t from);
loop_answer list_query(const loop_layout *self, loop_rect rect, int64_t *last);
int64_t flow_arrange(loop_layout *self, size_t from);
loop_answer flow_query(const loop_layout *self, loop_rect rect, int64_t *last);
void waterfall_scale(loop_layout *self, size_t item);
int64_t waterfall_arrange_all(loop_layout *self);
int64_t waterfall_arrange(loop_layout *self, size_t from);
loop_answer waterfall_query(const loop_layout *self, loop_rect rect, int64_t *last);
int64_t paged_grid_arrange(loop_layout *self);
loop_answer paged_grid_query(const loop_layout *self, loop_rect rect, int64_t *last);

// The quotient of numbers that are not negative, rounded half up.
static inline int64_t rounded(int64_t numerator, int64_t denominator) {
  int64_t quotient = numerator / denominator;
  return quotient + (numerator - quotient * denominator >= (denominator + 1) / 2);
}

// Adds a frame to an answer if it shares an area with the rectangle.
static inline void add(loop_answer *answer, int64_t *last, int64_t item, loop_rect rect, int64_t x,
                       int64_t y, int64_t width, int64_t height) {
  if (x >= rect.x + rect.width || y >= rect.y + rect.height || x + width <= rect.x ||
      y + height <= rect.y || width <= 0 || height <= 0)
    return;
  answer->count++;
  answer->sum += x + y + width + height;
  *last = item;
}

// How many of the first `count` values, which ascend, are not above a limit.
static inline size_t count_up_to(const int64_t *values, size_t count, int64_t limit) {
  size_t low = 0;
  while (count > 0) {
    size_t half = count / 2;
    bool below = values[low + half] <= limit;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

#endif
