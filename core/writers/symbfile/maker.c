/* SPDX-License-Identifier: MIT */
/*
 * Receives functions from several threads, removes repeated ones and merges the strings of all
 * shards.
 */
#include "maker.h"

#include "trees.h"

#include "base/hash.h"
#include "base/invariant.h"
#include "base/table/table_memory.h"
#include "base/text/utf8.h"

#include <stdlib.h>
#include <string.h>

struct symbfile_maker *symbfile_maker_new(void)
{
	return calloc(1, sizeof(struct symbfile_maker));
}

static void shard_free(struct symbfile_shard *shard)
{
	string_pool_finish(&shard->pool);
	free(shard->tree);
	free(shard->record);
	free(shard->row);
	file_map_finish(&shard->file);
	free(shard->at_start);
	flatten_free(shard->flatten);
	free(shard);
}

void symbfile_maker_free(struct symbfile_maker *maker)
{
	if (!maker)
		return;
	for (unsigned i = 0; i < maker->shards; i++) {
		shard_free(maker->shard[i]);
		free(maker->map[i]);
		free(maker->path[i]);
	}
	string_pool_finish(&maker->pool);
	free(maker->piece);
	free(maker);
}

struct symbfile_shard *symbfile_maker_shard(struct symbfile_maker *maker)
{
	if (maker->shards == MAKER_THREADS_MAX)
		return NULL;
	struct symbfile_shard *shard = calloc(1, sizeof(*shard));
	if (!shard)
		return NULL;
	shard->flatten = flatten_new();
	if (!shard->flatten) {
		free(shard);
		return NULL;
	}
	shard->number = (uint16_t)maker->shards;
	maker->shard[maker->shards++] = shard;
	return shard;
}

struct symbfile_shard *symbfile_maker_thread(struct symbfile_maker *maker, unsigned thread)
{
	INVARIANT(thread < maker->shards);
	return maker->shard[thread];
}

void symbfile_shard_unit(struct symbfile_shard *shard, uint32_t unit)
{
	shard->unit = unit;
	shard->order = 0;
}

/* The slot of a start: its first tree is there, or may be put there. */
static uint32_t *find_start(const struct symbfile_shard *shard, uint64_t start)
{
	size_t at = (size_t)hash_number(start, shard->at_start);

	for (;; at++) {
		uint32_t *slot = &shard->at_start[at & (shard->starts - 1)];
		if (*slot == 0 || shard->tree[*slot - 1].start == start)
			return slot;
	}
}

static bool grow_starts(struct symbfile_shard *shard)
{
	enum { FIRST = 1 << 10 };
	size_t starts = shard->starts ? shard->starts * 2 : FIRST;
	uint32_t *grown = table_memory_new(starts, sizeof(*grown));

	if (!grown)
		return false;
	free(shard->at_start);
	shard->at_start = grown;
	shard->starts = starts;
	for (size_t i = 0; i < shard->trees; i++) {
		uint32_t *slot = find_start(shard, shard->tree[i].start);
		if (*slot == 0)
			*slot = (uint32_t)i + 1;
	}
	return true;
}

/*
 * Does all of a function belong to one that came before it in this shard?  Functions that stand in
 * several units, as templates do, are most of the repeated ones; arrange_pieces() sees to the rest.
 */
static bool is_repeated(const struct symbfile_shard *shard, const struct function *function)
{
	uint32_t slot = shard->starts ? *find_start(shard, function->start) : 0;
	const struct maker_tree *tree = slot ? &shard->tree[slot - 1] : NULL;

	return tree && function->size > 0 && tree->source == function->source &&
	       tree->unit <= shard->unit && function->size <= tree->end - tree->start;
}

static enum cairn_status receive_symbfile_function(void *context, const struct function *function)
{
	struct symbfile_shard *shard = context;

	if (function->name.size == 0) {
		shard->nameless++;
		return CAIRN_OK;
	}
	if (is_repeated(shard, function)) {
		shard->order++;
		shard->repeated++;
		return CAIRN_OK;
	}
	if (shard->trees >= shard->starts / 2 && !grow_starts(shard))
		return CAIRN_NO_MEMORY;
	if (!flatten_function(shard, function) || shard->out_of_memory)
		return CAIRN_NO_MEMORY;
	uint32_t *slot = find_start(shard, function->start);
	if (*slot == 0)
		*slot = (uint32_t)shard->trees;
	return CAIRN_OK;
}

struct function_sink symbfile_shard_sink(struct symbfile_shard *shard)
{
	return (struct function_sink){ receive_symbfile_function, shard };
}

/*
 * A text of the file, which must be UTF-8: names of symbols and files are what somebody wrote, and
 * long paths are cut.  Readers refuse the file from another byte on.
 */
static uint32_t intern_as_utf8(struct string_pool *pool, struct cairn_bytes text)
{
	if (utf8_is_valid(text))
		return string_pool_add(pool, text);
	if (text.size > SIZE_MAX / UTF8_GROWTH)
		return STRING_POOL_FULL;
	uint8_t *memory = malloc(text.size * UTF8_GROWTH);
	if (!memory)
		return STRING_POOL_FULL;
	struct sink sound = sink_open(memory, text.size * UTF8_GROWTH);
	utf8_put_repaired(&sound, text);
	uint32_t number = string_pool_add(pool, (struct cairn_bytes){ memory, sound.size });
	free(memory);
	return number;
}

/* The texts of a shard in the maker's pool: names by `names`, and as they are for paths. */
static bool map_texts(struct symbfile_maker *m, unsigned shard, const struct symbfile_names *names)
{
	const struct string_pool *pool = &m->shard[shard]->pool;
	size_t size = (pool->count + 1) * sizeof(uint32_t);

	m->map[shard] = malloc(size);
	m->path[shard] = malloc(size);
	if (!m->map[shard] || !m->path[shard])
		return false;
	/* which are names and which are paths is asked when they are first used */
	memset(m->map[shard], 0xff, size);
	memset(m->path[shard], 0xff, size);
	for (size_t i = 0; i < m->shard[shard]->records; i++) {
		const struct maker_record *r = &m->shard[shard]->record[i];
		if (m->map[shard][r->name] == MAKER_NONE) {
			struct cairn_bytes name = string_pool_get(pool, r->name);
			if (names)
				name = names->name(names->context, name);
			m->map[shard][r->name] = intern_as_utf8(&m->pool, name);
		}
		uint32_t paths[] = { r->file, r->call_file };
		if (m->map[shard][r->name] == STRING_POOL_FULL)
			return false;
		for (size_t p = 0; p < 2; p++) {
			if (paths[p] == MAKER_NONE || m->path[shard][paths[p]] != MAKER_NONE)
				continue;
			uint32_t path = intern_as_utf8(&m->pool, string_pool_get(pool, paths[p]));
			if (path == STRING_POOL_FULL)
				return false;
			m->path[shard][paths[p]] = path;
		}
	}
	return true;
}

enum cairn_status symbfile_maker_arrange(struct symbfile_maker *maker,
                                         const struct symbfile_names *names)
{
	/* the one with no text is there, so that its number is known */
	for (unsigned i = 0; i < maker->shards; i++) {
		maker->summary.nameless += maker->shard[i]->nameless;
		maker->summary.too_deep += maker->shard[i]->too_deep;
		maker->summary.repeated += maker->shard[i]->repeated;
		if (maker->shard[i]->out_of_memory || !map_texts(maker, i, names))
			return CAIRN_NO_MEMORY;
	}
	enum cairn_status status = arrange_pieces(maker);
	if (status == CAIRN_OK && maker->pieces == 0)
		status = CAIRN_NOT_FOUND;
	return status;
}

void symbfile_maker_summary(const struct symbfile_maker *maker,
                            struct cairn_symbfile_summary *summary)
{
	*summary = maker->summary;
}
