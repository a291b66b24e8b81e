/* SPDX-License-Identifier: MIT */
/*
 * Demangles C++ symbols of the Itanium ABI: "_ZN4pile4fillEl" is "pile::fill(long)".
 *
 * Full names include template arguments; plain names, as used in symbfiles, omit them. Both are
 * spelled as in libstdc++ and binutils, except that binutils prints ">>" as "> >".
 *
 *	struct itanium work;            about 60 KB
 *	char text[ITANIUM_TEXT_MAX];
 *	size_t size = itanium_demangle_plain(&work, name, text, sizeof(text));
 */
#ifndef CAIRN_FORMATS_ITANIUM_H
#define CAIRN_FORMATS_ITANIUM_H

#include <cairn.h>

enum {
	/* maximum number of nodes; real names of 2,000 bytes need about 700 */
	ITANIUM_NODES = 2560,
	/* maximum number of substitutions; real names of 2,000 bytes have about 250 */
	ITANIUM_SUBSTITUTIONS = 768,
	ITANIUM_DEPTH = 160, /* maximum nesting of types and arguments; real names stay below 50 */
	/*
	 * The number of printing steps is limited to ITANIUM_STEPS plus ITANIUM_STEPS_TIMES per
	 * byte of the name, because substitutions can make the output exponentially large. The
	 * worst of 140,000 real names took 14 steps per byte.
	 */
	ITANIUM_STEPS = 1 << 12,
	ITANIUM_STEPS_TIMES = 64,
	ITANIUM_NAME_MAX = 4096,
	ITANIUM_TEXT_MAX = 4096, /* output capacity that suffices for all but extreme names */
};

/* Node of the syntax tree. enum itanium_kind describes the fields for each kind. */
struct itanium_node {
	const uint8_t *text;
	uint32_t size;
	uint16_t left, right, more; /* indices of other nodes, or 0 */
	uint8_t kind;
};

/* Working memory for one name at a time. It need not be initialized. */
struct itanium {
	const uint8_t *at, *end;
	unsigned size;
	unsigned nodes, substitutions, depth;
	unsigned steps;
	uint16_t last_name; /* name that a following constructor or destructor repeats */
	/*
	 * `scopes` counts the encodings whose parsing has begun, `scope` is the index of the
	 * current one
	 */
	uint16_t scopes, scope;
	bool failed, whole;
	bool exhausted; /* a limit or the output capacity was exceeded */
	/*
	 * `operator TYPE` is being parsed; template arguments may belong to TYPE or to the operator
	 */
	bool in_conversion;
	struct itanium_node node[ITANIUM_NODES];
	uint16_t substitution[ITANIUM_SUBSTITUTIONS];
};

/*
 * Demangle `name` into `out` and return the number of bytes written, at most `capacity`. Return 0 if
 * the name is not a C++ name, is damaged or too large, or contains an unknown construct.
 * work->exhausted is set if a limit was exceeded.
 */
size_t itanium_demangle(struct itanium *work, struct cairn_bytes name, char *out, size_t capacity);
size_t itanium_demangle_plain(struct itanium *work, struct cairn_bytes name, char *out,
                              size_t capacity);

#endif
