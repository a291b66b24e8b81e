/* SPDX-License-Identifier: MIT */
/* Reads JSON values: requested members of an object, and elements of an array. */
#include "json_reader.h"

#include "bytes_compare.h"
#include "json_parts.h"

#include <string.h>

struct wanted_members {
	const char *const *name;
	size_t count;
	struct json_reader_value *value;
	/* the nested array or object that is currently open */
	struct cairn_bytes open_name;
	size_t open_at;
};

/* Return true if the name equals `wanted` with escapes undone. */
static bool is_called(struct cairn_bytes name, bool has_escapes, const char *wanted)
{
	size_t at = 0, compared = 0;
	uint8_t character[4];

	if (!has_escapes)
		return (uint8_t)wanted[0] == name.data[0] && bytes_are(name, wanted);
	while (at < name.size) {
		const size_t size = json_reader_character(name, &at, character);
		if (strncmp(wanted + compared, (const char *)character, size) != 0)
			return false;
		compared += size;
	}
	return wanted[compared] == '\0';
}

static void take_member(const struct wanted_members *wanted, struct cairn_bytes name,
                        const struct json_reader_value *value)
{
	if (name.size == 0)
		return;
	const bool has_escapes = memchr(name.data, '\\', name.size) != NULL;
	for (size_t i = 0; i < wanted->count; i++)
		if (is_called(name, has_escapes, wanted->name[i]))
			wanted->value[i] = *value;
}

static void note_member(struct wanted_members *wanted, const struct json_walk *walk,
                        const struct json_step *step)
{
	struct json_reader_value value = { step->kind, step->text };

	if (walk->depth == 2 && json_step_opens(step)) {
		wanted->open_name = step->name;
		wanted->open_at = step->at;
	} else if (walk->depth == 1 && step->ends) {
		value.text = (struct cairn_bytes){ walk->in.in.data + wanted->open_at,
			                           walk->in.at - wanted->open_at };
		take_member(wanted, wanted->open_name, &value);
	} else if (walk->depth == 1 && !json_step_opens(step)) {
		take_member(wanted, step->name, &value);
	}
}

static struct json_reader_value read_value(struct reader *r, struct wanted_members *wanted)
{
	struct json_reader_value value = { json_peek_kind(r), { r->in.data + r->at, 0 } };
	struct json_walk walk = { .in = *r };
	struct json_step step;
	const bool has_members = wanted && value.kind == JSON_READER_OBJECT;
	const size_t start = r->at;

	for (size_t i = 0; wanted && i < wanted->count; i++)
		wanted->value[i] = (struct json_reader_value){ JSON_READER_NULL, { NULL, 0 } };
	while (json_walk_next(&walk, &step) && walk.depth > 0)
		if (has_members)
			note_member(wanted, &walk, &step);
	*r = walk.in;
	value.text.size = r->at - start;
	if (value.kind == JSON_READER_STRING && reader_ok(r))
		value.text = (struct cairn_bytes){ value.text.data + 1, value.text.size - 2 };
	return value;
}

static enum cairn_status open_document(struct cairn_bytes text, struct json_reader_value *value,
                                       struct wanted_members *wanted, struct cairn_fault *fault)
{
	struct reader r = reader_open(text, false);

	json_skip_white(&r);
	struct json_reader_value top = read_value(&r, wanted);
	json_skip_white(&r);
	if (reader_ok(&r) && reader_left(&r) > 0)
		json_fail(&r, "more text follows the JSON value");
	if (reader_ok(&r))
		*value = top;
	else
		*fault = r.fault;
	return r.fault.status;
}

enum cairn_status json_reader_open(struct cairn_bytes text, struct json_reader_value *value,
                                   struct cairn_fault *fault)
{
	return open_document(text, value, NULL, fault);
}

enum cairn_status json_reader_open_members(struct cairn_bytes text, struct json_reader_value *top,
                                           const char *const *name, size_t count,
                                           struct json_reader_value *value,
                                           struct cairn_fault *fault)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };

	return open_document(text, top, &wanted, fault);
}

void json_reader_members(const struct json_reader_value *object, const char *const *name,
                         size_t count, struct json_reader_value *value)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };
	struct reader r = reader_open(object->text, false);

	for (size_t i = 0; i < count; i++)
		value[i] = (struct json_reader_value){ JSON_READER_NULL, { NULL, 0 } };
	if (object->kind == JSON_READER_OBJECT)
		(void)read_value(&r, &wanted);
}

bool json_reader_member(const struct json_reader_value *object, const char *name,
                        struct json_reader_value *value)
{
	struct json_reader_value found;

	json_reader_members(object, &name, 1, &found);
	if (!found.text.data)
		return false;
	*value = found;
	return true;
}

static bool read_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value, struct wanted_members *wanted)
{
	struct reader r = reader_open(array->text, false);

	if (array->kind != JSON_READER_ARRAY)
		return false;
	reader_skip(&r, *at ? *at : 1);
	json_skip_white(&r);
	if (json_peek_byte(&r) == ',')
		reader_skip(&r, 1);
	json_skip_white(&r);
	if (json_peek_byte(&r) < 0 || json_peek_byte(&r) == ']')
		return false;
	*value = read_value(&r, wanted);
	*at = r.at;
	return reader_ok(&r);
}

bool json_reader_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value)
{
	return read_element(array, at, value, NULL);
}

bool json_reader_element_members(const struct json_reader_value *array, size_t *at,
                                 struct json_reader_value *element, const char *const *name,
                                 size_t count, struct json_reader_value *value)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };

	return read_element(array, at, element, &wanted);
}
