/* SPDX-License-Identifier: MIT */
/* Creates the shards of a GSYM writer, collects their records and counts what will be written. */
#include "writer.h"

#include "shard.h"

#include "base/invariant.h"

#include <stdlib.h>
#include <string.h>

struct gsym_writer *gsym_writer_new(const struct gsym_writer_options *options)
{
	struct gsym_writer *writer = malloc(sizeof(*writer));

	if (writer)
		*writer = (struct gsym_writer){ .options = *options };
	return writer;
}

void gsym_writer_free(struct gsym_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->shards; i++) {
		gsym_shard_finish(writer->shard[i]);
		free(writer->shard[i]);
	}
	free(writer->shard);
	free(writer->key);
	free(writer->entry);
	free(writer);
}

struct gsym_shard *gsym_writer_shard(struct gsym_writer *writer)
{
	if (writer->shards >= GSYM_SHARDS_MAX ||
	    !array_grow(&writer->shard, &writer->shard_room, writer->shards + 1,
	                sizeof(*writer->shard)))
		return NULL;
	struct gsym_shard *shard = malloc(sizeof(*shard));
	if (!shard)
		return NULL;
	if (!gsym_shard_init(shard, &writer->options, (uint16_t)writer->shards)) {
		gsym_shard_finish(shard);
		free(shard);
		return NULL;
	}
	writer->shard[writer->shards++] = shard;
	return shard;
}

struct gsym_shard *gsym_writer_thread(struct gsym_writer *writer, unsigned thread)
{
	INVARIANT(thread < writer->shards);
	return writer->shard[thread];
}

static size_t gather_keys(struct gsym_writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; i < writer->shards; i++) {
		struct gsym_shard *shard = writer->shard[i];
		if (shard->keys)
			memcpy(&writer->key[count], shard->key, shard->keys * sizeof(*shard->key));
		count += shard->keys;
		free(shard->key);
		shard->key = NULL;
		shard->keys = shard->key_room = 0;
	}
	return count;
}

static void count_record(struct cairn_gsym_summary *summary, const struct gsym_key *key)
{
	summary->functions += !key->merged;
	summary->merged += key->merged;
	summary->symbols += !key->merged && key->record->source == FUNCTION_SYMBOL;
	summary->nameless += key->record->nameless;
	summary->rows += key->record->rows;
	summary->inlines += key->record->inline_count;
	summary->calls += key->record->call_count;
}

static bool find_entries(struct gsym_writer *writer)
{
	writer->entry = malloc((writer->keys + 1) * sizeof(*writer->entry));
	if (!writer->entry)
		return false;
	for (size_t i = 0; i < writer->keys; i++) {
		count_record(&writer->summary, &writer->key[i]);
		if (!writer->key[i].merged)
			writer->entry[writer->entries++] = (uint32_t)i;
	}
	writer->entry[writer->entries] = (uint32_t)writer->keys;
	return true;
}

/* NULL: memory is short, or there are more than entries can count. */
static struct gsym_key *allocate_keys(size_t count)
{
	if (count >= UINT32_MAX || count > SIZE_MAX / sizeof(struct gsym_key))
		return NULL;
	return malloc(count * sizeof(struct gsym_key));
}

enum cairn_status gsym_writer_order(struct gsym_writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; i < writer->shards; i++)
		count += writer->shard[i]->keys;
	if (count == 0)
		return CAIRN_NOT_FOUND;
	writer->key = allocate_keys(count);
	struct gsym_order order = { .options = &writer->options,
		                    .shard = writer->shard,
		                    .key = writer->key,
		                    .spare = allocate_keys(count) };
	if (writer->key && order.spare) {
		order.count = gather_keys(writer);
		gsym_order_keys(&order);
		writer->keys = order.count;
	}
	free(order.spare);
	for (size_t i = 0; i < writer->shards; i++)
		writer->summary.cut += writer->shard[i]->cut;
	writer->summary.folded = order.folded;
	writer->summary.repeated = order.repeated;
	return writer->keys && find_entries(writer) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

void gsym_writer_summary(const struct gsym_writer *writer, struct cairn_gsym_summary *summary)
{
	*summary = writer->summary;
}

uint32_t gsym_writer_count(const struct gsym_writer *writer)
{
	return writer->entries;
}

uint64_t gsym_writer_start(const struct gsym_writer *writer, uint32_t entry)
{
	INVARIANT(entry < gsym_writer_count(writer));
	return writer->key[writer->entry[entry]].start;
}
