/* SPDX-License-Identifier: MIT */
/* Finds and reads the tasks of Swift's concurrency runtime in memory. */
#include "swift_tasks.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/target_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Offsets in a task, in its status records and in a context, on 64-bit machines. Source: layout
 * version 1 in Swift's headers (ABI/Task.h, ABI/TaskStatus.h), checked with Swift 6.2.
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
	TASK_PARENT = SWIFT_TASK_SIZE,
	TASK_READ = SWIFT_TASK_SIZE + 8,

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

	/* number of bytes to search at once, small enough for the processor's cache */
	BLOCK = 1 << 18,
	PAGE = 4096,
};

static uint64_t word_at(const uint8_t *bytes, size_t at)
{
	return bytes_u64(bytes + at, false);
}

bool swift_is_code(const struct swift_runtime *runtime, uint64_t pc)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(runtime->snapshot, pc);

	return mapping && mapping->has_access ? (mapping->access & SNAPSHOT_EXECUTE) != 0
	                                      : snapshot_find_module(runtime->snapshot, pc) != NULL;
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
		if (!swift_is_code(runtime, pc) ||
		    !ARRAY_APPEND(chain->pc, chain->count, chain->room, pc))
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

static bool owns_chain(struct swift_runtime *runtime, const struct swift_task *task,
                       struct swift_chain *chain)
{
	return swift_read_chain(runtime, task->context, chain) &&
	       chain->outermost - task->address - SWIFT_TASK_SIZE <
	               SWIFT_OUTERMOST_MAX - SWIFT_TASK_SIZE;
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

static bool read_task(struct swift_runtime *runtime, uint64_t address, struct swift_task *task,
                      struct swift_chain *chain)
{
	uint8_t bytes[TASK_READ];

	if (!memory_read(runtime->memory, address, bytes, sizeof(bytes)) ||
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
		.parent = flags & FLAGS_CHILD ? word_at(bytes, TASK_PARENT) : 0,
		/* later layout versions store task names elsewhere */
		.records = flags & FLAGS_NAMED && runtime->version == SWIFT_LAYOUT_FIRST
		                   ? word_at(bytes, TASK_RECORDS)
		                   : 0,
	};
	if ((flags & FLAGS_KIND) != 0 || (status & STATUS_COMPLETE) ||
	    !(status & (STATUS_RUNNING | STATUS_ENQUEUED | STATUS_WAITING)) ||
	    !swift_is_code(runtime, task->resume))
		return false;
	task->proven = owns_chain(runtime, task, chain);
	if (!task->proven && task->state != CAIRN_TASK_RUNNING)
		return false;
	read_dependency(runtime, word_at(bytes, TASK_DEPENDENCY), task);
	return true;
}

bool swift_read_task(struct swift_runtime *runtime, uint64_t address, struct swift_task *task)
{
	struct swift_chain chain = { .pc = NULL };
	const bool good = read_task(runtime, address, task, &chain);

	swift_chain_finish(&chain);
	return good;
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

	for (uint64_t back = SWIFT_TASK_SIZE; back < SWIFT_OUTERMOST_MAX; back += ALIGNMENT)
		if (memory_word(runtime->memory, outermost - back, false, &word) &&
		    word == runtime->isa && swift_read_task(runtime, outermost - back, task))
			return true;
	return false;
}

struct task_search {
	struct swift_runtime *runtime;
	struct swift_task *tasks;
	size_t count, room;
	struct swift_chain chain;
	bool scarce;
	uint8_t block[BLOCK];
};

static void search_bytes(struct task_search *search, uint64_t address, struct cairn_bytes bytes)
{
	const uint64_t isa = search->runtime->isa;
	struct swift_task task;

	for (size_t at = -address & (ALIGNMENT - 1);
	     at < bytes.size && bytes.size - at >= sizeof(isa); at += ALIGNMENT) {
		if (word_at(bytes.data, at) != isa ||
		    !read_task(search->runtime, address + at, &task, &search->chain))
			continue;
		if (search->count == SWIFT_TASKS_MAX ||
		    !ARRAY_APPEND(search->tasks, search->count, search->room, task)) {
			search->scarce = search->count < SWIFT_TASKS_MAX;
			return;
		}
	}
}

/*
 * Read and search a mapping. Any page may be unreadable, because the source does not list the
 * captured ranges.
 */
static void search_mapping(struct task_search *search, const struct snapshot_mapping *mapping)
{
	for (uint64_t at = mapping->low;
	     at >= mapping->low && at < mapping->high && !search->scarce;) {
		const uint64_t left = mapping->high - at;
		const size_t size = left < BLOCK ? (size_t)left : BLOCK;
		const size_t got =
			memory_read_some(search->runtime->memory, at, search->block, size);
		search_bytes(search, at, (struct cairn_bytes){ search->block, got });
		/* after an unreadable page, continue with the next one */
		at += got == size ? size : got + PAGE - (at + got) % PAGE;
	}
}

static void search_part(struct task_search *search, uint64_t address, struct cairn_bytes bytes)
{
	const struct swift_runtime *runtime = search->runtime;

	for (size_t at = 0, size; at < bytes.size && !search->scarce; at += size) {
		const size_t left = bytes.size - at;
		size = left < BLOCK ? left : BLOCK;
		struct cairn_bytes block = { bytes.data + at, size };
		if (runtime->copy && runtime->copy(runtime->context, block, search->block))
			block.data = search->block;
		search_bytes(search, address + at, block);
	}
}

static void search_memory(struct task_search *search)
{
	const struct snapshot *snapshot = search->runtime->snapshot;
	const struct snapshot_mapping *mapping;
	struct cairn_range part;
	struct cairn_bytes bytes;

	for (size_t i = 0; !snapshot->find_part && i < snapshot->mapping_count; i++) {
		mapping = &snapshot->mappings[i];
		if (mapping->has_access && (mapping->access & SNAPSHOT_WRITE))
			search_mapping(search, mapping);
	}
	for (uint64_t at = 0; snapshot->find_part &&
	                      snapshot->find_part(snapshot->memory.context, at, &part, &bytes) &&
	                      part.high > at && !search->scarce;
	     at = part.high) {
		mapping = snapshot_find_mapping(snapshot, part.low);
		if (!mapping || !mapping->has_access || (mapping->access & SNAPSHOT_WRITE))
			search_part(search, part.low, bytes);
	}
}

static int compare_tasks(const void *left, const void *right)
{
	const struct swift_task *a = left, *b = right;

	return ORDER_BY(a->id, b->id,
	                ORDER_BY(b->proven, a->proven, ORDER_BY(a->address, b->address, 0)));
}

bool swift_find_tasks(struct swift_runtime *runtime, struct swift_task **tasks, size_t *count)
{
	struct task_search *search = calloc(1, sizeof(*search));
	size_t kept = 0;

	*count = 0;
	if (!search)
		return false;
	search->runtime = runtime;
	search_memory(search);
	if (search->count > 0)
		qsort(search->tasks, search->count, sizeof(*search->tasks), compare_tasks);
	for (size_t i = 0; i < search->count; i++)
		if (kept == 0 || search->tasks[kept - 1].id != search->tasks[i].id)
			search->tasks[kept++] = search->tasks[i];
	*tasks = search->tasks;
	*count = kept;
	const bool good = !search->scarce;
	swift_chain_finish(&search->chain);
	free(search);
	return good;
}
