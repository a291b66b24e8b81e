/* SPDX-License-Identifier: MIT */
/*
 * Which function each byte of code belongs to.  Functions are gone through by
 * their starts; those that have begun and not ended are on a stack, and the top
 * one has the code up to the next start.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"

#include <stdlib.h>

/*
 * Two pieces of code with more than this between them may have something else
 * there, such as the PLT, which debuggers know by its section: then the section
 * of code ends in between.
 */
enum { GAP = 32 };

/*
 * _init and _fini come without a size from every C library's start-up files,
 * are no longer than this, and the PLT may be after either.
 */
enum { STARTUP_SIZE = 32 };

static int compare_functions_by_start(const void *left, const void *right)
{
	const struct elf_writer_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if ((a->rows > 0) != (b->rows > 0))
		return a->rows > 0 ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static bool is_sorted(const struct elf_writer *w)
{
	for (size_t i = 1; i < w->functions; i++)
		if (compare_functions_by_start(&w->function[i - 1], &w->function[i]) > 0)
			return false;
	return true;
}

static void sort_object_functions(struct elf_writer *w)
{
	if (!is_sorted(w))
		qsort(w->function, w->functions, sizeof(*w->function), compare_functions_by_start);
}

/* The last address that its rows and calls mention. */
static uint64_t last_known(const struct elf_writer *w, const struct elf_writer_function *f)
{
	struct elf_writer_rows rows = elf_writer_rows(w, f);

	while (elf_writer_next_row(&rows))
		continue;
	return rows.va;
}

/* One without a size reaches to the next start, the last to the end of what is
 * kept, if known. */
static void find_ends(struct elf_writer *w)
{
	uint64_t next = w->options.keep.high;
	bool changed = false;

	for (size_t i = w->functions; i-- > 0;) {
		struct elf_writer_function *f = &w->function[i];
		if (i + 1 < w->functions && w->function[i + 1].start != f->start)
			next = w->function[i + 1].start;
		if (f->end != 0)
			continue;
		f->end = next > f->start ? next : last_known(w, f) + 1;
		const struct cairn_bytes name = interner_text(&w->names, f->name);
		if (f->end - f->start > STARTUP_SIZE &&
		    (bytes_are(name, "_init") || bytes_are(name, "_fini")))
			f->end = f->start + STARTUP_SIZE;
		changed = true;
	}
	if (changed)
		sort_object_functions(w);
}

struct sweep {
	struct elf_writer *w;
	size_t *open; /* indices of functions */
	size_t depth;
	uint64_t at; /* up to here all is given away */
	size_t room;
	bool failed;
};

static void append_object_piece(struct sweep *s, size_t function, uint64_t high)
{
	struct elf_writer *w = s->w;

	if (!array_grow(&w->piece, &s->room, w->pieces + 1, sizeof(*w->piece))) {
		s->failed = true;
		return;
	}
	w->piece[w->pieces++] = (struct elf_writer_piece){ { s->at, high }, function };
	w->function[function].pieces++;
	s->at = high;
}

/* Give everything below `until` to those that are open. */
static void sweep_to(struct sweep *s, uint64_t until)
{
	while (s->depth > 0 && s->at < until && !s->failed) {
		size_t top = s->open[s->depth - 1];
		uint64_t end = s->w->function[top].end;
		if (end <= s->at)
			s->depth--;
		else
			append_object_piece(s, top, end < until ? end : until);
	}
	if (s->at < until)
		s->at = until;
}

static bool sweep_object_functions(struct elf_writer *w)
{
	struct sweep s = { .w = w, .open = malloc(w->functions * sizeof(*s.open)) };

	if (!s.open)
		return false;
	for (size_t i = 0; i < w->functions; i++) {
		struct elf_writer_function *f = &w->function[i];
		sweep_to(&s, f->start);
		f->is_twin = i > 0 && f[-1].start == f->start && f[-1].end == f->end;
		if (!f->is_twin)
			s.open[s.depth++] = i;
	}
	sweep_to(&s, UINT64_MAX);
	free(s.open);
	return !s.failed;
}

/* The pieces by function, those of one ascending. */
static bool gather_own(struct elf_writer *w)
{
	size_t first = 0;

	w->own = malloc((w->pieces ? w->pieces : 1) * sizeof(*w->own));
	if (!w->own)
		return false;
	for (size_t i = 0; i < w->functions; i++) {
		w->function[i].first = first;
		first += w->function[i].pieces;
		w->function[i].pieces = 0;
	}
	for (size_t i = 0; i < w->pieces; i++) {
		struct elf_writer_function *f = &w->function[w->piece[i].function];
		w->own[f->first + f->pieces++] = w->piece[i].range;
	}
	return true;
}

static bool has_lines(const struct elf_writer *w, const struct elf_writer_function *f)
{
	return f->pieces > 0 && (f->rows > 0 || (f->cold > 0 && w->function[f->cold - 1].rows > 0));
}

/*
 * Mark the functions of a unit with lines that have neither lines nor calls, such as _start: GDB would show the lines of
 * others for them, and in a complete build no unit covers them.
 */
static void mark_bare_functions(struct elf_writer *w, const struct elf_writer_unit *u)
{
	struct elf_writer_function *f = w->function + u->first;
	bool any = false;

	for (size_t i = 0; i < u->count; i++)
		any = any || has_lines(w, &f[i]);
	for (size_t i = 0; any && i < u->count; i++)
		f[i].is_bare = !has_lines(w, &f[i]) && f[i].calls == 0 && f[i].cold == 0;
}

/* Divides the functions among units, by start; those without code of their own are in no unit. */
static bool make_units(struct elf_writer *w)
{
	w->units = (w->functions + ELF_WRITER_UNIT_FUNCTIONS - 1) / ELF_WRITER_UNIT_FUNCTIONS;
	w->unit = calloc(w->units, sizeof(*w->unit));
	if (!w->unit)
		return false;
	for (size_t i = 0; i < w->units; i++) {
		struct elf_writer_unit *u = &w->unit[i];
		u->first = i * ELF_WRITER_UNIT_FUNCTIONS;
		u->count = w->functions - u->first < ELF_WRITER_UNIT_FUNCTIONS
		                   ? w->functions - u->first
		                   : ELF_WRITER_UNIT_FUNCTIONS;
		if (!w->options.for_lldb)
			mark_bare_functions(w, u);
	}
	return true;
}

static size_t unit_of(const struct elf_writer *w, const struct elf_writer_piece *piece)
{
	return w->function[piece->function].is_bare ? SIZE_MAX
	                                            : piece->function / ELF_WRITER_UNIT_FUNCTIONS;
}

static bool continues_unit_range(const struct elf_writer *w, size_t piece)
{
	return piece > 0 && unit_of(w, &w->piece[piece]) == unit_of(w, &w->piece[piece - 1]);
}

/* Neighbours of one unit are one range, whatever is between them. */
static bool make_unit_ranges(struct elf_writer *w)
{
	size_t at = 0;

	w->unit_ranges = malloc((w->pieces ? w->pieces : 1) * sizeof(*w->unit_ranges));
	if (!w->unit_ranges)
		return false;
	for (size_t i = 0; i < w->pieces; i++)
		if (unit_of(w, &w->piece[i]) != SIZE_MAX)
			w->unit[unit_of(w, &w->piece[i])].ranges += !continues_unit_range(w, i);
	for (size_t i = 0; i < w->units; i++) {
		w->unit[i].ranges_at = at;
		at += w->unit[i].ranges;
		w->unit[i].ranges = 0;
	}
	for (size_t i = 0; i < w->pieces; i++) {
		if (unit_of(w, &w->piece[i]) == SIZE_MAX)
			continue;
		struct elf_writer_unit *u = &w->unit[unit_of(w, &w->piece[i])];
		if (!continues_unit_range(w, i))
			w->unit_ranges[u->ranges_at + u->ranges++] = w->piece[i].range;
		else
			w->unit_ranges[u->ranges_at + u->ranges - 1].high = w->piece[i].range.high;
	}
	return true;
}

static uint64_t gap_before(const struct elf_writer *w, size_t piece)
{
	return piece ? w->piece[piece].range.low - w->piece[piece - 1].range.high : 0;
}

/* Puts a gap among the largest ones, which are few and have the smallest at the end. */
static void keep_gap(uint64_t gaps[ELF_WRITER_CODE_SECTIONS - 1], size_t *count, uint64_t gap)
{
	size_t i = *count;

	if (*count < ELF_WRITER_CODE_SECTIONS - 1)
		++*count;
	else if (gap <= gaps[--i])
		return;
	for (; i > 0 && gaps[i - 1] < gap; i--)
		gaps[i] = gaps[i - 1];
	gaps[i] = gap;
}

/* Sections of code, cut at the largest gaps. */
static void make_texts(struct elf_writer *w)
{
	uint64_t gaps[ELF_WRITER_CODE_SECTIONS - 1];
	size_t count = 0;

	for (size_t i = 1; i < w->pieces; i++)
		if (gap_before(w, i) >= GAP)
			keep_gap(gaps, &count, gap_before(w, i));
	uint64_t least = count == ELF_WRITER_CODE_SECTIONS - 1 ? gaps[count - 1] : GAP;
	for (size_t i = 0; i < w->pieces; i++) {
		struct cairn_range range = w->piece[i].range;
		if (i == 0 || (gap_before(w, i) >= least && w->texts < ELF_WRITER_CODE_SECTIONS))
			w->text[w->texts++].range = range;
		else
			w->text[w->texts - 1].range.high = range.high;
	}
}

bool elf_writer_assign_code(struct elf_writer *w)
{
	for (uint32_t i = 0; i < w->names.count; i++)
		w->names.entry[i].mark = 0; /* of elf_writer_bounded_name() */
	sort_object_functions(w);
	find_ends(w);
	if (!sweep_object_functions(w))
		return false;
	if (!w->options.for_lldb) /* which unwinds all of a function by the rules of its start */
		elf_writer_join_cold_parts(w);
	if (!gather_own(w) || !make_units(w) || !make_unit_ranges(w))
		return false;
	make_texts(w);
	return true;
}
