/* SPDX-License-Identifier: MIT */
/* Verifies a GSYM file against its input. */
#include "recheck.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "symbols/lookup/symbols.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAIRS = 1 << 12, /* cached strings of one function; a power of two */
	PAIR_PLACES = 8, /* slots in which a pair may be stored */
	SHORT_TEXT = 64, /* strings up to this size are compared without the cache */
	/* With up to this number of calls, a function is searched without an index. */
	FEW_CALLS = 64,
};

/*
 * A string of the input and a string of the file that are equal. Only valid for the current
 * function, because the addresses are reused.
 */
struct gsym_recheck_pair {
	const uint8_t *got, *wanted;
	size_t size;
	uint64_t function;
};

static bool has_pair(const struct gsym_recheck *check, const struct gsym_recheck_pair *pair,
                     struct cairn_bytes got, struct cairn_bytes wanted)
{
	return pair->function == check->functions && pair->got == got.data &&
	       pair->wanted == wanted.data && pair->size == got.size;
}

/* Return the slot with the pair, or a slot to store it in. */
static struct gsym_recheck_pair *find_pair(const struct gsym_recheck *check, struct cairn_bytes got,
                                           struct cairn_bytes wanted)
{
	const size_t first = hash_number((uintptr_t)wanted.data, check->pair) % PAIRS;
	struct gsym_recheck_pair *unused = NULL;

	for (size_t i = 0; i < PAIR_PLACES; i++) {
		struct gsym_recheck_pair *pair = &check->pair[(first + i) % PAIRS];
		if (has_pair(check, pair, got, wanted))
			return pair;
		if (!unused && pair->function != check->functions)
			unused = pair;
	}
	return unused ? unused : &check->pair[first];
}

/* Nested calls may share one long name, which is then compared at every address of the function. */
static bool is_same_string(const struct gsym_recheck *check, struct cairn_bytes got,
                           struct cairn_bytes wanted)
{
	if (got.size != wanted.size || got.size <= SHORT_TEXT)
		return bytes_equal(got, wanted);
	struct gsym_recheck_pair *pair = find_pair(check, got, wanted);
	if (has_pair(check, pair, got, wanted))
		return true;
	if (!bytes_equal(got, wanted))
		return false;
	*pair = (struct gsym_recheck_pair){ got.data, wanted.data, got.size, check->functions };
	return true;
}

static bool is_right_name(const struct gsym_recheck *check, struct cairn_bytes got,
                          struct cairn_bytes name)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	return is_same_string(check, got, name.size ? name : unknown);
}

static bool is_right_location(const struct gsym_recheck *check, const struct cairn_location *got,
                              const struct cairn_location *wanted)
{
	return is_right_name(check, got->function, wanted->function) &&
	       got->inlined == wanted->inlined && got->line == wanted->line &&
	       is_same_string(check, got->file, wanted->file) &&
	       is_same_string(check, got->directory, wanted->directory);
}

/*
 * Return true if the answer has the same locations as the function of the input. Its last location,
 * which is the function itself, is stored in *outer.
 */
static bool is_right_answer(const struct gsym_recheck *check, uint64_t va,
                            struct cairn_lookup_result *answer, struct cairn_location *outer)
{
	struct cairn_location wanted;
	struct kept_lookup lookup;
	bool right = true;

	if (check->is_indexed)
		kept_lookup_begin_by(&lookup, &check->index, &check->kept, check->kept.function,
		                     va);
	else
		kept_lookup_begin(&lookup, &check->kept, check->kept.function, va);
	bool more = kept_lookup_next(&lookup, &wanted);
	while (cairn_lookup_result_next(answer, outer)) {
		right = right && (!more || is_right_location(check, outer, &wanted));
		more = more && kept_lookup_next(&lookup, &wanted);
	}
	return right && !more;
}

/* Return the file that contains functions that begin at `va`. */
static struct gsym_recheck_piece *find_piece(const struct gsym_recheck *check, uint64_t va)
{
	const size_t low = SORTED_UP_TO(check->piece, check->pieces, start, va);

	return &check->piece[low > 0 ? low - 1 : 0];
}

enum standing {
	STANDS,
	/*
	 * Another function with the same range is in the file, or the function was looked up
	 * before.
	 */
	FOLDED,
	MISSING,
};

static enum standing find_function(const struct gsym_recheck *check,
                                   const struct gsym_recheck_piece *piece, const struct function *f)
{
	const struct gsym *gsym = &piece->symbols->image.gsym;
	uint32_t index = gsym_search(gsym, f->start);
	struct gsym_function entry;
	struct cairn_fault fault;
	struct cairn_bytes name;

	if (index >= gsym->functions)
		return MISSING;
	for (index++; index > 0 && gsym->base + gsym_offset(gsym, index - 1) == f->start; index--) {
		if (gsym_function(gsym, index - 1, &entry, &fault) != CAIRN_OK ||
		    entry.size != f->size)
			continue;
		gsym_string(gsym, entry.name, &name);
		if (!is_right_name(check, name, f->name) || piece->done[index - 1])
			return FOLDED;
		piece->done[index - 1] = f->row_count > 0;
		return STANDS;
	}
	return MISSING;
}

/*
 * Return the end of the code that the file assigns to shorter functions with the same start, or the
 * start if no shorter function exists. If the linker kept one of two copies, units describe one
 * function with two different ends.
 */
static uint64_t find_end_of_shorter(const struct gsym_recheck_piece *piece,
                                    const struct function *f)
{
	const struct gsym *gsym = &piece->symbols->image.gsym;
	uint32_t index = gsym_search(gsym, f->start);
	struct gsym_function entry;
	struct cairn_fault fault;
	uint64_t size = 0;

	if (index >= gsym->functions)
		return f->start;
	for (index++; index > 0 && gsym->base + gsym_offset(gsym, index - 1) == f->start; index--) {
		if (gsym_function(gsym, index - 1, &entry, &fault) == CAIRN_OK &&
		    entry.size < f->size && entry.size > size)
			size = entry.size;
	}
	return f->start + size;
}

struct checked {
	struct gsym_recheck *check;
	struct cairn_symbols *symbols;
	const struct function *function;
	uint64_t shorter;
};

enum finding { RIGHT, HIDDEN, WRONG };

/* Look up one address. A shorter function may cover it instead. */
static enum finding look_address_up(const struct checked *checked, uint64_t va)
{
	const struct gsym_recheck *check = checked->check;
	const struct function *f = checked->function;
	struct cairn_lookup_result answer;
	struct cairn_location outer = { .start = 0 };
	const bool found = symbols_find(checked->symbols, va, true, &answer) == CAIRN_OK;
	const bool right = found && is_right_answer(check, va, &answer, &outer);

	if (found && (outer.start != f->start || !is_right_name(check, outer.function, f->name)))
		return HIDDEN;
	if (right)
		return RIGHT;
	return found && va < checked->shorter ? HIDDEN : WRONG;
}

/* The last lookup. Nested calls share their first and last addresses. */
struct looked_up {
	uint64_t va;
	enum finding finding;
	bool is_known;
};

static void check_address(const struct checked *checked, uint64_t va, struct looked_up *last)
{
	struct gsym_recheck *check = checked->check;

	if (!last->is_known || last->va != va)
		*last = (struct looked_up){ va, look_address_up(checked, va), true };
	check->addresses++;
	check->hidden += last->finding == HIDDEN;
	check->wrong += last->finding == WRONG;
	if (last->finding != RIGHT && check->wrong == 1 && check->first_wrong == 0)
		check->first_wrong = va;
}

static bool keep_function(struct gsym_recheck *check, const struct function *f)
{
	const struct function_sink keeper = kept_functions_sink(&check->kept);

	kept_functions_clear(&check->kept);
	if (keeper.take(keeper.context, f) != CAIRN_OK)
		return false;
	check->is_indexed = f->inline_count > FEW_CALLS;
	return !check->is_indexed ||
	       call_index_make(&check->index, &check->kept, check->kept.function);
}

static void check_addresses(const struct checked *checked)
{
	const struct function *f = checked->function;
	struct looked_up row = { .va = 0 }, first = row, end = row;

	for (size_t i = 0; i < f->row_count; i++)
		check_address(checked, f->rows[i].va, &row);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct cairn_range *range = &f->range[f->inlines[i].range];
		for (uint32_t j = 0; j < f->inlines[i].ranges; j++) {
			const uint64_t low = range[j].low, last = range[j].high - 1;
			check_address(checked, low, &first);
			check_address(checked, last, last == low ? &first : &end);
		}
	}
}

static enum cairn_status check_function(void *context, const struct function *f)
{
	struct gsym_recheck *check = context;
	struct gsym_recheck_piece *piece = find_piece(check, f->start);
	enum standing standing = find_function(check, piece, f);

	if (standing == FOLDED) {
		check->folded++;
		return CAIRN_OK;
	}
	check->functions++;
	check->wrong += standing == MISSING;
	if (standing == MISSING && check->first_wrong == 0)
		check->first_wrong = f->start;
	if (!keep_function(check, f))
		return CAIRN_NO_MEMORY;
	check_addresses(
		&(struct checked){ check, piece->symbols, f, find_end_of_shorter(piece, f) });
	return CAIRN_OK;
}

bool gsym_recheck_add(struct gsym_recheck *check, struct cairn_bytes bytes)
{
	struct gsym_recheck_piece piece = { .start = 0 };
	struct cairn_fault fault;

	if (!array_grow(&check->piece, &check->room, check->pieces + 1, sizeof(*check->piece)))
		return false;
	if (cairn_symbols_open(bytes, NULL, &piece.symbols, &fault) != CAIRN_OK)
		return false;
	const struct gsym *gsym = &piece.symbols->image.gsym;
	piece.start = gsym->base + gsym_offset(gsym, 0);
	piece.done = calloc(gsym->functions, sizeof(*piece.done));
	check->piece[check->pieces++] = piece;
	return piece.done != NULL;
}

void gsym_recheck_finish(struct gsym_recheck *check)
{
	for (size_t i = 0; i < check->pieces; i++) {
		cairn_symbols_free(check->piece[i].symbols);
		free(check->piece[i].done);
	}
	free(check->piece);
	free(check->pair);
	kept_functions_close(&check->kept);
	call_index_free(&check->index);
}

enum cairn_status gsym_recheck(struct cairn_functions *origin, struct gsym_recheck *check,
                               struct cairn_error *error)
{
	const struct cairn_functions_options options = origin->options;

	check->pair = calloc(PAIRS, sizeof(*check->pair));
	if (!check->pair) {
		*error = (struct cairn_error){ .status = CAIRN_NO_MEMORY };
		return CAIRN_NO_MEMORY;
	}
	origin->options.message = NULL; /* everything was reported when the input was read first */
	const enum cairn_status status = function_source_read_serially(
		origin, (struct function_sink){ check_function, check }, error);
	origin->options = options;
	return status;
}
