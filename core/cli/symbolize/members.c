/* SPDX-License-Identifier: MIT */
/*
 * Copies members of a request to its answer. Values are parsed and written again, so that the
 * output is well-formed whatever the request contains.
 */
#include "symbolize.h"

#include "base/bytes.h"
#include "cli/front/printed.h"

enum {
	NAME_MAX_SIZE = 64,       /* bytes; members with longer names are not copied */
	VALUE_MAX_SIZE = 1 << 17, /* bytes; longer strings are cut */
};

/*
 * Copy a name that consists of letters, digits, '_', '-' and '.', as a C string. Return false for
 * other names.
 */
static bool copy_name(struct cairn_bytes name, char out[NAME_MAX_SIZE + 1])
{
	if (name.size == 0 || name.size > NAME_MAX_SIZE)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		const uint8_t c = name.data[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-' && c != '.')
			return false;
		out[i] = (char)c;
	}
	out[name.size] = '\0';
	return true;
}

static bool is_listed(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static void print_value(struct json *json, const char *name, const struct json_step *step,
                        struct allowance *printed)
{
	static char text[VALUE_MAX_SIZE];
	const struct json_reader_value value = { step->kind, step->text };

	switch (step->kind) {
	case JSON_READER_STRING:
		json_reader_text(&value, text, sizeof(text));
		json_text(json, name,
		          printed_text(printed, (struct cairn_bytes){ (const uint8_t *)text,
		                                                      strlen(text) }));
		break;
	case JSON_READER_NUMBER:
		if (printed_take(printed, step->text.size))
			json_raw(json, name, step->text);
		break;
	case JSON_READER_TRUE:
	case JSON_READER_FALSE:
		json_bool(json, name, step->kind == JSON_READER_TRUE);
		break;
	case JSON_READER_NULL:
		json_null(json, name);
		break;
	case JSON_READER_OBJECT:
	case JSON_READER_ARRAY:
		break;
	}
}

void symbolize_print_members(struct json *json, struct cairn_bytes object,
                             const char *const *without, struct allowance *printed)
{
	struct json_walk walk = json_walk_open(object);
	char name[NAME_MAX_SIZE + 1];
	struct json_step step;

	json_walk_next(&walk, &step); /* enter the object */
	while (json_walk_next(&walk, &step) && !step.ends)
		if (json_step_opens(&step))
			json_walk_skip(&walk, &step);
		else if (copy_name(step.name, name) && !is_listed(name, without))
			print_value(json, name, &step, printed);
}
