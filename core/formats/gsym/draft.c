/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes drafts of records: runs of bytes, each followed by a 4-byte mark. The two
 * highest bits of a mark are its kind. Lengths and marks are in native byte order, because a draft
 * never leaves the process.
 */
#include "write.h"

#include <string.h>

enum {
	LENGTH_SIZE = GSYM_RUN_LENGTH_SIZE,
	MARK_SIZE = 4,
	KIND_SHIFT = 30,
	FILE_AT_FIRST = 1, /* file index at the start of each line table */
	OPCODE_FILE = 1,
};

static void begin_run(struct gsym_draft *draft)
{
	static const uint8_t length[LENGTH_SIZE];

	draft->run = draft->out.size;
	sink_bytes(&draft->out, length, LENGTH_SIZE);
}

static void end_run(struct gsym_draft *draft, enum gsym_mark mark, uint32_t number)
{
	uint32_t word = (uint32_t)mark << KIND_SHIFT | number;
	uint16_t length = (uint16_t)(draft->out.size - draft->run - LENGTH_SIZE);
	uint8_t bytes[MARK_SIZE];

	memcpy(bytes, &word, MARK_SIZE);
	sink_bytes(&draft->out, bytes, MARK_SIZE);
	if (sink_fits(&draft->out))
		memcpy(draft->out.data + draft->run, &length, LENGTH_SIZE);
}

/*
 * End the run with a mark and start the next one. There are many marks, so this avoids separate
 * writes where the capacity suffices.
 */
void gsym_draft_mark(struct gsym_draft *draft, enum gsym_mark mark, uint32_t number)
{
	enum { BOTH = MARK_SIZE + LENGTH_SIZE };
	const uint32_t word = (uint32_t)mark << KIND_SHIFT | number;
	const uint16_t length = (uint16_t)(draft->out.size - draft->run - LENGTH_SIZE);

	if (!sink_fits(&draft->out) || draft->out.room - draft->out.size < BOTH) {
		end_run(draft, mark, number);
		begin_run(draft);
		return;
	}
	uint8_t *at = draft->out.data + draft->out.size;
	memcpy(draft->out.data + draft->run, &length, LENGTH_SIZE);
	memcpy(at, &word, MARK_SIZE);
	memset(at + MARK_SIZE, 0, LENGTH_SIZE);
	draft->run = draft->out.size + MARK_SIZE;
	draft->out.size += BOTH;
}

struct gsym_draft gsym_draft(void *buffer, size_t room, bool big)
{
	struct gsym_draft draft = { .out = sink_open(buffer, room), .big = big };

	begin_run(&draft);
	return draft;
}

void gsym_draft_end(struct gsym_draft *draft)
{
	end_run(draft, GSYM_MARK_NONE, 0);
}

void gsym_draft_split(struct gsym_draft *draft)
{
	end_run(draft, GSYM_MARK_NONE, 0);
	begin_run(draft);
}

static void split_full_run(struct gsym_draft *draft)
{
	if (draft->out.size - draft->run > GSYM_RUN_MAX)
		gsym_draft_split(draft);
}

void gsym_draft_fixed(struct gsym_draft *draft, uint64_t value, size_t width)
{
	split_full_run(draft);
	gsym_put(&draft->out, value, width, draft->big);
}

static void append_uleb(struct sink *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		sink_u8(out, (uint8_t)(value | 0x80));
	sink_u8(out, (uint8_t)value);
}

void gsym_draft_long_uleb(struct gsym_draft *draft, uint64_t value)
{
	split_full_run(draft);
	append_uleb(&draft->out, value);
}

void gsym_draft_long_sleb(struct gsym_draft *draft, int64_t value)
{
	split_full_run(draft);
	while (value < -0x40 || value > 0x3f) {
		sink_u8(&draft->out, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	sink_u8(&draft->out, (uint8_t)(value & 0x7f));
}

static struct cairn_bytes next_run(struct cairn_bytes draft, size_t *at, uint32_t *mark)
{
	uint16_t length;

	memcpy(&length, draft.data + *at, LENGTH_SIZE);
	struct cairn_bytes run = { draft.data + *at + LENGTH_SIZE, length };
	memcpy(mark, run.data + run.size, MARK_SIZE);
	*at += LENGTH_SIZE + run.size + MARK_SIZE;
	return run;
}

/* Return the encoded size of a file mark, given the number of the file in the output. */
static inline unsigned measure_file(enum gsym_mark mark, uint32_t number)
{
	unsigned size = 1 + (mark == GSYM_MARK_FIRST_FILE);

	if (mark == GSYM_MARK_FIRST_FILE && number == FILE_AT_FIRST)
		return 0;
	for (; number > 0x7f; number >>= 7)
		size++;
	return size;
}

bool gsym_measure_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers, size_t *at,
                        uint64_t *size, enum gsym_mark *mark, uint32_t *number)
{
	uint64_t sum = 0;
	uint32_t word;
	bool known = true;

	while (known && *at < draft.size) {
		size_t next = *at;
		const size_t run = next_run(draft, &next, &word).size;
		*mark = (enum gsym_mark)(word >> KIND_SHIFT);
		*number = word & (GSYM_DRAFT_NUMBERS - 1);
		unsigned marked = 0;
		if (*mark == GSYM_MARK_STRING) {
			known = numbers->strings[*number] != GSYM_STRING_UNNUMBERED;
			marked = numbers->strp_size;
		} else if (*mark != GSYM_MARK_NONE) {
			known = numbers->files[*number] != GSYM_FILE_UNNUMBERED;
			marked = measure_file(*mark, numbers->files[*number]);
		}
		if (known) {
			sum += run + marked;
			*at = next;
		}
	}
	*size += sum;
	return !known;
}

static void append_first_file(struct sink *out, uint32_t file)
{
	if (file == FILE_AT_FIRST)
		return;
	sink_u8(out, OPCODE_FILE);
	append_uleb(out, file);
}

/*
 * Append a run. Runs of 8 to 16 bytes, which are frequent, are copied with two overlapping moves
 * instead of a call.
 */
static inline void append_run(struct sink *out, struct cairn_bytes run)
{
	enum { HALF = 8 };

	if (run.size < HALF || run.size > 2 * HALF || !sink_fits(out) ||
	    run.size > out->room - out->size) {
		sink_bytes(out, run.data, run.size);
		return;
	}
	uint8_t *to = out->data + out->size;
	memcpy(to, run.data, HALF);
	memcpy(to + run.size - HALF, run.data + run.size - HALF, HALF);
	out->size += run.size;
}

void gsym_resolve_draft(struct cairn_bytes draft, const struct gsym_numbers *numbers,
                        struct sink *out)
{
	uint32_t word;

	for (size_t at = 0; at < draft.size;) {
		struct cairn_bytes run = next_run(draft, &at, &word);
		uint32_t number = word & (GSYM_DRAFT_NUMBERS - 1);
		append_run(out, run);
		switch ((enum gsym_mark)(word >> KIND_SHIFT)) {
		case GSYM_MARK_NONE:
			break;
		case GSYM_MARK_STRING:
			gsym_put(out, numbers->strings[number], numbers->strp_size, numbers->big);
			break;
		case GSYM_MARK_FILE:
			append_uleb(out, numbers->files[number]);
			break;
		case GSYM_MARK_FIRST_FILE:
			append_first_file(out, numbers->files[number]);
			break;
		}
	}
}

void gsym_put(struct sink *out, uint64_t value, size_t width, bool big)
{
	uint8_t bytes[8];

	if (width == 4 && !big) {
		sink_little(out, value, 4);
		return;
	}
	for (size_t i = 0; i < width; i++)
		bytes[big ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
	sink_bytes(out, bytes, width);
}
