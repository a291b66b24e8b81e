/* SPDX-License-Identifier: MIT */
/*
 * How a command asks its debugger, and answers through it.  Each plugin has one of these; commands
 * know nothing else of the debugger that they run in.
 *
 * Questions return an enum answer.  A debugger that answers at once (LLDB) returns ANSWER_READY or
 * ANSWER_FAILED.  One that can only be asked by leaving commands behind for it (GDB) returns
 * ANSWER_PENDING; the command's step is run again when the debugger has printed its answer, asks the
 * same question, and then gets ANSWER_READY.  So a step asks one question at most, and does nothing
 * before it that may not be done twice.
 *
 * Memory is not asked for here: the session's space reads it through struct cairn_target.
 */
#ifndef CAIRN_COMMON_SESSION_DEBUGGER_H
#define CAIRN_COMMON_SESSION_DEBUGGER_H

#include "common/session/captures.h"
#include "common/session/command.h"
#include "common/session/range_list.h"
#include "common/session/trace.h"

/* Is there an innermost frame of the selected thread? */
enum frame_state {
	FRAME_KNOWN,
	FRAME_UNREADABLE, /* it is in no module that can be read */
	FRAME_RUNNING,    /* the thread is running */
	FRAME_NONE,       /* no thread is selected */
};

/* Which memory is asked for. */
enum memory_access { MEMORY_WRITABLE, MEMORY_READABLE };

/* What `status` shows of the debugger. */
struct debugger_status {
	const char *name;     /* "GDB" */
	const char *key;      /* in JSON: "gdb" */
	int major;            /* its version; 0: not known */
	const char *unwinder; /* the setting, where the debugger asks cairn for frames; or NULL */
	bool reports;         /* its modules at each command; else they become known bit by bit */
	bool running; /* the process runs, so that nothing of it can be read; where that is known */
};

struct symbol_loader; /* common/loading/loader.h */

struct debugger {
	const struct symbol_loader *loader; /* NULL: it cannot be given symbols */
	const char *view_name;              /* what it shows captures in: "Inferior" */

	void (*describe)(const struct session *session, struct debugger_status *status);

	/*
	 * The value of words that are one expression in the user's language: functions and arrays give
	 * their address.  With `spot` not NULL its names may be filled in at once, if that saves a
	 * question; then spot->named is set.
	 */
	enum answer (*evaluate)(struct command_call *call, struct word_range expression,
	                        uint64_t *value, struct code_location *spot);

	/* All general registers of the innermost frame of the selected thread. */
	enum frame_state (*read_frame)(struct command_call *call,
	                               struct cairn_registers *registers);

	/*
	 * Asks for the modules if the innermost frame is in none that is known; afterwards read_frame() tells whether it is in one of them.
	 * NULL: all are known.
	 */
	enum answer (*find_frame_module)(struct command_call *call);

	/* Lets the debugger compute its frames anew, before cairn's answers change; NULL: it asks cairn for none. */
	enum answer (*forget_frames)(struct command_call *call);

	/*
	 * Functions, files and lines of all spots that are not `named` yet, as the debugger's own symbols
	 * have them.  Files with folders only if `full_path`.
	 */
	enum answer (*name_spots)(struct command_call *call, struct trace *trace, bool full_path);

	/* Adds the debugger's modules to the space (cairn_space_add_module), with their names. */
	enum answer (*name_modules)(struct command_call *call);

	/*
	 * Reads the list of code that the program has registered (cairn_space_read_registered_code); NULL: cairn is told of it with the
	 * modules.
	 */
	enum answer (*read_registered_code)(struct command_call *call);

	/* All memory that can be written, or read; an empty list where the debugger does not know it. */
	enum answer (*memory_ranges)(struct command_call *call, enum memory_access access,
	                             struct range_list *ranges);

	/*
	 * Shows a capture in an inferior or target of its own, which is selected then, and fills in its numbers; shown->is_shown is set as
	 * soon as there is something to hide, also if it fails later.
	 */
	enum answer (*show_capture)(struct command_call *call, struct shown_capture *shown);

	/* The number of the inferior or target that is selected, which shown->view is compared with. */
	enum answer (*find_view)(struct command_call *call, uint64_t *view);

	/* Takes it away, if the user has not done so, and goes back to what was selected before, if it was selected. */
	enum answer (*hide_capture)(struct command_call *call, const struct shown_capture *shown);

	/* One line of the answer, without its newline: bytes that nobody vouches for, and colours. */
	void (*print_line)(struct command_call *call, const struct text *line);

	/* May more be printed?  A debugger may have a limit for one answer; NULL: it has none. */
	bool (*has_room)(struct command_call *call);

	/* Variables of the debugger that scripts read; nothing where it has none. */
	void (*set_number)(struct command_call *call, const char *name, uint64_t value);
	void (*set_string)(struct command_call *call, const char *name, const char *value);
};

/* "GDB" */
#ifdef __cplusplus
extern "C"
#endif
	const char *
	debugger_name(const struct command_call *call);

#endif
