/* SPDX-License-Identifier: MIT */
/* Compares the line tables of a function in two files, address by address. */
#include "parts.h"

struct line_cursor {
	const struct gsym_diff_side *side;
	const struct function *function;
	size_t next;  /* first row after the current address */
	size_t group; /* first row at the current address */
	/* Row that covers the current address, or NULL. */
	const struct function_row *row;
};

static struct line_cursor begin_lines(const struct gsym_diff_side *side)
{
	return (struct line_cursor){ .side = side, .function = &side->reader.function };
}

/* Return the address of the next row, or UINT64_MAX. */
static uint64_t find_next_row(const struct line_cursor *cursor)
{
	return cursor->next < cursor->function->row_count ? cursor->function->rows[cursor->next].va
	                                                  : UINT64_MAX;
}

static void move_to(struct line_cursor *cursor, uint64_t va)
{
	cursor->group = cursor->next;
	while (cursor->next < cursor->function->row_count &&
	       cursor->function->rows[cursor->next].va <= va)
		cursor->row = &cursor->function->rows[cursor->next++];
	if (cursor->row && cursor->row->line == 0 && cursor->row->file == 0)
		cursor->row = NULL; /* an explicit "no line" row */
}

static uint32_t find_path(const struct line_cursor *cursor, const struct function_row *row)
{
	return cursor->side->path[row->file];
}

static bool is_same_place(const struct line_cursor *a, const struct function_row *left,
                          const struct line_cursor *b, const struct function_row *right)
{
	if (!left || !right)
		return left == right;
	return left->line == right->line && find_path(a, left) == find_path(b, right);
}

static bool is_same_row(const struct line_cursor *a, const struct function_row *left,
                        const struct line_cursor *b, const struct function_row *right)
{
	return left->statement == right->statement && left->prologue_end == right->prologue_end &&
	       left->apart == right->apart && left->line == right->line &&
	       find_path(a, left) == find_path(b, right);
}

/*
 * Return true if all rows at the current address are equal, not only the last one, which determines
 * the line.
 */
static bool has_same_rows(const struct line_cursor *a, const struct line_cursor *b)
{
	size_t count = a->next - a->group;

	if (count != b->next - b->group || a->function->statements != b->function->statements)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_same_row(a, &a->function->rows[a->group + i], b,
		                 &b->function->rows[b->group + i]))
			return false;
	return true;
}

/* Return the end of the piece in which no new row begins on either side. */
static uint64_t find_piece_end(const struct line_cursor *a, const struct line_cursor *b,
                               uint64_t end)
{
	uint64_t first = find_next_row(a), second = find_next_row(b);
	uint64_t next = first < second ? first : second;

	return next < end ? next : end;
}

/* A difference that is not reported yet because the next piece may extend it. */
struct open_piece {
	struct line_cursor a, b;
	uint64_t low;
	bool open, marks_only;
};

static void end_piece(struct gsym_diff *diff, struct open_piece *piece, uint64_t va)
{
	const struct line_cursor *a = &piece->a, *b = &piece->b;
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_LINES,
		                                    .low = piece->low,
		                                    .high = va,
		                                    .marks_only = piece->marks_only,
		                                    .first = { a->function, .row = a->row },
		                                    .second = { b->function, .row = b->row } };

	if (piece->open)
		gsym_diff_report(diff, &difference);
	piece->open = false;
}

static bool continues_piece(const struct open_piece *piece, const struct line_cursor *a,
                            const struct line_cursor *b)
{
	return piece->open && !piece->marks_only &&
	       is_same_place(&piece->a, piece->a.row, a, a->row) &&
	       is_same_place(&piece->b, piece->b.row, b, b->row);
}

static void compare_piece(struct gsym_diff *diff, struct open_piece *piece,
                          const struct line_cursor *a, const struct line_cursor *b, uint64_t va)
{
	bool same = is_same_place(a, a->row, b, b->row);
	bool marks_only = same && diff->options.statements && !has_same_rows(a, b);

	if (!same && continues_piece(piece, a, b))
		return;
	end_piece(diff, piece, va);
	if (!same || marks_only)
		*piece = (struct open_piece){ *a, *b, va, true, marks_only };
}

/* Return the end of the range that both functions cover. A size of 0 is unknown. */
static uint64_t find_common_end(const struct function *a, const struct function *b)
{
	uint64_t size = a->size && (!b->size || a->size < b->size) ? a->size : b->size;

	return size ? a->start + size : UINT64_MAX;
}

void gsym_diff_lines(struct gsym_diff *diff)
{
	struct line_cursor a = begin_lines(&diff->first), b = begin_lines(&diff->second);
	uint64_t va = a.function->start, end = find_common_end(a.function, b.function);
	struct open_piece piece = { .open = false };

	while (va < end && !diff->ended) {
		move_to(&a, va);
		move_to(&b, va);
		compare_piece(diff, &piece, &a, &b, va);
		va = find_piece_end(&a, &b, end);
	}
	end_piece(diff, &piece, end);
}
