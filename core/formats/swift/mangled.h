/* SPDX-License-Identifier: MIT */
/*
 * Demangles symbols of Swift 4.2 and newer: "$s4deck4DeckV4park_yyF", without types, is
 * "Deck.park(_:)".  The grammar is docs/ABI/Mangling.rst of Swift's sources; docs/formats/swift.md
 * lists the omissions.
 *
 * A mangled name is a program for a stack machine: each operator pops the nodes it needs and pushes
 * one.  swift_demangle() runs it to build a tree in memory that the caller supplies, then prints
 * the tree in one of two forms:
 *
 *	short   as in Swift's crash reports: no modules, types, or private discriminators
 *	full    everything, as `swift-demangle -compact` prints it
 *
 * Substitutions share subtrees, so the output can be exponentially larger than the name. The number
 * of nodes, the depth, the printing steps and the output size are therefore limited.
 */
#ifndef CAIRN_FORMATS_SWIFT_MANGLED_H
#define CAIRN_FORMATS_SWIFT_MANGLED_H

#include <cairn.h>

enum {
	/* maximum size of a mangled name; the longest in Swift's libraries is below 1,000 */
	SWIFT_NAME_MAX = 4096,
	SWIFT_NODES = 2048,    /* maximum number of nodes; 9,200 real names need at most 244 */
	SWIFT_CHILDREN = 4096, /* maximum number of edges; 9,200 real names need at most 242 */
	SWIFT_STACK = 1024,
	/* maximum number of substitutable components; real names have at most 48 */
	SWIFT_SUBSTITUTIONS = 512,
	/* maximum number of words that later identifiers can refer to, as defined by the format */
	SWIFT_WORDS = 26,
	/* capacity in bytes for identifiers and numbers; real names need at most 632 */
	SWIFT_POOL = 8192,
	SWIFT_DEPTH = 192, /* maximum nesting of nodes while printing; real names stay below 60 */
	SWIFT_NESTED = 4,  /* maximum nesting of mangled names in specialization arguments */
	/* maximum total size of nested names, limited because several arguments may share one */
	SWIFT_PAYLOADS = 1 << 15,
	/*
	 * The number of printed nodes is limited to SWIFT_STEPS plus SWIFT_STEPS_TIMES per byte of
	 * the name, because substitutions repeat components.
	 */
	SWIFT_STEPS = 1 << 12,
	SWIFT_STEPS_TIMES = 64,
};

enum swift_form {
	SWIFT_SHORT,
	SWIFT_FULL,
};

struct swift_node {
	const char *text; /* identifier, or a constant string that depends on the kind */
	uint32_t number;  /* meaning depends on the kind; often an index */
	uint16_t size;
	uint16_t child; /* index of the first child in `children` */
	uint16_t count;
	uint8_t kind;
};

/* Working memory for one name at a time, about 70 KB. It does not need to be initialized. */
struct swift_names {
	struct swift_node node[SWIFT_NODES];
	uint16_t children[SWIFT_CHILDREN];
	uint16_t stack[SWIFT_STACK];
	uint16_t substitution[SWIFT_SUBSTITUTIONS];
	/* cost of the last call: the number of printed nodes plus the size of the mangled name */
	unsigned steps;
	char pool[SWIFT_POOL];
};

/*
 * Demangle `name` into `out`, without a NUL, and return the number of bytes written, at most
 * `capacity`. Return 0 if the name is not mangled by Swift, is malformed, contains an unknown
 * operator, or exceeds `capacity` or another limit; *exhausted is set only in the last case.
 */
size_t swift_demangle(struct swift_names *work, struct cairn_bytes name, enum swift_form form,
                      char *out, size_t capacity, bool *exhausted);

/* Return true if the name starts with the prefix of Swift's mangled names. */
bool swift_is_mangled(struct cairn_bytes name);

/*
 * Return 'Y' or 'Q' for the linkage name of a funclet, which is a part of an async function and
 * whose name ends with TY<NUMBER>_ or TQ<NUMBER>_. Return 0 for other names.
 */
char swift_funclet(struct cairn_bytes name);

#endif
