/* SPDX-License-Identifier: MIT */
/*
 * Bounds the string bytes that a command prints per input file. Records may share a name or a path,
 * so a small damaged file could otherwise print gigabytes. Each string counts every time that it is
 * printed, and it counts with its escaped size (escaped_size()), which is up to six times its size
 * in the file.
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
	PRINTED_TIMES = 64,      /* times the file size; C and C++ programs need about 20 */
	PRINTED_LEAST = 1 << 20, /* bytes; lower limit for small files */
	PRINTED_ANSWER = 1 << 16 /* bytes added for each address that is looked up */
};

static inline struct allowance printed_of(uint64_t file_size)
{
	return allowance_of(PRINTED_LEAST, PRINTED_TIMES, file_size);
}

static inline void printed_credit(struct allowance *printed, uint64_t file_size)
{
	allowance_add(printed, PRINTED_TIMES, file_size);
}

/*
 * Return true if `size` more bytes may be printed. Once a string does not fit, all later ones are
 * refused as well.
 */
static inline bool printed_take(struct allowance *printed, uint64_t size)
{
	return allowance_draw(printed, size);
}

/* Start the next answer with a fresh allowance, even if the previous answer was cut. */
static inline void printed_begin_answer(struct allowance *printed)
{
	printed->over = false;
	allowance_add(printed, 1, PRINTED_ANSWER);
}

static inline struct cairn_bytes printed_if(bool taken, struct cairn_bytes text)
{
	return taken ? text : (struct cairn_bytes){ text.data, 0 };
}

/*
 * Return the string, or an empty one if it does not fit. Skip escaped_size() when the allowance is
 * already spent.
 */
static inline struct cairn_bytes printed_text(struct allowance *printed, struct cairn_bytes text)
{
	if (printed->over)
		return printed_if(false, text);
	return printed_if(printed_take(printed, escaped_size(text)), text);
}

/* Return the location, with empty strings if the allowance does not cover all its strings. */
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
