/* SPDX-License-Identifier: MIT */
/* Defines the members of stack records, and reads records from JSON. */
#include "record.h"

#include "base/bytes.h"
#include "base/encoding.h"
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
	FRAME(FLAG, async),
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
	THREAD(STRING, kind),
	THREAD(NUMBER, task),
	THREAD(STRING, state),
	THREAD(NUMBER, parent),
	THREAD(NUMBER, priority),
	THREAD(STRING, waits_for),
	THREAD(NUMBER, on),
	THREAD(STRING, actor),
	THREAD(FLAG, cancelled),
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

static void take_members(const struct members *members, struct json_reader_value *more,
                         struct record_thread *thread)
{
	for (size_t i = RECORD_THREAD_MEMBERS; i < members->count; i++)
		more[i - RECORD_THREAD_MEMBERS] = members->value[i];
	read_members(thread, record_thread_members, RECORD_THREAD_MEMBERS, members->value);
}

enum cairn_status record_open(struct cairn_bytes text, const char *const *more, size_t count,
                              struct json_reader_value *value, struct record_thread *document,
                              struct cairn_fault *fault)
{
	struct json_reader_value object = { JSON_READER_NULL, text };
	struct members members;

	list_members(&members, record_thread_members, RECORD_THREAD_MEMBERS, more, count);
	const enum cairn_status status = json_reader_open_members(
		text, &object, members.name, members.count, members.value, fault);
	*document = (struct record_thread){ .object = object };
	if (status == CAIRN_OK)
		take_members(&members, value, document);
	return status;
}

bool record_next_document(struct record_input *input, struct record_thread *document,
                          struct cairn_fault *fault)
{
	struct cairn_bytes line = input->rest;

	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (!input->by_line && record_open(line, NULL, 0, NULL, document, fault) == CAIRN_OK) {
		input->by_line = true;
		input->rest.size = 0;
		return true;
	}
	input->by_line = true;
	do {
		if (input->rest.size == 0)
			return false;
		line = bytes_take_part(&input->rest, '\n');
		line.size = (size_t)(input->rest.data - line.data);
	} while (line.size == 1);
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (record_open(line, NULL, 0, NULL, document, fault) != CAIRN_OK)
		fault->offset += (uint64_t)(line.data - input->start);
	return true;
}

bool record_next_thread(const struct record_thread *document, size_t *at,
                        struct record_thread *thread)
{
	struct members members;

	if (document->reported.kind != JSON_READER_ARRAY) {
		*thread = *document;
		return (*at)++ == 0;
	}
	list_members(&members, record_thread_members, RECORD_THREAD_MEMBERS, NULL, 0);
	*thread = (struct record_thread){ .threads = { 0, false } };
	if (!json_reader_element_members(&document->reported, at, &thread->object, members.name,
	                                 members.count, members.value))
		return false;
	take_members(&members, NULL, thread);
	return true;
}

bool record_next_frame(const struct record_thread *thread, size_t *at, struct record_frame *frame)
{
	struct members members;

	list_members(&members, record_frame_members, RECORD_FRAME_MEMBERS, NULL, 0);
	*frame = (struct record_frame){ .level = { 0, false } };
	if (!json_reader_element_members(&thread->frames, at, &frame->object, members.name,
	                                 members.count, members.value))
		return false;
	read_members(frame, record_frame_members, RECORD_FRAME_MEMBERS, members.value);
	return true;
}

struct cairn_bytes record_text(struct cairn_bytes text, char *buffer, size_t capacity)
{
	const struct json_reader_value value = { JSON_READER_STRING, text };

	json_reader_text(&value, buffer, capacity);
	return (struct cairn_bytes){ (const uint8_t *)buffer, strlen(buffer) };
}
