/* SPDX-License-Identifier: MIT */
/*
 * Writes one GSYM file from the ordered functions. Two passes over the records: the first gives
 * numbers to texts and files and adds up sizes, the second writes.
 */
#include "shard.h"

#include "string_table.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED_TEXT UINT64_MAX /* a text or file that has no number in this file yet */

enum { UNUSED_FILE = 0, RECORD_ALIGN = 4 };

/* A file that is being made. */
struct job {
	struct gsym_writer *writer;
	struct gsym_string_table texts;
	struct gsym_layout layout;
	uint32_t first;
};

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
		memset(shard->file_at, UNUSED_FILE, shard->files * sizeof(*shard->file_at));
		shard->text_at[GSYM_STRING_EMPTY] = 0;
	}
	return true;
}

static bool use_text(struct job *job, struct gsym_shard *shard, uint32_t text)
{
	return shard->text_at[text] != UNUSED_TEXT ||
	       gsym_string_table_add(&job->texts, shard->text[text], &shard->text_at[text]);
}

static bool use_file(struct job *job, struct gsym_shard *shard, uint32_t file)
{
	const struct gsym_shard_file *both = &shard->file[file];

	if (shard->file_at[file] != UNUSED_FILE)
		return true;
	if (!use_text(job, shard, both->directory) || !use_text(job, shard, both->name))
		return false;
	struct gsym_files_entry entry = { shard->text_at[both->directory],
		                          shard->text_at[both->name] };
	return gsym_string_table_add_file(&job->texts, entry, &shard->file_at[file]);
}

/* Gives numbers to all that a record refers to. */
static bool use_record(struct job *job, const struct gsym_key *key)
{
	struct gsym_shard *shard = job->writer->shard[key->shard];
	const struct gsym_record *r = key->record;
	struct cairn_bytes drafts = { r->drafts, (size_t)r->lines + r->inlines + r->calls };
	enum gsym_mark mark;
	uint32_t number;
	bool good = use_text(job, shard, r->name);

	for (size_t at = 0; good && gsym_next_mark(drafts, &at, &mark, &number);)
		good = mark == GSYM_MARK_STRING ? use_text(job, shard, number)
		                                : use_file(job, shard, number);
	return good;
}

/* Puts the length of what follows a field of 4 bytes at `at` there. */
static void patch_length(const struct job *job, const struct sink *out, size_t at)
{
	if (!sink_fits(out))
		return;
	struct sink field = sink_open(out->data + at, 4);
	gsym_put(&field, out->size - at - 4, 4, job->layout.big);
}

/* Type and a length that patch_length() will put there; returns where. */
static size_t begin_block(const struct job *job, struct sink *out, uint32_t type)
{
	gsym_put(out, type, 4, job->layout.big);
	gsym_put(out, 0, 4, job->layout.big);
	return out->size - 4;
}

static void write_gsym_block(const struct job *job, struct sink *out, uint32_t type,
                             struct cairn_bytes draft, const struct gsym_numbers *numbers)
{
	if (draft.size == 0)
		return;
	size_t at = begin_block(job, out, type);
	gsym_resolve_draft(draft, numbers, out);
	patch_length(job, out, at);
}

static void write_gsym_record(const struct job *job, uint32_t key, struct sink *out);

/* The key after this entry and all that are merged into it. */
static uint32_t entry_end(const struct gsym_writer *writer, uint32_t key)
{
	do
		key++;
	while (key < writer->keys && writer->key[key].merged);
	return key;
}

static void write_merged_records(const struct job *job, uint32_t key, struct sink *out)
{
	uint32_t end = entry_end(job->writer, key);

	if (end == key + 1)
		return;
	size_t at = begin_block(job, out, GSYM_MERGED);
	gsym_put(out, end - key - 1, 4, job->layout.big);
	for (uint32_t i = key + 1; i < end; i++) {
		size_t length_at = out->size;
		gsym_put(out, 0, 4, job->layout.big);
		write_gsym_record(job, i, out);
		patch_length(job, out, length_at);
	}
	patch_length(job, out, at);
}

/* A function that is merged into another one has none merged into itself, so that this goes two deep. */
static void write_gsym_record(const struct job *job, uint32_t key, struct sink *out)
{
	const struct gsym_key *k = &job->writer->key[key];
	const struct gsym_record *r = k->record;
	const struct gsym_shard *shard = job->writer->shard[k->shard];
	const struct gsym_layout *layout = &job->layout;
	struct gsym_numbers numbers = { .strings = shard->text_at,
		                        .files = shard->file_at,
		                        .strp_size = layout->version == 1 ? 4 : 8,
		                        .big = layout->big };
	const uint8_t *inlines = r->drafts + r->lines;

	gsym_put(out, k->size, 4, layout->big);
	gsym_put(out, shard->text_at[r->name], numbers.strp_size, layout->big);
	write_gsym_block(job, out, GSYM_LINES, (struct cairn_bytes){ r->drafts, r->lines },
	                 &numbers);
	write_gsym_block(job, out, GSYM_INLINES, (struct cairn_bytes){ inlines, r->inlines },
	                 &numbers);
	if (!k->merged)
		write_merged_records(job, key, out);
	write_gsym_block(job, out, GSYM_CALLS,
	                 (struct cairn_bytes){ inlines + r->inlines, r->calls }, &numbers);
	write_gsym_block(job, out, GSYM_COLUMNS,
	                 (struct cairn_bytes){ inlines + r->inlines + r->calls, r->columns },
	                 &numbers);
	gsym_put(out, GSYM_END, 4, layout->big);
	gsym_put(out, 0, 4, layout->big);
}

static uint64_t align_record_size(uint64_t size)
{
	return (size + RECORD_ALIGN - 1) & ~(uint64_t)(RECORD_ALIGN - 1);
}

/* Where the tables are when the job has these entries; false when version 1 cannot hold it. */
static bool lay_out(struct job *job, uint32_t count, uint64_t records_size)
{
	const struct gsym_writer *writer = job->writer;
	uint64_t start = gsym_writer_start(writer, job->first);
	uint64_t last = gsym_writer_start(writer, job->first + count - 1);
	struct gsym_layout *layout = &job->layout;

	layout->base = writer->options.base < start ? writer->options.base : start;
	layout->address_size = gsym_address_size(last - layout->base);
	layout->functions = count;
	layout->files = (uint32_t)job->texts.files;
	layout->strings_size = job->texts.size;
	layout->records_size = records_size;
	return gsym_lay_out(layout);
}

static bool use_entry(struct job *job, uint32_t entry)
{
	const struct gsym_writer *writer = job->writer;

	for (uint32_t key = writer->entry[entry]; key < writer->entry[entry + 1]; key++)
		if (!use_record(job, &writer->key[key]))
			return false;
	return true;
}

static uint64_t measure_gsym_record(const struct job *job, uint32_t entry)
{
	struct sink out = sink_open(NULL, 0);

	write_gsym_record(job, job->writer->entry[entry], &out);
	return out.size;
}

/*
 * Numbers and sizes for at most `most` entries, as many as stay below the limit; how many in
 * *count.  Tables may hold texts of one more then.
 */
static bool number_entries(struct job *job, uint32_t most, uint64_t limit, uint32_t *count)
{
	uint64_t size = 0;

	gsym_string_table_finish(&job->texts);
	if (!gsym_string_table_init(&job->texts) || !clear_numbers(job->writer))
		return false;
	for (*count = 0; *count < most; ++*count) {
		uint32_t entry = job->first + *count;
		if (!use_entry(job, entry))
			return false;
		size = align_record_size(size) + measure_gsym_record(job, entry);
		/* to be below a limit is asked for each, because the sizes of tables grow with it */
		if (limit == UINT64_MAX && *count + 1 < most)
			continue;
		lay_out(job, *count + 1, size);
		if (job->layout.size > limit && *count > 0)
			break;
	}
	return true;
}

/* All numbers, the layout and the version; NULL or why it is not the version that was wanted. */
static bool prepare_layout(struct job *job, uint64_t limit, const char **why)
{
	struct gsym_layout *layout = &job->layout;
	uint32_t left = job->writer->entries - job->first, count;

	*why = NULL;
	layout->uuid = job->writer->options.uuid;
	layout->big = job->writer->options.big;
	layout->version = job->writer->options.version;
	if (layout->version == 1 && layout->uuid.size > GSYM_UUID_MAX_V1) {
		*why = "the build ID is longer than 20 bytes";
		layout->version = 2;
	}
	if (!number_entries(job, left, limit, &count) ||
	    (count < left && !number_entries(job, count, UINT64_MAX, &count)))
		return false;
	if (layout->version == 1 && layout->size > UINT32_MAX) {
		*why = "the file is larger than 4 GiB";
		layout->version = 2;
		return number_entries(job, count, UINT64_MAX, &count);
	}
	return true;
}

static void write_address_table(const struct job *job, struct sink *out)
{
	const struct gsym_layout *layout = &job->layout;

	for (uint32_t i = 0; i < layout->functions; i++) {
		uint64_t start = gsym_writer_start(job->writer, job->first + i);
		gsym_put(out, start - layout->base, layout->address_size, layout->big);
	}
	gsym_put_padding(out, layout->infos_at);
}

/* Records, and where each is. */
static void write_gsym_records(const struct job *job, uint8_t *data)
{
	const struct gsym_layout *layout = &job->layout;
	size_t width = layout->version == 1 ? 4 : 8;
	uint64_t counted_from = layout->version == 1 ? 0 : layout->records_at;
	struct sink infos = sink_open(data + layout->infos_at, layout->functions * width);
	struct sink out = sink_open(data, (size_t)layout->size);

	out.size = (size_t)layout->records_at;
	for (uint32_t i = 0; i < layout->functions; i++) {
		gsym_put_padding(&out, align_record_size(out.size));
		gsym_put(&infos, out.size - counted_from, width, layout->big);
		write_gsym_record(job, job->writer->entry[job->first + i], &out);
	}
}

static uint8_t *write_gsym_image(const struct job *job)
{
	const struct gsym_layout *layout = &job->layout;
	uint8_t *data = layout->size <= SIZE_MAX ? malloc((size_t)layout->size) : NULL;

	if (!data)
		return NULL;
	struct sink out = sink_open(data, (size_t)layout->size);
	gsym_put_head(layout, &out);
	write_address_table(job, &out);
	out.size = (size_t)layout->files_at;
	gsym_string_table_put_files(&job->texts, layout->version == 1 ? 4 : 8, layout->big, &out);
	gsym_string_table_put_strings(&job->texts, &out);
	gsym_put_padding(&out, layout->records_at);
	write_gsym_records(job, data);
	return data;
}

enum cairn_status gsym_writer_image(struct gsym_writer *writer, uint32_t first, uint64_t limit,
                                    struct gsym_output *output)
{
	struct job job = { .writer = writer, .first = first };
	const char *why;
	uint8_t *data = prepare_layout(&job, limit, &why) ? write_gsym_image(&job) : NULL;

	gsym_string_table_finish(&job.texts);
	if (!data)
		return CAIRN_NO_MEMORY;
	*output = (struct gsym_output){ .data = data,
		                        .size = (size_t)job.layout.size,
		                        .count = job.layout.functions,
		                        .version = job.layout.version,
		                        .why = why,
		                        .strings = (size_t)job.layout.strings_size,
		                        .files = job.layout.files };
	return CAIRN_OK;
}
