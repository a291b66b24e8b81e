/* SPDX-License-Identifier: MIT */
/*
 * `cairn bt`: the stacks of a program, as the library has them (cairn/stacks.h). The parts of the verb, in the
 * order of the work: input (files, and what is packed), library (its options), stacks (all threads, and equal ones), print
 * (the output).
 */
#ifndef CAIRN_CLI_BT_BT_H
#define CAIRN_CLI_BT_BT_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "os/debuginfod/debuginfod.h"
#include "output/json.h"

/* What a verb finds the program's files by, in the options of the struct bt at `bt`. */
#define BT_OPTIONS_FILES(bt)                                                           \
	OPTION_WITH(RIGHT_DIRECTORY, text, 0, "sysroot", "DIR",                        \
	            "look for the program's files below DIR", &(bt)->options.sysroot), \
		OPTION_DIRECTORY(&(bt)->options.folders),                              \
		OPTION_DEBUG_FILE_DIRECTORY(&(bt)->options.folders)

struct bt_options {
	enum form form;
	uint64_t count; /* frames of each stack; 0: all */
	uint64_t
		thread; /* number, as it is printed, or ID of the only thread that is wanted; 0: all */
	const char *color; /* "always", "never", "auto"; NULL: auto */
	bool crashed_only, all, list_modules, dedup, folded, markup, explain, registers;
	const char *sysroot; /* before the paths of modules; NULL for none */
	const char *folders; /* with symbols and debug files, DIR:DIR... */
	bool only_folders;   /* neither /usr/lib/debug nor the cache is searched */
	const char *program; /* given by the user; NULL for none */
	bool use_debuginfod;
	bool quiet;     /* without progress on a terminal and the line on missing symbols */
	uint64_t pid;   /* of a running process; 0: the input is a file */
	bool build_ids; /* of the modules that frames are in, in place of the stacks */
};

/* One frame of a stack; its inlined calls are its locations. */
struct bt_frame {
	uint64_t pc, lookup, cfa;
	enum cairn_unwind_method found, by;
	bool signal;
	uint32_t handled; /* with signal: its number; 0: not known */
	bool guessed;     /* nothing proves that it is the caller of the frame before */
};

/* One thread's stack. */
struct bt_stack {
	size_t thread; /* as the library numbers it */
	size_t number; /* as it is printed, from 1 */
	struct bt_frame *frames;
	size_t count, room;
	struct cairn_rule
		*rules; /* with --explain: of each frame, the one that leads to its caller */
	size_t rule_room;
	struct cairn_stack_end end;
	size_t equal;   /* with --dedup: further threads with this stack */
	bool repeated;  /* with --dedup: another one stands for it */
	size_t same_as; /* which */
};

/* A module of frames without names. */
struct bt_nameless_module {
	uint64_t low;  /* pc of its first byte */
	size_t frames; /* printed ones */
};

struct bt_nameless_modules {
	struct bt_nameless_module *module;
	size_t count, room;
};

struct snapshot;

struct bt {
	struct bt_options options;
	/* Files that were opened while the process was still there, as the options of stacks have them; `bt` is this struct. */
	int (*open_module)(void *bt, uint64_t low, struct cairn_bytes path);
	int (*open_jit)(void *bt);
	struct cairn_bytes (*name_thread)(void *bt, uint64_t tid);
	/* Writes the path of the program or library with this build ID, if the user gave it; NULL: none was given. */
	bool (*find_given)(void *context, struct cairn_bytes build_id, char *path, size_t size);
	void *context;
	bool keep_registers; /* all of them, of a stream */
	const char *path;    /* of the input, as given */
	struct os_file file;
	bool takes_report; /* the input may be a report in JSON, of which no stacks are opened */
	bool is_report;    /* it is one */
	bool color;        /* text has the colours of a terminal */
	struct progress
		*reading; /* of a stream; a message ends its line first; NULL: there is none */
	struct cairn_stacks *opened;
	struct cairn_process process;
	struct debuginfod debuginfod; /* asked with --debuginfod only */
	struct bt_stack *stacks;      /* as many as threads are shown, the crashed one first */
	size_t stack_count;
	struct cairn_location names[CAIRN_STACK_NAMES]; /* of the last address */
	struct allowance printed;                       /* bytes of names, paths and IDs */
	uint64_t credited;                   /* bytes of the largest file that it was enlarged by */
	struct bt_nameless_modules nameless; /* in the order of the stacks */
};

/* CORE and PROGRAM, or with --pid only PROGRAM; false: too few or too many, with the status. */
bool bt_take_operands(struct bt *bt, const struct command *command, int argc, char **argv,
                      int *status);

/* Opens the input; else an exit status other than EXIT_CLEAN, after a message. */
int bt_input_open(struct bt *bt);

/* Does it unpack what begins so? */
bool bt_input_is_packed(struct cairn_bytes bytes);

/* The same of an open file or pipe, plain or packed, from its beginning on; it stays open. */
int bt_input_descriptor(struct bt *bt, int fd);

/* Open stacks of the source in `options`, or else of `snapshot`, as stacks_open_snapshot() does; `worth` counts the bytes of the source. */
int bt_open_stacks(struct bt *bt, struct cairn_stacks_options *options, struct snapshot *snapshot,
                   uint64_t worth);

/* Says why a program that the user named is not used; EXIT_MISSING then.  Only once the stacks were walked. */
int bt_check_program(struct bt *bt);

/* Says what is wrong with the input, and closes it. */
int bt_reject_input(struct bt *bt, const struct cairn_fault *fault, const char *next);
void bt_close(struct bt *bt);

/* Prints a report in JSON, which the input is, as text; an exit status. */
int bt_print_report(struct bt *bt);

/* Says that the thread that is wanted is none of these. */
void bt_report_no_thread(const struct bt *bt, size_t count);

/* Walks the stacks of all threads that are wanted. False: memory is short. */
bool bt_walk(struct bt *bt);

/* Looks up the names of all frames that will be printed, many at a time. */
void bt_prepare_names(struct bt *bt);

/* What is known of an address: its locations, innermost first. They are good until the next call. */
const struct cairn_location *bt_find_names(struct bt *bt, uint64_t address, size_t *count);

/* A text, or an empty one when what is printed shares too many bytes. */
static inline struct cairn_bytes bt_printed(struct bt *bt, struct cairn_bytes text)
{
	return printed_text(&bt->printed, text);
}

/* The same of a build ID, for hexadecimal digits. */
static inline struct cairn_bytes bt_printed_id(struct bt *bt, struct cairn_bytes id)
{
	return printed_if(printed_take(&bt->printed, 2 * (uint64_t)id.size), id);
}

/* The symbols of a file of this size are worth their names; of several files the largest is. */
static inline void bt_credit_file(struct bt *bt, uint64_t size)
{
	if (size <= bt->credited)
		return;
	printed_credit(&bt->printed, size - bt->credited);
	bt->credited = size;
}

/* Is the thread in a signal handler? */
bool bt_handles_signal(const struct bt_stack *stack);

/* cairn_stacks_abort_message(), of a running process only while a thread is in a signal handler. */
struct cairn_bytes bt_find_abort_message(struct bt *bt, char text[CAIRN_ABORT_MESSAGE]);

/* "Thread 1 (LWP 4711 "name", crashed):", after an empty line. */
void bt_print_thread_head(const struct bt *bt, size_t number, const struct bt_stack *stack);

/* Does it go on, past the frames that were asked for? */
bool bt_ends_as_asked(const struct bt *bt, const struct bt_stack *stack);

void bt_print_text(struct bt *bt);

/* Remembers that a frame at this address was printed without a name; the next two functions report it. */
void bt_note_nameless(struct bt *bt, uint64_t address);

/* Says on standard error which modules lack symbols, and what to do; nothing if none does. */
void bt_report_nameless(struct bt *bt);

/* Prints all of these modules, and each place where symbols were looked for. */
void bt_explain_nameless(struct bt *bt);
void bt_print_json(struct bt *bt);

/* One thread as JSON, as bt_print_json() has it on its line. */
void bt_print_stack_json(struct json *json, struct bt *bt, const struct bt_stack *stack);
void bt_print_folded(struct bt *bt);
void bt_print_markup(struct bt *bt);
void bt_print_modules(struct bt *bt);

/* Prints the build IDs of the modules of all frames, one a line; returns false if there is none. */
bool bt_print_build_ids(struct bt *bt);
void bt_print_problems(const struct bt *bt);

#endif
