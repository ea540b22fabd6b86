#include "loops_internal.h"

// How many lines begin at an item or before it.
static size_t lines_up_to(const loop_layout *self, size_t item) {
  size_t low = 0, count = self->line_count;
  while (count > 0) {
    size_t half = count / 2;
    if (self->lines[low + half].first <= item) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

int64_t flow_arrange(loop_layout *self, size_t from) {
  const uint32_t *widths = self->widths, *heights = self->heights;
  // A line may end a hair past the room, so that three items of a third fit.
  int64_t hair = self->width / 1'000'000, limit = self->width + (hair > 1 ? hair : 1);
  // A changed item may fit on the line before its own.
  size_t number = from ? lines_up_to(self, from - 1) - 1 : 0;
  size_t item = from ? self->lines[number].first : 0;
  int64_t top = from ? self->lines[number].top : 0;
  flow_line *lines = self->lines;
  while (item < self->count) {
    size_t first = item;
    uint32_t length = heights[item];
    int64_t used = widths[item++];
    for (; item < self->count; item++) {
      used += spacing + widths[item];
      if (used > limit) break;
      length = heights[item] > length ? heights[item] : length;
    }
    lines[number++] = (flow_line){.first = (uint32_t)first, .length = length, .top = top};
    top += length + spacing;
  }
  self->line_count = number;
  return number ? top - spacing : 0;
}

// One line, justified; the section's last is leading.
static void visit(const loop_layout *self, size_t number, loop_rect rect, loop_answer *answer,
                  int64_t *last) {
  flow_line line = self->lines[number];
  bool is_last = number + 1 == self->line_count;
  size_t end = is_last ? self->count : self->lines[number + 1].first;
  int64_t count = (int64_t)(end - line.first), extent = 0;
  for (size_t i = line.first; i < end; i++) extent += self->widths[i];
  int64_t left = self->width - extent - spacing * (count - 1);
  int64_t before = !is_last && count == 1 && left > 0 ? left / 2 + left % 2 : 0;
  for (int64_t place = 0; place < count; place++) {
    size_t i = line.first + (size_t)place;
    // A line that ends a hair past the room is pushed together; a half goes up then too.
    int64_t shared = is_last || count == 1 ? 0
                     : left < 0 ? -((-2 * left * place + count - 2) / (2 * (count - 1)))
                                : rounded(left * place, count - 1);
    int64_t slack = line.length - self->heights[i];
    add(answer, last, (int64_t)i, rect, before + spacing * place + shared,
        line.top + slack / 2 + slack % 2, self->widths[i], self->heights[i]);
    before += self->widths[i];
  }
}

loop_answer flow_query(const loop_layout *self, loop_rect rect, int64_t *last) {
  loop_answer answer = {0};
  size_t low = 0, count = self->line_count;
  while (count > 0) {
    size_t half = count / 2;
    flow_line line = self->lines[low + half];
    if (line.top + line.length <= rect.y) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  for (; low < self->line_count && self->lines[low].top < rect.y + rect.height; low++)
    visit(self, low, rect, &answer, last);
  return answer;
}
