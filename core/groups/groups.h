/* SPDX-License-Identifier: MIT */
/*
 * Crashes counted by their signatures. An entry is one crash, or a group that was counted earlier.
 * Groups are built from sums, minima and maxima alone, so that the result does not depend on the
 * order of the entries or on how they are split into parts that are counted first.
 *
 *	struct groups groups = { 0 };
 *	groups_add(&groups, &entry);
 *	groups_sort(&groups);
 *	... groups.group[i], i < groups.count
 *	groups_finish(&groups);
 *
 * A group takes about 250 bytes plus its strings, regardless of its count: sizeof(struct
 * group_entry), which is 136, half as much again where the array has grown ahead, and a slot of the
 * hash table. With keeps_hashes set, crashes of one group with equal hashes count once, so that
 * parts may overlap; each crash then takes about 40 more bytes.
 */
#ifndef CAIRN_GROUPS_GROUPS_H
#define CAIRN_GROUPS_GROUPS_H

#include "base/hash.h"
#include "base/table.h"
#include "signature.h"

enum { GROUP_HASH_SIZE = 16 }; /* bytes of a crash's SHA-256 that identify it within its group */

struct group_hash {
	uint8_t bytes[GROUP_HASH_SIZE];
};

struct group_entry {
	enum signature_names names;
	bool has_time;
	bool is_group;
	struct cairn_bytes text; /* signature, with a line feed after each name */
	uint64_t id;             /* signature_id() of `text` */
	uint64_t count;          /* number of crashes; UINT64_MAX if saturated */
	uint64_t first, last;    /* range of times in seconds since 1970; valid if has_time */
	/* The crash with the smallest hash represents the group. */
	uint8_t hash[SHA256_SIZE]; /* SHA-256 of the crash's line without its line feed */
	struct cairn_bytes core;
	/*
	 * Hashes of the crashes in the group. In an entry to add they are borrowed, and set only
	 * for groups; after groups_sort() they are a range of groups.hashes.
	 */
	const struct group_hash *hashes;
	size_t hash_count;
};

struct group_crash {
	uint32_t group;
	struct group_hash hash;
};

struct groups {
	struct group_entry *group; /* owns copies of the strings */
	size_t count, room;
	struct slot_table slots;
	bool keeps_hashes;
	struct group_crash *crashes;
	size_t crash_count, crash_room;
	struct slot_table crash_slots;
	struct group_hash *hashes; /* hashes of all groups, concatenated by groups_sort() */
};

/*
 * Add an entry; its strings are copied. Return false if memory is short; the groups are then
 * unusable except for groups_finish(). With keeps_hashes, an entry that is a group must have its
 * hashes.
 */
bool groups_add(struct groups *groups, const struct group_entry *entry);

/*
 * Sort by descending count, then by signature. Nothing may be added afterwards. Return false if
 * memory is short, which happens only with keeps_hashes.
 */
bool groups_sort(struct groups *groups);

void groups_finish(struct groups *groups);

#endif
