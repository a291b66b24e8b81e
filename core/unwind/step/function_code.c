/* SPDX-License-Identifier: MIT */
/* Reads a function's code and its jump targets for the data-flow analysis. */
#include "function_code.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/target_memory.h"
#include "unwind/tables/cfi_coverage.h"
#include "unwind/tables/sframe_rules.h"
#include "unwind/tables/unwind_tables.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	CALL_HEIGHT = 8, /* distance from the stack pointer to the CFA at function entry */
	/* maximum number of entries per jump table; further entries are ignored */
	TABLE_ENTRIES = 1024,
	OWNERS_MAX = 4, /* maximum number of functions to try as the owner of one cold part */
};

struct analysis {
	struct cairn_space *space;
	struct module *module;
	struct function_code_work *work;
	struct flow *flow;
	uint64_t asked;
	/*
	 * start of the function that this code may belong to; equals `asked` until such a function
	 * is found
	 */
	uint64_t owner;
};

static bool find_function(const struct analysis *a, uint64_t va, const struct sframe_table **table,
                          struct sframe_function *function)
{
	const struct cairn_rule *rule;

	return cairn_rules_find(a->module->rules, va, &rule, NULL) == CAIRN_OK &&
	       rules_function(a->module->rules, rule->function, table, function);
}

static struct flow_row row_of(const struct cairn_rule *rule, uint32_t start)
{
	const struct cairn_register_rule *cfa = &rule->cfa;
	bool plain = cfa->kind == CAIRN_REGISTER_VALUE && cfa->offset > 0 &&
	             cfa->offset <= INT32_MAX && !rule->outermost &&
	             (cfa->base == AMD64_RSP || cfa->base == AMD64_RBP);

	return (struct flow_row){ start, plain ? (uint8_t)cfa->base : AMD64_NONE,
		                  plain ? (int32_t)cfa->offset : 0 };
}

/*
 * Return true if the function begins with a nop. GCC inserts a nop at the start of a cold part
 * (name.cold) that catches exceptions, because a landing pad must not be at the first byte of a
 * part. The row at the nop looks like the row at a function entry; the next row describes the
 * function's frame.
 */
static bool begins_by_nop(const struct analysis *a, const struct sframe_function *function,
                          struct sframe_rows rows)
{
	enum { NOP = 0x90 };
	struct sframe_row row;
	uint8_t byte;

	return sframe_next_row(&rows, &row) && row.start == 1 &&
	       memory_read(&a->space->target, function->start + a->module->bias, &byte, 1) &&
	       byte == NOP;
}

/*
 * Return true if the function is entered by calls. Otherwise it is a cold part, which the compiler
 * split off from another function.
 */
static bool begins_by_call(const struct analysis *a, const struct sframe_table *table,
                           const struct sframe_function *function)
{
	struct sframe_rows rows = sframe_rows(table, function);
	struct sframe_row row;
	struct cairn_rule rule;
	struct cairn_fault fault;

	if (!sframe_next_row(&rows, &row) || row.start != 0 ||
	    sframe_rule(table, function, &row, &rule, &fault) != CAIRN_OK)
		return false;
	struct flow_row first = row_of(&rule, 0);
	return first.base == AMD64_RSP && first.offset == CALL_HEIGHT &&
	       !begins_by_nop(a, function, rows);
}

static bool add_rows(struct flow *flow, const struct sframe_table *table,
                     const struct sframe_function *function)
{
	struct sframe_rows rows = sframe_rows(table, function);
	struct sframe_row row;
	struct cairn_rule rule;
	struct cairn_fault fault;

	while (sframe_next_row(&rows, &row)) {
		if (sframe_rule(table, function, &row, &rule, &fault) != CAIRN_OK)
			return false;
		flow_row(flow, row_of(&rule, row.start));
	}
	return rows.fault.status == CAIRN_OK;
}

static bool add_piece(const struct analysis *a, const struct sframe_table *table,
                      const struct sframe_function *function)
{
	uint8_t *code = flow_piece(a->flow, function->start, function->size);

	return code && !function->masked && !function->signal &&
	       memory_read_some(&a->space->target, function->start + a->module->bias, code,
	                        function->size) == function->size &&
	       add_rows(a->flow, table, function) && flow_close_piece(a->flow);
}

/*
 * Add the code around `va` as a piece if it belongs to a cold part, or to the requested function
 * itself.
 */
static bool lend_part(struct analysis *a, uint64_t va)
{
	const struct sframe_table *table;
	struct sframe_function function;

	return find_function(a, va, &table, &function) &&
	       (function.start == a->asked || !begins_by_call(a, table, &function)) &&
	       add_piece(a, table, &function);
}

/* If the code jumps into the body of another function, record that function as its owner. */
static void note_owner(struct analysis *a, uint64_t va)
{
	const struct sframe_table *table;
	struct sframe_function function;

	if (a->owner == a->asked && find_function(a, va, &table, &function) &&
	    va != function.start && !function.masked && begins_by_call(a, table, &function))
		a->owner = function.start;
}

static bool lend_piece(struct analysis *a, uint64_t va)
{
	note_owner(a, va);
	return lend_part(a, va);
}

/*
 * Add an entry of a jump table. The entry must lead to an instruction in the function or in one of
 * its parts.
 */
static bool lend_target(struct analysis *a, uint64_t va)
{
	return flow_target(a->flow, va) ||
	       (module_is_code(a->module, va) && lend_part(a, va) && flow_target(a->flow, va));
}

static uint64_t entry_at(const uint8_t *entry, const struct flow_need *wanted, uint64_t bias)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < wanted->size; i++)
		value |= (uint64_t)entry[i] << 8 * i;
	if (wanted->size == WORD)
		return value - bias;
	return wanted->base + (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static bool lend_table(struct analysis *a)
{
	const struct flow_need wanted = a->flow->wanted;
	uint8_t *bytes = a->work->bytes;
	size_t size = memory_read_some(&a->space->target, wanted.va + a->module->bias, bytes,
	                               (size_t)TABLE_ENTRIES * wanted.size);
	size_t count = 0;

	while (count < size / wanted.size &&
	       lend_target(a, entry_at(bytes + count * wanted.size, &wanted, a->module->bias)))
		count++;
	return count > 0;
}

/*
 * Return true if the function catches exceptions. Return false if it has no call frame information,
 * because exceptions cannot reach such a function.
 */
static bool catches_exceptions(const struct analysis *a, uint64_t va)
{
	struct cairn_space *space = a->space;
	struct module *module = a->module;
	const struct cfi_memory view = module_cfi_memory(space, module);
	const struct cfi_range *range = module_find_cfi(space, module, va);
	struct cairn_fault fault;
	struct cfi_row row;

	if (!range)
		return false;
	const struct fde_reader_query question = { module->cfi.frames, range->fde, va };
	if (!space->entries)
		space->entries = malloc(sizeof(*space->entries));
	return !space->entries ||
	       fde_reader_read_row(space->entries, &view, &question, &row, &fault) != CAIRN_OK ||
	       space->entries->cie.personality;
}

static bool follow_function(struct analysis *a, uint64_t root)
{
	const struct sframe_table *table;
	struct sframe_function function;
	enum flow_status want;

	flow_begin(a->flow, catches_exceptions(a, root));
	if (!rules_function(a->module->rules, root, &table, &function) ||
	    !begins_by_call(a, table, &function) || !add_piece(a, table, &function))
		return false;
	while (want = flow_run(a->flow), want == FLOW_NEEDS_PIECE || want == FLOW_NEEDS_TABLE)
		if (want == FLOW_NEEDS_PIECE ? !lend_piece(a, a->flow->wanted.va) : !lend_table(a))
			flow_reject(a->flow);
	return want == FLOW_DONE;
}

/*
 * Return true for PLT entries, which push no registers: the regular entries, and the first one
 * (push, jump).
 */
static bool is_plt(const struct analysis *a, const struct sframe_function *function)
{
	static const uint8_t push_memory[] = { 0xff, 0x35 };
	uint8_t code[sizeof(push_memory)];

	return function->masked ||
	       (memory_read(&a->space->target, function->start + a->module->bias, code,
	                    sizeof(code)) &&
	        memcmp(code, push_memory, sizeof(code)) == 0);
}

static bool jumps_to(const uint8_t *code, uint64_t va, const struct sframe_function *function)
{
	uint64_t to = va + 4 + (uint64_t)(int64_t)(int32_t)bytes_u32(code, false);
	bool jump = code[-1] == 0xe9 || (code[-2] == 0x0f && code[-1] >> 4 == 8);

	return jump && to - function->start < function->size;
}

/*
 * Analyze the function at `va`, which jumps to the requested cold part. Return true if the analysis
 * covers this part.
 */
static bool try_owner(struct analysis *a, uint64_t va)
{
	const struct sframe_table *table;
	struct sframe_function owner;

	return find_function(a, va, &table, &owner) && owner.start != a->asked &&
	       follow_function(a, owner.start) && flow_has_piece(a->flow, a->asked);
}

static bool scan_window(struct analysis *a, const struct sframe_function *part, uint64_t va,
                        size_t size, unsigned *tried)
{
	const uint8_t *code = a->work->bytes;

	for (size_t at = 2; at + 4 <= size && *tried < OWNERS_MAX; at++)
		if (jumps_to(code + at, va + at, part)) {
			uint64_t source = va + at - 1;
			++*tried;
			if (try_owner(a, source))
				return true;
			if (memory_read_some(&a->space->target, va + a->module->bias,
			                     a->work->bytes, size) != size)
				return false;
		}
	return false;
}

/*
 * Find the function to which a cold part belongs, by searching the module's code for a jump to the
 * part. Scans at most FUNCTION_CODE_SCAN_MAX bytes per module.
 */
static bool scan_for_owner(struct analysis *a, const struct sframe_function *part)
{
	struct function_code_work *work = a->work;
	uint64_t low, high;
	unsigned tried = 0;

	if (!module_code_range(a->module, &low, &high))
		return false;
	for (uint64_t va = low; va < high && tried < OWNERS_MAX;) {
		size_t size =
			high - va < sizeof(work->bytes) ? (size_t)(high - va) : sizeof(work->bytes);
		if (size < 2 * WORD || work->scanned > FUNCTION_CODE_SCAN_MAX - size)
			return false;
		work->scanned += (uint32_t)size;
		if (memory_read_some(&a->space->target, va + a->module->bias, work->bytes, size) !=
		    size)
			return false;
		if (scan_window(a, part, va, size, &tried))
			return true;
		va += size - WORD;
	}
	return false;
}

/*
 * Analyze a cold part together with the function to which it belongs, because that function has
 * already set up the frame when it jumps to the cold part.
 */
static bool follow_part(struct analysis *a, const struct sframe_table *table,
                        const struct sframe_function *function)
{
	flow_begin(a->flow, false);
	if (!add_piece(a, table, function))
		return false;
	while (flow_link(a->flow)) {
		note_owner(a, a->flow->wanted.va);
		flow_reject(a->flow);
	}
	if (a->owner != a->asked && try_owner(a, a->owner))
		return true;
	return scan_for_owner(a, function);
}

enum function_code_outcome function_code_analyze(struct cairn_space *space, struct module *module,
                                                 struct function_code_work *work, uint64_t start)
{
	struct analysis a = { space, module, work, space->flow, start, start };
	const struct sframe_table *table;
	struct sframe_function function;

	if (!rules_function(module->rules, start, &table, &function))
		return FUNCTION_CODE_UNKNOWN;
	if (is_plt(&a, &function))
		return FUNCTION_CODE_UNTOUCHED;
	if (!begins_by_call(&a, table, &function))
		return follow_part(&a, table, &function) ? FUNCTION_CODE_ANALYZED
		                                         : FUNCTION_CODE_UNKNOWN;
	bool known = follow_function(&a, start);
	if (a.owner != start)
		known = try_owner(&a, a.owner);
	return known ? FUNCTION_CODE_ANALYZED : FUNCTION_CODE_UNKNOWN;
}

enum {
	CACHE_FACTS = 1 << 10,
	CACHE_FUNCTIONS_MAX = 1 << 16,
	CACHE_FACTS_MAX = 1 << 20, /* 16 MB; when the limit is exceeded, the cache is emptied */
};

static const uint8_t saved_registers[FLOW_SAVED_REGISTERS] = { 3, 12, 13, 14, 15 };

/*
 * The facts of all functions are in one pool. The facts of each function follow a header: a fact
 * whose `start` is the number of facts, or 0 if the analysis failed.
 */
struct callee_saved_cache {
	/* Maps FUNCTION_START + 1 to the index of the function's header in the pool. */
	struct number_map functions;
	struct flow_fact *fact;
	size_t facts, capacity;
	struct function_code_work work;
};

static void forget_all(struct callee_saved_cache *cache)
{
	free(cache->functions.slot);
	free(cache->fact);
	cache->functions = (struct number_map){ .slot = NULL };
	cache->fact = NULL;
	cache->facts = cache->capacity = 0;
}

static void saved_free(struct callee_saved_cache *cache)
{
	if (cache)
		forget_all(cache);
	free(cache);
}

/*
 * Return the header before the function's facts, or NULL if the function has not been analyzed yet.
 */
static const struct flow_fact *find_function_facts(const struct callee_saved_cache *cache,
                                                   uint64_t start)
{
	uint32_t place;

	return number_map_find(&cache->functions, start + 1, &place) ? &cache->fact[place] : NULL;
}

/* Cache a function's facts. If they do not fit, empty the cache first. */
static bool keep_facts(struct callee_saved_cache *cache, uint64_t start,
                       const struct flow_fact *facts, uint32_t count)
{
	if (start == UINT64_MAX)
		return false;
	if (count >= CACHE_FACTS_MAX - cache->facts ||
	    cache->functions.count >= CACHE_FUNCTIONS_MAX)
		forget_all(cache);
	struct number_slot *slot = number_map_at(&cache->functions, start + 1);
	if (!slot || !array_grow_from(&cache->fact, &cache->capacity, cache->facts + 1 + count,
	                              sizeof(*cache->fact), CACHE_FACTS))
		return false;
	cache->functions.count += slot->key == 0;
	*slot = (struct number_slot){ start + 1, (uint32_t)cache->facts };
	cache->fact[cache->facts++] = (struct flow_fact){ .start = count };
	if (count > 0)
		memcpy(cache->fact + cache->facts, facts, count * sizeof(*facts));
	cache->facts += count;
	return true;
}

static bool keep_pieces(const struct flow *flow, struct callee_saved_cache *cache, uint64_t asked)
{
	for (uint32_t p = 0; p < flow->pieces; p++) {
		uint32_t count;
		const struct flow_fact *facts = flow_facts(flow, p, &count);
		uint64_t start = flow->piece[p].va;
		if ((p == 0 || start == asked) && !keep_facts(cache, start, facts, count))
			return false;
	}
	return true;
}

static bool learn_function(struct cairn_space *space, struct module *module, uint64_t start)
{
	static const struct flow_fact untouched = { 0, { 1, 1, 1, 1, 1 } };
	struct callee_saved_cache *cache = module->saved;

	switch (function_code_analyze(space, module, &cache->work, start)) {
	case FUNCTION_CODE_UNTOUCHED:
		return keep_facts(cache, start, &untouched, 1);
	case FUNCTION_CODE_ANALYZED:
		if (!keep_pieces(space->flow, cache, start))
			return false;
		break;
	case FUNCTION_CODE_UNKNOWN:
		break;
	}
	return find_function_facts(cache, start) || keep_facts(cache, start, NULL, 0);
}

/*
 * Return the header before the function's facts. Analyze the function first if needed. Return NULL
 * if allocation fails.
 */
static const struct flow_fact *facts_of(struct cairn_space *space, struct module *module,
                                        uint64_t start)
{
	struct callee_saved_cache *cache = module->saved;
	const struct flow_fact *known = cache ? find_function_facts(cache, start) : NULL;

	if (known)
		return known;
	if (!cache)
		module->saved = cache = calloc(1, sizeof(*cache));
	module->free_saved = saved_free;
	if (!space->flow)
		space->flow = malloc(sizeof(*space->flow));
	return cache && space->flow && learn_function(space, module, start)
	               ? find_function_facts(cache, start)
	               : NULL;
}

static const struct flow_fact *find_fact(const struct flow_fact *counted, uint64_t into)
{
	const struct flow_fact *base = counted + 1;

	for (uint32_t left = counted->start; left > 1;) {
		uint32_t half = left / 2;
		if (base[half].start <= into)
			base += half;
		left -= half;
	}
	return base;
}

void callee_saved_recover(struct cairn_space *space, struct module *module,
                          const struct callee_saved_frame *at, struct cairn_registers *caller)
{
	const struct cairn_registers *frame = at->frame;
	uint64_t value;

	if (frame->machine != CAIRN_MACHINE_AMD64)
		return;
	const struct flow_fact *counted = facts_of(space, module, at->function);
	if (!counted || counted->start == 0)
		return;
	const struct flow_fact fact = *find_fact(counted, at->va - at->function);
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++) {
		unsigned reg = saved_registers[i];
		if (fact.where[i] == FLOW_SAME && register_known(frame, reg))
			register_set(caller, reg, frame->value[reg]);
		else if (fact.where[i] < 0 &&
		         memory_word(&space->target, at->cfa + (uint64_t)(fact.where[i] * WORD),
		                     false, &value))
			register_set(caller, reg, value);
	}
}
