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
 * A group takes some 250 bytes and its texts, whatever its count is: sizeof(struct group_entry), which is 136, half as much again where the array
 * has grown ahead, and its place in the table of numbers. With keeps_hashes set, crashes of one group that have one hash count
 * once, so that parts may overlap; then each crash takes some 40 bytes more.
 */
#ifndef CAIRN_GROUPS_GROUPS_H
#define CAIRN_GROUPS_GROUPS_H

#include "base/sha256.h"
#include "base/table/slot_table.h"
#include "signature.h"

enum {
	GROUP_HASH_SIZE = 16
}; /* bytes of a crash's hash by which it is known in its group: the first ones */

struct group_hash {
	uint8_t bytes[GROUP_HASH_SIZE];
};

struct group_entry {
	enum signature_names names;
	bool has_time;
	bool is_group;           /* it was counted before */
	struct cairn_bytes text; /* the signature, each name with a line feed after it */
	uint64_t id;             /* of it */
	uint64_t count;          /* of crashes; UINT64_MAX: that many or more */
	uint64_t first, last;    /* times, in seconds since 1970, if has_time */
	/* The crash with the least hash stands for the group. */
	uint8_t hash[SHA256_SIZE]; /* of the crash's line, without its line feed */
	struct cairn_bytes core;   /* the path of its core, as the crash has it; may be empty */
	/* A group that was counted before lends its crashes, if it has them; one of sorted groups has a part of groups.hashes. */
	const struct group_hash *hashes;
	size_t hash_count;
};

/* A crash of a group. */
struct group_crash {
	uint32_t group; /* its number, from 0 */
	struct group_hash hash;
};

struct groups {
	struct group_entry *group; /* texts are their own */
	size_t count, room;
	struct slot_table slots;
	bool keeps_hashes;
	struct group_crash *crashes; /* with keeps_hashes */
	size_t crash_count, crash_room;
	struct slot_table crash_slots;
	struct group_hash *hashes; /* of all groups, one after the other, once they are sorted */
};

/*
 * Counts an entry, whose texts are borrowed during the call.  False when memory is short: then the groups are not to be used.
 * With keeps_hashes, a group that was counted before must have its hashes.
 */
bool groups_add(struct groups *groups, const struct group_entry *entry);

/*
 * Puts the greatest counts first, and equal ones in the order of their signatures.  Nothing may be added afterwards.  False when
 * memory is short, which only hashes need.
 */
bool groups_sort(struct groups *groups);

void groups_finish(struct groups *groups);

#endif
