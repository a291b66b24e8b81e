/* SPDX-License-Identifier: MIT */
/*
 * An answer of any bytes, read as JSON.  Always:
 *   - a value lies in the document, and a fault, too;
 *   - a text fits its room, and is sound UTF-8 without NUL;
 *   - members that are found in one pass are those that are found one by one;
 *   - a member of a member is inside of it, and an element of an array is inside of it, behind the one before;
 *   - a walk has the same outcome, closes what it opens, and gives what lies in the document.
 */
#include "fuzz.h"

#include "base/json_reader.h"

#include <string.h>

enum { DEPTH = JSON_READER_DEPTH_MAX + 1, CAPACITY = 40 };

static void check_inside(struct cairn_bytes outer, struct cairn_bytes inner)
{
	ALWAYS(inner.data >= outer.data && inner.size <= outer.size);
	ALWAYS((size_t)(inner.data - outer.data) <= outer.size - inner.size);
}

static void check_text(const struct json_reader_value *value)
{
	char text[CAPACITY];

	for (size_t capacity = 1; capacity <= sizeof(text); capacity += 13) {
		memset(text, '?', sizeof(text));
		bool is_text = json_reader_text(value, text, capacity);
		ALWAYS(memchr(text, 0, capacity));
		ALWAYS(is_text || text[0] == 0);
		struct cairn_bytes rest = { (const uint8_t *)text, strlen(text) };
		uint32_t character;
		while (rest.size > 0) {
			size_t size = cairn_character_at(rest, &character);
			ALWAYS(size > 0);
			rest.data += size;
			rest.size -= size;
		}
	}
}

static void check_elements(const struct json_reader_value *array)
{
	const uint8_t *end = array->text.data;
	struct json_reader_value element;

	for (size_t at = 0, before = 0; json_reader_element(array, &at, &element); before = at) {
		ALWAYS(at > before && at <= array->text.size);
		check_inside(array->text, element.text);
		ALWAYS(element.text.data >= end);
		end = element.text.data + element.text.size;
	}
}

static void check_walk(struct cairn_bytes document, enum cairn_status status,
                       const struct cairn_fault *fault)
{
	struct json_walk walk = json_walk_open(document);
	struct json_step step;
	unsigned depth = 0;

	while (json_walk_next(&walk, &step)) {
		depth += json_step_opens(&step);
		depth -= step.ends;
		ALWAYS(walk.depth == depth && step.at < document.size);
		check_inside(document, step.text);
		check_inside(document, step.name);
	}
	ALWAYS(walk.in.fault.status == status);
	ALWAYS(status == CAIRN_OK ? depth == 0 : walk.in.fault.offset == fault->offset);
}

static void check_members(const struct json_reader_value *object, const char *const *names,
                          size_t count)
{
	struct json_reader_value value[4], member;

	ALWAYS(count <= 4);
	json_reader_members(object, names, count, value);
	for (size_t i = 0; i < count; i++) {
		const bool found = json_reader_member(object, names[i], &member);
		ALWAYS(found == (value[i].text.data != NULL));
		ALWAYS(!found || (value[i].text.data == member.text.data &&
		                  value[i].text.size == member.text.size));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "error", "parts", "a", "" };
	struct cairn_bytes bytes = { data, size };
	struct json_reader_value value, member;
	struct cairn_fault fault;
	size_t depth = 0;

	const enum cairn_status status = json_reader_open(bytes, &value, &fault);
	check_walk(bytes, status, &fault);
	if (status != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= size);
		return 0;
	}
	check_inside(bytes, value.text);
	check_text(&value);
	check_elements(&value);
	for (bool more = true; more; depth++) {
		ALWAYS(depth < DEPTH);
		check_members(&value, names, sizeof(names) / sizeof(*names));
		more = false;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !more; i++)
			more = json_reader_member(&value, names[i], &member);
		if (!more)
			break;
		check_inside(value.text, member.text);
		check_text(&member);
		check_elements(&member);
		value = member;
	}
	return 0;
}
