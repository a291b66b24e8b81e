/* SPDX-License-Identifier: MIT */
/* Finds functions of GSYM data by linkage name, in a sorted table of hashes, and else by readable name. */
#include "functions_by_name.h"

#include "base/bisect.h"
#include "base/hash.h"

#include <stdlib.h>

enum {
	HASHED = 1024, /* bytes of a name: damaged files share long ones */
};

bool is_linkage_name(const struct gsym *gsym, uint64_t offset, struct cairn_bytes name)
{
	const struct cairn_bytes all = gsym->strings;

	if (offset == 0 || offset >= all.size)
		return name.size == 0;
	const uint8_t *start = all.data + offset;
	const size_t rest = all.size - (size_t)offset;
	return rest >= name.size && memcmp(start, name.data, name.size) == 0 &&
	       (rest == name.size || start[name.size] == 0);
}

/* A name that has no readable form may have taken as much work as the longest one. */
bool is_readable_name(struct cairn_bytes linkage, struct cairn_bytes name,
                      struct allowance *readable)
{
	if (readable->over || linkage.size < 2 || linkage.data[0] != '_' ||
	    (linkage.data[1] != 'Z' && linkage.data[1] != 'R'))
		return false;
	const struct cairn_bytes text = readable_name(linkage);
	if (!allowance_draw(readable, text.data == linkage.data ? CAIRN_DEMANGLE_MAX : text.size))
		return false;
	return text.size >= name.size && memcmp(text.data, name.data, name.size) == 0 &&
	       (text.size == name.size || text.data[name.size] == '(');
}

static uint64_t hash_name(struct cairn_bytes name)
{
	if (name.size > HASHED)
		name.size = HASHED;
	return hash_text(name, 0);
}

/* The beginning of a name: as much as is hashed. */
static struct cairn_bytes find_name_start(const struct gsym *gsym, uint64_t offset)
{
	struct cairn_bytes name = gsym->strings;

	if (offset >= name.size)
		return (struct cairn_bytes){ name.data, 0 };
	name.data += offset;
	name.size -= (size_t)offset;
	if (name.size > HASHED)
		name.size = HASHED;
	const uint8_t *end = memchr(name.data, 0, name.size);
	if (end)
		name.size = (size_t)(end - name.data);
	return name;
}

static int compare_entries(const void *a, const void *b)
{
	const struct name_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool make_table(struct functions_by_name *by_name)
{
	const struct gsym *gsym = by_name->gsym;
	struct gsym_function f;
	struct cairn_fault fault;

	if (by_name->made)
		return by_name->entries != NULL;
	by_name->made = true;
	by_name->readable = gsym_printed(gsym);
	by_name->entries = calloc((size_t)gsym->functions + 1, sizeof(*by_name->entries));
	for (uint32_t i = 0; by_name->entries && i < gsym->functions; i++)
		if (gsym_function(gsym, i, &f, &fault) == CAIRN_OK)
			by_name->entries[by_name->count++] =
				(struct name_entry){ hash_name(find_name_start(gsym, f.name)), i };
	if (by_name->count > 0)
		qsort(by_name->entries, by_name->count, sizeof(*by_name->entries), compare_entries);
	return by_name->entries != NULL;
}

static bool find_linkage(const struct functions_by_name *by_name, struct cairn_bytes name,
                         struct gsym_function *f)
{
	const uint64_t hash = hash_name(name);
	struct cairn_fault fault;

	for (size_t i = SORTED_BELOW(by_name->entries, by_name->count, hash, hash);
	     i < by_name->count && by_name->entries[i].hash == hash; i++)
		if (gsym_function(by_name->gsym, by_name->entries[i].index, f, &fault) ==
		            CAIRN_OK &&
		    is_linkage_name(by_name->gsym, f->name, name))
			return true;
	return false;
}

static bool find_readable(struct functions_by_name *by_name, struct cairn_bytes name,
                          struct gsym_function *f)
{
	const struct gsym *gsym = by_name->gsym;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < gsym->functions && !by_name->readable.over; i++)
		if (gsym_function(gsym, i, f, &fault) == CAIRN_OK &&
		    is_readable_name(find_name_start(gsym, f->name), name, &by_name->readable))
			return true;
	return false;
}

bool functions_by_name_find(struct functions_by_name *by_name, struct cairn_bytes name,
                            struct gsym_function *function)
{
	return name.size > 0 && make_table(by_name) &&
	       (find_linkage(by_name, name, function) || find_readable(by_name, name, function));
}

void functions_by_name_finish(struct functions_by_name *by_name)
{
	free(by_name->entries);
	*by_name = (struct functions_by_name){ .gsym = NULL };
}
