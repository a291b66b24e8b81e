/* SPDX-License-Identifier: MIT */
/*
 * A way to unpack bytes, as each folder beside this one has one: with its library, or without it only the
 * reason why it cannot.
 *
 *	void *state = method->open();
 *	if (state)
 *		... method->step(state, &step), as long as it returns OK, with input and room in each step
 *	method->close(state);
 *
 * What is packed may be several frames, one after the other. It ends well only between two of them.
 */
#ifndef CAIRN_UNPACK_METHOD_METHOD_H
#define CAIRN_UNPACK_METHOD_METHOD_H

#include <cairn.h>

/* One step: as much as the input and the room allow. */
struct unpack_step {
	struct cairn_bytes in; /* not yet taken; empty: the input has ended */
	uint8_t *out;
	size_t room;
	size_t taken, made; /* set by the step: bytes of each */
	bool between;       /* set by the step: a frame ended with the last byte taken */
	const char *why;    /* set by a step that fails: a constant */
};

struct unpack_method {
	const char *name;
	const char *magic; /* that a frame begins with */
	size_t magic_size;
	const char *absent;  /* why it cannot be read; NULL: it can */
	void *(*open)(void); /* NULL: memory is short; nothing of it is called when it is absent */
	/*
	 * OK: some bytes were taken or made, or more are needed. MALFORMED, NO_MEMORY; UNSUPPORTED: it needs more
	 * memory than is given to it.
	 */
	enum cairn_status (*step)(void *state, struct unpack_step *step);
	void (*close)(void *state);
};

/* Memory for what is looked back to: as much as the largest level of xz and zstd's usual limit need. */
#define UNPACK_WINDOW_MAX ((uint64_t)128 << 20)

extern const struct unpack_method unpack_gzip, unpack_zstd, unpack_xz, unpack_lz4;

#endif
