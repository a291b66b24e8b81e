/* SPDX-License-Identifier: MIT */
/* Gathers rules into functions, encodes the functions and assembles the table. */
#include "table.h"

#include "base/hash.h"
#include "base/memory.h"
#include "formats/sframe/sframe.h"

#include <stdlib.h>
#include <string.h>

/*
 * Starts in version 2 are 32-bit offsets from the record or from the table. The records have at
 * most DRAFT_RECORDS_MAX bytes, so a start within DRAFT_REACH of the table is in range of every
 * record.
 */
enum { DRAFT_RECORDS_MAX = 1 << 28, DRAFT_REACH = INT32_MAX - DRAFT_RECORDS_MAX };

void sframe_draft_finish(struct sframe_draft *draft)
{
	byte_buffer_finish(&draft->data);
	slot_table_finish(&draft->slots);
	free(draft->record);
	free(draft->row);
	free(draft->shared);
}

static uint64_t hash_shared(const void *items, uint32_t number)
{
	const struct sframe_draft *draft = items;
	const struct sframe_shared *shared = &draft->shared[number - 1];

	return hash_text((struct cairn_bytes){ draft->data.data + shared->at, shared->size },
	                 draft->slots.key);
}

static bool is_same_data(const void *items, uint32_t number, const void *key)
{
	const struct sframe_draft *draft = items;
	const struct sframe_shared *a = &draft->shared[number - 1], *b = key;

	return a->size == b->size &&
	       memcmp(draft->data.data + a->at, draft->data.data + b->at, a->size) == 0;
}

/*
 * Share the data of a function, which was just appended at `at`: if an earlier function has equal
 * data, remove the copy. Return the offset of the data to use.
 */
static uint32_t share_data(struct sframe_draft *draft, uint32_t at)
{
	const struct sframe_shared key = { at, (uint32_t)draft->data.size - at };

	if (!slot_table_reserve(&draft->slots, draft->shared_count, hash_shared, draft) ||
	    !array_grow(&draft->shared, &draft->shared_room, draft->shared_count + 1,
	                sizeof(*draft->shared))) {
		draft->failed = true;
		return at;
	}
	const struct cairn_bytes bytes = { draft->data.data + at, key.size };
	uint32_t *slot = slot_table_find(&draft->slots, hash_text(bytes, draft->slots.key),
	                                 is_same_data, draft, &key);
	if (*slot != 0) {
		draft->data.size = at;
		return draft->shared[*slot - 1].at;
	}
	draft->shared[draft->shared_count++] = key;
	*slot = (uint32_t)draft->shared_count;
	return at;
}

static struct sframe_written_row *find_open_rows(const struct sframe_draft *draft)
{
	return draft->kept > 0 ? draft->row + draft->kept : draft->row;
}

static void write_gathered(struct sframe_draft *draft, const struct sframe_written_function *f)
{
	const size_t at = draft->data.size,
		     most = SFRAME_WRITE_ATTRIBUTE + (size_t)f->rows * SFRAME_WRITE_ROW_MAX;

	if (!array_grow(&draft->record, &draft->record_room, draft->records + 1,
	                sizeof(*draft->record)) ||
	    !byte_buffer_extend(&draft->data, most)) {
		draft->failed = true;
		return;
	}
	struct sframe_record *record = &draft->record[draft->records++];
	struct sink out = sink_open(draft->data.data + at, most);
	sframe_write_function(&out, &draft->format, f, record);
	draft->data.size = at + out.size;
	record->rows_at = draft->share ? share_data(draft, (uint32_t)at) : (uint32_t)at;
	draft->rows += f->rows;
	draft->failed = draft->failed || draft->rows > UINT32_MAX ||
	                draft->records > DRAFT_RECORDS_MAX / sframe_record_size(2);
}

/*
 * Return true if the function in progress can be joined to the previous one. It must begin where
 * the previous one ends, and all row starts must still fit in one byte, which also bounds the
 * number of rows that readers must scan.
 */
static bool joins_before(const struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function, *before = &draft->before;
	const uint64_t distance = f->start - before->start;

	return draft->kept > 0 && f->repeat == 0 && f->rows > 0 && distance == before->size &&
	       distance + f->row[f->rows - 1].start <= UINT8_MAX &&
	       f->size <= UINT32_MAX - before->size && f->signal == before->signal &&
	       f->key_b == before->key_b &&
	       sframe_write_needs_flexible(&draft->format, f) ==
	               sframe_write_needs_flexible(&draft->format, before);
}

/*
 * Remove the previous function from the output, and write it again with the rows of the function in
 * progress.
 */
static void join_function(struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function;
	struct sframe_written_function *before = &draft->before;
	const uint32_t distance = before->size;
	const uint32_t first =
		sframe_write_is_same_rule(&draft->row[draft->kept - 1], &f->row[0]) ? 1 : 0;

	draft->data.size = draft->record[--draft->records].rows_at;
	draft->rows -= before->rows;
	for (uint32_t i = first; i < f->rows; i++) {
		struct sframe_written_row *row = &draft->row[before->rows++];
		*row = f->row[i];
		row->start += distance;
	}
	before->size += f->size;
	before->row = draft->row;
	draft->kept = before->rows;
	write_gathered(draft, before);
}

/* Remember the function, because the next one may be joined to it. */
static void keep_function(struct sframe_draft *draft)
{
	const struct sframe_written_function *f = &draft->function;
	const bool joins = f->repeat == 0 && f->rows > 0;

	if (joins)
		memmove(draft->row, f->row, f->rows * sizeof(*f->row));
	draft->before = *f;
	draft->before.row = draft->row;
	draft->kept = joins ? f->rows : 0;
}

static void close_function(struct sframe_draft *draft)
{
	struct sframe_written_function *f = &draft->function;

	if (!draft->open || draft->failed)
		return;
	draft->open = false;
	f->row = find_open_rows(draft);
	f->size = (uint32_t)(draft->end - f->start);
	if (draft->join && joins_before(draft)) {
		join_function(draft);
		return;
	}
	write_gathered(draft, f);
	if (draft->join && !draft->failed)
		keep_function(draft);
}

void sframe_draft_begin(struct sframe_draft *draft, bool signal, bool key_b)
{
	close_function(draft);
	draft->function.signal = signal;
	draft->function.key_b = key_b;
}

void sframe_draft_end(struct sframe_draft *draft)
{
	close_function(draft);
}

static void open_function(struct sframe_draft *draft, uint64_t low, uint8_t repeat)
{
	close_function(draft);
	draft->open = true;
	draft->function.start = draft->end = low;
	draft->function.repeat = repeat;
	draft->function.rows = 0;
}

static void put_row(struct sframe_draft *draft, uint64_t start,
                    const struct sframe_written_row *row)
{
	struct sframe_written_function *f = &draft->function;

	if (!array_grow(&draft->row, &draft->row_room, draft->kept + f->rows + 1,
	                sizeof(*draft->row))) {
		draft->failed = true;
		return;
	}
	struct sframe_written_row *put = &find_open_rows(draft)[f->rows++];
	*put = *row;
	put->start = (uint32_t)start;
}

static void add_row(struct sframe_draft *draft, uint64_t start,
                    const struct sframe_written_row *row)
{
	const uint32_t rows = draft->function.rows;

	if (rows == 0 || !sframe_write_is_same_rule(&find_open_rows(draft)[rows - 1], row))
		put_row(draft, start, row);
}

static bool continues_function(const struct sframe_draft *draft, uint64_t low, uint64_t high)
{
	const struct sframe_written_function *f = &draft->function;

	return draft->open && f->repeat == 0 && f->rows > 0 && draft->end == low &&
	       high - f->start <= UINT32_MAX && f->rows < SFRAME_WRITE_ROWS_MAX;
}

/* Return true if the start is in range, whichever record it is stored in. */
static bool is_in_reach(const struct sframe_draft *draft, uint64_t low)
{
	const uint64_t distance = low - draft->address;

	return draft->format.version != 2 || draft->relocatable ||
	       distance + DRAFT_REACH <= 2 * (uint64_t)DRAFT_REACH;
}

bool sframe_draft_add(struct sframe_draft *draft, uint64_t low, uint64_t high,
                      const struct places *places)
{
	if (places->rows == 2)
		return sframe_draft_add_block(draft, low, high, PLACES_BLOCK, places->row, 2);
	if (high - low > UINT32_MAX || !is_in_reach(draft, low))
		return false;
	if (!continues_function(draft, low, high))
		open_function(draft, low, 0);
	if (!draft->failed)
		add_row(draft, low - draft->function.start, &places->row[0]);
	draft->end = high;
	return true;
}

bool sframe_draft_add_block(struct sframe_draft *draft, uint64_t low, uint64_t high, uint8_t repeat,
                            const struct sframe_written_row *row, uint32_t count)
{
	if (high - low > UINT32_MAX || !is_in_reach(draft, low))
		return false;
	open_function(draft, low, repeat);
	/*
	 * Equal rows are kept, because readers would mistake a block with a single row for one that
	 * a linker is known to write incorrectly, and correct it.
	 */
	for (uint32_t i = 0; i < count && !draft->failed; i++)
		put_row(draft, row[i].start, &row[i]);
	draft->end = high;
	return true;
}

bool sframe_draft_add_rowless(struct sframe_draft *draft, uint64_t low, uint64_t high)
{
	return sframe_draft_add_block(draft, low, high, 0, NULL, 0);
}

static void write_records(const struct sframe_draft *draft, struct sink *out)
{
	const uint8_t size = sframe_record_size(draft->format.version);
	const bool by_section = draft->format.version == 2 && draft->format.by_section;

	for (size_t i = 0; i < draft->records; i++) {
		const uint64_t field = draft->address + SFRAME_HEADER + i * size;
		const uint64_t base = by_section ? draft->address : field;
		const bool in_reach = sframe_write_record(
			out, &draft->format, draft->relocatable ? draft->record[i].start : base,
			&draft->record[i]);
		INVARIANT(in_reach);
		(void)in_reach;
	}
}

void sframe_draft_write(struct sframe_draft *draft, struct byte_buffer *out)
{
	const struct sframe_totals totals = { (uint32_t)draft->records, (uint32_t)draft->rows,
		                              (uint32_t)draft->data.size };
	const size_t size =
		SFRAME_HEADER + draft->records * sframe_record_size(draft->format.version);

	draft->failed = draft->failed || draft->data.failed;
	uint8_t *head = draft->failed ? NULL : byte_buffer_extend(out, size);
	if (!head)
		return;
	struct sink sink = sink_open(head, size);
	sframe_write_header(&sink, &draft->format, &totals);
	if (draft->relocatable)
		head[SFRAME_FLAGS_AT] &= (uint8_t)~SFRAME_FLAG_SORTED;
	write_records(draft, &sink);
	byte_buffer_bytes(out, draft->data.data, draft->data.size);
}
