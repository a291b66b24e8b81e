/* SPDX-License-Identifier: MIT */
/*
 * Lays out one GSYM file of the ordered functions: a pass over the records gives numbers to texts and files and adds
 * up sizes, so that the file can be written in pieces (pieces.c).
 */
#include "pieces.h"

#include <stdlib.h>
#include <string.h>

/* Forgets the numbers that a file before this one gave out. */
static bool clear_numbers(struct gsym_writer *writer)
{
	for (size_t i = 0; i < writer->shards; i++) {
		struct gsym_shard *shard = writer->shard[i];
		if (!shard->text_at)
			shard->text_at = malloc(shard->texts * sizeof(*shard->text_at));
		if (!shard->file_at)
			shard->file_at = malloc(shard->files * sizeof(*shard->file_at));
		if (!shard->text_at || !shard->file_at)
			return false;
		memset(shard->text_at, 0xff, shard->texts * sizeof(*shard->text_at));
		memset(shard->file_at, GSYM_FILE_UNNUMBERED,
		       shard->files * sizeof(*shard->file_at));
		shard->text_at[GSYM_STRING_EMPTY] = 0;
	}
	return true;
}

static bool use_text(struct gsym_outline *file, struct gsym_shard *shard, uint32_t text)
{
	return shard->text_at[text] != GSYM_STRING_UNNUMBERED ||
	       gsym_string_table_add(&file->texts, &shard->text[text], &shard->text_at[text]);
}

static bool use_file(struct gsym_outline *file, struct gsym_shard *shard, uint32_t number)
{
	const struct gsym_shard_file *both = &shard->file[number];

	if (shard->file_at[number] != GSYM_FILE_UNNUMBERED)
		return true;
	if (!use_text(file, shard, both->directory) || !use_text(file, shard, both->name))
		return false;
	struct gsym_files_entry entry = { shard->text_at[both->directory],
		                          shard->text_at[both->name] };
	return gsym_string_table_add_file(&file->texts, entry, &shard->file_at[number]);
}

/* Gives numbers to all that a block refers to, and adds its bytes to *size. */
static bool use_block(struct gsym_outline *file, struct gsym_shard *shard, struct cairn_bytes draft,
                      uint64_t *size)
{
	const struct gsym_numbers numbers = { shard->text_at, shard->file_at,
		                              gsym_outline_strp_size(file), false };
	enum gsym_mark mark;
	uint32_t number;

	if (draft.size == 0)
		return true;
	*size += GSYM_BLOCK_HEAD;
	for (size_t at = 0; gsym_measure_draft(draft, &numbers, &at, size, &mark, &number);)
		if (mark == GSYM_MARK_STRING ? !use_text(file, shard, number)
		                             : !use_file(file, shard, number))
			return false;
	return true;
}

/* Gives numbers to all that a record refers to; how large it is, without what is merged into it, is added to *size. */
static bool use_record(struct gsym_outline *file, const struct gsym_key *key, uint64_t *size)
{
	struct gsym_shard *shard = file->writer->shard[key->shard];
	const struct gsym_record *r = key->record;
	const uint8_t *calls = r->drafts + r->lines + r->inlines;

	*size += GSYM_SIZE_FIELD + gsym_outline_strp_size(file) + GSYM_BLOCK_HEAD; /* and the end */
	return use_text(file, shard, r->name) &&
	       use_block(file, shard, (struct cairn_bytes){ r->drafts, r->lines }, size) &&
	       use_block(file, shard, (struct cairn_bytes){ r->drafts + r->lines, r->inlines },
	                 size) &&
	       use_block(file, shard, (struct cairn_bytes){ calls, r->calls }, size) &&
	       use_block(file, shard, (struct cairn_bytes){ calls + r->calls, r->columns }, size);
}

/* Where the tables are when the job has these entries; false when version 1 cannot hold it. */
static bool lay_out(struct gsym_outline *file, uint32_t count, uint64_t records_size)
{
	const struct gsym_writer *writer = file->writer;
	uint64_t start = gsym_writer_start(writer, file->first);
	uint64_t last = gsym_writer_start(writer, file->first + count - 1);
	struct gsym_layout *layout = &file->layout;

	layout->base = writer->options.base < start ? writer->options.base : start;
	layout->address_size = gsym_address_size(last - layout->base);
	layout->functions = count;
	layout->files = (uint32_t)file->texts.files;
	layout->strings_size = file->texts.size;
	layout->records_size = records_size;
	return gsym_lay_out(layout);
}

/* The same for an entry with all that is merged into it. */
static bool use_entry(struct gsym_outline *file, uint32_t entry, uint64_t *size)
{
	const struct gsym_writer *writer = file->writer;
	const uint32_t first = writer->entry[entry], end = writer->entry[entry + 1];

	if (end > first + 1)
		*size += GSYM_BLOCK_HEAD + GSYM_SIZE_FIELD;
	for (uint32_t key = first; key < end; key++) {
		if (key > first)
			*size += GSYM_SIZE_FIELD;
		if (!use_record(file, &writer->key[key], size))
			return false;
	}
	return true;
}

/*
 * Numbers and sizes for at most `most` entries, as many as stay below the limit; how many in
 * *count.  Tables may hold texts of one more then.
 */
static bool number_entries(struct gsym_outline *file, uint32_t most, uint64_t limit,
                           uint32_t *count)
{
	uint64_t size = 0;

	gsym_string_table_finish(&file->texts);
	if (!gsym_string_table_init(&file->texts) || !clear_numbers(file->writer))
		return false;
	for (*count = 0; *count < most; ++*count) {
		size = gsym_outline_align(size);
		file->record_at[*count] = size;
		if (!use_entry(file, file->first + *count, &size))
			return false;
		/* to be below a limit is asked for each, because the sizes of tables grow with it */
		if (limit == UINT64_MAX && *count + 1 < most)
			continue;
		lay_out(file, *count + 1, size);
		if (file->layout.size > limit && *count > 0)
			break;
	}
	return true;
}

/* All numbers, the layout and the version; NULL or why it is not the version that was wanted. */
static bool prepare_layout(struct gsym_outline *file, uint64_t limit, const char **why)
{
	struct gsym_layout *layout = &file->layout;
	uint32_t left = file->writer->entries - file->first, count;

	*why = NULL;
	layout->uuid = file->writer->options.uuid;
	layout->big = file->writer->options.big;
	layout->version = file->writer->options.version;
	if (layout->version == 1 && layout->uuid.size > GSYM_UUID_MAX_V1) {
		*why = "the build ID is longer than 20 bytes";
		layout->version = 2;
	}
	if (!number_entries(file, left, limit, &count) ||
	    (count < left && !number_entries(file, count, UINT64_MAX, &count)))
		return false;
	if (layout->version == 1 && layout->size > UINT32_MAX) {
		*why = "the file is larger than 4 GiB";
		layout->version = 2;
		return number_entries(file, count, UINT64_MAX, &count);
	}
	return true;
}

/* Room for the places of all records, and the pieces. */
static bool prepare_file(struct gsym_outline *file, uint64_t limit)
{
	const size_t left = file->writer->entries - file->first;

	file->record_at = malloc((left + 1) * sizeof(*file->record_at));
	return file->record_at && prepare_layout(file, limit, &file->why) && gsym_outline_cut(file);
}

struct gsym_outline *gsym_writer_outline(struct gsym_writer *writer, uint32_t first, uint64_t limit)
{
	struct gsym_outline *file = malloc(sizeof(*file));

	if (!file)
		return NULL;
	*file = (struct gsym_outline){ .writer = writer, .first = first };
	if (prepare_file(file, limit))
		return file;
	gsym_outline_free(file);
	return NULL;
}

void gsym_outline_free(struct gsym_outline *file)
{
	if (!file)
		return;
	gsym_string_table_finish(&file->texts);
	free(file->record_at);
	free(file->piece);
	free(file);
}

struct gsym_output gsym_outline_facts(const struct gsym_outline *file)
{
	return (struct gsym_output){ .size = (size_t)file->layout.size,
		                     .count = file->layout.functions,
		                     .version = file->layout.version,
		                     .why = file->why,
		                     .strings = (size_t)file->layout.strings_size,
		                     .files = file->layout.files };
}

enum cairn_status gsym_writer_image(struct gsym_writer *writer, uint32_t first, uint64_t limit,
                                    struct gsym_output *output)
{
	struct gsym_outline *file = gsym_writer_outline(writer, first, limit);
	uint8_t *data = NULL;

	if (file && file->layout.size <= SIZE_MAX)
		data = malloc((size_t)file->layout.size);
	for (size_t i = 0; data && i < gsym_outline_pieces(file); i++)
		gsym_outline_put(file, i, data + gsym_outline_piece(file, i).at);
	if (data) {
		*output = gsym_outline_facts(file);
		output->data = data;
	}
	gsym_outline_free(file);
	return data ? CAIRN_OK : CAIRN_NO_MEMORY;
}
