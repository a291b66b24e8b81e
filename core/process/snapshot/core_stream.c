/* SPDX-License-Identifier: MIT */
/*
 * Reads an ELF core file from its first byte to its last, and keeps the ranges selected by a plan:
 *
 *	core     = header segments notes memory ...
 *	segments = entries of 32 or 56 bytes
 *
 * If the number of segments does not fit into the ELF header (PN_XNUM), it is in a section header
 * at the end of the file. Therefore we assume that the program headers end where the notes begin,
 * and compare their number with the section header once it has been read.
 */

#include "core_snapshot.h"
#include "snapshot_modules.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/range.h"
#include "base/snapshot.h"
#include "base/sort.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

/*
 * Selects the memory of a streamed core to keep. The plan is created from the threads and program
 * headers before the first segment is read, and extended while module headers are read.
 *
 *	core_plan_add_thread(&plan, &thread);                    each thread, while notes are read
 *	core_plan_make(&plan, &snapshot, parts, count);          after all threads
 *	for (size_t i = core_plan_first(&plan, low); i < plan.count && plan.wants[i].low < high; i++)
 *		... plan.wants[i]
 *	core_plan_finish(&plan);
 */

struct core_part {
	uint64_t offset, va, size;
	bool notes;
};

struct core_plan_thread {
	size_t thread;
	uint64_t sp, pc;
	uint64_t home; /* address in the thread's own stack, near its outermost end; 0 if unknown */
};

struct core_plan {
	struct core_plan_thread *threads;
	size_t thread_count, thread_capacity;
	struct cairn_range *wants;
	size_t count, capacity;
	bool apart;
};

enum { CORE_STREAM_PIECE = 1 << 14 }; /* number of bytes per read if all memory is kept */

struct core_stream {
	struct snapshot *snapshot;
	const struct cairn_stacks_stream *input;
	uint64_t at;
	bool ended;
	struct elf elf;
	uint64_t segments;
	struct core_part *parts;
	size_t part_count, part_capacity;
	struct core_kept *kept;
	struct core_plan plan;
	bool whole;
	uint64_t memory_left;
	uint64_t held;
	const uint8_t *zeros;
	/* numbers of bytes in notes, and in register notes, that the snapshot may still borrow */
	uint64_t notes_left;
	uint64_t sets_left;
	/* remaining bytes of the budgets CORE_STREAM_SPARE and MODULE_BYTES_MAX */
	uint64_t spare_left, modules_left;
	uint64_t search_left;
	uint64_t found_left;
	/* number of heap bytes that may still be kept; 0 without Swift's runtime */
	uint64_t swift_left;
	/* range of the module whose header has been read most recently */
	uint64_t module_low, module_high;
	/* number of planned ranges with module notes */
	unsigned module_notes;
	bool missed; /* a segment was skipped because it begins before the current offset */
	bool scarce;
};

static size_t core_stream_read(struct core_stream *s, void *buffer, size_t size)
{
	size_t got = s->ended ? 0 : s->input->read(s->input->context, buffer, size);

	s->at += got;
	s->ended = s->ended || got < size;
	return got;
}

/* Skip to `offset`. Return false if the input ends first, or has already passed this offset. */
static bool core_stream_skip_to(struct core_stream *s, uint64_t offset)
{
	if (offset < s->at) {
		s->missed = true;
		return false;
	}
	const uint64_t wanted = offset - s->at;
	uint64_t got = wanted == 0 ? 0 : s->ended ? 0 : s->input->skip(s->input->context, wanted);
	s->at += got;
	s->ended = s->ended || got < wanted;
	return got == wanted;
}

static bool core_stream_charge(uint64_t *budget, uint64_t size)
{
	if (*budget < size)
		return false;
	*budget -= size;
	return true;
}

static void core_stream_problem(struct core_stream *s, const char *part, enum cairn_status status,
                                const char *what)
{
	snapshot_add_problem(s->snapshot, part, (struct cairn_fault){ status, s->at, what });
}

enum {
	/*
	 * auxiliary vector entry with an address in the main thread's stack, above the outermost
	 * frame
	 */
	AT_RANDOM = 25,
	/* size of the red zone on ppc64, the largest of all machines */
	RED_ZONE = 288,
	CODE_BEFORE = 64, /* number of bytes to keep before a pc, to include the call */
	/*
	 * number of bytes to keep around a pc; the unwinder follows this code if no table covers it
	 */
	CODE_SIZE = 256,
	/*
	 * maximum number of threads whose code is kept; code of further threads must be read from
	 * the modules' files
	 */
	CODE_MAX = 1 << 14
};

struct stack_want {
	size_t thread;
	uint64_t low, size;
	bool outermost;
};

struct stack_wants {
	struct stack_want *item;
	size_t count, capacity;
};

static bool core_plan_add_thread(struct core_plan *plan, const struct core_plan_thread *thread)
{
	return ARRAY_APPEND(plan->threads, plan->thread_count, plan->thread_capacity, *thread);
}

static int compare_parts(const void *left, const void *right)
{
	const struct core_part *a = left, *b = right;

	return ORDER_BY(a->notes, b->notes, ORDER_BY(a->va, b->va, 0));
}

/* Return the segment that contains `address`, or NULL. `parts` is sorted by address. */
static const struct core_part *find_part(const struct core_part *parts, size_t count,
                                         uint64_t address)
{
	const size_t next = SORTED_UP_TO(parts, count, va, address);

	return next > 0 && address - parts[next - 1].va < parts[next - 1].size ? &parts[next - 1]
	                                                                       : NULL;
}

static bool add_stack(struct stack_wants *wants, const struct stack_want *want)
{
	return ARRAY_APPEND(wants->item, wants->count, wants->capacity, *want);
}

static bool add_stacks(struct stack_wants *wants, const struct core_plan_thread *thread,
                       const struct core_part *parts, size_t count)
{
	const struct core_part *here = find_part(parts, count, thread->sp);
	const struct core_part *home = thread->home ? find_part(parts, count, thread->home) : NULL;

	if (here) {
		const uint64_t used = thread->sp - here->va;
		const uint64_t skipped = used < RED_ZONE ? 0 : used - RED_ZONE;
		const struct stack_want want = { thread->thread, here->va + skipped,
			                         here->size - skipped, false };
		if (!add_stack(wants, &want))
			return false;
	}
	if (!home || home == here)
		return true;
	const struct stack_want want = { thread->thread, home->va, home->size, true };
	return add_stack(wants, &want);
}

static bool runs_apart(const struct core_plan_thread *thread, const struct core_part *parts,
                       size_t count)
{
	const struct core_part *home = thread->home ? find_part(parts, count, thread->home) : NULL;

	return home && home != find_part(parts, count, thread->sp);
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Return the total size of all stacks except the crashed thread's, if no stack gets more than
 * `most` bytes.
 */
static uint64_t sum_stacks(const struct stack_wants *wants, size_t crashed, uint64_t most)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < wants->count; i++)
		if (wants->item[i].thread != crashed)
			sum += smaller_of(wants->item[i].size, most);
	return sum;
}

/*
 * Return the maximum size per stack such that the other threads' stacks fit into the budget
 * together with the crashed thread's stack.
 */
static uint64_t share_budget(const struct stack_wants *wants, size_t crashed)
{
	uint64_t left = CORE_STREAM_STACKS, low = 0, high = CORE_STREAM_STACK;

	for (size_t i = 0; i < wants->count; i++)
		if (wants->item[i].thread == crashed)
			left -= smaller_of(
				smaller_of(wants->item[i].size, CORE_STREAM_CRASHED_STACK), left);
	while (low < high) {
		uint64_t middle = high - (high - low) / 2;
		if (sum_stacks(wants, crashed, middle) <= left)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static bool append_want(struct core_plan *plan, uint64_t low, uint64_t size)
{
	if (!array_grow(&plan->wants, &plan->capacity, plan->count + 1, sizeof(*plan->wants)))
		return false;
	plan->wants[plan->count] =
		(struct cairn_range){ low, low + smaller_of(size, UINT64_MAX - low) };
	plan->count += size > 0;
	return true;
}

static bool plan_stacks(struct core_plan *plan, struct snapshot *snapshot,
                        struct stack_wants *wants)
{
	const size_t crashed = core_parts_crashed_thread(snapshot);
	const uint64_t share = share_budget(wants, crashed);

	for (size_t i = 0; i < wants->count; i++) {
		struct stack_want *want = &wants->item[i];
		const uint64_t most = want->thread == crashed ? CORE_STREAM_CRASHED_STACK : share;
		if (want->size > most) {
			snapshot->threads[want->thread].stack_cut = true;
			want->low += want->outermost ? want->size - most : 0;
			want->size = most;
		}
		if (!append_want(plan, want->low, want->size))
			return false;
	}
	return true;
}

static bool plan_code(struct core_plan *plan)
{
	for (size_t i = 0; i < plan->thread_count && i < CODE_MAX; i++)
		if (plan->threads[i].pc > CODE_BEFORE &&
		    !append_want(plan, plan->threads[i].pc - CODE_BEFORE, CODE_SIZE))
			return false;
	return true;
}

/*
 * Find the main thread's own stack, which contains the data that the kernel passed to the program.
 */
static void find_main_stack(struct core_plan *plan, const struct snapshot *snapshot)
{
	uint64_t random;

	if (!snapshot_auxv(snapshot, AT_RANDOM, &random))
		return;
	for (size_t i = 0; i < plan->thread_count; i++)
		if (snapshot->threads[plan->threads[i].thread].tid == snapshot->pid)
			plan->threads[i].home = random;
}

/*
 * Plan the stacks, within their limits, and the code around each pc. Set stack_cut for threads
 * whose stacks are truncated. Reorders `parts`. Return false if allocation fails.
 */
static bool core_plan_make(struct core_plan *plan, struct snapshot *snapshot,
                           struct core_part *parts, size_t count)
{
	struct stack_wants wants = { .item = NULL };
	size_t segments = 0;
	bool good = true;

	if (count > 0)
		qsort(parts, count, sizeof(*parts), compare_parts);
	while (segments < count && !parts[segments].notes)
		segments++;
	find_main_stack(plan, snapshot);
	const size_t crashed = core_parts_crashed_thread(snapshot);
	plan->apart = crashed < plan->thread_count &&
	              runs_apart(&plan->threads[crashed], parts, segments);
	for (size_t i = 0; good && i < plan->thread_count; i++)
		good = add_stacks(&wants, &plan->threads[i], parts, segments);
	good = good && plan_stacks(plan, snapshot, &wants) && plan_code(plan);
	free(wants.item);
	plan->count = range_merge(plan->wants, plan->count);
	return good;
}

static size_t find_want(const struct core_plan *plan, uint64_t address)
{
	return SORTED_BELOW(plan->wants, plan->count, high, address);
}

static bool core_plan_add(struct core_plan *plan, uint64_t low, uint64_t size)
{
	uint64_t high = low + smaller_of(size, UINT64_MAX - low);
	const size_t first = find_want(plan, low);
	size_t end = first;

	if (low == high)
		return true;
	if (!array_grow(&plan->wants, &plan->capacity, plan->count + 1, sizeof(*plan->wants)))
		return false;
	for (; end < plan->count && plan->wants[end].low <= high; end++) {
		low = smaller_of(low, plan->wants[end].low);
		high = plan->wants[end].high > high ? plan->wants[end].high : high;
	}
	memmove(&plan->wants[first + 1], &plan->wants[end],
	        (plan->count - end) * sizeof(*plan->wants));
	plan->wants[first] = (struct cairn_range){ low, high };
	plan->count = plan->count - (end - first) + 1;
	return true;
}

/* Return the index of the first range that contains `address` or lies above it. */
static size_t core_plan_first(const struct core_plan *plan, uint64_t address)
{
	size_t first = find_want(plan, address);

	return first < plan->count && plan->wants[first].high == address ? first + 1 : first;
}

static void core_plan_finish(struct core_plan *plan)
{
	free(plan->threads);
	free(plan->wants);
	*plan = (struct core_plan){ .threads = NULL };
}

enum {
	NOTE_HEAD = 12, /* size of three 4-byte words: namesz, descsz and type */
	NOTE_NAME = 64, /* maximum size of an owner's name; "CORE" takes 5 bytes */
	NOTE_STATUS_MAX = 1 << 12,
	/* maximum size of the note with the names of mapped files; the kernel's default limit */
	NOTE_FILES_MAX = 4 << 20,
};

static uint64_t pad_to_word(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

/* Return the maximum number of bytes to read from a note with this type, or 0 to skip the note. */
static size_t limit_note(uint32_t type)
{
	switch (type) {
	case CORENOTE_PRSTATUS:
	case CORENOTE_FPREGSET:
	case CORENOTE_PRPSINFO:
	case CORENOTE_AUXV:
	case CORENOTE_SIGINFO:
	case CORENOTE_386_TLS:
	case CORENOTE_ARM_TLS:
	case CORENOTE_ARM_PAC_MASK:
		return NOTE_STATUS_MAX;
	case CORENOTE_FILE:
		return NOTE_FILES_MAX;
	default:
		return 0;
	}
}

static bool is_borrowed(uint32_t type)
{
	return type == CORENOTE_PRPSINFO || type == CORENOTE_AUXV || type == CORENOTE_FILE;
}

static bool keeps_set(struct core_stream *s, uint32_t type, size_t size)
{
	return (type == CORENOTE_PRSTATUS || type == CORENOTE_FPREGSET) && s->sets_left > 0 &&
	       core_stream_charge(&s->sets_left, NOTE_HEAD + size);
}

static void plan_thread(struct core_stream *s, const struct core_notes *reading)
{
	const struct snapshot_thread *thread = reading->thread;
	struct core_plan_thread planned = { .home = reading->thread_pointer };

	if (!thread)
		return;
	planned.thread = s->snapshot->thread_count - 1;
	planned.pc = thread->registers.pc;
	planned.sp = registers_stack_pointer(&thread->registers);
	s->scarce = s->scarce || !core_plan_add_thread(&s->plan, &planned);
}

static void take_note(struct core_stream *s, struct core_notes *reading, struct cairn_bytes bytes)
{
	struct corenotes notes = corenotes_open(bytes, s->elf.big);
	struct corenote note;

	const bool is_ours = corenotes_next(&notes, &note);
	core_notes_report_foreign(reading, notes.foreign);
	if (!is_ours)
		return;
	core_notes_take(reading, &note);
	if (note.type == CORENOTE_PRSTATUS)
		plan_thread(s, reading);
	else if ((note.type == CORENOTE_ARM_TLS || note.type == CORENOTE_386_TLS) &&
	         s->plan.thread_count > 0)
		s->plan.threads[s->plan.thread_count - 1].home = reading->thread_pointer;
}

/* Clear the latest thread's reference to a register set before its note is freed. */
static void forget_set(const struct core_notes *reading, uint32_t type)
{
	const struct cairn_bytes none = { NULL, 0 };

	if (reading->thread && type == CORENOTE_PRSTATUS)
		reading->thread->general = none;
	if (reading->thread && type == CORENOTE_FPREGSET)
		reading->thread->floats = none;
}

static bool read_note(struct core_stream *s, struct core_notes *reading,
                      const uint8_t head[NOTE_HEAD], size_t size)
{
	const uint32_t type = bytes_u32(head + 8, s->elf.big);
	const bool borrowed = is_borrowed(type), set = keeps_set(s, type, size);
	uint8_t *block = NULL;

	if (borrowed && !core_stream_charge(&s->notes_left, NOTE_HEAD + size)) {
		core_stream_problem(s, "notes", CAIRN_UNSUPPORTED,
		                    "more notes than are kept from a stream");
		return core_stream_skip_to(s, s->at + size);
	}
	block = core_kept_block(s->kept, NOTE_HEAD + size);
	s->scarce = s->scarce || !block;
	if (!block)
		return false;
	memcpy(block, head, NOTE_HEAD);
	const size_t got = core_stream_read(s, block + NOTE_HEAD, size);
	if (got == size)
		take_note(s, reading, (struct cairn_bytes){ block, NOTE_HEAD + size });
	if (got < size || (!borrowed && !set)) {
		forget_set(reading, type);
		core_kept_shrink(s->kept, 0);
	}
	return got == size;
}

/*
 * Skip a note that is not needed, up to `end`. Read only the owner's name, which may identify a
 * foreign operating system.
 */
static bool pass_note(struct core_stream *s, struct core_notes *reading, uint32_t name,
                      uint64_t end)
{
	uint8_t owner[NOTE_NAME];

	if (name <= sizeof(owner) && core_stream_read(s, owner, name) == name)
		core_notes_report_foreign(
			reading, corenotes_name_foreign((struct cairn_bytes){ owner, name }));
	return core_stream_skip_to(s, end);
}

static bool next_note(struct core_stream *s, struct core_notes *reading, uint64_t end)
{
	uint8_t head[NOTE_HEAD];

	reading->start = s->at;
	if (end - s->at < NOTE_HEAD || core_stream_read(s, head, NOTE_HEAD) < NOTE_HEAD)
		return false;
	const uint32_t name = bytes_u32(head, s->elf.big), body = bytes_u32(head + 4, s->elf.big);
	const uint64_t size = pad_to_word(name) + body;
	const uint64_t left = end - s->at;
	const size_t limit = limit_note(bytes_u32(head + 8, s->elf.big));
	if (size > left)
		return false;
	const uint64_t padded = pad_to_word(size) < left ? pad_to_word(size) : left;
	if (name > NOTE_NAME || limit == 0)
		return pass_note(s, reading, name, s->at + padded);
	if (body > limit) {
		core_stream_problem(s, "notes", CAIRN_UNSUPPORTED,
		                    "a note is larger than cairn keeps");
		return core_stream_skip_to(s, s->at + padded);
	}
	return read_note(s, reading, head, (size_t)padded);
}

static void core_stream_notes(struct core_stream *s, const struct core_part *part)
{
	struct core_notes reading = core_notes_begin(s->snapshot, &s->elf, part->offset);
	const uint64_t end = part->offset + part->size;

	if (end < part->offset || !core_stream_skip_to(s, part->offset))
		return;
	while (s->at < end && next_note(s, &reading, end))
		;
	if (s->at < end)
		core_stream_problem(s, "notes", CAIRN_TRUNCATED, "the notes are truncated");
}

/*
 * Return true if the host allows `size` more bytes to be kept. The host sets this limit because a
 * few compressed bytes may expand to any number of bytes.
 */
static bool is_allowed(const struct core_stream *s, uint64_t size)
{
	if (!s->input->allow)
		return true;
	const uint64_t allowed = s->input->allow(s->input->context);
	return s->held <= allowed && size <= allowed - s->held;
}

static void report_excess(struct core_stream *s)
{
	core_stream_problem(s, "memory", CAIRN_UNSUPPORTED,
	                    "more memory than is kept from a stream");
}

/* Allocate a block for memory. Return NULL if the core's limit is reached or allocation fails. */
static uint8_t *make_block(struct core_stream *s, uint64_t size)
{
	if (size == 0 || size > SIZE_MAX)
		return NULL;
	if (!core_stream_charge(&s->memory_left, size) || !is_allowed(s, size)) {
		report_excess(s);
		return NULL;
	}
	uint8_t *block = core_kept_block(s->kept, (size_t)size);
	s->held += size;
	s->scarce = s->scarce || !block;
	return block;
}

static struct cairn_bytes core_stream_keep(struct core_stream *s, uint64_t address, uint64_t size)
{
	const struct cairn_bytes none = { NULL, 0 };
	uint8_t *block = make_block(s, size);

	if (!block)
		return none;
	const size_t got = core_stream_read(s, block, (size_t)size);
	if (got < size)
		block = core_kept_shrink(s->kept, got);
	if (got == 0)
		return none;
	const struct cairn_bytes bytes = { block, got };
	s->scarce = s->scarce || !core_kept_add(s->kept, address, bytes);
	return bytes;
}

/* Return the block that all ranges of zeros share, or NULL if allocation fails. */
static const uint8_t *find_zeros(struct core_stream *s)
{
	uint8_t *zeros = s->zeros ? NULL : core_kept_block(s->kept, CORE_STREAM_PIECE);

	if (zeros)
		s->zeros = memset(zeros, 0, CORE_STREAM_PIECE);
	s->scarce = s->scarce || !s->zeros;
	return s->zeros;
}

/* Keep a range of zeros without copying it. Return false if the limit is reached. */
static bool core_stream_keep_zeros(struct core_stream *s, uint64_t address, size_t size)
{
	if (!core_stream_charge(&s->memory_left, size)) {
		report_excess(s);
		return false;
	}
	s->scarce = s->scarce || !find_zeros(s) ||
	            !core_kept_add(s->kept, address, (struct cairn_bytes){ s->zeros, size });
	return true;
}

static bool core_stream_keep_copy(struct core_stream *s, uint64_t address, const uint8_t *bytes,
                                  size_t size)
{
	uint8_t *block = make_block(s, size);

	if (!block)
		return false;
	memcpy(block, bytes, size);
	s->scarce =
		s->scarce || !core_kept_add(s->kept, address, (struct cairn_bytes){ block, size });
	return true;
}

/*
 * Searches for the signal stack of a thread that has since switched to a third stack. A signal
 * handler runs on its own stack and may switch to another (-fsplit-stack, coroutines). No note
 * contains the location of the handler's stack. However, the kernel has written a signal frame on
 * it, whose uc_stack contains the bounds of the stack (amd64).
 */

enum {
	/* number of bytes to read at a time, and to keep from the stack below the signal frame */
	PIECE = 1 << 16,
	WORD = 8,
	/* offsets in the signal frame's ucontext */
	LINK = 8,
	STACK = 16,
	STACK_SIZE = 32,
	CODE_SEGMENT = 184,
	STACK_SEGMENT = 190,
	CONTEXT = 192,
	USER_CODE = 0x33,
	USER_STACK = 0x2b,
	FLAGS_END = 8, /* upper bound of uc_flags */
};

struct search {
	/* A window on the memory to search, with a capacity of 2 * PIECE bytes. */
	uint8_t *bytes;
	uint64_t base;
	size_t size, searched;
	struct cairn_range stack;
};

/* Return true if `context` is a ucontext that lies in the stack described by its own uc_stack. */
static bool is_signal_frame(const uint8_t *context, uint64_t at, struct cairn_range *stack)
{
	const uint64_t low = bytes_u64(context + STACK, false),
		       size = bytes_u64(context + STACK_SIZE, false);

	if (bytes_u16(context + CODE_SEGMENT, false) != USER_CODE ||
	    bytes_u16(context + STACK_SEGMENT, false) != USER_STACK ||
	    bytes_u64(context, false) >= FLAGS_END || bytes_u64(context + LINK, false) != 0 ||
	    at < low || at - low >= size || size > UINT64_MAX - low)
		return false;
	*stack = (struct cairn_range){ low, low + size };
	return true;
}

static bool find_frame(struct search *search)
{
	for (; search->searched + CONTEXT <= search->size; search->searched += WORD)
		if (is_signal_frame(search->bytes + search->searched,
		                    search->base + search->searched, &search->stack))
			return true;
	return false;
}

/*
 * Discard old bytes if the window is full, and read up to PIECE more bytes. Return false at `end`
 * or if the limit for searching is reached.
 */
static bool read_piece(struct core_stream *s, struct search *search, uint64_t end)
{
	const uint64_t at = search->base + search->size, left = end - at;
	const size_t wanted = left < PIECE ? (size_t)left : PIECE;

	if (wanted == 0 || !core_stream_charge(&s->search_left, wanted))
		return false;
	if (search->size > PIECE) {
		const size_t gone = search->size - PIECE;
		memmove(search->bytes, search->bytes + gone, PIECE);
		search->base += gone;
		search->searched -= search->searched < gone ? search->searched : gone;
		search->size = PIECE;
	}
	const size_t got = core_stream_read(s, search->bytes + search->size, wanted);
	search->size += got;
	return got > 0;
}

/* Keep the stack's bytes in the window, and up to 2 * PIECE bytes after the window. */
static void keep_found(struct core_stream *s, const struct search *search, uint64_t end)
{
	const uint64_t at = search->base + search->size;
	const uint64_t high = search->stack.high < end ? search->stack.high : end;
	const uint64_t left = high > at ? high - at : 0;
	const uint64_t more = left < 2 * PIECE ? left : 2 * PIECE;

	if (!core_stream_charge(&s->found_left, search->size + more))
		return;
	core_stream_keep_copy(s, search->base, search->bytes, search->size);
	if (more > 0)
		core_stream_keep(s, at, more);
}

/*
 * Return true if the crashed thread runs on a stack other than its own, and the segment is writable
 * memory without any thread's stack.
 */
static bool should_search(const struct core_stream *s, const struct core_part *part)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(s->snapshot, part->va);
	const size_t next = core_plan_first(&s->plan, part->va);

	return s->plan.apart && s->snapshot->machine == CAIRN_MACHINE_AMD64 && s->search_left > 0 &&
	       part->size <= UINT64_MAX - part->va && mapping &&
	       (mapping->access & SNAPSHOT_WRITE) && part->va % WORD == 0 &&
	       (next == s->plan.count || s->plan.wants[next].low >= part->va + part->size);
}

/*
 * Search a segment for the signal stack that a thread has left, and keep the memory around the
 * signal frame on it. `read` contains the segment's first bytes. Return false, without reading
 * further, if the segment need not be searched.
 */
static bool core_stream_search(struct core_stream *s, const struct core_part *part,
                               struct cairn_bytes read)
{
	struct search search = { .base = part->va, .size = read.size };
	const uint64_t end = part->va + part->size;
	bool found = false;

	if (read.size == 0 || read.size > PIECE || !should_search(s, part))
		return false;
	search.bytes = malloc(2 * PIECE);
	s->scarce = s->scarce || !search.bytes;
	if (!search.bytes)
		return false;
	memcpy(search.bytes, read.data, read.size);
	do
		found = find_frame(&search);
	while (!found && read_piece(s, &search, end));
	if (found)
		keep_found(s, &search, end);
	free(search.bytes);
	return true;
}

enum {
	PAGE = 4096,
	HEADER = 64,
	SMALL = 1 << 16, /* maximum size of a segment to keep completely */
	/*
	 * maximum size of a segment with a module's data to keep completely; static programs have
	 * large ones
	 */
	MODULE_DATA = 1 << 19,
	HEADERS = 3 << 20, /* number of bytes in the module budget to reserve for headers */
	MODULE_NOTES = 1 << 14,
	MODULE_NOTES_MAX = 1 << 12, /* maximum number of note segments in all modules together */
};

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/*
 * Plan to keep a module's notes, which contain its build ID, unless they are within the first
 * `present` bytes.
 */
static void want_notes(struct core_stream *s, const struct elf *elf, uint64_t bias, size_t present)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_NOTE || segment.file_size > MODULE_NOTES ||
		    segment.offset > UINT64_MAX - MODULE_NOTES ||
		    segment.offset + segment.file_size <= present)
			continue;
		if (s->module_notes >= MODULE_NOTES_MAX ||
		    !core_stream_charge(&s->modules_left, segment.file_size))
			return;
		s->module_notes++;
		s->scarce =
			s->scarce || !core_plan_add(&s->plan, segment.va + bias, segment.file_size);
	}
}

/*
 * Set *span to a module's link-time address range. Return false if no segment contains the first
 * byte of the file.
 */
static bool find_span(const struct elf *elf, struct cairn_range *span)
{
	struct elf_segment segment;
	bool found = false;

	*span = (struct cairn_range){ 0, 0 };
	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD)
			continue;
		const uint64_t high = segment.va + segment.memory_size;
		if (!found && segment.offset == 0)
			span->low = segment.va;
		found = found || segment.offset == 0;
		span->high = high > span->high ? high : span->high;
	}
	return found && span->low < span->high;
}

static void examine_header(struct core_stream *s, uint64_t address, struct cairn_bytes bytes)
{
	struct cairn_range span;
	struct elf elf;

	if (bytes.size < HEADER || !elf_opens(bytes, &elf) || !find_span(&elf, &span))
		return;
	s->module_low = address;
	s->module_high = address + (span.high - span.low);
	want_notes(s, &elf, address - span.low, bytes.size);
}

/*
 * Count a whole segment against a budget. Return false if the segment must not be kept completely.
 * Small segments of module data count against the module budget, in which HEADERS bytes remain
 * reserved for the headers of other modules.
 */
static bool reserve_bytes(struct core_stream *s, const struct core_part *part)
{
	const bool within = part->va - s->module_low < s->module_high - s->module_low;

	if (within && part->size <= MODULE_DATA && s->modules_left >= HEADERS + part->size)
		return core_stream_charge(&s->modules_left, part->size);
	return part->size <= SMALL && core_stream_charge(&s->spare_left, part->size);
}

/*
 * Keep the ranges of a segment that the plan selects. `page` contains the segment's first `read`
 * bytes.
 */
static void keep_wanted(struct core_stream *s, const struct core_part *part, const uint8_t *page,
                        size_t read)
{
	const uint64_t end = part->va + part->size - 1;
	uint64_t from = part->va;

	for (size_t i = core_plan_first(&s->plan, from);
	     i < s->plan.count && s->plan.wants[i].low <= end && !s->ended; i++) {
		const struct cairn_range *want = &s->plan.wants[i];
		uint64_t low = want->low > from ? want->low : from;
		const uint64_t last = want->high - 1 < end ? want->high - 1 : end;
		if (low - part->va < read) {
			const uint64_t at = low - part->va;
			const uint64_t have = last - low < read - at ? last - low + 1 : read - at;
			core_stream_keep_copy(s, low, page + at, (size_t)have);
			low += have;
		}
		if (low > last || low == 0)
			continue;
		if (core_stream_skip_to(s, part->offset + (low - part->va)))
			core_stream_keep(s, low, last - low + 1);
		from = last;
	}
}

/*
 * Keep a segment completely. Read it piece by piece, because its size may be forged and compressed
 * input may expand to more than is allowed.
 */
static void keep_whole(struct core_stream *s, const struct core_part *part)
{
	uint8_t piece[CORE_STREAM_PIECE];
	bool good = true;

	for (uint64_t at = 0; good && at < part->size && !s->ended && !s->scarce;
	     at += sizeof(piece)) {
		const uint64_t left = part->size - at;
		const size_t wanted = left < sizeof(piece) ? (size_t)left : sizeof(piece);
		const size_t got = core_stream_read(s, piece, wanted);
		good = got == 0 ||
		       (is_zero(piece, got) ? core_stream_keep_zeros(s, part->va + at, got)
		                            : core_stream_keep_copy(s, part->va + at, piece, got));
	}
}

/*
 * Return true if the segment may contain tasks and contexts of Swift's async functions, which are
 * on the heap. Exclude stacks, which are kept within their own limits.
 */
static bool keeps_contexts(const struct core_stream *s, const struct core_part *part)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(s->snapshot, part->va);
	const size_t next = core_plan_first(&s->plan, part->va);

	return part->size <= s->swift_left && mapping && (mapping->access & SNAPSHOT_WRITE) &&
	       !mapping->has_file &&
	       (next == s->plan.count || s->plan.wants[next].low - part->va >= part->size);
}

static void core_stream_memory(struct core_stream *s, const struct core_part *part)
{
	uint8_t page[PAGE];

	if (!core_stream_skip_to(s, part->offset))
		return;
	if (s->whole) {
		keep_whole(s, part);
		return;
	}
	if (keeps_contexts(s, part)) {
		s->swift_left -= part->size;
		keep_whole(s, part);
		return;
	}
	if (reserve_bytes(s, part)) {
		examine_header(s, part->va, core_stream_keep(s, part->va, part->size));
		return;
	}
	const size_t first = part->size < PAGE ? (size_t)part->size : PAGE;
	const struct cairn_bytes bytes = { page, core_stream_read(s, page, first) };
	if (bytes.size >= HEADER && elf_has_magic(bytes) &&
	    core_stream_charge(&s->modules_left, bytes.size)) {
		core_stream_keep_copy(s, part->va, page, bytes.size);
		examine_header(s, part->va, bytes);
	} else if (core_stream_search(s, part, bytes)) {
		return;
	}
	keep_wanted(s, part, page, bytes.size);
}

enum {
	HEADER_NARROW = 52,
	HEADER_WIDE = 64,
	MANY_SEGMENTS = 0xffff,
	/*
	 * budget for modules, enough for 1,000 modules with a page of headers and a page of data
	 * each
	 */
	MODULE_BYTES_MAX = 8 << 20,
	SETS_MAX = 32 << 20, /* maximum size of all register sets, enough for 35,000 threads */
	/* maximum number of note bytes that the snapshot borrows: file names and small notes */
	BORROWED_MAX = 5 << 20,
};

static enum cairn_status open_header(struct core_stream *s, struct cairn_fault *fault)
{
	uint8_t header[HEADER_WIDE] = { 0 };
	size_t size = core_stream_read(s, header, HEADER_NARROW);

	if (size == HEADER_NARROW && header[4] != 1)
		size += core_stream_read(s, header + HEADER_NARROW, HEADER_WIDE - HEADER_NARROW);
	enum cairn_status status = elf_open((struct cairn_bytes){ header, size }, &s->elf, fault);
	if (status != CAIRN_OK)
		return status;
	if (s->elf.type != ELF_TYPE_CORE)
		return fault_set(fault, CAIRN_MALFORMED, "not a core file");
	if (s->elf.segments_at < s->at)
		return fault_set_at(fault, CAIRN_MALFORMED, s->at,
		                    "the program headers lie within the ELF header");
	return CAIRN_OK;
}

static bool read_segment(struct core_stream *s, struct elf_segment *segment)
{
	uint8_t bytes[ELF_SEGMENT_WIDE];
	size_t size = s->elf.wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf one = s->elf;

	if (core_stream_read(s, bytes, size) < size)
		return false;
	one.bytes = (struct cairn_bytes){ bytes, size };
	one.segments_at = 0;
	one.segments = 1;
	return elf_segment(&one, 0, segment);
}

static bool add_part(struct core_stream *s, const struct elf_segment *segment)
{
	if (segment->type == ELF_PT_LOAD)
		core_parts_add_segment(s->snapshot, segment);
	if ((segment->type != ELF_PT_LOAD && segment->type != ELF_PT_NOTE) ||
	    segment->file_size == 0)
		return true;
	if (!array_grow(&s->parts, &s->part_capacity, s->part_count + 1, sizeof(*s->parts)))
		return false;
	/* cut off memory that wraps around the end of the address space */
	uint64_t size = segment->file_size;
	if (segment->type == ELF_PT_LOAD && size > -segment->va && segment->va != 0)
		size = -segment->va;
	s->parts[s->part_count++] = (struct core_part){ segment->offset, segment->va, size,
		                                        segment->type == ELF_PT_NOTE };
	return true;
}

static void read_segments(struct core_stream *s)
{
	const bool many = s->elf.segments == MANY_SEGMENTS;
	const uint64_t count = many ? SNAPSHOT_MAPPINGS_MAX : s->elf.segments;
	const size_t size = s->elf.wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf_segment segment;
	uint64_t first = UINT64_MAX, i = 0;
	bool good = count == 0 || core_stream_skip_to(s, s->elf.segments_at);

	for (; good && i < count && !(many && first - s->at < size); i++) {
		good = read_segment(s, &segment);
		if (!good)
			break;
		s->scarce = s->scarce || !add_part(s, &segment);
		if (segment.file_size > 0 && segment.offset < first && segment.offset >= s->at)
			first = segment.offset;
	}
	if (!good)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED, "program headers are missing");
	s->segments = i;
	snapshot_sort_mappings(s->snapshot);
}

static void walk_parts(struct core_stream *s)
{
	/* number of all note segments, and of those before the first memory segment */
	size_t notes = 0, first = 0;

	for (size_t i = 0; i < s->part_count; i++)
		notes += s->parts[i].notes;
	if (notes == 0)
		core_stream_problem(s, "notes", CAIRN_NOT_FOUND, "the core has no notes");
	SORT_BY_FIRST(s->parts, s->part_count, offset);
	for (; first < s->part_count && s->parts[first].notes; first++)
		core_stream_notes(s, &s->parts[first]);
	s->whole = first < notes;
	s->memory_left = s->whole ? CORE_STREAM_WHOLE
	                          : CORE_STREAM_STACKS + CORE_STREAM_SPARE + MODULE_BYTES_MAX +
	                                    CORE_STREAM_FOUND;
	for (size_t i = 0; i < s->snapshot->mapping_count && s->swift_left == 0; i++)
		if (bytes_begin_with(base_name(s->snapshot->mappings[i].path),
		                     "libswift_Concurrency.so"))
			s->swift_left = CORE_STREAM_SWIFT;
	s->memory_left += s->swift_left;
	if (!s->whole) {
		s->scarce = s->scarce ||
		            !core_plan_make(&s->plan, s->snapshot, s->parts, s->part_count);
		SORT_BY_FIRST(s->parts, s->part_count, offset);
	}
	for (size_t i = first; i < s->part_count && !s->ended && !s->scarce; i++)
		if (s->parts[i].notes)
			core_stream_notes(s, &s->parts[i]);
		else
			core_stream_memory(s, &s->parts[i]);
}

/* Skip to the end of the last segment to detect truncation. */
static void read_to_end(struct core_stream *s)
{
	uint64_t end = s->at;

	for (size_t i = 0; i < s->part_count; i++) {
		const struct core_part *part = &s->parts[i];
		if (part->offset + part->size > end && part->offset + part->size > part->offset)
			end = part->offset + part->size;
	}
	if (!s->ended)
		core_stream_skip_to(s, end);
	if (s->at < end)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED,
		                    "the file ends before all dumped memory");
	if (s->missed)
		core_stream_problem(
			s, "memory", CAIRN_UNSUPPORTED,
			"overlapping parts are omitted; read the core from a file to include them");
}

/*
 * Compare the number of segments with the number in section header 0. This header follows the
 * segments in the file, so it can only confirm the number.
 */
static void check_count(struct core_stream *s)
{
	uint8_t bytes[ELF_SECTION_WIDE];
	const size_t size = s->elf.wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW;

	if (s->elf.segments != MANY_SEGMENTS ||
	    /* the section header has already been skipped */
	    (s->elf.sections_at != 0 && s->elf.sections_at < s->at))
		return;
	if (s->elf.sections_at == 0 || !core_stream_skip_to(s, s->elf.sections_at) ||
	    core_stream_read(s, bytes, size) < size)
		core_stream_problem(s, "memory", CAIRN_TRUNCATED,
		                    "the number of program headers is missing");
	else if (bytes_u32(bytes + (s->elf.wide ? 44 : 28), s->elf.big) != s->segments)
		core_stream_problem(s, "memory", CAIRN_MALFORMED,
		                    "the number of program headers is not the one recorded");
}

enum cairn_status core_stream_open(struct snapshot *snapshot,
                                   const struct cairn_stacks_stream *input, bool keep_sets,
                                   uint64_t *taken, struct cairn_fault *fault)
{
	struct core_stream s = { .snapshot = snapshot,
		                 .input = input,
		                 .notes_left = BORROWED_MAX,
		                 .sets_left = keep_sets ? SETS_MAX : 0,
		                 .spare_left = CORE_STREAM_SPARE,
		                 .search_left = CORE_STREAM_SEARCH,
		                 .found_left = CORE_STREAM_FOUND,
		                 .modules_left = MODULE_BYTES_MAX };
	enum cairn_status status = open_header(&s, fault);

	if (status != CAIRN_OK)
		return status;
	core_parts_describe(snapshot, &s.elf);
	s.kept = calloc(1, sizeof(*s.kept));
	if (!s.kept)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	snapshot->source = s.kept;
	snapshot->close_source = core_kept_free;
	read_segments(&s);
	walk_parts(&s);
	read_to_end(&s);
	check_count(&s);
	*taken = s.at;
	core_kept_finish(s.kept);
	snapshot->memory = s.kept->core.target;
	snapshot->find_part = corefile_find_part;
	core_parts_find_crash(snapshot);
	free(s.parts);
	core_plan_finish(&s.plan);
	if (!s.scarce)
		return CAIRN_OK;
	snapshot_close(snapshot);
	return fault_set_at(fault, CAIRN_NO_MEMORY, s.at, "out of memory");
}
