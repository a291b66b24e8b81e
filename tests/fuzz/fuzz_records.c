/* SPDX-License-Identifier: MIT */
/*
 * Stack records in JSON of any bytes, a document or one on each line.  Always:
 *   - strings of threads and frames lie in the input, and so do the faults of lines that are not JSON;
 *   - a string with its escapes undone fits its room;
 *   - a document has at most as many threads and frames as bytes, and is read again as it was;
 *   - further members are those that are found one by one;
 *   - a record that is written has the members that it had, and is one line;
 *   - its text has no control characters but newlines, and is at most eight times the input and 768 bytes.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "output/record_print.h"

#include <string.h>

enum { CAPACITY = 24, PLAIN_CAPACITY = 256, STRINGS = RECORD_THREAD_MEMBERS };

static struct cairn_bytes input;

static void check_string(struct cairn_bytes string)
{
	char text[CAPACITY];

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

/* Where strings with their escapes undone are. */
struct plain {
	char text[STRINGS][PLAIN_CAPACITY];
};

/* Undo the escapes of all strings of a record. Build IDs are written as bytes, but read as digits: they go. */
static void make_plain(void *record, const struct record_member *member, size_t count,
                       struct plain *plain)
{
	for (size_t i = 0; i < count; i++) {
		struct cairn_bytes *bytes = (void *)((char *)record + member[i].field);
		if (member[i].kind == RECORD_STRING && bytes->data)
			*bytes = record_text(*bytes, plain->text[i], sizeof(plain->text[i]));
		if (member[i].kind == RECORD_DIGITS)
			*bytes = (struct cairn_bytes){ NULL, 0 };
	}
}

static void check_equal(const void *a, const void *b, const struct record_member *member,
                        size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const void *x = (const char *)a + member[i].field,
			   *y = (const char *)b + member[i].field;
		const struct cairn_bytes *bytes = x, *other = y;
		const struct record_number *number = x, *same = y;
		switch (member[i].kind) {
		case RECORD_STRING:
		case RECORD_DIGITS:
			ALWAYS((bytes->data != NULL) == (other->data != NULL));
			ALWAYS(bytes_equal(*bytes, *other));
			break;
		case RECORD_NUMBER:
		case RECORD_SIGNED:
		case RECORD_ADDRESS:
			/* a negative number is not read */
			ALWAYS((int64_t)number->value < 0 || number->known == same->known);
			ALWAYS(!same->known || number->value == same->value);
			break;
		case RECORD_FLAG:
			ALWAYS(*(const enum record_flag *)x == *(const enum record_flag *)y);
			break;
		case RECORD_VALUE:
			break;
		}
	}
}

static void print_text(FILE *out, struct record_thread *thread, struct record_frame *frame)
{
	record_print_process(out, thread, thread->tid.value % 2 == 0);
	record_print_crash(out, thread, "?");
	record_print_thread(out, thread, 1);
	record_print_frame(out, frame, false, false);
	record_print_frame(out, frame, true, false);
	record_print_end(out, thread, false, NULL);
}

/* Write a thread with one of its frames, and read it again. */
static void check_written(struct record_thread thread, struct record_frame frame)
{
	static struct plain plain[4];
	struct record_thread again;
	struct record_frame frame_again;
	struct cairn_fault fault;
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	ALWAYS(out != NULL);
	make_plain(&thread, record_thread_members, RECORD_THREAD_MEMBERS, &plain[0]);
	make_plain(&frame, record_frame_members, RECORD_FRAME_MEMBERS, &plain[1]);
	record_json_begin(&json, &thread, NULL);
	record_json_frame(&json, &frame);
	record_json_end(&json, &thread);
	ALWAYS(fclose(out) == 0 && memchr(text, '\n', size) == text + size - 1);
	ALWAYS(record_open((struct cairn_bytes){ (const uint8_t *)text, size }, NULL, 0, NULL,
	                   &again, &fault) == CAIRN_OK);
	ALWAYS(record_next_frame(&again, &at, &frame_again));
	make_plain(&again, record_thread_members, RECORD_THREAD_MEMBERS, &plain[2]);
	make_plain(&frame_again, record_frame_members, RECORD_FRAME_MEMBERS, &plain[3]);
	check_equal(&thread, &again, record_thread_members, RECORD_THREAD_MEMBERS);
	check_equal(&frame, &frame_again, record_frame_members, RECORD_FRAME_MEMBERS);
	free(text);
	out = open_memstream(&text, &size);
	ALWAYS(out != NULL);
	print_text(out, &thread, &frame);
	ALWAYS(fclose(out) == 0 && size <= 8 * input.size + 768);
	for (size_t i = 0; i < size; i++)
		ALWAYS(text[i] == '\n' || (uint8_t)text[i] >= ' ');
	free(text);
}

static size_t check_document(const struct record_thread *document)
{
	struct record_thread thread;
	struct record_frame frame;
	size_t count = 0;

	for (size_t at = 0; record_next_thread(document, &at, &thread); count++) {
		check_members(&thread, record_thread_members, RECORD_THREAD_MEMBERS);
		count += check_frames(&thread);
		size_t next = 0;
		if (record_next_frame(&thread, &next, &frame))
			check_written(thread, frame);
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
