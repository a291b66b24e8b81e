/* SPDX-License-Identifier: MIT */
/*
 * The commands that users type.  A command is a row in the table of commands.c and a function; the
 * GDB script that defines them is made from the table, and the words that it takes are checked by
 * its usage before it is called.
 *
 * A handler reads its words, looks at the target through the session, and says its answer with the
 * reply_ functions.  One that needs what GDB knows (a value, a symbol) asks for it with
 * reply_capture(), returns, and is called again with call->output.
 */
#ifndef CAIRN_GDB_COMMANDS_COMMANDS_H
#define CAIRN_GDB_COMMANDS_COMMANDS_H

#include "protocol/channel.h"
#include "protocol/session.h"

struct command_call {
	struct session *session;
	const struct request *request;
	const struct cairn_registers
		*frame;     /* innermost of the selected thread; NULL without one */
	const char *output; /* of what was captured; NULL at the first call */
	size_t output_size;
	struct text *reply;
	struct text *line; /* what is being said now */
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
	const char *usage;   /* words behind the name: options as "[-json]", then capitals */
	const char *help;    /* first line: one sentence; NULL: not for users */
	const char *example; /* may be NULL */
	void (*run)(struct command_call *call);
};

extern const struct command commands[];
extern const unsigned command_count;

/*
 * What GDB reads at the start: the names of all commands and their help.  It is short, because GDB
 * takes about a microsecond for each byte.
 */
void script_start(struct text *text, const struct channel *channel);

/* What the first command reads: the definitions of all, and what that command itself is to do. */
void script_define(struct text *text, const struct channel *channel, const char *module_path);

/*
 * Run what was requested; the answer is published.  `frame` is NULL when GDB asked for one that we
 * do not know (`asked`), or for none.
 */
void command_run(struct session *session, const struct cairn_registers *frame, bool asked);

/* Say one line; the text is not trusted. */
__attribute__((format(printf, 2, 3))) void reply_print(struct command_call *call,
                                                       const char *format, ...);

/* Say the text gathered in call->line, as one line, and empty it. */
void reply_line(struct command_call *call);

/* Say what went wrong; $cairn_ok becomes 0 and $cairn_error the message. */
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

/* The number of the first word behind the options and the "--" that may end them. */
unsigned words_first_operand(const struct request *request);

/* The words after the options, joined by blanks; empty when there is none. */
const char *command_call_expression(struct command_call *call);

/* The same as a file name: quotes around it are taken off. */
const char *command_call_path(struct command_call *call);

/* Is the option (without its dashes) among the words before the first that is none? */
bool command_call_option(const struct command_call *call, const char *name);

/*
 * After this command the stack may look different.  GDB 13 dies when it does not find the selected
 * frame again, so the innermost one is selected first.  False: GDB is being asked to.
 */
bool reply_select_innermost(struct command_call *call);

/*
 * The value of the words after the options, an expression in the user's language: functions and
 * arrays give their address.  False: GDB is being asked, and calls this command again; or it was,
 * and what it objected to has been said.
 */
bool command_call_value(struct command_call *call, uint64_t *value);

/* The same; `named`: call->output has GDB's symbols for it, too, as those of spot 0. */
bool command_call_address(struct command_call *call, uint64_t *value, bool *named);

void command_status(struct command_call *call);
void command_modules(struct command_call *call);
void command_where(struct command_call *call);
void command_bt(struct command_call *call);
void command_sframe(struct command_call *call);
void command_sync(struct command_call *call);
void command_cbf(struct command_call *call);
void command_find_cbf(struct command_call *call);
void command_load_reader(struct command_call *call);
void command_markup(struct command_call *call);
void command_set_unwinder(struct command_call *call);
void command_show_unwinder(struct command_call *call);
void command_set_color(struct command_call *call);
void command_show_color(struct command_call *call);
void command_ping(struct command_call *call);
void command_add_gsym(struct command_call *call);
void command_add_symbfile(struct command_call *call);
void command_add_breakpad(struct command_call *call);
void command_symbols_load(struct command_call *call);
void command_symbols_unload(struct command_call *call);
void command_follow(struct command_call *call);
void command_set_auto_symbols(struct command_call *call);
void command_show_auto_symbols(struct command_call *call);
void command_set_gsym_directory(struct command_call *call);
void command_show_gsym_directory(struct command_call *call);

#endif
