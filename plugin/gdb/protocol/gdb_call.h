/* SPDX-License-Identifier: MIT */
/*
 * One call of a command in GDB: a request, and the reply that GDB executes.
 *
 * A command that needs a value or a symbol from GDB queries it with gdb_capture_end() or
 * gdb_send_orders(), which record the query in exchange->asked and return ANSWER_PENDING. The
 * command's step then runs again with GDB's output.
 */
#ifndef CAIRN_GDB_PROTOCOL_GDB_CALL_H
#define CAIRN_GDB_PROTOCOL_GDB_CALL_H

#include "common/base/text.h"
#include "common/session/debugger.h"
#include "protocol/channel.h"

/* Kinds of queries to GDB. The last query of the current command is recorded. */
enum question {
	PENDING_NOTHING,
	PENDING_FRAME_0,
	PENDING_NAME, /* asks whether a symbol or a variable with a given name exists */
	/* asks for the frame level, the value of an expression, and possibly its symbols */
	PENDING_PLAIN,
	PENDING_LEVEL,
	PENDING_VALUE,
	PENDING_SYMBOLS,
	PENDING_FILES,
	/* asks for the number of the current inferior and the list of its modules */
	PENDING_GDB_STATE,
	PENDING_OWN, /* asks whether GDB has its own line tables */
	PENDING_LOADED,
	PENDING_HOOKS,
	PENDING_REGISTERED, /* asks for the address of the JIT descriptor */
	PENDING_INFERIORS,
	PENDING_CORE, /* opens or removes the core of a capture */
	PENDING_FETCH /* downloads a file from a symbol server */
};

/* State of requests and replies that the module keeps between calls from GDB. */
struct exchange {
	struct channel channel;
	struct request kept; /* the command in progress; `words` contains copies of its words */
	/* the reply has requested output from GDB that has not arrived yet */
	bool waiting;
	enum question asked;
	struct text words, reply;
	struct text command; /* GDB commands being assembled */
};

struct gdb_call {
	struct command_call call; /* must be first; shared commands use only this member */
	struct exchange *exchange;
	const struct request *request;
	const struct cairn_registers *frame; /* innermost frame of the selected thread, or NULL */
	/* captured output; empty when a step runs for the first time */
	const char *output;
	size_t output_size;
	struct text *reply;
	struct {
		size_t begin, end; /* range of the last printf command in the reply */
		size_t tail;       /* size of the arguments after the format string */
		size_t arguments;
	} said;
	bool asked; /* GDB has asked for a frame, so the thread has a stack */
};

/*
 * Return the gdb_call that contains `call`. Every call in GDB is created by command_run() as a
 * gdb_call.
 */
static inline struct gdb_call *gdb_call(struct command_call *call)
{
	return (struct gdb_call *)call;
}

/* Return the result of a command step: ANSWER_PENDING if the step has queried GDB. */
enum answer gdb_answer(struct command_call *call);

void gdb_print_line(struct command_call *call, const struct text *line);
void gdb_set_string(struct command_call *call, const char *name, const char *value);
void gdb_set_number(struct command_call *call, const char *name, uint64_t value);
bool gdb_is_below_limit(struct command_call *call);

/* Return true if GDB has answered this query, and clear the query. */
bool gdb_has_answered(struct command_call *call, enum question asked);

/*
 * Begin a reply that runs GDB commands one by one, and then runs the current cairn command again
 * with their output.
 */
void gdb_capture_begin(struct command_call *call);
void gdb_capture(struct command_call *call, const char *command);
enum answer gdb_capture_end(struct command_call *call, enum question asked);

/*
 * End a reply that runs another cairn command, which itself sends the output as a request. Returns
 * ANSWER_PENDING.
 */
enum answer gdb_await(struct command_call *call, enum question asked);

/*
 * Begin a query that runs many GDB commands at once, in language C. The caller adds the commands to
 * the returned text and then calls gdb_send_orders().
 */
struct text *gdb_begin_orders(struct command_call *call);
enum answer gdb_send_orders(struct command_call *call, enum question asked);

/*
 * Add the string as one quoted word of a GDB command. Use it only for commands that split words at
 * spaces and remove quotes.
 */
void text_word(struct text *text, const char *word);

#endif
