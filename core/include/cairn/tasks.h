/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: tasks of Swift's concurrency runtime, and their stacks.
 *
 *	struct cairn_task task = CAIRN_SIZED(struct cairn_task);
 *	if (!cairn_stacks_find_tasks(stacks, &count))
 *		for (size_t i = 0; cairn_stacks_task(stacks, i, &task); i++) {
 *			bool more = cairn_stacks_begin_task(stacks, i);
 *			for (; more; more = cairn_stacks_next(stacks))
 *				puts(cairn_stacks_function(stacks));
 *		}
 */
#ifndef CAIRN_INCLUDE_TASKS_H
#define CAIRN_INCLUDE_TASKS_H

#include <cairn/base.h>
#include <cairn/stack_source.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Tasks of Swift's concurrency runtime (Swift 6.1 and newer on amd64 and aarch64). A running task
 * has its inner frames on a thread's stack.
 */
enum cairn_task_state {
	CAIRN_TASK_RUNNING,
	CAIRN_TASK_WAITING,
	CAIRN_TASK_ENQUEUED, /* ready to run */
};

enum cairn_task_wait {
	CAIRN_TASK_WAITS_NOT,
	CAIRN_TASK_WAITS_TASK,
	CAIRN_TASK_WAITS_CONTINUATION,
	CAIRN_TASK_WAITS_GROUP,
	CAIRN_TASK_WAITS_EXECUTOR, /* usually an actor */
};

enum { CAIRN_TASK_NAME = 1024 };
struct cairn_task {
	size_t size;
	uint64_t id, address;
	uint64_t parent; /* ID of the parent task, or 0 */
	enum cairn_task_state state;
	enum cairn_task_wait waits_for;
	uint64_t on; /* ID of the awaited task, or 0 unless waits_for is CAIRN_TASK_WAITS_TASK */
	/*
	 * ID of the thread that runs the task; 0 if no thread runs it, or if the stack of that
	 * thread has not been walked
	 */
	uint64_t tid;
	uint8_t priority;
	bool cancelled;
	/* size of `name`, which may contain any bytes except NUL; 0 if the task has no name */
	size_t name_size;
	char name[CAIRN_TASK_NAME];
	/* type of the awaited actor, such as "main.Bee"; empty if unknown */
	char actor[CAIRN_TASK_NAME];
};

/*
 * Search the program's memory for live tasks, and set *count to their number. Only the first
 * successful call searches. Returns NULL, or the reason why tasks cannot be found; the string lives
 * at least as long as the stacks.
 */
CAIRN_API const char *cairn_stacks_find_tasks(struct cairn_stacks *stacks, size_t *count);

/*
 * Describe in *task the task with index `number` in the list found by cairn_stacks_find_tasks(),
 * which is sorted by ID. Returns false if the index is out of range.
 */
CAIRN_API bool cairn_stacks_task(struct cairn_stacks *stacks, size_t number,
                                 struct cairn_task *task);

/*
 * Begin to walk a task's stack, like cairn_stacks_begin(); `number` is the task's index. A running
 * task's walk begins at the innermost async function's frame on its thread. Returns false if the
 * index is out of range, if the task is running on a thread that has not been walked, or if its
 * frames cannot be read.
 */
CAIRN_API bool cairn_stacks_begin_task(struct cairn_stacks *stacks, size_t number);

/*
 * Return the ID of the task that runs on the most recently walked thread, or 0 if no such task is
 * known. The walk finds the ID, so call this at its end.
 */
CAIRN_API uint64_t cairn_stacks_running_task(const struct cairn_stacks *stacks);

#ifdef __cplusplus
}
#endif

#endif
