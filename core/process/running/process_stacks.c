/* SPDX-License-Identifier: MIT */
/*
 * Finds stacks by the registers, by the frames that the kernel saved for signal handlers, and by
 * saved frame pointers.
 */
#include "process_stacks.h"

#include "process_registers.h"

#include "base/bytes.h"
#include "base/machine.h"

enum {
	RED_ZONE = 128, /* bytes below the stack pointer that a leaf function may use (amd64) */
	/* Bytes beyond the end of a stack that an overflowing access may reach. */
	GUARD = 1 << 16,
	FRAME_BELOW = 4096, /* bytes of a frame below its frame pointer that are copied */
	WORD_MAX = 8,
};

/*
 * Indices of words in the struct sigframe that Linux puts on the stack of an i386 program. The
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

/* SS_AUTODISARM, a flag of an alternate stack. */
#define STACK_DISARMED UINT64_C(0x80000000)

/* Stacks found from one run; excess ones are dropped. */
struct found {
	struct os_stack_range *further;
	size_t count;
};

/*
 * Add a stack. `frame` is the frame pointer with which the stack was left; `guessed`: only a chain
 * of frame pointers leads there.
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
 * Return the used part of the mapping that contains `sp`, or an empty range. If the stack has
 * overflowed, `sp` is in the guard below it.
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

struct os_stack_range process_stacks_first(void *context, const void *bytes, size_t size)
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
 * Return the thread's own stack, or an empty range if it is unknown. The kernel names the stack of
 * the first thread. The stack of another thread is below its thread pointer, in the same mapping.
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
 * Return the lowest address in `range` that the stack contains, or range.high if it contains no
 * such address. A pointer to an overflowed stack may be below `range`.
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
 * Find the thread's own stack while a handler runs on another one. It is in use from the lowest of
 * its addresses that the other stack contains, because the kernel saved the interrupted stack
 * pointer there.
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
 * Return true if the kernel wrote a context there: it does not have a link, and names an alternate
 * stack that contains the context but not the interrupted stack pointer. This distinguishes it from
 * most words that happen to look like a stack and its size.
 */
static bool is_context(const struct process_stacks *stacks, const struct process_context *layout,
                       uint64_t address, struct cairn_bytes context)
{
	const uint64_t low = read_stack_word(context, layout->stack_low, layout->word);
	const uint64_t size = read_stack_word(context, layout->stack_size, layout->word);
	const uint64_t sp = read_stack_word(context, layout->sp, layout->word);
	const uint64_t flags = bytes_unsigned(context.data + layout->stack_flags, sizeof(uint32_t),
	                                      process_registers_are_big());

	return address - low < size && sp - low >= size &&
	       read_stack_word(context, layout->link, layout->word) == 0 &&
	       (flags & ~STACK_DISARMED) == 0 && is_writable(stacks->snapshot, low) &&
	       is_writable(stacks->snapshot, low + size - 1);
}

/*
 * Find the stacks that signal handlers interrupted, by the registers that the kernel saved in a
 * ucontext_t on the alternate stack.
 */
static void find_interrupted(const struct process_stacks *stacks,
                             const struct process_context *layout, uint64_t low,
                             struct cairn_bytes copied, struct found *found)
{
	if (layout->size == 0)
		return;
	for (size_t i = 0; i + layout->size <= copied.size; i += layout->word) {
		const struct cairn_bytes context = { copied.data + i, copied.size - i };
		if (is_context(stacks, layout, low + i, context))
			add_found(found,
			          find_used(stacks->snapshot,
			                    read_stack_word(context, layout->sp, layout->word)),
			          read_stack_word(context, layout->frame, layout->word), false);
	}
}

static bool is_executable(const struct snapshot *snapshot, uint64_t address)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, address);

	return mapping && (mapping->access & SNAPSHOT_EXECUTE);
}

/* Return true if an i386 register names a segment of a user program. */
static bool is_user_segment(uint64_t segment)
{
	return segment < I386_SEGMENTS && (segment & 3) == 3;
}

/*
 * Return true if the kernel wrote a frame there for an i386 handler without SA_SIGINFO. It does not
 * name a stack, but it begins with the handler's return address and the signal, contains the stack
 * pointer twice, and has segments of a user program.
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

/* Find the stacks that such handlers interrupted, if they are not on this run. */
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
 * Return true if there is a frame record, with the frame pointer and the return address of the
 * caller.
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

/* Follow the chain of saved frame pointers, and add the stack to which it leaves the run. */
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
		 * The frame extends below its frame pointer; its call, which continued on the other
		 * stack, returns to it.
		 */
		used.low = frame - (below < FRAME_BELOW ? below : FRAME_BELOW);
		add_found(found, used, frame, true);
	}
}

size_t process_stacks_further(void *context, const struct os_captured_thread *thread, size_t run,
                              struct cairn_bytes copied,
                              struct os_stack_range further[OS_THREAD_STACKS])
{
	const struct process_stacks *stacks = context;
	const enum cairn_machine machine = process_registers_layout(thread->registers_size).machine;
	const struct process_context layout = process_registers_context(machine);
	struct found found = { further, 0 };

	find_interrupted(stacks, &layout, thread->stacks[run].low, copied, &found);
	if (machine == CAIRN_MACHINE_I386)
		find_plainly_interrupted(stacks, thread->stacks[run].low, copied, &found);
	if (run == 0)
		find_own(stacks, thread, copied, &found);
	find_frame(stacks, &thread->stacks[run], layout.word, copied, &found);
	return found.count;
}
