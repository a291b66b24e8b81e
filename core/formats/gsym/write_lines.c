/* SPDX-License-Identifier: MIT */
/*
 * The line table of one function, in few bytes.  The grammar is in lines.c.
 *
 * A row costs one byte when its line step is in the window [low, low + range) and its address step
 * small enough for the special opcodes that are left.  Otherwise the line is first brought into the
 * window by opcode 3, which costs two bytes more, or if the address step is too large for any
 * special opcode, opcode 2 ends the row.  What is best differs from function to function: narrow
 * windows reach far in addresses.  So a few windows are tried, on a sample of long functions.
 */
#include "write.h"

enum {
	OPCODE_END = 0,
	OPCODE_FILE = 1,
	OPCODE_ADVANCE = 2,
	OPCODE_LINE = 3,
	OPCODE_SPECIAL = 4,
	SPECIALS = 252,
	SAMPLE = 400, /* rows on which windows are compared */
};

struct window {
	int32_t low, range;
};

/* Steps from one row to the next. */
struct step {
	uint64_t advance;
	int32_t line;
};

/* How a step is written: `line` by opcode 3 when it is not 0, then one opcode that gives the row.
 */
struct plan {
	int32_t line;
	uint32_t special; /* 0: opcode 2 */
};

static const struct window windows[] = {
	{ -3, 7 }, { -4, 14 }, { -1, 4 }, { -10, 20 }, { 0, 8 }, { 0, 3 },
};

static int32_t line_step(uint32_t from, uint32_t to)
{
	return (int32_t)(to - from);
}

/*
 * Of the special opcodes that can make the advance, the one with a line step nearest to the step
 * that is wanted; the rest is for opcode 3.
 */
static struct plan plan_step(const struct window *w, const struct step *step)
{
	if (step->advance > (uint64_t)((SPECIALS - 1) / w->range))
		return (struct plan){ step->line, 0 };
	int32_t used = (int32_t)step->advance * w->range;
	int32_t left = SPECIALS - 1 - used;
	int32_t high = w->low + (left < w->range - 1 ? left : w->range - 1);
	int32_t line = step->line < w->low ? w->low : step->line > high ? high : step->line;
	struct plan plan = { (int32_t)((int64_t)step->line - line),
		             (uint32_t)(OPCODE_SPECIAL + used + line - w->low) };

	/* `2 advance` is shorter than `3 line` and a special opcode, if the line stays */
	if (step->line == 0 && plan.line != 0)
		return (struct plan){ 0, 0 };
	return plan;
}

static unsigned signed_size(int32_t value)
{
	uint32_t magnitude = (uint32_t)(value < 0 ? ~value : value);

	return 1u + (magnitude > 0x3f) + (magnitude > 0x1fff) + (magnitude > 0xfffff) +
	       (magnitude > 0x7ffffff);
}

static unsigned unsigned_size(uint64_t value)
{
	unsigned size = 1;

	for (; value > 0x7f; value >>= 7)
		size++;
	return size;
}

static unsigned cost(const struct window *w, const struct step *step)
{
	struct plan plan = plan_step(w, step);

	return (plan.line ? 1 + signed_size(plan.line) : 0) +
	       (plan.special ? 1 : 1 + unsigned_size(step->advance));
}

/* To a row from the one before it. */
static struct step step_to(const struct function_row *row)
{
	return (struct step){ row->va - row[-1].va, line_step(row[-1].line, row->line) };
}

/* Rows are sampled in pieces, for steps come in patterns. */
static size_t next_sampled(size_t i, size_t count)
{
	enum { PIECE = 50 };
	size_t skipped = count > SAMPLE ? count / SAMPLE * PIECE - PIECE : 0;

	return i % PIECE == 0 ? i + 1 + skipped : i + 1;
}

static struct window choose(const struct function_row *row, size_t count)
{
	enum { WINDOWS = sizeof(windows) / sizeof(windows[0]) };
	uint32_t sum[WINDOWS] = { 0 };
	size_t best = 0;

	for (size_t i = 1; i < count; i = next_sampled(i, count)) {
		struct step step = step_to(&row[i]);
		for (size_t w = 0; w < WINDOWS; w++)
			sum[w] += cost(&windows[w], &step);
	}
	for (size_t w = 1; w < WINDOWS; w++)
		if (sum[w] < sum[best])
			best = w;
	return windows[best];
}

static void write_step(struct gsym_draft *draft, const struct window *w, const struct step *step)
{
	struct plan plan = plan_step(w, step);

	if (plan.line != 0) {
		gsym_draft_u8(draft, OPCODE_LINE);
		gsym_draft_sleb(draft, plan.line);
	}
	if (plan.special != 0) {
		gsym_draft_u8(draft, (uint8_t)plan.special);
	} else {
		gsym_draft_u8(draft, OPCODE_ADVANCE);
		gsym_draft_uleb(draft, step->advance);
	}
}

/* Steps of the line by 0, `count` of them. */
static void write_marks(struct gsym_draft *draft, unsigned count)
{
	for (; count > 0; count--) {
		gsym_draft_u8(draft, OPCODE_LINE);
		gsym_draft_sleb(draft, 0);
	}
}

static bool needs_marks(const struct function_row *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!row[i].statement || row[i].prologue_end || row[i].apart ||
		    (i > 0 && row[i].va == row[i - 1].va))
			return true;
	return false;
}

void gsym_draft_lines(struct gsym_draft *draft, uint64_t start, const struct function_row *rows,
                      size_t count, bool statements)
{
	bool marked = statements && needs_marks(rows, count), statement = true;
	struct window w = choose(rows, count);
	struct step step = { rows[0].va - start, 0 };

	gsym_draft_sleb(draft, w.low);
	gsym_draft_sleb(draft, w.low + w.range - 1);
	gsym_draft_uleb(draft, rows[0].line);
	write_marks(draft, marked ? 2 : 0);
	for (size_t i = 0; i < count; i++) {
		if (marked)
			write_marks(draft, (rows[i].apart ? 4u : 0u) +
			                           (rows[i].prologue_end ? 2u : 0u) +
			                           (rows[i].statement != statement));
		statement = rows[i].statement;
		if (i > 0)
			step = step_to(&rows[i]);
		if (i == 0) {
			gsym_draft_first_file(draft, rows[0].file);
		} else if (rows[i].file != rows[i - 1].file) {
			gsym_draft_u8(draft, OPCODE_FILE);
			gsym_draft_file(draft, rows[i].file);
		}
		write_step(draft, &w, &step);
	}
	gsym_draft_u8(draft, OPCODE_END);
}
