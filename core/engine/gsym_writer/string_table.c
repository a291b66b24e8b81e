/* SPDX-License-Identifier: MIT */
/* Adds strings and files to the tables of a GSYM file and writes both tables. */
#include "string_table.h"

#include "shard.h"

#include "formats/gsym/write.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10, BITS_MAX = 31 };

/* Eight bytes at a time, for symbols are long. */
static uint32_t hash_text(struct cairn_bytes text)
{
	uint64_t hash = text.size * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = 0;

	for (uint64_t word; i + sizeof(word) <= text.size; i += sizeof(word)) {
		memcpy(&word, text.data + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	for (; i < text.size; i++)
		hash = (hash ^ text.data[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash >> 32 ^ hash);
}

static uint32_t hash_file(struct gsym_files_entry file)
{
	uint64_t hash = (file.directory * UINT64_C(0xff51afd7ed558ccd) ^ file.name) *
	                UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> 32);
}

static bool is_same_gsym_text(const struct gsym_string_entry *a, const struct gsym_string_entry *b)
{
	return a->hash == b->hash && a->text.size == b->text.size &&
	       memcmp(a->text.data, b->text.data, a->text.size) == 0;
}

static uint32_t *text_slot(const struct gsym_string_table *t, const struct gsym_string_entry *text)
{
	uint32_t mask = (uint32_t)((UINT64_C(1) << t->bits) - 1);
	uint32_t at = text->hash & mask;

	while (t->slot[at] != 0 && !is_same_gsym_text(&t->text[t->slot[at] - 1], text))
		at = (at + 1) & mask;
	return &t->slot[at];
}

static uint32_t *file_slot(const struct gsym_string_table *t, struct gsym_files_entry file)
{
	uint32_t mask = (uint32_t)((UINT64_C(1) << t->file_bits) - 1);
	uint32_t at = hash_file(file) & mask;

	for (uint32_t number; (number = t->file_slot[at]) != 0; at = (at + 1) & mask)
		if (t->file[number].directory == file.directory &&
		    t->file[number].name == file.name)
			break;
	return &t->file_slot[at];
}

/* Twice as many slots, all empty. */
static bool more_slots(uint32_t **slot, unsigned *bits)
{
	unsigned wanted = *slot ? *bits + 1 : FIRST_BITS;
	uint32_t *grown = wanted > BITS_MAX ? NULL : calloc((size_t)1 << wanted, sizeof(*grown));

	if (!grown)
		return false;
	free(*slot);
	*slot = grown;
	*bits = wanted;
	return true;
}

static bool is_full(size_t count, unsigned bits)
{
	return 3 * (uint64_t)count >= UINT64_C(2) << bits;
}

static bool room_for_text(struct gsym_string_table *t)
{
	if (!array_grow(&t->text, &t->text_room, t->texts + 1, sizeof(*t->text)))
		return false;
	if (!is_full(t->texts, t->bits))
		return true;
	if (!more_slots(&t->slot, &t->bits))
		return false;
	for (size_t i = 0; i < t->texts; i++)
		*text_slot(t, &t->text[i]) = (uint32_t)(i + 1);
	return true;
}

static bool room_for_file(struct gsym_string_table *t)
{
	if (!array_grow(&t->file, &t->file_room, t->files + 1, sizeof(*t->file)))
		return false;
	if (!is_full(t->files, t->file_bits))
		return true;
	if (!more_slots(&t->file_slot, &t->file_bits))
		return false;
	for (size_t i = 1; i < t->files; i++)
		*file_slot(t, t->file[i]) = (uint32_t)i;
	return true;
}

bool gsym_string_table_init(struct gsym_string_table *t)
{
	*t = (struct gsym_string_table){ .size = 1 }; /* the empty one */
	if (!array_grow(&t->file, &t->file_room, 1, sizeof(*t->file)) ||
	    !more_slots(&t->slot, &t->bits) || !more_slots(&t->file_slot, &t->file_bits)) {
		gsym_string_table_finish(t);
		return false;
	}
	t->file[t->files++] = (struct gsym_files_entry){ 0, 0 };
	return true;
}

void gsym_string_table_finish(struct gsym_string_table *t)
{
	free(t->text);
	free(t->slot);
	free(t->file);
	free(t->file_slot);
	*t = (struct gsym_string_table){ .size = 0 };
}

bool gsym_string_table_add(struct gsym_string_table *t, struct cairn_bytes text, uint64_t *offset)
{
	struct gsym_string_entry new = { text, t->size, hash_text(text) };

	if (!room_for_text(t))
		return false;
	uint32_t *slot = text_slot(t, &new);
	if (*slot == 0) {
		t->text[t->texts++] = new;
		t->size += text.size + 1;
		*slot = (uint32_t)t->texts;
	}
	*offset = t->text[*slot - 1].offset;
	return true;
}

bool gsym_string_table_add_file(struct gsym_string_table *t, struct gsym_files_entry file,
                                uint32_t *number)
{
	if (t->files >= UINT32_MAX || !room_for_file(t))
		return false;
	uint32_t *slot = file_slot(t, file);
	if (*slot == 0) {
		*slot = (uint32_t)t->files;
		t->file[t->files++] = file;
	}
	*number = *slot;
	return true;
}

void gsym_string_table_put_strings(const struct gsym_string_table *t, struct sink *out)
{
	sink_u8(out, 0);
	for (size_t i = 0; i < t->texts; i++) {
		sink_bytes(out, t->text[i].text.data, t->text[i].text.size);
		sink_u8(out, 0);
	}
}

void gsym_string_table_put_files(const struct gsym_string_table *t, unsigned width, bool big,
                                 struct sink *out)
{
	gsym_put(out, t->files, 4, big);
	for (size_t i = 0; i < t->files; i++) {
		gsym_put(out, t->file[i].directory, width, big);
		gsym_put(out, t->file[i].name, width, big);
	}
}
