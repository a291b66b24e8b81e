/* SPDX-License-Identifier: MIT */
/*
 * `cairn bt`: prints the stacks of a program, using the functions of cairn/stacks.h. input.c
 * unpacks and opens the input, bt.c walks the stacks of all threads and finds equal ones, print.c
 * prints stacks, modules.c prints modules, and report.c prints JSON reports.
 */
#ifndef CAIRN_CLI_BT_BT_H
#define CAIRN_CLI_BT_BT_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "os/debuginfod.h"
#include "output/json.h"

#define BT_OPTIONS_FILES(bt)                                                          \
	OPTION_SYSROOT("find the program's files below DIR", &(bt)->options.sysroot), \
		OPTIONS_DIRECTORIES(&(bt)->options.directories)

struct bt_options {
	enum form form;
	uint64_t count; /* maximum number of frames per stack; 0 means all */
	/* number (as printed) or TID of the only thread to print; 0 means all threads */
	uint64_t thread;
	const char *color; /* "always", "never" or "auto"; NULL means "auto" */
	bool crashed_only, all, list_modules, dedup, folded, markup, explain, registers, tasks;
	const char *sysroot;
	const char *directories;
	bool only_directories; /* do not search /usr/lib/debug and the cache */
	const char *program;
	bool use_debuginfod;
	bool quiet; /* suppress the progress line and the message about missing symbols */
	uint64_t pid;
	bool build_ids; /* print the build IDs of all modules with frames instead of the stacks */
};

/* A frame. Inlined calls have no frames of their own; they are among the frame's locations. */
struct bt_frame {
	uint64_t pc, lookup, cfa;
	enum cairn_unwind_method found, by;
	bool signal;
	uint32_t handled; /* number of the handled signal if `signal` is set; 0 if unknown */
	bool guessed; /* true if nothing proves that this frame is the caller of the previous one */
	bool async;
};

struct bt_stack {
	/* true for the stack of a Swift task; `thread` is then the index of the task */
	bool is_task;
	size_t thread;
	size_t number; /* thread number as printed, counted from 1 */
	uint64_t task;
	struct bt_frame *frames;
	size_t count, capacity;
	/* with --explain: for each frame, the unwind rule that found its caller */
	struct cairn_rule *rules;
	size_t rule_capacity;
	struct cairn_stack_end end;
	size_t equal; /* with --dedup: number of later threads with the same frames */
	/* with --dedup: true if this stack is not printed because it equals stacks[same_as] */
	bool repeated;
	size_t same_as;
};

struct bt_nameless_module {
	uint64_t low;
	size_t frames;
};

struct bt_nameless_modules {
	struct bt_nameless_module *module;
	size_t count, capacity;
};

struct snapshot;

struct bt {
	struct bt_options options;
	/*
	 * Callbacks for cairn_stacks_options, with this struct as their context. They supply the
	 * mapped files, the perf map or jitdump, and the thread names of a process that may have
	 * ended.
	 */
	int (*open_module)(void *bt, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *bt);
	struct cairn_bytes (*name_thread)(void *bt, uint64_t tid);
	/*
	 * Get the path that the user gave for the program or library with this build ID. Returns
	 * false if there is no such path. May be NULL.
	 */
	bool (*find_given)(void *context, struct cairn_bytes build_id, char *path, size_t size);
	void *context;
	/* keep the registers of a stream's threads for cairn_minidump_write() */
	bool keep_registers;
	const char *path;
	struct os_file file;
	/* descriptor of `file` plus 1, kept open for --tasks; 0 if it is not open */
	int descriptor;
	/* accept a JSON report as input, too; bt_input_open() then only sets `is_report` */
	bool takes_report;
	bool is_report;
	bool color;
	struct progress *reading; /* progress line for a stream; end it before printing messages */
	struct cairn_stacks *opened;
	struct cairn_process process;
	struct debuginfod debuginfod;
	/* stacks of the printed threads, with the crashed thread first */
	struct bt_stack *stacks;
	size_t stack_count;
	size_t problems; /* number of problems printed so far */
	struct cairn_location names[CAIRN_STACK_NAMES];
	/* limit on the total size of printed names, paths and build IDs */
	struct allowance printed;
	uint64_t credited; /* size of the largest symbol file that has raised the print limit */
	struct bt_nameless_modules nameless;
};

/*
 * Take the operands CORE and PROGRAM, or only PROGRAM with --pid. If their number is wrong, set
 * *status and return false.
 */
bool bt_take_operands(struct bt *bt, const struct command *command, int argc, char **argv,
                      int *status);

/* Open the input. Return EXIT_CLEAN, or print a diagnostic and return another exit status. */
int bt_input_open(struct bt *bt);

bool bt_input_is_packed(struct cairn_bytes bytes);

/*
 * Open the input from a descriptor of a file or pipe, compressed or not, like bt_input_open().
 * Seeks to its beginning first, and does not close `fd`.
 */
int bt_input_descriptor(struct bt *bt, int fd);

/*
 * Open the stacks from the source in `options`, or from `snapshot` like stacks_open_snapshot().
 * `worth` is the input size from which the print limit is derived.
 */
int bt_open_stacks(struct bt *bt, struct cairn_stacks_options *options, struct snapshot *snapshot,
                   uint64_t worth);

/*
 * Check, after the stacks have been walked, whether the program given by the user was used. If not,
 * report the reason and return EXIT_MISSING; otherwise return EXIT_CLEAN.
 */
int bt_check_program(struct bt *bt);

void bt_close(struct bt *bt);

int bt_print_report(struct bt *bt);

void bt_report_no_thread(const struct bt *bt, size_t count);

bool bt_walk(struct bt *bt);

void bt_prepare_names(struct bt *bt);

/* Return the locations at an address, innermost first. They are valid until the next call. */
const struct cairn_location *bt_find_names(struct bt *bt, uint64_t address, size_t *count);

static inline struct cairn_bytes bt_printed(struct bt *bt, struct cairn_bytes text)
{
	return printed_text(&bt->printed, text);
}

/* Return the build ID, or an empty one if its hexadecimal digits would exceed the print limit. */
static inline struct cairn_bytes bt_printed_id(struct bt *bt, struct cairn_bytes id)
{
	return printed_if(printed_take(&bt->printed, 2 * (uint64_t)id.size), id);
}

/* Raise the print limit by the size of a symbol file. Only the largest file counts. */
static inline void bt_credit_file(struct bt *bt, uint64_t size)
{
	if (size <= bt->credited)
		return;
	printed_credit(&bt->printed, size - bt->credited);
	bt->credited = size;
}

bool bt_handles_signal(const struct bt_stack *stack);

/*
 * Return cairn_stacks_abort_message(). For a running process, return an empty string unless a
 * thread is in a signal handler, because the message may be stale otherwise.
 */
struct cairn_bytes bt_find_abort_message(struct bt *bt, char text[CAIRN_ABORT_MESSAGE]);

/* Return true if the stack is incomplete only because of --count. */
bool bt_ends_as_asked(const struct bt *bt, const struct bt_stack *stack);

void bt_print_text(struct bt *bt);

/*
 * Record that the frame at this address has no name, for bt_report_nameless() and
 * bt_explain_nameless().
 */
void bt_note_nameless(struct bt *bt, uint64_t address);

/*
 * Print one line on standard error about modules without symbols and how to get their symbols.
 * Print nothing if all modules have symbols.
 */
void bt_report_nameless(struct bt *bt);

/* Print each module without symbols, and all locations where its symbols were searched for. */
void bt_explain_nameless(struct bt *bt);
void bt_print_json(struct bt *bt);

void bt_print_stack_json(struct json *json, struct bt *bt, const struct bt_stack *stack);
void bt_print_folded(struct bt *bt);
void bt_print_markup(struct bt *bt);
void bt_print_modules(struct bt *bt);

/*
 * Print the build IDs of the modules of all frames, one per line. Return false if no module has a
 * build ID.
 */
bool bt_print_build_ids(struct bt *bt);

/* Print the problems of the source as diagnostics, and what was omitted from it. */
void bt_print_problems(struct bt *bt);

/* Print problems found since the last call, such as those of the search for tasks. */
void bt_print_new_problems(struct bt *bt);

#endif
