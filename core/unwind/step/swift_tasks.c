/* SPDX-License-Identifier: MIT */
/* Reads the tasks and contexts of Swift's concurrency runtime in memory. */
#include "swift_tasks.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/target_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Offsets in a task, in its status records and in a context, on 64-bit machines. Source: layout
 * version 1 in Swift's headers (ABI/Task.h, ABI/TaskStatus.h), checked with Swift 6.2 on amd64 and
 * aarch64. The task's size differs, but only the parent of a child task lies behind the difference.
 */
enum {
	TASK_FLAGS = 32,
	TASK_ID = 36,
	TASK_RESUME = 56,
	TASK_CONTEXT = 64,
	TASK_STATUS = 96,
	TASK_RECORDS = 104,
	TASK_ID_HIGH = 144,
	TASK_DEPENDENCY = 160,
	WORD = 8,
	TASK_READ = SWIFT_TASK_SIZE_AARCH64 + WORD,

	FLAGS_KIND = 0xff, /* mask for the kind of a job, which is 0 for tasks */
	FLAGS_CHILD = 1 << 24,
	FLAGS_NAMED = 1 << 30,

	STATUS_PRIORITY = 0xff,
	STATUS_CANCELLED = 0x100,
	STATUS_RUNNING = 0x800,
	STATUS_ENQUEUED = 0x1000,
	STATUS_COMPLETE = 0x2000,
	STATUS_WAITING = 0x4000,

	RECORD_NEXT = 8,
	RECORD_VALUE = 16,
	RECORD_WAIT = 32,
	RECORD_DEPENDENCY_SIZE = 36,
	RECORD_SIZE = 24,
	RECORD_DEPENDENCY_KIND = 0,
	RECORD_NAME_KIND = 6,

	CONTEXT_RESUME = 8,
	ALIGNMENT = 16,

	PROLOGUE_MAX = 32, /* number of code bytes after which a funclet has stored its context */
};

/* bit that some systems set in the saved frame pointer of a frame with a context */
static const uint64_t frame_mark = UINT64_C(1) << 60;

#define VARIABLE(name) "_swift_concurrency_debug_" name

const char *const swift_variable_names[SWIFT_VARIABLES] = {
	VARIABLE("internal_layout_version"),
	VARIABLE("asyncTaskMetadata"),
	VARIABLE("asyncTaskSize"),
	VARIABLE("future_adapter"),
	VARIABLE("non_future_adapter"),
	VARIABLE("task_future_wait_resume_adapter"),
	VARIABLE("task_wait_throwing_resume_adapter"),
};

static uint64_t word_at(const uint8_t *bytes, size_t at)
{
	return bytes_u64(bytes + at, false);
}

bool swift_set_variables(struct swift_runtime *runtime, const uint64_t value[SWIFT_VARIABLES])
{
	runtime->version = (uint32_t)value[SWIFT_LAYOUT_VERSION];
	runtime->isa = value[SWIFT_TASK_METADATA];
	memcpy(runtime->adapter, value + SWIFT_ADAPTER_FIRST, sizeof(runtime->adapter));
	if (runtime->version < SWIFT_LAYOUT_FIRST || runtime->version > SWIFT_LAYOUT_LAST ||
	    (value[SWIFT_TASK_SIZE_VARIABLE] != SWIFT_TASK_SIZE &&
	     value[SWIFT_TASK_SIZE_VARIABLE] != SWIFT_TASK_SIZE_AARCH64))
		return false;
	runtime->task_size = (uint32_t)value[SWIFT_TASK_SIZE_VARIABLE];
	return true;
}

bool swift_is_adapter(const struct swift_runtime *runtime, uint64_t pc)
{
	for (size_t i = 0; i < SWIFT_ADAPTERS; i++)
		if (pc == runtime->adapter[i])
			return true;
	return false;
}

bool swift_read_chain(struct swift_runtime *runtime, uint64_t context, struct swift_chain *chain)
{
	uint64_t seen = 0;
	uint8_t words[SWIFT_CONTEXT_SIZE];

	chain->count = 0;
	while (context != 0) {
		if (context % ALIGNMENT != 0 || context == seen ||
		    chain->count == SWIFT_CHAIN_MAX || runtime->steps_left == 0 ||
		    !memory_read(runtime->memory, context, words, sizeof(words)))
			return false;
		const uint64_t pc = word_at(words, CONTEXT_RESUME);
		if (!runtime->is_code(runtime->context, pc) ||
		    !ARRAY_APPEND(chain->pc, chain->count, chain->capacity, pc))
			return false;
		/* detect cycles with Brent's algorithm */
		if ((chain->count & (chain->count - 1)) == 0)
			seen = context;
		runtime->steps_left--;
		chain->outermost = context;
		context = word_at(words, 0);
	}
	return chain->count > 0;
}

void swift_chain_finish(struct swift_chain *chain)
{
	free(chain->pc);
	*chain = (struct swift_chain){ .pc = NULL };
}

static bool owns_chain(struct swift_runtime *runtime, const struct swift_task *task)
{
	return swift_read_chain(runtime, task->context, &runtime->own) &&
	       runtime->own.outermost - task->address - runtime->task_size <
	               SWIFT_OUTERMOST_MAX - runtime->task_size;
}

static void read_dependency(const struct swift_runtime *runtime, uint64_t address,
                            struct swift_task *task)
{
	uint8_t record[RECORD_DEPENDENCY_SIZE];

	if (address == 0 || !memory_read(runtime->memory, address, record, sizeof(record)) ||
	    record[0] != RECORD_DEPENDENCY_KIND)
		return;
	const uint32_t wait = bytes_u32(record + RECORD_WAIT, false);
	if (wait < CAIRN_TASK_WAITS_TASK || wait > CAIRN_TASK_WAITS_EXECUTOR)
		return;
	task->waits_for = (enum cairn_task_wait)wait;
	if (wait == CAIRN_TASK_WAITS_TASK || wait == CAIRN_TASK_WAITS_EXECUTOR)
		task->on = word_at(record, RECORD_VALUE);
}

bool swift_read_task(struct swift_runtime *runtime, uint64_t address, struct swift_task *task)
{
	uint8_t bytes[TASK_READ];

	if (!memory_read(runtime->memory, address, bytes, runtime->task_size + WORD) ||
	    word_at(bytes, 0) != runtime->isa)
		return false;
	const uint32_t flags = bytes_u32(bytes + TASK_FLAGS, false);
	const uint32_t status = bytes_u32(bytes + TASK_STATUS, false);
	*task = (struct swift_task){
		.id = (uint64_t)bytes_u32(bytes + TASK_ID_HIGH, false) << 32 |
		      bytes_u32(bytes + TASK_ID, false),
		.address = address,
		.state = status & STATUS_RUNNING    ? CAIRN_TASK_RUNNING
		         : status & STATUS_ENQUEUED ? CAIRN_TASK_ENQUEUED
		                                    : CAIRN_TASK_WAITING,
		.priority = status & STATUS_PRIORITY,
		.cancelled = status & STATUS_CANCELLED,
		.resume = word_at(bytes, TASK_RESUME),
		.context = word_at(bytes, TASK_CONTEXT),
		.parent = flags & FLAGS_CHILD ? word_at(bytes, runtime->task_size) : 0,
		/* later layout versions store task names elsewhere */
		.records = flags & FLAGS_NAMED && runtime->version == SWIFT_LAYOUT_FIRST
		                   ? word_at(bytes, TASK_RECORDS)
		                   : 0,
	};
	if ((flags & FLAGS_KIND) != 0 || (status & STATUS_COMPLETE) ||
	    !(status & (STATUS_RUNNING | STATUS_ENQUEUED | STATUS_WAITING)) ||
	    !runtime->is_code(runtime->context, task->resume))
		return false;
	task->proven = owns_chain(runtime, task);
	if (!task->proven && task->state != CAIRN_TASK_RUNNING)
		return false;
	read_dependency(runtime, word_at(bytes, TASK_DEPENDENCY), task);
	return true;
}

uint64_t swift_task_id(const struct swift_runtime *runtime, uint64_t address)
{
	uint8_t bytes[SWIFT_TASK_SIZE];

	return memory_read(runtime->memory, address, bytes, sizeof(bytes)) &&
	                       word_at(bytes, 0) == runtime->isa
	               ? (uint64_t)bytes_u32(bytes + TASK_ID_HIGH, false) << 32 |
	                         bytes_u32(bytes + TASK_ID, false)
	               : 0;
}

size_t swift_task_name(const struct swift_runtime *runtime, const struct swift_task *task,
                       char name[CAIRN_TASK_NAME])
{
	uint8_t record[RECORD_SIZE];
	uint64_t at = task->records;

	for (unsigned i = 0; at != 0 && i < SWIFT_RECORDS_MAX; i++) {
		if (!memory_read(runtime->memory, at, record, sizeof(record)))
			return 0;
		if (record[0] == RECORD_NAME_KIND) {
			const size_t size =
				memory_read_some(runtime->memory, word_at(record, RECORD_VALUE),
			                         name, CAIRN_TASK_NAME);
			const char *end = memchr(name, 0, size);
			return end ? (size_t)(end - name) : size;
		}
		at = word_at(record, RECORD_NEXT);
	}
	return 0;
}

bool swift_find_owner(struct swift_runtime *runtime, uint64_t outermost, struct swift_task *task)
{
	uint64_t word;

	for (uint64_t back = runtime->task_size;
	     back < SWIFT_OUTERMOST_MAX && runtime->steps_left > 0; back += ALIGNMENT) {
		runtime->steps_left--;
		if (memory_word(runtime->memory, outermost - back, false, &word) &&
		    word == runtime->isa && swift_read_task(runtime, outermost - back, task))
			return true;
	}
	return false;
}

/* Accept a context if its chain ends in the allocation of a live task. */
static bool accept_context(struct swift_runtime *runtime, const struct swift_frame *frame,
                           uint64_t address, struct swift_chain *chain,
                           struct swift_owned_context *context)
{
	uint64_t own;

	if (!swift_read_chain(runtime, address, chain))
		return false;
	/*
	 * until a resumed funclet has stored its context, the register contains the callee's
	 * context
	 */
	if (frame->is_awaited && frame->is_exact &&
	    frame->registers->pc - frame->start < PROLOGUE_MAX && chain->pc[0] == frame->start &&
	    chain->count > 1 && memory_word(runtime->memory, address, false, &own)) {
		address = own;
		if (!swift_read_chain(runtime, address, chain))
			return false;
	}
	context->address = address;
	return swift_find_owner(runtime, chain->outermost, &context->task) &&
	       context->task.address != frame->inner_task;
}

/* Return true if an amd64 funclet has already stored its context in its frame. */
static bool has_slot(const struct swift_runtime *runtime, const struct swift_frame *frame)
{
	/* push %rbp; push %r14; lea 8(%rsp),%rbp */
	static const uint8_t amd64[] = { 0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08 };
	uint8_t code[sizeof(amd64)];

	return frame->start != 0 && frame->registers->pc - frame->start >= sizeof(amd64) &&
	       memory_read(runtime->code, frame->start, code, sizeof(code)) &&
	       memcmp(code, amd64, sizeof(code)) == 0;
}

/*
 * Return true if an aarch64 funclet has stored its context next to its frame record: stp x29, x30,
 * [sp, #N]; add x29, sp, #N; str x22, [sp, #N - 8].
 */
static bool has_slot_aarch64(const struct swift_runtime *runtime, const struct swift_frame *frame)
{
	enum { WORDS = 8, INSTRUCTION = 4 };
	uint8_t code[WORDS * INSTRUCTION];
	uint32_t record = 0;

	if (frame->start == 0 || !memory_read(runtime->code, frame->start, code, sizeof(code)))
		return false;
	for (unsigned i = 0;
	     i < WORDS && frame->registers->pc - frame->start > (i + 1) * INSTRUCTION; i++) {
		const uint32_t word = bytes_u32(code + i * INSTRUCTION, false);
		if ((word & 0xffc07fff) == 0xa9007bfd) /* stp x29, x30, [sp, #imm7 * 8] */
			record = (word >> 15 & 0x3f) * WORD;
		/* str x22, [sp, #imm12 * 8] */
		if ((word & 0xffc003ff) == 0xf90003f6 && record > 0 &&
		    (word >> 10 & 0xfff) * WORD == record - WORD)
			return true;
	}
	return false;
}

/*
 * Find the frame's context: in its slot, in the context register, or else in other registers or on
 * the stack.
 */
bool swift_find_context(struct swift_runtime *runtime, const struct swift_frame *frame,
                        struct swift_chain *chain, struct swift_owned_context *context)
{
	enum { AMD64_CONTEXT = 14, AMD64_SLOT = 24, AARCH64_CONTEXT = 22, AARCH64_FP = 29 };
	const struct cairn_registers *registers = frame->registers;
	const bool is_amd64 = registers->machine == CAIRN_MACHINE_AMD64;
	const unsigned own = is_amd64 ? AMD64_CONTEXT : AARCH64_CONTEXT;
	const struct arch *arch = arch_of(registers->machine);
	const uint64_t sp = registers_stack_pointer(registers);
	uint64_t word;

	if (is_amd64 ? has_slot(runtime, frame) &&
	                       memory_word(runtime->stack, frame->cfa - AMD64_SLOT, false, &word)
	             : register_known(registers, AARCH64_FP) && has_slot_aarch64(runtime, frame) &&
	                       memory_word(runtime->stack,
	                                   (registers->value[AARCH64_FP] & ~frame_mark) - WORD,
	                                   false, &word))
		if (accept_context(runtime, frame, word, chain, context))
			return true;
	if (register_known(registers, own) &&
	    accept_context(runtime, frame, registers->value[own], chain, context))
		return true;
	/*
	 * optimized code may keep the context elsewhere, and reuse the context register for other
	 * values
	 */
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if (i != own && (arch->saved >> i & 1) && register_known(registers, i) &&
		    accept_context(runtime, frame, registers->value[i], chain, context))
			return true;
	for (uint64_t at = sp, i = 0;
	     sp != 0 && at < frame->cfa && i < SWIFT_SEARCH_MAX && runtime->steps_left > 0;
	     at += WORD, i++, runtime->steps_left -= runtime->steps_left > 0)
		if (memory_word(runtime->stack, at, false, &word) &&
		    accept_context(runtime, frame, word, chain, context))
			return true;
	return false;
}
