/* SPDX-License-Identifier: MIT */
/* Swift's tasks and contexts in memory: sound ones, and memory that lies. */
#include "unit.h"

#include "base/bytes.h"
#include "process/snapshot/task_search.h"

enum {
	LOW = 0x100000,
	SIZE = 0x20000,
	CODE = 0x400000,
	CODE_SIZE = 0x1000,
	ISA = 0x7700,
	RUNNING = 0x800,
	ENQUEUED = 0x1000,
	COMPLETE = 0x2000,
	WAITING = 0x4000,
	CHILD = 1 << 24,
	NAMED = 1 << 30,
	OUTERMOST =
		LOW + 0x100 + 0x100, /* context within the allocation of the task at LOW + 0x100 */
	TASK = LOW + 0x100,
	FAR = LOW + 0x10000,
};

static uint8_t memory[SIZE];
static uint64_t reads;

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	reads++;
	if (address - LOW > SIZE || size > SIZE - (address - LOW))
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + (address - LOW), size);
	return CAIRN_OK;
}

static void put(uint64_t address, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		memory[address - LOW + i] = (uint8_t)(value >> 8 * i);
}

static void put_context(uint64_t address, uint64_t parent, uint64_t resume)
{
	put(address, parent, 8);
	put(address + 8, resume, 8);
}

/* A task whose contexts are one at FAR and one behind the task. */
static void put_task(uint64_t address, uint64_t id, uint32_t flags, uint32_t status)
{
	put(address, ISA, 8);
	put(address + 32, flags, 4);
	put(address + 36, id, 4);
	put(address + 56, CODE + 0x10, 8);
	put(address + 64, FAR, 8);
	put(address + 96, status, 4);
	put(address + 144, id >> 32, 4);
	put_context(FAR, address + 0x100, CODE + 0x20);
	put_context(address + 0x100, 0, CODE + 0x30);
}

static struct snapshot_mapping mappings[] = {
	{ .low = LOW,
	  .high = LOW + SIZE,
	  .access = SNAPSHOT_READ | SNAPSHOT_WRITE,
	  .has_access = true },
	{ .low = CODE,
	  .high = CODE + CODE_SIZE,
	  .access = SNAPSHOT_READ | SNAPSHOT_EXECUTE,
	  .has_access = true },
};
static struct snapshot snapshot = { .mappings = mappings, .mapping_count = COUNT(mappings) };
static const struct cairn_target target = { read_memory, NULL };
static const struct task_copier in_place = { NULL, NULL };
static struct swift_runtime runtime;

static void begin(void)
{
	memset(memory, 0, sizeof(memory));
	reads = 0;
	swift_chain_finish(&runtime.own);
	runtime = (struct swift_runtime){ .is_code = snapshot_is_code,
		                          .context = (void *)&snapshot,
		                          .memory = &target,
		                          .version = SWIFT_LAYOUT_FIRST,
		                          .task_size = SWIFT_TASK_SIZE,
		                          .isa = ISA,
		                          .adapter = { CODE + 0x100 },
		                          .steps_left = SWIFT_STEPS_LEAST };
}

START_TEST(reads_a_task)
{
	struct swift_chain chain = { .pc = NULL };
	struct swift_task task;
	char name[CAIRN_TASK_NAME];

	put_task(TASK, 0x500000007, CHILD | NAMED, WAITING | 0x100 | 25);
	put(TASK + 104, FAR + 0x100, 8);  /* status records: one of another kind, then a name */
	put(TASK + 160, FAR + 0x200, 8);  /* dependency record */
	put(TASK + 208, TASK + 0x400, 8); /* parent */
	put(FAR + 0x100, 3, 8);
	put(FAR + 0x108, FAR + 0x140, 8);
	put(FAR + 0x140, 6, 8);
	put(FAR + 0x150, FAR + 0x180, 8);
	memcpy(memory + FAR + 0x180 - LOW, "till", 5);
	put(FAR + 0x210, TASK + 0x400, 8);
	put(FAR + 0x220, CAIRN_TASK_WAITS_TASK, 4);
	put(TASK + 0x400, ISA, 8);
	put(TASK + 0x400 + 36, 3, 4);
	ck_assert(swift_read_task(&runtime, TASK, &task));
	ck_assert_uint_eq(task.id, 0x500000007);
	ck_assert_int_eq(task.state, CAIRN_TASK_WAITING);
	ck_assert_int_eq(task.waits_for, CAIRN_TASK_WAITS_TASK);
	ck_assert_uint_eq(task.priority, 25);
	ck_assert(task.cancelled && task.proven);
	ck_assert_uint_eq(swift_task_id(&runtime, task.parent), 3);
	ck_assert_uint_eq(swift_task_id(&runtime, task.on), 3);
	ck_assert_uint_eq(swift_task_id(&runtime, FAR), 0);
	ck_assert_uint_eq(swift_task_name(&runtime, &task, name), 4);
	ck_assert_int_eq(memcmp(name, "till", 4), 0);
	runtime.version = SWIFT_LAYOUT_LAST;
	ck_assert(swift_read_task(&runtime, TASK, &task));
	ck_assert_uint_eq(swift_task_name(&runtime, &task, name), 0);
	ck_assert(swift_read_chain(&runtime, task.context, &chain));
	ck_assert_uint_eq(chain.count, 2);
	ck_assert_uint_eq(chain.pc[0], CODE + 0x20);
	ck_assert_uint_eq(chain.outermost, OUTERMOST);
	ck_assert(swift_find_owner(&runtime, chain.outermost, &task));
	ck_assert_uint_eq(task.address, TASK);
	ck_assert(!swift_find_owner(&runtime, FAR, &task));
	ck_assert(swift_is_adapter(&runtime, CODE + 0x100) && !swift_is_adapter(&runtime, CODE));
	swift_chain_finish(&chain);
}
END_TEST

/* Tasks of aarch64 are larger: the parent is behind them, and so is the outermost context. */
START_TEST(reads_a_task_of_aarch64)
{
	struct swift_task task;

	runtime.task_size = SWIFT_TASK_SIZE_AARCH64;
	put_task(TASK, 7, CHILD, WAITING);
	put(TASK + SWIFT_TASK_SIZE, TASK + 0x800, 8);
	put(TASK + SWIFT_TASK_SIZE_AARCH64, TASK + 0x400, 8);
	ck_assert(swift_read_task(&runtime, TASK, &task));
	ck_assert_uint_eq(task.parent, TASK + 0x400);
	put_context(FAR, TASK + SWIFT_TASK_SIZE, CODE + 0x20);
	put_context(TASK + SWIFT_TASK_SIZE, 0, CODE + 0x30);
	ck_assert(!swift_read_task(&runtime, TASK, &task));
	runtime.task_size = SWIFT_TASK_SIZE;
	ck_assert(swift_read_task(&runtime, TASK, &task));
}
END_TEST

/* Words that make memory no live task, each in place of one of a sound task. */
static const struct {
	const char *what;
	uint64_t at, value;
	size_t size;
} faults[] = {
	{ "another isa", TASK, ISA + 8, 8 },
	{ "another kind of job", TASK + 32, 1, 1 },
	{ "resumes in data", TASK + 56, LOW, 8 },
	{ "complete", TASK + 96, WAITING | COMPLETE, 4 },
	{ "in no state", TASK + 96, 0, 4 },
	{ "a context that is not aligned", TASK + 64, FAR + 8, 8 },
	{ "no context", TASK + 64, 0, 8 },
	{ "a context in unreadable memory", TASK + 64, LOW + SIZE, 8 },
	{ "a context that wraps", TASK + 64, UINT64_MAX - 15, 8 },
	{ "a context that is its own parent", FAR, FAR, 8 },
	{ "a cycle", TASK + 0x100, FAR, 8 },
	{ "a parent that resumes in data", FAR + 8, LOW, 8 },
	{ "the outermost context is elsewhere", FAR, 0, 8 },
};

START_TEST(rejects_faults)
{
	struct swift_task task;

	put_task(TASK, 7, 0, WAITING);
	ck_assert(swift_read_task(&runtime, TASK, &task));
	put(faults[_i].at, faults[_i].value, faults[_i].size);
	ck_assert_msg(!swift_read_task(&runtime, TASK, &task), "%s", faults[_i].what);
	ck_assert_uint_le(reads, 4 * SWIFT_CHAIN_MAX);
}
END_TEST

/* The contexts of a task that runs are stale, so they need not be sound. */
START_TEST(keeps_running_tasks)
{
	struct swift_task *tasks, task;
	size_t count;
	bool is_cut;

	put_task(TASK, 7, 0, RUNNING);
	put(FAR, FAR, 8);
	ck_assert(swift_read_task(&runtime, TASK, &task));
	ck_assert(!task.proven);
	/* the copy of another task, found first, does not replace it */
	put_task(TASK + 0x4000, 8, 0, RUNNING | ENQUEUED);
	memcpy(memory + 0x20, memory + 0x4100, SWIFT_TASK_SIZE);
	ck_assert(task_search(&runtime, &snapshot, &in_place, &tasks, &count, &is_cut));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(tasks[0].id, 7);
	ck_assert_uint_eq(tasks[1].id, 8);
	ck_assert_uint_eq(tasks[1].address, TASK + 0x4000);
	free(tasks);
}
END_TEST

START_TEST(finds_tasks_in_blocks)
{
	struct swift_task *tasks;
	size_t count;
	bool is_cut;

	put_task(TASK, 9, 0, WAITING);
	put_task(LOW + SIZE - 0x200, 4, 0, ENQUEUED);
	put(TASK + 64, TASK + 0x100, 8); /* they shared a context */
	ck_assert(task_search(&runtime, &snapshot, &in_place, &tasks, &count, &is_cut));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(tasks[0].id, 4);
	ck_assert_int_eq(tasks[0].state, CAIRN_TASK_ENQUEUED);
	ck_assert_uint_eq(tasks[1].id, 9);
	ck_assert(!is_cut);
	free(tasks);
	/* reserved address space is not read */
	mappings[0].high = LOW + (UINT64_C(1) << SWIFT_MAPPING_BITS);
	ck_assert(task_search(&runtime, &snapshot, &in_place, &tasks, &count, &is_cut));
	mappings[0].high = LOW + SIZE;
	ck_assert_uint_eq(count, 0);
	ck_assert(is_cut);
	free(tasks);
}
END_TEST

/* Work is bounded: by the length of a chain, by steps in all, and by the records of a name. */
START_TEST(is_bounded)
{
	struct swift_chain chain = { .pc = NULL };
	struct swift_task task;
	char name[CAIRN_TASK_NAME];

	for (uint64_t at = FAR; at + 32 <= LOW + SIZE; at += 16)
		put_context(at, at + 16, CODE);
	put_context(LOW + SIZE - 16, 0, CODE);
	ck_assert(swift_read_chain(&runtime, FAR, &chain));
	ck_assert_uint_eq(chain.count, (LOW + SIZE - FAR) / 16);
	ck_assert_uint_le(chain.count, SWIFT_CHAIN_MAX);
	runtime.steps_left = 3;
	ck_assert(!swift_read_chain(&runtime, FAR, &chain));
	ck_assert_uint_eq(runtime.steps_left, 0);
	swift_chain_finish(&chain);

	begin();
	put_task(TASK, 7, NAMED, WAITING);
	put(TASK + 104, LOW + 0x1000, 8);
	put(LOW + 0x1000, 3, 8);
	put(LOW + 0x1008, LOW + 0x1000, 8);
	ck_assert(swift_read_task(&runtime, TASK, &task));
	reads = 0;
	ck_assert_uint_eq(swift_task_name(&runtime, &task, name), 0);
	ck_assert_uint_eq(reads, SWIFT_RECORDS_MAX);
	/* a name that does not end */
	put(LOW + 0x1000, 6, 8);
	put(LOW + 0x1010, LOW + 0x2000, 8);
	memset(memory + 0x2000, 'n', 0x1000);
	ck_assert_uint_eq(swift_task_name(&runtime, &task, name), CAIRN_TASK_NAME);
	ck_assert_uint_lt(SWIFT_TASK_SIZE, SWIFT_OUTERMOST_MAX);
	ck_assert_uint_le((uint64_t)SIZE / SWIFT_TASK_SIZE, SWIFT_TASKS_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swift_tasks");
	TCase *tests = tcase_create("tasks");

	tcase_add_checked_fixture(tests, begin, NULL);
	tcase_add_test(tests, reads_a_task);
	tcase_add_test(tests, reads_a_task_of_aarch64);
	tcase_add_loop_test(tests, rejects_faults, 0, (int)COUNT(faults));
	tcase_add_test(tests, keeps_running_tasks);
	tcase_add_test(tests, finds_tasks_in_blocks);
	tcase_add_test(tests, is_bounded);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
