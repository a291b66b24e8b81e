/* SPDX-License-Identifier: MIT */
/*
 * The interface from commands to their debugger, implemented by each plugin. Commands depend on
 * nothing else in the debugger.
 *
 * Queries return an enum answer. A debugger that answers at once (LLDB) returns ANSWER_READY or
 * ANSWER_FAILED. GDB can be queried only by leaving commands for it to run, so it returns
 * ANSWER_PENDING. The step of the command runs again when GDB has printed its answer, makes the
 * same query, and then gets ANSWER_READY. Therefore a step makes at most one query, and does
 * nothing before it that must not be done twice.
 *
 * Memory is not read through this interface: the session's space reads it through struct
 * cairn_target.
 */
#ifndef CAIRN_COMMON_SESSION_DEBUGGER_H
#define CAIRN_COMMON_SESSION_DEBUGGER_H

#include "command.h"
#include "lists.h"
#include "trace.h"

/* State of the innermost frame of the selected thread. */
enum frame_state {
	FRAME_KNOWN,
	FRAME_UNREADABLE, /* the frame is in no module that can be read */
	FRAME_RUNNING,
	FRAME_NONE, /* no thread is selected */
};

enum memory_access { MEMORY_WRITABLE, MEMORY_READABLE };

/* Data about the debugger for the command status. */
struct debugger_status {
	const char *name;
	const char *key; /* key in JSON: "gdb" */
	int major;       /* version; 0 if unknown */
	/* the unwinder setting if the debugger uses cairn for frames; otherwise NULL */
	const char *unwinder;
	/* the debugger reports its modules at each command; otherwise cairn finds them gradually */
	bool reports;
	bool running; /* the process is known to be running, so that nothing can be read from it */
};

struct symbol_loader;

struct debugger {
	const struct symbol_loader *loader; /* NULL if the debugger cannot load symbols */
	const char *view_name; /* the debugger's term for the views of captures: "Inferior" */

	void (*describe)(const struct session *session, struct debugger_status *status);

	/*
	 * Evaluate words that are one expression in the user's language. Functions and arrays give
	 * their address. If `spot` is not NULL, its names may be filled in and spot->named set,
	 * which saves a later query.
	 */
	enum answer (*evaluate)(struct command_call *call, struct word_range expression,
	                        uint64_t *value, struct code_location *spot);

	enum frame_state (*read_frame)(struct command_call *call,
	                               struct cairn_registers *registers);

	/*
	 * Query the debugger for modules if the innermost frame is in no known module. Afterwards
	 * read_frame() shows whether the frame is in a module. NULL if all modules are known
	 * anyway.
	 */
	enum answer (*find_frame_module)(struct command_call *call);

	/*
	 * Make the debugger recompute its frames before cairn's answers change; NULL if it does not
	 * use cairn for frames.
	 */
	enum answer (*forget_frames)(struct command_call *call);

	/*
	 * Fill in functions, files and lines from the debugger's own symbols for all spots that are
	 * not `named` yet. Files keep their directories only if `full_path`.
	 */
	enum answer (*name_spots)(struct command_call *call, struct trace *trace, bool full_path);

	/* Add the debugger's modules with their names to the space (cairn_space_add_module). */
	enum answer (*name_modules)(struct command_call *call);

	/*
	 * Read the list of code that the program has registered (cairn_space_read_registered_code).
	 * NULL if the debugger reports such code with its modules.
	 */
	enum answer (*read_registered_code)(struct command_call *call);

	/*
	 * List all memory that can be written or read; an empty list if the debugger does not know
	 * it.
	 */
	enum answer (*memory_ranges)(struct command_call *call, enum memory_access access,
	                             struct range_list *ranges);

	/*
	 * Show a capture in a new inferior or target, select it, and fill in its numbers.
	 * shown->is_shown is set as soon as the view exists, even if a later part fails.
	 */
	enum answer (*show_capture)(struct command_call *call, struct shown_capture *shown);

	/* Get the number of the selected inferior or target, for comparison with shown->view. */
	enum answer (*find_view)(struct command_call *call, uint64_t *view);

	/*
	 * Remove the view of the capture unless the user has done so. If it was selected, select
	 * the view that was selected before it.
	 */
	enum answer (*hide_capture)(struct command_call *call, const struct shown_capture *shown);

	/*
	 * Print one line of the answer, given without its newline. It may contain untrusted bytes
	 * and colour marks.
	 */
	void (*print_line)(struct command_call *call, const struct text *line);

	/*
	 * Return true if more may be printed; NULL if the debugger does not limit the size of an
	 * answer.
	 */
	bool (*has_room)(struct command_call *call);

	/* Set convenience variables for scripts; no effect in a debugger without such variables. */
	void (*set_number)(struct command_call *call, const char *name, uint64_t value);
	void (*set_string)(struct command_call *call, const char *name, const char *value);
};

#ifdef __cplusplus
extern "C"
#endif
	const char *
	debugger_name(const struct command_call *call);

#endif
