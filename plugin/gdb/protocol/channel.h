/* SPDX-License-Identifier: MIT */
/*
 * The channel by which commands reach the module. GDB does not let a JIT reader register commands,
 * so a script writes a request into an unnamed file, makes GDB ask for a frame, and executes the
 * reply, which is a file of GDB commands.
 *
 *	request = "\001B" number verb gdb thread style radix "\n" ("W" word " \n")* end
 *	        | "\001C" number "\n" output end
 *	end     = "\001E\n"
 *
 * The first form is a command: `gdb` is GDB's major version, `thread` is 0 if none is selected,
 * `style` is 1 if GDB itself would colour its output, and `radix` is the input radix of the user's
 * numbers. The second form brings output of GDB. A reply may run GDB commands, put their output
 * into another request and have it sent; this is how the module queries GDB.
 *
 * Each reply is a new file, because a command that GDB runs while executing a reply may send
 * another request. Each reply also answers one number only, so that executing an old one again has
 * no effect.
 */
#ifndef CAIRN_GDB_PROTOCOL_CHANNEL_H
#define CAIRN_GDB_PROTOCOL_CHANNEL_H

#include "common/session/command.h"

struct request {
	unsigned long number;
	unsigned verb;
	int gdb_major;
	bool thread;
	bool style;     /* styling is on in GDB, and nothing is logged */
	unsigned radix; /* input radix of the user's numbers; 0 if unknown */
	bool again;     /* the output requested by a reply has arrived */
	struct words words;
	const char *output;
	size_t output_size;
};

struct channel {
	bool open;
	int request, reply;
	int definitions;   /* descriptor of the script that the first command reads */
	size_t begun;      /* bytes at the start of the request file that the module wrote itself */
	struct text bytes; /* buffer that a request points into */
};

/*
 * Open three free descriptors. Returns false if all numbers that cairn.gdb tries are in use. Does
 * nothing if the channel is open.
 */
bool channel_open(struct channel *channel);

/*
 * Take GDB's major version, an int that the startup script writes in place of a request. Returns
 * false if it is not there.
 */
bool channel_take_version(struct channel *channel, int *gdb_major);

/*
 * Take the message that is written at each stop: three words. The first is 1 and shows the byte
 * order; the others are the number of the request and the inferior.
 */
bool channel_take_glance(struct channel *channel, unsigned long *number, int *inferior);

/* Return true if a request is waiting, complete or not. */
bool channel_is_waiting(const struct channel *channel);

/* Take a request if a complete one is waiting. */
bool channel_receive(struct channel *channel, struct request *request);

/* Publish the reply to request `number`: GDB commands that are executed only for that request. */
void channel_reply(const struct channel *channel, unsigned long number,
                   const struct text *commands);

/* Publish commands that are executed for any request. */
void channel_publish(const struct channel *channel, const char *commands, size_t size);

#endif
