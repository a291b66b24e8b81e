/* SPDX-License-Identifier: MIT */
/*
 * Interface of a decompression method. Each sibling directory implements one, with its library, or
 * without it only the reason why it is unavailable.
 *
 *	void *state = method->open();
 *	if (state)
 *		... method->step(state, &step), as long as it returns OK, with input and room in each step
 *	method->close(state);
 *
 * The input may consist of several frames in sequence. It is complete only at the end of a frame.
 */
#ifndef CAIRN_UNPACK_METHOD_METHOD_H
#define CAIRN_UNPACK_METHOD_METHOD_H

#include <cairn.h>

struct unpack_step {
	struct cairn_bytes in; /* unread input; empty at the end of the input */
	uint8_t *out;
	size_t room;
	size_t taken, made; /* set by the step: bytes read and written */
	bool between;       /* set by the step: a frame ended with the last byte read */
	const char *why;    /* set by a failing step; a constant */
};

struct unpack_method {
	const char *name;
	const char *magic;
	size_t magic_size;
	const char *absent;  /* reason why it is unavailable, or NULL */
	void *(*open)(void); /* returns NULL if memory is short; not called if unavailable */
	/*
	 * Returns OK after reading or writing some bytes, or if more input is needed; MALFORMED;
	 * NO_MEMORY; or UNSUPPORTED if it needs more memory than UNPACK_WINDOW_MAX.
	 */
	enum cairn_status (*step)(void *state, struct unpack_step *step);
	void (*close)(void *state);
};

/*
 * Limit of the history window, as needed by the highest level of xz and by the default limit of
 * zstd.
 */
#define UNPACK_WINDOW_MAX ((uint64_t)128 << 20)

extern const struct unpack_method unpack_gzip, unpack_zstd, unpack_xz, unpack_lz4;

#endif
