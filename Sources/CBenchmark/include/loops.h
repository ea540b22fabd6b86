// The engine's work as loops in C: what a machine can do with flat arrays and nothing else.
//
// The loops take what the engine takes, widths and heights in millionths of a point, and follow the
// same contract to the last digit, so that both can be held against each other. They keep no more
// than they need to answer the same questions, and reuse their memory; after a change they shift
// what follows and lay it out anew.
#ifndef LAYOUTD_LOOPS_H
#define LAYOUTD_LOOPS_H

#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) loop_kind {
  loop_kind_list,         // prefix sums
  loop_kind_flow,         // a table of lines, justified
  loop_kind_waterfall,    // four or twelve columns, each item where it can start first
  loop_kind_paged_grid,   // pages side by side, four rows and columns: arithmetic
} loop_kind;

// Items with their layout.
typedef struct loop_layout loop_layout;

// Makes room for `capacity` items and touches all of it. `column_count` is that of a waterfall. Returns
// NULL without memory.
loop_layout *_Nullable loop_create(loop_kind kind, int column_count, size_t capacity);
void loop_destroy(loop_layout *_Nonnull self);

// Takes items over, by copying; at most the capacity.
void loop_load(loop_layout *_Nonnull self, const uint32_t *_Nonnull widths,
               const uint32_t *_Nonnull heights, size_t count);

// Each of these returns how long the content is afterwards, in millionths.

// Lays all items out for a viewport.
int64_t loop_arrange(loop_layout *_Nonnull self, int64_t width, int64_t height);
// Inserts one item before another, or at the end; lays what follows out anew.
int64_t loop_insert(loop_layout *_Nonnull self, size_t index, uint32_t width, uint32_t height);
// Gives an item another size; lays what follows out anew.
int64_t loop_resize(loop_layout *_Nonnull self, size_t index, uint32_t width, uint32_t height);
// Takes items out, in ascending order; lays what follows the first of them out anew.
int64_t loop_delete(loop_layout *_Nonnull self, const uint32_t *_Nonnull indexes, size_t count);

// What shows in a rectangle: how many items, and their frames' members added up.
typedef struct loop_answer {
  int64_t count;
  int64_t sum;
} loop_answer;

typedef struct loop_rect {
  int64_t x, y, width, height;
} loop_rect;

loop_answer loop_query(const loop_layout *_Nonnull self, loop_rect rect);

// The item at a point; -1 for none.
int64_t loop_item_at(const loop_layout *_Nonnull self, int64_t x, int64_t y);

// Copies the bytes of the items and of their layout elsewhere: what moving them costs at least.
// Returns how many they are.
size_t loop_copy(loop_layout *_Nonnull self);

#endif
