/* SPDX-License-Identifier: MIT */
/*
 * Internals of cairn/stacks.h, the stacks of a program at one moment: the snapshot, the modules'
 * files, the unwinder's input, and the current walk.
 */
#ifndef CAIRN_PROCESS_STACKS_STACKS_H
#define CAIRN_PROCESS_STACKS_STACKS_H

#include "base/snapshot.h"
#include "base/table.h"
#include "locate/locate.h"
#include "process/snapshot/registered_code.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/stack_walk.h"
#include "process/snapshot/task_search.h"
#include "symbols/go_program.h"
#include "unwind/tables/modules.h"
#include "unwind/tables/program_files.h"

/*
 * Limits on the total number of frames in all stacks, because the threads of a small core may all
 * share one deep stack.
 */
enum {
	STACKS_FRAMES_MAX = 1 << 21,
	STACKS_FRAMES_LEAST = 1 << 18,
	/* Bytes of input required for each frame beyond STACKS_FRAMES_LEAST. */
	STACKS_FRAME_BYTES = 16,
};

struct stacks_module {
	bool looked;
	struct located found;
	bool breakpad_looked;
	struct located breakpad;
	struct stack_cfi *stack_cfi;
	bool has_async_names; /* `async` has been read */
	struct async_names async;
	struct cairn_symbols *breakpad_symbols;
	bool go_looked;
	/* Function table of a Go program, otherwise NULL; owned. */
	struct go_program *go;
	bool gave_tables;
	void *unpacked_frames;  /* decompressed .debug_frame; owned */
	void *unpacked_symbols; /* decompressed .gnu_debugdata; owned */
	bool copied;            /* copying to `image` has been tried, successfully or not */
	/* Copy of the vDSO, which has no file; owned. */
	void *image;
	size_t image_size;
};

/* The locations of one address, as a range in stacks_names.locations. */
struct stacks_answer {
	uint32_t first, count;
};

struct stacks_names {
	/* Maps each address that has been looked up, plus 1, to an index in `answers`. */
	struct number_map numbers;
	struct stacks_answer *answers;
	size_t answer_count, answer_capacity;
	struct cairn_location *locations;
	size_t location_count, location_capacity;
};

struct stacks_jit {
	bool looked;
	struct registered_code list;
	/* address of the JIT list's descriptor; valid only if the list contains functions */
	uint64_t descriptor;
	/* descriptor was found by scanning memory, because no symbol led to it */
	bool searched;
	/*
	 * For each function in `list`, true if a frame is in the function. NULL until the first
	 * such frame is found.
	 */
	bool *entered;
	struct registered_code dump, map;
	bool hotspot_looked;
	struct hotspot *hotspot; /* code cache of the JVM, or NULL; owned */
};

enum {
	SWIFT_TEXT = 128,
	/* maximum number of symbols searched for async functions */
	SWIFT_SYMBOLS_MAX = 1 << 22,
	/* maximum number of actor classes whose names are looked up */
	SWIFT_CLASSES_MAX = 1 << 10,
};

/* State for Swift's async functions: the callers of the current frame, and the tasks. */
struct stacks_swift {
	bool looked;
	const char *why; /* reason why tasks cannot be read, or NULL; may point to `text` */
	char text[SWIFT_TEXT];
	struct swift_runtime runtime;
	struct cairn_target memory;
	size_t module;
	uint64_t variable[SWIFT_VARIABLES];
	uint64_t symbols_left; /* number of symbols that may still be searched */
	/*
	 * Async callers of the walk's frame. The current frame is chain.pc[at - 1], or the walk's
	 * frame if `at` is 0.
	 */
	struct swift_chain chain;
	size_t at;
	uint64_t context, owner; /* context of the walk's frame, and address of its task */
	bool is_task;            /* the stack belongs to a task, and ends with the chain */
	/* For each thread that has been walked, the task at its innermost async frame. */
	struct stacks_swift_ran {
		uint64_t id, address;
	} * ran;
	struct number_map runners; /* maps the address of a task to the thread that runs it */
	/* Maps the address of a class to the index of its symbol. */
	struct number_map classes;
	struct cairn_bytes class_symbols[SWIFT_CLASSES_MAX];
	bool is_over; /* the limit on contexts has been reached and recorded as a problem */
	bool searched;
	struct swift_task *tasks; /* sorted by ID; owned */
	size_t count;
};

struct cairn_stacks {
	struct cairn_stacks_options options;
	struct cairn_symbolizer_options search;
	/* The host's callback. search.fetch wraps it. */
	bool (*fetch)(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
	              char *path, size_t size);
	void *fetch_context;
	struct cairn_symbolizer *symbolizer;
	uint64_t size; /* size of the source in bytes, or an estimate if its size is unknown */
	struct snapshot snapshot;
	struct os_file file; /* copy of a minidump that was read from a descriptor */
	struct snapshot_memory memory;
	struct cairn_space *space;
	struct stacks_module *modules;
	size_t asked; /* index of the module whose names are being looked up */
	struct stacks_names names;
	struct stacks_jit jit;
	struct stacks_swift swift;
	uint64_t frames_left;
	bool prepared;
	/*
	 * number of frames in the latest walk of each thread; the last element counts the frames in
	 * all walks of tasks
	 */
	uint32_t *spent;
	size_t thread;
	struct stack_walk walk;
	char *function; /* result of cairn_stacks_function(); owned */
};

/* A file found before the struct stacks_module that will own it has been allocated. */
struct stacks_unlisted_file {
	struct located found;
	uint64_t low;
};

struct stacks_unlisted {
	struct cairn_stacks *stacks;
	struct stacks_unlisted_file *files;
	size_t count, capacity;
	unsigned tries;
	uint64_t dynamic; /* address of the program's dynamic section; 0 if unknown */
};

/*
 * Open the stacks of a filled snapshot. Takes ownership of the snapshot even on failure; the
 * options must not name a source in this case. If `snapshot` is NULL, open the source that the
 * options name, like cairn_stacks_open().
 */
CAIRN_MUST_USE enum cairn_status stacks_open_snapshot(const struct cairn_stacks_options *options,
                                                      struct snapshot *snapshot,
                                                      struct cairn_stacks **stacks,
                                                      struct cairn_error *error);

/*
 * Find files for modules whose headers are not in the core, and add these modules. Because this
 * changes module indices, stacks_adopt_unlisted() assigns the files once stacks->modules has been
 * allocated. Call it even if that allocation failed.
 */
void stacks_find_unlisted(struct cairn_stacks *stacks, struct stacks_unlisted *unlisted);

void stacks_adopt_unlisted(struct stacks_unlisted *unlisted);

/*
 * Return the module that contains `pc` and set *index, or return NULL. Searches for the module's
 * file first.
 */
const struct snapshot_module *stacks_find_module(struct cairn_stacks *stacks, uint64_t pc,
                                                 size_t *index);

/*
 * Search for the module's file unless this has been done before. `context` is a struct
 * cairn_stacks.
 */
void stacks_find_file(void *context, size_t index);

/*
 * Return the separate debug file of a module, or empty bytes. Repeated calls do not search again.
 */
struct cairn_bytes stacks_find_debug_file(struct cairn_stacks *stacks, size_t index);

struct cairn_symbol_module stacks_symbol_module(struct cairn_stacks *stacks, size_t index);

/*
 * Request a module's file from the host and write its path. Return false if the host does not have
 * the file.
 */
bool stacks_fetch_file(struct cairn_stacks *stacks, size_t index, enum cairn_module_file wanted,
                       char *path, size_t size);

/*
 * Create the symbolizer with the host's options and the stacks' own name sources. Return false if
 * allocation fails.
 */
bool stacks_open_symbolizer(struct cairn_stacks *stacks);

/*
 * Add the .debug_frame and SFrame tables of the module at `pc` to the space, unless this has been
 * done before. Return true if a table was added. `context` is a struct cairn_stacks.
 */
bool stacks_give_tables(void *context, uint64_t pc);

/*
 * Add the modules of a minidump to the space, because the space cannot find them itself: minidumps
 * usually lack module headers. Also sets a callback for the modules' Breakpad files. Return false
 * if there are too many modules for the space.
 */
bool stacks_report_modules(struct cairn_stacks *stacks);

void stacks_set_go(struct cairn_stacks *stacks);

void stacks_close_sources(struct stacks_module *module);

void stacks_close_names(struct stacks_names *names);

/* Maximum number of ranges: a variable and a message for each of glibc and Swift's library. */
enum { STACKS_MESSAGE_RANGES = 4 };

/*
 * Find the abort message in the program's memory. Write the ranges of the variables that can point
 * to a message and of the message itself, and return their number.
 */
size_t stacks_find_abort_message(struct cairn_stacks *stacks,
                                 struct cairn_range places[STACKS_MESSAGE_RANGES]);

bool stacks_find_jit_code(struct cairn_stacks *stacks, uint64_t pc,
                          struct cairn_location *location);

void stacks_close_jit(struct stacks_jit *jit);

struct stacks_memory_sink {
	bool (*take)(void *context, uint64_t address, struct cairn_bytes bytes);
	void *context;
};

/*
 * Record that a frame is at `pc`, so that stacks_give_jit_code() can pass the function at `pc`.
 * Ignores addresses outside the functions in the JIT list. Return false if allocation fails.
 */
bool stacks_note_made_frame(struct cairn_stacks *stacks, uint64_t pc);

/*
 * If a recorded frame is in a function from the JIT list, pass at most `most` bytes of the list's
 * memory to the callback in `sink`: the list, the objects of functions with frames, then other
 * objects that fit, newest first. Return false if allocation fails.
 */
bool stacks_give_jit_code(struct cairn_stacks *stacks, uint64_t most,
                          const struct stacks_memory_sink *sink);

void stacks_set_jit_rules(struct cairn_stacks *stacks);

/*
 * Prepare a walk of a thread, or of a task if `thread` is the number of threads. Return false if no
 * more frames may be walked.
 */
bool stacks_begin_walk(struct cairn_stacks *stacks, size_t thread);

void stacks_count_frame(struct cairn_stacks *stacks);

/*
 * Find Swift's concurrency runtime unless this has been done before. Return NULL, or the reason why
 * tasks cannot be read, for example that the program does not use the runtime.
 */
const char *stacks_open_swift(struct cairn_stacks *stacks);

/*
 * Enlarge the per-thread data for `more` threads that will be added to the snapshot. Return false
 * if allocation fails.
 */
bool stacks_reserve_threads(struct cairn_stacks *stacks, size_t more);

/* Find the async callers of the walk's frame, if the frame is in an async function. */
void stacks_enter_swift(struct cairn_stacks *stacks);

/*
 * Pass the memory that describes the current frame's async callers to the callback in `sink`:
 * variables of the runtime, the task, and at most *left contexts. Subtract the number of contexts
 * from *left. Does nothing for a frame without async callers. Return false if allocation fails.
 */
bool stacks_give_contexts(struct cairn_stacks *stacks, uint64_t *left,
                          const struct stacks_memory_sink *sink);

void stacks_close_swift(struct stacks_swift *swift);

/* Return true if the module's file has sections that only Swift's compiler writes. */
bool stacks_is_swift(const struct snapshot_module *module);

/*
 * Return true if the current frame is an async caller, which has a context instead of a stack
 * frame.
 */
static inline bool stacks_is_async(const struct cairn_stacks *stacks)
{
	return stacks->swift.at > 0;
}

uint64_t stacks_lookup_address(const struct cairn_stacks *stacks);

static inline void stacks_report_opened(const struct cairn_stacks *stacks, uint64_t size)
{
	if (stacks->options.opened)
		stacks->options.opened(stacks->options.context, size);
}

#endif
