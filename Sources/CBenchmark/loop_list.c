#include "loops_internal.h"

int64_t list_arrange(loop_layout *self, size_t from) {
  const uint32_t *heights = self->heights;
  int64_t *tops = self->tops;
  int64_t top = from ? tops[from - 1] + heights[from - 1] : 0;
  for (size_t i = from; i < self->count; i++) {
    tops[i] = top;
    top += heights[i];
  }
  return top;
}

loop_answer list_query(const loop_layout *self, loop_rect rect, int64_t *last) {
  loop_answer answer = {0};
  size_t first = count_up_to(self->tops, self->count, rect.y);
  // Items without a length before it do not show.
  for (size_t i = first ? first - 1 : 0; i < self->count; i++) {
    if (self->tops[i] >= rect.y + rect.height) break;
    add(&answer, last, (int64_t)i, rect, 0, self->tops[i], self->width, self->heights[i]);
  }
  return answer;
}
