/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes drafts of records. A draft consists of runs of final bytes; each run is preceded
 * by its length and followed by a 4-byte mark. A mark stands for a reference to a string or file:
 * its two highest bits select the kind of reference, the others are the caller's number. Lengths
 * and marks are in native byte order, because a draft never leaves the process.
 */
#include "write.h"

#include <string.h>

enum {
	LENGTH_SIZE = GSYM_RUN_LENGTH_SIZE,
	MARK_SIZE = 4,
	KIND_SHIFT = 30,
	FILE_AT_FIRST = 1, /* number of the file that applies at the start of a line table */
	OPCODE_END = 0,
	OPCODE_FILE = 1,
	OPCODE_ADVANCE = 2,
	OPCODE_LINE = 3,
	OPCODE_SPECIAL = 4,
};

static void begin_run(struct gsym_draft *draft)
{
	static const uint8_t length[LENGTH_SIZE];

	draft->run = draft->out.size;
	sink_bytes(&draft->out, length, LENGTH_SIZE);
}

static void end_run(struct gsym_draft *draft, enum gsym_mark mark, uint32_t number)
{
	uint32_t word = (uint32_t)mark << KIND_SHIFT | number;
	uint16_t length = (uint16_t)(draft->out.size - draft->run - LENGTH_SIZE);
	uint8_t bytes[MARK_SIZE];

	memcpy(bytes, &word, MARK_SIZE);
	sink_bytes(&draft->out, bytes, MARK_SIZE);
	if (sink_fits(&draft->out))
		memcpy(draft->out.data + draft->run, &length, LENGTH_SIZE);
}

/*
 * End the run with a mark and start the next run. Marks are frequent, so if the capacity suffices,
 * write the mark and the new run's length field in one step.
 */
static void gsym_draft_mark(struct gsym_draft *draft, enum gsym_mark mark, uint32_t number)
{
	enum { BOTH = MARK_SIZE + LENGTH_SIZE };
	const uint32_t word = (uint32_t)mark << KIND_SHIFT | number;
	const uint16_t length = (uint16_t)(draft->out.size - draft->run - LENGTH_SIZE);

	if (!sink_fits(&draft->out) || draft->out.capacity - draft->out.size < BOTH) {
		end_run(draft, mark, number);
		begin_run(draft);
		return;
	}
	uint8_t *at = draft->out.data + draft->out.size;
	memcpy(draft->out.data + draft->run, &length, LENGTH_SIZE);
	memcpy(at, &word, MARK_SIZE);
	memset(at + MARK_SIZE, 0, LENGTH_SIZE);
	draft->run = draft->out.size + MARK_SIZE;
	draft->out.size += BOTH;
}

struct gsym_draft gsym_draft(void *buffer, size_t capacity, bool big)
{
	struct gsym_draft draft = { .out = sink_open(buffer, capacity), .big = big };

	begin_run(&draft);
	return draft;
}

void gsym_draft_end(struct gsym_draft *draft)
{
	end_run(draft, GSYM_MARK_NONE, 0);
}

void gsym_draft_split(struct gsym_draft *draft)
{
	end_run(draft, GSYM_MARK_NONE, 0);
	begin_run(draft);
}

static void split_full_run(struct gsym_draft *draft)
{
	if (draft->out.size - draft->run > GSYM_RUN_MAX)
		gsym_draft_split(draft);
}

static void gsym_draft_fixed(struct gsym_draft *draft, uint64_t value, size_t width)
{
	split_full_run(draft);
	gsym_put(&draft->out, value, width, draft->big);
}

static void append_uleb(struct sink *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		sink_u8(out, (uint8_t)(value | 0x80));
	sink_u8(out, (uint8_t)value);
}

void gsym_draft_long_uleb(struct gsym_draft *draft, uint64_t value)
{
	split_full_run(draft);
	append_uleb(&draft->out, value);
}

void gsym_draft_long_sleb(struct gsym_draft *draft, int64_t value)
{
	split_full_run(draft);
	while (value < -0x40 || value > 0x3f) {
		sink_u8(&draft->out, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	sink_u8(&draft->out, (uint8_t)(value & 0x7f));
}

static struct cairn_bytes next_run(struct cairn_bytes draft, size_t *at, uint32_t *mark)
{
	uint16_t length;

	memcpy(&length, draft.data + *at, LENGTH_SIZE);
	struct cairn_bytes run = { draft.data + *at + LENGTH_SIZE, length };
	memcpy(mark, run.data + run.size, MARK_SIZE);
	*at += LENGTH_SIZE + run.size + MARK_SIZE;
	return run;
}

/* Return the encoded size of a file reference. `number` is the file's number in the output. */
static inline unsigned measure_file(enum gsym_mark mark, uint32_t number)
{
	unsigned size = 1 + (mark == GSYM_MARK_FIRST_FILE);

	if (mark == GSYM_MARK_FIRST_FILE && number == FILE_AT_FIRST)
		return 0;
	for (; number > 0x7f; number >>= 7)
		size++;
	return size;
}

bool gsym_measure_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers, size_t *at,
                        uint64_t *size, enum gsym_mark *mark, uint32_t *number)
{
	uint64_t sum = 0;
	uint32_t word;
	bool known = true;

	while (known && *at < draft.size) {
		size_t next = *at;
		const size_t run = next_run(draft, &next, &word).size;
		*mark = (enum gsym_mark)(word >> KIND_SHIFT);
		*number = word & (GSYM_DRAFT_NUMBERS - 1);
		unsigned marked = 0;
		if (*mark == GSYM_MARK_STRING) {
			known = numbers->strings[*number] != GSYM_STRING_UNNUMBERED;
			marked = numbers->strp_size;
		} else if (*mark != GSYM_MARK_NONE) {
			known = numbers->files[*number] != GSYM_FILE_UNNUMBERED;
			marked = measure_file(*mark, numbers->files[*number]);
		}
		if (known) {
			sum += run + marked;
			*at = next;
		}
	}
	*size += sum;
	return !known;
}

static void append_first_file(struct sink *out, uint32_t file)
{
	if (file == FILE_AT_FIRST)
		return;
	sink_u8(out, OPCODE_FILE);
	append_uleb(out, file);
}

/*
 * Append a run. Runs of 8 to 16 bytes are frequent, so copy them with two overlapping moves instead
 * of a call to memcpy().
 */
static inline void append_run(struct sink *out, struct cairn_bytes run)
{
	enum { HALF = 8 };

	if (run.size < HALF || run.size > 2 * HALF || !sink_fits(out) ||
	    run.size > out->capacity - out->size) {
		sink_bytes(out, run.data, run.size);
		return;
	}
	uint8_t *to = out->data + out->size;
	memcpy(to, run.data, HALF);
	memcpy(to + run.size - HALF, run.data + run.size - HALF, HALF);
	out->size += run.size;
}

void gsym_resolve_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers,
                        struct sink *out)
{
	uint32_t word;

	for (size_t at = 0; at < draft.size;) {
		struct cairn_bytes run = next_run(draft, &at, &word);
		uint32_t number = word & (GSYM_DRAFT_NUMBERS - 1);
		append_run(out, run);
		switch ((enum gsym_mark)(word >> KIND_SHIFT)) {
		case GSYM_MARK_NONE:
			break;
		case GSYM_MARK_STRING:
			gsym_put(out, numbers->strings[number], numbers->strp_size, numbers->big);
			break;
		case GSYM_MARK_FILE:
			append_uleb(out, numbers->files[number]);
			break;
		case GSYM_MARK_FIRST_FILE:
			append_first_file(out, numbers->files[number]);
			break;
		}
	}
}

void gsym_put(struct sink *out, uint64_t value, size_t width, bool big)
{
	uint8_t bytes[8];

	if (width == 4 && !big) {
		sink_little(out, value, 4);
		return;
	}
	for (size_t i = 0; i < width; i++)
		bytes[big ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
	sink_bytes(out, bytes, width);
}

/*
 * Writes the line table of one function compactly. The grammar is in lines.c.
 *
 * A row takes one byte if its line step is in the window [low, low + range) and its address step is
 * small enough for the remaining special opcodes. Otherwise AdvanceLine (opcode 3) first brings the
 * line into the window, which takes at least two more bytes, or AdvancePC (opcode 2) emits the row
 * if the address step is too large for any special opcode. The best window differs between
 * functions, because narrow windows allow larger address steps. So several fixed windows are tried,
 * on a sample of the rows for long functions. The winner is then compared on all rows with the
 * window that contains most of the steps.
 */

enum {
	SPECIALS = 252,
	SAMPLE = 400,
};

struct step {
	uint64_t advance;
	int32_t line;
};

/*
 * Encoding of a step: AdvanceLine (opcode 3) by `line` unless `line` is 0, then one opcode that
 * emits the row.
 */
struct plan {
	int32_t line;
	/* special opcode that emits the row, or 0 to emit it with AdvancePC (opcode 2) */
	uint32_t special;
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
	/* if all steps are equal, extend the window down to 0 unless that makes it too wide */
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
 * Return the encoding of a step. Among the special opcodes with the right address advance, use the
 * one whose line step is closest to the wanted step; opcode 3 supplies the difference.
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

/* Return the encoded size of a step that uses opcode 2, which does not depend on the window. */
static unsigned compute_cost_apart(const struct step *step)
{
	return (step->line ? 1 + signed_size(step->line) : 0) + 1 + unsigned_size(step->advance);
}

/*
 * Return the size of the encoding that plan_step() would choose. `apart` is the size of the
 * encoding with opcode 2.
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
 * Return the index of the row after row `i` in the sample. The sample consists of runs of adjacent
 * rows, because steps follow patterns.
 */
static size_t next_sampled(size_t i, size_t count)
{
	enum { PIECE = 50 };
	size_t skipped = count > SAMPLE ? count / SAMPLE * PIECE - PIECE : 0;

	return i % PIECE == 0 ? i + 1 + skipped : i + 1;
}

enum {
	WINDOWS = sizeof(windows) / sizeof(windows[0]),
	LANE = 10, /* number of bits per window in a word that packs the costs in all windows */
	/*
	 * maximum number of rows whose total cost fits into LANE bits; each cached cost is below 8
	 */
	LANE_ROWS = 1 << 7,
	/*
	 * smallest line step that is far from every window, so that the difference takes two bytes
	 */
	FAR_LEAST = 80,
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

/* Return the column in the cache for a line step, or GSYM_KNOWN_LINES if the step is not cached. */
static inline unsigned find_known_line(int32_t line)
{
	if (line >= -GSYM_NEAR_LINES / 2 && line < GSYM_NEAR_LINES / 2)
		return (unsigned)(line + GSYM_NEAR_LINES / 2);
	if (line >= FAR_LEAST && line <= FAR_MOST)
		return GSYM_NEAR_LINES;
	return line <= -FAR_LEAST && line >= -FAR_MOST ? GSYM_NEAR_LINES + 1 : GSYM_KNOWN_LINES;
}

/* Return the packed costs of a step in all windows, or 0 if the step is not cached. */
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
 * Add the costs of at most LANE_ROWS steps, starting at row *at, to the sum of each window. Advance
 * *at and return the number of steps.
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
	 * gsym_least_cost(1) is exact for these windows: each bound takes one byte, and so does the
	 * first row, because its line step of 0 lies in every window.
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
 * Write a step as one special opcode. Return false if the step needs more than that. `furthest` is
 * the largest address step that special opcodes can express.
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

/*
 * Writes inline trees, call sites and columns. The grammars are in inline.c, function.c and
 * lookup.c.
 */

enum { END_OF_SIBLINGS = 0 };

/*
 * Write the ranges of a node. Unless `mark` is NULL, add an empty range that starts at *mark. The
 * empty range must be the last one, because children are relative to the first range.
 */
static void put_ranges(struct gsym_draft *draft, const struct cairn_range *range, uint32_t count,
                       uint64_t base, const uint64_t *mark)
{
	gsym_draft_uleb(draft, count + (mark ? 1u : 0u));
	for (uint32_t i = 0; i < count; i++) {
		gsym_draft_uleb(draft, range[i].low - base);
		gsym_draft_uleb(draft, range[i].high - range[i].low);
	}
	if (mark) {
		gsym_draft_uleb(draft, *mark - base);
		gsym_draft_uleb(draft, 0);
	}
}

/*
 * Return true if the call's entry address is known and differs from the start of its first range.
 */
static bool has_mark(const struct function *function, const struct function_inline *call)
{
	return function->statements && call->entry != 0 &&
	       call->entry != function->range[call->range].low;
}

static void put_place(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function_inline *call)
{
	if (call->call_file == 0)
		gsym_draft_uleb(draft, 0);
	else
		gsym_draft_mark(draft, GSYM_MARK_FILE, names->files[call->call_file]);
	gsym_draft_uleb(draft, call->call_line);
}

/*
 * Advance *i to the next call, skipping those nested too deeply to be written. Return its depth, or
 * 0 at the end.
 */
static uint32_t next_depth(const struct function *function, size_t *i)
{
	while (++*i < function->inline_count)
		if (function->inlines[*i].depth <= GSYM_WRITE_LEVELS)
			return function->inlines[*i].depth;
	return 0;
}

/*
 * Return the size of the root's range. If the function's size is unknown, use the end of the last
 * inlined call.
 */
static uint64_t root_size(const struct function *function)
{
	uint64_t size = function->size;

	for (size_t i = 0; function->size == 0 && i < function->inline_count; i++) {
		const struct function_inline *call = &function->inlines[i];
		const struct cairn_range *last = &function->range[call->range + call->ranges - 1];
		uint64_t end = last->high - function->start;
		size = end > size ? end : size;
	}
	return size;
}

static void put_root(struct gsym_draft *draft, const struct gsym_draft_names *names,
                     const struct function *function)
{
	struct cairn_range all = { function->start, function->start + root_size(function) };

	put_ranges(draft, &all, 1, function->start, function->parted ? &function->start : NULL);
	gsym_draft_u8(draft, 1);
	gsym_draft_mark(draft, GSYM_MARK_STRING, names->name);
	gsym_draft_uleb(draft, 0);
	gsym_draft_uleb(draft, 0);
}

void gsym_draft_inlines(struct gsym_draft *draft, const struct gsym_draft_names *names,
                        const struct function *function)
{
	/* start of the first range of the current node at each depth */
	uint64_t first[GSYM_WRITE_LEVELS + 1] = { function->start };
	uint32_t depth = 1;

	put_root(draft, names, function);
	for (size_t i = 0; depth > 0;) {
		const struct function_inline *call = &function->inlines[i];
		const struct cairn_range *range = &function->range[call->range];
		uint32_t number = names->inlines[i];
		uint32_t next = next_depth(function, &i);
		put_ranges(draft, range, call->ranges, first[depth - 1],
		           has_mark(function, call) ? &call->entry : NULL);
		gsym_draft_u8(draft, next > depth);
		gsym_draft_mark(draft, GSYM_MARK_STRING, number);
		put_place(draft, names, call);
		first[depth] = range->low;
		for (; depth > next; depth--)
			gsym_draft_uleb(draft, END_OF_SIBLINGS);
		depth = next;
	}
}

/*
 * Return true if the column changes at row `i`. If several rows have the same address, only the
 * last one counts.
 */
static bool starts_column(const struct function *function, size_t i, uint32_t before)
{
	const struct function_row *row = &function->rows[i];

	return row->column != before && (i + 1 == function->row_count || row[1].va != row->va);
}

void gsym_draft_columns(struct gsym_draft *draft, const struct function *function)
{
	uint64_t count = 0, at = function->start;
	uint32_t column = 0;

	for (size_t i = 0; i < function->row_count; i++)
		if (starts_column(function, i, column)) {
			column = function->rows[i].column;
			count++;
		}
	gsym_draft_uleb(draft, count);
	column = 0;
	for (size_t i = 0; i < function->row_count; i++)
		if (starts_column(function, i, column)) {
			column = function->rows[i].column;
			gsym_draft_uleb(draft, function->rows[i].va - at);
			gsym_draft_uleb(draft, column);
			at = function->rows[i].va;
		}
	for (size_t i = 0; i < function->inline_count; i++)
		if (function->inlines[i].depth <= GSYM_WRITE_LEVELS)
			gsym_draft_uleb(draft, function->inlines[i].call_column);
}

void gsym_draft_calls(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function *function)
{
	size_t callee = 0;

	gsym_draft_fixed(draft, function->call_count, 4);
	for (size_t i = 0; i < function->call_count; i++) {
		const struct function_call *call = &function->calls[i];
		gsym_draft_fixed(draft, call->return_offset, 8);
		gsym_draft_u8(draft, call->flags);
		gsym_draft_fixed(draft, call->callees, 4);
		for (uint32_t j = 0; j < call->callees; j++)
			gsym_draft_mark(draft, GSYM_MARK_STRING, names->callees[callee++]);
	}
}

/*
 * Writes the header and tables, in the order that all producers use:
 *
 *	version 1:  header  addresses  infos  files  strings  records
 *	version 2:  header  directory  uuid  addresses  infos  files  strings  records
 */

enum {
	ENTRY_SIZE = 20,
	NO_ENCODING = 0, /* string encoding field in the header: NUL-terminated strings */
	RECORD_ALIGN = 4,
};

unsigned gsym_address_size(uint64_t largest)
{
	if (largest >> 8 == 0)
		return 1;
	if (largest >> 16 == 0)
		return 2;
	return largest >> 32 == 0 ? 4 : 8;
}

static uint64_t align_table_offset(uint64_t offset, uint64_t to)
{
	return (offset + to - 1) & ~(to - 1);
}

static uint64_t compute_head_size(const struct gsym_layout *layout)
{
	uint64_t entries = layout->uuid.size ? GSYM_SECTIONS : GSYM_SECTIONS - 1;

	if (layout->version == 1)
		return GSYM_HEADER_V1;
	return GSYM_HEADER_V2 + entries * ENTRY_SIZE + layout->uuid.size;
}

bool gsym_lay_out(struct gsym_layout *layout)
{
	uint64_t wide = layout->version == 1 ? 4 : 8;
	uint64_t count = layout->functions;

	layout->addresses_at = align_table_offset(compute_head_size(layout), layout->address_size);
	layout->infos_at =
		align_table_offset(layout->addresses_at + count * layout->address_size, wide);
	layout->files_at = layout->infos_at + count * wide;
	layout->strings_at = layout->files_at + 4 + 2 * wide * layout->files;
	layout->records_at =
		align_table_offset(layout->strings_at + layout->strings_size, RECORD_ALIGN);
	layout->size = layout->records_at + layout->records_size;
	return layout->version != 1 ||
	       (layout->size <= UINT32_MAX && layout->uuid.size <= GSYM_UUID_MAX_V1);
}

void gsym_put_padding(struct sink *out, uint64_t offset)
{
	while (out->size < offset)
		sink_u8(out, 0);
}

static void write_header_v1(const struct gsym_layout *layout, struct sink *out)
{
	gsym_put(out, layout->strings_at, 4, layout->big);
	gsym_put(out, layout->strings_size, 4, layout->big);
	sink_bytes(out, layout->uuid.data, layout->uuid.size);
	gsym_put_padding(out, GSYM_HEADER_V1);
}

static void write_directory_entry(const struct gsym_layout *layout, struct sink *out, uint32_t type,
                                  uint64_t offset, uint64_t size)
{
	gsym_put(out, type, 4, layout->big);
	gsym_put(out, offset, 8, layout->big);
	gsym_put(out, size, 8, layout->big);
}

static void write_directory(const struct gsym_layout *l, struct sink *out)
{
	uint64_t uuid_at = compute_head_size(l) - l->uuid.size;

	if (l->uuid.size)
		write_directory_entry(l, out, GSYM_SECTION_UUID, uuid_at, l->uuid.size);
	write_directory_entry(l, out, GSYM_SECTION_ADDRESSES, l->addresses_at,
	                      (uint64_t)l->functions * l->address_size);
	write_directory_entry(l, out, GSYM_SECTION_INFOS, l->infos_at, (uint64_t)l->functions * 8);
	write_directory_entry(l, out, GSYM_SECTION_FILES, l->files_at, l->strings_at - l->files_at);
	write_directory_entry(l, out, GSYM_SECTION_STRINGS, l->strings_at, l->strings_size);
	write_directory_entry(l, out, GSYM_SECTION_RECORDS, l->records_at, l->records_size);
	write_directory_entry(l, out, GSYM_SECTION_END, 0, 0);
	sink_bytes(out, l->uuid.data, l->uuid.size);
}

void gsym_put_head(const struct gsym_layout *layout, struct sink *out)
{
	uint8_t fourth = layout->version == 1 ? (uint8_t)layout->uuid.size : NO_ENCODING;

	gsym_put(out, GSYM_MAGIC, 4, layout->big);
	gsym_put(out, layout->version, 2, layout->big);
	sink_u8(out, (uint8_t)layout->address_size);
	sink_u8(out, fourth);
	gsym_put(out, layout->base, 8, layout->big);
	gsym_put(out, layout->functions, 4, layout->big);
	if (layout->version == 1)
		write_header_v1(layout, out);
	else
		write_directory(layout, out);
	gsym_put_padding(out, layout->addresses_at);
}
