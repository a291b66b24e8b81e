/* SPDX-License-Identifier: MIT */
/*
 * Stack records in JSON of any bytes, a document or one on each line.  Always:
 *   - strings of threads and frames lie in the input, and so do the faults of lines that are not JSON;
 *   - a string with its escapes undone fits its room;
 *   - a document has at most as many threads and frames as bytes, and is read again as it was;
 *   - further members are those that are found one by one.
 */
#include "fuzz.h"

#include "base/bytes_compare.h"
#include "records/record.h"

enum { ROOM = 24 };

static struct cairn_bytes input;

static void check_string(struct cairn_bytes string)
{
	char text[ROOM];

	ALWAYS(string.data || string.size == 0);
	ALWAYS(string.size == 0 ||
	       (string.data >= input.data && string.size <= input.size &&
	        (size_t)(string.data - input.data) <= input.size - string.size));
	ALWAYS(record_text(string, text, sizeof(text)).size < sizeof(text));
}

/* Each member of a record is known or zero. */
static void check_members(const void *record, const struct record_member *member, size_t count)
{
	for (; count > 0; count--, member++) {
		const void *field = (const char *)record + member->field;
		const struct record_number *number = field;
		switch (member->kind) {
		case RECORD_STRING:
		case RECORD_DIGITS:
			check_string(*(const struct cairn_bytes *)field);
			break;
		case RECORD_NUMBER:
		case RECORD_SIGNED:
		case RECORD_ADDRESS:
			ALWAYS(number->known || number->value == 0);
			break;
		case RECORD_FLAG:
			ALWAYS(*(const enum record_flag *)field <= RECORD_YES);
			break;
		case RECORD_VALUE:
			check_string(((const struct json_reader_value *)field)->text);
			break;
		}
	}
}

static size_t check_frames(const struct record_thread *thread)
{
	struct record_frame frame;
	size_t count = 0;

	for (size_t at = 0; record_next_frame(thread, &at, &frame); count++) {
		check_string(frame.object.text);
		check_members(&frame, record_frame_members, RECORD_FRAME_MEMBERS);
	}
	return count;
}

static size_t check_document(const struct record_thread *document)
{
	struct record_thread thread;
	size_t count = 0;

	for (size_t at = 0; record_next_thread(document, &at, &thread); count++) {
		check_members(&thread, record_thread_members, RECORD_THREAD_MEMBERS);
		count += check_frames(&thread);
	}
	ALWAYS(count <= input.size);
	return count;
}

static void check_more(void)
{
	static const char *const names[] = { "tid", "time" };
	struct json_reader_value value[2], top, member;
	struct record_thread thread;
	struct cairn_fault fault;

	if (record_open(input, names, 2, value, &thread, &fault) != CAIRN_OK)
		return;
	ALWAYS(json_reader_open(input, &top, &fault) == CAIRN_OK);
	for (size_t i = 0; i < 2; i++)
		ALWAYS(json_reader_member(&top, names[i], &member)
		               ? member.text.data == value[i].text.data
		               : !value[i].text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input = (struct cairn_bytes){ data ? data : (const uint8_t *)"", size };
	struct record_input records = record_input_of(input);
	struct record_thread document;
	struct cairn_fault fault;

	while (record_next_document(&records, &document, &fault)) {
		ALWAYS((fault.status == CAIRN_OK) == (fault.what == NULL) && fault.offset <= size);
		ALWAYS(check_document(&document) == check_document(&document));
	}
	check_more();
	return 0;
}
