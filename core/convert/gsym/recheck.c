/* SPDX-License-Identifier: MIT */
/* Compares each function of the input with the answers of the GSYM file written from it. */
#include "recheck.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"
#include "symbols/lookup/symbols.h"

#include <stdlib.h>
#include <string.h>

static bool is_right_name(struct cairn_bytes got, struct cairn_bytes name)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	return bytes_equal(got, name.size ? name : unknown);
}

static bool is_right_location(const struct cairn_location *got, const struct cairn_location *wanted)
{
	return is_right_name(got->function, wanted->function) && got->inlined == wanted->inlined &&
	       got->line == wanted->line && bytes_equal(got->file, wanted->file) &&
	       bytes_equal(got->directory, wanted->directory);
}

/* Does the answer have the locations that the function itself has there?  Its last one, the function, is in *outer. */
static bool is_right_answer(const struct kept_functions *kept, uint64_t va,
                            struct cairn_lookup_result *answer, struct cairn_location *outer)
{
	struct cairn_location wanted;
	struct kept_lookup lookup;
	bool right = true;

	kept_lookup_begin(&lookup, kept, kept->function, va);
	bool more = kept_lookup_next(&lookup, &wanted);
	while (cairn_lookup_result_next(answer, outer)) {
		right = right && (!more || is_right_location(outer, &wanted));
		more = more && kept_lookup_next(&lookup, &wanted);
	}
	return right && !more;
}

/* The piece that has what begins at `va`. */
static struct gsym_recheck_piece *find_piece(const struct gsym_recheck *check, uint64_t va)
{
	size_t low = 0, high = check->pieces;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (check->piece[middle].start <= va)
			low = middle;
		else
			high = middle;
	}
	return &check->piece[low];
}

enum standing {
	STANDS, /* it is in the file */
	FOLDED, /* another one with its range is, or it was there before */
	MISSING,
};

static enum standing find_function(const struct gsym_recheck_piece *piece, const struct function *f)
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
		if (!is_right_name(name, f->name) || piece->done[index - 1])
			return FOLDED;
		piece->done[index - 1] = f->row_count > 0;
		return STANDS;
	}
	return MISSING;
}

/* Looks one address up; a shorter function may answer for it. */
static void check_address(struct gsym_recheck *check, struct cairn_symbols *symbols,
                          const struct function *f, uint64_t va)
{
	struct cairn_lookup_result answer;
	struct cairn_location outer = { .start = 0 };

	check->addresses++;
	const bool found = symbols_find(symbols, va, true, &answer) == CAIRN_OK;
	const bool right = found && is_right_answer(&check->kept, va, &answer, &outer);
	if (found && (outer.start != f->start || !is_right_name(outer.function, f->name)))
		check->hidden++;
	else if (!right)
		check->wrong++;
	else
		return;
	if (check->wrong == 1 && check->first_wrong == 0)
		check->first_wrong = va;
}

static enum cairn_status check_function(void *context, const struct function *f)
{
	struct gsym_recheck *check = context;
	struct gsym_recheck_piece *piece = find_piece(check, f->start);
	enum standing standing = find_function(piece, f);
	struct cairn_symbols *symbols = piece->symbols;
	const struct function_sink keeper = kept_functions_sink(&check->kept);

	if (standing == FOLDED) {
		check->folded++;
		return CAIRN_OK;
	}
	check->functions++;
	check->wrong += standing == MISSING;
	if (standing == MISSING && check->first_wrong == 0)
		check->first_wrong = f->start;
	kept_functions_clear(&check->kept);
	if (keeper.take(keeper.context, f) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	for (size_t i = 0; i < f->row_count; i++)
		check_address(check, symbols, f, f->rows[i].va);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct cairn_range *range = &f->range[f->inlines[i].range];
		for (uint32_t j = 0; j < f->inlines[i].ranges; j++) {
			check_address(check, symbols, f, range[j].low);
			check_address(check, symbols, f, range[j].high - 1);
		}
	}
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
	kept_functions_close(&check->kept);
}

enum cairn_status gsym_recheck(struct function_source *origin, struct gsym_recheck *check,
                               struct cairn_error *error)
{
	const struct function_source_options options = origin->options;

	origin->options.message = NULL; /* all was told when it was read first */
	const enum cairn_status status = function_source_read_serially(
		origin, (struct function_sink){ check_function, check }, error);
	origin->options = options;
	return status;
}
