/* SPDX-License-Identifier: MIT */
/* Functions of a symbol object: which code is whose, what was split off, and where calls are inlined. */
#include "parts.h"

#include "base/bytes_compare.h"
#include "base/order.h"
#include "base/range.h"
#include "writers/frames/frame_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Functions that the compiler made of others, known by the suffix of their symbols.  DWARF names a
 * clone ("yy_reduce.constprop.0") as the source does, and the code that was split off into a
 * section of its own ("main.cold") is a range of the function that it belongs to; the object does
 * likewise, so that a breakpoint on the function has the places it has in the complete build.
 */

/* Names above this length are left as they are. */
enum { CLONE_NAME_MAX = 2048 };

/* An entry's mark while parents are looked for: several functions have the name. */
#define SEVERAL UINT32_MAX

/* What gcc and clang append to the name of a function they made of another one. */
static const char *const suffixes[] = { ".constprop", ".isra", ".part",      ".cold",
	                                ".lto_priv",  ".llvm", ".localalias" };

/* What demanglers write before the suffix, which is in brackets. */
static const char clone_word[] = " [clone";

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* Without ".5" at its end, if it has that. */
static struct cairn_bytes drop_clone_number(struct cairn_bytes name)
{
	size_t size = name.size;

	while (size > 0 && is_digit(name.data[size - 1]))
		size--;
	if (size > 1 && size < name.size && name.data[size - 1] == '.')
		name.size = size - 1;
	return name;
}

/* Without the suffix, and what follows it; true when the name ends with it. */
static bool drop_suffix(struct cairn_bytes *name, const char *suffix)
{
	struct cairn_bytes text = drop_clone_number(*name);
	size_t size = strlen(suffix);

	if (text.size <= size || memcmp(text.data + text.size - size, suffix, size) != 0)
		return false;
	name->size = text.size - size;
	return true;
}

static bool drop_any_suffix(struct cairn_bytes *name)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (drop_suffix(name, suffixes[i]))
			return true;
	return false;
}

/* The blank and ".isra.0" of "f(int) [clone .isra.0]", as demanglers write it; else empty. */
static struct cairn_bytes clone_text(struct cairn_bytes name)
{
	struct cairn_bytes none = { name.data, 0 };
	size_t size = strlen(clone_word), at = name.size;

	if (name.size == 0 || name.data[name.size - 1] != ']')
		return none;
	while (at > 0 && name.data[at - 1] != '[')
		at--;
	if (at < 3 || name.size - (at - 2) <= size + 1 ||
	    memcmp(name.data + at - 2, clone_word, size) != 0)
		return none;
	return (struct cairn_bytes){ name.data + at - 2 + size, name.size - (at - 2) - size - 1 };
}

/* Takes the text of a clone off; true when it holds nothing but suffixes that `drop` takes. */
static bool drop_clone_text(struct cairn_bytes *name, bool (*drop)(struct cairn_bytes *))
{
	struct cairn_bytes text = clone_text(*name);

	if (text.size == 0 || !drop(&text))
		return false;
	while (drop(&text))
		continue;
	if (text.size != 1 || text.data[0] != ' ')
		return false;
	name->size = (size_t)(text.data - name->data) - strlen(clone_word);
	return true;
}

static bool drop_cold(struct cairn_bytes *name)
{
	return drop_suffix(name, ".cold");
}

struct cairn_bytes elf_writer_source_name(struct cairn_bytes name)
{
	/* each suffix begins with a point, and most names have none */
	if (name.size == 0 || !memchr(name.data, '.', name.size))
		return name;
	while (drop_any_suffix(&name) || drop_clone_text(&name, drop_any_suffix))
		continue;
	return name;
}

uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part)
{
	uint8_t copy[CLONE_NAME_MAX]; /* the table may move while it grows */

	if (part.size > sizeof(copy))
		return 0;
	memcpy(copy, part.data, part.size);
	return interner_add_copy(&w->names, (struct cairn_bytes){ copy, part.size });
}

uint32_t elf_writer_source_name_number(struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes text = interner_text(&w->names, name),
			   source = elf_writer_source_name(text);
	uint32_t number = source.size < text.size ? elf_writer_add_name_part(w, source) : name;

	return number ? number : name;
}

bool elf_writer_has_local_symbol(const struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes text = interner_text(&w->names, name);

	return elf_writer_source_name(text).size < text.size || bytes_go_on_after(text, "_ZZ");
}

/* The name of the function that this one was split off from: 0 when it was not. */
static uint32_t parent_name(struct elf_writer *w, const struct elf_writer_function *f)
{
	struct cairn_bytes name = interner_text(&w->names, f->name);

	bool is_part = drop_cold(&name) || drop_clone_text(&name, drop_cold);

	return is_part ? elf_writer_add_name_part(w, name) : 0;
}

/* Marks the names of functions that have code with their index + 1. */
static void mark_names(struct elf_writer *w)
{
	for (size_t i = 0; i < w->functions; i++) {
		struct elf_writer_function *f = &w->function[i];
		uint32_t *mark = &w->names.entry[f->name].mark;
		if (f->pieces > 0)
			*mark = *mark ? SEVERAL : (uint32_t)i + 1;
	}
}

/* A function has one such part, and a part has none; any other stays a function of its own. */
static void join_cold_part(struct elf_writer *w, size_t child)
{
	struct elf_writer_function *f = &w->function[child];
	uint32_t name = f->pieces > 0 ? parent_name(w, f) : 0;
	uint32_t mark = name ? w->names.entry[name].mark : 0;

	if (mark == 0 || mark == SEVERAL || f->cold != 0)
		return;
	struct elf_writer_function *parent = &w->function[mark - 1];
	bool apart = f->end <= parent->start || parent->end <= f->start;
	if (parent->cold != 0 || parent->parent != 0 || !apart)
		return;
	f->parent = mark;
	parent->cold = (uint32_t)child + 1;
}

/*
 * Gives the code of each function "NAME.cold" to the one function NAME, once the pieces are there;
 * rows and calls stay where they are, and are found by `cold`.
 */
static void elf_writer_join_cold_parts(struct elf_writer *w)
{
	if (w->functions >= SEVERAL - 1)
		return;
	mark_names(w);
	for (size_t i = 0; i < w->functions; i++)
		join_cold_part(w, i);
	for (size_t i = 0; i < w->functions; i++)
		w->names.entry[w->function[i].name].mark = 0;
	for (size_t i = 0; i < w->pieces; i++) {
		struct elf_writer_function *f = &w->function[w->piece[i].function];
		if (f->parent == 0)
			continue;
		w->piece[i].function = f->parent - 1;
		f->pieces--;
		w->function[f->parent - 1].pieces++;
	}
}

/*
 * Which function each byte of code belongs to.  Functions are gone through by
 * their starts; those that have begun and not ended are on a stack, and the top
 * one has the code up to the next start.
 */

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

/*
 * Functions that only the program's unwind table knows.  LLDB looks unwind rules up by the function
 * that it finds at an address, so that each of them must be one, with a name.
 */

enum { MADE_UP_NAME_MAX = 32 };

static int compare_starts(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER_BY(*a, *b, 0);
}

/* Lists where the functions of the symbols begin, ascending; NULL when memory is short. */
static uint64_t *list_starts(const struct elf_writer *w)
{
	uint64_t *start = malloc((w->functions ? w->functions : 1) * sizeof(*start));

	for (size_t i = 0; start && i < w->functions; i++)
		start[i] = w->function[i].start;
	if (start)
		qsort(start, w->functions, sizeof(*start), compare_starts);
	return start;
}

static uint32_t made_up_name(struct elf_writer *w, const struct frame_function *f)
{
	char name[MADE_UP_NAME_MAX];
	int size = 0;

	switch (f->kind) {
	case FRAME_FUNCTION:
		size = snprintf(name, sizeof(name), "unnamed_%" PRIx64, f->range.low);
		break;
	case FRAME_FUNCTION_STUB:
		size = snprintf(name, sizeof(name), "plt_%" PRIx64, f->range.low);
		break;
	case FRAME_FUNCTION_ENTRY:
		size = snprintf(name, sizeof(name), "_start");
		break;
	}
	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)name, (size_t)size });
}

/* "puts@plt", as linkers and GDB call it. */
static uint32_t name_stub(struct elf_writer *w, const struct frame_function *f)
{
	static const char suffix[] = "@plt";
	const uint32_t called = elf_writer_clean_name(w, f->name);
	const struct cairn_bytes text = interner_text(&w->names, called);
	const size_t size = text.size + sizeof(suffix) - 1;
	uint8_t *name = called ? malloc(size) : NULL;

	if (!name)
		return 0;
	memcpy(name, text.data, text.size);
	memcpy(name + text.size, suffix, sizeof(suffix) - 1);
	const uint32_t number = interner_add_copy(&w->names, (struct cairn_bytes){ name, size });
	free(name);
	return number;
}

/* As the program's own symbols have it, or made up. */
static uint32_t frame_function_name(struct elf_writer *w, const struct frame_function *f)
{
	if (f->kind == FRAME_FUNCTION_STUB && f->name.size > 0)
		return name_stub(w, f);
	return f->name.size > 0 ? elf_writer_clean_name(w, f->name) : made_up_name(w, f);
}

static bool add_frame_function(struct elf_writer *w, const struct frame_function *f)
{
	const struct elf_writer_function kept = { .start = f->range.low,
		                                  .end = f->range.high,
		                                  .record = w->records.size,
		                                  .calls_at = w->records.size,
		                                  .order = (uint32_t)w->functions,
		                                  .name = frame_function_name(w, f) };

	if (kept.name == 0 || w->functions >= UINT32_MAX)
		return false;
	return ARRAY_APPEND(w->function, w->functions, w->function_room, kept);
}

bool elf_writer_add_frame_functions(struct elf_writer *w)
{
	const struct frame_table *frames = w->frames;
	const size_t known = w->functions;

	if (!frames)
		return true;
	uint64_t *start = list_starts(w);
	bool done = start != NULL;
	for (size_t i = 0, next = 0; i < frames->functions && done; i++) {
		const struct frame_function *f = &frames->function[i];
		while (next < known && start[next] < f->range.low)
			next++;
		if (next == known || start[next] != f->range.low)
			done = add_frame_function(w, f);
	}
	free(start);
	return done;
}

/*
 * The inlined calls of a function and of the part that was split off from it, as one tree: a call
 * that goes on in the other part is one call with the code of both, as compilers write it.
 */

/* Looks at siblings while a call's counterpart is looked for, per call of the function: real ones
 * need a few, and what is left unmerged is a call of its own. */
enum { LOOKS_PER_CALL = 256, LOOKS_LEAST = 4096 };

/* A call in the tree; numbers are indices + 1, the root is 0. */
struct node {
	uint32_t first, last, next;
	uint32_t other; /* the same call in the other part */
};

struct tree {
	struct node *node;
	uint32_t at[ELF_WRITER_LEVELS + 1]; /* the call in progress at each depth */
	size_t looks;
	bool entries;             /* calls that are one have one entry */
	size_t hot_low, hot_high; /* indices of the calls of the function's own part */
};

static bool is_hot(const struct tree *t, size_t call)
{
	return call >= t->hot_low && call < t->hot_high;
}

static bool is_same_call(const struct tree *t, const struct elf_writer_call *a,
                         const struct elf_writer_call *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       (!t->entries || a->entry == b->entry);
}

/* The last call of the function's own below `parent` that is the same, and not continued yet; 0: none. */
static uint32_t find_same(struct tree *t, const struct elf_writer_calls *c, uint32_t parent,
                          size_t call)
{
	uint32_t found = 0;

	for (uint32_t n = t->node[parent].first; n && t->looks > 0; n = t->node[n].next) {
		t->looks--;
		if (t->node[n].other == 0 && is_hot(t, n - 1) &&
		    is_same_call(t, &c->call[n - 1], &c->call[call]))
			found = n;
	}
	return found;
}

static bool is_innermost(const struct elf_writer_calls *c, size_t call)
{
	return call + 1 == c->count || c->call[call + 1].depth <= c->call[call].depth;
}

/* How many calls inside this one make none. */
static size_t count_innermost(struct tree *t, const struct elf_writer_calls *c, size_t call)
{
	size_t count = 0;

	for (size_t i = call + 1; i < c->count && t->looks > 0; i++) {
		if (c->call[i].depth <= c->call[call].depth)
			break;
		t->looks--;
		count += is_innermost(c, i);
	}
	return count;
}

/* Counts the innermost calls inside a call that `own`, a node, has as well. */
static size_t count_common(struct tree *t, const struct elf_writer_calls *c, uint32_t own,
                           size_t call)
{
	uint32_t at[ELF_WRITER_LEVELS + 1], top = c->call[call].depth;
	size_t count = 0;

	at[top] = own;
	for (size_t i = call + 1; i < c->count && c->call[i].depth > top && t->looks > 0; i++) {
		uint32_t depth = c->call[i].depth, parent = at[depth - 1];
		t->looks--;
		at[depth] = parent ? find_same(t, c, parent, i) : 0;
		count += at[depth] && is_innermost(c, i) && is_innermost(c, at[depth] - 1);
	}
	return count;
}

/*
 * The call of the function's own part that goes on as this one; 0 when none does.  It is the last of
 * several, because what goes on in a cold part begins at the end.  Two that end in the same calls are
 * two: a destructor where the function returns, and again where an exception is caught.  All that is a
 * guess, unless the symbols know where calls are entered.
 */
static uint32_t find_other(struct tree *t, const struct elf_writer_calls *c, uint32_t parent,
                           size_t call)
{
	uint32_t other = find_same(t, c, parent, call);

	if (other == 0 || t->entries)
		return other;
	size_t ends = count_innermost(t, c, call);
	bool again = ends > 0 && ends == count_innermost(t, c, other - 1) &&
	             ends == count_common(t, c, other, call);
	return again ? 0 : other;
}

static void append_child(struct tree *t, uint32_t parent, uint32_t child)
{
	struct node *p = &t->node[parent];

	if (p->last)
		t->node[p->last].next = child;
	else
		p->first = child;
	p->last = child;
}

static void add_calls(struct tree *t, const struct elf_writer_calls *c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint32_t depth = c->call[i].depth, parent = t->at[depth - 1];
		uint32_t other = is_hot(t, i) ? 0 : find_other(t, c, parent, i);
		if (other)
			t->node[other].other = (uint32_t)i + 1;
		else
			append_child(t, parent, (uint32_t)i + 1);
		t->at[depth] = other ? other : (uint32_t)i + 1;
	}
}

/* The ranges of both, in one place, ascending. */
static bool join_ranges(struct elf_writer_calls *c, struct elf_writer_call *call,
                        const struct elf_writer_call *other)
{
	bool is_lower = c->ranges.range[other->range].low < c->ranges.range[call->range].low;
	const struct elf_writer_call both[2] = { is_lower ? *other : *call,
		                                 is_lower ? *call : *other };
	const size_t at = c->ranges.count;

	for (unsigned i = 0; i < 2; i++)
		for (size_t r = 0; r < both[i].ranges; r++)
			if (!nested_ranges_add(&c->ranges, c->ranges.range[both[i].range + r]))
				return false;
	call->range = at;
	call->ranges += other->ranges;
	return true;
}

/* The tree in pre-order.  Every call's depth stays what it was. */
static bool list_tree(const struct tree *t, struct elf_writer_calls *c,
                      struct elf_writer_call *list, size_t *count)
{
	uint32_t open[ELF_WRITER_LEVELS + 1], depth = 0;

	open[0] = t->node[0].first;
	while (open[0] != 0) {
		uint32_t n = open[depth];
		if (n == 0) {
			depth--;
			open[depth] = t->node[open[depth]].next;
			continue;
		}
		list[*count] = c->call[n - 1];
		uint32_t other = t->node[n].other;
		if (other && !join_ranges(c, &list[*count], &c->call[other - 1]))
			return false;
		++*count;
		if (t->node[n].first)
			open[++depth] = t->node[n].first;
		else
			open[depth] = t->node[n].next;
	}
	return true;
}

/*
 * Joins the calls from number `parted` on, which are of the function's other part, with those before
 * them; `entries`: those that are one call have one entry.  False when memory is short.
 */
static bool elf_writer_calls_merge(struct elf_writer_calls *c, size_t parted, bool cold_first,
                                   bool entries)
{
	struct tree t = { .entries = entries,
		          .looks = LOOKS_PER_CALL * c->count + LOOKS_LEAST,
		          .hot_low = cold_first ? parted : 0,
		          .hot_high = cold_first ? c->count : parted };
	struct elf_writer_call *list = NULL;
	size_t count = 0;

	if (parted == 0 || parted == c->count)
		return true;
	t.node = calloc(c->count + 1, sizeof(*t.node));
	list = malloc(c->count * sizeof(*list));
	bool done = t.node && list;
	if (done) {
		add_calls(&t, c, t.hot_low, t.hot_high);
		add_calls(&t, c, cold_first ? 0 : parted, cold_first ? parted : c->count);
		done = list_tree(&t, c, list, &count);
	}
	if (done) {
		memcpy(c->call, list, count * sizeof(*list));
		c->count = count;
	}
	free(t.node);
	free(list);
	return done;
}

/*
 * Normalizes inlined calls: each is inside the call around it or the function's own code, apart
 * from earlier ones of the same depth. A debugger would show either, and which one would be its own
 * affair.
 */

/*
 * Ranges that do not come in order are put in their place among those of their
 * depth, which costs as much as there are after it; one function has a few.
 */
enum { TAKEN_MAX = 1024 };

/* Cutting may make many ranges of one; so many more than came in, and further
 * calls are left out.
 */
enum { RANGES_MORE = 1024 };

/* Each goes over all calls; real functions have a few. */
enum { SCOPES_MAX = 256 };

struct elf_writer_call_level {
	struct nested_level call;  /* the ranges of the call in progress */
	struct cairn_range *taken; /* of all calls of this depth, ascending */
	size_t taken_count, taken_room;
};

bool elf_writer_calls_init(struct elf_writer_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->level = calloc(ELF_WRITER_LEVELS + 1, sizeof(*c->level));
	return c->level != NULL;
}

void elf_writer_calls_finish(struct elf_writer_calls *c)
{
	for (size_t i = 0; c->level && i <= ELF_WRITER_LEVELS; i++)
		free(c->level[i].taken);
	free(c->level);
	free(c->call);
	nested_ranges_finish(&c->ranges);
}

/* What of [low, high) nobody of this depth has taken. */
static bool add_free(struct elf_writer_calls *c, const struct elf_writer_call_level *level,
                     struct cairn_range range)
{
	size_t i = range_find_after(level->taken, level->taken_count, range.low);

	while (range.low < range.high) {
		bool met = i < level->taken_count && level->taken[i].low < range.high;
		uint64_t high = met ? level->taken[i].low : range.high;
		const struct cairn_range free_part = { range.low, high };
		if (range.low < high && !nested_ranges_add(&c->ranges, free_part))
			return false;
		if (!met)
			break;
		range.low = level->taken[i++].high;
	}
	return true;
}

/* What of [low, high) is in the call around, and is free. */
static bool add_inside(struct elf_writer_calls *c, const struct elf_writer_call_level *around,
                       struct cairn_range range)
{
	struct cairn_range r;
	size_t at = 0;

	while (range_next_common(c->ranges.range + around->call.first, around->call.count, range,
	                         &at, &r))
		if (!add_free(c, around + 1, r))
			return false;
	return true;
}

/* Marks a range as taken; false when memory is short. */
static bool mark_range_taken(struct elf_writer_call_level *level, struct cairn_range range)
{
	size_t count = level->taken_count, i = count;

	if (!array_grow(&level->taken, &level->taken_room, count + 1, sizeof(range)))
		return false;
	if (count > 0 && level->taken[count - 1].low > range.low)
		i = range_find_after(level->taken, count, range.low);
	memmove(level->taken + i + 1, level->taken + i, (count - i) * sizeof(range));
	level->taken[i] = range;
	level->taken_count++;
	return true;
}

/* Would taking these cost too much? */
static bool is_disorder(const struct elf_writer_calls *c, const struct elf_writer_call_level *level)
{
	size_t count = level->taken_count;

	return count >= TAKEN_MAX &&
	       c->ranges.range[level->call.first].low < level->taken[count - 1].low;
}

/* Reads the call's ranges from the record. */
static bool read_ranges(struct elf_writer_calls *c, const uint8_t **record, uint64_t start,
                        const struct elf_writer_call_level *around, size_t limit)
{
	uint64_t ranges = elf_writer_uleb(record);

	for (uint64_t i = 0; i < ranges; i++) {
		uint64_t low = start + elf_writer_uleb(record);
		struct cairn_range range = { low, low + elf_writer_uleb(record) };
		if (around && c->ranges.count < limit && !add_inside(c, around, range))
			return false;
	}
	return true;
}

static bool append_object_call(struct elf_writer_calls *c, const struct elf_writer_call *call)
{
	struct elf_writer_call_level *level = &c->level[call->depth];

	for (size_t i = 0; i < level->call.count; i++)
		if (!mark_range_taken(level, c->ranges.range[level->call.first + i]))
			return false;
	return ARRAY_APPEND(c->call, c->count, c->call_room, *call);
}

/*
 * Return whether the call's first range is for LLDB, and empty: the address where the call is entered, below all of its code in this
 * function.  Compilers leave such a range where no instruction of the entry remained, and LLDB's breakpoint on the name is there.
 */
static bool is_entered_below(const struct elf_writer_calls *c, const struct elf_writer_call *call)
{
	const struct cairn_range *own = c->ranges.range;
	size_t i = range_find_after(own, c->level[0].call.count, call->entry);

	return call->ranges > 1 && call->entry < own[call->range + 1].low &&
	       i < c->level[0].call.count && own[i].low <= call->entry;
}

/* One call; one that has nothing left is left out, and so is what is inside it.
 */
static bool read_call(struct elf_writer_calls *c, const struct elf_writer *w,
                      const struct elf_writer_function *f, const uint8_t **record,
                      uint32_t *deepest, size_t limit)
{
	struct elf_writer_call call = { .depth = (uint32_t)elf_writer_uleb(record),
		                        .name = (uint32_t)elf_writer_uleb(record),
		                        .file = (uint32_t)elf_writer_uleb(record),
		                        .line = (uint32_t)elf_writer_uleb(record),
		                        .entry = f->start + elf_writer_uleb(record),
		                        .range = c->ranges.count };
	bool placed =
		call.depth >= 1 && call.depth <= ELF_WRITER_LEVELS && call.depth <= *deepest + 1;
	bool below = w->options.for_lldb;

	if (below && !nested_ranges_add(&c->ranges, (struct cairn_range){ call.entry, call.entry }))
		return false;
	if (!read_ranges(c, record, f->start, placed ? &c->level[call.depth - 1] : NULL, limit))
		return false;
	if (!placed)
		return true;
	struct elf_writer_call_level *level = &c->level[call.depth];
	*deepest = call.depth;
	c->deepest = call.depth > c->deepest ? call.depth : c->deepest;
	call.ranges = c->ranges.count - call.range;
	level->call = (struct nested_level){ call.range + below, call.ranges - below };
	if (below && !is_entered_below(c, &call)) {
		call.range++;
		call.ranges--;
	}
	if (level->call.count > 0 && is_disorder(c, level))
		level->call.count = 0;
	return level->call.count == 0 || append_object_call(c, &call);
}

static bool read_calls(struct elf_writer_calls *c, const struct elf_writer *w,
                       const struct elf_writer_function *f, size_t limit)
{
	const uint8_t *record = elf_writer_calls(w, f);
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < f->calls; i++)
		if (!read_call(c, w, f, &record, &deepest, limit))
			return false;
	return true;
}

bool elf_writer_calls_read(struct elf_writer_calls *c, const struct elf_writer *w,
                           const struct elf_writer_function *f)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(w, f, part);
	size_t limit = f->pieces + RANGES_MORE, parted = 0;

	for (unsigned i = 0; i < parts; i++)
		limit += 2 * part[i]->ranges;
	c->count = c->ranges.count = 0;
	for (uint32_t i = 0; i <= c->deepest; i++)
		c->level[i].taken_count = 0;
	c->deepest = 0;
	c->level[0].call = (struct nested_level){ 0, f->pieces };
	for (size_t i = 0; i < f->pieces; i++)
		if (!nested_ranges_add(&c->ranges, w->own[f->first + i]))
			return false;
	for (unsigned i = 0; i < parts; i++) {
		parted = c->count;
		if (!read_calls(c, w, part[i], limit))
			return false;
	}
	return elf_writer_calls_merge(c, parted, part[0] != f,
	                              parts == 2 && part[0]->is_parted && part[1]->is_parted);
}

static bool is_inside_call(const struct elf_writer_calls *c, const struct elf_writer_call *call,
                           uint64_t va)
{
	const struct cairn_range *range = c->ranges.range + call->range;
	size_t i = range_find_after(range, call->ranges, va);

	return i < call->ranges && range[i].low <= va;
}

/* After the innermost call at `va`; the calls are in pre-order. */
static bool add_scope(struct elf_writer_calls *c, uint64_t va)
{
	struct elf_writer_call scope = { .depth = 1,
		                         .name = ELF_WRITER_NO_CALL,
		                         .range = c->ranges.count };
	size_t at = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->call[i].depth != scope.depth || !is_inside_call(c, &c->call[i], va))
			continue;
		scope.depth++;
		at = i + 1;
	}
	bool there = at > 0 && c->call[at - 1].name == ELF_WRITER_NO_CALL;
	if (there || scope.depth > ELF_WRITER_LEVELS)
		return true;
	if (!nested_ranges_add(&c->ranges, (struct cairn_range){ va, va + 1 }) ||
	    !array_grow(&c->call, &c->call_room, c->count + 1, sizeof(scope)))
		return false;
	scope.ranges = 1;
	memmove(c->call + at + 1, c->call + at, (c->count - at) * sizeof(scope));
	c->call[at] = scope;
	c->count++;
	return true;
}

/* At the rows of one part, in code that is the function's. */
static bool add_scopes(struct elf_writer_calls *c, const struct elf_writer *w,
                       const struct elf_writer_function *f, struct elf_writer_rows rows,
                       unsigned *left)
{
	const struct cairn_range *own = w->own + f->first;

	while (*left > 0 && elf_writer_next_row(&rows)) {
		if (!rows.apart)
			continue;
		size_t i = range_find_after(own, f->pieces, rows.va);
		if (i == f->pieces || own[i].low > rows.va)
			continue;
		--*left;
		if (!add_scope(c, rows.va))
			return false;
	}
	return true;
}

bool elf_writer_calls_add_scopes(struct elf_writer_calls *c, const struct elf_writer *w,
                                 const struct elf_writer_function *f)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(w, f, part), left = SCOPES_MAX;

	for (unsigned i = 0; i < parts; i++)
		if (part[i]->has_apart && !add_scopes(c, w, f, elf_writer_rows(w, part[i]), &left))
			return false;
	return true;
}

/*
 * Guesses where a breakpoint on a function belongs, when neither symbols nor the compiler mark it.  gcc
 * ends no prologue, and where it optimizes it gives the first instruction rows of two lines, of which most
 * symbols keep one; LLDB would then go to the second row that is left.  Code that sets up no frame
 * pointer was optimized, and is stopped at its first instruction, which is what GDB does.
 */

enum { OPENING_BYTES = 8 }; /* of endbr64, push %rbp and mov %rsp,%rbp */

/* The bytes that the program's file has at `va`, which may be fewer than are wanted. */
static struct cairn_bytes find_code(const struct elf *elf, uint64_t va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		const struct cairn_bytes bytes = elf_segment_bytes(elf, &s);
		if (s.type == ELF_PT_LOAD && (s.flags & ELF_PF_EXECUTE) && va >= s.va &&
		    va - s.va < bytes.size)
			return (struct cairn_bytes){ bytes.data + (va - s.va),
				                     bytes.size - (size_t)(va - s.va) };
	}
	return (struct cairn_bytes){ elf->bytes.data, 0 };
}

static bool skip_bytes(struct cairn_bytes *code, const uint8_t *bytes, size_t size)
{
	if (code->size < size || memcmp(code->data, bytes, size) != 0)
		return false;
	code->data += size;
	code->size -= size;
	return true;
}

static bool sets_frame_pointer(struct cairn_bytes code)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }, push[] = { 0x55 },
			     move[] = { 0x48, 0x89, 0xe5 }, move_too[] = { 0x48, 0x8b, 0xec };

	skip_bytes(&code, endbr, sizeof(endbr));
	return skip_bytes(&code, push, sizeof(push)) &&
	       (skip_bytes(&code, move, sizeof(move)) ||
	        skip_bytes(&code, move_too, sizeof(move_too)));
}

bool object_stops_at_start(const struct elf_writer *w, uint64_t va)
{
	struct elf elf;

	if (!w->options.for_lldb || w->options.by_clang || w->options.machine != ELF_EM_X86_64 ||
	    !elf_opens(w->options.program, &elf))
		return false;
	const struct cairn_bytes code = find_code(&elf, va);
	return code.size >= OPENING_BYTES && !sets_frame_pointer(code);
}
