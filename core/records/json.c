/* SPDX-License-Identifier: MIT */
/* Writes stack records as JSON: each member that is known, in the order of the table. */
#include "print.h"

static void write_members(struct json *json, const void *record, const struct record_member *member,
                          const struct record_member *end)
{
	for (; member < end; member++) {
		const void *field = (const char *)record + member->field;
		const struct record_number *number = field;
		const struct cairn_bytes *bytes = field;
		const enum record_flag *flag = field;
		switch (member->kind) {
		case RECORD_STRING:
			if (bytes->data)
				json_text(json, member->name, *bytes);
			break;
		case RECORD_DIGITS:
			if (bytes->data)
				json_hex(json, member->name, *bytes);
			break;
		case RECORD_NUMBER:
			if (number->known)
				json_number(json, member->name, number->value);
			break;
		case RECORD_SIGNED:
			if (number->known)
				json_signed(json, member->name, (int64_t)number->value);
			break;
		case RECORD_ADDRESS:
			if (number->known)
				json_address(json, member->name, number->value);
			break;
		case RECORD_FLAG:
			if (*flag != RECORD_UNSAID)
				json_bool(json, member->name, *flag == RECORD_YES);
			break;
		case RECORD_VALUE:
			break;
		}
	}
}

static const struct record_member *find_frames(void)
{
	const struct record_member *member = record_thread_members;

	while (member->kind != RECORD_VALUE)
		member++;
	return member;
}

void record_json_begin(struct json *json, const struct record_thread *thread,
                       const struct cairn_registers *registers)
{
	json_object(json, NULL);
	write_members(json, thread, record_thread_members, find_frames());
	if (registers)
		record_json_registers(json, registers);
	json_array(json, find_frames()->name);
}

void record_json_frame(struct json *json, const struct record_frame *frame)
{
	json_object(json, NULL);
	write_members(json, frame, record_frame_members,
	              record_frame_members + RECORD_FRAME_MEMBERS);
	json_end(json);
}

void record_json_end(struct json *json, const struct record_thread *thread)
{
	json_end(json);
	write_members(json, thread, find_frames() + 1,
	              record_thread_members + RECORD_THREAD_MEMBERS);
	json_end(json);
}
