/* SPDX-License-Identifier: MIT */
/*
 * Readable names for symbols of C++, whose mangling is that of the Itanium ABI: "_ZN4pile4fillEl"
 * is "pile::fill(long)".
 *
 * Whole names have the arguments of templates; plain ones leave them out, as symbfiles have it.  Both are spelled as libstdc++ and binutils do, but for ">>", which these write as "> >".
 *
 *	struct itanium work;            some 60 KB
 *	char text[ITANIUM_TEXT_MAX];
 *	size_t size = itanium_demangle_plain(&work, name, text, sizeof(text));
 */
#ifndef CAIRN_FORMATS_ITANIUM_H
#define CAIRN_FORMATS_ITANIUM_H

#include <cairn.h>

enum {
	ITANIUM_NODES = 2560,        /* parts of a name; real ones of 2,000 bytes have some 700 */
	ITANIUM_SUBSTITUTIONS = 768, /* the same have some 250 */
	ITANIUM_DEPTH = 160, /* types in types, arguments of arguments; real ones stay below 50 */
	/* Steps of printing, because parts may be used again and again: so many, and so many for each byte of the name;
	 * of 140,000 real names the worst took 14 for each byte. */
	ITANIUM_STEPS = 1 << 12,
	ITANIUM_STEPS_TIMES = 64,
	ITANIUM_NAME_MAX = 4096, /* bytes of a name */
	ITANIUM_TEXT_MAX = 4096, /* as much room as is of use for a plain name */
};

/* One part of a name; which of these a kind has is said there. */
struct itanium_node {
	const uint8_t *text;
	uint32_t size;
	uint16_t left, right, more; /* other nodes; 0: none */
	uint8_t kind;
};

/* Memory for one name at a time, lent by the caller.  Nothing in it needs to be set. */
struct itanium {
	const uint8_t *at, *end;
	unsigned size; /* bytes of the name */
	unsigned nodes, substitutions, depth;
	unsigned steps;         /* that printing took */
	uint16_t last_name;     /* what a constructor that comes next is called */
	uint16_t scopes, scope; /* encodings that have begun; the one that is read */
	bool failed, whole;
	bool exhausted;     /* it failed because of a bound, or of too little room */
	bool in_conversion; /* operator TYPE, where arguments may belong to either */
	struct itanium_node node[ITANIUM_NODES];
	uint16_t substitution[ITANIUM_SUBSTITUTIONS];
};

/*
 * Returns how many bytes were put in `out`, which has `room` of them.  0: the name is not of C++, is damaged or
 * too large, or has something that is not known here; work->exhausted reports whether a bound ended it.
 */
size_t itanium_demangle(struct itanium *work, struct cairn_bytes name, char *out, size_t room);
size_t itanium_demangle_plain(struct itanium *work, struct cairn_bytes name, char *out,
                              size_t room);

#endif
