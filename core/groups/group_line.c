/* SPDX-License-Identifier: MIT */
/* Chooses by the members of an object what a line is. */
#include "group_line.h"

#include "crash_object.h"
#include "group_record.h"

#include "base/hex.h"

#include <stdlib.h>

/* An answer has the hash of its request, which is that of the line that was asked about. */
static bool take_answer_hash(const struct json_reader_value value[CRASH_MEMBERS],
                             uint8_t digest[SHA256_SIZE])
{
	return value[CRASH_ANSWER].text.data && value[CRASH_REQUEST].kind == JSON_READER_STRING &&
	       hex_read(value[CRASH_REQUEST].text, digest, SHA256_SIZE);
}

enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value value[CRASH_MEMBERS];
	struct record_thread object;
	struct sha256 hash = sha256_open();

	*entry = (struct group_entry){ .count = 1 };
	reader->builder.rules = reader->rules;
	if (record_open(line, crash_member_names, CRASH_MEMBERS, value, &object, fault) != CAIRN_OK)
		return GROUP_LINE_WRONG;
	if (value[CRASH_SIGNATURE].text.data && value[CRASH_RULES].text.data)
		return group_record_read(reader, line, entry, fault) ? GROUP_LINE_COUNTED
		                                                     : GROUP_LINE_WRONG;
	const enum group_line_kind kind = crash_object_read(reader, &object, value, entry, fault);
	if (kind == GROUP_LINE_COUNTED && !take_answer_hash(value, entry->hash)) {
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
	reader->hash_room = 0;
}
