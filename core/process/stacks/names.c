/* SPDX-License-Identifier: MIT */
/* Names the addresses on stacks with a symbolizer. */

#include "stacks.h"

#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/*
 * Configures the symbolizer with the host's search options, and with the Breakpad files of a
 * minidump's modules. These files are open anyway because they also contain unwind rules.
 */

enum { STACKS_RANK_BREAKPAD = 110 };

static void find_breakpad(struct cairn_stacks *stacks, size_t index)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];
	struct stacks_module *files = &stacks->modules[index];

	if (files->breakpad_looked)
		return;
	files->breakpad_looked = true;
	if (!locate_breakpad(stacks->search.directories, &stacks->search.files, module->debug_name,
	                     module->debug_id, &files->breakpad))
		return;
	files->stack_cfi = stack_cfi_new(files->breakpad.file.bytes);
	if (cairn_symbols_open(files->breakpad.path, NULL, &files->breakpad_symbols, NULL) !=
	    CAIRN_OK)
		files->breakpad_symbols = NULL;
	stacks_report_opened(stacks, files->breakpad.file.bytes.size);
}

static const struct stack_cfi *find_rules(void *context, uint64_t pc, uint64_t *low)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	size_t index = (size_t)(module - stacks->snapshot.modules);
	find_breakpad(stacks, index);
	*low = module->low;
	return stacks->modules[index].stack_cfi;
}

bool stacks_report_modules(struct cairn_stacks *stacks)
{
	bool complete = true;

	stacks->space->breakpad = (struct stack_cfi_files){ find_rules, stacks };
	cairn_space_begin_modules(stacks->space);
	for (size_t i = 0; i < stacks->snapshot.module_count; i++) {
		const struct snapshot_module *module = &stacks->snapshot.modules[i];
		const struct cairn_host_module report = { .name = module->path,
			                                  .low = module->low,
			                                  .high = module->high,
			                                  .machine = stacks->snapshot.machine,
			                                  .big_endian = stacks->snapshot.big_endian,
			                                  .text = { module->low, module->high } };
		complete &= cairn_space_add_module(stacks->space, &report) == CAIRN_OK;
	}
	cairn_space_end_modules(stacks->space);
	return complete;
}

/* Free nothing, because the names are freed together with their module. */
static void leave_names(void *opened)
{
	(void)opened;
}

/* Open nothing, because the file depends on the module. find_breakpad_names() opens it. */
static enum cairn_status open_breakpad_names(void *context, struct cairn_symbol_search *search,
                                             void **opened, struct cairn_fault *fault)
{
	(void)search;
	(void)fault;
	*opened = context;
	return CAIRN_OK;
}

/*
 * Look up addresses in a Breakpad file, which records them relative to the first byte of the
 * module.
 */
static void find_breakpad_names(void *opened, const uint64_t *vas, size_t count,
                                const struct cairn_symbol_taker *sink)
{
	struct cairn_stacks *stacks = opened;
	const struct snapshot_module *module = &stacks->snapshot.modules[stacks->asked];
	const uint64_t lowest = snapshot_module_start(module) - module->bias;
	struct cairn_location found[CAIRN_STACK_NAMES];
	struct cairn_lookup_result answer;

	find_breakpad(stacks, stacks->asked);
	struct cairn_symbols *file = stacks->modules[stacks->asked].breakpad_symbols;
	for (size_t i = 0; file && i < count; i++) {
		struct cairn_symbol_found names = { .locations = found };
		if (cairn_symbols_find(file, vas[i] - lowest, &answer) != CAIRN_OK)
			continue;
		while (names.count < CAIRN_STACK_NAMES &&
		       cairn_lookup_result_next(&answer, &found[names.count]))
			names.count++;
		names.all = names.count;
		sink->take(sink->context, i, &names);
	}
}

static struct go_program *find_go_program(struct cairn_stacks *stacks, size_t index)
{
	struct stacks_module *files = &stacks->modules[index];
	struct cairn_fault fault;

	if (files->go_looked)
		return files->go;
	files->go_looked = true;
	stacks_find_file(stacks, index);
	if (!files->found.path)
		return NULL;
	struct go_program *program = malloc(sizeof(*program));
	if (program && go_program_open(files->found.file.bytes, program, &fault) == CAIRN_OK)
		files->go = program;
	else
		free(program);
	return files->go;
}

static const struct gopclntab *find_go_table(void *context, uint64_t pc, uint64_t *bias)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module || !module->has_bias)
		return NULL;
	const struct go_program *program =
		find_go_program(stacks, (size_t)(module - stacks->snapshot.modules));
	*bias = module->bias;
	return program ? &program->table : NULL;
}

void stacks_set_go(struct cairn_stacks *stacks)
{
	stacks->space->go = (struct go_tables){ find_go_table, stacks };
}

void stacks_close_sources(struct stacks_module *module)
{
	cairn_symbols_free(module->breakpad_symbols);
	stack_cfi_free(module->stack_cfi);
	located_close(&module->breakpad);
	free(module->async.name);
	if (module->go)
		go_program_close(module->go);
	free(module->go);
}

/*
 * Fetch a file for the symbolizer. Refuse to fetch programs, because the stacks themselves pass the
 * programs to the symbolizer.
 */
static bool fetch_for_symbolizer(void *context, enum cairn_module_file wanted,
                                 struct cairn_bytes build_id, char *path, size_t size)
{
	struct cairn_stacks *stacks = context;

	(void)build_id;
	return wanted != CAIRN_FILE_PROGRAM &&
	       stacks_fetch_file(stacks, stacks->asked, wanted, path, size);
}

bool stacks_open_symbolizer(struct cairn_stacks *stacks)
{
	const struct cairn_symbol_source breakpad = { .size = sizeof(breakpad),
		                                      .rank = STACKS_RANK_BREAKPAD,
		                                      .name = "breakpad",
		                                      .context = stacks,
		                                      .open = open_breakpad_names,
		                                      .find = find_breakpad_names,
		                                      .close = leave_names };
	const struct cairn_symbolizer_options *from = stacks->options.search;
	struct cairn_symbolizer_options *search = &stacks->search;
	bool good;

	/*
	 * Adopt the host's search options except for two: stacks supply the programs themselves,
	 * and files must stay open until the stacks are closed.
	 */
	*search = (struct cairn_symbolizer_options)CAIRN_SYMBOLIZER_OPTIONS;
	sized_take(search, sizeof(*search), from);
	stacks->fetch = search->fetch;
	stacks->fetch_context = search->fetch_context;
	search->programs = NULL;
	search->program_count = 0;
	search->builds = CAIRN_BUILD_PROVEN;
	search->ranking = CAIRN_RANK_LINES;
	search->skip =
		(search->skip & ~(unsigned)CAIRN_SKIP_BUILTIN_SOURCES) | CAIRN_SKIP_MODULE_PATHS;
	search->modules_max = SIZE_MAX;
	search->memory_max = UINT64_MAX;
	search->fetch = fetch_for_symbolizer;
	search->fetch_context = stacks;
	stacks->symbolizer = cairn_symbolizer_new(&stacks->search);
	good = stacks->symbolizer &&
	       cairn_symbolizer_add(stacks->symbolizer, &breakpad) == CAIRN_OK;
	for (size_t i = 0; good && i < stacks->options.source_count; i++)
		good = cairn_symbolizer_add(stacks->symbolizer, stacks->options.sources[i]) ==
		       CAIRN_OK;
	return good;
}

/*
 * Looks up each address with the symbolizer once, either individually or in batches of addresses in
 * one module.
 */

enum { NAMES_TOGETHER = 128 };

static struct cairn_symbol_module begin_look_up(struct cairn_stacks *stacks, size_t index)
{
	/* a module without a file may get its link-time address from its debug file */
	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP && !stacks->modules[index].found.path)
		stacks_find_debug_file(stacks, index);
	stacks->asked = index;
	return stacks_symbol_module(stacks, index);
}

/*
 * Look up one address. An address outside all modules may be JIT code, even in a mapping of a file:
 * PHP, for example, writes JIT code to shared memory.
 */
static size_t look_up(struct cairn_stacks *stacks, uint64_t address,
                      struct cairn_location found[CAIRN_STACK_NAMES])
{
	struct cairn_symbol_answer answer;
	size_t index;
	const struct snapshot_module *module = stacks_find_module(stacks, address, &index);

	if (!module || !module->has_bias)
		return stacks_find_jit_code(stacks, address, found);
	const struct cairn_symbol_module of = begin_look_up(stacks, index);
	const uint64_t va = address - module->bias;
	if (cairn_symbolizer_find(stacks->symbolizer, &of, &va, 1, &answer, sizeof(answer)) !=
	    CAIRN_OK)
		return 0;
	const size_t count = answer.count < CAIRN_STACK_NAMES ? answer.count : CAIRN_STACK_NAMES;
	if (count > 0)
		memcpy(found, answer.locations, count * sizeof(*found));
	return count;
}

static void keep_answer(struct stacks_names *names, struct number_slot *slot, uint64_t address,
                        const struct cairn_location *found, size_t count)
{
	if (names->location_count + count > UINT32_MAX || names->answer_count >= UINT32_MAX ||
	    !array_grow(&names->locations, &names->location_capacity,
	                names->location_count + count + 1, sizeof(*names->locations)) ||
	    !array_grow(&names->answers, &names->answer_capacity, names->answer_count + 1,
	                sizeof(*names->answers)))
		return;
	if (count > 0)
		memcpy(names->locations + names->location_count, found, count * sizeof(*found));
	names->answers[names->answer_count] =
		(struct stacks_answer){ (uint32_t)names->location_count, (uint32_t)count };
	*slot = (struct number_slot){ address + 1, (uint32_t)names->answer_count++ };
	names->numbers.count++;
	names->location_count += count;
}

/*
 * Return the hash table slot for the address, or NULL if allocation fails. The slot's key is 0 if
 * the address has not been looked up yet.
 */
static struct number_slot *find_answer_slot(struct stacks_names *names, uint64_t address)
{
	return address < UINT64_MAX ? number_map_at(&names->numbers, address + 1) : NULL;
}

static const struct cairn_location *recall_names(struct cairn_stacks *stacks, uint64_t address,
                                                 size_t *count)
{
	struct cairn_location found[CAIRN_STACK_NAMES];
	struct stacks_names *names = &stacks->names;

	*count = 0;
	struct number_slot *slot = find_answer_slot(names, address);
	if (slot && slot->key == 0)
		keep_answer(names, slot, address, found, look_up(stacks, address, found));
	if (!slot || slot->key == 0)
		return NULL;
	const struct stacks_answer *answer = &names->answers[slot->number];
	*count = answer->count;
	return names->locations + answer->first;
}

/* An address to look up. `rank` numbers the modules in the order of their first occurrence. */
struct wanted_name {
	uint64_t address;
	uint32_t rank;
	uint32_t module;
};

static int compare_wanted_names(const void *left, const void *right)
{
	const struct wanted_name *a = left, *b = right;

	return ORDER_BY(a->rank, b->rank, ORDER_BY(a->address, b->address, 0));
}

/*
 * List the addresses in modules that have not been looked up yet, sorted and without duplicates.
 * Return their number.
 */
static size_t list_wanted_names(struct cairn_stacks *stacks, const uint64_t *pcs, size_t count,
                                struct wanted_name *wanted, uint32_t *ranks)
{
	uint32_t ranked = 0;
	size_t listed = 0, kept = 0, index;

	for (size_t i = 0; i < count; i++) {
		const struct number_slot *slot = find_answer_slot(&stacks->names, pcs[i]);
		if (!slot || slot->key != 0)
			continue;
		const struct snapshot_module *module = stacks_find_module(stacks, pcs[i], &index);
		if (!module || !module->has_bias)
			continue;
		if (ranks[index] == 0)
			ranks[index] = ++ranked;
		wanted[listed++] = (struct wanted_name){ pcs[i], ranks[index], (uint32_t)index };
	}
	if (listed > 0)
		qsort(wanted, listed, sizeof(*wanted), compare_wanted_names);
	for (size_t i = 0; i < listed; i++)
		if (kept == 0 || wanted[kept - 1].address != wanted[i].address)
			wanted[kept++] = wanted[i];
	return kept;
}

static bool look_up_together(struct cairn_stacks *stacks, const struct wanted_name *wanted,
                             size_t count)
{
	struct cairn_symbol_answer answers[NAMES_TOGETHER];
	uint64_t vas[NAMES_TOGETHER];
	const struct cairn_symbol_module of = begin_look_up(stacks, wanted->module);
	const uint64_t bias = stacks->snapshot.modules[wanted->module].bias;

	for (size_t i = 0; i < count; i++)
		vas[i] = wanted[i].address - bias;
	if (cairn_symbolizer_find(stacks->symbolizer, &of, vas, count, answers, sizeof(*answers)) !=
	    CAIRN_OK)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct number_slot *slot = find_answer_slot(&stacks->names, wanted[i].address);
		const size_t all = answers[i].count;
		if (!slot)
			return false;
		if (slot->key == 0)
			keep_answer(&stacks->names, slot, wanted[i].address, answers[i].locations,
			            all < CAIRN_STACK_NAMES ? all : CAIRN_STACK_NAMES);
	}
	return true;
}

void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs, size_t count)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	uint32_t *ranks = calloc(stacks->snapshot.module_count + 1, sizeof(*ranks));
	bool ok = wanted && ranks;
	const size_t all = ok ? list_wanted_names(stacks, pcs, count, wanted, ranks) : 0;

	for (size_t i = 0, n; ok && i < all; i += n) {
		for (n = 1; n < NAMES_TOGETHER && i + n < all; n++)
			if (wanted[i + n].rank != wanted[i].rank)
				break;
		ok = look_up_together(stacks, wanted + i, n);
	}
	free(ranks);
	free(wanted);
}

void stacks_close_names(struct stacks_names *names)
{
	free(names->numbers.slot);
	free(names->answers);
	free(names->locations);
}

size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                          struct cairn_location *locations, size_t capacity)
{
	size_t count;
	const struct cairn_location *found = recall_names(stacks, pc, &count);

	if (count > capacity)
		count = capacity;
	if (count > 0)
		memcpy(locations, found, count * sizeof(*found));
	return count;
}

/*
 * Write a name, demangled if possible, and a terminating NUL to `text`, which has a capacity of
 * CAIRN_DEMANGLE_MAX + 1 bytes.
 */
static void write_name(struct cairn_bytes name, char *text)
{
	size_t size = cairn_demangle(name, text, CAIRN_DEMANGLE_MAX);
	uint32_t character;

	if (size == 0) {
		size = name.size < CAIRN_DEMANGLE_MAX ? name.size : CAIRN_DEMANGLE_MAX;
		memcpy(text, name.data, size);
	}
	text[size] = '\0';
	for (size_t at = 0, length; at < size; at += length) {
		const struct cairn_bytes left = { (const uint8_t *)text + at, size - at };
		length = cairn_character_at(left, &character);
		if (length > 0 && cairn_character_is_printable(character))
			continue;
		length = length > 0 ? length : 1;
		memset(text + at, '?', length);
	}
}

const char *cairn_stacks_function(struct cairn_stacks *stacks)
{
	const uint64_t lookup = stacks_lookup_address(stacks);
	struct cairn_location name;

	if (cairn_stacks_names(stacks, lookup, &name, 1) == 0 || name.function.size == 0)
		return "??";
	if (!stacks->function)
		stacks->function = malloc(CAIRN_DEMANGLE_MAX + 1);
	if (!stacks->function)
		return "??";
	write_name(name.function, stacks->function);
	return stacks->function;
}
