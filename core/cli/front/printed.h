/* SPDX-License-Identifier: MIT */
/*
 * How much text a command prints of one file.  Records may share a name or a path, so that a small
 * file has gigabytes to print: the bytes of texts are counted each time that they are printed.
 *
 *	struct printed printed = printed_of(file_size);
 *	printed_credit(&printed, size);           another file is read, too
 *	... printed_take(&printed, size) before each text; false: leave it out
 *	if (printed.over)
 *		... it is damage, and the command ends
 */
#ifndef CAIRN_CLI_FRONT_PRINTED_H
#define CAIRN_CLI_FRONT_PRINTED_H

#include <cairn.h>

enum {
	PRINTED_TIMES = 64,      /* times the file; programs in C and C++ have some 20 */
	PRINTED_LEAST = 1 << 20, /* bytes, of small files */
};

struct printed {
	uint64_t left; /* bytes */
	bool over;     /* something was left out */
};

static inline struct printed printed_of(uint64_t file_size)
{
	return (struct printed){ PRINTED_TIMES * file_size + PRINTED_LEAST, false };
}

/* The bytes of one more file count. */
static inline void printed_credit(struct printed *printed, uint64_t file_size)
{
	uint64_t more =
		file_size > UINT64_MAX / PRINTED_TIMES ? UINT64_MAX : PRINTED_TIMES * file_size;

	printed->left = more > UINT64_MAX - printed->left ? UINT64_MAX : printed->left + more;
}

/* After the first text that does not fit there is none that does. */
static inline bool printed_take(struct printed *printed, uint64_t size)
{
	printed->over = printed->over || size > printed->left;
	if (!printed->over)
		printed->left -= size;
	return !printed->over;
}

/* The text itself, or an empty one. */
static inline struct cairn_bytes printed_text(struct printed *printed, struct cairn_bytes text)
{
	return printed_take(printed, text.size) ? text : (struct cairn_bytes){ text.data, 0 };
}

/* The location with its texts, or without any. */
static inline struct cairn_location printed_location(struct printed *printed,
                                                     const struct cairn_location *location)
{
	const struct cairn_bytes none = { location->function.data, 0 };
	struct cairn_location bounded = *location;

	if (!printed_take(printed, (uint64_t)location->function.size + location->directory.size +
	                                   location->file.size))
		bounded.function = bounded.directory = bounded.file = none;
	return bounded;
}

#endif
