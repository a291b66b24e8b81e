/* SPDX-License-Identifier: MIT */
/*
 * Writes a GSYM file with the sorted functions. A first pass over the records numbers the strings
 * and files and adds up sizes, which determines the layout. Afterwards, the pieces of the file can
 * be written in any order.
 */
#include "shard.h"

#include "base/byte_buffer.h"
#include "base/function.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "base/table.h"
#include "formats/gsym/write.h"

#include <cairn.h>
#include <stdlib.h>
#include <string.h>

struct gsym_string_entry {
	struct gsym_text text;
	uint64_t offset;
};

struct gsym_files_entry {
	uint64_t directory, name;
};

struct gsym_string_table {
	struct gsym_string_entry *text;
	size_t texts, text_capacity;
	struct slot_table text_slots; /* hash table; an entry is an index in `text` plus 1 */
	uint64_t size;

	struct gsym_files_entry *file;
	size_t files, file_capacity;
	/*
	 * hash table; an entry is an index in `file`, and the empty file (index 0) is not entered
	 */
	struct slot_table file_slots;
};

/*
 * Contents of a piece: the strings or records from `first` up to, but not including, `last`. The
 * first piece contains everything before the strings.
 */
struct gsym_outline_part {
	struct gsym_piece bytes;
	enum gsym_part_kind { GSYM_PART_TABLES, GSYM_PART_TEXTS, GSYM_PART_RECORDS } kind;
	size_t first, last;
};

struct gsym_outline {
	struct gsym_writer *writer;
	struct gsym_string_table texts;
	struct gsym_layout layout;
	uint32_t first;
	uint64_t *record_at; /* offset of each entry's record from the first record */
	const char *why;
	struct gsym_outline_part *piece;
	size_t pieces, piece_capacity;
};

enum {
	GSYM_RECORD_ALIGN = 4,
	GSYM_SIZE_FIELD = 4,
	GSYM_BLOCK_HEAD = 8,
};

static inline uint64_t gsym_outline_align(uint64_t size)
{
	return (size + GSYM_RECORD_ALIGN - 1) & ~(uint64_t)(GSYM_RECORD_ALIGN - 1);
}

static inline unsigned gsym_outline_strp_size(const struct gsym_outline *file)
{
	return file->layout.version == 1 ? 4 : 8;
}

static uint64_t hash_entry(const void *table, uint32_t number)
{
	const struct gsym_string_table *t = table;
	const struct gsym_string_entry *entry = &t->text[number - 1];

	return t->text_slots.key ? hash_text(entry->text.bytes, t->text_slots.key)
	                         : entry->text.hash;
}

/*
 * Compare the hashes first, because most strings that share a slot differ, and comparing long
 * symbol names takes time.
 */
static bool is_same_entry(const void *table, uint32_t number, const void *key)
{
	const struct gsym_text *own =
		&((const struct gsym_string_table *)table)->text[number - 1].text;
	const struct gsym_text *other = key;

	return own->hash == other->hash && own->bytes.size == other->bytes.size &&
	       (own->bytes.data == other->bytes.data ||
	        memcmp(own->bytes.data, other->bytes.data, own->bytes.size) == 0);
}

static uint64_t hash_file_entry(const struct gsym_files_entry *file, uint64_t key)
{
	if (key)
		return hash_text((struct cairn_bytes){ (const uint8_t *)file, sizeof(*file) }, key);
	return (file->directory * UINT64_C(0xff51afd7ed558ccd) ^ file->name) *
	               UINT64_C(0x9e3779b97f4a7c15) >>
	       32;
}

static uint64_t hash_file(const void *table, uint32_t number)
{
	const struct gsym_string_table *t = table;

	return hash_file_entry(&t->file[number], t->file_slots.key);
}

static bool is_same_file(const void *table, uint32_t number, const void *key)
{
	const struct gsym_files_entry *own =
		&((const struct gsym_string_table *)table)->file[number];
	const struct gsym_files_entry *other = key;

	return own->directory == other->directory && own->name == other->name;
}

static void gsym_string_table_finish(struct gsym_string_table *t)
{
	free(t->text);
	slot_table_finish(&t->text_slots);
	free(t->file);
	slot_table_finish(&t->file_slots);
	*t = (struct gsym_string_table){ .size = 0 };
}

/*
 * Return a string with its hash. A string that begins like a function path would be read as the
 * path of the preceding string, so an additional NUL is inserted before it.
 */
struct gsym_text gsym_read_text(struct cairn_bytes bytes)
{
	return (struct gsym_text){ bytes, (uint32_t)hash_bytes(bytes),
		                   bytes.size > 0 && bytes.data[0] == FUNCTION_PATH_MARK };
}

/*
 * Add a string, which must not be empty, and set *offset to its offset in the table. Returns false
 * if allocation fails.
 */
static bool gsym_string_table_add(struct gsym_string_table *t, const struct gsym_text *text,
                                  uint64_t *offset)
{
	/* the empty string is at offset 0, not in the table */
	INVARIANT(text->bytes.size > 0);
	if (!array_grow(&t->text, &t->text_capacity, t->texts + 1, sizeof(*t->text)) ||
	    !slot_table_reserve(&t->text_slots, t->texts, hash_entry, t))
		return false;
	uint32_t *slot = slot_table_find(
		&t->text_slots,
		t->text_slots.key ? hash_text(text->bytes, t->text_slots.key) : text->hash,
		is_same_entry, t, text);
	if (*slot == 0) {
		const struct gsym_string_entry new = { *text, t->size + text->has_gap };
		t->text[t->texts++] = new;
		t->size = new.offset + text->bytes.size + 1;
		*slot = (uint32_t)t->texts;
	}
	*offset = t->text[*slot - 1].offset;
	return true;
}

/* Add a file and set *number to its index. Even the empty file gets an index above 0. */
static bool gsym_string_table_add_file(struct gsym_string_table *t, struct gsym_files_entry file,
                                       uint32_t *number)
{
	if (!array_grow(&t->file, &t->file_capacity, t->files + 1, sizeof(*t->file)) ||
	    !slot_table_reserve(&t->file_slots, t->files - 1, hash_file, t))
		return false;
	uint32_t *slot = slot_table_find(&t->file_slots, hash_file_entry(&file, t->file_slots.key),
	                                 is_same_file, t, &file);
	if (*slot == 0) {
		*slot = (uint32_t)t->files;
		t->file[t->files++] = file;
	}
	*number = *slot;
	return true;
}

static void gsym_string_table_put_strings(const struct gsym_string_table *t, size_t first,
                                          size_t last, struct sink *out)
{
	if (first == 0)
		sink_u8(out, 0); /* the empty string at offset 0 */
	for (size_t i = first; i < last; i++) {
		const struct gsym_text *text = &t->text[i].text;
		if (text->has_gap)
			sink_u8(out, 0);
		sink_bytes(out, text->bytes.data, text->bytes.size);
		sink_u8(out, 0);
	}
}

/*
 * Minimum size of a piece in bytes, except for the last piece of its kind. A piece should still be
 * in the processor's cache when it is written to the file.
 */
enum { PIECE_SIZE = 1 << 18 };

static void patch_length(const struct gsym_outline *file, const struct sink *out, size_t at)
{
	if (!sink_fits(out))
		return;
	struct sink field = sink_open(out->data + at, GSYM_SIZE_FIELD);
	gsym_put(&field, out->size - at - 4, 4, file->layout.big);
}

/*
 * Write the type of a block and a placeholder for its length. Returns the offset of the placeholder
 * for patch_length().
 */
static size_t begin_block(const struct gsym_outline *file, struct sink *out, uint32_t type)
{
	gsym_put(out, type, 4, file->layout.big);
	gsym_put(out, 0, 4, file->layout.big);
	return out->size - 4;
}

static void write_gsym_block(const struct gsym_outline *file, struct sink *out, uint32_t type,
                             struct cairn_bytes draft, const struct gsym_numbers *numbers)
{
	if (draft.size == 0)
		return;
	size_t at = begin_block(file, out, type);
	gsym_resolve_draft(draft, numbers, out);
	patch_length(file, out, at);
}

static void write_gsym_record(const struct gsym_outline *file, uint32_t key, struct sink *out);

static void write_merged_records(const struct gsym_outline *file, uint32_t key, struct sink *out)
{
	const struct gsym_writer *writer = file->writer;
	uint32_t end = key + 1;

	while (end < writer->keys && writer->key[end].merged)
		end++;
	if (end == key + 1)
		return;
	size_t at = begin_block(file, out, GSYM_MERGED);
	gsym_put(out, end - key - 1, 4, file->layout.big);
	for (uint32_t i = key + 1; i < end; i++) {
		size_t length_at = out->size;
		gsym_put(out, 0, 4, file->layout.big);
		write_gsym_record(file, i, out);
		patch_length(file, out, length_at);
	}
	patch_length(file, out, at);
}

/*
 * Write a record. The recursion has only two levels, because nothing is merged into a merged
 * function.
 */
static void write_gsym_record(const struct gsym_outline *file, uint32_t key, struct sink *out)
{
	const struct gsym_key *k = &file->writer->key[key];
	const struct gsym_record *r = k->record;
	const struct gsym_shard *shard = file->writer->shard[k->shard];
	const struct gsym_layout *layout = &file->layout;
	struct gsym_numbers numbers = { .strings = shard->text_at,
		                        .files = shard->file_at,
		                        .strp_size = layout->version == 1 ? 4 : 8,
		                        .big = layout->big };
	const uint8_t *inlines = r->drafts + r->lines;

	gsym_put(out, k->size, 4, layout->big);
	gsym_put(out, shard->text_at[r->name], numbers.strp_size, layout->big);
	write_gsym_block(file, out, GSYM_LINES, (struct cairn_bytes){ r->drafts, r->lines },
	                 &numbers);
	write_gsym_block(file, out, GSYM_INLINES, (struct cairn_bytes){ inlines, r->inlines },
	                 &numbers);
	if (!k->merged)
		write_merged_records(file, key, out);
	write_gsym_block(file, out, GSYM_CALLS,
	                 (struct cairn_bytes){ inlines + r->inlines, r->calls }, &numbers);
	write_gsym_block(file, out, GSYM_COLUMNS,
	                 (struct cairn_bytes){ inlines + r->inlines + r->calls, r->columns },
	                 &numbers);
	gsym_put(out, GSYM_END, 4, layout->big);
	gsym_put(out, 0, 4, layout->big);
}

static void write_tables(const struct gsym_outline *file, struct sink *out)
{
	const struct gsym_layout *layout = &file->layout;

	const struct gsym_files_entry *entry = file->texts.file;
	const unsigned width = gsym_outline_strp_size(file);
	const uint64_t from = layout->version == 1 ? layout->records_at : 0;

	gsym_put_head(layout, out);
	for (uint32_t i = 0; i < layout->functions; i++) {
		uint64_t start = gsym_writer_start(file->writer, file->first + i);
		gsym_put(out, start - layout->base, layout->address_size, layout->big);
	}
	gsym_put_padding(out, layout->infos_at);
	for (uint32_t i = 0; i < layout->functions; i++)
		gsym_put(out, from + file->record_at[i], width, layout->big);
	gsym_put_padding(out, layout->files_at);
	gsym_put(out, file->texts.files, 4, layout->big);
	for (size_t i = 0; i < file->texts.files; i++) {
		gsym_put(out, entry[i].directory, width, layout->big);
		gsym_put(out, entry[i].name, width, layout->big);
	}
	gsym_put_padding(out, layout->strings_at);
}

static uint64_t find_record_end(const struct gsym_outline *file, size_t record)
{
	return record + 1 < file->layout.functions ? file->record_at[record + 1]
	                                           : file->layout.records_size;
}

static void write_gsym_records(const struct gsym_outline *file,
                               const struct gsym_outline_part *part, struct sink *out)
{
	const struct gsym_writer *writer = file->writer;
	const uint64_t from = file->record_at[part->first];

	for (size_t i = part->first; i < part->last; i++) {
		INVARIANT(out->size == file->record_at[i] - from);
		write_gsym_record(file, writer->entry[file->first + i], out);
		gsym_put_padding(out, find_record_end(file, i) - from);
	}
}

static bool append_part(struct gsym_outline *file, struct gsym_outline_part part)
{
	if (!array_grow(&file->piece, &file->piece_capacity, file->pieces + 1,
	                sizeof(*file->piece)))
		return false;
	part.bytes.at = file->pieces > 0 ? file->piece[file->pieces - 1].bytes.at +
	                                           file->piece[file->pieces - 1].bytes.size
	                                 : 0;
	file->piece[file->pieces++] = part;
	return true;
}

/*
 * Cut `count` items into pieces of at least PIECE_SIZE. The last piece may be smaller and ends at
 * `size`. find_end() returns the end of an item.
 */
static bool cut_items(struct gsym_outline *file, enum gsym_part_kind kind, size_t count,
                      uint64_t size,
                      uint64_t (*find_end)(const struct gsym_outline *file, size_t item))
{
	struct gsym_outline_part part = { .kind = kind };
	uint64_t from = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		const uint64_t end = find_end(file, i);
		if (end - from < PIECE_SIZE)
			continue;
		part.last = i + 1;
		part.bytes.size = (size_t)(end - from);
		if (!append_part(file, part))
			return false;
		part.first = part.last;
		from = end;
	}
	part.last = count;
	part.bytes.size = (size_t)(size - from);
	return append_part(file, part);
}

static uint64_t find_text_end(const struct gsym_outline *file, size_t text)
{
	const struct gsym_string_entry *entry = &file->texts.text[text];

	return entry->offset + entry->text.bytes.size + 1;
}

size_t gsym_outline_pieces(const struct gsym_outline *file)
{
	return file->pieces;
}

struct gsym_piece gsym_outline_piece(const struct gsym_outline *file, size_t number)
{
	INVARIANT(number < file->pieces);
	return file->piece[number].bytes;
}

void gsym_outline_put(const struct gsym_outline *file, size_t number, uint8_t *bytes)
{
	const struct gsym_outline_part *part = &file->piece[number];
	struct sink out = sink_open(bytes, part->bytes.size);

	switch (part->kind) {
	case GSYM_PART_TABLES:
		write_tables(file, &out);
		break;
	case GSYM_PART_TEXTS:
		gsym_string_table_put_strings(&file->texts, part->first, part->last, &out);
		gsym_put_padding(&out, part->bytes.size);
		break;
	case GSYM_PART_RECORDS:
		write_gsym_records(file, part, &out);
		break;
	}
	INVARIANT(out.size == part->bytes.size);
}

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

/* Number the strings and files that a block uses, and add the size of the block to *size. */
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

/*
 * Number the strings and files that a record uses, and add the size of the record, without the
 * functions merged into it, to *size.
 */
static bool use_record(struct gsym_outline *file, const struct gsym_key *key, uint64_t *size)
{
	struct gsym_shard *shard = file->writer->shard[key->shard];
	const struct gsym_record *r = key->record;
	const uint8_t *calls = r->drafts + r->lines + r->inlines;

	*size += GSYM_SIZE_FIELD + gsym_outline_strp_size(file) + GSYM_BLOCK_HEAD;
	return use_text(file, shard, r->name) &&
	       use_block(file, shard, (struct cairn_bytes){ r->drafts, r->lines }, size) &&
	       use_block(file, shard, (struct cairn_bytes){ r->drafts + r->lines, r->inlines },
	                 size) &&
	       use_block(file, shard, (struct cairn_bytes){ calls, r->calls }, size) &&
	       use_block(file, shard, (struct cairn_bytes){ calls + r->calls, r->columns }, size);
}

/* Compute the layout for `count` entries. Returns false if it does not fit into version 1. */
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

/*
 * Number the strings and files of an entry and of all functions merged into it, and add the size of
 * their records to *size.
 */
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
 * Number the strings and files of as many entries as fit into a file of `limit` bytes, but of at
 * most `most` entries, and set *count to the number of entries. Afterwards, the tables may contain
 * strings of one more entry.
 */
static bool number_entries(struct gsym_outline *file, uint32_t most, uint64_t limit,
                           uint32_t *count)
{
	struct gsym_string_table *texts = &file->texts;
	uint64_t size = 0;

	gsym_string_table_finish(texts);
	*texts = (struct gsym_string_table){ .size = 1 };
	if (!array_grow(&texts->file, &texts->file_capacity, 1, sizeof(*texts->file)) ||
	    !clear_numbers(file->writer))
		return false;
	texts->file[texts->files++] = (struct gsym_files_entry){ 0, 0 };
	for (*count = 0; *count < most; ++*count) {
		size = gsym_outline_align(size);
		file->record_at[*count] = size;
		if (!use_entry(file, file->first + *count, &size))
			return false;
		/*
		 * repeat the layout after each entry, because the string and file tables grow as
		 * well
		 */
		if (limit == UINT64_MAX && *count + 1 < most)
			continue;
		lay_out(file, *count + 1, size);
		if (file->layout.size > limit && *count > 0)
			break;
	}
	return true;
}

/*
 * Choose the version, number strings and files, and compute the layout. Sets *why to the reason if
 * the version differs from the requested version, otherwise to NULL.
 */
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

struct gsym_outline *gsym_writer_outline(struct gsym_writer *writer, uint32_t first, uint64_t limit)
{
	struct gsym_outline *file = malloc(sizeof(*file));

	if (!file)
		return NULL;
	*file = (struct gsym_outline){ .writer = writer, .first = first };
	file->record_at = malloc(((size_t)writer->entries - first + 1) * sizeof(*file->record_at));
	if (file->record_at && prepare_layout(file, limit, &file->why) &&
	    file->layout.size <= SIZE_MAX &&
	    append_part(
		    file,
		    (struct gsym_outline_part){ .kind = GSYM_PART_TABLES,
	                                        .bytes.size = (size_t)file->layout.strings_at }) &&
	    cut_items(file, GSYM_PART_TEXTS, file->texts.texts,
	              file->layout.records_at - file->layout.strings_at, find_text_end) &&
	    cut_items(file, GSYM_PART_RECORDS, file->layout.functions, file->layout.records_size,
	              find_record_end))
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
