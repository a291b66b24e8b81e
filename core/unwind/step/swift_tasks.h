/* SPDX-License-Identifier: MIT */
/*
 * Reads the tasks of Swift's concurrency runtime (libswift_Concurrency, Swift 6.1 and newer) from
 * the memory of a 64-bit little-endian program. Async functions call each other by tail calls, so
 * the callers of a function are not on a stack but in a list of contexts:
 *
 *	context = parent:8 resume:8 ...      `parent` is 0 in the outermost context, and `resume` is
 *	                                     the address at which the parent continues
 *	task    = isa:8 references:8 scheduler:16 flags:4 id:4 ... resume:8 context:8 ... status:4 ...
 *
 * The runtime exports the numbers that this reader needs, so that it does not depend on symbols of
 * the program. swift_tasks.c has the offsets. Every word may be hostile: chains may be cyclic,
 * tasks may overlap, and a freed task may be overwritten in part.
 *
 *	struct swift_runtime runtime = { ... };
 *	if (swift_read_task(&runtime, address, &task))
 *		swift_read_chain(&runtime, task.context, &chain);
 *	swift_chain_finish(&chain);
 *	swift_chain_finish(&runtime.own);
 */
#ifndef CAIRN_UNWIND_STEP_SWIFT_TASKS_H
#define CAIRN_UNWIND_STEP_SWIFT_TASKS_H

#include "base/target_memory.h"

#include <cairn.h>

enum {
	/* first and last supported _swift_concurrency_debug_internal_layout_version */
	SWIFT_LAYOUT_FIRST = 1,
	SWIFT_LAYOUT_LAST = 3,
	/*
	 * Values of _swift_concurrency_debug_asyncTaskSize so far. A task contains a mutex, which
	 * has 40 bytes on amd64 and 48 on aarch64; the size is a multiple of 16.
	 */
	SWIFT_TASK_SIZE = 208,
	SWIFT_TASK_SIZE_AARCH64 = 224,

	SWIFT_CONTEXT_SIZE = 16,

	SWIFT_ADAPTERS = 4,
	SWIFT_CHAIN_MAX = 1 << 16,
	/* maximum number of status records to search for a task's name */
	SWIFT_RECORDS_MAX = 1 << 6,
	/* Maximum distance from a task to its outermost context in the same allocation. */
	SWIFT_OUTERMOST_MAX = 1024,
	/*
	 * Limit on the contexts read from one source, and on the words tried as a context or as the
	 * start of a task: SWIFT_STEPS_LEAST, plus one per SWIFT_STEP_BYTES bytes of input.
	 */
	SWIFT_STEPS_LEAST = 1 << 22,
	SWIFT_STEP_BYTES = 16,
	/* the same limit for one query of a debugger */
	SWIFT_STEPS_QUERY = 1 << 18,
	/* maximum number of stack words to search for a context */
	SWIFT_SEARCH_MAX = 1 << 12,
};

/* Variables of the runtime, in the order of swift_variable_names. */
enum {
	SWIFT_LAYOUT_VERSION,
	SWIFT_TASK_METADATA,
	SWIFT_TASK_SIZE_VARIABLE,
	SWIFT_ADAPTER_FIRST,
	SWIFT_VARIABLES = SWIFT_ADAPTER_FIRST + SWIFT_ADAPTERS,
};

extern const char *const swift_variable_names[SWIFT_VARIABLES];

struct swift_chain {
	uint64_t *pc; /* addresses at which the callers resume, innermost first */
	size_t count, capacity;
	uint64_t outermost; /* address of the outermost context */
};

struct swift_runtime {
	/*
	 * The program's memory. Stacks and code have their own targets, because the stacks of a
	 * process are copies from the moment at which it was stopped, and a core may lack code.
	 */
	const struct cairn_target *memory, *stack, *code;
	uint32_t version;
	uint32_t task_size; /* SWIFT_TASK_SIZE or SWIFT_TASK_SIZE_AARCH64 */
	uint64_t isa;       /* first word of every task */
	/* runtime functions at which a task that waits for another task resumes */
	uint64_t adapter[SWIFT_ADAPTERS];
	uint64_t steps_left; /* number of contexts and words that may still be read */
	/* Returns true if the mapping or the module at `pc` is executable. */
	bool (*is_code)(void *context, uint64_t pc);
	void *context;
	struct swift_chain own; /* buffer for the contexts of the task that is being checked */
};

struct swift_task {
	uint64_t id, address;
	enum cairn_task_state state;
	enum cairn_task_wait waits_for;
	uint8_t priority;
	bool cancelled;
	/* the chain that begins at `context` ends in the task's own allocation */
	bool proven;
	uint64_t resume, context; /* outdated while the task runs */
	uint64_t parent;
	/* address of the task or executor that this task waits for, or 0 */
	uint64_t on;
	/* address of the list of status records, which may contain the task's name */
	uint64_t records;
};

/*
 * Take the layout from the values of the runtime's variables. Return false if cairn does not know
 * the layout, so that no task can be read.
 */
bool swift_set_variables(struct swift_runtime *runtime, const uint64_t value[SWIFT_VARIABLES]);

/*
 * Read the task at `address`. Return false unless the task is live: it runs, or it waits or is
 * enqueued and its contexts end in its own allocation.
 */
bool swift_read_task(struct swift_runtime *runtime, uint64_t address, struct swift_task *task);

/* Return the ID of the task at `address`, whatever its state, or 0 if there is no task. */
uint64_t swift_task_id(const struct swift_runtime *runtime, uint64_t address);

/* Read the name of a task. Return its size, or 0 if the task has no name. */
size_t swift_task_name(const struct swift_runtime *runtime, const struct swift_task *task,
                       char name[CAIRN_TASK_NAME]);

/*
 * Read the chain of contexts from `context` to the outermost one. Return false unless the chain
 * ends and all of its addresses are in code. An earlier chain in `chain` is replaced.
 */
bool swift_read_chain(struct swift_runtime *runtime, uint64_t context, struct swift_chain *chain);

void swift_chain_finish(struct swift_chain *chain);

/*
 * Find the live task whose allocation contains the context at `outermost`. Return false if there is
 * no such task.
 */
bool swift_find_owner(struct swift_runtime *runtime, uint64_t outermost, struct swift_task *task);

/*
 * Return true if `pc` is in a runtime function at which waiting tasks resume before they continue
 * in their own code.
 */
bool swift_is_adapter(const struct swift_runtime *runtime, uint64_t pc);

/* A frame of an async function on the stack. */
struct swift_frame {
	const struct cairn_registers *registers;
	uint64_t cfa;
	uint64_t start;  /* pc of the first byte of the function; 0 if unknown */
	bool is_exact;   /* the frame was interrupted rather than in a call, so the pc is exact */
	bool is_awaited; /* the function is a funclet that resumes after an awaited call */
	/*
	 * Address of the task that an inner frame of the stack runs, or 0. A stack has one async
	 * frame for each task, so the frame cannot belong to that task.
	 */
	uint64_t inner_task;
};

struct swift_owned_context {
	uint64_t address;
	struct swift_task task;
};

/*
 * Find the frame's own context, and read its chain, whose addresses are the callers of the frame.
 * Return false unless the chain ends in the allocation of a live task.
 */
bool swift_find_context(struct swift_runtime *runtime, const struct swift_frame *frame,
                        struct swift_chain *chain, struct swift_owned_context *context);

#endif
