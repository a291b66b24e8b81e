/* SPDX-License-Identifier: MIT */
/*
 * Crashes counted by their signatures. An entry is one crash, or a group from an earlier count.
 * Groups consist of sums, minima and maxima only, so that the result depends neither on the order
 * of the entries nor on whether subsets were counted separately first.
 *
 *	struct groups groups = { 0 };
 *	groups_add(&groups, &entry);
 *	groups_sort(&groups);
 *	... groups.group[i], i < groups.count
 *	groups_finish(&groups);
 *
 * A group takes about 250 bytes plus its strings, whatever its count: 136 bytes for struct
 * group_entry, half of that for spare array capacity, and a hash table slot. If keeps_hashes is
 * set, crashes with equal hashes in one group count only once, so that subsets may overlap; each
 * crash then takes about 40 more bytes.
 */
#ifndef CAIRN_GROUPS_GROUPS_H
#define CAIRN_GROUPS_GROUPS_H

#include "signature.h"

#include "base/hash.h"
#include "base/table.h"

/* size of a truncated SHA-256 that identifies a crash within its group */
enum { GROUP_HASH_SIZE = 16 };

struct group_hash {
	uint8_t bytes[GROUP_HASH_SIZE];
};

struct group_entry {
	enum signature_names names;
	bool has_time;
	bool is_group;
	struct cairn_bytes text; /* names of the signature, each followed by a line feed */
	uint64_t id;
	uint64_t count; /* saturates at UINT64_MAX */
	/* times of the first and the last crash in seconds since 1970; valid if has_time */
	uint64_t first, last;
	/*
	 * SHA-256 of the example's JSON line without its line feed, or of the line from which
	 * `cairn symbolize` made it. The example is the crash with the smallest hash.
	 */
	uint8_t hash[SHA256_SIZE];
	struct cairn_bytes core;
	/*
	 * Hashes of the group's crashes. In an entry for groups_add(), they are borrowed and set
	 * only for groups; after groups_sort(), they are a slice of groups.hashes.
	 */
	const struct group_hash *hashes;
	size_t hash_count;
};

struct group_crash {
	uint32_t group;
	struct group_hash hash;
};

struct groups {
	struct group_entry *group; /* each element owns copies of its strings */
	size_t count, capacity;
	struct slot_table slots;
	bool keeps_hashes;
	struct group_crash *crashes;
	size_t crash_count, crash_capacity;
	struct slot_table crash_slots;
	struct group_hash *hashes; /* hashes of all groups, set by groups_sort() */
};

/*
 * Add an entry; its strings are copied. If keeps_hashes is set, an entry that is a group must
 * contain its hashes. Return false if allocation fails; only groups_finish() may be called then.
 */
bool groups_add(struct groups *groups, const struct group_entry *entry);

/*
 * Sort by descending count, then by signature. No entries may be added afterwards. Return false if
 * allocation fails, which is only possible if keeps_hashes is set.
 */
bool groups_sort(struct groups *groups);

void groups_finish(struct groups *groups);

/*
 * Reads a JSON line as an entry to count. The line is a thread from `cairn bt --json`, a report
 * from `cairn crash`, either of these as symbolized by `cairn symbolize`, or a group from `cairn
 * group`.
 */

enum {
	GROUP_PATH_MAX = 4096,
	GROUP_WORD_MAX = 256,
};

enum group_line_kind {
	GROUP_LINE_COUNTED,
	GROUP_LINE_NOT_CRASHED,
	GROUP_LINE_NO_STACK,
	GROUP_LINE_WRONG, /* not a valid entry; the fault contains the reason */
	GROUP_LINE_NO_MEMORY,
};

/*
 * Buffers for reading, about 500 KiB. Zero-initialize the struct once and reuse it for all lines.
 */
struct group_reader {
	const struct group_rules *rules;
	struct group_hash *hashes;
	size_t hash_capacity;
	struct signature_builder builder;
	struct signature signature;
	char function[CAIRN_DEMANGLE_MAX + 1];
	char module[GROUP_PATH_MAX], program[GROUP_PATH_MAX], core[GROUP_PATH_MAX];
	char build_id[GROUP_WORD_MAX], word[GROUP_WORD_MAX];
	/*
	 * a name from a group's signature, with space for one byte more than is valid, so that
	 * longer names are detected
	 */
	char name[NAME_FORM_MAX + 2];
};

/*
 * Read a line without its line feed. If the result is GROUP_LINE_COUNTED, set *entry, whose strings
 * are valid until the next call.
 */
enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault);

void group_line_finish(struct group_reader *reader);

#endif
