#include "loops_internal.h"

enum { per_page = page_columns * page_rows };

int64_t paged_grid_arrange(loop_layout *self) {
  return (int64_t)((self->count + per_page - 1) / per_page) * self->width;
}

loop_answer paged_grid_query(const loop_layout *self, loop_rect rect, int64_t *last) {
  loop_answer answer = {0};
  int64_t across = self->width - spacing * (page_columns - 1);
  int64_t down = self->height - spacing * (page_rows - 1);
  int64_t width = rounded(across, page_columns), height = rounded(down, page_rows);
  int64_t page = rect.x < 0 ? 0 : rect.x / self->width;
  for (; page * self->width < rect.x + rect.width; page++) {
    for (int64_t place = 0; place < per_page; place++) {
      int64_t item = page * per_page + place;
      if (item >= (int64_t)self->count) return answer;
      int64_t row = place / page_columns, column = place % page_columns;
      add(&answer, last, item, rect,
          page * self->width + spacing * column + rounded(across * column, page_columns),
          spacing * row + rounded(down * row, page_rows), width, height);
    }
  }
  return answer;
}
