/* SPDX-License-Identifier: MIT */
/*
 * Counts crashes by signature: reads lines that describe crashes or groups, and keeps a table of
 * groups.
 */
#include "groups.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/hash.h"
#include "base/json_reader.h"
#include "base/memory.h"
#include "base/path.h"
#include "output/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t hash_group(const void *items, uint32_t number)
{
	const struct groups *groups = items;

	return hash_text(groups->group[number - 1].text, groups->slots.key);
}

static bool is_same_group(const void *items, uint32_t number, const void *key)
{
	const struct groups *groups = items;
	const struct group_entry *group = &groups->group[number - 1], *entry = key;

	return group->names == entry->names && bytes_equal(group->text, entry->text);
}

static bool copy_bytes(struct cairn_bytes *to, struct cairn_bytes from)
{
	uint8_t *copy = malloc(from.size + 1);

	if (!copy)
		return false;
	if (from.size > 0)
		memcpy(copy, from.data, from.size);
	*to = (struct cairn_bytes){ copy, from.size };
	return true;
}

static void free_bytes(struct cairn_bytes bytes)
{
	free((void *)(uintptr_t)bytes.data);
}

static bool is_better_example(const struct group_entry *a, const struct group_entry *b)
{
	const int order = memcmp(a->hash, b->hash, sizeof(a->hash));

	return order != 0 ? order < 0 : bytes_order(a->core, b->core) < 0;
}

static bool take_example(struct group_entry *group, const struct group_entry *entry)
{
	struct cairn_bytes core;

	if (!is_better_example(entry, group))
		return true;
	if (!copy_bytes(&core, entry->core))
		return false;
	free_bytes(group->core);
	group->core = core;
	memcpy(group->hash, entry->hash, sizeof(group->hash));
	return true;
}

static void take_times(struct group_entry *group, const struct group_entry *entry)
{
	if (!entry->has_time)
		return;
	if (!group->has_time || entry->first < group->first)
		group->first = entry->first;
	if (!group->has_time || entry->last > group->last)
		group->last = entry->last;
	group->has_time = true;
}

static bool add_to_group(struct group_entry *group, const struct group_entry *entry)
{
	if (!take_example(group, entry))
		return false;
	take_times(group, entry);
	group->count =
		entry->count > UINT64_MAX - group->count ? UINT64_MAX : group->count + entry->count;
	return true;
}

static bool add_group(struct groups *groups, const struct group_entry *entry)
{
	struct group_entry group = *entry;

	group.count = 0;
	group.hashes = NULL;
	group.hash_count = 0;
	if (!array_grow(&groups->group, &groups->capacity, groups->count + 1, sizeof(group)) ||
	    !copy_bytes(&group.text, entry->text))
		return false;
	if (!copy_bytes(&group.core, entry->core)) {
		free_bytes(group.text);
		return false;
	}
	groups->group[groups->count++] = group;
	return true;
}

static uint64_t hash_crash_bytes(uint32_t group, const struct group_hash *hash, uint64_t key)
{
	uint8_t bytes[sizeof(group) + GROUP_HASH_SIZE];

	memcpy(bytes, &group, sizeof(group));
	memcpy(bytes + sizeof(group), hash->bytes, GROUP_HASH_SIZE);
	return hash_text((struct cairn_bytes){ bytes, sizeof(bytes) }, key);
}

static uint64_t hash_crash(const void *items, uint32_t number)
{
	const struct groups *groups = items;
	const struct group_crash *crash = &groups->crashes[number - 1];

	return hash_crash_bytes(crash->group, &crash->hash, groups->crash_slots.key);
}

static bool is_same_crash(const void *items, uint32_t number, const void *key)
{
	const struct groups *groups = items;
	const struct group_crash *crash = &groups->crashes[number - 1], *other = key;

	return crash->group == other->group &&
	       memcmp(crash->hash.bytes, other->hash.bytes, GROUP_HASH_SIZE) == 0;
}

static bool add_crash(struct groups *groups, const struct group_crash *crash, bool *is_new)
{
	if (!slot_table_reserve(&groups->crash_slots, groups->crash_count, hash_crash, groups) ||
	    !array_grow(&groups->crashes, &groups->crash_capacity, groups->crash_count + 1,
	                sizeof(*crash)))
		return false;
	const uint64_t hash = hash_crash_bytes(crash->group, &crash->hash, groups->crash_slots.key);
	uint32_t *slot = slot_table_find(&groups->crash_slots, hash, is_same_crash, groups, crash);
	*is_new = *slot == 0;
	if (*is_new) {
		groups->crashes[groups->crash_count++] = *crash;
		*slot = (uint32_t)groups->crash_count;
	}
	return true;
}

/*
 * Add all crashes in an entry, and set *count to the number of crashes that are new. An entry that
 * is not a group contains one crash.
 */
static bool add_crashes(struct groups *groups, uint32_t group, const struct group_entry *entry,
                        uint64_t *count)
{
	struct group_crash crash = { .group = group };
	bool is_new;

	*count = 0;
	for (size_t i = 0; i < (entry->hash_count ? entry->hash_count : 1); i++) {
		memcpy(crash.hash.bytes, entry->hash_count ? entry->hashes[i].bytes : entry->hash,
		       GROUP_HASH_SIZE);
		if (!add_crash(groups, &crash, &is_new))
			return false;
		*count += is_new;
	}
	return true;
}

bool groups_add(struct groups *groups, const struct group_entry *entry)
{
	struct group_entry counted = *entry;

	if (!slot_table_reserve(&groups->slots, groups->count, hash_group, groups))
		return false;
	const uint64_t hash = hash_text(entry->text, groups->slots.key);
	uint32_t *slot = slot_table_find(&groups->slots, hash, is_same_group, groups, entry);
	if (*slot == 0) {
		if (!add_group(groups, entry))
			return false;
		*slot = (uint32_t)groups->count;
	}
	if (groups->keeps_hashes && !add_crashes(groups, *slot - 1, entry, &counted.count))
		return false;
	return add_to_group(&groups->group[*slot - 1], &counted);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group_entry *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	const int order = bytes_order(one->text, other->text);
	return order != 0 ? order : (one->names > other->names) - (one->names < other->names);
}

static int compare_crashes(const void *a, const void *b)
{
	const struct group_crash *one = a, *other = b;

	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	return memcmp(one->hash.bytes, other->hash.bytes, GROUP_HASH_SIZE);
}

/*
 * Sort the crash hashes and assign each group its slice of groups->hashes. Call this before the
 * groups are sorted, because crashes refer to groups by index.
 */
static bool sort_crashes(struct groups *groups)
{
	const size_t count = groups->crash_count;

	groups->hashes = malloc((count + 1) * sizeof(*groups->hashes));
	if (!groups->hashes)
		return false;
	if (count > 0)
		qsort(groups->crashes, count, sizeof(*groups->crashes), compare_crashes);
	for (size_t i = 0; i < count; i++) {
		struct group_entry *group = &groups->group[groups->crashes[i].group];
		groups->hashes[i] = groups->crashes[i].hash;
		if (group->hash_count++ == 0)
			group->hashes = &groups->hashes[i];
	}
	return true;
}

bool groups_sort(struct groups *groups)
{
	if (groups->keeps_hashes && !sort_crashes(groups))
		return false;
	if (groups->count > 0)
		qsort(groups->group, groups->count, sizeof(*groups->group), compare_groups);
	return true;
}

void groups_finish(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free_bytes(groups->group[i].text);
		free_bytes(groups->group[i].core);
	}
	free(groups->group);
	slot_table_finish(&groups->slots);
	slot_table_finish(&groups->crash_slots);
	free(groups->crashes);
	free(groups->hashes);
	*groups = (struct groups){ 0 };
}

/*
 * Reads {"id":"...","rules":1,"names":"all","count":2,"signature":["f","main"],"first":1,"last":2,
 * "example":{"hash":"...","core":"..."}}. Verifies that the ID matches the signature, so that a
 * forged line cannot give one group the names of another.
 */
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
 * Append a name to the signature. Return false if signature_make() could not have generated the
 * name: it is empty, too long or contains control characters.
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

/*
 * Read the times of the first and the last crash. Return false if only one is present, or if they
 * are out of order.
 */
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
 * Read the optional hashes of the crashes. Return false if their number differs from the group's
 * count.
 */
static bool read_hashes(struct group_reader *r, const struct json_reader_value *hashes,
                        struct group_entry *entry)
{
	struct json_reader_value hash;

	for (size_t at = 0; json_reader_element(hashes, &at, &hash); entry->hash_count++)
		if (!array_grow(&r->hashes, &r->hash_capacity, entry->hash_count + 1,
		                sizeof(*r->hashes)) ||
		    !read_digits_of(&hash, r->hashes[entry->hash_count].bytes, GROUP_HASH_SIZE))
			return false;
	entry->hashes = r->hashes;
	return !hashes->text.data || entry->hash_count == entry->count;
}

/*
 * Return true if the group was formed under the same rules. The version of the rules is a number,
 * or a string if the user has added rules.
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

/*
 * Read a group from a line with a JSON object. Return false with *fault if the group was formed
 * under different rules, or if a JSON member is missing, invalid or contradicts another one.
 */
static bool group_record_read(struct group_reader *reader, struct cairn_bytes line,
                              struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value value[MEMBERS], top;

	if (json_reader_open_members(line, &top, member_names, MEMBERS, value, fault) != CAIRN_OK)
		return false;
	if (!is_of_these_rules(reader, &value[RULES]))
		return refuse_record(fault, CAIRN_UNSUPPORTED,
		                     "a group was created with a different --rules file or version "
		                     "of cairn; create the groups again from the answers");
	if (!read_names_word(&value[NAMES], &entry->names) ||
	    !json_reader_whole(&value[COUNT], &entry->count) || entry->count == 0 ||
	    !read_signature(reader, &value[SIGNATURE]) || !read_times(value, entry) ||
	    !read_example(reader, &value[EXAMPLE], entry) ||
	    !read_hashes(reader, &value[HASHES], entry))
		return refuse_record(fault, CAIRN_MALFORMED,
		                     "a member of the group is missing or invalid");
	entry->is_group = true;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	if (!has_this_id(&value[ID], entry->id))
		return refuse_record(fault, CAIRN_MALFORMED,
		                     "the ID of the group does not match its signature");
	return true;
}

/*
 * Classifies a line by the members of its JSON object, and computes the signature of the crashed
 * thread.
 */
enum crash_member {
	CRASH_REPORT,
	CRASH_ANSWER,
	CRASH_TIME,
	CRASH_CORE_FILE,
	CRASH_PATH,
	CRASH_URL,
	CRASH_REQUEST,
	CRASH_SIGNATURE, /* a line with "signature" and "rules" describes a group */
	CRASH_RULES,
	CRASH_MEMBERS,
};

static const char *const crash_members[CRASH_MEMBERS] = {
	[CRASH_REPORT] = "crash_report", [CRASH_ANSWER] = "answer",       [CRASH_TIME] = "time",
	[CRASH_CORE_FILE] = "core_file", [CRASH_PATH] = "path",           [CRASH_URL] = "url",
	[CRASH_REQUEST] = "request",     [CRASH_SIGNATURE] = "signature", [CRASH_RULES] = "rules",
};

enum { NULL_PAGE = 0x1000 }; /* size of the page at address 0, which is never mapped */

/*
 * Add the frames of a thread, innermost first. The records of inlined calls repeat the signal flag
 * of their frame. Only the first of these records may restart the signature, because any later one
 * would drop the inlined calls before it.
 */
static void add_frames(struct group_reader *r, const struct record_thread *thread)
{
	struct signature_frame frame;
	struct record_frame read;
	bool is_innermost = true;

	signature_begin(&r->builder);
	for (size_t at = 0; record_next_frame(thread, &at, &read);) {
		if (is_innermost && read.signal == RECORD_YES)
			signature_restart(&r->builder);
		is_innermost = read.inlined != RECORD_YES;
		frame.function = record_text(read.function, r->function, sizeof(r->function));
		frame.module = base_name(record_text(read.module, r->module, sizeof(r->module)));
		frame.build_id = record_text(read.build_id, r->build_id, sizeof(r->build_id));
		frame.has_offset = read.module_offset.known;
		frame.offset = read.module_offset.value;
		frame.is_null =
			frame.module.size == 0 && read.pc.known && read.pc.value < NULL_PAGE;
		frame.is_async = read.async == RECORD_YES;
		if (bytes_are(frame.function, "??"))
			frame.function.size = 0;
		signature_add(&r->builder, &frame);
	}
}

static enum group_line_kind sign_thread(struct group_reader *r, const struct record_thread *thread)
{
	add_frames(r, thread);
	if (bytes_are(thread->end, "limit"))
		r->builder.is_cut = true;
	const struct cairn_bytes program =
		base_name(record_text(thread->program, r->program, sizeof(r->program)));
	struct cairn_bytes word = record_text(thread->signal, r->word, sizeof(r->word));
	if (!thread->signal.data && thread->exception.known)
		word.size = (size_t)snprintf(r->word, sizeof(r->word), "0x%" PRIx64,
		                             thread->exception.value);
	if (signature_make(&r->builder, program, word, &r->signature))
		return GROUP_LINE_COUNTED;
	return r->builder.scarce ? GROUP_LINE_NO_MEMORY : GROUP_LINE_NO_STACK;
}

/*
 * Find the crashed thread, or the first thread if none crashed. Return false if the report has no
 * threads. Skips Swift tasks, which are not threads.
 */
static bool find_crashed_thread(const struct record_thread *report, struct record_thread *thread)
{
	struct record_thread other;
	bool any = false;

	for (size_t at = 0;
	     !(any && thread->crashed == RECORD_YES) && record_next_thread(report, &at, &other);) {
		if (record_is_task(&other))
			continue;
		if (!any || other.crashed == RECORD_YES)
			*thread = other;
		any = true;
	}
	return any;
}

static enum group_line_kind sign_object(struct group_reader *r, const struct record_thread *object,
                                        const struct json_reader_value value[CRASH_MEMBERS],
                                        struct cairn_fault *fault)
{
	struct record_thread thread;

	if (object->reported.kind == JSON_READER_ARRAY)
		return find_crashed_thread(object, &thread) ? sign_thread(r, &thread)
		                                            : GROUP_LINE_NO_STACK;
	if (value[CRASH_REPORT].text.data)
		return GROUP_LINE_NO_STACK;
	if (value[CRASH_ANSWER].text.data && object->frames.kind != JSON_READER_ARRAY)
		return GROUP_LINE_NO_STACK;
	if (object->frames.kind == JSON_READER_ARRAY)
		return object->crashed == RECORD_NO || record_is_task(object)
		               ? GROUP_LINE_NOT_CRASHED
		               : sign_thread(r, object);
	*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "no stack, report or group" };
	return GROUP_LINE_WRONG;
}

/*
 * Return the path or URL of the core. If the record is the response to a request that names a file
 * or URL, return the path or URL from the request.
 */
static struct cairn_bytes find_core(const struct record_thread *object,
                                    const struct json_reader_value value[CRASH_MEMBERS])
{
	const bool is_answer = value[CRASH_ANSWER].text.data != NULL;

	if (value[CRASH_CORE_FILE].text.data)
		return json_reader_string(&value[CRASH_CORE_FILE]);
	if (is_answer && value[CRASH_PATH].text.data)
		return json_reader_string(&value[CRASH_PATH]);
	return is_answer && value[CRASH_URL].text.data ? json_reader_string(&value[CRASH_URL])
	                                               : object->core;
}

static enum group_line_kind read_crash(struct group_reader *reader,
                                       const struct record_thread *object,
                                       const struct json_reader_value value[CRASH_MEMBERS],
                                       struct group_entry *entry, struct cairn_fault *fault)
{
	const enum group_line_kind kind = sign_object(reader, object, value, fault);

	if (kind != GROUP_LINE_COUNTED)
		return kind;
	entry->names = reader->signature.names;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	entry->core = record_text(find_core(object, value), reader->core, sizeof(reader->core));
	entry->has_time = json_reader_whole(&value[CRASH_TIME], &entry->first);
	entry->last = entry->first;
	return kind;
}

enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value value[CRASH_MEMBERS];
	struct record_thread object;
	struct sha256 hash = sha256_open();

	*entry = (struct group_entry){ .count = 1 };
	reader->builder.rules = reader->rules;
	if (record_open(line, crash_members, CRASH_MEMBERS, value, &object, fault) != CAIRN_OK)
		return GROUP_LINE_WRONG;
	if (value[CRASH_SIGNATURE].text.data && value[CRASH_RULES].text.data)
		return group_record_read(reader, line, entry, fault) ? GROUP_LINE_COUNTED
		                                                     : GROUP_LINE_WRONG;
	const enum group_line_kind kind = read_crash(reader, &object, value, entry, fault);
	/*
	 * The output of `cairn symbolize` contains the hash of its input, so that a crash counts
	 * only once, whether or not it was symbolized.
	 */
	const bool has_hash =
		value[CRASH_ANSWER].text.data &&
		hex_read(json_reader_string(&value[CRASH_REQUEST]), entry->hash, SHA256_SIZE);
	if (kind == GROUP_LINE_COUNTED && !has_hash) {
		sha256_put(&hash, line);
		sha256_finish(&hash, entry->hash);
	}
	return kind;
}

void group_line_finish(struct group_reader *reader)
{
	signature_finish(&reader->builder);
	free(reader->hashes);
	reader->hashes = NULL;
	reader->hash_capacity = 0;
}
