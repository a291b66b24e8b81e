/* SPDX-License-Identifier: MIT */
/*
 * `cairn bt`: the stacks of a program, from a core file. Its parts, in the order of the work: input
 * (a snapshot), module_files (the files of its modules), stacks (the walk), names (functions and
 * lines), text and json (the output), crash (what happened).
 */
#ifndef CAIRN_CLI_BT_BT_H
#define CAIRN_CLI_BT_BT_H

#include "base/slot_table.h"
#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "os/module/separate_debug_files.h"
#include "debuginfo/lookup/names.h"
#include "model/snapshot.h"
#include "os/debuginfod/debuginfod.h"
#include "os/module/symbol_path.h"
#include "output/json.h"
#include "process/snapshot/abort_message.h"
#include "process/snapshot/run_times.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/stacks/module_names.h"
#include "process/walk/stack_walk.h"
#include "symbols/sources/go/go.h"
#include "symbols/sources/jit/jit_frames.h"
#include "unwind/modules/modules.h"

struct bt_options {
	enum form form;
	uint64_t count; /* frames of each stack; 0: all */
	bool crashed_only, list_modules, dedup, folded, markup, explain, registers;
	const char *sysroot;           /* before the paths of modules; NULL for none */
	const char *debug_directories; /* of separate debug files, DIR:DIR... */
	const char *directories;       /* of symbols in GSYM and other files, DIR:DIR... */
	const char *program;           /* given by the user; NULL for none */
	bool use_debuginfod;
	bool quiet;   /* without progress on a terminal */
	uint64_t pid; /* of a running process; 0: the input is a file */
};

/* The files that know one module. */
struct bt_module {
	bool looked;                       /* for its own file */
	struct os_file file;               /* its program or library */
	char *path;                        /* of that file, owned; NULL: there is none */
	bool opened, opened_names;         /* its symbol file, and its DWARF, were looked for */
	struct cairn_symbol_file *symbols; /* GSYM, symbfile or Breakpad */
	bool breakpad_looked;              /* for its Breakpad file in trees of such files */
	struct os_file breakpad;           /* that file; empty: there is none */
	struct stack_cfi *stack_cfi;       /* the rules in it */
	bool go_looked;                    /* for its table of functions as a Go program */
	struct go_program *go;             /* that; owned; NULL: it has none */
	struct go_functions *go_functions; /* made when the first name is asked for; owned */
	struct separate_debug_files halves;
	bool has_halves;
	bool gave_tables;      /* its .debug_frame was looked for */
	void *unpacked_frames; /* the section, where it was compressed; owned */
	struct debuginfo_names *debug, *own,
		*packed;           /* of the debug file, the file, .gnu_debugdata */
	bool looked_packed;        /* .gnu_debugdata was looked at */
	void *unpacked;            /* bytes of the last */
	size_t unpacked_size;      /* of .gnu_debugdata */
	struct module_stubs stubs; /* of its PLT */
};

/* Which locations an address has: a part of names.locations. */
struct bt_answer {
	uint64_t address; /* that was looked up */
	uint32_t first, count;
};

struct bt_names {
	struct slot_table slots; /* of the answers, by their addresses */
	struct bt_answer *answers;
	size_t answer_count, answer_room;
	struct cairn_location *locations;
	size_t location_count, location_room;
};

/*
 * Frames of all stacks together: a small core may claim as many threads with one deep stack as it likes. A frame takes 40
 * bytes here, with --explain 150, and 16 bytes of stack at least.
 */
enum {
	BT_FRAMES_MAX = 1 << 21,
	BT_FRAMES_LEAST = 1 << 18,
	BT_FRAME_BYTES = 16, /* of the input, for one more than the least */

	/* Bytes that a process is worth, and what a packed core unpacks to at most: the stack of so many frames. */
	BT_INPUT_WORTH = 1 << 25,
};

/* Code that the program has made, as its jitdump and its perf map have it. */
struct bt_jit {
	bool looked;
	struct bt_jit_file {
		struct cairn_bytes bytes; /* of malloc() */
		struct jit_code code;
	} dump, map;
	struct jit_frames_search rules; /* in the jitdump */
};

/* One frame of a stack; its inlined calls are its locations. */
struct bt_frame {
	uint64_t pc, lookup, cfa;
	enum cairn_unwind_method found, by;
	bool signal;
};

/* One thread's stack. */
struct bt_stack {
	size_t thread; /* in the snapshot */
	struct bt_frame *frames;
	size_t count, room;
	struct cairn_rule
		*rules; /* with --explain: of each frame, the one that leads to its caller */
	size_t rule_room;
	enum stack_end end;
	enum cairn_stop stop;     /* with STACK_END_UNKNOWN: why */
	struct cairn_fault fault; /* with CAIRN_STOP_BAD_TABLE: what is wrong in the section */
	size_t equal;             /* with --dedup: further threads with this stack */
	bool repeated;            /* with --dedup: another one stands for it */
	size_t same_as;           /* which */
};

/* Files that were opened while the process was still there. */
struct bt_opened {
	/* Of a module by where it lies: a descriptor to be closed, or -1. NULL: there are none. */
	int (*open)(void *context, const struct snapshot_module *module);
	/* What the process recorded of code that it made, likewise. */
	int (*open_jit)(void *context);
	void *context;
};

struct bt {
	struct bt_options options;
	struct bt_opened opened;
	const char *path; /* of the input, as given */
	uint64_t size;    /* bytes of it */
	struct os_file file;
	struct snapshot snapshot;
	struct snapshot_memory memory;
	struct cairn_space *space;
	struct bt_module *modules; /* as many as the snapshot has */
	struct bt_names names;
	struct bt_jit jit;
	struct debuginfod debuginfod; /* asked with --debuginfod only */
	bool told_debuginfod;         /* why it does not help */
	struct bt_stack *stacks;      /* as many as threads are shown, the crashed one first */
	size_t stack_count;
	uint64_t frames_left;
	struct allowance printed; /* bytes of names, paths and IDs */
	uint64_t credited;        /* bytes of the largest file that it was enlarged by */
};

/* Opens the input as a snapshot; else an exit status other than EXIT_CLEAN, after a message. */
int bt_input_open(struct bt *bt);
void bt_close(struct bt *bt);

/* A file that was found before there was a struct bt_module for it. */
struct bt_unlisted_file {
	struct os_file file;
	char *path;   /* owned */
	uint64_t low; /* of its module */
};

/* The search for modules whose headers are not in the core. */
struct bt_unlisted {
	struct bt *bt;
	struct bt_unlisted_file *files;
	size_t count, room;
	unsigned tries;   /* files that were opened */
	uint64_t dynamic; /* address of the program's dynamic section; 0: not known */
};

/*
 * Adds the modules whose headers are not in the core, by their files. Numbers of modules change; once
 * bt->modules is made (or could not be), bt_adopt_unlisted() gives it the files.
 */
void bt_find_unlisted(struct bt *bt, struct bt_unlisted *unlisted);
void bt_adopt_unlisted(struct bt_unlisted *unlisted);

/* The file of a module: it and its path, from malloc(), belong to bt->modules from now on. */
void bt_give_file(struct bt *bt, size_t index, const struct os_file *file, char *path);

/* A path of the program below the sysroot; false when it is not absolute, or too long. */
bool bt_make_path(const struct bt *bt, struct cairn_bytes path, char out[SYMBOL_PATH_MAX]);

/* The module of an address, with its file looked for; NULL for none. *index: its number. */
const struct snapshot_module *bt_find_module(struct bt *bt, uint64_t pc, size_t *index);

/* Looks for the file of a module, once; `context` is a struct bt. */
void bt_find_file(void *context, size_t index);

/* Gives the space the .debug_frame of the module at `pc`, once; `context` is a struct bt. */
bool bt_give_tables(void *context, uint64_t pc);

/* What .gnu_debugdata of a module's file holds, unpacked once; empty: there is none. */
struct cairn_bytes bt_unpack_symbols(struct bt_module *files);

/* The separate debug file of a module, looked for once; NULL: there is none. */
const struct separate_debug_file *bt_find_debug_file(struct bt *bt, size_t index);

/* Looks for the files of all modules. */
void bt_find_all_files(struct bt *bt);
void bt_close_module(struct bt_module *module);

/*
 * Tells the space of the modules of a minidump, whose headers were mostly not captured, and where their
 * Breakpad files are. False: more than the space keeps.
 */
bool bt_report_modules(struct bt *bt);

/* Looks for the Breakpad file of a module, once. */
void bt_find_breakpad(struct bt *bt, size_t index);
void bt_close_breakpad(struct bt_module *module);

/* Tells the space where the tables of Go programs are; and their names for a va of a module. */
void bt_set_go(struct bt *bt);
size_t bt_ask_go(struct bt *bt, struct bt_module *files, uint64_t va,
                 struct cairn_location found[DEBUGINFO_LOCATIONS]);
void bt_close_go(struct bt_module *module);

/* Walks the stacks of all threads that are wanted. False: memory is short. */
bool bt_walk(struct bt *bt);

/* What is known of an address: its locations, innermost first. They are good until the next call. */
const struct cairn_location *bt_find_names(struct bt *bt, uint64_t address, size_t *count);

/* What the program has recorded of the code at `pc` that it has made; false: nothing. */
bool bt_find_jit_code(struct bt *bt, uint64_t pc, struct cairn_location *location);
void bt_close_jit(struct bt_jit *jit);

/* Rules for unwinding, of a jitdump, from now on. */
void bt_set_jit_rules(struct bt *bt);

/* A text, or an empty one when what is printed shares too many bytes. */
static inline struct cairn_bytes bt_printed(struct bt *bt, struct cairn_bytes text)
{
	return printed_text(&bt->printed, text);
}

/* The symbols of a file of this size are worth their names; of several files the largest is. */
static inline void bt_credit_file(struct bt *bt, uint64_t size)
{
	if (size <= bt->credited)
		return;
	printed_credit(&bt->printed, size - bt->credited);
	bt->credited = size;
}

/* A readable name, in a buffer of its own that the next call writes over. */
struct cairn_bytes bt_readable_name(struct cairn_bytes name);

/* What the program ended with: "Segmentation fault", and what its address hits. */
const char *bt_signal_name(uint32_t signal);
const char *bt_signal_text(uint32_t signal);
const char *bt_signal_code(uint32_t signal, int32_t code);
void bt_describe_address(const struct bt *bt, char *text, size_t size);

/* Is the thread in a signal handler? */
bool bt_handles_signal(const struct bt_stack *stack);

/*
 * What the C library wrote before it aborted the program, without newlines at its end, in `text`; it may
 * hold any byte. Of a running process: what it holds now, while a thread is in a signal handler. Size 0: nothing, or it
 * is not known.
 */
struct cairn_bytes bt_find_abort_message(struct bt *bt, uint8_t text[ABORT_MESSAGE_MAX]);

/* With --registers: what a thread stopped with. */
void bt_print_registers(const struct cairn_registers *registers);
void bt_print_register_keys(struct json *json, const struct cairn_registers *registers);

/* "Thread 1 (LWP 4711 "name", crashed):", after an empty line. */
void bt_print_thread_head(const struct bt *bt, size_t number, const struct bt_stack *stack);

/* Why a stack ended, for people. */
const char *bt_end_text(const struct bt *bt, const struct bt_stack *stack);

/* Does it go on, past the frames that were asked for? */
bool bt_ends_as_asked(const struct bt *bt, const struct bt_stack *stack);

/* What may have led further, such as a file that was not found; NULL: nothing that is known of. */
const char *bt_end_hint(const struct bt *bt, const struct bt_stack *stack);

void bt_print_text(struct bt *bt);
void bt_print_json(struct bt *bt);

/* One thread as JSON, as bt_print_json() has it on its line. */
void bt_print_stack_json(struct json *json, struct bt *bt, const struct bt_stack *stack);
void bt_print_folded(struct bt *bt);
void bt_print_markup(struct bt *bt);
void bt_print_modules(struct bt *bt);
void bt_print_problems(const struct bt *bt);

#endif
