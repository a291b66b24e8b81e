/* SPDX-License-Identifier: MIT */
/*
 * One call of a command: its words, and the reply that GDB executes.
 *
 * A handler reads its words, looks at the target through the session, and prints its answer with the
 * reply_ functions.  One that needs what GDB knows (a value, a symbol) asks for it with
 * reply_capture(), returns, and is called again with call->output.
 */
#ifndef CAIRN_GDB_PROTOCOL_CALL_H
#define CAIRN_GDB_PROTOCOL_CALL_H

#include "channel.h"

#include <cairn.h>

struct session; /* session/session.h; nothing here looks inside */

/* Requests and replies, from one call of GDB to the next. */
struct exchange {
	struct channel channel;
	struct request kept; /* the command in progress; its words are in `words` */
	bool waiting;        /* for what a reply asked GDB to print */
	struct text words, reply, line;
	struct text expression; /* command_call_expression() */
	struct text command;    /* what GDB is to execute, while it is being put together */
};

struct command_call {
	struct session *session;
	struct exchange *exchange;
	const struct request *request;
	const struct cairn_registers
		*frame;     /* innermost of the selected thread; NULL without one */
	const char *output; /* of what was captured; NULL at the first call */
	size_t output_size;
	struct text *reply;
	struct text *line; /* the line that is being put together */
	struct {
		size_t begin, end; /* where in the reply */
		size_t tail;       /* bytes of it that are its end */
		size_t arguments;
	} said;     /* last */
	bool json;  /* the words -json or --json were there */
	bool asked; /* GDB asks for a frame: there is a stack */
	bool failed;
};

struct command {
	const char *name;    /* as typed */
	const char *usage;   /* words after the name: options as "[-json]", then capitals */
	const char *help;    /* first line: one sentence; NULL: not for users */
	const char *example; /* may be NULL */
	void (*run)(struct command_call *call);
};

struct command_table {
	const struct command *rows; /* the verb of a request is an index of these */
	unsigned count;
};

/* Print one line; the text is not trusted. */
__attribute__((format(printf, 2, 3))) void reply_print(struct command_call *call,
                                                       const char *format, ...);

/* Print the text gathered in call->line, as one line, and empty it. */
void reply_line(struct command_call *call);

/* Print what went wrong; $cairn_ok becomes 0 and $cairn_error the message. */
__attribute__((format(printf, 2, 3))) void reply_error(struct command_call *call,
                                                       const char *format, ...);

/* Set a convenience variable. */
void reply_set(struct command_call *call, const char *name, uint64_t value);

/* Run a GDB command and call this command again with what it prints. */
void reply_capture_begin(struct command_call *call);
void reply_capture(struct command_call *call, const char *command);
void reply_capture_end(struct command_call *call);

/* The same for many GDB commands at once, in the language C. */
void reply_collect(struct command_call *call, const struct text *lines);

/* An option without its dashes. */
const char *option_name(const char *word);

/* The number of the first word after the options and the "--" that may end them. */
unsigned words_first_operand(const struct request *request);

/* The words after the options, joined by blanks; empty when there is none. */
const char *command_call_expression(struct command_call *call);

/* The same as a file name: quotes around it are taken off. */
const char *command_call_path(struct command_call *call);

/* Is the option (without its dashes) among the words before the first operand? */
bool command_call_option(const struct command_call *call, const char *name);

#endif
