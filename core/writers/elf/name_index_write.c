/* SPDX-License-Identifier: MIT */
/*
 * Writes GDB's index of names. Numbers have 4 bytes unless noted, and are little-endian:
 *
 *	index   = version offset*5 unit* address* slot* vector* text*
 *	unit    = offset:8 size:8
 *	address = low:8 high:8 unit
 *	slot    = text vector                   a hash table; offsets after the slots, both 0: free
 *	vector  = count (unit | kind << 28)*count
 */
#include "name_index_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 8,
	HEADER_SIZE = 24,
	UNIT_BITS = NAME_INDEX_UNITS_MAX - 1,
	SLOTS_MIN = 16,
	PROBES_MAX = 16, /* average probes per slot; crafted names may all collide */
};

/* Return true if the value is among the values of the same unit at the end of a vector. */
static bool is_last_of_vector(const uint32_t *value, uint32_t count, uint32_t wanted)
{
	while (count > 0 && (value[count - 1] & UNIT_BITS) == (wanted & UNIT_BITS))
		if (value[--count] == wanted)
			return true;
	return false;
}

/* Entries grouped by symbol. `start` and `count` give the values of each. */
struct vectors {
	uint32_t *value, *start, *count;
};

static bool sort_entries(const struct name_index *index, struct vectors *v)
{
	const size_t symbols = index->names.count;
	uint32_t total = 0;

	v->value = malloc((index->entries + 1) * sizeof(*v->value));
	v->start = calloc(symbols + 1, sizeof(*v->start));
	v->count = calloc(symbols + 1, sizeof(*v->count));
	if (!v->value || !v->start || !v->count)
		return false;
	for (size_t i = 0; i < index->entries; i++)
		v->start[index->entry[i].symbol]++;
	for (size_t i = 0; i < symbols; i++) {
		const uint32_t room = v->start[i];
		v->start[i] = total;
		total += room;
	}
	for (size_t i = 0; i < index->entries; i++) {
		const struct name_entry *e = &index->entry[i];
		uint32_t *value = v->value + v->start[e->symbol], *count = &v->count[e->symbol];
		if (!is_last_of_vector(value, *count, e->value))
			value[(*count)++] = e->value;
	}
	return true;
}

/*
 * Write the vectors and store the offset of each in `start`. Consecutive functions often have equal
 * vectors, which are shared.
 */
static void write_vectors(const struct name_index *index, struct vectors *v,
                          struct byte_buffer *out)
{
	uint32_t last_value = 0, last_at = 0;

	for (size_t i = 1; i < index->names.count; i++) {
		const uint32_t *value = v->value + v->start[i];
		const bool single = v->count[i] == 1;
		if (single && out->size > 0 && *value == last_value) {
			v->start[i] = last_at;
			continue;
		}
		const uint32_t at = (uint32_t)out->size;
		byte_buffer_number(out, v->count[i], 4);
		for (uint32_t j = 0; j < v->count[i]; j++)
			byte_buffer_number(out, value[j], 4);
		v->start[i] = at;
		if (single) {
			last_value = *value;
			last_at = at;
		}
	}
}

static uint32_t hash_name(struct cairn_bytes name)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < name.size; i++) {
		const uint8_t byte = name.data[i];
		const uint8_t low = byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
		hash = hash * 67 + low - 113;
	}
	return hash;
}

struct slots {
	uint8_t *data;
	size_t count;
	size_t probes;
};

static void put_slot(struct slots *s, uint32_t hash, uint32_t text, uint32_t vector)
{
	const size_t mask = s->count - 1, step = ((hash * 17u) & mask) | 1;
	size_t at = hash & mask;
	static const uint8_t none[8];

	while (s->probes > 0 && memcmp(s->data + 8 * at, none, sizeof(none)) != 0) {
		at = (at + step) & mask;
		s->probes--;
	}
	for (unsigned i = 0; i < 4; i++) {
		s->data[8 * at + i] = (uint8_t)(text >> (8 * i));
		s->data[8 * at + 4 + i] = (uint8_t)(vector >> (8 * i));
	}
}

/*
 * Write the hash table. Symbols without entries are skipped. Sets index->left_out if the table
 * would need too many probes. Return false if memory is short.
 */
static bool write_slots(struct name_index *index, const struct vectors *v, size_t vectors_size,
                        struct byte_buffer *out)
{
	struct slots slots = { .count = SLOTS_MIN };

	while (slots.count <= (size_t)index->names.count * 4 / 3)
		slots.count *= 2;
	slots.probes = PROBES_MAX * slots.count;
	slots.data = byte_buffer_extend(out, 8 * slots.count);
	if (!slots.data)
		return false;
	memset(slots.data, 0, 8 * slots.count);
	for (uint32_t i = 1; i < index->names.count; i++)
		if (v->count[i] > 0)
			put_slot(&slots, hash_name(interner_text(&index->names, i)),
			         (uint32_t)(vectors_size + index->names.entry[i].offset),
			         v->start[i]);
	index->left_out = slots.probes == 0;
	return true;
}

static void write_index_header(const struct name_index *index, const struct byte_buffer *slots,
                               struct byte_buffer *out)
{
	const size_t types = HEADER_SIZE + index->units.size,
		     symbols = types + index->addresses.size;

	byte_buffer_number(out, VERSION, 4);
	byte_buffer_number(out, HEADER_SIZE, 4);
	byte_buffer_number(out, types, 4); /* the type table is empty */
	byte_buffer_number(out, types, 4);
	byte_buffer_number(out, symbols, 4);
	byte_buffer_number(out, symbols + slots->size, 4);
}

static void take_buffer(struct byte_buffer *to, struct byte_buffer *from)
{
	*to = *from;
	*from = (struct byte_buffer){ .data = NULL };
}

static bool write_parts(struct name_index *index, struct vectors *v,
                        struct byte_buffer part[ELF_WRITER_INDEX_PARTS])
{
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		part[i].limit = SIZE_MAX / 2;
	if (!sort_entries(index, v))
		return false;
	name_index_forget_entries(index);
	write_vectors(index, v, &part[4]);
	if (!write_slots(index, v, part[4].size, &part[3]))
		return false;
	write_index_header(index, &part[3], &part[0]);
	take_buffer(&part[1], &index->units);
	take_buffer(&part[2], &index->addresses);
	take_buffer(&part[5], &index->names.text);
	return !part[0].failed && !part[4].failed;
}

/* Return true if the offsets fit in 32 bits and the size is below the limit of sections. */
static bool is_of_size(const struct elf_writer *w)
{
	size_t left = w->limit < UINT32_MAX ? w->limit : UINT32_MAX;

	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++) {
		if (w->index[i].size > left)
			return false;
		left -= w->index[i].size;
	}
	return true;
}

bool name_index_finish(struct name_index *index)
{
	struct vectors v = { .value = NULL };

	if (index->left_out || index->unit == 0 || index->entries > UINT32_MAX / 8)
		return true;
	const bool done = write_parts(index, &v, index->w->index);
	if (!done || index->left_out || !is_of_size(index->w))
		for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
			byte_buffer_finish(&index->w->index[i]);
	free(v.value);
	free(v.start);
	free(v.count);
	return done;
}
