/* SPDX-License-Identifier: MIT */
/*
 * Demangled names for symbols of Swift 4.2 and newer: "$s4deck4DeckV4park_yyF", without types, is
 * "Deck.park(_:)".  The grammar is docs/ABI/Mangling.rst of Swift's sources; docs/formats/swift.md
 * lists what is left out.
 *
 * A mangled name is a program for a stack machine: each operator pops the nodes it needs and pushes
 * one.  swift_demangle() runs it into a tree in memory that the caller lends, then prints the tree
 * in one of two forms:
 *
 *	short   what Swift's own crash reports show: no modules, types, or private discriminators
 *	full    everything, as `swift-demangle -compact` prints it
 *
 * Substitutions share subtrees, so a short name can stand for text that grows exponentially.  The
 * number of nodes, the depth, the steps of printing and the size of the text are therefore bounded.
 */
#ifndef CAIRN_FORMATS_SWIFT_MANGLED_H
#define CAIRN_FORMATS_SWIFT_MANGLED_H

#include <cairn.h>

enum {
	SWIFT_NAME_MAX = 4096,     /* bytes of a mangled name; Swift's libraries stay below 1,000 */
	SWIFT_NODES = 2048,        /* nodes of one name; of 9,200 real names the largest has 244 */
	SWIFT_CHILDREN = 4096,     /* edges between them; the same have at most 242 */
	SWIFT_STACK = 1024,        /* nodes on the stack */
	SWIFT_SUBSTITUTIONS = 512, /* parts that later parts may refer to; at most 48 */
	SWIFT_WORDS = 26,  /* words that later identifiers may refer to; the format's limit */
	SWIFT_POOL = 8192, /* bytes of identifiers and numbers; at most 632 */
	SWIFT_DEPTH = 192, /* nodes within nodes while printing; real names stay below 60 */
	SWIFT_NESTED = 4,  /* mangled names within arguments of specializations */
	SWIFT_PAYLOADS = 1 << 15, /* bytes of them that are read, as arguments may share a name */
	SWIFT_STEPS = 1 << 12,  /* nodes printed, because substitutions repeat them: so many ... */
	SWIFT_STEPS_TIMES = 64, /* ... and so many more for each byte of the name */
};

enum swift_form {
	SWIFT_SHORT,
	SWIFT_FULL,
};

struct swift_node {
	const char *text; /* identifier, or fixed words of this kind of node */
	uint32_t number;  /* index or other number */
	uint16_t size;    /* bytes of text */
	uint16_t child;   /* first child in `children` */
	uint16_t count;   /* number of children */
	uint8_t kind;     /* enum swift_kind */
};

/* Memory for one name at a time, some 70 KB; need not be initialized. */
struct swift_names {
	struct swift_node node[SWIFT_NODES];
	uint16_t children[SWIFT_CHILDREN];
	uint16_t stack[SWIFT_STACK];
	uint16_t substitution[SWIFT_SUBSTITUTIONS];
	char pool[SWIFT_POOL];
};

/*
 * Return the number of bytes written to `out`, which has `capacity` of them; no NUL is written.
 * Return 0 if the name is not mangled by Swift, is malformed, contains an operator that is not
 * known here, or exceeds a bound; *exhausted tells bounds, `capacity` included, from the rest.
 */
size_t swift_demangle(struct swift_names *work, struct cairn_bytes name, enum swift_form form,
                      char *out, size_t capacity, bool *exhausted);

/* Return whether the name begins as Swift's mangled names do. */
bool swift_is_mangled(struct cairn_bytes name);

#endif
