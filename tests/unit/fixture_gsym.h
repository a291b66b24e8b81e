/* SPDX-License-Identifier: MIT */
/*
 * GSYM files made by hand: describe functions once, get the bytes of either version, byte order and
 * width of address offsets, and where each part went, so that a test can damage just one.
 */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_GSYM_H
#define CAIRN_TESTS_UNIT_FIXTURE_GSYM_H

#include "fixture_out.h"

enum { FIXTURE_RANGES = 3, FIXTURE_FUNCTIONS_MAX = 80 };

/* A node of an inline tree; depth 0 is the root.  Ranges count from the parent's first. */
struct fixture_node {
	unsigned depth;
	const char *name;
	uint64_t file, line;
	unsigned ranges;
	uint64_t range[FIXTURE_RANGES][2];
};

struct fixture_call {
	uint64_t return_offset;
	uint8_t flags;
	const char *names[2]; /* NULL: none */
};

struct fixture_function_info {
	uint64_t start;
	uint32_t size;
	const char *name;         /* NULL: string offset 0 */
	struct cairn_bytes lines; /* a line table as it stands in the file; data NULL: none */
	const struct fixture_node *nodes;
	size_t node_count;
	const struct fixture_function_info *merged;
	size_t merged_count;
	const struct fixture_call *calls;
	size_t call_count;
	uint32_t unknown; /* a type of a block that nobody knows; 0: none */
};

struct fixture_gsym {
	uint8_t version, width;
	bool big;
	uint64_t base;
	struct cairn_bytes uuid;
	const struct fixture_function_info *functions;
	size_t count;
	const char *const (*files)[2]; /* directory and name; file 0 is added */
	size_t file_count;
};

struct fixture_gsym_places {
	size_t directory; /* version 2: the first entry */
	size_t addresses, infos, files, strings, end;
	size_t record[FIXTURE_FUNCTIONS_MAX]; /* of each function */
	size_t lines, inlines, merged, calls; /* the last block's header of each type */
};

/* Into `out`, which is emptied first.  `places` may be NULL. */
void fixture_gsym(struct fixture_out *out, const struct fixture_gsym *gsym,
                  struct fixture_gsym_places *places);

/* A name or path as it went into the string table of the file made last. */
uint64_t fixture_gsym_string(const char *text);

#endif
