/* SPDX-License-Identifier: MIT */
/* Prints groups, and the IDs of single crashes. */
#include "print.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <string.h>

static void print_id(struct json *json, uint64_t id)
{
	char text[2 * sizeof(id) + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	json_string(json, "id", text);
}

static void print_signature(struct json *json, struct cairn_bytes text)
{
	json_array(json, "signature");
	while (text.size > 0)
		json_text(json, NULL, bytes_take_part(&text, '\n'));
	json_end(json);
}

static void print_example(struct json *json, const struct group_entry *group)
{
	json_object(json, "example");
	json_hex(json, "hash", (struct cairn_bytes){ group->hash, sizeof(group->hash) });
	if (group->core.size > 0)
		json_text(json, "core", group->core);
	json_end(json);
}

/* Print the hashes, which allow merging parts that overlap. */
static void print_hashes(struct json *json, const struct group_entry *group)
{
	if (group->hash_count == 0)
		return;
	json_array(json, "hashes");
	for (size_t i = 0; i < group->hash_count; i++)
		json_hex(json, NULL,
		         (struct cairn_bytes){ group->hashes[i].bytes, GROUP_HASH_SIZE });
	json_end(json);
}

void group_print(struct json *json, const struct group_rules *rules,
                 const struct group_entry *group)
{
	json_object(json, NULL);
	print_id(json, group->id);
	if (rules)
		json_string(json, "rules", rules->version);
	else
		json_number(json, "rules", SIGNATURE_RULES);
	json_string(json, "names", signature_names_word(group->names));
	json_number(json, "count", group->count);
	print_signature(json, group->text);
	if (group->has_time) {
		json_number(json, "first", group->first);
		json_number(json, "last", group->last);
	}
	print_example(json, group);
	print_hashes(json, group);
	json_end(json);
}

void group_print_id(struct json *json, const struct group_entry *entry, const char *why)
{
	json_object(json, NULL);
	if (entry) {
		print_id(json, entry->id);
	} else {
		json_null(json, "id");
		json_string(json, "why", why);
	}
	json_end(json);
}
