/* SPDX-License-Identifier: MIT */
/* Adds strings and files to the tables of a GSYM file and writes both tables. */
#include "string_table.h"

#include "base/array_grow.h"
#include "base/hash.h"
#include "base/invariant.h"

#include "formats/gsym/write.h"
#include "model/function.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_entry(const void *table, uint32_t number)
{
	const struct gsym_string_table *t = table;
	const struct gsym_string_entry *entry = &t->text[number - 1];

	return t->text_slots.key ? hash_text(entry->text.bytes, t->text_slots.key)
	                         : entry->text.hash;
}

/* The hash first: most of the texts that meet in a slot differ, and symbols are long. */
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

bool gsym_string_table_init(struct gsym_string_table *t)
{
	*t = (struct gsym_string_table){ .size = 1 }; /* the empty one */
	if (!array_grow(&t->file, &t->file_room, 1, sizeof(*t->file))) {
		gsym_string_table_finish(t);
		return false;
	}
	t->file[t->files++] = (struct gsym_files_entry){ 0, 0 };
	return true;
}

void gsym_string_table_finish(struct gsym_string_table *t)
{
	free(t->text);
	slot_table_finish(&t->text_slots);
	free(t->file);
	slot_table_finish(&t->file_slots);
	*t = (struct gsym_string_table){ .size = 0 };
}

/* A text that begins like a path would be taken for that of the text before it: a gap keeps them apart. */
struct gsym_text gsym_read_text(struct cairn_bytes bytes)
{
	return (struct gsym_text){ bytes, (uint32_t)hash_bytes(bytes),
		                   bytes.size > 0 && bytes.data[0] == FUNCTION_PATH_MARK };
}

bool gsym_string_table_add(struct gsym_string_table *t, const struct gsym_text *text,
                           uint64_t *offset)
{
	INVARIANT(text->bytes.size > 0); /* the empty text is at offset 0, and not in the table */
	if (!array_grow(&t->text, &t->text_room, t->texts + 1, sizeof(*t->text)) ||
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

bool gsym_string_table_add_file(struct gsym_string_table *t, struct gsym_files_entry file,
                                uint32_t *number)
{
	if (!array_grow(&t->file, &t->file_room, t->files + 1, sizeof(*t->file)) ||
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

uint64_t gsym_string_table_end(const struct gsym_string_table *t, size_t text)
{
	return t->text[text].offset + t->text[text].text.bytes.size + 1;
}

void gsym_string_table_put_strings(const struct gsym_string_table *t, size_t first, size_t last,
                                   struct sink *out)
{
	if (first == 0)
		sink_u8(out, 0); /* the empty one */
	for (size_t i = first; i < last; i++) {
		const struct gsym_text *text = &t->text[i].text;
		if (text->has_gap)
			sink_u8(out, 0);
		sink_bytes(out, text->bytes.data, text->bytes.size);
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
