/* SPDX-License-Identifier: MIT */
/* Encodes and decodes a child's report of its downloads. */
#include "fetch_line.h"

#include "base/bytes.h"
#include "base/json_reader.h"

#include <inttypes.h>
#include <string.h>

static const char beginning[] = "{\"fetched\":{";

/* All but the last are added up; cache_bytes is the current size. */
static const struct {
	const char *name;
	size_t at;
} members[] = {
	{ "hit", offsetof(struct debuginfod_counts, hits) },
	{ "miss", offsetof(struct debuginfod_counts, misses) },
	{ "negative", offsetof(struct debuginfod_counts, negatives) },
	{ "error", offsetof(struct debuginfod_counts, errors) },
	{ "bytes", offsetof(struct debuginfod_counts, bytes) },
	{ "evictions", offsetof(struct debuginfod_counts, evictions) },
	{ "cache_bytes", offsetof(struct debuginfod_counts, cache_bytes) },
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]), COUNTED = MEMBERS - 1 };

static uint64_t get_member(const struct debuginfod_counts *counts, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + members[i].at, sizeof(value));
	return value;
}

static void set_member(struct debuginfod_counts *counts, size_t i, uint64_t value)
{
	memcpy((char *)counts + members[i].at, &value, sizeof(value));
}

void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before)
{
	if (memcmp(now, before, sizeof(*now)) == 0)
		return;
	for (size_t i = 0; i < MEMBERS; i++) {
		const uint64_t old = i < COUNTED ? get_member(before, i) : 0;
		fprintf(out, "%s\"%s\":%" PRIu64, i == 0 ? beginning : ",", members[i].name,
		        get_member(now, i) - old);
	}
	fputs("}}\n", out);
}

static bool add_member(const struct json_step *step, struct debuginfod_counts *counts)
{
	const struct json_reader_value value = { step->kind, step->text };
	uint64_t number;

	for (size_t i = 0; i < MEMBERS; i++) {
		if (!bytes_are(step->name, members[i].name))
			continue;
		if (!json_reader_whole(&value, &number) || number > FETCH_COUNT_MAX)
			return false;
		set_member(counts, i, number + (i < COUNTED ? get_member(counts, i) : 0));
		return true;
	}
	return false;
}

bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total)
{
	const size_t head = sizeof(beginning) - 1;
	struct debuginfod_counts sum = *total;
	struct json_step step = { .ends = false };

	if (line.size < head || memcmp(line.data, beginning, head) != 0)
		return false;
	struct json_walk walk = json_walk_open(line);
	if (!json_walk_next(&walk, &step) || !json_walk_next(&walk, &step))
		return false;
	while (json_walk_next(&walk, &step) && !step.ends)
		if (!add_member(&step, &sum))
			return false;
	/* Require the end of the outer object and no further input. */
	if (!json_walk_next(&walk, &step) || json_walk_next(&walk, &step) || !reader_ok(&walk.in))
		return false;
	*total = sum;
	return true;
}
