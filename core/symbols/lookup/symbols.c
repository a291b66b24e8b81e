/* SPDX-License-Identifier: MIT */
/* Implements cairn_symbols_*(): opens a symbol file, checks its build ID and answers lookups. */
#include "symbols.h"

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/range.h"
#include "formats/jitdump/jitdump.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct lookup_state) <= sizeof(((struct cairn_lookup_result *)0)->state),
               "the state of an answer has no room for it");

bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols, struct cairn_bytes build_id)
{
	enum { GUID = 16 }; /* bytes that a Breakpad module has of it, if no more */
	const struct cairn_bytes own = cairn_symbols_build_id(symbols);
	const bool part = symbols->format == CAIRN_SYMBOLS_BREAKPAD && own.size == GUID;

	return own.size > 0 && (own.size == build_id.size || (part && build_id.size > GUID)) &&
	       memcmp(own.data, build_id.data, own.size) == 0;
}

/* The image of the file, or its functions; s->format: CAIRN_SYMBOLS_GSYM: it is found out. */
static enum cairn_status open_symbol_bytes(struct cairn_bytes file, const struct cairn_poll *poll,
                                           struct cairn_symbols *s, struct cairn_fault *fault)
{
	struct polling polling = { poll ? poll->poll : NULL, poll ? poll->context : NULL, 0 };

	s->is_image = s->format == CAIRN_SYMBOLS_GSYM && !symbols_must_read(file, &s->format);
	if (s->is_image)
		return gsym_image_open(file, &s->image, fault);
	return symbols_read_functions(file, s->format, &polling, &s->functions, fault);
}

static enum cairn_status check_build(struct cairn_bytes build_id, const struct cairn_symbols *s,
                                     struct cairn_fault *fault)
{
	if (build_id.size == 0 || cairn_symbols_is_of_build(s, build_id))
		return CAIRN_OK;
	return fault_set(fault, CAIRN_MISMATCH,
	                 cairn_symbols_build_id(s).size
	                         ? "made for another build"
	                         : "does not record which build it belongs to");
}

/* Decoded, all functions take about twice the bytes of their file; as much again is spare. */
static size_t choose_cache_size(const struct gsym *gsym)
{
	enum { FACTOR = 4 };
	size_t size = gsym->bytes.size;

	if (size <= CAIRN_SYMBOLS_CACHE / FACTOR)
		return CAIRN_SYMBOLS_CACHE;
	return size < CAIRN_SYMBOLS_CACHE_MAX / FACTOR ? FACTOR * size : CAIRN_SYMBOLS_CACHE_MAX;
}

static void free_symbols(struct cairn_symbols **symbols)
{
	cairn_symbols_free(*symbols);
}

/* Takes as many fields as the host knows of; the others keep their defaults. */
static struct cairn_symbols_options take_options(const struct cairn_symbols_options *options)
{
	struct cairn_symbols_options taken = CAIRN_SYMBOLS_OPTIONS;

	if (options)
		memcpy(&taken, options,
		       options->size < sizeof(taken) ? options->size : sizeof(taken));
	if (taken.format == CAIRN_SYMBOLS_JIT)
		taken.build_id.size = 0;
	return taken;
}

static bool is_of_other_process(struct cairn_bytes file,
                                const struct cairn_symbols_options *options)
{
	struct jitdump dump;

	return options->format == CAIRN_SYMBOLS_JIT && options->pid && jitdump_open(file, &dump) &&
	       dump.pid != options->pid;
}

enum cairn_status cairn_symbols_open(struct cairn_bytes file,
                                     const struct cairn_symbols_options *options,
                                     struct cairn_symbols **symbols, struct cairn_fault *fault)
{
	const struct cairn_symbols_options taken = take_options(options);
	WITH_CLEANUP(free_symbols) struct cairn_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	if (is_of_other_process(file, &taken))
		return fault_set(fault, CAIRN_MISMATCH, "the jitdump of another process");
	s->format = taken.format == CAIRN_SYMBOLS_GO || taken.format == CAIRN_SYMBOLS_JIT
	                    ? taken.format
	                    : CAIRN_SYMBOLS_GSYM;
	enum cairn_status status = open_symbol_bytes(file, taken.poll, s, fault);
	if (status == CAIRN_OK)
		status = check_build(taken.build_id, s, fault);
	if (status != CAIRN_OK)
		return status;
	if (s->is_image)
		gsym_cache_init(&s->cache, &s->image.gsym, choose_cache_size(&s->image.gsym));
	*symbols = s;
	s = NULL;
	return CAIRN_OK;
}

void cairn_symbols_free(struct cairn_symbols *symbols)
{
	if (!symbols)
		return;
	gsym_cache_finish(&symbols->cache);
	free(symbols->reach);
	symbols_functions_finish(&symbols->functions);
	free(symbols);
}

enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols)
{
	return symbols->format;
}

const struct cairn_fault *cairn_symbols_read_fault(const struct cairn_symbols *symbols)
{
	return &symbols->functions.damage;
}

struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols)
{
	return symbols->is_image ? symbols->image.build_id : symbols->functions.build_id;
}

void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes)
{
	if (!symbols->is_image)
		return;
	gsym_cache_finish(&symbols->cache);
	gsym_cache_init(&symbols->cache, &symbols->image.gsym, bytes);
}

/* The index that lookups after inner functions need; without memory they only take longer. */
static const struct gsym_reach *ensure_reach_index(struct cairn_symbols *symbols)
{
	const struct gsym *gsym = &symbols->image.gsym;

	if (!symbols->reach && !symbols->reach_refused) {
		symbols->reach = malloc(gsym_reach_count(gsym) * sizeof(*symbols->reach));
		symbols->reach_refused = !symbols->reach;
		if (symbols->reach)
			gsym_reach_fill(gsym, symbols->reach);
	}
	return symbols->reach;
}

static enum cairn_status find_function(struct cairn_symbols *symbols, uint64_t va,
                                       struct gsym_function *function, struct cairn_fault *fault)
{
	const struct gsym *gsym = &symbols->image.gsym;
	enum cairn_status status = gsym_find_nearest(gsym, va, function, fault);

	if (status == CAIRN_NOT_FOUND && gsym->functions > 0)
		status = gsym_find_function(gsym, ensure_reach_index(symbols), va, function, fault);
	return status;
}

static bool is_inside_decoded(const struct decoded *decoded, uint64_t va)
{
	uint64_t offset = va - decoded->start;
	return offset < (decoded->size ? decoded->size : DECODED_REACH) && offset < DECODED_REACH;
}

static enum cairn_status answer_from_decoded(struct cairn_symbols *symbols, struct decoded *decoded,
                                             uint64_t va, struct cairn_lookup_result *answer)
{
	const struct decoded_piece *p = decoded_find(decoded, (uint32_t)(va - decoded->start));
	struct lookup_state *a = lookup_state_of(answer);

	if (!decoded->was_used)
		decoded->was_used =
			true; /* a line of the cache that is not written to stays shared */
	a->next = lookup_result_next_decoded;
	a->symbols = symbols;
	a->decoded = decoded;
	a->index = decoded->index;
	a->node = p->node;
	a->place_file = p->file;
	a->place_line = p->line;
	a->ended = a->nothing = a->folded_begun = a->has_folded = false;
	answer->va = va;
	answer->symbols = symbols;
	answer->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	return CAIRN_OK;
}

/* Functions have columns in cairn's own cache alone. */
static enum cairn_status answer_with_columns(struct cairn_symbols *symbols, struct decoded *decoded,
                                             uint64_t va, struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);
	const enum cairn_status status = answer_from_decoded(symbols, decoded, va, answer);

	if (decoded->columns_at == 0)
		return status;
	a->next = lookup_result_next_columned;
	a->place_column = decoded_piece_column(
		decoded, decoded_find(decoded, (uint32_t)(va - decoded->start)));
	return status;
}

static enum cairn_status answer_from_lookup(const struct cairn_symbols *symbols,
                                            const struct gsym_function *function, uint64_t va,
                                            struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);

	a->next = lookup_result_next_in_bytes;
	a->decoded = NULL;
	a->index = function->index;
	a->ended = a->nothing = a->folded_begun = a->has_folded = false;
	answer->va = va;
	answer->symbols = symbols;
	gsym_lookup_in_function(&symbols->image.gsym, function, va, &a->lookup);
	answer->fault = a->lookup.fault;
	return CAIRN_OK;
}

static enum cairn_status answer_with_fault(const struct cairn_symbols *symbols, uint64_t va,
                                           struct cairn_fault fault,
                                           struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);

	a->next = lookup_result_next_in_bytes;
	a->decoded = NULL;
	a->ended = a->folded_begun = a->nothing = true;
	a->has_folded = false;
	a->lookup.ended = true;
	answer->va = va;
	answer->symbols = symbols;
	answer->fault = fault;
	return fault.status;
}

static const struct cairn_fault no_function = { CAIRN_NOT_FOUND, 0,
	                                        "no function covers the address" };

static enum cairn_status answer_from_functions(const struct cairn_symbols *symbols, uint64_t va,
                                               struct cairn_lookup_result *answer)
{
	const struct kept_functions *list = &symbols->functions.list;
	const struct kept_function *function = kept_functions_reaching(list, va);
	struct lookup_state *a = lookup_state_of(answer);

	if (!function)
		return answer_with_fault(symbols, va, no_function, answer);
	a->next = lookup_result_next_kept;
	a->decoded = NULL;
	a->nothing = false;
	answer->va = va;
	answer->symbols = symbols;
	answer->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	kept_lookup_begin(&a->kept, list, function, va);
	return CAIRN_OK;
}

static enum cairn_status name_from_functions(const struct cairn_symbols *symbols, uint64_t va,
                                             struct cairn_location *location,
                                             struct cairn_fault *fault)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	const struct kept_function *function =
		kept_functions_reaching(&symbols->functions.list, va);

	if (!function) {
		*fault = no_function;
		return CAIRN_NOT_FOUND;
	}
	*location =
		(struct cairn_location){ .function = function->name,
		                         .directory = none,
		                         .file = none,
		                         .start = function->range.low,
		                         .offset = va - function->range.low,
		                         .size = range_location_size(range_size(function->range)) };
	return CAIRN_OK;
}

enum cairn_status symbols_find(struct cairn_symbols *symbols, uint64_t va, bool eager,
                               struct cairn_lookup_result *answer)
{
	struct gsym_cache *cache = &symbols->cache;
	struct gsym_function function;
	struct cairn_fault fault;

	if (!symbols->is_image)
		return answer_from_functions(symbols, va, answer);
	struct decoded *d = gsym_cache_get(cache, gsym_cache_search(cache, va));
	if (d && d->is_plain && is_inside_decoded(d, va))
		return answer_from_decoded(symbols, d, va, answer);
	if (d && d->is_alone && is_inside_decoded(d, va))
		return answer_with_columns(symbols, d, va, answer);
	if (find_function(symbols, va, &function, &fault) != CAIRN_OK)
		return answer_with_fault(symbols, va, fault, answer);
	d = gsym_cache_get(cache, function.index);
	if (!d)
		d = gsym_cache_get_or_decode(cache, &function, eager);
	if (d && is_inside_decoded(d, va))
		return answer_with_columns(symbols, d, va, answer);
	return answer_from_lookup(symbols, &function, va, answer);
}

enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols, uint64_t va,
                                     struct cairn_lookup_result *answer)
{
	return symbols_find(symbols, va, false, answer);
}

enum cairn_status cairn_symbols_find_uncached(const struct cairn_symbols *symbols, uint64_t va,
                                              struct cairn_lookup_result *answer)
{
	const struct gsym *gsym = &symbols->image.gsym;
	struct gsym_function function;
	struct cairn_fault fault;

	if (!symbols->is_image)
		return answer_from_functions(symbols, va, answer);
	if (gsym_find_function(gsym, symbols->reach, va, &function, &fault) != CAIRN_OK)
		return answer_with_fault(symbols, va, fault, answer);
	return answer_from_lookup(symbols, &function, va, answer);
}

enum cairn_status cairn_symbols_find_function(const struct cairn_symbols *symbols, uint64_t va,
                                              struct cairn_location *location,
                                              struct cairn_fault *fault)
{
	if (!symbols->is_image)
		return name_from_functions(symbols, va, location, fault);
	return gsym_find_name(&symbols->image.gsym, symbols->reach, va, location, fault);
}
