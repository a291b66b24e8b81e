/* SPDX-License-Identifier: MIT */
/* The members of stack records, and how these are read from JSON. */
#include "record.h"

#include "base/hex.h"
#include "base/invariant.h"

#include <stddef.h>
#include <string.h>

#define MEMBER(record, kind_of, name_of)                    \
	{                                                   \
		.name = #name_of, .kind = RECORD_##kind_of, \
		.field = offsetof(struct record, name_of)   \
	}
#define FRAME(kind_of, name_of) MEMBER(record_frame, kind_of, name_of)
#define THREAD(kind_of, name_of) MEMBER(record_thread, kind_of, name_of)

const struct record_member record_frame_members[RECORD_FRAME_MEMBERS] = {
	FRAME(NUMBER, level),
	FRAME(ADDRESS, pc),
	FRAME(STRING, function),
	FRAME(NUMBER, offset),
	FRAME(STRING, file),
	FRAME(NUMBER, line),
	FRAME(NUMBER, column),
	FRAME(ADDRESS, va),
	FRAME(STRING, module),
	FRAME(DIGITS, build_id),
	FRAME(ADDRESS, module_offset),
	FRAME(ADDRESS, cfa),
	FRAME(STRING, by),
	FRAME(STRING, found),
	FRAME(FLAG, cfi),
	FRAME(FLAG, inlined),
	FRAME(FLAG, signal),
	FRAME(FLAG, guessed),
	FRAME(FLAG, exact),
};

const struct record_member record_thread_members[RECORD_THREAD_MEMBERS] = {
	THREAD(STRING, core),
	THREAD(STRING, program),
	THREAD(STRING, command_line),
	THREAD(NUMBER, pid),
	THREAD(NUMBER, tid),
	THREAD(STRING, name),
	THREAD(FLAG, crashed),
	THREAD(NUMBER, stopped_nanoseconds),
	THREAD(FLAG, stack_cut),
	THREAD(STRING, signal),
	THREAD(ADDRESS, exception),
	THREAD(NUMBER, signal_number),
	THREAD(SIGNED, signal_code),
	THREAD(STRING, signal_code_name),
	THREAD(ADDRESS, fault_address),
	THREAD(STRING, fault),
	THREAD(NUMBER, sender),
	THREAD(NUMBER, sender_user),
	THREAD(STRING, address_signature),
	THREAD(STRING, abort_message),
	THREAD(NUMBER, threads),
	THREAD(VALUE, frames),
	THREAD(FLAG, complete),
	THREAD(STRING, end),
	THREAD(STRING, why),
	THREAD(STRING, missing),
	{ "threads", RECORD_VALUE, offsetof(struct record_thread, reported) },
};

static void read_members(void *record, const struct record_member *member, size_t count,
                         const struct json_reader_value *value)
{
	for (; count > 0; count--, member++, value++) {
		void *field = (char *)record + member->field;
		struct record_number *number = field;
		switch (member->kind) {
		case RECORD_STRING:
		case RECORD_DIGITS:
			if (value->kind == JSON_READER_STRING)
				*(struct cairn_bytes *)field = value->text;
			break;
		case RECORD_NUMBER:
		case RECORD_SIGNED:
			number->known = json_reader_whole(value, &number->value);
			break;
		case RECORD_ADDRESS:
			number->known = hex_read_address(json_reader_string(value), &number->value);
			break;
		case RECORD_FLAG:
			*(enum record_flag *)field = value->kind == JSON_READER_TRUE ? RECORD_YES
			                             : value->kind == JSON_READER_FALSE
			                                     ? RECORD_NO
			                                     : RECORD_UNSAID;
			break;
		case RECORD_VALUE:
			*(struct json_reader_value *)field = *value;
			break;
		}
	}
}

/* The members that are read in one pass. */
struct members {
	const char *name[RECORD_THREAD_MEMBERS + RECORD_MORE_MAX];
	struct json_reader_value value[RECORD_THREAD_MEMBERS + RECORD_MORE_MAX];
	size_t count;
};

static void list_members(struct members *members, const struct record_member *member, size_t count,
                         const char *const *more, size_t more_count)
{
	INVARIANT(more_count <= RECORD_MORE_MAX);
	members->count = count + more_count;
	for (size_t i = 0; i < count; i++)
		members->name[i] = member[i].name;
	for (size_t i = 0; i < more_count; i++)
		members->name[count + i] = more[i];
}

static void take_members(const struct members *members, const struct json_reader_value *object,
                         struct json_reader_value *value, struct record_thread *thread)
{
	for (size_t i = RECORD_THREAD_MEMBERS; i < members->count; i++)
		value[i - RECORD_THREAD_MEMBERS] = members->value[i];
	*thread = (struct record_thread){ .object = *object };
	read_members(thread, record_thread_members, RECORD_THREAD_MEMBERS, members->value);
}

void record_read(const struct json_reader_value *object, const char *const *more, size_t count,
                 struct json_reader_value *value, struct record_thread *thread)
{
	struct members members;

	list_members(&members, record_thread_members, RECORD_THREAD_MEMBERS, more, count);
	json_reader_members(object, members.name, members.count, members.value);
	take_members(&members, object, value, thread);
}

enum cairn_status record_open(struct cairn_bytes text, const char *const *more, size_t count,
                              struct json_reader_value *value, struct record_thread *thread,
                              struct cairn_fault *fault)
{
	const struct json_reader_value object = { JSON_READER_OBJECT, text };
	struct members members;

	list_members(&members, record_thread_members, RECORD_THREAD_MEMBERS, more, count);
	const enum cairn_status status =
		json_reader_open_members(text, members.name, members.count, members.value, fault);
	if (status == CAIRN_OK)
		take_members(&members, &object, value, thread);
	return status;
}

bool record_next_document(struct record_input *input, struct record_thread *document,
                          struct cairn_fault *fault)
{
	struct json_reader_value object = { .kind = JSON_READER_NULL, .text = input->rest };
	const bool is_first = !input->by_line;

	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	input->by_line = true;
	if (is_first && json_reader_open(input->rest, &object, fault) == CAIRN_OK) {
		input->rest.size = 0;
		record_read(&object, NULL, 0, NULL, document);
		return true;
	}
	while (input->rest.size > 0) {
		const struct cairn_bytes rest = input->rest;
		const uint8_t *end = memchr(rest.data, '\n', rest.size);
		const size_t size = end ? (size_t)(end - rest.data) + 1 : rest.size;
		input->rest = (struct cairn_bytes){ rest.data + size, rest.size - size };
		if (size == 1)
			continue;
		*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
		if (json_reader_open((struct cairn_bytes){ rest.data, size }, &object, fault) !=
		    CAIRN_OK)
			fault->offset += (uint64_t)(rest.data - input->start);
		record_read(&object, NULL, 0, NULL, document);
		return true;
	}
	return false;
}

bool record_next_thread(const struct record_thread *document, size_t *at,
                        struct record_thread *thread)
{
	struct json_reader_value object;
	struct members members;

	if (document->reported.kind != JSON_READER_ARRAY) {
		*thread = *document;
		return (*at)++ == 0;
	}
	list_members(&members, record_thread_members, RECORD_THREAD_MEMBERS, NULL, 0);
	if (!json_reader_element_members(&document->reported, at, &object, members.name,
	                                 members.count, members.value))
		return false;
	take_members(&members, &object, NULL, thread);
	return true;
}

bool record_next_frame(const struct record_thread *thread, size_t *at, struct record_frame *frame)
{
	struct json_reader_value object;
	struct members members;

	list_members(&members, record_frame_members, RECORD_FRAME_MEMBERS, NULL, 0);
	if (!json_reader_element_members(&thread->frames, at, &object, members.name, members.count,
	                                 members.value))
		return false;
	*frame = (struct record_frame){ .object = object };
	read_members(frame, record_frame_members, RECORD_FRAME_MEMBERS, members.value);
	return true;
}

struct cairn_bytes record_text(struct cairn_bytes text, char *buffer, size_t room)
{
	const struct json_reader_value value = { JSON_READER_STRING, text };

	json_reader_text(&value, buffer, room);
	return (struct cairn_bytes){ (const uint8_t *)buffer, strlen(buffer) };
}
