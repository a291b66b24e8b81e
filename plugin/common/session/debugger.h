/* SPDX-License-Identifier: MIT */
/*
 * The interface to the debugger, implemented by each plugin. Shared commands use the debugger only
 * through it.
 *
 * Queries return an enum answer. A debugger that answers at once (LLDB) returns ANSWER_READY or
 * ANSWER_FAILED. A plugin can query GDB only by replying with commands for GDB to run, so queries
 * to GDB return ANSWER_PENDING. Once GDB has printed its answer, the command step runs again, makes
 * the same query, and then gets ANSWER_READY. Therefore a step makes at most one query, and
 * everything before the query must be safe to repeat.
 *
 * Memory is not read through this interface: the session's space reads it through struct
 * cairn_target.
 */
#ifndef CAIRN_COMMON_SESSION_DEBUGGER_H
#define CAIRN_COMMON_SESSION_DEBUGGER_H

#include "command.h"
#include "lists.h"
#include "trace.h"

enum frame_state {
	FRAME_KNOWN,
	FRAME_UNREADABLE, /* no readable module contains the frame */
	FRAME_RUNNING,
	FRAME_NONE, /* no thread is selected */
};

enum memory_access { MEMORY_WRITABLE, MEMORY_READABLE };

struct debugger_status {
	const char *name;
	const char *key; /* name of the debugger in JSON output, such as "gdb" */
	int major;       /* major version, or 0 if unknown */
	/* value of the unwinder setting, or NULL if the debugger does not unwind with cairn */
	const char *unwinder;
	/* the debugger lists its modules for each command; otherwise cairn finds them one by one */
	bool reports;
	bool running; /* the process is running, so its memory cannot be read */
};

struct symbol_loader;

struct debugger {
	const struct symbol_loader *loader; /* NULL if the debugger cannot load symbols */
	/* the debugger's term for views that show captures, such as "Inferior" */
	const char *view_name;

	void (*describe)(const struct session *session, struct debugger_status *status);

	/*
	 * Evaluate a range of words as one expression in the user's language. The value of a
	 * function or array is its address. If `spot` is not NULL, the implementation may also fill
	 * in the names in *spot and set spot->named, which saves a later query.
	 */
	enum answer (*evaluate)(struct command_call *call, struct word_range expression,
	                        uint64_t *value, struct code_location *spot);

	enum frame_state (*read_frame)(struct command_call *call,
	                               struct cairn_registers *registers);

	/*
	 * Query the debugger for modules if no known module contains the innermost frame.
	 * Afterwards read_frame() shows whether a module has been found. NULL if the debugger
	 * always reports all modules.
	 */
	enum answer (*find_frame_module)(struct command_call *call);

	/*
	 * Make the debugger discard its cached frames, because cairn's results are about to change.
	 * NULL if the debugger does not unwind with cairn.
	 */
	enum answer (*forget_frames)(struct command_call *call);

	/*
	 * Fill in functions, files and lines from the debugger's own symbols in all locations that
	 * are not `named` yet. Paths keep their directories only if `full_path`.
	 */
	enum answer (*name_spots)(struct command_call *call, struct trace *trace, bool full_path);

	/* Add the debugger's modules and their names to the space (cairn_space_add_module). */
	enum answer (*name_modules)(struct command_call *call);

	/*
	 * Read the list of JIT code that the program has registered
	 * (cairn_space_read_registered_code). NULL if the debugger reports JIT code along with its
	 * modules.
	 */
	enum answer (*read_registered_code)(struct command_call *call);

	/*
	 * List all writable or all readable memory. The list is empty if the debugger cannot
	 * determine it.
	 */
	enum answer (*memory_ranges)(struct command_call *call, enum memory_access access,
	                             struct range_list *ranges);

	/*
	 * Show a capture in a new inferior or target, select it, and store the numbers of the new
	 * and the previously selected view. Sets shown->is_shown as soon as the view exists, even
	 * if a later step fails.
	 */
	enum answer (*show_capture)(struct command_call *call, struct shown_capture *shown);

	/* Get the number of the selected inferior or target, for comparison with shown->view. */
	enum answer (*find_view)(struct command_call *call, uint64_t *view);

	/*
	 * Remove the capture's view unless the user has removed it. If the view was selected,
	 * select the previous view.
	 */
	enum answer (*hide_capture)(struct command_call *call, const struct shown_capture *shown);

	/*
	 * Print one line of output without its newline. The line may contain untrusted bytes and
	 * colour marks.
	 */
	void (*print_line)(struct command_call *call, const struct text *line);

	/*
	 * Return true if the command's output has not reached the size limit. NULL if the debugger
	 * has no limit.
	 */
	bool (*is_below_limit)(struct command_call *call);

	/*
	 * Set convenience variables for scripts. Has no effect in a debugger without such
	 * variables.
	 */
	void (*set_number)(struct command_call *call, const char *name, uint64_t value);
	void (*set_string)(struct command_call *call, const char *name, const char *value);
};

#ifdef __cplusplus
extern "C"
#endif
	const char *
	debugger_name(const struct command_call *call);

#endif
