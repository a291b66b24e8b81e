/* SPDX-License-Identifier: MIT */
/*
 * Captures a running process: stops its threads, copies their registers and the used parts of their
 * stacks, and resumes them.
 */
#include "process_snapshot.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "base/snapshot.h"
#include "base/sort.h"
#include "base/text_table.h"
#include "formats/corenotes.h"
#include "formats/procmaps.h"
#include "os/thread_capture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process_stacks {
	const struct snapshot *snapshot; /* mappings must be sorted */
	const struct os_process *process;
	struct cairn_range main_stack;
};

/*
 * Decodes register sets of the programs that can run on this machine, including 32-bit programs on
 * amd64.
 */

enum { I386_REGISTERS = 68 };

#if defined(__x86_64__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_AMD64;
#elif defined(__aarch64__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_AARCH64;
#elif defined(__s390x__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_S390X;
#else
static const enum cairn_machine host_machine = CAIRN_MACHINE_NONE;
#endif

static bool process_registers_are_big(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 0;
}

/*
 * Return the layout of a register set with `size` bytes. A short set on amd64 belongs to a 32-bit
 * program. The machine is CAIRN_MACHINE_NONE if cairn cannot unwind the program.
 */
static struct corenotes_layout process_registers_layout(size_t size)
{
	if (host_machine == CAIRN_MACHINE_AMD64 && size == I386_REGISTERS)
		return (struct corenotes_layout){ CAIRN_MACHINE_I386, false, false };
	return (struct corenotes_layout){ host_machine, true, process_registers_are_big() };
}

/*
 * Return the frame pointer register, or 0 if unknown. The value is valid only in functions that
 * maintain a frame pointer.
 */
static uint64_t process_registers_frame_pointer(const struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(registers->machine);

	/* functions on s390x maintain no frame pointer */
	return arch && arch->chain != ARCH_CHAIN_FIRST_ONLY ? registers->value[arch->fp] : 0;
}

/*
 * Decode a register set. Set the machine to CAIRN_MACHINE_NONE if cairn does not support the
 * program's architecture.
 */
static struct cairn_registers process_registers_decode(const void *bytes, size_t size)
{
	const struct corenotes_layout layout = process_registers_layout(size);
	struct cairn_registers registers;

	if (!corenote_registers(&layout, (struct cairn_bytes){ bytes, size }, &registers))
		registers = (struct cairn_registers){ .machine = CAIRN_MACHINE_NONE };
	return registers;
}

/*
 * Return an address near the outermost end of a thread's stack, or 0 if unknown. Not valid for the
 * first thread.
 */
static uint64_t process_registers_thread_pointer(const struct os_captured_thread *thread)
{
	const struct corenotes_layout layout = process_registers_layout(thread->registers_size);
	const struct cairn_bytes set = { thread->registers, thread->registers_size };
	const struct cairn_bytes tls = { thread->tls, thread->tls_size };
	const uint64_t beside = corenote_tls_thread_pointer(&layout, tls);

	return beside ? beside : corenote_registers_thread_pointer(&layout, set);
}

static const char *process_registers_machine_name(enum cairn_machine machine)
{
	const struct arch *arch = arch_of(machine);

	return arch ? arch->name : "not known";
}

/*
 * Finds stacks through the registers, the frames that the kernel saved for signal handlers, and
 * saved frame pointers.
 */

enum {
	/*
	 * size of the red zone on amd64, the area below the stack pointer that a leaf function may
	 * use
	 */
	RED_ZONE = 128,
	/* maximum distance of an overflowing access from the end of a stack */
	GUARD = 1 << 16,
	FRAME_BELOW = 4096, /* number of bytes to copy below a frame pointer */
	WORD_MAX = 8,
};

/*
 * Indices of words in the struct sigframe that Linux writes to the stack of an i386 program. The
 * first word is the handler's return address.
 */
enum {
	I386_WORD = 4,
	I386_SIGNAL = 1,
	I386_FP = 8,
	I386_SP = 9,
	I386_PC = 16,
	I386_CS = 17,
	I386_SP_AGAIN = 19,
	I386_SS = 20,
	I386_FRAME_WORDS = 21,
	I386_SIGNALS = 64,
	I386_SEGMENTS = 0x100,
};

/* SS_AUTODISARM, a flag of alternate signal stacks. */
#define STACK_DISARMED UINT64_C(0x80000000)

/* Further stacks to which one copied stack leads. Stacks beyond OS_THREAD_STACKS are dropped. */
struct found {
	struct os_stack_range *further;
	size_t count;
};

/*
 * Add a stack. `frame` is the frame pointer that was in use when the thread left the stack. Set
 * `guessed` if only a chain of frame pointers leads to the stack.
 */
static void add_found(struct found *found, struct cairn_range range, uint64_t frame, bool guessed)
{
	if (range.low < range.high && found->count < OS_THREAD_STACKS)
		found->further[found->count++] = (struct os_stack_range){ range, frame, guessed };
}

static uint64_t read_stack_word(struct cairn_bytes bytes, uint64_t at, unsigned word)
{
	return bytes_unsigned(bytes.data + at, word, process_registers_are_big());
}

static bool is_readable(const struct snapshot_mapping *mapping)
{
	return mapping && (mapping->access & SNAPSHOT_READ);
}

/*
 * Return the used part of the mapping that contains `sp`, or an empty range. If the stack
 * overflowed, `sp` is in the guard below the mapping.
 */
static struct cairn_range find_used(const struct snapshot *snapshot, uint64_t sp)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, sp);

	if (!is_readable(mapping)) {
		mapping = snapshot_next_mapping(snapshot, sp);
		if (!is_readable(mapping) || mapping->low - sp > GUARD)
			return (struct cairn_range){ 0, 0 };
		sp = mapping->low;
	}
	const uint64_t below = sp - mapping->low;
	return (struct cairn_range){ sp - (below < RED_ZONE ? below : RED_ZONE), mapping->high };
}

static struct os_stack_range process_stacks_first(void *context, const void *bytes, size_t size)
{
	const struct process_stacks *stacks = context;
	const struct cairn_registers registers = process_registers_decode(bytes, size);
	const uint64_t sp = registers_stack_pointer(&registers);

	if (registers.machine == CAIRN_MACHINE_NONE ||
	    !is_readable(snapshot_find_mapping(stacks->snapshot, sp)))
		return (struct os_stack_range){ .range = { 0, 0 } };
	return (struct os_stack_range){ find_used(stacks->snapshot, sp),
		                        process_registers_frame_pointer(&registers), false };
}

/*
 * Return the thread's own stack, or an empty range if it is unknown. The kernel reports the stack
 * of the first thread. Any other thread's stack lies below its thread pointer, in the same mapping.
 */
static struct cairn_range find_own_stack(const struct process_stacks *stacks,
                                         const struct os_captured_thread *thread)
{
	const uint64_t pointer = process_registers_thread_pointer(thread);
	const struct snapshot_mapping *mapping =
		pointer ? snapshot_find_mapping(stacks->snapshot, pointer) : NULL;

	if (thread->tid == stacks->process->pid)
		return stacks->main_stack;
	return mapping && !mapping->has_file ? (struct cairn_range){ mapping->low, pointer }
	                                     : (struct cairn_range){ 0, 0 };
}

/*
 * Return the lowest address within `range` that occurs as a word on `stack`, or range.high if none
 * does. If the range is a stack that overflowed, a pointer to it may be up to GUARD bytes below the
 * range.
 */
static uint64_t find_lowest_address(struct cairn_range range, struct cairn_bytes stack,
                                    unsigned word)
{
	const uint64_t before = range.low < GUARD ? range.low : GUARD;
	uint64_t low = range.high;

	for (size_t i = 0; i + word <= stack.size; i += word) {
		const uint64_t value = read_stack_word(stack, i, word);
		if (value >= range.low - before && value < low)
			low = value < range.low ? range.low : value;
	}
	return low;
}

/*
 * Find the thread's own stack while a signal handler runs on another stack. The kernel has saved
 * the interrupted stack pointer on the handler's stack, so take the lowest address in the thread's
 * own stack that occurs as a word on the handler's stack as the start of the used part.
 */
static void find_own(const struct process_stacks *stacks, const struct os_captured_thread *thread,
                     struct cairn_bytes copied, struct found *found)
{
	const struct cairn_range own = find_own_stack(stacks, thread);
	const unsigned word = process_registers_layout(thread->registers_size).wide ? 8 : 4;

	if (own.low == own.high || copied.size == 0 ||
	    (thread->stacks[0].low >= own.low && thread->stacks[0].low < own.high))
		return;
	const uint64_t low = find_lowest_address(own, copied, word), below = low - own.low;
	if (low < own.high)
		add_found(found,
		          (struct cairn_range){ low - (below < RED_ZONE ? below : RED_ZONE),
		                                own.high },
		          0, false);
}

static bool is_writable(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, address);

	return is_readable(mapping) && (mapping->access & SNAPSHOT_WRITE);
}

/*
 * Return true if a ucontext is at `address`: it has no uc_link, and its uc_stack contains the
 * ucontext but not the interrupted stack pointer. This excludes most words that happen to look like
 * a stack and its size.
 */
static bool is_context(const struct process_stacks *stacks, const struct arch *arch,
                       uint64_t address, struct cairn_bytes context)
{
	const struct signal_context *layout = &arch->ucontext;
	const uint64_t low = read_stack_word(context, layout->stack_low, arch->word);
	const uint64_t size = read_stack_word(context, layout->stack_size, arch->word);
	const uint64_t sp = read_stack_word(context, layout->sp, arch->word);
	const uint64_t flags = bytes_unsigned(context.data + layout->stack_flags, sizeof(uint32_t),
	                                      process_registers_are_big());

	return address - low < size && sp - low >= size &&
	       read_stack_word(context, layout->link, arch->word) == 0 &&
	       (flags & ~STACK_DISARMED) == 0 && is_writable(stacks->snapshot, low) &&
	       is_writable(stacks->snapshot, low + size - 1);
}

/*
 * Find the stacks that signal handlers interrupted, using the ucontext_t that the kernel saved on
 * the alternate stack.
 */
static void find_interrupted(const struct process_stacks *stacks, const struct arch *arch,
                             uint64_t low, struct cairn_bytes copied, struct found *found)
{
	const struct signal_context *layout = &arch->ucontext;

	if (layout->size == 0)
		return;
	for (size_t i = 0; i + layout->size <= copied.size; i += arch->word) {
		const struct cairn_bytes context = { copied.data + i, copied.size - i };
		if (is_context(stacks, arch, low + i, context))
			add_found(found,
			          find_used(stacks->snapshot,
			                    read_stack_word(context, layout->sp, arch->word)),
			          read_stack_word(context, layout->frame, arch->word), false);
	}
}

static bool is_executable(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, address);

	return mapping && (mapping->access & SNAPSHOT_EXECUTE);
}

static bool is_user_segment(uint64_t segment)
{
	return segment < I386_SEGMENTS && (segment & 3) == 3;
}

/*
 * Return true if `frame` is the frame of an i386 signal handler without SA_SIGINFO. Such a frame
 * has no uc_stack, but it begins with the handler's return address and the signal number, contains
 * the stack pointer twice, and has user-mode segment selectors.
 */
static bool is_plain_frame(const struct process_stacks *stacks, struct cairn_bytes frame)
{
	uint64_t word[I386_FRAME_WORDS];

	for (size_t i = 0; i < I386_FRAME_WORDS; i++)
		word[i] = read_stack_word(frame, i * I386_WORD, I386_WORD);
	return word[I386_SIGNAL] - 1 < I386_SIGNALS && word[I386_SP] == word[I386_SP_AGAIN] &&
	       is_user_segment(word[I386_CS]) && is_user_segment(word[I386_SS]) &&
	       is_writable(stacks->snapshot, word[I386_SP]) &&
	       is_executable(stacks->snapshot, word[I386_PC]) &&
	       is_executable(stacks->snapshot, word[0]);
}

/*
 * Find the stacks that i386 handlers without SA_SIGINFO interrupted, except the copied stack
 * itself.
 */
static void find_plainly_interrupted(const struct process_stacks *stacks, uint64_t low,
                                     struct cairn_bytes copied, struct found *found)
{
	const size_t size = I386_FRAME_WORDS * (size_t)I386_WORD;

	for (size_t i = 0; i + size <= copied.size; i += I386_WORD) {
		const struct cairn_bytes frame = { copied.data + i, copied.size - i };
		const uint64_t sp = read_stack_word(frame, I386_SP * (size_t)I386_WORD, I386_WORD);
		if (sp - low >= copied.size && is_plain_frame(stacks, frame))
			add_found(found, find_used(stacks->snapshot, sp),
			          read_stack_word(frame, I386_FP * (size_t)I386_WORD, I386_WORD),
			          false);
	}
}

/*
 * Return true if there is a frame record (the caller's frame pointer and return address) at
 * `frame`.
 */
static bool is_frame(const struct process_stacks *stacks, uint64_t frame, unsigned word)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(stacks->snapshot, frame);
	uint8_t saved[2 * WORD_MAX];

	if (frame % word != 0 || !is_readable(mapping) || !(mapping->access & SNAPSHOT_WRITE) ||
	    !os_process_read(stacks->process, frame, saved, 2 * word))
		return false;
	const struct cairn_bytes bytes = { saved, 2 * word };
	return is_executable(stacks->snapshot, read_stack_word(bytes, word, word));
}

/*
 * Follow the chain of saved frame pointers until it leaves the copied stack, and add the stack that
 * it enters.
 */
static void find_frame(const struct process_stacks *stacks, const struct os_captured_stack *run,
                       unsigned word, struct cairn_bytes copied, struct found *found)
{
	uint64_t frame = run->frame;

	for (size_t i = 0; i < copied.size; i += 2 * word) {
		const uint64_t at = frame - run->low, before = frame;
		if (frame % word != 0 || at >= copied.size || copied.size - at < 2 * word)
			break;
		frame = read_stack_word(copied, at, word);
		if (frame <= before || frame - run->low >= copied.size)
			break;
	}
	if (frame - run->low >= copied.size && is_frame(stacks, frame, word)) {
		struct cairn_range used = find_used(stacks->snapshot, frame);
		const struct snapshot_mapping *mapping =
			snapshot_find_mapping(stacks->snapshot, frame);
		const uint64_t below = frame - mapping->low;
		/*
		 * The frame extends below its frame pointer, because its function called code that
		 * continued on the other stack and will return here.
		 */
		used.low = frame - (below < FRAME_BELOW ? below : FRAME_BELOW);
		add_found(found, used, frame, true);
	}
}

static size_t process_stacks_further(void *context, const struct os_captured_thread *thread,
                                     size_t run, struct cairn_bytes copied,
                                     struct os_stack_range further[OS_THREAD_STACKS])
{
	const struct process_stacks *stacks = context;
	const enum cairn_machine machine = process_registers_layout(thread->registers_size).machine;
	const struct arch *arch = arch_of(machine);
	struct found found = { further, 0 };

	if (arch)
		find_interrupted(stacks, arch, thread->stacks[run].low, copied, &found);
	if (machine == CAIRN_MACHINE_I386)
		find_plainly_interrupted(stacks, thread->stacks[run].low, copied, &found);
	if (run == 0)
		find_own(stacks, thread, copied, &found);
	find_frame(stacks, &thread->stacks[run], arch ? arch->word : 8, copied, &found);
	return found.count;
}

enum {
	NAME_MAX_SIZE = 64,
	HEADERS = 4096,
};

struct process_source {
	struct os_process process;
	struct os_thread_capture capture;
	struct os_captured_stack *stacks;
	size_t stack_count;
	struct snapshot *snapshot;
	struct process_stacks look;
	char *maps;
	bool has_process;
};

/*
 * Return true if the range is within the headers of a file. Tools that add headers to a program
 * (patchelf) may make the page of the headers writable, but the program does not write to it.
 */
static bool is_of_headers(const struct snapshot_mapping *mapping, uint64_t address, size_t size)
{
	const uint64_t at = address - mapping->low;

	return mapping->has_file && mapping->offset == 0 && at < HEADERS && size <= HEADERS - at;
}

/*
 * Read code, or memory that the process cannot modify. JIT compilers may rewrite code in place, but
 * not code that is on a stack, and the unwinder verifies steps that follow code.
 */
static bool read_constant(const struct process_source *source, uint64_t address, void *buffer,
                          size_t size)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(source->snapshot, address);

	if (!mapping || size > mapping->high - address ||
	    ((mapping->access & SNAPSHOT_WRITE) && !(mapping->access & SNAPSHOT_EXECUTE) &&
	     !is_of_headers(mapping, address, size)))
		return false;
	return os_process_read(&source->process, address, buffer, size);
}

/*
 * Return the captured stack that may contain the address. Prefer the stacks of the thread that is
 * being walked. Threads are copied one after the other, and the copy for one thread may include the
 * stack of another (Go allocates stacks on its heap), but only a thread's own copy matches its
 * registers.
 */
static const struct os_captured_stack *find_stack(const struct process_source *source,
                                                  uint64_t address)
{
	const struct os_thread_capture *capture = &source->capture;
	const size_t next = SORTED_UP_TO(source->stacks, source->stack_count, low, address);

	if (source->snapshot->walked < capture->count) {
		const struct os_captured_thread *thread =
			&capture->thread[source->snapshot->walked];
		for (size_t i = 0; i < thread->stack_count; i++)
			if (address - thread->stacks[i].low < thread->stacks[i].size)
				return &thread->stacks[i];
	}
	return next ? &source->stacks[next - 1] : NULL;
}

static enum cairn_status read_process_memory(void *context, uint64_t address, void *buffer,
                                             size_t size)
{
	const struct process_source *source = context;
	const struct os_captured_stack *stack = find_stack(source, address);

	if (stack && address - stack->low < stack->size) {
		uint64_t offset = address - stack->low;
		if (size > stack->size - offset)
			return CAIRN_UNREADABLE;
		memcpy(buffer, source->capture.memory + stack->at + offset, size);
		return CAIRN_OK;
	}
	return read_constant(source, address, buffer, size) ? CAIRN_OK : CAIRN_UNREADABLE;
}

static void close_source(void *context)
{
	struct process_source *source = context;

	os_thread_capture_free(&source->capture);
	if (source->has_process)
		os_process_close(&source->process);
	free(source->stacks);
	free(source->maps);
	free(source);
}

static bool read_mappings(struct snapshot *snapshot, struct process_source *source)
{
	struct procmaps_entry entry;
	size_t size;

	source->maps = os_process_text(&source->process, "maps", &size);
	if (!source->maps || size == 0)
		return false;
	struct procmaps maps =
		procmaps_open((struct cairn_bytes){ (const uint8_t *)source->maps, size });
	while (procmaps_next(&maps, &entry)) {
		struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);
		if (mapping)
			*mapping = procmaps_mapping(&entry);
		if (bytes_are(entry.path, "[stack]"))
			source->look.main_stack = (struct cairn_range){ entry.low, entry.high };
	}
	snapshot_sort_mappings(snapshot);
	return true;
}

/*
 * Store a file from /proc in the snapshot. If `text` is set, remove trailing NULs and newlines, and
 * replace other NULs with blanks.
 */
static struct cairn_bytes keep_file(struct snapshot *snapshot, const struct process_source *source,
                                    const char *name, bool text)
{
	struct cairn_bytes kept = { (const uint8_t *)"", 0 };
	size_t size;
	char *bytes = os_process_text(&source->process, name, &size);

	while (bytes && text && size > 0 && (bytes[size - 1] == '\0' || bytes[size - 1] == '\n'))
		size--;
	for (size_t i = 0; bytes && text && i < size; i++)
		bytes[i] = bytes[i] ? bytes[i] : ' ';
	if (bytes && size > 0)
		kept = snapshot_keep(snapshot,
		                     (struct cairn_bytes){ (const uint8_t *)bytes, size });
	free(bytes);
	return kept;
}

static void read_process(struct snapshot *snapshot, const struct process_source *source)
{
	char path[PATH_MAX];

	snapshot->pid = source->process.pid;
	snapshot->living = source->process.living;
	snapshot->command_line = keep_file(snapshot, source, "cmdline", true);
	snapshot->auxv = keep_file(snapshot, source, "auxv", false);
	snapshot->running_nanoseconds = os_process_age(&source->process);
	snapshot->program = os_process_link(&source->process, "exe", path, sizeof(path))
	                            ? snapshot_keep_string(snapshot, path)
	                            : keep_file(snapshot, source, "comm", true);
}

static const char *describe_error(int error)
{
	if (error == EBUSY)
		return "a thread waits in the kernel, for a disk or a child of vfork(), and cannot "
		       "be stopped";
	if (error == ETIMEDOUT)
		return "a thread did not stop, because no processor was free for it";
	return "a thread could not be captured";
}

static void take_machine(struct snapshot *snapshot, const struct process_source *source)
{
	const struct os_thread_capture *capture = &source->capture;

	for (size_t i = 0; i < capture->count; i++) {
		const struct corenotes_layout layout =
			process_registers_layout(capture->thread[i].registers_size);
		if (capture->thread[i].error != 0)
			continue;
		snapshot->machine = layout.machine;
		snapshot->machine_name = process_registers_machine_name(layout.machine);
		snapshot->word = layout.wide ? 8 : 4;
		return;
	}
}

static bool is_of_program(const struct snapshot *snapshot,
                          const struct os_captured_thread *captured)
{
	return process_registers_layout(captured->registers_size).machine == snapshot->machine;
}

static void add_thread(struct snapshot *snapshot, const struct process_source *source,
                       const struct os_captured_thread *captured)
{
	struct snapshot_thread *thread = snapshot_add_thread(snapshot);
	char name[NAME_MAX_SIZE];

	if (!thread)
		return;
	snprintf(name, sizeof(name), "task/%llu/comm", (unsigned long long)captured->tid);
	thread->tid = captured->tid;
	thread->name = keep_file(snapshot, source, name, true);
	thread->stack_cut = captured->cut;
	thread->stop_nanoseconds = captured->nanoseconds;
	if (captured->stack_count > 0)
		thread->stack =
			(struct cairn_range){ captured->stacks[0].low,
			                      captured->stacks[0].low + captured->stacks[0].size };
	if (captured->error == 0 && is_of_program(snapshot, captured)) {
		thread->registers =
			process_registers_decode(captured->registers, captured->registers_size);
		thread->general =
			(struct cairn_bytes){ captured->registers, captured->registers_size };
	} else if (captured->error == 0)
		snapshot_add_problem(
			snapshot, "threads",
			(struct cairn_fault){ CAIRN_UNSUPPORTED, captured->tid,
		                              "a thread runs code of another machine than "
		                              "the first one" });
	else {
		snapshot_add_problem(snapshot, "threads",
		                     (struct cairn_fault){ CAIRN_UNREADABLE, captured->tid,
		                                           describe_error(captured->error) });
	}
}

static bool sort_stacks(struct process_source *source)
{
	const struct os_thread_capture *capture = &source->capture;
	size_t count = 0;

	for (size_t i = 0; i < capture->count; i++)
		count += capture->thread[i].stack_count;
	source->stacks = malloc((count + 1) * sizeof(*source->stacks));
	if (!source->stacks)
		return false;
	for (size_t i = 0; i < capture->count; i++)
		for (size_t k = 0; k < capture->thread[i].stack_count; k++)
			source->stacks[source->stack_count++] = capture->thread[i].stacks[k];
	SORT_BY_FIRST(source->stacks, source->stack_count, low);
	return true;
}

static int capture_threads(struct snapshot *snapshot, struct process_source *source)
{
	const struct os_thread_plan plan = { process_stacks_first, process_stacks_further,
		                             &source->look };
	const int error = os_thread_capture(&source->process, &plan, &source->capture);

	if (error != 0)
		return error;
	if (!sort_stacks(source))
		return ENOMEM;
	take_machine(snapshot, source);
	for (size_t i = 0; i < source->capture.count; i++)
		add_thread(snapshot, source, &source->capture.thread[i]);
	return 0;
}

static int capture_process(struct snapshot *snapshot, struct process_source *source, uint64_t pid)
{
	const int error = os_process_open(pid, &source->process);

	if (error != 0)
		return error;
	source->has_process = true;
	source->look.process = &source->process;
	source->look.snapshot = snapshot;
	if (!read_mappings(snapshot, source))
		return os_process_is_alive(&source->process) ? EPERM : ESRCH;
	read_process(snapshot, source);
	/* a process cannot trace itself */
	return pid == (uint64_t)getpid() ? 0 : capture_threads(snapshot, source);
}

int process_snapshot_open(struct snapshot *snapshot, uint64_t pid)
{
	const struct corenotes_layout host = process_registers_layout(OS_REGISTERS_MAX);
	struct process_source *source = calloc(1, sizeof(*source));

	if (!source)
		return ENOMEM;
	source->snapshot = snapshot;
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_PROCESS,
		                       .system = SNAPSHOT_SYSTEM_LINUX,
		                       .machine = host.machine,
		                       .machine_name = process_registers_machine_name(host.machine),
		                       .big_endian = process_registers_are_big(),
		                       .word = sizeof(void *),
		                       .memory = { read_process_memory, source },
		                       .source = source,
		                       .close_source = close_source };
	int error = host.machine == CAIRN_MACHINE_NONE ? ENOTSUP
	                                               : capture_process(snapshot, source, pid);
	if (error != 0)
		snapshot_close(snapshot);
	return error;
}

uint64_t process_snapshot_duration(const struct snapshot *snapshot)
{
	const struct process_source *source = snapshot->source;

	return snapshot->kind == CAIRN_STACKS_PROCESS ? source->capture.nanoseconds : 0;
}

static enum cairn_status read_memory_now(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct process_source *source = context;

	return os_process_read(&source->process, address, buffer, size) ? CAIRN_OK
	                                                                : CAIRN_UNREADABLE;
}

struct cairn_target process_snapshot_now(const struct snapshot *snapshot)
{
	return (struct cairn_target){ .read_memory = read_memory_now, .context = snapshot->source };
}
