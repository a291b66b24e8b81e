/* SPDX-License-Identifier: MIT */
/*
 * How much text a command prints of one file.  Records may share a name or a path, so that a small
 * file has gigabytes to print: the bytes of texts are counted each time that they are printed, as many as an output
 * makes of them (escaped_size()), which are up to six for a byte of the file.
 *
 *	struct allowance printed = printed_of(file_size);
 *	printed_credit(&printed, size);           another file is read, too
 *	... printed_text(&printed, text) instead of each text; it is empty when it is to be left out
 *	if (printed.over)
 *		... it is damage, and the command ends
 */
#ifndef CAIRN_CLI_FRONT_PRINTED_H
#define CAIRN_CLI_FRONT_PRINTED_H

#include <cairn.h>

#include "base/allowance.h"
#include "output/escape.h"

enum {
	PRINTED_TIMES = 64,      /* times the file; programs in C and C++ have some 20 */
	PRINTED_LEAST = 1 << 20, /* bytes, of small files */
	PRINTED_ANSWER = 1 << 16 /* more of them for each address that is asked for */
};

static inline struct allowance printed_of(uint64_t file_size)
{
	return allowance_of(PRINTED_LEAST, PRINTED_TIMES, file_size);
}

/* The bytes of one more file count. */
static inline void printed_credit(struct allowance *printed, uint64_t file_size)
{
	allowance_add(printed, PRINTED_TIMES, file_size);
}

/* After the first text that does not fit there is none that does. */
static inline bool printed_take(struct allowance *printed, uint64_t size)
{
	return allowance_draw(printed, size);
}

/* The next address is answered, even if an earlier answer was cut. */
static inline void printed_begin_answer(struct allowance *printed)
{
	printed->over = false;
	allowance_add(printed, 1, PRINTED_ANSWER);
}

static inline struct cairn_bytes printed_if(bool taken, struct cairn_bytes text)
{
	return taken ? text : (struct cairn_bytes){ text.data, 0 };
}

/* The text itself, or an empty one. What is left out for sure is not measured. */
static inline struct cairn_bytes printed_text(struct allowance *printed, struct cairn_bytes text)
{
	if (printed->over)
		return printed_if(false, text);
	return printed_if(printed_take(printed, escaped_size(text)), text);
}

/* The location with its texts, or without any. */
static inline struct cairn_location printed_location(struct allowance *printed,
                                                     const struct cairn_location *location)
{
	const struct cairn_bytes none = { location->function.data, 0 };
	struct cairn_location bounded = *location;

	if (printed->over || !printed_take(printed, escaped_size(location->function) +
	                                                    escaped_size(location->directory) +
	                                                    escaped_size(location->file)))
		bounded.function = bounded.directory = bounded.file = none;
	return bounded;
}

#endif
