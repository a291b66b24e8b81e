/* SPDX-License-Identifier: MIT */
/*
 * Adds the callers of Swift's async functions to stacks, and walks the stacks of tasks.
 *
 * A thread that runs a task has one frame of an async function on its stack, between the plain
 * functions that it called and the runtime. The callers of this function are contexts in memory
 * (unwind/step/swift_tasks.h). The frame's own context is in a slot of the frame, in a
 * register, or somewhere on the stack; it is accepted only if its chain ends in a live task.
 */
#include "process_snapshot.h"
#include "stacks.h"

#include "base/bytes.h"
#include "base/path.h"
#include "base/sized.h"
#include "base/target_memory.h"
#include "formats/swift/mangled.h"
#include "process/snapshot/snapshot_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ENTRY = 9, WORD = 8 };

static const char no_runtime[] = "the program does not use Swift's concurrency runtime";

bool stacks_is_swift(const struct snapshot_module *module)
{
	struct elf_section section;
	struct elf elf;

	return module->file.size > 0 && elf_opens(module->file, &elf) &&
	       (elf_find_section(&elf, "swift5_protocols", &section) ||
	        elf_find_section(&elf, "swift5_type_metadata", &section) ||
	        elf_find_section(&elf, "swift5_types", &section));
}

static bool find_variables(const struct elf *elf, const char *table_name,
                           uint64_t va[SWIFT_VARIABLES])
{
	struct elf_section table;
	struct elf_symbol symbol;
	unsigned found = 0;

	if (!elf_find_section(elf, table_name, &table))
		return false;
	for (uint64_t i = 0; elf_symbol(elf, &table, i, &symbol); i++) {
		const struct cairn_bytes name = elf_symbol_name(elf, &table, &symbol);
		if (symbol.section == 0 || !bytes_begin_with(name, "_swift_concurrency_"))
			continue;
		for (unsigned k = 0; k < SWIFT_VARIABLES; k++)
			if (bytes_are(name, swift_variable_names[k])) {
				va[k] = symbol.va;
				found |= 1u << k;
			}
	}
	return found == (1u << SWIFT_VARIABLES) - 1;
}

/*
 * Return the memory from which the runtime's variables are read. A variable that a core lacks is
 * read from the module's file.
 */
static const struct cairn_target *variables_of(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.kind == CAIRN_STACKS_PROCESS ? &stacks->swift.memory
	                                                     : &stacks->memory.target;
}

/*
 * Read the runtime's variables. Return NULL on success, otherwise the reason why the program's
 * tasks cannot be read.
 */
static const char *read_variables(struct cairn_stacks *stacks, uint64_t bias)
{
	struct stacks_swift *swift = &stacks->swift;
	struct swift_runtime *runtime = &swift->runtime;
	uint64_t value[SWIFT_VARIABLES];

	for (unsigned i = 0; i < SWIFT_VARIABLES; i++) {
		swift->variable[i] += bias;
		if (!memory_word(variables_of(stacks), swift->variable[i], false, &value[i]))
			return "the variables of Swift's concurrency runtime cannot be read";
	}
	if (swift_set_variables(runtime, value))
		return NULL;
	snprintf(swift->text, sizeof(swift->text),
	         "cairn does not know the layout of its Swift tasks: version %" PRIu32 ", %" PRIu64
	         " bytes",
	         runtime->version, value[SWIFT_TASK_SIZE_VARIABLE]);
	return swift->text;
}

/*
 * Find the Swift concurrency runtime, either in its shared library or in a program that is
 * statically linked with it. Return NULL on success, otherwise the reason why tasks cannot be
 * found.
 */
static const char *find_runtime(struct cairn_stacks *stacks)
{
	static const char library[] = "libswift_Concurrency.so";
	const struct snapshot *snapshot = &stacks->snapshot;
	struct stacks_swift *swift = &stacks->swift;
	const enum cairn_machine machine = snapshot->machine;
	uint64_t entry;
	struct elf elf;
	size_t at = 0;

	if ((machine != CAIRN_MACHINE_AMD64 && machine != CAIRN_MACHINE_AARCH64) ||
	    snapshot->big_endian || snapshot->word != WORD)
		return "Swift tasks are read on amd64 and aarch64 only";
	while (at < snapshot->module_count &&
	       !bytes_begin_with(base_name(snapshot->modules[at].path), library))
		at++;
	const bool is_static = at == snapshot->module_count;
	if (is_static) {
		const struct snapshot_module *program =
			snapshot_auxv(snapshot, AT_ENTRY, &entry)
				? snapshot_find_module(snapshot, entry)
				: NULL;
		if (!program)
			return no_runtime;
		at = (size_t)(program - snapshot->modules);
	}
	const struct snapshot_module *module = &snapshot->modules[at];
	stacks_find_file(stacks, at);
	swift->module = at;
	if (is_static && !stacks_is_swift(module))
		return no_runtime;
	if (module->file.size == 0 || !module->has_bias)
		return "libswift_Concurrency.so was not found, which describes its Swift tasks: "
		       "use "
		       "--sysroot or --directory";
	if (!elf_opens(module->file, &elf) ||
	    !find_variables(&elf, is_static ? ".symtab" : ".dynsym", swift->variable))
		return is_static ? "the program has no symbols of Swift's concurrency runtime: it "
		                   "was stripped, or does not use it"
		                 : "libswift_Concurrency.so is older than Swift 6.1";
	return read_variables(stacks, module->bias);
}

const char *stacks_open_swift(struct cairn_stacks *stacks)
{
	struct stacks_swift *swift = &stacks->swift;

	if (swift->looked)
		return swift->why;
	swift->looked = true;
	swift->symbols_left = SWIFT_SYMBOLS_MAX;
	const bool is_process = stacks->snapshot.kind == CAIRN_STACKS_PROCESS;
	swift->memory =
		is_process ? process_snapshot_now(&stacks->snapshot) : stacks->snapshot.memory;
	swift->runtime = (struct swift_runtime){ .memory = &swift->memory,
		                                 .stack = &stacks->snapshot.memory,
		                                 .code = &stacks->memory.target,
		                                 .is_code = snapshot_is_code,
		                                 .context = &stacks->snapshot,
		                                 .steps_left = SWIFT_STEPS_LEAST +
		                                               stacks->size / SWIFT_STEP_BYTES };
	swift->why = find_runtime(stacks);
	if (!swift->why) {
		swift->ran = calloc(stacks->snapshot.thread_count + 1, sizeof(*swift->ran));
		swift->why = swift->ran ? NULL : "out of memory";
	}
	return swift->why;
}

/*
 * Return the names of a module's async functions. Search the symbols only once, because a hostile
 * core may have frames in thousands of functions.
 */
static const struct async_names *find_async_names(struct cairn_stacks *stacks, size_t index)
{
	static const struct cairn_fault over = {
		CAIRN_NOT_FOUND, 0,
		"too many symbols; some async functions of Swift are not recognized"
	};
	static const char *const tables[] = { ".symtab", ".dynsym" };
	struct stacks_module *module = &stacks->modules[index];
	const struct cairn_bytes file = stacks->snapshot.modules[index].file;
	uint64_t *left = &stacks->swift.symbols_left;
	struct elf_section table;
	struct elf elf;

	if (module->has_async_names || *left == 0)
		return &module->async;
	module->has_async_names = true;
	for (size_t i = 0; i < 2 && file.size > 0 && elf_opens(file, &elf); i++)
		if (elf_find_section(&elf, tables[i], &table))
			async_names_add(&module->async, &elf, &table, left);
	if (*left == 0)
		snapshot_add_problem(&stacks->snapshot, "symbols", over);
	return &module->async;
}

/*
 * Return true if the current frame is in an async function. Also return true for a frame without a
 * name that the runtime called, because its context will show whether it is async.
 */
static bool is_async_frame(struct cairn_stacks *stacks, struct swift_frame *frame)
{
	struct stacks_swift *swift = &stacks->swift;
	struct cairn_location names[CAIRN_STACK_NAMES];
	const struct stack_walk *walk = &stacks->walk;
	const uint64_t lookup = stack_walk_lookup_address(walk);
	const size_t count = cairn_stacks_names(stacks, lookup, names, CAIRN_STACK_NAMES);
	size_t index;

	*frame = (struct swift_frame){ .registers = &walk->registers,
		                       .cfa = walk->step.cfa,
		                       .start = walk->step.function,
		                       .is_exact = walk->kind == CAIRN_FRAME_PC,
		                       .inner_task = swift->ran[stacks->thread].address };
	const struct snapshot_module *module = stacks_find_module(stacks, lookup, &index);
	if (!module)
		return false;
	if (count == 0 || names[count - 1].function.size == 0) {
		const struct snapshot_module *caller =
			snapshot_find_module(&stacks->snapshot, walk->step.caller.pc);
		return walk->step.stop == CAIRN_STOP_NONE && index != swift->module &&
		       caller == &stacks->snapshot.modules[swift->module];
	}
	const struct cairn_location *own = &names[count - 1];
	const char suffix = swift_funclet(own->function);
	frame->start = lookup - own->offset;
	frame->is_awaited = suffix == 'Q';
	return suffix != 0 || (bytes_begin_with(own->function, "$s") &&
	                       async_names_has(find_async_names(stacks, index), own->function));
}

/* Record a problem when the limit on contexts is reached, once. */
static void note_limit(struct cairn_stacks *stacks)
{
	static const struct cairn_fault over = {
		CAIRN_NOT_FOUND, 0,
		"too many contexts of Swift's async functions; some callers or tasks are omitted"
	};
	struct stacks_swift *swift = &stacks->swift;

	if (swift->runtime.steps_left == 0 && !swift->is_over)
		snapshot_add_problem(&stacks->snapshot, "tasks", over);
	swift->is_over = swift->is_over || swift->runtime.steps_left == 0;
}

void stacks_enter_swift(struct cairn_stacks *stacks)
{
	struct stacks_swift *swift = &stacks->swift;
	struct swift_owned_context context;
	struct swift_frame frame;

	swift->at = swift->chain.count = 0;
	if (stacks_open_swift(stacks) || !is_async_frame(stacks, &frame))
		return;
	if (!swift_find_context(&swift->runtime, &frame, &swift->chain, &context)) {
		swift->chain.count = 0;
		note_limit(stacks);
		return;
	}
	if (swift->ran[stacks->thread].address == 0) {
		const struct swift_task *task = &context.task;
		struct number_slot *slot = number_map_at(&swift->runners, task->address);
		swift->ran[stacks->thread] = (struct stacks_swift_ran){ task->id, task->address };
		if (slot) {
			swift->runners.count += slot->key == 0;
			*slot = (struct number_slot){ task->address, (uint32_t)stacks->thread };
		}
	}
	swift->context = context.address;
	swift->owner = context.task.address;
}

bool stacks_give_contexts(struct cairn_stacks *stacks, uint64_t *left,
                          const struct stacks_memory_sink *sink)
{
	const struct stacks_swift *swift = &stacks->swift;
	uint8_t bytes[SWIFT_TASK_SIZE_AARCH64 + WORD];
	const size_t task_size = swift->runtime.task_size + WORD;
	uint64_t context = swift->context;
	bool good = true;

	if (stacks_is_async(stacks) || swift->chain.count == 0 || swift->chain.count > *left)
		return true;
	*left -= swift->chain.count;
	for (unsigned i = 0; good && i < SWIFT_VARIABLES; i++)
		good = !memory_read(variables_of(stacks), swift->variable[i], bytes, WORD) ||
		       sink->take(sink->context, swift->variable[i],
		                  (struct cairn_bytes){ bytes, WORD });
	if (good && memory_read(&swift->memory, swift->owner, bytes, task_size))
		good = sink->take(sink->context, swift->owner,
		                  (struct cairn_bytes){ bytes, task_size });
	for (size_t i = 0; good && i < swift->chain.count; i++) {
		if (!memory_read(&swift->memory, context, bytes, SWIFT_CONTEXT_SIZE))
			break;
		good = sink->take(sink->context, context,
		                  (struct cairn_bytes){ bytes, SWIFT_CONTEXT_SIZE });
		context = bytes_u64(bytes, false);
	}
	return good;
}

bool stacks_reserve_threads(struct cairn_stacks *stacks, size_t more)
{
	const size_t count = stacks->snapshot.thread_count, all = count + more + 1;
	uint32_t *spent = calloc(all, sizeof(*spent));
	struct stacks_swift_ran *ran = calloc(all, sizeof(*ran));

	if (spent && ran) {
		memcpy(spent, stacks->spent, count * sizeof(*spent));
		memcpy(ran, stacks->swift.ran, count * sizeof(*ran));
		free(stacks->spent);
		free(stacks->swift.ran);
		stacks->spent = spent;
		stacks->swift.ran = ran;
		return true;
	}
	free(spent);
	free(ran);
	return false;
}

/*
 * Implement task_copier.copy for a core that is available both as bytes and as a file descriptor.
 */
static bool copy_from_file(void *context, struct cairn_bytes bytes, uint8_t *block)
{
	const struct cairn_stacks *stacks = context;
	const struct cairn_bytes all = stacks->options.bytes;
	const uintptr_t at = (uintptr_t)bytes.data - (uintptr_t)all.data;

	return at < all.size && bytes.size <= all.size - at &&
	       pread(stacks->options.fd, block, bytes.size, (off_t)at) == (ssize_t)bytes.size;
}

const char *cairn_stacks_find_tasks(struct cairn_stacks *stacks, size_t *count)
{
	static const struct cairn_fault too_many = {
		CAIRN_NOT_FOUND, 0,
		"too many Swift tasks, or a mapping above 64 GiB; some tasks are omitted"
	};
	struct stacks_swift *swift = &stacks->swift;

	*count = 0;
	if (stacks_open_swift(stacks))
		return swift->why;
	const bool has_file = stacks->options.has_fd && stacks->options.bytes.size > 0;
	const struct task_copier copier = { has_file ? copy_from_file : NULL, stacks };
	bool is_cut;
	if (!swift->searched) {
		if (!task_search(&swift->runtime, &stacks->snapshot, &copier, &swift->tasks,
		                 &swift->count, &is_cut))
			return "out of memory";
		if (is_cut)
			snapshot_add_problem(&stacks->snapshot, "tasks", too_many);
		note_limit(stacks);
	}
	swift->searched = true;
	*count = swift->count;
	return NULL;
}

/*
 * Return the index of the thread that runs the task, or the number of threads if no thread walked
 * so far runs it.
 */
static size_t find_thread(const struct cairn_stacks *stacks, uint64_t task)
{
	const struct stacks_swift *swift = &stacks->swift;
	uint32_t thread;

	return number_map_find(&swift->runners, task, &thread) && swift->ran[thread].address == task
	               ? thread
	               : stacks->snapshot.thread_count;
}

/*
 * Return the symbol at the address of a class, such as "$s4main3BeeCN", or empty bytes if there is
 * no symbol.
 */
static struct cairn_bytes find_class_symbol(struct cairn_stacks *stacks, uint64_t class)
{
	static const char *const tables[] = { ".symtab", ".dynsym" };
	struct elf_section table;
	struct elf_symbol symbol;
	struct elf elf;
	size_t index;

	const struct snapshot_module *module = stacks_find_module(stacks, class, &index);
	if (!module || module->file.size == 0 || !elf_opens(module->file, &elf))
		return (struct cairn_bytes){ NULL, 0 };
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (!elf_find_section(&elf, tables[i], &table))
			continue;
		for (uint64_t k = 0; elf_symbol(&elf, &table, k, &symbol); k++) {
			if (symbol.va != class - module->bias || symbol.section == 0)
				continue;
			const struct cairn_bytes name = elf_symbol_name(&elf, &table, &symbol);
			if (name.size > 2 && memcmp(name.data + name.size - 2, "CN", 2) == 0)
				return name;
		}
	}
	return (struct cairn_bytes){ NULL, 0 };
}

/*
 * Write the type name of an actor, such as "main.Bee", or an empty string if the actor's class has
 * no symbol.
 */
static void name_actor(struct cairn_stacks *stacks, uint64_t actor, char name[CAIRN_TASK_NAME])
{
	static const char words[] = "type metadata for ";
	enum { WORDS_SIZE = sizeof(words) - 1 };
	struct stacks_swift *swift = &stacks->swift;
	char full[WORDS_SIZE + CAIRN_TASK_NAME];
	struct cairn_bytes symbol = { NULL, 0 };
	uint64_t class;

	if (!memory_word(&swift->memory, actor, false, &class) || class == 0)
		return;
	struct number_slot *slot = number_map_at(&swift->classes, class);
	if (slot && slot->key != 0) {
		symbol = swift->class_symbols[slot->number];
	} else if (slot && swift->classes.count < SWIFT_CLASSES_MAX) {
		symbol = find_class_symbol(stacks, class);
		swift->class_symbols[swift->classes.count] = symbol;
		*slot = (struct number_slot){ class, swift->classes.count++ };
	}
	const size_t size = cairn_demangle_as(symbol, CAIRN_NAME_FULL, full, sizeof(full) - 1);
	if (size > WORDS_SIZE && memcmp(full, words, WORDS_SIZE) == 0)
		memcpy(name, full + WORDS_SIZE, size - WORDS_SIZE);
}

bool cairn_stacks_task(struct cairn_stacks *stacks, size_t number, struct cairn_task *task)
{
	struct stacks_swift *swift = &stacks->swift;

	if (number >= swift->count)
		return false;
	const struct swift_task *from = &swift->tasks[number];
	const size_t thread = find_thread(stacks, from->address);
	const bool waits_for_task = from->waits_for == CAIRN_TASK_WAITS_TASK;
	struct cairn_task own = {
		.id = from->id,
		.address = from->address,
		.state = from->state,
		.waits_for = from->waits_for,
		.priority = from->priority,
		.cancelled = from->cancelled,
		.parent = from->parent ? swift_task_id(&swift->runtime, from->parent) : 0,
		.on = waits_for_task ? swift_task_id(&swift->runtime, from->on) : 0,
		.tid = thread < stacks->snapshot.thread_count ? stacks->snapshot.threads[thread].tid
		                                              : 0,
	};
	own.name_size = swift_task_name(&swift->runtime, from, own.name);
	if (from->waits_for == CAIRN_TASK_WAITS_EXECUTOR)
		name_actor(stacks, from->on, own.actor);
	sized_give(&own, sizeof(own), task);
	return true;
}

bool cairn_stacks_begin_task(struct cairn_stacks *stacks, size_t number)
{
	struct stacks_swift *swift = &stacks->swift;
	struct swift_chain *chain = &swift->chain;

	if (!stacks_begin_walk(stacks, stacks->snapshot.thread_count) || number >= swift->count)
		return false;
	const struct swift_task *task = &swift->tasks[number];
	const size_t thread = find_thread(stacks, task->address);
	if (thread < stacks->snapshot.thread_count) {
		bool more = cairn_stacks_begin(stacks, thread);
		while (more && (swift->chain.count == 0 || swift->owner != task->address))
			more = cairn_stacks_next(stacks);
		stacks->walk.level = 0;
		swift->is_task = true;
		return more;
	}
	if (task->state == CAIRN_TASK_RUNNING ||
	    !swift_read_chain(&swift->runtime, task->context, chain))
		return false;
	if (!swift_is_adapter(&swift->runtime, task->resume) && task->resume != chain->pc[0] &&
	    ARRAY_APPEND(chain->pc, chain->count, chain->capacity, task->resume)) {
		memmove(chain->pc + 1, chain->pc, (chain->count - 1) * sizeof(*chain->pc));
		chain->pc[0] = task->resume;
	}
	stacks->walk.end = CAIRN_STACK_OUTERMOST;
	swift->at = 1;
	swift->is_task = true;
	stacks_count_frame(stacks);
	return true;
}

uint64_t cairn_stacks_running_task(const struct cairn_stacks *stacks)
{
	const struct stacks_swift *swift = &stacks->swift;

	return swift->ran && stacks->thread < stacks->snapshot.thread_count
	               ? swift->ran[stacks->thread].id
	               : 0;
}

void stacks_close_swift(struct stacks_swift *swift)
{
	swift_chain_finish(&swift->chain);
	swift_chain_finish(&swift->runtime.own);
	free(swift->runners.slot);
	free(swift->classes.slot);
	free(swift->tasks);
	free(swift->ran);
}
