/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_symbols_*(): looks up addresses in one module's symbols. GSYM is searched in
 * place, with a bounded cache of decoded functions. Files in other formats cannot be searched in
 * place, so their functions and one copy of each distinct string are read into memory
 * (function_table.h), and the file is not used afterwards.
 */
#include "symbols.h"
#include "symbol_input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/table.h"
#include "formats/jitdump.h"

#include <assert.h>
#include <cairn.h>
#include <stdlib.h>
#include <string.h>

struct passing {
	struct function_table *list;
	struct interner texts;
	struct polling *polling;
};

/*
 * Intern a string up to its first NUL, because C programs ignore the rest. Interned strings may
 * move until the last one is added, so store the string's index in `size` until then.
 */
static void intern_text(struct passing *passing, struct cairn_bytes *text)
{
	const uint8_t *nul = text->size > 0 ? memchr(text->data, 0, text->size) : NULL;

	if (nul)
		text->size = (size_t)(nul - text->data);
	text->size = interner_add(&passing->texts, *text);
}

/* Intern a name. Replace an empty name with "??". */
static void intern_name(struct passing *passing, struct cairn_bytes *name)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	intern_text(passing, name);
	if (name->size == 0)
		name->size = interner_add(&passing->texts, unknown);
}

static enum cairn_status pass_function(void *context, const struct function *function)
{
	struct passing *passing = context;
	struct function_table *list = passing->list;
	const struct function_sink sink = function_table_sink(list);
	const size_t calls = list->calls, files = list->files;

	polling_count(passing->polling, 1 + function->row_count + function->inline_count);
	const enum cairn_status status = sink.take(sink.context, function);
	if (status != CAIRN_OK)
		return status;
	intern_name(passing, &list->function[list->count - 1].name);
	for (size_t i = calls; i < list->calls; i++)
		intern_name(passing, &list->call[i].name);
	for (size_t i = files; i < list->files; i++) {
		intern_text(passing, &list->file[i].directory);
		intern_text(passing, &list->file[i].name);
	}
	return passing->texts.text.failed ? CAIRN_NO_MEMORY : CAIRN_OK;
}

static void find_text(const struct passing *passing, struct cairn_bytes *text)
{
	*text = interner_text(&passing->texts, (uint32_t)text->size);
}

static void finish_passing(struct passing **passing)
{
	if (*passing)
		interner_finish(&(*passing)->texts);
	free(*passing);
}

static enum cairn_status keep_functions(const struct symbol_input *from, struct polling *polling,
                                        struct symbols_functions *read)
{
	WITH_CLEANUP(finish_passing) struct passing *passing = calloc(1, sizeof(*passing));

	if (!passing || !interner_init(&passing->texts, UINT32_MAX))
		return CAIRN_NO_MEMORY;
	passing->list = &read->list;
	passing->polling = polling;
	const struct function_sink sink = { pass_function, passing };
	const enum cairn_status status = symbol_input_read(from, &sink);
	if (status != CAIRN_OK)
		return status;
	/* replace all string indices with pointers, now that the strings no longer move */
	for (size_t i = 0; i < read->list.count; i++)
		find_text(passing, &read->list.function[i].name);
	for (size_t i = 0; i < read->list.calls; i++)
		find_text(passing, &read->list.call[i].name);
	for (size_t i = 0; i < read->list.files; i++) {
		find_text(passing, &read->list.file[i].directory);
		find_text(passing, &read->list.file[i].name);
	}
	read->texts = passing->texts.text.data;
	passing->texts.text.data = NULL;
	function_table_sort(&read->list);
	function_table_shrink(&read->list);
	return read->list.count > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}

static enum cairn_status read_all(struct cairn_bytes file, enum cairn_symbol_format format,
                                  struct polling *polling, struct symbols_functions *read,
                                  struct cairn_fault *fault)
{
	WITH_CLEANUP(symbol_input_close) struct symbol_input from = { .has_go = false };
	enum cairn_status status = symbol_input_open(file, format, polling, &from, fault);

	if (status != CAIRN_OK)
		return status;
	read->damage = from.symbfile.fault[0];
	uint8_t *build_id = malloc(from.build_id.size + 1);
	if (!build_id)
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	if (from.build_id.size > 0)
		memcpy(build_id, from.build_id.data, from.build_id.size);
	read->build_id = (struct cairn_bytes){ build_id, from.build_id.size };
	status = keep_functions(&from, polling, read);
	if (status == CAIRN_NOT_FOUND && read->damage.status != CAIRN_OK) {
		*fault = read->damage;
		return fault->status;
	}
	if (status == CAIRN_NOT_FOUND)
		return fault_set(fault, status,
		                 from.symbfile.pads
		                         ? "only return pads, which are not function symbols"
		                         : "contains no functions");
	return status == CAIRN_OK ? status : fault_set(fault, status, cairn_status_text(status));
}

static void set_place(struct lookup_state *a, struct cairn_symbols *symbols,
                      struct cairn_location *location)
{
	if (a->place_file == DECODED_NO_PLACE)
		return;
	location->line = a->place_line;
	if (a->place_file == 0)
		return;
	const struct gsym_file *file = gsym_cache_file(&symbols->cache, a->place_file);
	location->directory = file->directory;
	location->file = file->name;
}

static bool lookup_result_next_decoded(struct cairn_lookup_result *answer,
                                       struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);
	struct cairn_symbols *symbols = a->symbols;
	const struct gsym *gsym = &symbols->image.gsym;
	struct cairn_bytes none = { gsym->bytes.data, 0 };
	struct cairn_location l = { .directory = none, .file = none };

	if (a->ended)
		return false;
	set_place(a, symbols, &l);
	if (a->node > DECODED_ROOT) {
		struct decoded_node *node = &decoded_nodes(a->decoded)[a->node];
		l.function = decoded_name(gsym, &node->name);
		l.start = a->decoded->start + node->start;
		l.inlined = true;
		a->place_file = node->call_file;
		a->place_line = node->call_line;
		a->node = node->parent;
	} else {
		l.function = decoded_name(gsym, &a->decoded->name);
		l.start = a->decoded->start;
		l.size = a->decoded->size;
		a->ended = true;
	}
	l.offset = answer->va - l.start;
	*location = l;
	return true;
}

static bool lookup_result_next_columned(struct cairn_lookup_result *answer,
                                        struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);
	const uint32_t node = a->node,
		       column = a->place_file == DECODED_NO_PLACE ? 0 : a->place_column;

	if (!lookup_result_next_decoded(answer, location))
		return false;
	location->column = column;
	a->place_column = decoded_call_column(a->decoded, node);
	return true;
}

static bool lookup_result_next_kept(struct cairn_lookup_result *answer,
                                    struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);

	return !a->nothing && kept_lookup_next(&a->kept, location);
}

static bool lookup_result_next_in_bytes(struct cairn_lookup_result *answer,
                                        struct cairn_location *location)
{
	struct lookup_state *a = lookup_state_of(answer);

	if (a->lookup.ended || !gsym_next_location(&a->lookup, location))
		return false;
	if (answer->fault.status == CAIRN_OK)
		answer->fault = a->lookup.fault;
	return true;
}

bool cairn_lookup_result_next(struct cairn_lookup_result *answer, struct cairn_location *location)
{
	return lookup_state_of(answer)->next(answer, location);
}

/* Find the block of folded functions in the file, because decoded functions do not include it. */
static void begin_folded(struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);
	const struct gsym *gsym = &answer->symbols->image.gsym;
	struct gsym_function function;
	struct gsym_block block;
	struct cairn_fault fault;

	a->folded_begun = true;
	if (gsym_function(gsym, a->index, &function, &fault) != CAIRN_OK)
		return;
	struct gsym_blocks blocks = gsym_blocks(gsym, &function);
	while (gsym_next_block(&blocks, &block))
		if (block.type == GSYM_MERGED) {
			a->folded = gsym_merged(gsym, &function, &block);
			a->has_folded = true;
		}
}

bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer)
{
	struct lookup_state *a = lookup_state_of(answer);
	struct gsym_function function;

	if (!answer->symbols->is_image)
		return false;
	if (!a->folded_begun)
		begin_folded(answer);
	if (!a->has_folded)
		return false;
	a->has_folded = gsym_next_merged(&a->folded, &function);
	if (!a->has_folded) {
		if (answer->fault.status == CAIRN_OK)
			answer->fault = a->folded.in.fault;
		return false;
	}
	a->next = lookup_result_next_in_bytes;
	a->decoded = NULL;
	gsym_lookup_in_function(&answer->symbols->image.gsym, &function, answer->va, &a->lookup);
	if (answer->fault.status == CAIRN_OK)
		answer->fault = a->lookup.fault;
	return true;
}

_Static_assert(sizeof(struct lookup_state) <= sizeof(((struct cairn_lookup_result *)0)->state),
               "the state of an answer has no room for it");

bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols, struct cairn_bytes build_id)
{
	enum { GUID = 16 }; /* Breakpad modules may have only the first 16 bytes of a build ID */
	const struct cairn_bytes own = cairn_symbols_build_id(symbols);
	const bool part = symbols->format == CAIRN_SYMBOLS_BREAKPAD && own.size == GUID;

	return own.size > 0 && (own.size == build_id.size || (part && build_id.size > GUID)) &&
	       memcmp(own.data, build_id.data, own.size) == 0;
}

/*
 * Return the default size of the cache. Decoding all functions takes about twice the file size;
 * allow twice that amount.
 */
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

enum cairn_status cairn_symbols_open_bytes(struct cairn_bytes file,
                                           const struct cairn_symbols_options *options,
                                           struct cairn_symbols **symbols,
                                           struct cairn_fault *fault)
{
	struct cairn_symbols_options taken = CAIRN_SYMBOLS_OPTIONS;
	WITH_CLEANUP(free_symbols) struct cairn_symbols *s = calloc(1, sizeof(*s));
	struct jitdump dump;

	sized_take(&taken, sizeof(taken), options);
	bytes_fill(&taken.build_id);
	if (!s)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	if (taken.format == CAIRN_SYMBOLS_JIT && taken.pid && jitdump_open(file, &dump) &&
	    dump.pid != taken.pid)
		return fault_set(fault, CAIRN_MISMATCH, "the jitdump of another process");
	s->format = taken.format == CAIRN_SYMBOLS_GO || taken.format == CAIRN_SYMBOLS_JIT
	                    ? taken.format
	                    : CAIRN_SYMBOLS_GSYM;
	/*
	 * Detect the format, unless the options specify Go tables or JIT code. ELF files, which may
	 * contain GSYM, and files in unknown formats are opened as GSYM.
	 */
	if (s->format == CAIRN_SYMBOLS_GSYM &&
	    (!symbol_format_of(file, &s->format) || s->format == CAIRN_SYMBOLS_ELF))
		s->format = CAIRN_SYMBOLS_GSYM;
	s->is_image = s->format == CAIRN_SYMBOLS_GSYM;
	struct polling polling = { taken.poll ? taken.poll->poll : NULL,
		                   taken.poll ? taken.poll->context : NULL, 0 };
	const enum cairn_status status =
		s->is_image ? gsym_image_open(file, &s->image, fault)
			    : read_all(file, s->format, &polling, &s->functions, fault);
	if (status != CAIRN_OK)
		return status;
	if (taken.build_id.size > 0 && s->format != CAIRN_SYMBOLS_JIT &&
	    !cairn_symbols_is_of_build(s, taken.build_id))
		return fault_set(fault, CAIRN_MISMATCH,
		                 cairn_symbols_build_id(s).size
		                         ? "belongs to another build"
		                         : "does not record which build it belongs to");
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
	function_table_close(&symbols->functions.list);
	free(symbols->functions.texts);
	free((void *)(uintptr_t)symbols->functions.build_id.data);
	if (symbols->file)
		symbols->close_file(symbols->file);
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

/*
 * Return the index of function ends, building it on first use. It finds the function around an
 * address that follows a nested function. Returns NULL if allocation fails, which only makes
 * lookups slower.
 */
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

	/* write only if necessary, so that the cache line can remain shared between CPUs */
	if (!decoded->was_used)
		decoded->was_used = true;
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

/*
 * Return the locations from a decoded function that may have columns. Only GSYM files written by
 * cairn have columns.
 */
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
	const struct function_table *list = &symbols->functions.list;
	const struct table_function *function = function_table_reaching(list, va);
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
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	if (symbols->is_image)
		return gsym_find_name(&symbols->image.gsym, symbols->reach, va, location, fault);
	const struct table_function *function =
		function_table_reaching(&symbols->functions.list, va);
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

enum {
	FIRST_CAPACITY = 4,
	/* number of addresses in one function for which a batch decodes the function immediately */
	WORTH_DECODING = 4,
};

struct wanted {
	uint64_t va;
	size_t at;
};

struct gathering {
	struct cairn_batch *batch;
	size_t count, capacity;
};

static int compare_wanted_by_va(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->at, b->at, 0));
}

static bool lookup_result_has_folded(struct cairn_lookup_result *answer)
{
	const struct lookup_state *a = lookup_state_of(answer);

	if (!answer->symbols->is_image)
		return false;
	if (a->decoded)
		return a->decoded->has_folded;
	return !a->nothing && a->lookup.merged.type == GSYM_MERGED;
}

static bool answer_one(struct gathering *g, struct cairn_symbols *symbols,
                       const struct wanted *wanted, size_t left)
{
	struct cairn_batch_item *item = &g->batch->items[wanted->at];
	const struct gsym *gsym = &symbols->image.gsym;
	/* decode the whole function if it contains many of the next addresses, which are sorted */
	const bool eager =
		symbols->is_image && left >= WORTH_DECODING &&
		gsym_search(gsym, wanted->va) == gsym_search(gsym, wanted[WORTH_DECODING - 1].va);
	struct cairn_location location;
	struct cairn_lookup_result answer;
	bool fits = true;

	item->first = g->count;
	if (symbols_find(symbols, wanted->va, eager, &answer) == CAIRN_OK)
		while (fits && cairn_lookup_result_next(&answer, &location)) {
			fits = array_grow_from(&g->batch->locations, &g->capacity, g->count + 1,
			                       sizeof(*g->batch->locations),
			                       FIRST_CAPACITY * g->batch->count);
			if (fits)
				g->batch->locations[g->count++] = location;
		}
	item->fault = answer.fault;
	item->has_folded = lookup_result_has_folded(&answer);
	item->count = g->count - item->first;
	return fits;
}

enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols, const uint64_t *vas,
                                          size_t count, struct cairn_batch *batch)
{
	size_t capacity = count ? count : 1;
	struct wanted *wanted = calloc(capacity, sizeof(*wanted));
	struct gathering g = { .batch = batch };

	*batch = (struct cairn_batch){ .count = count,
		                       .items = calloc(capacity, sizeof(*batch->items)) };
	bool done = wanted && batch->items;
	for (size_t i = 0; done && i < count; i++)
		wanted[i] = (struct wanted){ vas[i], i };
	if (done)
		qsort(wanted, count, sizeof(*wanted), compare_wanted_by_va);
	for (size_t i = 0; done && i < count; i++)
		done = answer_one(&g, symbols, &wanted[i], count - i);
	free(wanted);
	if (!done)
		cairn_batch_free(batch);
	return done ? CAIRN_OK : CAIRN_NO_MEMORY;
}

void cairn_batch_free(struct cairn_batch *batch)
{
	free(batch->items);
	free(batch->locations);
	*batch = (struct cairn_batch){ .count = 0 };
}
