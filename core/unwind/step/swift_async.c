/* SPDX-License-Identifier: MIT */
/*
 * Finds the async callers of a frame in a space (see <cairn/unwind.h>). GDB does not report the
 * paths of modules. Therefore Swift's concurrency runtime is recognized by its variables, which are
 * looked up in the dynamic symbol table in memory:
 *
 *	DT_GNU_HASH = buckets:4 first:4 filters:4 shift:4 filter:8... bucket:4... chain:4...
 *
 * A bucket has the index of its first symbol, or 0. The symbols from `first` on have one word each
 * in `chain`: a hash whose lowest bit is set in the last symbol of a bucket.
 */
#include "swift_tasks.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "unwind/tables/modules.h"
#include "unwind/tables/program_files.h"

#include <string.h>

enum {
	DYNAMIC_MAX = 128, /* maximum number of entries in a dynamic section */
	ENTRY = 16,
	DT_STRTAB = 5,
	DT_SYMTAB = 6,
	DT_GNU_HASH = 0x6ffffef5,
	HASH_HEADER = 16,
	FILTER = 8,
	/* maximum number of symbols to compare in one bucket; linkers put about four into one */
	BUCKET_MAX = 1 << 10,
	SYMBOL = 24,
	SYMBOL_SECTION = 6,
	SYMBOL_VALUE = 8,
	NAME_MAX_SIZE = 96,
	/* maximum number of unknown modules to search for in one query of the debugger */
	SEARCHES_MAX = 64,
	/* number of steps that reading the runtime's variables counts as */
	RUNTIME_STEPS = 1 << 14,
};

struct space_swift {
	uint64_t module; /* number of the module for which `runtime` was read */
	unsigned tick;   /* value of space->tick when the limits below were set */
	unsigned searches_left;
	struct swift_runtime runtime;
	struct swift_chain chain;
};

static void free_space_swift(struct space_swift *swift)
{
	swift_chain_finish(&swift->chain);
	swift_chain_finish(&swift->runtime.own);
	free(swift);
}

/* Implement swift_runtime.is_code. */
static bool is_module_code(void *context, uint64_t pc)
{
	struct cairn_space *space = context;
	const struct module *module = space_find_known(space, pc);

	if (!module && space->swift->searches_left > 0) {
		space->swift->searches_left--;
		module = space_find(space, pc);
	}
	return module && module_is_code(module, pc - module->bias);
}

/* Addresses of a module's dynamic symbol table. */
struct dynamic_symbols {
	uint64_t strings, symbols, hash;
};

static bool find_dynamic_symbols(const struct cairn_target *target, const struct module *module,
                                 struct dynamic_symbols *table)
{
	uint8_t bytes[DYNAMIC_MAX * ENTRY];

	*table = (struct dynamic_symbols){ .hash = 0 };
	if (module->dynamic_va == 0)
		return false;
	const size_t size =
		memory_read_some(target, module->dynamic_va + module->bias, bytes, sizeof(bytes));
	for (size_t at = 0; at + ENTRY <= size && bytes_u64(bytes + at, false) != 0; at += ENTRY) {
		const uint64_t tag = bytes_u64(bytes + at, false);
		uint64_t *to = tag == DT_STRTAB     ? &table->strings
		               : tag == DT_SYMTAB   ? &table->symbols
		               : tag == DT_GNU_HASH ? &table->hash
		                                    : NULL;
		if (!to)
			continue;
		*to = bytes_u64(bytes + at + ENTRY / 2, false);
		/* glibc relocates these addresses; they are not relocated in a file or by musl */
		if (*to - module->low >= module->high - module->low)
			*to += module->bias;
	}
	return table->strings != 0 && table->symbols != 0 && table->hash != 0;
}

/* Find a dynamic symbol that the module defines. Set *value to its value in the table. */
static bool find_dynamic_symbol(const struct cairn_target *target,
                                const struct dynamic_symbols *table, const char *name,
                                uint64_t *value)
{
	const size_t size = strlen(name) + 1;
	uint8_t head[HASH_HEADER], word[4], symbol[SYMBOL];
	char other[NAME_MAX_SIZE];
	uint32_t hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	if (size > sizeof(other) || !memory_read(target, table->hash, head, sizeof(head)))
		return false;
	const uint32_t buckets = bytes_u32(head, false), first = bytes_u32(head + 4, false);
	const uint64_t bucket =
		table->hash + HASH_HEADER + (uint64_t)FILTER * bytes_u32(head + 8, false);
	const uint64_t chain = bucket + (uint64_t)sizeof(word) * buckets;
	if (buckets == 0 || !memory_read(target, bucket + sizeof(word) * (uint64_t)(hash % buckets),
	                                 word, sizeof(word)))
		return false;
	uint64_t at = bytes_u32(word, false);
	for (unsigned i = 0; at >= first && at != 0 && i < BUCKET_MAX; i++, at++) {
		if (!memory_read(target, chain + sizeof(word) * (at - first), word, sizeof(word)))
			return false;
		const uint32_t found = bytes_u32(word, false);
		if ((found | 1) == (hash | 1) &&
		    memory_read(target, table->symbols + SYMBOL * at, symbol, sizeof(symbol)) &&
		    (symbol[SYMBOL_SECTION] | symbol[SYMBOL_SECTION + 1]) != 0 &&
		    memory_read(target, table->strings + bytes_u32(symbol, false), other, size) &&
		    memcmp(other, name, size) == 0) {
			*value = bytes_u64(symbol + SYMBOL_VALUE, false);
			return true;
		}
		if (found & 1)
			return false;
	}
	return false;
}

static enum module_swift read_runtime(const struct cairn_target *target,
                                      const struct module *module, struct swift_runtime *runtime)
{
	uint64_t value[SWIFT_VARIABLES], va;
	struct dynamic_symbols table;

	if (module->report || !find_dynamic_symbols(target, module, &table))
		return MODULE_SWIFT_NONE;
	for (unsigned i = 0; i < SWIFT_VARIABLES; i++)
		if (!find_dynamic_symbol(target, &table, swift_variable_names[i], &va) ||
		    !memory_word(target, va + module->bias, false, &value[i]))
			return MODULE_SWIFT_NONE;
	return swift_set_variables(runtime, value) ? MODULE_SWIFT_READY : MODULE_SWIFT_UNSUPPORTED;
}

/*
 * Return OK if the frame's caller is in Swift's concurrency runtime, and prepare space->swift.
 * Otherwise return a status of cairn_find_async_callers().
 */
static enum cairn_status find_runtime(struct cairn_space *space, const struct cairn_step *step)
{
	const enum cairn_machine machine = step->caller.machine;

	if (step->stop != CAIRN_STOP_NONE || step->caller.big_endian ||
	    (machine != CAIRN_MACHINE_AMD64 && machine != CAIRN_MACHINE_AARCH64))
		return CAIRN_NOT_FOUND;
	struct module *module = space_find(space, step->caller.pc);
	if (!module || module->swift == MODULE_SWIFT_NONE)
		return CAIRN_NOT_FOUND;
	if (!space->swift) {
		space->free_swift = free_space_swift;
		space->swift = calloc(1, sizeof(*space->swift));
	}
	struct space_swift *swift = space->swift;
	if (!swift)
		return CAIRN_NO_MEMORY;
	struct swift_runtime *runtime = &swift->runtime;
	runtime->memory = runtime->stack = runtime->code = &space->target;
	runtime->is_code = is_module_code;
	runtime->context = space;
	if (swift->tick != space->tick) {
		runtime->steps_left = SWIFT_STEPS_QUERY;
		swift->searches_left = SEARCHES_MAX;
	}
	swift->tick = space->tick;
	if (module->swift == MODULE_SWIFT_UNTRIED ||
	    (module->swift == MODULE_SWIFT_READY && swift->module != module->number)) {
		if (runtime->steps_left < RUNTIME_STEPS)
			return CAIRN_NOT_FOUND;
		runtime->steps_left -= RUNTIME_STEPS;
		swift->module = 0; /* the host may throw an exception from a read */
		module->swift = read_runtime(&space->target, module, runtime);
		swift->module = module->swift == MODULE_SWIFT_READY ? module->number : 0;
	}
	return module->swift == MODULE_SWIFT_READY         ? CAIRN_OK
	       : module->swift == MODULE_SWIFT_UNSUPPORTED ? CAIRN_UNSUPPORTED
	                                                   : CAIRN_NOT_FOUND;
}

bool cairn_space_wants_async(struct cairn_space *space, const struct cairn_registers *frame,
                             enum cairn_frame_kind kind, const struct cairn_step *step)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };

	space_begin_query(space);
	if (find_runtime(space, step) != CAIRN_OK)
		return false;
	const struct module *module = space_find(space, cairn_frame_lookup_address(&asked));
	return module && !(module->files && module->files->wants_async);
}

enum cairn_status cairn_find_async_callers(struct cairn_space *space,
                                           const struct cairn_registers *frame,
                                           enum cairn_frame_kind kind,
                                           const struct cairn_step *step, uint64_t inner_task,
                                           struct cairn_async_callers *callers)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };
	const uint64_t lookup = cairn_frame_lookup_address(&asked);
	struct swift_frame async = { .registers = frame,
		                     .cfa = step->cfa,
		                     .start = step->function,
		                     .is_exact = kind == CAIRN_FRAME_PC,
		                     .inner_task = inner_task };
	enum files_async is_async = FILES_NO_NAME;
	struct swift_owned_context context;
	uint64_t start;

	*callers = (struct cairn_async_callers){ .count = 0 };
	space_begin_query(space);
	const enum cairn_status status = find_runtime(space, step);
	if (status != CAIRN_OK)
		return status;
	const struct module *module = space_find(space, lookup);
	if (!module)
		return CAIRN_NOT_FOUND;
	if (module->files && module->files->wants_async)
		is_async = files_find_async(module->files, lookup - module->bias, &start);
	/* the runtime's own functions without a name are seldom async */
	if (is_async == FILES_NOT_ASYNC ||
	    (is_async == FILES_NO_NAME && module->number == space->swift->module))
		return CAIRN_NOT_FOUND;
	if (is_async != FILES_NO_NAME)
		async.start = start + module->bias;
	async.is_awaited = is_async == FILES_AWAITED;
	struct space_swift *swift = space->swift;
	if (!swift_find_context(&swift->runtime, &async, &swift->chain, &context))
		return CAIRN_NOT_FOUND;
	*callers = (struct cairn_async_callers){ swift->chain.pc, swift->chain.count,
		                                 context.task.address };
	return CAIRN_OK;
}
