/* SPDX-License-Identifier: MIT */
/*
 * Communication between GDB's commands and the module. A JIT reader cannot register commands in
 * GDB. Therefore each command is a script that writes a request into an unnamed file, makes GDB
 * unwind a frame, which calls the module, and executes the module's reply, a file of GDB commands.
 *
 *	request = "\001B" number verb gdb thread style radix "\n" ("W" word " \n")* end
 *	        | "\001C" number "\n" output end
 *	end     = "\001E\n"
 *
 * The first form is a command: `verb` is its index in the command table, `gdb` is GDB's major
 * version, `thread` is 0 if no thread is selected, `style` is 1 if GDB itself would colour its
 * output, and `radix` is the input radix for the user's numbers. The second form contains GDB's
 * output. To query GDB, the module replies with GDB commands that write their output into another
 * request and send it.
 *
 * Each reply is a new file, because a command that GDB runs while executing a reply may send
 * another request. Each reply contains its request's number, so that executing an old reply again
 * has no effect.
 */
#ifndef CAIRN_GDB_PROTOCOL_CHANNEL_H
#define CAIRN_GDB_PROTOCOL_CHANNEL_H

#include "common/session/command.h"

struct request {
	unsigned long number;
	unsigned verb;
	int gdb_major;
	bool thread;
	bool style;     /* GDB's styling is on, and output is not logged */
	unsigned radix; /* input radix for the user's numbers; 0 if unknown */
	bool again;     /* the request contains the output that a reply has requested */
	struct words words;
	const char *output;
	size_t output_size;
};

struct channel {
	bool open;
	int request, reply;
	/* descriptor of the script that defines the commands; the first command reads it */
	int definitions;
	/* number of bytes that the module itself has written at the start of the request file */
	size_t begun;
	struct text bytes; /* storage for the strings in a request */
};

/*
 * Open the descriptors, unless the channel is already open. Returns false if all numbers that
 * cairn.gdb tries are in use.
 */
bool channel_open(struct channel *channel);

/*
 * Read GDB's major version, an int that the startup script writes instead of a request. Returns
 * false if the version is missing.
 */
bool channel_take_version(struct channel *channel, int *gdb_major);

/*
 * Read the three words that the script writes at each stop, in the target's byte order. The first
 * word is 1 and reveals the byte order; the others are the numbers of the request and the inferior.
 */
bool channel_take_glance(struct channel *channel, unsigned long *number, int *inferior);

/* Return true if a request is waiting, even an incomplete one. */
bool channel_is_waiting(const struct channel *channel);

bool channel_receive(struct channel *channel, struct request *request);

void channel_reply(const struct channel *channel, unsigned long number,
                   const struct text *commands);

/* Publish commands that GDB executes whatever the number of its request. */
void channel_publish(const struct channel *channel, const char *commands, size_t size);

#endif
