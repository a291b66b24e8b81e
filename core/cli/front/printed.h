/* SPDX-License-Identifier: MIT */
/*
 * Limits how many bytes of strings a command prints per input file. Records may share a name or a
 * path, so a small damaged file could otherwise cause gigabytes of output. A string counts each
 * time it is printed, with its escaped size (escaped_size()), which is up to six times its size in
 * the file.
 *
 *	struct allowance printed = printed_of(file_size);
 *	printed_credit(&printed, size);           an additional file is read
 *	... printed_text(&printed, text) for each string; returns an empty one beyond the limit
 *	if (printed.over)
 *		... report the input as damaged and end the command
 */
#ifndef CAIRN_CLI_FRONT_PRINTED_H
#define CAIRN_CLI_FRONT_PRINTED_H

#include <cairn.h>

#include "base/allowance.h"
#include "output/escape.h"

enum {
	/* limit as a multiple of the file size; C and C++ programs need a factor of about 20 */
	PRINTED_TIMES = 64,
	PRINTED_LEAST = 1 << 20, /* minimum limit in bytes, for small files */
	PRINTED_ANSWER = 1 << 16 /* bytes by which each looked-up address raises the limit */
};

static inline struct allowance printed_of(uint64_t file_size)
{
	return allowance_of(PRINTED_LEAST, PRINTED_TIMES, file_size);
}

static inline void printed_credit(struct allowance *printed, uint64_t file_size)
{
	allowance_add(printed, PRINTED_TIMES, file_size);
}

/* Return true if `size` more bytes may be printed. After one failure all later calls fail, too. */
static inline bool printed_take(struct allowance *printed, uint64_t size)
{
	return allowance_draw(printed, size);
}

/* Raise the limit for the next result, even if the previous one has exceeded it. */
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
 * Return the string, or an empty one if it exceeds the limit. Once the limit is exceeded, the
 * string is not even scanned.
 */
static inline struct cairn_bytes printed_text(struct allowance *printed, struct cairn_bytes text)
{
	if (printed->over)
		return printed_if(false, text);
	return printed_if(printed_take(printed, escaped_size(text)), text);
}

/* Return the location, with empty strings if the limit does not allow all of its strings. */
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
