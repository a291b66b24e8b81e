/* SPDX-License-Identifier: MIT */
/*
 * A line of JSON as an entry that is counted: a thread of `cairn bt --json`, a report of `cairn crash`, an answer of
 * `cairn symbolize` to either, or a group as `cairn group` prints it.
 */
#ifndef CAIRN_GROUPS_GROUP_LINE_H
#define CAIRN_GROUPS_GROUP_LINE_H

#include "groups.h"

enum {
	GROUP_PATH_MAX = 4096, /* bytes of a path; the rest is ignored */
	GROUP_WORD_MAX = 256,  /* bytes of a build ID, the name of a signal, or an address */
};

enum group_line_kind {
	GROUP_LINE_COUNTED,
	GROUP_LINE_NOT_CRASHED, /* a thread in which nothing happened */
	GROUP_LINE_NO_STACK,    /* the report of a crash without a stack */
	GROUP_LINE_WRONG,       /* it is not one of these; the fault tells why */
	GROUP_LINE_NO_MEMORY,
};

/* The memory that reading needs, some 500 KiB.  It is all zeros at first, and serves any number of lines. */
struct group_reader {
	const struct group_rules *rules; /* of the user; NULL: none */
	struct group_hash *hashes;       /* of a group */
	size_t hash_room;
	struct signature_builder builder;
	struct signature signature;
	char function[CAIRN_DEMANGLE_MAX + 1];
	char module[GROUP_PATH_MAX], program[GROUP_PATH_MAX], core[GROUP_PATH_MAX];
	char build_id[GROUP_WORD_MAX], word[GROUP_WORD_MAX];
	char name
		[NAME_FORM_MAX +
	         2]; /* of a group; it has room for one byte too many, so that a longer name is noticed */
};

/* Reads a line without its line feed.  The texts of *entry live until the next line; it is set if the line is counted. */
enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault);

void group_line_finish(struct group_reader *reader);

#endif
