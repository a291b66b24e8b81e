/* SPDX-License-Identifier: MIT */
/*
 * Assigns code to the functions of a symbol object, joins cold parts with their functions, and
 * prepares inlined calls.
 */
#include "internal.h"

#include "base/bytes.h"
#include "base/range.h"
#include "base/sort.h"
#include "writers/frames/frame_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Recognizes functions that the compiler derived from other functions, by the suffix of their
 * symbols. In a compiler's DWARF, a clone ("yy_reduce.constprop.0") gets its name from the source
 * ("yy_reduce"), and code that was split off into another section ("main.cold") is a range of the
 * original function. The symbol object describes such functions in the same way, so that a
 * breakpoint on a function has the same locations as with the compiler's debugging information.
 */

enum { CLONE_NAME_MAX = 2048 };

/* value of `mark` for a name that several functions share; used while cold parts are joined */
#define SEVERAL UINT32_MAX

static const char *const suffixes[] = { ".constprop", ".isra", ".part",      ".cold",
	                                ".lto_priv",  ".llvm", ".localalias" };

/* Demanglers write a suffix in brackets that begin with this word. */
static const char clone_word[] = " [clone";

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static struct cairn_bytes drop_clone_number(struct cairn_bytes name)
{
	size_t size = name.size;

	while (size > 0 && is_digit(name.data[size - 1]))
		size--;
	if (size > 1 && size < name.size && name.data[size - 1] == '.')
		name.size = size - 1;
	return name;
}

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

/*
 * Return the suffix that a demangler wrote in brackets, with the preceding space: " .isra.0" for
 * "f(int) [clone .isra.0]". Returns an empty string for names without such a suffix.
 */
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

/* Remove a suffix in brackets if `drop` accepts the complete suffix. Returns true if it does. */
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
	/* all suffixes begin with a dot, and most names contain no dots */
	if (name.size == 0 || !memchr(name.data, '.', name.size))
		return name;
	while (drop_any_suffix(&name) || drop_clone_text(&name, drop_any_suffix))
		continue;
	return name;
}

uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part)
{
	uint8_t copy[CLONE_NAME_MAX]; /* a copy, because the table may move while it grows */

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

	return elf_writer_source_name(text).size < text.size || bytes_continue_after(text, "_ZZ");
}

/* Return the index of the original function's name, or 0 if this function is not a cold part. */
static uint32_t parent_name(struct elf_writer *w, const struct elf_writer_function *f)
{
	struct cairn_bytes name = interner_text(&w->names, f->name);

	bool is_part = drop_cold(&name) || drop_clone_text(&name, drop_cold);

	return is_part ? elf_writer_add_name_part(w, name) : 0;
}

static void mark_names(struct elf_writer *w)
{
	for (size_t i = 0; i < w->functions; i++) {
		struct elf_writer_function *f = &w->function[i];
		uint32_t *mark = &w->names.entry[f->name].mark;
		if (f->pieces > 0)
			*mark = *mark ? SEVERAL : (uint32_t)i + 1;
	}
}

/*
 * Join a cold part to its function. A function can have only one cold part, and cold parts cannot
 * have their own; additional parts remain separate functions.
 */
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
 * Assign the code of functions named "NAME.cold" to function NAME if only one function has that
 * name. Must be called after the pieces of code have been assigned. Rows and calls are not moved,
 * because they are found through `cold`.
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
 * Assigns code to functions. Functions are visited in address order. A stack contains the functions
 * that have begun but not ended; code up to the next start belongs to the function on top.
 */

/*
 * Minimum gap between functions that ends a code section. A larger gap may contain something else,
 * such as the PLT, which debuggers recognize by its section.
 */
enum { GAP = 32 };

/*
 * Maximum size of _init and _fini. The startup files of C libraries do not record the size of these
 * functions, and the PLT may follow either one.
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

static uint64_t last_known(const struct elf_writer *w, const struct elf_writer_function *f)
{
	struct elf_writer_rows rows = elf_writer_rows(w, f);

	while (elf_writer_next_row(&rows))
		continue;
	return rows.va;
}

/*
 * Set missing end addresses. A function extends to the start of the next one, and the last function
 * to the end of options.keep, if known.
 */
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
	size_t *open;
	size_t depth;
	uint64_t at;
	size_t capacity;
	bool failed;
};

static void append_object_piece(struct sweep *s, size_t function, uint64_t high)
{
	struct elf_writer *w = s->w;

	if (!array_grow(&w->piece, &s->capacity, w->pieces + 1, sizeof(*w->piece))) {
		s->failed = true;
		return;
	}
	w->piece[w->pieces++] = (struct elf_writer_piece){ { s->at, high }, function };
	w->function[function].pieces++;
	s->at = high;
}

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
 * Flag functions without lines and calls, such as _start, in units that have lines. They get a
 * symbol but no DWARF, because GDB would show lines of other functions for them. Compilers do not
 * describe such functions either.
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

/*
 * Compute the ranges of units. Adjacent pieces of the same unit become one range, including the gap
 * between them.
 */
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
		w->names.entry[i].mark = 0; /* clear the marks set by elf_writer_bounded_name() */
	sort_object_functions(w);
	find_ends(w);
	if (!sweep_object_functions(w))
		return false;
	/*
	 * do not join cold parts for LLDB, which would unwind them with the rules for the
	 * function's start
	 */
	if (!w->options.for_lldb)
		elf_writer_join_cold_parts(w);
	if (!gather_own(w) || !make_units(w) || !make_unit_ranges(w))
		return false;
	make_texts(w);
	return true;
}

/*
 * Adds functions that only the program's unwind table contains. LLDB looks up unwind rules by
 * function, so each FDE must belong to a function with a name.
 */
enum { MADE_UP_NAME_MAX = 32 };

static int compare_starts(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER_BY(*a, *b, 0);
}

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

/* Name a stub "puts@plt", like linkers and GDB. */
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
	return ARRAY_APPEND(w->function, w->functions, w->function_capacity, kept);
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
 * Merges inlined calls in the hot and cold parts of a function. As in DWARF from compilers, a call
 * that continues in the other part becomes a single call with the code of both.
 */

/*
 * Maximum number of siblings to compare when searching the other part for the counterparts of
 * calls: LOOKS_PER_CALL for each call in the function, plus LOOKS_LEAST. Real functions need only a
 * few. Calls beyond the limit are not merged.
 */
enum { LOOKS_PER_CALL = 256, LOOKS_LEAST = 4096 };

/* A call in the tree. References are call indices plus 1; 0 is the root. */
struct node {
	uint32_t first, last, next;
	uint32_t other; /* counterpart of this call in the function's other (hot or cold) part */
};

struct tree {
	struct node *node;
	uint32_t at[ELF_WRITER_LEVELS + 1];
	size_t looks;
	/* the parts record the same entry for a call and its counterpart */
	bool entries;
	size_t hot_low, hot_high;
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

/*
 * Return the last call below `parent` in the hot part that equals `call` and has no counterpart
 * yet, or 0.
 */
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

/* Return the number of innermost calls inside `call` that also occur inside the node `own`. */
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
 * Return the counterpart of `call` in the hot part, or 0 if no call corresponds to it. Chooses the
 * last candidate, because code that continues in a cold part is usually at the end. Two calls that
 * contain the same innermost calls are not counterparts: for example, a destructor may run when the
 * function returns, and again when an exception is caught. The result is a guess unless the symbols
 * contain the entry points of inlined calls.
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
 * Merge the calls starting at index `parted`, which are in the function's other part, with the
 * calls before them. With `entries`, a call and its counterpart must have the same entry. Returns
 * false if allocation fails.
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
 * Normalizes inlined calls. Each call is clipped to the enclosing call, or to the function's own
 * code, and to code that no earlier call at the same depth covers. Otherwise, debuggers would
 * disagree about the call at an address.
 */

/*
 * If a depth has at least this many ranges, calls that are out of order are dropped, because
 * inserting a range moves all later ranges. Functions usually have a few ranges.
 */
enum { TAKEN_MAX = 1024 };

/*
 * Maximum number of ranges added by clipping, which can split a range into many. When it is
 * reached, further calls are dropped.
 */
enum { RANGES_MORE = 1024 };

/*
 * Maximum number of scopes added to a function, because adding a scope scans all calls. Real
 * functions need only a few.
 */
enum { SCOPES_MAX = 256 };

struct elf_writer_call_level {
	struct nested_level call;
	struct cairn_range *taken;
	size_t taken_count, taken_capacity;
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

static bool mark_range_taken(struct elf_writer_call_level *level, struct cairn_range range)
{
	size_t count = level->taken_count, i = count;

	if (!array_grow(&level->taken, &level->taken_capacity, count + 1, sizeof(range)))
		return false;
	if (count > 0 && level->taken[count - 1].low > range.low)
		i = range_find_after(level->taken, count, range.low);
	memmove(level->taken + i + 1, level->taken + i, (count - i) * sizeof(range));
	level->taken[i] = range;
	level->taken_count++;
	return true;
}

/*
 * Return true if the call's ranges are out of order at a depth that already has TAKEN_MAX ranges,
 * because inserting them would move too many ranges.
 */
static bool is_disorder(const struct elf_writer_calls *c, const struct elf_writer_call_level *level)
{
	size_t count = level->taken_count;

	return count >= TAKEN_MAX &&
	       c->ranges.range[level->call.first].low < level->taken[count - 1].low;
}

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
	return ARRAY_APPEND(c->call, c->count, c->call_capacity, *call);
}

/*
 * Return true if the call's first range should be kept, for LLDB, as an empty range at the call's
 * entry. This is the case if the entry lies in this function, below all other code of the call.
 * Compilers write such a range if no instruction of the entry remains, and LLDB sets breakpoints on
 * the called function there.
 */
static bool is_entered_below(const struct elf_writer_calls *c, const struct elf_writer_call *call)
{
	const struct cairn_range *own = c->ranges.range;
	size_t i = range_find_after(own, c->level[0].call.count, call->entry);

	return call->ranges > 1 && call->entry < own[call->range + 1].low &&
	       i < c->level[0].call.count && own[i].low <= call->entry;
}

/* Read a call. Drop it, together with the calls inside it, if it has no code left. */
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
	    !array_grow(&c->call, &c->call_capacity, c->count + 1, sizeof(scope)))
		return false;
	scope.ranges = 1;
	memmove(c->call + at + 1, c->call + at, (c->count - at) * sizeof(scope));
	c->call[at] = scope;
	c->count++;
	return true;
}

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
 * Chooses the breakpoint location for functions whose symbols do not record one. gcc does not flag
 * the end of a prologue. If it optimizes, it writes rows with two different lines for the first
 * instruction, and most symbol formats keep only one of them; LLDB would then stop at the second of
 * the remaining rows. Code that does not set up a frame pointer was optimized, so stop at its first
 * instruction, like GDB.
 */
enum { OPENING_BYTES = 8 }; /* size of endbr64, push %rbp and mov %rsp,%rbp */

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
