/* SPDX-License-Identifier: MIT */
/*
 * A command: its name, its words, and the steps that make its answer.
 *
 * A step asks the debugger one question at most (debugger.h), and is run again when a debugger has
 * answered later; then the same question has its answer at once.  What one step leaves for the next
 * ones is in the command's context, a struct of its own that is zeros before the first step and is
 * freed after the last.
 *
 *	static const struct command example = { .name = "cairn example",
 *		                                .usage = "[-json] EXPRESSION",
 *		                                .help = "Show an example.",
 *		                                .steps = { read_address, print_example },
 *		                                .context_size = sizeof(struct example) };
 */
#ifndef CAIRN_COMMON_SESSION_COMMAND_H
#define CAIRN_COMMON_SESSION_COMMAND_H

#include "common/base/json_writer.h"
#include "common/session/words.h"

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

struct session; /* session.h */

/* One call of a command.  A plugin may have it in a larger struct of its own. */
struct command_call {
	struct session *session;
	const struct words *words;
	void *context;     /* of the command */
	struct text *line; /* that is being put together: reply_line() */
	bool json;         /* the words -json or --json were there */
	bool failed;       /* reply_error() was called */
};

enum answer {
	ANSWER_READY,
	ANSWER_PENDING, /* the debugger has been asked, and the step is to be run again */
	ANSWER_DONE,    /* the command ends here, and the steps that are left are not run */
	ANSWER_FAILED,  /* likewise, and why has been reported */
};

typedef enum answer command_step(struct command_call *call);

enum { COMMAND_STEPS = 8 };

struct command {
	const char *name;     /* as typed */
	const char *old_name; /* that works as well, and is not shown; NULL: none */
	const char *usage;    /* words after the name: options as "[-json]", then capitals */
	const char *help;     /* first line: one sentence; NULL: not for users */
	const char *example;  /* may be NULL */
	command_step *steps[COMMAND_STEPS];
	unsigned variant;              /* which of several commands that have the same steps */
	size_t context_size;           /* 0: it needs none */
	void (*finish)(void *context); /* frees what the context holds; may be NULL */
};

struct command_table {
	const struct command *const *rows;
	unsigned count;
};

/* The command in progress. */
struct running_command {
	const struct command *command; /* NULL: none */
	void *context;
	unsigned step;
	bool json; /* an option that a step has read, and the next ones need */
};

/*
 * Lets go of a command that was interrupted, checks the words by the usage, and makes the context.
 * False: an error was reported.
 */
bool command_begin(struct command_call *call, const struct command *command);

/* Runs the steps that are left; not ANSWER_PENDING: the command has ended. */
enum answer command_continue(struct command_call *call);

/* Options and operands of the call's words. */
bool command_call_option(const struct command_call *call, const char *name);

/* The operands joined by blanks, kept until the next call; empty when there are none. */
const char *command_call_expression(struct command_call *call);

/* The same as a file name: quotes around it are taken off. */
const char *command_call_path(struct command_call *call);

/* Print one line; the text is not trusted. */
__attribute__((format(printf, 2, 3))) void reply_print(struct command_call *call,
                                                       const char *format, ...);

/* Print the text gathered in call->line, as one line, and empty it. */
void reply_line(struct command_call *call);

/* An answer that is one JSON object: begins it, and prints it as a line. */
struct json_writer reply_begin_json(struct command_call *call);
void reply_end_json(struct command_call *call, struct json_writer *json);

/* Print what went wrong; $cairn_ok becomes 0 and $cairn_error the message. */
__attribute__((format(printf, 2, 3))) void reply_error(struct command_call *call,
                                                       const char *format, ...);

/* Set a variable of the debugger that scripts read, if it has such. */
void reply_set(struct command_call *call, const char *name, uint64_t value);
void reply_set_string(struct command_call *call, const char *name, const char *value);

#ifdef __cplusplus
}
#endif

#endif
