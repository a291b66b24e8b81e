/* SPDX-License-Identifier: MIT */
/*
 * How commands reach the module, which GDB gives no way to register one: a script writes a request
 * into a nameless file, makes GDB ask for a frame, and executes the reply, which is a file of GDB
 * commands.
 *
 *	request = "\001B" number verb gdb thread style radix "\n" ("W" word " \n")* end
 *	        | "\001C" number "\n" output end
 *	end     = "\001E\n"
 *
 * The first is a command; `gdb` is GDB's major version, `thread` is 0 when none is selected,
 * `style` is 1 where GDB itself would colour what it prints, `radix` is that of numbers that the user types.  The second brings what GDB printed for
 * us: a reply may run GDB commands, put what they print into a further request, and have it sent; so
 * the module uses what GDB knows.
 *
 * Each reply is a file of its own, because a command that GDB runs while it executes one may send
 * another request; and each answers one number only, so that an old one that is executed again does
 * nothing.
 */
#ifndef CAIRN_GDB_PROTOCOL_CHANNEL_H
#define CAIRN_GDB_PROTOCOL_CHANNEL_H

#include "common/session/words.h"

struct request {
	unsigned long number;
	unsigned verb;
	int gdb_major;
	bool thread;    /* one is selected */
	bool style;     /* is on in GDB, and nothing is logged */
	unsigned radix; /* of what the user types; 0: not told */
	bool again;     /* the output that a reply asked for is here */
	struct words words;
	const char *output; /* of `again` */
	size_t output_size;
};

struct channel {
	bool open;
	int request, reply; /* descriptors */
	int definitions;    /* likewise, of what the first command reads */
	size_t begun;       /* bytes of the request that are our own, nothing to answer yet */
	struct text bytes;  /* of the request: what it points into */
};

/*
 * Take three free descriptors; false when all the numbers that cairn.gdb looks at are in use.  May
 * be called again.
 */
bool channel_open(struct channel *channel);

/*
 * What the start writes in the place of a request: GDB's major version, an int.  It is taken out.
 * False: it is not there.
 */
bool channel_take_version(struct channel *channel, int *gdb_major);

/*
 * What a stop writes: three words, of which the first one is 1 and shows the byte order, then the
 * number of the request and the inferior.
 */
bool channel_take_glance(struct channel *channel, unsigned long *number, int *inferior);

/* Is something waiting, be it whole or not? */
bool channel_is_waiting(const struct channel *channel);

/* Is a whole request waiting?  Then it is taken out. */
bool channel_receive(struct channel *channel, struct request *request);

/* Publish what answers request `number`: GDB commands, executed only for it. */
void channel_reply(const struct channel *channel, unsigned long number,
                   const struct text *commands);

/* Publish commands that are executed whoever asks. */
void channel_publish(const struct channel *channel, const char *commands, size_t size);

#endif
