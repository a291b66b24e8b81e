/* SPDX-License-Identifier: MIT */
/*
 * Crashes counted by their signatures.  What is counted is an entry: one crash, or a group that was counted before.  Sums, the
 * least and the greatest are all that is made of entries, so that any order of them, and any split into parts that are
 * counted first, gives the same groups.
 *
 *	struct groups groups = { 0 };
 *	groups_add(&groups, &entry);
 *	groups_sort(&groups);
 *	... groups.group[i], i < groups.count
 *	groups_finish(&groups);
 *
 * A group takes some 200 bytes and its texts, whatever its count is: sizeof(struct group_entry), which is 112, as much again where the array
 * has grown ahead, and its place in the table of numbers.
 */
#ifndef CAIRN_GROUPS_GROUPS_H
#define CAIRN_GROUPS_GROUPS_H

#include "base/sha256.h"
#include "base/slot_table.h"
#include "signature.h"

struct group_entry {
	enum signature_names names;
	bool has_time;
	struct cairn_bytes text; /* the signature, each name with a line feed after it */
	uint64_t id;             /* of it */
	uint64_t count;          /* of crashes; UINT64_MAX: that many or more */
	uint64_t first, last;    /* times, in seconds since 1970, if has_time */
	/* The crash with the least hash stands for the group. */
	uint8_t hash[SHA256_SIZE]; /* of the crash's line, without its line feed */
	struct cairn_bytes core;   /* the path of its core, as the crash has it; may be empty */
};

struct groups {
	struct group_entry *group; /* texts are their own */
	size_t count, room;
	struct slot_table slots;
};

/* Counts an entry, whose texts are borrowed during the call.  False when memory is short; then nothing was counted. */
bool groups_add(struct groups *groups, const struct group_entry *entry);

/* Puts the greatest counts first, and equal ones in the order of their signatures.  Nothing may be added afterwards. */
void groups_sort(struct groups *groups);

void groups_finish(struct groups *groups);

#endif
