#include "loops_internal.h"

// What the columns share.
static int64_t room(const loop_layout *self) {
  return self->width - spacing * (self->column_count - 1);
}

static inline uint32_t scaled(uint32_t width, uint32_t height, int64_t numerator, int columns) {
  return (uint32_t)rounded(height * numerator, (int64_t)width * columns);
}

void waterfall_scale(loop_layout *self, size_t item) {
  self->lengths[item] =
      scaled(self->widths[item], self->heights[item], room(self), self->column_count);
}

// Where the next item would start in each column after so many items: each column's last item is not
// far, because items start in the order of their numbers.
static void front(const loop_layout *self, size_t count, int64_t *starts) {
  unsigned seen = 0, all = (1u << self->column_count) - 1;
  for (int i = 0; i < self->column_count; i++) starts[i] = 0;
  while (count > 0 && seen != all) {
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

// The columns as keys (start, column), in order: the next item goes to the first, which then sinks to
// its place by comparisons alone, without a branch.
typedef struct keys {
  int64_t a, b, c, d;
} keys;

static keys keys_after(const loop_layout *self, size_t count) {
  int64_t starts[few_columns];
  front(self, count, starts);
  keys k = {starts[0] << 2, starts[1] << 2 | 1, starts[2] << 2 | 2, starts[3] << 2 | 3};
  order(&k.a, &k.b), order(&k.c, &k.d), order(&k.a, &k.c), order(&k.b, &k.d), order(&k.b, &k.c);
  return k;
}

static inline keys sunk(keys k, uint32_t length) {
  int64_t s = k.a + ((int64_t)(length + (uint64_t)spacing) << 2);
  int64_t t = most(k.b, s), u = most(k.c, t);
  return (keys){least(k.b, s), least(k.c, t), least(k.d, u), most(k.d, u)};
}

// The same with more columns than registers.
typedef struct many_keys {
  int64_t of[many_columns];
} many_keys;

static inline void sink(many_keys *k, int64_t moved) {
  for (int i = 1; i < many_columns; i++) {
    int64_t other = k->of[i];
    k->of[i - 1] = least(other, moved);
    moved = most(other, moved);
  }
  k->of[many_columns - 1] = moved;
}

static many_keys many_keys_after(const loop_layout *self, size_t count) {
  int64_t starts[many_columns];
  front(self, count, starts);
  many_keys k;
  for (int i = 0; i < many_columns; i++) k.of[i] = INT64_MIN;
  for (int i = 0; i < many_columns; i++) sink(&k, starts[i] << 4 | i);
  return k;
}

static int64_t content_length(const loop_layout *self, int64_t end) {
  return self->count ? end - spacing : 0;
}

// In one pass, so that a division overlaps with the comparisons of the items before it.
static int64_t arrange_all_in_few(loop_layout *self) {
  keys k = keys_after(self, 0);
  int64_t *tops = self->tops, numerator = room(self);
  uint8_t *columns = self->columns;
  uint32_t *lengths = self->lengths;
  const uint32_t *widths = self->widths, *heights = self->heights;
  for (size_t i = 0, count = self->count; i < count; i++) {
    uint32_t length = lengths[i] = scaled(widths[i], heights[i], numerator, few_columns);
    tops[i] = k.a >> 2;
    columns[i] = (uint8_t)(k.a & 3);
    k = sunk(k, length);
  }
  return content_length(self, k.d >> 2);
}

static int64_t arrange_in_few(loop_layout *self, size_t from) {
  keys k = keys_after(self, from);
  int64_t *tops = self->tops;
  uint8_t *columns = self->columns;
  const uint32_t *lengths = self->lengths;
  for (size_t i = from, count = self->count; i < count; i++) {
    tops[i] = k.a >> 2;
    columns[i] = (uint8_t)(k.a & 3);
    k = sunk(k, lengths[i]);
  }
  return content_length(self, k.d >> 2);
}

// Inlined, so that the compiler makes one for each value of `scales`, a quarter faster. (As one, the loops
// above are slower.)
static inline int64_t arrange_in_many(loop_layout *self, size_t from, bool scales) {
  many_keys k = many_keys_after(self, from);
  int64_t *tops = self->tops, numerator = room(self);
  uint8_t *columns = self->columns;
  uint32_t *lengths = self->lengths;
  const uint32_t *widths = self->widths, *heights = self->heights;
  for (size_t i = from, count = self->count; i < count; i++) {
    uint32_t length =
        scales ? scaled(widths[i], heights[i], numerator, many_columns) : lengths[i];
    if (scales) lengths[i] = length;
    tops[i] = k.of[0] >> 4;
    columns[i] = (uint8_t)(k.of[0] & 15);
    sink(&k, k.of[0] + ((int64_t)(length + (uint64_t)spacing) << 4));
  }
  return content_length(self, k.of[many_columns - 1] >> 4);
}

int64_t waterfall_arrange_all(loop_layout *self) {
  return self->column_count == few_columns ? arrange_all_in_few(self)
                                           : arrange_in_many(self, 0, true);
}

int64_t waterfall_arrange(loop_layout *self, size_t from) {
  return self->column_count == few_columns ? arrange_in_few(self, from)
                                           : arrange_in_many(self, from, false);
}

loop_answer waterfall_query(const loop_layout *self, loop_rect rect, int64_t *last) {
  int count = self->column_count;
  int64_t width = rounded(room(self), count);
  int64_t positions[many_columns];
  for (int i = 0; i < count; i++)
    positions[i] = (int64_t)spacing * i + rounded(room(self) * i, count);
  size_t begin = count_up_to(self->tops, self->count, rect.y);
  // Back to where each column was seen: what it shows above the rectangle reaches into it or not.
  unsigned seen = 0;
  while (begin > 0 && seen != (1u << count) - 1) seen |= 1u << self->columns[--begin];
  loop_answer answer = {0};
  for (size_t i = begin; i < self->count && self->tops[i] < rect.y + rect.height; i++)
    add(&answer, last, (int64_t)i, rect, positions[self->columns[i]], self->tops[i], width,
        self->lengths[i]);
  return answer;
}
