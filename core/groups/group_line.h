/* SPDX-License-Identifier: MIT */
/*
 * Reads a line of JSON as an entry to count: a thread of `cairn bt --json`, a report of `cairn
 * crash`, an answer of `cairn symbolize` to either, or a group printed by `cairn group`.
 */
#ifndef CAIRN_GROUPS_GROUP_LINE_H
#define CAIRN_GROUPS_GROUP_LINE_H

#include "groups.h"

enum {
	GROUP_PATH_MAX = 4096,
	GROUP_WORD_MAX = 256,
};

enum group_line_kind {
	GROUP_LINE_COUNTED,
	GROUP_LINE_NOT_CRASHED,
	GROUP_LINE_NO_STACK,
	GROUP_LINE_WRONG, /* not a valid entry; the fault says why */
	GROUP_LINE_NO_MEMORY,
};

/* Buffers for reading, about 500 KiB. Zero-initialize it once; it serves any number of lines. */
struct group_reader {
	const struct group_rules *rules; /* rules of the user, or NULL */
	struct group_hash *hashes;
	size_t hash_room;
	struct signature_builder builder;
	struct signature signature;
	char function[CAIRN_DEMANGLE_MAX + 1];
	char module[GROUP_PATH_MAX], program[GROUP_PATH_MAX], core[GROUP_PATH_MAX];
	char build_id[GROUP_WORD_MAX], word[GROUP_WORD_MAX];
	/* Name in a group; one byte longer than allowed so that longer names are detected. */
	char name[NAME_FORM_MAX + 2];
};

/*
 * Read a line without its line feed. Sets *entry if the line is counted; its strings are borrowed
 * until the next call.
 */
enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault);

void group_line_finish(struct group_reader *reader);

#endif
