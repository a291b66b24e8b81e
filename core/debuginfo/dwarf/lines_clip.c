/* SPDX-License-Identifier: MIT */
/* Selects the rows of an address range from the sequences of a line table. */
#include "lines_parts.h"

#include "base/bisect.h"

/* Code that was folded is in a few sequences.  More are made by damage, and cost time. */
enum {
	LOOK_SEQUENCES = 64, /* that hold one address */
	LOOK_BACK = 1024,    /* that begin before it */
	LOOK_ROWS = 1024,    /* of one sequence */
};

/* The first sequence that begins after `va`. */
static size_t find_sequence_after(const struct lines *lines, uint64_t va)
{
	return SORTED_UP_TO(lines->sequence, lines->sequences, low, va);
}

/* Does the line of the declaration begin the sequence?  *looked grows by the rows that were read. */
static bool has_declaration_line(const struct lines *lines, const struct lines_sequence *s,
                                 const struct lines_hint *hint, uint64_t *looked)
{
	const struct function_row *row = &lines->row[s->first];

	for (size_t i = 0; hint->line && i < s->count && i < LOOK_ROWS; i++, ++*looked)
		if (row[i].line == hint->line && row[i].file == hint->file)
			return true;
	return false;
}

/* The sequences that hold `va`, those of the program's end first; no more than there is room for. */
static size_t collect_sequences(const struct lines *lines, uint64_t va,
                                const struct lines_sequence *found[LOOK_SEQUENCES],
                                uint64_t *looked)
{
	size_t count = 0;

	for (size_t i = find_sequence_after(lines, va); i-- > 0 && lines->sequence[i].reach > va;) {
		if (count == LOOK_SEQUENCES || ++*looked > LOOK_BACK)
			break;
		if (lines->sequence[i].high > va)
			found[count++] = &lines->sequence[i];
	}
	return count;
}

/*
 * The sequence for `va`: the one that the function names, else one with the line of its
 * declaration, else the first of the program.  NULL when there is none, or the budget is used up.
 */
static const struct lines_sequence *choose_sequence(const struct lines *lines, uint64_t va,
                                                    const struct lines_hint *hint)
{
	const struct lines_sequence *found[LOOK_SEQUENCES], *first, *declared = NULL;
	uint64_t looked = 0;
	size_t count = collect_sequences(lines, va, found, &looked);

	first = count > 0 ? found[0] : NULL;
	for (size_t i = 0; count > 1 && i < count; i++) {
		const struct lines_sequence *s = found[i];
		if (hint->has_sequence && s->offset == hint->sequence)
			return s;
		if (s->order < first->order)
			first = s;
		if ((!declared || s->order < declared->order) &&
		    has_declaration_line(lines, s, hint, &looked))
			declared = s;
	}
	if (!budget_work(lines->budget, looked))
		return NULL;
	return declared ? declared : first;
}

static bool append_cut_row(struct lines *lines, size_t *count, struct function_row row)
{
	if (!budget_work(lines->budget, 1))
		return false;
	if (lines_repeats_last_row(lines, lines->cut, *count, &row))
		return true;
	if (!budget_room(lines->budget, &lines->cut, &lines->cut_room, *count + 1, sizeof(row)))
		return false;
	lines->cut[(*count)++] = row;
	return true;
}

/* The first row at `va`, which the sequence holds, or the last one before it. */
static size_t find_row_at(const struct lines *lines, const struct lines_sequence *s, uint64_t va)
{
	const size_t before = SORTED_UP_TO(lines->row + s->first, s->count, va, va);
	size_t low = s->first + (before > 0 ? before - 1 : 0);

	while (low > s->first && lines->row[low].va == va && lines->row[low - 1].va == va)
		low--;
	return low;
}

static bool cut_sequence(struct lines *lines, const struct lines_sequence *s,
                         struct cairn_range range, size_t *count)
{
	size_t end = s->first + s->count;

	for (size_t i = find_row_at(lines, s, range.low); i < end; i++) {
		struct function_row row = lines->row[i];
		if (row.va >= range.high)
			break;
		if (row.va < range.low)
			row.va = range.low;
		if (!append_cut_row(lines, count, row))
			return false;
	}
	return true;
}

/* Are all rows of the range in one sequence, one of them at its start?  Then they need not be copied. */
static bool find_whole_rows(const struct lines *lines, const struct lines_sequence *s,
                            struct cairn_range range, struct lines_cut *cut)
{
	if (lines->every_row || s->high < range.high)
		return false;
	size_t first = find_row_at(lines, s, range.low), end = s->first + s->count, i = first + 1;
	if (lines->row[first].va != range.low)
		return false;
	while (i < end && lines->row[i].va < range.high)
		i++;
	*cut = (struct lines_cut){ lines->row + first, i - first };
	return true;
}

static bool join_sequences(struct lines *lines, struct cairn_range range,
                           const struct lines_hint *hint, struct lines_cut *cut)
{
	size_t used = 0;
	bool any = false;

	for (uint64_t at = range.low; at < range.high;) {
		const struct lines_sequence *s = choose_sequence(lines, at, hint);
		size_t next = find_sequence_after(lines, at);
		uint64_t end = next < lines->sequences ? lines->sequence[next].low : range.high;
		struct function_row gap = { .va = at };
		if (s)
			end = s->high;
		if (end > range.high)
			end = range.high;
		any = any || s;
		if (s ? !cut_sequence(lines, s, (struct cairn_range){ at, end }, &used)
		      : !append_cut_row(lines, &used, gap))
			return false;
		at = end;
	}
	*cut = (struct lines_cut){ lines->cut, any ? used : 0 };
	return true;
}

/* May there be rows of the range that were passed over? */
static bool lacks_rows(const struct lines *lines, struct cairn_range range)
{
	size_t looked = 0;

	if (lines->passed == 0 || range.low >= range.high)
		return false;
	for (size_t i = find_sequence_after(lines, range.high - 1); i-- > 0; looked++) {
		const struct lines_sequence *s = &lines->sequence[i];
		if (looked == LOOK_BACK)
			return true;
		if (s->reach <= range.low)
			return false;
		if (s->count == 0 && s->high > range.low)
			return true;
	}
	return false;
}

bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *hint,
                struct lines_cut *cut)
{
	if (lacks_rows(lines, range) && !lines_read_all(lines))
		return false;
	const struct lines_sequence *s =
		range.low < range.high ? choose_sequence(lines, range.low, hint) : NULL;

	if (s && find_whole_rows(lines, s, range, cut))
		return budget_work(lines->budget, cut->count);
	return join_sequences(lines, range, hint, cut);
}
