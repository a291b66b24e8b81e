/* SPDX-License-Identifier: MIT */
/* Lists threads, walks the frames of one thread, and explains the cause of a crash. */

#include "process_snapshot.h"
#include "stacks.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/path.h"
#include "base/sized.h"
#include "base/target_memory.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/snapshot_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	struct cairn_thread own = { .tid = from->tid,
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
			own.name = name;
	}
	sized_give(&own, sizeof(own), thread);
	return true;
}

/* maximum number of modules to prepare; must be below a space's MODULES_MAX */
enum { PREPARED_MAX = 400 };

/*
 * Read the headers of all modules before the first walk, so that walks need not search for modules.
 * If the space cannot hold all modules, each module is read when a walk first needs it.
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

void stacks_count_frame(struct cairn_stacks *stacks)
{
	stacks->frames_left -= stacks->frames_left > 0;
	stacks->spent[stacks->thread]++;
}

/*
 * End a stack at the first function of an Erlang process. The run-time enters this function without
 * a call, so only its name shows that it is the outermost one.
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

bool stacks_begin_walk(struct cairn_stacks *stacks, size_t thread)
{
	const uint64_t wanted = stacks->options.frames;

	stacks->walk =
		(struct stack_walk){ .space = stacks->space,
		                     .want_tables = stacks_give_tables,
		                     .context = stacks,
		                     .may_scan = stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP,
		                     .end = CAIRN_STACK_NO_CONTEXT };
	stacks->thread = thread;
	stacks->swift.at = stacks->swift.chain.count = 0;
	stacks->swift.is_task = false;
	/* count the frames of a thread only once, however often they are walked */
	if (thread < stacks->snapshot.thread_count) {
		stacks->frames_left += stacks->spent[thread];
		stacks->spent[thread] = 0;
		if (stacks->swift.ran)
			stacks->swift.ran[thread].address = stacks->swift.ran[thread].id = 0;
	}
	stacks->walk.limit =
		wanted == 0 || wanted > stacks->frames_left ? stacks->frames_left : wanted;
	if (stacks->walk.limit == 0)
		stacks->walk.end = CAIRN_STACK_LIMIT;
	return stacks->walk.limit > 0;
}

static void enter_frame(struct cairn_stacks *stacks)
{
	stacks_count_frame(stacks);
	end_made_stack(stacks);
	stacks_enter_swift(stacks);
}

bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number)
{
	if (number >= stacks->snapshot.thread_count) {
		stacks->walk.end = CAIRN_STACK_NO_CONTEXT;
		return false;
	}
	prepare_modules(stacks);
	stacks->snapshot.walked = number;
	if (!stacks_begin_walk(stacks, number) ||
	    !stack_walk_begin(&stacks->walk, &stacks->snapshot.threads[number].registers))
		return false;
	enter_frame(stacks);
	return true;
}

bool cairn_stacks_next(struct cairn_stacks *stacks)
{
	struct stack_walk *walk = &stacks->walk;
	struct stacks_swift *swift = &stacks->swift;

	if (swift->at < swift->chain.count) {
		if (walk->level + 1 >= walk->limit) {
			walk->end = CAIRN_STACK_LIMIT;
			return false;
		}
		walk->level++;
		swift->at++;
		stacks_count_frame(stacks);
		return true;
	}
	if (swift->is_task) {
		walk->end = CAIRN_STACK_OUTERMOST;
		return false;
	}
	if (!stack_walk_next(walk))
		return false;
	enter_frame(stacks);
	return true;
}

uint64_t stacks_lookup_address(const struct cairn_stacks *stacks)
{
	return stacks_is_async(stacks) ? stacks->swift.chain.pc[stacks->swift.at - 1]
	                               : stack_walk_lookup_address(&stacks->walk);
}

/*
 * Return the number of the signal whose handler is about to return, or 0. At that point the stack
 * pointer points to the kernel's data for the handler. On aarch64 this data begins with struct
 * siginfo; on amd64 struct siginfo follows struct ucontext. An amd64 handler without SA_SIGINFO has
 * no struct siginfo, and the arbitrary data in its place is unlikely to consist of a valid signal
 * number, an errno of 0 and a small code.
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
	const uint64_t lookup = stacks_lookup_address(stacks);
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, lookup);

	struct cairn_stack_frame own = { .level = walk->level,
		                         .pc = lookup,
		                         .lookup = lookup,
		                         .async = stacks_is_async(stacks) };
	if (!own.async) {
		own.pc = walk->registers.pc;
		own.cfa = walk->step.cfa;
		own.found = walk->found;
		own.by = walk->step.method;
		own.signal = walk->step.signal;
		own.guessed = walk->guessed;
	}
	if (own.signal)
		own.handled = read_handled_signal(stacks);
	if (module) {
		own.module = module->path;
		if (!own.module.data)
			own.module.data = (const uint8_t *)"";
		own.build_id = module->build_id;
		own.has_va = module->has_bias;
		own.va = module->has_bias ? own.pc - module->bias : 0;
		own.module_offset = own.pc - snapshot_module_start(module);
	}
	sized_give(&own, sizeof(own), frame);
}

const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks)
{
	return &stacks->walk.step.rule;
}

/* Describe why the stack ended, in more detail than cairn_stop_text(). */
static const char *explain_end(const struct cairn_stacks *stacks)
{
	const struct stack_walk *walk = &stacks->walk;
	const enum cairn_stop stop = walk->step.stop;
	const char *made = NULL;

	if (walk->end != CAIRN_STACK_UNKNOWN)
		return stack_end_text(walk->end);
	if (stop == CAIRN_STOP_NO_MODULE)
		made = snapshot_explain_jit_code(&stacks->snapshot,
		                                 stack_walk_lookup_address(walk));
	if (made)
		return made;
	if (stop == CAIRN_STOP_NO_TABLE || stop == CAIRN_STOP_NO_ROW)
		return "no unwind information covers this address, and the frame pointer does not "
		       "lead to a caller";
	if (stop == CAIRN_STOP_BAD_TABLE && walk->step.fault.status == CAIRN_UNSUPPORTED)
		return "the table cannot be interpreted here";
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

	const struct cairn_stack_end own = {
		.kind = walk->end,
		.guesses = walk->guesses,
		.complete = walk->end == CAIRN_STACK_OUTERMOST && !walk->guesses,
		.name = unknown ? cairn_stop_name(walk->step.stop) : stack_end_name(walk->end),
		.why = explain_end(stacks),
		.missing = find_missing(stacks),
		.fault = walk->step.fault
	};
	sized_give(&own, sizeof(own), end);
}

struct cairn_stack {
	struct cairn_stack_frame *frames;
	size_t count, capacity;
	struct cairn_stack_end end;
};

void cairn_stack_free(struct cairn_stack *stack)
{
	if (stack)
		free(stack->frames);
	free(stack);
}

static void free_stack(struct cairn_stack **stack)
{
	cairn_stack_free(*stack);
}

enum cairn_status cairn_stack_copy(struct cairn_stacks *stacks, size_t number, size_t frames,
                                   struct cairn_stack **stack)
{
	WITH_CLEANUP(free_stack) struct cairn_stack *copy = calloc(1, sizeof(*copy));
	bool more = copy && cairn_stacks_begin(stacks, number);

	if (!more)
		return copy ? CAIRN_NOT_FOUND : CAIRN_NO_MEMORY;
	for (; more && (frames == 0 || copy->count < frames); more = cairn_stacks_next(stacks)) {
		const struct cairn_stack_frame empty = CAIRN_SIZED(struct cairn_stack_frame);
		if (!ARRAY_APPEND(copy->frames, copy->count, copy->capacity, empty))
			return CAIRN_NO_MEMORY;
		cairn_stacks_frame(stacks, &copy->frames[copy->count - 1]);
	}
	copy->end = (struct cairn_stack_end){ .size = sizeof(copy->end),
		                              .kind = CAIRN_STACK_GOES_ON,
		                              .name = "goes-on",
		                              .why = "more frames follow" };
	if (!more)
		cairn_stacks_end(stacks, &copy->end);
	*stack = copy;
	copy = NULL;
	return CAIRN_OK;
}

bool cairn_stack_at(const struct cairn_stack *stack, size_t index, struct cairn_stack_frame *frame)
{
	if (index < stack->count)
		sized_give(&stack->frames[index], sizeof(*stack->frames), frame);
	return index < stack->count;
}

void cairn_stack_ended(const struct cairn_stack *stack, struct cairn_stack_end *end)
{
	sized_give(&stack->end, sizeof(stack->end), end);
}

/*
 * Describes the cause of a crash from Linux's signal codes and the memory at the faulting address.
 */

enum {
	NULL_PAGE = 4096,
	/*
	 * maximum distance below a stack at which a fault counts as an overflow; it is large,
	 * because a function with a large frame may skip many pages
	 */
	NEAR_STACK = 1 << 20,
	NEAR_MODULE = 1 << 16,
	SIGNAL_ILL = 4,
	SIGNAL_BUS = 7,
	SIGNAL_FPE = 8,
	SIGNAL_SEGV = 11,
	MAPERR = 1, /* SEGV_MAPERR: nothing is mapped at the address */
	DESCRIPTION = 160,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *find_code_name(uint32_t signal, int32_t code)
{
	static const char *const segv[] = { NULL, "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR",
		                            "SEGV_PKUERR" };
	static const char *const bus[] = { NULL,         "BUS_ADRALN",    "BUS_ADRERR",
		                           "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO" };
	static const char *const fpe[] = { NULL,         "FPE_INTDIV", "FPE_INTOVF",
		                           "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND",
		                           "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB" };
	static const char *const ill[] = { NULL,         "ILL_ILLOPC", "ILL_ILLOPN",
		                           "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC",
		                           "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK" };
	const size_t at = code > 0 ? (size_t)code : 0;

	switch (signal) {
	case SIGNAL_SEGV:
		return at < COUNT(segv) ? segv[at] : NULL;
	case SIGNAL_BUS:
		return at < COUNT(bus) ? bus[at] : NULL;
	case SIGNAL_FPE:
		return at < COUNT(fpe) ? fpe[at] : NULL;
	case SIGNAL_ILL:
		return at < COUNT(ill) ? ill[at] : NULL;
	default:
		return NULL;
	}
}

/*
 * Return true if the address is in a guard region within a mapping (MADV_GUARD_INSTALL).
 * SEGV_MAPERR for writable memory occurs only in such regions.
 */
static bool is_guard(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	return mapping && mapping->has_access && (mapping->access & SNAPSHOT_WRITE) &&
	       snapshot->crash.signal == SIGNAL_SEGV && snapshot->crash.code == MAPERR;
}

/*
 * Return the thread whose stack overflowed at `address`, or NULL. The lowest address of that stack
 * lies just above `address`, which may be in a guard page within the stack's mapping, in an
 * inaccessible mapping, or unmapped.
 */
static const struct snapshot_thread *find_overflow(const struct snapshot *snapshot,
                                                   uint64_t address)
{
	const struct snapshot_mapping *here = snapshot_find_mapping(snapshot, address);
	const bool guard = is_guard(snapshot, here);
	const struct snapshot_mapping *above =
		guard ? here : snapshot_next_mapping(snapshot, address);

	if ((!guard && here && here->has_access && (here->access & SNAPSHOT_WRITE)) || !above ||
	    (!guard && above->low - address > NEAR_STACK) || !(above->access & SNAPSHOT_WRITE))
		return NULL;
	for (size_t i = 0; i < snapshot->thread_count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];
		const uint64_t sp = registers_stack_pointer(&thread->registers);
		if (sp - (address - NEAR_STACK) < 2 * (uint64_t)NEAR_STACK && sp < above->high)
			return thread;
	}
	return NULL;
}

/*
 * Return the closest module below the address, or NULL if none ends within NEAR_MODULE bytes of the
 * address.
 */
static const struct snapshot_module *find_module_before(const struct snapshot *snapshot,
                                                        uint64_t address)
{
	const struct snapshot_module *best = NULL;

	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *m = &snapshot->modules[i];
		if (m->high <= address && address - m->high < NEAR_MODULE &&
		    (!best || m->high > best->high))
			best = m;
	}
	return best;
}

/*
 * Copy a name for use in a description. Replace blanks and all characters other than printable
 * ASCII with "?".
 */
static const char *make_plain(struct cairn_bytes text, char out[DESCRIPTION])
{
	size_t size = text.size < DESCRIPTION - 1 ? text.size : DESCRIPTION - 1;

	for (size_t i = 0; i < size; i++)
		out[i] = text.data[i] > ' ' && text.data[i] < 0x7f ? (char)text.data[i] : '?';
	out[size] = '\0';
	return out;
}

/*
 * Describe the mapping that contains an address. Mention its access mode only if the program
 * accessed the address.
 */
static void describe_mapping(const struct snapshot_mapping *mapping, bool is_accessed, char *text,
                             size_t size)
{
	char name[DESCRIPTION];
	const bool readable = (mapping->access & SNAPSHOT_READ) != 0;
	const bool writable = (mapping->access & SNAPSHOT_WRITE) != 0;

	snprintf(text, size, "in %s%s%s",
	         mapping->path.size ? make_plain(base_name(mapping->path), name)
	                            : "memory without a file",
	         is_accessed ? ", which is " : "",
	         !is_accessed           ? ""
	         : !mapping->has_access ? "mapped"
	         : writable             ? "writable"
	         : readable             ? "read-only"
	                                : "without access");
}

static void describe_address(const struct snapshot *snapshot, char *text, size_t size)
{
	const uint64_t address = snapshot->crash.fault_address;
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, address);
	const struct snapshot_crash *crash = &snapshot->crash;
	char name[DESCRIPTION];
	uint8_t byte;

	if (address < NULL_PAGE) {
		snprintf(text, size, "null pointer");
		return;
	}
	const struct snapshot_thread *thread = find_overflow(snapshot, address);
	if (thread) {
		snprintf(text, size, "just below the stack of thread %" PRIu64 ", which overflowed",
		         thread->tid);
		return;
	}
	if (is_guard(snapshot, mapping)) {
		snprintf(text, size, "in a guard within writable memory");
		return;
	}
	if (mapping) {
		describe_mapping(mapping,
		                 crash->signal != SIGNAL_ILL && crash->signal != SIGNAL_FPE, text,
		                 size);
		return;
	}
	/* Minidumps list modules, but may not list mappings or all memory. */
	const bool is_dump = snapshot->kind == CAIRN_STACKS_MINIDUMP;
	const struct snapshot_module *module =
		is_dump ? snapshot_find_module(snapshot, address) : NULL;
	if (module && module->path.size) {
		snprintf(text, size, "in %s", make_plain(base_name(module->path), name));
		return;
	}
	if (module || (is_dump && memory_read(&snapshot->memory, address, &byte, sizeof(byte)))) {
		snprintf(text, size, "mapped");
		return;
	}
	if (snapshot->mapping_count == 0 &&
	    (crash->signal != SIGNAL_SEGV || crash->code != MAPERR)) {
		snprintf(text, size, "in no module, and other mappings are not listed");
		return;
	}
	module = find_module_before(snapshot, address);
	if (module && module->path.size)
		snprintf(text, size, "not mapped, %" PRIu64 " bytes past %s",
		         address - module->high, make_plain(base_name(module->path), name));
	else
		snprintf(text, size, "not mapped");
}

void cairn_stacks_crash(const struct cairn_stacks *stacks, struct cairn_crash *crash)
{
	const struct snapshot_crash *from = &stacks->snapshot.crash;

	struct cairn_crash own = { .known = from->known,
		                   .signal = from->signal,
		                   .code = from->code,
		                   .name = cairn_signal_name(from->signal),
		                   .code_name = find_code_name(from->signal, from->code),
		                   .exception = from->exception,
		                   .has_address = from->has_address,
		                   .address = from->fault_address,
		                   .has_sender = from->has_sender,
		                   .sender = from->sender,
		                   .sender_user = from->sender_user };
	own.text = signal_phrase(from->signal);
	if (own.has_address && (own.code_name || own.exception))
		describe_address(&stacks->snapshot, own.accessed, sizeof(own.accessed));
	sized_give(&own, sizeof(own), crash);
}

/*
 * Finds the message with which a program aborted. A variable in glibc, in the Swift runtime, or in
 * a statically linked program points to the message.
 */

enum {
	SIGNAL_ILLEGAL = 4, /* trap instructions raise SIGILL or SIGTRAP */
	SIGNAL_TRAP = 5,
	SIGNAL_ABORT = 6,
	/* a static program has two modules: itself and the vDSO */
	STATIC_MODULES = 2,
	MESSAGE_SIZE = ABORT_MESSAGE_HEAD + CAIRN_ABORT_MESSAGE,
};

/* Libraries with a variable that points to the abort message. */
enum message_source { MESSAGE_OF_GLIBC, MESSAGE_OF_SWIFT, MESSAGE_SOURCES };

static bool is_library(struct cairn_bytes path, const char *name)
{
	const size_t length = strlen(name);

	return path.size >= length && memcmp(path.data + path.size - length, name, length) == 0;
}

static bool find_in_module(struct cairn_stacks *stacks, enum message_source source, size_t index,
                           const char *section, uint64_t *variable)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];
	struct elf elf;
	uint64_t va;

	stacks_find_file(stacks, index);
	if (!module->has_bias || module->file.size == 0 || !elf_opens(module->file, &elf) ||
	    !(source == MESSAGE_OF_GLIBC
	              ? abort_message_find_variable(&elf, section, stacks->snapshot.word, &va)
	              : abort_message_find_swift(&elf, section, &va)))
		return false;
	*variable = va + module->bias;
	return true;
}

static bool find_variable(struct cairn_stacks *stacks, enum message_source source,
                          uint64_t *variable)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const bool is_glibc = source == MESSAGE_OF_GLIBC,
		   fixed = snapshot->module_count <= STATIC_MODULES;

	for (size_t i = 0; i < snapshot->module_count; i++)
		if (is_library(snapshot->modules[i].path,
		               is_glibc ? "/libc.so.6" : "/libswiftCore.so"))
			return find_in_module(stacks, source, i, ".dynsym", variable);
	for (size_t i = 0; i < snapshot->module_count; i++)
		if ((is_glibc ? fixed : stacks_is_swift(&snapshot->modules[i])) &&
		    (find_in_module(stacks, source, i, ".symtab", variable) ||
		     (!is_glibc && find_in_module(stacks, source, i, ".dynsym", variable))))
			return true;
	return false;
}

/*
 * Return true if a message from this library may explain the crash. glibc's message accompanies
 * SIGABRT, so a core or minidump must record this signal; for a running process, no signal is
 * known. Swift's messages may accompany any signal, but exist only in 64-bit programs.
 */
static bool is_source_wanted(const struct snapshot *snapshot, enum message_source source)
{
	return source == MESSAGE_OF_SWIFT ? snapshot->word == 8
	                                  : snapshot->kind == CAIRN_STACKS_PROCESS ||
	                                            snapshot->crash.signal == SIGNAL_ABORT;
}

size_t stacks_find_abort_message(struct cairn_stacks *stacks,
                                 struct cairn_range places[STACKS_MESSAGE_RANGES])
{
	const struct snapshot *snapshot = &stacks->snapshot;
	uint64_t variable, message;
	uint8_t bytes[8];
	size_t count = 0;

	for (int source = 0; source < MESSAGE_SOURCES && snapshot->crash.signal != 0; source++) {
		if (snapshot->word != sizeof(bytes) ||
		    !is_source_wanted(snapshot, (enum message_source)source) ||
		    !find_variable(stacks, (enum message_source)source, &variable) ||
		    !memory_read(&snapshot->memory, variable, bytes, sizeof(bytes)))
			continue;
		places[count++] = (struct cairn_range){ variable, variable + sizeof(bytes) };
		message = bytes_u64(bytes, snapshot->big_endian);
		if (message != 0 && message <= UINT64_MAX - MESSAGE_SIZE)
			places[count++] = (struct cairn_range){ message, message + MESSAGE_SIZE };
	}
	return count;
}

/*
 * Copy the reason for a trap in optimized Swift code. Such code stores no message; instead, its
 * debug information describes a call inlined at the trap instruction, and the name of the called
 * function is the reason.
 */
static size_t find_trap_reason(struct cairn_stacks *stacks, char text[CAIRN_ABORT_MESSAGE])
{
	const struct snapshot *snapshot = &stacks->snapshot;
	struct cairn_location name = { .line = 0 };
	size_t count = 0;

	if (snapshot->crash.signal != SIGNAL_ILLEGAL && snapshot->crash.signal != SIGNAL_TRAP)
		return 0;
	for (size_t i = 0; i < snapshot->thread_count && count == 0; i++)
		if (snapshot->threads[i].crashed)
			count = cairn_stacks_names(stacks, snapshot->threads[i].registers.pc, &name,
			                           1);
	if (count == 0 || !bytes_begin_with(name.function, "Swift runtime failure: "))
		return 0;
	const size_t size =
		name.function.size < CAIRN_ABORT_MESSAGE ? name.function.size : CAIRN_ABORT_MESSAGE;
	memcpy(text, name.function.data, size);
	return size;
}

size_t cairn_stacks_abort_message(struct cairn_stacks *stacks, char text[CAIRN_ABORT_MESSAGE])
{
	/* Shallow copy with a different memory target; must not be closed. */
	struct snapshot snapshot = stacks->snapshot;
	uint64_t variable;
	size_t size = 0;

	if (snapshot.kind == CAIRN_STACKS_PROCESS)
		snapshot.memory = process_snapshot_now(&stacks->snapshot);
	for (int source = 0; source < MESSAGE_SOURCES && size == 0; source++)
		if (is_source_wanted(&snapshot, (enum message_source)source) &&
		    find_variable(stacks, (enum message_source)source, &variable))
			size = abort_message_read(&snapshot, variable,
			                          source == MESSAGE_OF_GLIBC ? ABORT_MESSAGE_HEAD
			                                                     : 0,
			                          (uint8_t *)text)
			               .size;
	return size > 0 ? size : find_trap_reason(stacks, text);
}
