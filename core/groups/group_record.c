/* SPDX-License-Identifier: MIT */
/*
 * Reads {"id":"...","rules":1,"names":"all","count":2,"signature":["f","main"],"first":1,"last":2,
 * "example":{"hash":"...","core":"..."}}. Verifies that the ID matches the signature, so that a
 * forged line cannot give one group the names of another.
 */
#include "group_record.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/json_reader.h"
#include "base/memory.h"

enum { ID, RULES, NAMES, COUNT, SIGNATURE, FIRST, LAST, EXAMPLE, HASHES, MEMBERS };

static const char *const member_names[MEMBERS] = { "id",    "rules",     "names",
	                                           "count", "signature", "first",
	                                           "last",  "example",   "hashes" };

static bool read_names_word(const struct json_reader_value *value, enum signature_names *names)
{
	static const enum signature_names all[] = { SIGNATURE_ALL, SIGNATURE_SOME, SIGNATURE_NONE };

	if (value->kind != JSON_READER_STRING)
		return false;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (bytes_are(value->text, signature_names_word(all[i]))) {
			*names = all[i];
			return true;
		}
	return false;
}

/*
 * Append a name to the signature. Return false if signature_make() could not have produced it: it
 * is empty, too long or contains control characters.
 */
static bool put_record_name(struct group_reader *r, const struct json_reader_value *value)
{
	if (value->kind != JSON_READER_STRING)
		return false;
	json_reader_text(value, r->name, sizeof(r->name));
	const struct cairn_bytes name = { (const uint8_t *)r->name, strlen(r->name) };
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < ' ' || name.data[i] == 0x7f)
			return false;
	return name.size > 0 && name.size <= NAME_FORM_MAX && signature_put(&r->signature, name);
}

static bool read_signature(struct group_reader *r, const struct json_reader_value *names)
{
	struct json_reader_value name;
	size_t count = 0;

	r->signature.size = 0;
	for (size_t at = 0; json_reader_element(names, &at, &name); count++)
		if (count >= SIGNATURE_NAMES_MAX || !put_record_name(r, &name))
			return false;
	return count > 0;
}

/* Read the first and last time. Return false if only one is present or they are out of order. */
static bool read_times(const struct json_reader_value *value, struct group_entry *entry)
{
	if (!value[FIRST].text.data && !value[LAST].text.data)
		return true;
	entry->has_time = true;
	return json_reader_whole(&value[FIRST], &entry->first) &&
	       json_reader_whole(&value[LAST], &entry->last) && entry->first <= entry->last;
}

static bool read_digits_of(const struct json_reader_value *value, uint8_t *out, size_t size)
{
	return value->kind == JSON_READER_STRING && hex_read(value->text, out, size);
}

static bool read_example(struct group_reader *r, const struct json_reader_value *example,
                         struct group_entry *entry)
{
	struct json_reader_value hash, core;

	if (!json_reader_member(example, "hash", &hash) ||
	    !read_digits_of(&hash, entry->hash, sizeof(entry->hash)))
		return false;
	r->core[0] = '\0';
	if (json_reader_member(example, "core", &core) && core.kind == JSON_READER_STRING)
		json_reader_text(&core, r->core, sizeof(r->core));
	entry->core = (struct cairn_bytes){ (const uint8_t *)r->core, strlen(r->core) };
	return true;
}

/*
 * Read the hashes of the crashes, which are optional. Return false if their number differs from the
 * count of the group.
 */
static bool read_hashes(struct group_reader *r, const struct json_reader_value *hashes,
                        struct group_entry *entry)
{
	struct json_reader_value hash;

	for (size_t at = 0; json_reader_element(hashes, &at, &hash); entry->hash_count++)
		if (!array_grow(&r->hashes, &r->hash_room, entry->hash_count + 1,
		                sizeof(*r->hashes)) ||
		    !read_digits_of(&hash, r->hashes[entry->hash_count].bytes, GROUP_HASH_SIZE))
			return false;
	entry->hashes = r->hashes;
	return !hashes->text.data || entry->hash_count == entry->count;
}

/*
 * Return true if the group was made under the rules of `r`. The version is a number, or a string if
 * the user added rules.
 */
static bool is_of_these_rules(const struct group_reader *r, const struct json_reader_value *value)
{
	uint64_t rules;

	return r->rules ? value->kind == JSON_READER_STRING &&
	                          bytes_are(value->text, r->rules->version)
	                : json_reader_whole(value, &rules) && rules == SIGNATURE_RULES;
}

static bool has_this_id(const struct json_reader_value *value, uint64_t id)
{
	uint8_t bytes[sizeof(id)];
	uint64_t sum = 0;

	if (!read_digits_of(value, bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		sum = sum << 8 | bytes[i];
	return sum == id;
}

static bool refuse_record(struct cairn_fault *fault, enum cairn_status status, const char *what)
{
	*fault = (struct cairn_fault){ status, 0, what };
	return false;
}

bool group_record_read(struct group_reader *reader, struct cairn_bytes line,
                       struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value value[MEMBERS], top;

	if (json_reader_open_members(line, &top, member_names, MEMBERS, value, fault) != CAIRN_OK)
		return false;
	if (!is_of_these_rules(reader, &value[RULES]))
		return refuse_record(fault, CAIRN_UNSUPPORTED, "a group of other rules");
	if (!read_names_word(&value[NAMES], &entry->names) ||
	    !json_reader_whole(&value[COUNT], &entry->count) || entry->count == 0 ||
	    !read_signature(reader, &value[SIGNATURE]) || !read_times(value, entry) ||
	    !read_example(reader, &value[EXAMPLE], entry) ||
	    !read_hashes(reader, &value[HASHES], entry))
		return refuse_record(fault, CAIRN_MALFORMED,
		                     "a group lacks a member, or one is not as it should be");
	entry->is_group = true;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	if (!has_this_id(&value[ID], entry->id))
		return refuse_record(fault, CAIRN_MALFORMED,
		                     "the ID of a group is not that of its signature");
	return true;
}
