#include <stdlib.h>
#include <string.h>

#include "loops_internal.h"

// Memory whose pages are there, so that no loop pays for them.
static void *touched(size_t size) {
  void *memory = malloc(size);
  if (memory) memset(memory, 1, size);
  return memory;
}

loop_layout *loop_create(loop_kind kind, int column_count, size_t capacity) {
  loop_layout *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->kind = kind;
  self->capacity = capacity;
  self->widths = touched(capacity * sizeof *self->widths);
  self->heights = touched(capacity * sizeof *self->heights);
  self->copy = touched(capacity * 32);
  bool whole = self->widths && self->heights && self->copy;
  if (kind == loop_kind_list || kind == loop_kind_waterfall)
    whole = (self->tops = touched(capacity * sizeof *self->tops)) && whole;
  if (kind == loop_kind_waterfall) {
    self->column_count = column_count;
    whole = (self->lengths = touched(capacity * sizeof *self->lengths)) && whole;
    whole = (self->columns = touched(capacity)) && whole;
  }
  if (kind == loop_kind_flow)
    whole = (self->lines = touched(capacity * sizeof *self->lines)) && whole;
  if (whole) return self;
  loop_destroy(self);
  return NULL;
}

void loop_destroy(loop_layout *self) {
  free(self->widths), free(self->heights), free(self->tops), free(self->lengths);
  free(self->columns), free(self->lines), free(self->copy), free(self);
}

void loop_load(loop_layout *self, const uint32_t *widths, const uint32_t *heights, size_t count) {
  self->count = count < self->capacity ? count : self->capacity;
  memcpy(self->widths, widths, self->count * sizeof *widths);
  memcpy(self->heights, heights, self->count * sizeof *heights);
}

static int64_t arrange(loop_layout *self, size_t from) {
  switch (self->kind) {
    case loop_kind_list: return list_arrange(self, from);
    case loop_kind_flow: return flow_arrange(self, from);
    case loop_kind_waterfall: return waterfall_arrange(self, from);
    case loop_kind_paged_grid: return paged_grid_arrange(self);
  }
}

int64_t loop_arrange(loop_layout *self, int64_t width, int64_t height) {
  self->width = width;
  self->height = height;
  return self->kind == loop_kind_waterfall ? waterfall_arrange_all(self) : arrange(self, 0);
}

// Writes a size and lays out what follows.
static int64_t set(loop_layout *self, size_t index, uint32_t width, uint32_t height) {
  self->widths[index] = width;
  self->heights[index] = height;
  if (self->kind == loop_kind_waterfall) waterfall_scale(self, index);
  return arrange(self, index);
}

static void shift(uint32_t *values, size_t to, size_t from, size_t end) {
  memmove(values + to, values + from, (end - from) * sizeof *values);
}

int64_t loop_insert(loop_layout *self, size_t index, uint32_t width, uint32_t height) {
  if (self->count == self->capacity || index > self->count) return -1;
  shift(self->widths, index + 1, index, self->count);
  shift(self->heights, index + 1, index, self->count);
  if (self->lengths) shift(self->lengths, index + 1, index, self->count);
  self->count++;
  return set(self, index, width, height);
}

int64_t loop_resize(loop_layout *self, size_t index, uint32_t width, uint32_t height) {
  return index < self->count ? set(self, index, width, height) : -1;
}

int64_t loop_delete(loop_layout *self, const uint32_t *indexes, size_t count) {
  if (count == 0 || indexes[count - 1] >= self->count) return -1;
  size_t to = indexes[0];
  for (size_t i = 0; i < count; i++) {
    size_t from = indexes[i] + 1, end = i + 1 < count ? indexes[i + 1] : self->count;
    shift(self->widths, to, from, end);
    shift(self->heights, to, from, end);
    if (self->lengths) shift(self->lengths, to, from, end);
    to += end - from;
  }
  self->count = to;
  return arrange(self, indexes[0]);
}

static loop_answer query(const loop_layout *self, loop_rect rect, int64_t *last) {
  switch (self->kind) {
    case loop_kind_list: return list_query(self, rect, last);
    case loop_kind_flow: return flow_query(self, rect, last);
    case loop_kind_waterfall: return waterfall_query(self, rect, last);
    case loop_kind_paged_grid: return paged_grid_query(self, rect, last);
  }
}

loop_answer loop_query(const loop_layout *self, loop_rect rect) {
  int64_t last = -1;
  return query(self, rect, &last);
}

int64_t loop_item_at(const loop_layout *self, int64_t x, int64_t y) {
  int64_t last = -1;
  query(self, (loop_rect){.x = x, .y = y, .width = 1, .height = 1}, &last);
  return last;
}

size_t loop_copy(loop_layout *self) {
  struct {
    const void *start;
    size_t size;
  } parts[] = {
      {self->widths, self->count * sizeof *self->widths},
      {self->heights, self->count * sizeof *self->heights},
      {self->tops, self->tops ? self->count * sizeof *self->tops : 0},
      {self->lengths, self->lengths ? self->count * sizeof *self->lengths : 0},
      {self->columns, self->columns ? self->count : 0},
      {self->lines, self->line_count * sizeof *self->lines},
  };
  size_t size = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].size) memcpy(self->copy + size, parts[i].start, parts[i].size);
    size += parts[i].size;
  }
  return size;
}
