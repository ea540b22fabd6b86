#include "loops_internal.h"

// What the columns share.
static int64_t room(const loop_layout *self) { return self->width - spacing * (column_count - 1); }

void waterfall_scale(loop_layout *self, size_t from, size_t to) {
  const uint32_t *widths = self->widths, *heights = self->heights;
  uint32_t *lengths = self->lengths;
  int64_t numerator = room(self);
  for (size_t i = from; i < to; i++)
    lengths[i] = (uint32_t)rounded(heights[i] * numerator, (int64_t)widths[i] * column_count);
}

// Where the next item would start in each column after so many items: each column's last item is not
// far, because items start in the order of their numbers.
static void front(const loop_layout *self, size_t count, int64_t starts[column_count]) {
  unsigned seen = 0;
  for (int i = 0; i < column_count; i++) starts[i] = 0;
  while (count > 0 && seen != (1u << column_count) - 1) {
    count--;
    unsigned column = self->columns[count];
    if (seen & 1u << column) continue;
    seen |= 1u << column;
    starts[column] = self->tops[count] + self->lengths[count] + spacing;
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a < b ? b : a; }

static void order(int64_t *a, int64_t *b) {
  int64_t low = least(*a, *b), high = most(*a, *b);
  *a = low, *b = high;
}

// The columns are keys (start, column), kept in order: the next item goes to the first, which then
// sinks to its place by comparisons alone, without a branch.
int64_t waterfall_arrange(loop_layout *self, size_t from) {
  const uint32_t *lengths = self->lengths;
  int64_t *tops = self->tops;
  uint8_t *columns = self->columns;
  int64_t starts[column_count];
  front(self, from, starts);
  int64_t a = starts[0] << 2, b = starts[1] << 2 | 1, c = starts[2] << 2 | 2, d = starts[3] << 2 | 3;
  order(&a, &b), order(&c, &d), order(&a, &c), order(&b, &d), order(&b, &c);
  for (size_t i = from; i < self->count; i++) {
    tops[i] = a >> 2;
    columns[i] = (uint8_t)(a & 3);
    int64_t sinking = a + ((int64_t)(lengths[i] + (uint64_t)spacing) << 2);
    a = least(b, sinking), sinking = most(b, sinking);
    b = least(c, sinking), sinking = most(c, sinking);
    c = least(d, sinking), d = most(d, sinking);
  }
  return self->count ? (d >> 2) - spacing : 0;
}

loop_answer waterfall_query(const loop_layout *self, loop_rect rect, int64_t *last) {
  int64_t width = rounded(room(self), column_count);
  int64_t positions[column_count];
  for (int i = 0; i < column_count; i++)
    positions[i] = (int64_t)spacing * i + rounded(room(self) * i, column_count);
  size_t begin = count_up_to(self->tops, self->count, rect.y);
  // Back to where each column was seen: what it shows above the rectangle reaches into it or not.
  unsigned seen = 0;
  while (begin > 0 && seen != (1u << column_count) - 1) seen |= 1u << self->columns[--begin];
  loop_answer answer = {0};
  for (size_t i = begin; i < self->count && self->tops[i] < rect.y + rect.height; i++)
    add(&answer, last, (int64_t)i, rect, positions[self->columns[i]], self->tops[i], width,
        self->lengths[i]);
  return answer;
}
