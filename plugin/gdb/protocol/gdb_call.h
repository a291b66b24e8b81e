/* SPDX-License-Identifier: MIT */
/*
 * One call of a command in GDB: the request that came, and the reply that GDB executes.
 *
 * A command that needs what GDB knows (a value, a symbol) asks for it by gdb_capture_end() or
 * gdb_send_orders(), which note in exchange->asked what was asked, and returns ANSWER_PENDING.  Its
 * step is run again with what GDB printed.
 */
#ifndef CAIRN_GDB_PROTOCOL_GDB_CALL_H
#define CAIRN_GDB_PROTOCOL_GDB_CALL_H

#include "channel.h"

#include "common/session/debugger.h"

/* What GDB was asked last, in this command. */
enum question {
	PENDING_NOTHING,
	PENDING_FRAME_0,
	PENDING_NAME,  /* is there a symbol or a variable of this name? */
	PENDING_PLAIN, /* level and value, perhaps symbols */
	PENDING_LEVEL,
	PENDING_VALUE,
	PENDING_SYMBOLS,
	PENDING_FILES,
	PENDING_GDB_STATE, /* inferior and modules */
	PENDING_OWN,       /* does GDB have lines of its own? */
	PENDING_LOADED,
	PENDING_HOOKS,
	PENDING_REGISTERED, /* where is the list of code that the program has registered? */
	PENDING_INFERIORS,  /* the list of them */
	PENDING_CORE,       /* of a capture: opened, or removed */
	PENDING_FETCH       /* from a symbol server */
};

/* Requests and replies, from one call of GDB to the next. */
struct exchange {
	struct channel channel;
	struct request kept; /* the command in progress; its words are in `words` */
	bool waiting;        /* for what a reply asked GDB to print */
	enum question asked;
	struct text words, reply;
	struct text command; /* what GDB is to execute, while it is being put together */
};

struct gdb_call {
	struct command_call call; /* what commands see; the first member */
	struct exchange *exchange;
	const struct request *request;
	const struct cairn_registers
		*frame;     /* innermost of the selected thread; NULL without one */
	const char *output; /* of what was captured; empty at the first call */
	size_t output_size;
	struct text *reply;
	struct {
		size_t begin, end; /* where in the reply */
		size_t tail;       /* bytes of it that are its end */
		size_t arguments;
	} said;     /* last */
	bool asked; /* GDB asks for a frame: there is a stack */
};

/* Every call of a command is made as one of these: command_run(). */
static inline struct gdb_call *gdb_call(struct command_call *call)
{
	return (struct gdb_call *)call;
}

/* How a step ends that may have asked. */
enum answer gdb_answer(struct command_call *call);

/* These three are a struct debugger's. */
void gdb_print_line(struct command_call *call, const struct text *line);
void gdb_set_string(struct command_call *call, const char *name, const char *value);
void gdb_set_number(struct command_call *call, const char *name, uint64_t value);
bool gdb_has_room(struct command_call *call);

/* Has GDB answered this question?  Then none is asked any more. */
bool gdb_has_answered(struct command_call *call, enum question asked);

/* Run GDB commands, one by one, and call this command again with what they print. */
void gdb_capture_begin(struct command_call *call);
void gdb_capture(struct command_call *call, const char *command);
enum answer gdb_capture_end(struct command_call *call, enum question asked);

/* The same where the reply has a command of cairn's that sends the request: ANSWER_PENDING. */
enum answer gdb_await(struct command_call *call, enum question asked);

/* The same for many GDB commands at once, in the language C: first they are added to a text, then sent. */
struct text *gdb_begin_orders(struct command_call *call);
enum answer gdb_send_orders(struct command_call *call, enum question asked);

#endif
