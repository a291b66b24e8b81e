/* SPDX-License-Identifier: MIT */
/* Writes the lines of a log as JSON records into one buffer. */
#include "json_lines.h"

#include "digits.h"

#include "base/json_escape.h"

#include <string.h>

enum {
	LINES_ROOM = 1 << 16,
	/* Most heads are smaller and are copied by one move of this constant size. */
	HEAD_BLOCK = 64,
	HEAD_MAX = 2 * JSON_LINE_HEAD + DIGITS_MAX,
	HEAD_ROOM = HEAD_MAX > HEAD_BLOCK ? HEAD_MAX : HEAD_BLOCK,
	PIECE = 1 << 10, /* bytes of a line per step; their output always fits in the buffer */
};

static const char tail[] = "\"}\n";

/*
 * Everything before the string of a record, with the line number already formatted. The next line
 * only increments the decimal digits in place, which is cheaper than formatting every number by
 * division.
 */
struct head {
	const struct json_line *form;
	uint64_t number;
	/* Offset of the first digit, offset after the last digit, and size of the head. */
	size_t first, after, size;
	char text[HEAD_ROOM];
};

struct output {
	FILE *out;
	char *at;
	char buffer[LINES_ROOM];
};

static void write_head(struct head *head)
{
	char digits[DIGITS_MAX];
	const char *first = digits_before(digits + DIGITS_MAX, head->number, 10);

	head->first = head->form->before_size;
	head->after = head->first + (size_t)(digits + DIGITS_MAX - first);
	head->size = head->after + head->form->between_size;
	memcpy(head->text, head->form->before, head->first);
	memcpy(head->text + head->first, first, head->after - head->first);
	memcpy(head->text + head->after, head->form->between, head->form->between_size);
}

static void count_line(struct head *head)
{
	size_t digit = head->after - 1;

	head->number++;
	for (; head->text[digit] == '9'; digit--) {
		if (digit == head->first) {
			write_head(head);
			return;
		}
		head->text[digit] = '0';
	}
	head->text[digit]++;
}

static void pass_lines_on(struct output *o)
{
	fwrite(o->buffer, 1, (size_t)(o->at - o->buffer), o->out);
	o->at = o->buffer;
}

static void require_room(struct output *o, size_t size)
{
	if (size > (size_t)(o->buffer + LINES_ROOM - o->at))
		pass_lines_on(o);
}

static void put_bytes(struct output *o, const char *bytes, size_t size)
{
	memcpy(o->at, bytes, size);
	o->at += size;
}

/* Write a line that needs escapes or is longer than PIECE. */
static void put_escaped(struct output *o, struct cairn_bytes text)
{
	while (text.size > 0) {
		size_t plain = json_plain_run(text);
		if (plain > PIECE)
			plain = PIECE;
		require_room(o, PIECE + JSON_ESCAPE_MAX);
		put_bytes(o, (const char *)text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0 && plain < PIECE)
			o->at = json_put_character(o->at, &text);
	}
}

static void put_head(struct output *o, const struct head *head)
{
	if (head->size <= HEAD_BLOCK)
		memcpy(o->at, head->text, HEAD_BLOCK);
	else
		memcpy(o->at, head->text, head->size);
	o->at += head->size;
}

static void put_line(struct output *o, const struct head *head, struct cairn_bytes line)
{
	require_room(o, HEAD_ROOM + PIECE);
	put_head(o, head);
	if (line.size <= PIECE && json_copy_plain(o->at, line.data, line.size))
		o->at += line.size;
	else
		put_escaped(o, line);
	require_room(o, sizeof(tail));
	put_bytes(o, tail, sizeof(tail) - 1);
}

uint64_t json_lines(FILE *out, const struct json_line *form, uint64_t first,
                    struct cairn_bytes lines)
{
	struct output o;
	const uint8_t *at = lines.data, *end = lines.data + lines.size, *stop;
	struct head head = { .form = form, .number = first };
	uint64_t count = 0;

	o.out = out;
	o.at = o.buffer;
	write_head(&head);
	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			break;
		if (stop > at)
			put_line(&o, &head, (struct cairn_bytes){ at, (size_t)(stop - at) });
		count_line(&head);
		count++;
	}
	pass_lines_on(&o);
	return count;
}
