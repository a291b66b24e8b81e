/* SPDX-License-Identifier: MIT */
/* The table of groups: finds the group of a signature and adds an entry to it. */
#include "groups.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"

static uint64_t hash_group(const void *items, uint32_t number)
{
	const struct groups *groups = items;

	return hash_text(groups->group[number - 1].text, groups->slots.key);
}

static bool is_same_group(const void *items, uint32_t number, const void *key)
{
	const struct groups *groups = items;
	const struct group_entry *group = &groups->group[number - 1], *entry = key;

	return group->names == entry->names && bytes_equal(group->text, entry->text);
}

static bool copy_bytes(struct cairn_bytes *to, struct cairn_bytes from)
{
	uint8_t *copy = malloc(from.size + 1);

	if (!copy)
		return false;
	if (from.size > 0)
		memcpy(copy, from.data, from.size);
	*to = (struct cairn_bytes){ copy, from.size };
	return true;
}

static void free_bytes(struct cairn_bytes bytes)
{
	free((void *)(uintptr_t)bytes.data);
}

/* Return true if the crash of `a` represents the group better than the crash of `b`. */
static bool is_better_example(const struct group_entry *a, const struct group_entry *b)
{
	const int order = memcmp(a->hash, b->hash, sizeof(a->hash));

	return order != 0 ? order < 0 : bytes_order(a->core, b->core) < 0;
}

static bool take_example(struct group_entry *group, const struct group_entry *entry)
{
	struct cairn_bytes core;

	if (!is_better_example(entry, group))
		return true;
	if (!copy_bytes(&core, entry->core))
		return false;
	free_bytes(group->core);
	group->core = core;
	memcpy(group->hash, entry->hash, sizeof(group->hash));
	return true;
}

static void take_times(struct group_entry *group, const struct group_entry *entry)
{
	if (!entry->has_time)
		return;
	if (!group->has_time || entry->first < group->first)
		group->first = entry->first;
	if (!group->has_time || entry->last > group->last)
		group->last = entry->last;
	group->has_time = true;
}

static bool add_to_group(struct group_entry *group, const struct group_entry *entry)
{
	if (!take_example(group, entry))
		return false;
	take_times(group, entry);
	group->count =
		entry->count > UINT64_MAX - group->count ? UINT64_MAX : group->count + entry->count;
	return true;
}

static bool add_group(struct groups *groups, const struct group_entry *entry)
{
	struct group_entry group = *entry;

	group.count = 0;
	group.hashes = NULL;
	group.hash_count = 0;
	if (!array_grow(&groups->group, &groups->room, groups->count + 1, sizeof(group)) ||
	    !copy_bytes(&group.text, entry->text))
		return false;
	if (!copy_bytes(&group.core, entry->core)) {
		free_bytes(group.text);
		return false;
	}
	groups->group[groups->count++] = group;
	return true;
}

static uint64_t hash_crash_bytes(uint32_t group, const struct group_hash *hash, uint64_t key)
{
	uint8_t bytes[sizeof(group) + GROUP_HASH_SIZE];

	memcpy(bytes, &group, sizeof(group));
	memcpy(bytes + sizeof(group), hash->bytes, GROUP_HASH_SIZE);
	return hash_text((struct cairn_bytes){ bytes, sizeof(bytes) }, key);
}

static uint64_t hash_crash(const void *items, uint32_t number)
{
	const struct groups *groups = items;
	const struct group_crash *crash = &groups->crashes[number - 1];

	return hash_crash_bytes(crash->group, &crash->hash, groups->crash_slots.key);
}

static bool is_same_crash(const void *items, uint32_t number, const void *key)
{
	const struct groups *groups = items;
	const struct group_crash *crash = &groups->crashes[number - 1], *other = key;

	return crash->group == other->group &&
	       memcmp(crash->hash.bytes, other->hash.bytes, GROUP_HASH_SIZE) == 0;
}

/* Add a crash of a group. Set *is_new if it was not known yet. Return false if memory is short. */
static bool add_crash(struct groups *groups, const struct group_crash *crash, bool *is_new)
{
	if (!slot_table_reserve(&groups->crash_slots, groups->crash_count, hash_crash, groups) ||
	    !array_grow(&groups->crashes, &groups->crash_room, groups->crash_count + 1,
	                sizeof(*crash)))
		return false;
	const uint64_t hash = hash_crash_bytes(crash->group, &crash->hash, groups->crash_slots.key);
	uint32_t *slot = slot_table_find(&groups->crash_slots, hash, is_same_crash, groups, crash);
	*is_new = *slot == 0;
	if (*is_new) {
		groups->crashes[groups->crash_count++] = *crash;
		*slot = (uint32_t)groups->crash_count;
	}
	return true;
}

/*
 * Add the crashes of an entry, and set *count to the number of new ones. An entry that is not a
 * group is one crash.
 */
static bool add_crashes(struct groups *groups, uint32_t group, const struct group_entry *entry,
                        uint64_t *count)
{
	struct group_crash crash = { .group = group };
	bool is_new;

	*count = 0;
	for (size_t i = 0; i < (entry->hash_count ? entry->hash_count : 1); i++) {
		memcpy(crash.hash.bytes, entry->hash_count ? entry->hashes[i].bytes : entry->hash,
		       GROUP_HASH_SIZE);
		if (!add_crash(groups, &crash, &is_new))
			return false;
		*count += is_new;
	}
	return true;
}

bool groups_add(struct groups *groups, const struct group_entry *entry)
{
	struct group_entry counted = *entry;

	if (!slot_table_reserve(&groups->slots, groups->count, hash_group, groups))
		return false;
	const uint64_t hash = hash_text(entry->text, groups->slots.key);
	uint32_t *slot = slot_table_find(&groups->slots, hash, is_same_group, groups, entry);
	if (*slot == 0) {
		if (!add_group(groups, entry))
			return false;
		*slot = (uint32_t)groups->count;
	}
	if (groups->keeps_hashes && !add_crashes(groups, *slot - 1, entry, &counted.count))
		return false;
	return add_to_group(&groups->group[*slot - 1], &counted);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group_entry *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	const int order = bytes_order(one->text, other->text);
	return order != 0 ? order : (one->names > other->names) - (one->names < other->names);
}

static int compare_crashes(const void *a, const void *b)
{
	const struct group_crash *one = a, *other = b;

	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	return memcmp(one->hash.bytes, other->hash.bytes, GROUP_HASH_SIZE);
}

/*
 * Give each group its sorted range of hashes. Must run before the groups are sorted, because
 * crashes refer to groups by index.
 */
static bool sort_crashes(struct groups *groups)
{
	const size_t count = groups->crash_count;

	groups->hashes = malloc((count + 1) * sizeof(*groups->hashes));
	if (!groups->hashes)
		return false;
	if (count > 0)
		qsort(groups->crashes, count, sizeof(*groups->crashes), compare_crashes);
	for (size_t i = 0; i < count; i++) {
		struct group_entry *group = &groups->group[groups->crashes[i].group];
		groups->hashes[i] = groups->crashes[i].hash;
		if (group->hash_count++ == 0)
			group->hashes = &groups->hashes[i];
	}
	return true;
}

bool groups_sort(struct groups *groups)
{
	if (groups->keeps_hashes && !sort_crashes(groups))
		return false;
	if (groups->count > 0)
		qsort(groups->group, groups->count, sizeof(*groups->group), compare_groups);
	return true;
}

void groups_finish(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free_bytes(groups->group[i].text);
		free_bytes(groups->group[i].core);
	}
	free(groups->group);
	slot_table_finish(&groups->slots);
	slot_table_finish(&groups->crash_slots);
	free(groups->crashes);
	free(groups->hashes);
	*groups = (struct groups){ 0 };
}
