/* SPDX-License-Identifier: MIT */
/* The table of groups: finds the one of a signature, and adds to it. */
#include "groups.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"
#include "base/hash.h"

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

/* A copy on the heap; false when memory is short. */
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

/* Is the crash of `a` the example rather than that of `b`? */
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

bool groups_add(struct groups *groups, const struct group_entry *entry)
{
	if (!slot_table_reserve(&groups->slots, groups->count, hash_group, groups))
		return false;
	const uint64_t hash = hash_text(entry->text, groups->slots.key);
	uint32_t *slot = slot_table_find(&groups->slots, hash, is_same_group, groups, entry);
	if (*slot > 0)
		return add_to_group(&groups->group[*slot - 1], entry);
	if (!add_group(groups, entry))
		return false;
	*slot = (uint32_t)groups->count;
	return true;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group_entry *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	const int order = bytes_order(one->text, other->text);
	return order != 0 ? order : (one->names > other->names) - (one->names < other->names);
}

void groups_sort(struct groups *groups)
{
	if (groups->count > 0)
		qsort(groups->group, groups->count, sizeof(*groups->group), compare_groups);
}

void groups_finish(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free_bytes(groups->group[i].text);
		free_bytes(groups->group[i].core);
	}
	free(groups->group);
	slot_table_finish(&groups->slots);
	*groups = (struct groups){ 0 };
}
