/* SPDX-License-Identifier: MIT */
/* The threads of stacks, and the walk over the frames of one thread. */
#include "base/bytes.h"
#include "process/snapshot/run_times.h"
#include "process/snapshot/snapshot_memory.h"
#include "stacks.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

size_t cairn_stacks_threads(const struct cairn_stacks *stacks)
{
	return stacks->snapshot.thread_count;
}

bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                         struct cairn_thread *thread)
{
	if (number >= stacks->snapshot.thread_count)
		return false;
	const struct snapshot_thread *from = &stacks->snapshot.threads[number];
	*thread = (struct cairn_thread){ .tid = from->tid,
		                         .name = from->name,
		                         .crashed = from->crashed,
		                         .stack_cut = from->stack_cut,
		                         .signal = from->signal,
		                         .stop_nanoseconds = from->stop_nanoseconds,
		                         .registers = from->registers };
	if (stacks->options.name_thread) {
		const struct cairn_bytes name =
			stacks->options.name_thread(stacks->options.context, from->tid);
		if (name.size > 0)
			thread->name = name;
	}
	return true;
}

enum { PREPARED_MAX = 400 }; /* must be below MODULES_MAX of a space */

/*
 * Read the headers of all modules before walking, so that none has to be searched for during a
 * walk. If there are more than a space holds, each is found when it is needed instead.
 */
static void prepare_modules(struct cairn_stacks *stacks)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	struct cairn_module known;

	if (stacks->prepared || snapshot->module_count > PREPARED_MAX)
		return;
	stacks->prepared = true;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (snapshot->modules[i].has_bias && !snapshot->modules[i].remapped &&
		    cairn_space_module(stacks->space, snapshot->modules[i].low, &known) ==
		            CAIRN_NO_MEMORY)
			return;
}

static void count_frame(struct cairn_stacks *stacks)
{
	stacks->frames_left -= stacks->frames_left > 0;
	stacks->spent[stacks->thread]++;
}

/*
 * End a stack at the first function of an Erlang process. The run-time starts it without a call, so
 * only its name shows that it is the outermost one.
 */
static void end_made_stack(struct cairn_stacks *stacks)
{
	static const char first[] = "erts_beamasm:normal_exit/0";
	struct stack_walk *walk = &stacks->walk;
	struct cairn_location name;

	if (walk->end != CAIRN_STACK_UNKNOWN || walk->step.stop != CAIRN_STOP_NO_MODULE ||
	    cairn_stacks_names(stacks, stack_walk_lookup_address(walk), &name, 1) == 0)
		return;
	if (name.function.size > 0 && name.function.data[0] == '$') {
		name.function.data++;
		name.function.size--;
	}
	if (bytes_are(name.function, first))
		walk->end = CAIRN_STACK_OUTERMOST;
}

/* Start a walk. Frames of a thread count only once toward the limit, however often it is walked. */
bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number)
{
	const uint64_t wanted = stacks->options.frames;

	stacks->walk =
		(struct stack_walk){ .space = stacks->space,
		                     .want_tables = stacks_give_tables,
		                     .context = stacks,
		                     .may_scan = stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP,
		                     .end = CAIRN_STACK_NO_CONTEXT };
	if (number >= stacks->snapshot.thread_count)
		return false;
	prepare_modules(stacks);
	stacks->thread = stacks->snapshot.walked = number;
	stacks->frames_left += stacks->spent[number];
	stacks->spent[number] = 0;
	/* limited by the options and by the budget of all stacks together */
	stacks->walk.limit =
		wanted == 0 || wanted > stacks->frames_left ? stacks->frames_left : wanted;
	if (stacks->walk.limit == 0) {
		stacks->walk.end = CAIRN_STACK_LIMIT;
		return false;
	}
	const bool more =
		stack_walk_begin(&stacks->walk, &stacks->snapshot.threads[number].registers);
	if (more)
		count_frame(stacks);
	end_made_stack(stacks);
	return more;
}

bool cairn_stacks_next(struct cairn_stacks *stacks)
{
	const bool more = stack_walk_next(&stacks->walk);

	if (more) {
		count_frame(stacks);
		end_made_stack(stacks);
	}
	return more;
}

/*
 * Return the signal of a handler that is about to return, or 0. The kernel's data for the handler
 * is at the stack pointer then: on aarch64 struct siginfo comes first, on amd64 after struct
 * ucontext. An amd64 handler without SA_SIGINFO has arbitrary data there, which is unlikely to be a
 * valid signal number, an errno of 0 and a small code.
 */
static uint32_t read_handled_signal(const struct cairn_stacks *stacks)
{
	enum { AMD64_CONTEXT = 304, AMD64_SP = 7, AARCH64_SP = 31, SIGNALS = 64, CODES = 256 };
	const struct cairn_registers *registers = &stacks->walk.registers;
	const bool is_amd64 = registers->machine == CAIRN_MACHINE_AMD64,
		   is_aarch64 = registers->machine == CAIRN_MACHINE_AARCH64;
	const unsigned sp = is_amd64 ? AMD64_SP : AARCH64_SP;
	uint8_t words[12];

	if ((!is_amd64 && !is_aarch64) || registers->big_endian || !register_known(registers, sp) ||
	    !memory_read(&stacks->snapshot.memory,
	                 registers->value[sp] + (is_amd64 ? AMD64_CONTEXT : 0), words,
	                 sizeof(words)))
		return 0;
	const uint32_t number = bytes_u32(words, false), code = bytes_u32(words + 8, false);
	return number <= SIGNALS && bytes_u32(words + 4, false) == 0 && code + CODES < 2 * CODES
	               ? number
	               : 0;
}

void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame)
{
	const struct stack_walk *walk = &stacks->walk;
	const uint64_t lookup = stack_walk_lookup_address(walk);
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, lookup);

	*frame = (struct cairn_stack_frame){ .level = walk->level,
		                             .pc = walk->registers.pc,
		                             .lookup = lookup,
		                             .cfa = walk->step.cfa,
		                             .found = walk->found,
		                             .by = walk->step.method,
		                             .signal = walk->step.signal,
		                             .guessed = walk->guessed };
	if (walk->step.signal)
		frame->handled = read_handled_signal(stacks);
	if (!module)
		return;
	frame->module = module->path;
	if (!frame->module.data)
		frame->module.data = (const uint8_t *)"";
	frame->build_id = module->build_id;
	frame->has_va = module->has_bias;
	frame->va = module->has_bias ? walk->registers.pc - module->bias : 0;
	frame->module_offset = walk->registers.pc - snapshot_module_start(module);
}

const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks)
{
	return &stacks->walk.step.rule;
}

/* Return a description of why the stack ends. Knows more than cairn_stop_text(). */
static const char *explain_end(const struct cairn_stacks *stacks)
{
	const struct stack_walk *walk = &stacks->walk;
	const enum cairn_stop stop = walk->step.stop;
	const char *made = NULL;

	if (walk->end != CAIRN_STACK_UNKNOWN)
		return stack_end_text(walk->end);
	if (stop == CAIRN_STOP_NO_MODULE)
		made = snapshot_explain_made_code(&stacks->snapshot,
		                                  stack_walk_lookup_address(walk));
	if (made)
		return made;
	if (stop == CAIRN_STOP_NO_TABLE || stop == CAIRN_STOP_NO_ROW)
		return "no unwind information covers this address, and no frame pointer leads on";
	if (stop == CAIRN_STOP_BAD_TABLE && walk->step.fault.status == CAIRN_UNSUPPORTED)
		return "the table is not understood here";
	return cairn_stop_text(stop);
}

static const char *find_missing(struct cairn_stacks *stacks)
{
	const struct snapshot_module *module;
	size_t index;

	if (stacks->walk.end != CAIRN_STACK_UNKNOWN)
		return NULL;
	if (stacks->snapshot.threads[stacks->thread].stack_cut)
		return "only the innermost part of its stack was captured";
	module = stacks_find_module(stacks, stack_walk_lookup_address(&stacks->walk), &index);
	if (module && module->file.size > 0 && snapshot_is_debug_file(module->file))
		return "its file is a debug file, which has no code: give the program instead";
	return module && module->file.size == 0 ? module->file_why : NULL;
}

void cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_stack_end *end)
{
	const struct stack_walk *walk = &stacks->walk;
	const bool unknown = walk->end == CAIRN_STACK_UNKNOWN;

	*end = (struct cairn_stack_end){
		.kind = walk->end,
		.guesses = walk->guesses,
		.complete = walk->end == CAIRN_STACK_OUTERMOST && !walk->guesses,
		.name = unknown ? cairn_stop_name(walk->step.stop) : stack_end_name(walk->end),
		.why = explain_end(stacks),
		.missing = find_missing(stacks),
		.fault = walk->step.fault
	};
}
