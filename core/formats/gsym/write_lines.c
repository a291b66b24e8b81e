/* SPDX-License-Identifier: MIT */
/*
 * Writes the line table of one function compactly. The grammar is in lines.c.
 *
 * A row takes one byte if its line step is in the window [low, low + range) and its address step is
 * small enough for the remaining special opcodes. Otherwise opcode 3 first brings the line into the
 * window, which takes at least two more bytes, or opcode 2 ends the row if the address step is too
 * large for any special opcode. The best window differs between functions, because narrow windows
 * allow larger address steps. So several fixed windows are tried, on a sample of the rows for long
 * functions. The best one is then compared on all rows with the window that contains most of the
 * steps.
 */
#include "write.h"

enum {
	OPCODE_END = 0,
	OPCODE_FILE = 1,
	OPCODE_ADVANCE = 2,
	OPCODE_LINE = 3,
	OPCODE_SPECIAL = 4,
	SPECIALS = 252,
	SAMPLE = 400, /* number of rows used to compare windows */
};

struct step {
	uint64_t advance;
	int32_t line;
};

/* Encoding of a step: opcode 3 by `line` if that is not 0, then one opcode that emits the row. */
struct plan {
	int32_t line;
	uint32_t special; /* 0 selects opcode 2 */
};

static const struct gsym_window windows[] = {
	{ -3, 7 }, { -4, 14 }, { -1, 4 }, { -10, 20 }, { 0, 8 }, { 0, 3 },
};

struct gsym_window gsym_common_window(const int32_t *steps, size_t count)
{
	enum { WIDEST = 15 };
	struct gsym_window window = { 0, 1 };
	size_t first = 0, most = 0;

	for (size_t end = 0, i = 0; i < count; i++) {
		while (end < count && (int64_t)steps[end] - steps[i] < WIDEST)
			end++;
		if (end - i > most && (i == 0 || steps[i - 1] != steps[i])) {
			first = i;
			most = end - i;
		}
	}
	if (most == 0)
		return window;
	window.low = steps[first];
	window.range = steps[first + most - 1] - window.low + 1;
	/* if all steps are equal, start the window at 0, unless that is too far */
	if (window.range == 1 && window.low > 0 && window.low < WIDEST - 1)
		window = (struct gsym_window){ 0, window.low + 1 };
	return window;
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

static unsigned compute_plan_cost(const struct plan *plan, const struct step *step)
{
	return (plan->line ? 1 + signed_size(plan->line) : 0) +
	       (plan->special ? 1 : 1 + unsigned_size(step->advance));
}

/*
 * Return the encoding with the special opcode whose line step is nearest to the wanted step, among
 * the opcodes with the right advance. Opcode 3 supplies the rest.
 */
static struct plan plan_step(const struct gsym_window *w, const struct step *step)
{
	if (step->advance > (uint64_t)((SPECIALS - 1) / w->range))
		return (struct plan){ step->line, 0 };
	int32_t used = (int32_t)step->advance * w->range;
	int32_t left = SPECIALS - 1 - used;
	int32_t high = w->low + (left < w->range - 1 ? left : w->range - 1);
	int32_t line = step->line < w->low ? w->low : step->line > high ? high : step->line;
	struct plan plan = { (int32_t)((int64_t)step->line - line),
		             (uint32_t)(OPCODE_SPECIAL + used + (line - w->low)) };

	if (plan.line == 0)
		return plan;
	/*
	 * opcode 2 may be shorter than a special opcode if the line does not change or is far from
	 * the window
	 */
	struct plan apart = { step->line, 0 };
	return compute_plan_cost(&apart, step) < compute_plan_cost(&plan, step) ? apart : plan;
}

/* Return the cost of a step without a special opcode, which does not depend on the window. */
static unsigned compute_cost_apart(const struct step *step)
{
	return (step->line ? 1 + signed_size(step->line) : 0) + 1 + unsigned_size(step->advance);
}

/*
 * Return the cost of the encoding that plan_step() chooses. `apart` is the cost without a special
 * opcode.
 */
static inline unsigned compute_step_cost(const struct gsym_window *w, const struct step *step,
                                         unsigned apart)
{
	int32_t left = SPECIALS - 1 - (int32_t)(step->advance & 0xff) * w->range;

	if (step->advance >= SPECIALS || left < 0)
		return apart;
	int32_t high = left < w->range - 1 ? left : w->range - 1;
	int64_t line = (int64_t)step->line - w->low;
	if (line >= 0 && line <= high)
		return 1;
	unsigned with_line = 2 + signed_size((int32_t)(line < 0 ? line : line - high));
	return with_line <= apart ? with_line : apart;
}

static struct step step_to(const struct function_row *row)
{
	return (struct step){ row->va - row[-1].va, gsym_line_step(row - 1, row) };
}

/*
 * Return the index of the next sampled row. Samples are runs of rows, because steps come in
 * patterns.
 */
static size_t next_sampled(size_t i, size_t count)
{
	enum { PIECE = 50 };
	size_t skipped = count > SAMPLE ? count / SAMPLE * PIECE - PIECE : 0;

	return i % PIECE == 0 ? i + 1 + skipped : i + 1;
}

enum {
	WINDOWS = sizeof(windows) / sizeof(windows[0]),
	LANE = 10, /* bits per window in a word of packed costs */
	/* number of rows whose costs fit into a lane, because cached costs are below 8 */
	LANE_ROWS = 1 << 7,
	FAR_LEAST = 80, /* smallest line step that takes two bytes from any line of a window */
	FAR_MOST = 8000,
};

static uint64_t pack_costs(const struct step *step)
{
	unsigned apart = compute_cost_apart(step);
	uint64_t packed = 0;

	for (size_t w = 0; w < WINDOWS; w++)
		packed |= (uint64_t)compute_step_cost(&windows[w], step, apart) << LANE * w;
	return packed;
}

/* Return the column of a line step in the cache, or GSYM_KNOWN_LINES if it is not cached. */
static inline unsigned find_known_line(int32_t line)
{
	if (line >= -GSYM_NEAR_LINES / 2 && line < GSYM_NEAR_LINES / 2)
		return (unsigned)(line + GSYM_NEAR_LINES / 2);
	if (line >= FAR_LEAST && line <= FAR_MOST)
		return GSYM_NEAR_LINES;
	return line <= -FAR_LEAST && line >= -FAR_MOST ? GSYM_NEAR_LINES + 1 : GSYM_KNOWN_LINES;
}

/* Return the packed costs of a step in all windows, or 0 if they are not cached. */
static inline uint64_t look_up_costs(struct gsym_step_costs *known, const struct step *step)
{
	unsigned line = find_known_line(step->line);

	if (step->advance >= GSYM_KNOWN_ADVANCES || line == GSYM_KNOWN_LINES)
		return 0;
	uint64_t *packed = &known->packed[step->advance][line];
	if (*packed == 0)
		*packed = pack_costs(step);
	return *packed;
}

/*
 * Add the costs of up to LANE_ROWS steps from row *at in each window. Return the number of steps.
 */
static size_t add_costs(const struct function_row *row, size_t count, size_t *at,
                        struct gsym_step_costs *known, uint32_t sum[WINDOWS])
{
	uint64_t packed = 0;
	size_t steps = 0, i = *at;

	for (; i < count && steps < LANE_ROWS; i = next_sampled(i, count), steps++) {
		struct step step = step_to(&row[i]);
		uint64_t costs = look_up_costs(known, &step);
		packed += costs;
		if (costs > 0)
			continue;
		unsigned apart = compute_cost_apart(&step);
		for (size_t w = 0; w < WINDOWS; w++)
			sum[w] += compute_step_cost(&windows[w], &step, apart);
	}
	for (size_t w = 0; w < WINDOWS; w++)
		sum[w] += (uint32_t)(packed >> LANE * w & ((1u << LANE) - 1));
	*at = i;
	return steps;
}

uint64_t gsym_usual_window(const struct function_row *row, size_t count,
                           struct gsym_step_costs *known, struct gsym_window *window)
{
	uint32_t sum[WINDOWS] = { 0 };
	size_t best = 0, steps = 0;

	for (size_t i = 1; i < count;)
		steps += add_costs(row, count, &i, known, sum);
	for (size_t w = 1; w < WINDOWS; w++)
		if (sum[w] < sum[best])
			best = w;
	*window = windows[best];
	/*
	 * The ends of these windows take one byte each, and so does the first row, because 0 is in
	 * all windows.
	 */
	return steps + 1 >= count ? gsym_least_cost(1) + sum[best] : 0;
}

uint64_t gsym_window_cost(const struct gsym_window *window, const struct function_row *row,
                          size_t count)
{
	const struct step first = { 0, 0 };
	const struct gsym_window w = *window;
	uint64_t sum = signed_size(w.low) + signed_size(w.low + (w.range - 1)) +
	               compute_step_cost(&w, &first, compute_cost_apart(&first));

	for (size_t i = 1; i < count; i++) {
		struct step step = step_to(&row[i]);
		sum += compute_step_cost(&w, &step, compute_cost_apart(&step));
	}
	return sum;
}

/*
 * Write a step as one special opcode if possible. `furthest` is the largest address step that
 * special opcodes can express.
 */
static inline bool write_special(struct gsym_draft *draft, const struct gsym_window *w,
                                 uint64_t furthest, const struct step *step)
{
	int64_t line = (int64_t)step->line - w->low;

	if (step->advance > furthest || line < 0 || line >= w->range)
		return false;
	int64_t special = (int64_t)step->advance * w->range + line;
	if (special >= SPECIALS)
		return false;
	gsym_draft_u8(draft, (uint8_t)(OPCODE_SPECIAL + special));
	return true;
}

static void write_step(struct gsym_draft *draft, const struct gsym_window *w,
                       const struct step *step)
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

/* Write `count` line steps of 0. */
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
		    (i > 0 && row[i].va == row[i - 1].va) ||
		    (i > 0 && row[i].line == row[i - 1].line && row[i].file == row[i - 1].file))
			return true;
	return false;
}

void gsym_draft_lines(struct gsym_draft *draft, uint64_t start, const struct function_row *rows,
                      size_t count, bool statements, const struct gsym_window *window)
{
	bool marked = statements && needs_marks(rows, count), statement = true;
	const struct gsym_window w = *window;
	uint64_t furthest = (uint64_t)((SPECIALS - 1) / w.range);
	struct step step = { rows[0].va - start, 0 };

	gsym_draft_sleb(draft, w.low);
	gsym_draft_sleb(draft, w.low + (w.range - 1));
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
			gsym_draft_mark(draft, GSYM_MARK_FIRST_FILE, rows[0].file);
		} else if (rows[i].file != rows[i - 1].file) {
			gsym_draft_u8(draft, OPCODE_FILE);
			gsym_draft_mark(draft, GSYM_MARK_FILE, rows[i].file);
		}
		if (!write_special(draft, &w, furthest, &step))
			write_step(draft, &w, &step);
	}
	gsym_draft_u8(draft, OPCODE_END);
}
