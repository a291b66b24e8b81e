/* SPDX-License-Identifier: MIT */
/* Writes a GSYM file that is laid out, piece by piece, in any order. */
#include "pieces.h"

#include "base/invariant.h"

#include <stdlib.h>

/* Bytes that a piece has at least, but for the last of a table: what is written is still near the processor then. */
enum { PIECE_SIZE = 1 << 18 };

/* Puts the length of what follows a field of 4 bytes at `at` there. */
static void patch_length(const struct gsym_outline *file, const struct sink *out, size_t at)
{
	if (!sink_fits(out))
		return;
	struct sink field = sink_open(out->data + at, GSYM_SIZE_FIELD);
	gsym_put(&field, out->size - at - 4, 4, file->layout.big);
}

/* Type and a length that patch_length() will put there; returns where. */
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

/* A function that is merged into another one has none merged into itself, so that this goes two deep. */
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

static void write_address_table(const struct gsym_outline *file, struct sink *out)
{
	const struct gsym_layout *layout = &file->layout;

	for (uint32_t i = 0; i < layout->functions; i++) {
		uint64_t start = gsym_writer_start(file->writer, file->first + i);
		gsym_put(out, start - layout->base, layout->address_size, layout->big);
	}
	gsym_put_padding(out, layout->infos_at);
}

/* Where each record is. */
static void write_info_table(const struct gsym_outline *file, struct sink *out)
{
	const struct gsym_layout *layout = &file->layout;
	const uint64_t from = layout->version == 1 ? layout->records_at : 0;

	for (uint32_t i = 0; i < layout->functions; i++)
		gsym_put(out, from + file->record_at[i], gsym_outline_strp_size(file), layout->big);
}

static void write_tables(const struct gsym_outline *file, struct sink *out)
{
	const struct gsym_layout *layout = &file->layout;

	gsym_put_head(layout, out);
	write_address_table(file, out);
	write_info_table(file, out);
	gsym_put_padding(out, layout->files_at);
	gsym_string_table_put_files(&file->texts, gsym_outline_strp_size(file), layout->big, out);
	gsym_put_padding(out, layout->strings_at);
}

/* Where a record ends, with what is before the next one. */
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
	if (!array_grow(&file->piece, &file->piece_room, file->pieces + 1, sizeof(*file->piece)))
		return false;
	part.bytes.at = file->pieces > 0 ? file->piece[file->pieces - 1].bytes.at +
	                                           file->piece[file->pieces - 1].bytes.size
	                                 : 0;
	file->piece[file->pieces++] = part;
	return true;
}

/* Cuts `count` items into parts, each of PIECE_SIZE or more except the last, which ends at `size`; find_end() returns the end of an item. */
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
	return gsym_string_table_end(&file->texts, text);
}

bool gsym_outline_cut(struct gsym_outline *file)
{
	const struct gsym_outline_part tables = { .kind = GSYM_PART_TABLES,
		                                  .bytes.size = (size_t)file->layout.strings_at };

	return file->layout.size <= SIZE_MAX && append_part(file, tables) &&
	       cut_items(file, GSYM_PART_TEXTS, file->texts.texts,
	                 file->layout.records_at - file->layout.strings_at, find_text_end) &&
	       cut_items(file, GSYM_PART_RECORDS, file->layout.functions, file->layout.records_size,
	                 find_record_end);
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
