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

#include "signature.h"

#include "base/hash.h"
#include "base/table.h"

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
 * Add an entry; its strings are copied. Return false if allocation fails; the groups are then
 * unusable except for groups_finish(). With keeps_hashes, an entry that is a group must have its
 * hashes.
 */
bool groups_add(struct groups *groups, const struct group_entry *entry);

/*
 * Sort by descending count, then by signature. Nothing may be added afterwards. Return false if
 * allocation fails, which happens only with keeps_hashes.
 */
bool groups_sort(struct groups *groups);

void groups_finish(struct groups *groups);

/*
 * Reads a line of JSON as an entry to count: a thread of `cairn bt --json`, a report of `cairn
 * crash`, an answer of `cairn symbolize` to either, or a group printed by `cairn group`.
 */

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
