/* SPDX-License-Identifier: MIT */
/* Fields of Protocol Buffers: what each is read as, what is refused, and what is written reads as it was put in. */
#include "unit.h"

#include "base/wire.h"

#include <inttypes.h>
#include <stdio.h>

/* Each field as "number:value", "number=bytes", or "number?" of a group; "!" where reading ends before the end. */
static const struct {
	const char *name;
	struct cairn_bytes message;
	const char *fields;
} rows[] = {
	{ "nothing", BYTES(""), "" },
	{ "a varint", BYTES("\x08\x96\x01"), "1:150 " },
	{ "the largest number", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
	  "1:18446744073709551615 " },
	{ "a number above 64 bits", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "!" },
	{ "a number of eleven bytes", BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0"),
	  "!" },
	{ "eight bytes", BYTES("\x11\1\2\0\0\0\0\0\1"), "2:72057594037928449 " },
	{ "four bytes", BYTES("\x1d\1\2\0\0"), "3:513 " },
	{ "text", BYTES("\x22\2ab\x08\1"), "4=ab 1:1 " },
	{ "a group", BYTES("\x2b\x08\1\x2c\x08\2"), "5? 1:2 " },
	{ "a group in a group", BYTES("\x2b\x33\x34\x2c"), "5? " },
	{ "a group without end", BYTES("\x2b\x08\1"), "!" },
	{ "the end of another group", BYTES("\x2b\x34"), "!" },
	{ "an end alone", BYTES("\x2c"), "!" },
	{ "a field of no number", BYTES("\x08\1\x00\1"), "1:1 !" },
	{ "a type that is none", BYTES("\x0e\1"), "!" },
	{ "a key above 32 bits", BYTES("\x88\x80\x80\x80\x10\1"), "!" },
	{ "a varint that is cut", BYTES("\x08\x80"), "!" },
	{ "four bytes that are cut", BYTES("\x1d\1\2\0"), "!" },
	{ "eight bytes that are cut", BYTES("\x11\1\2\0\0\0\0\0"), "!" },
	{ "text that is cut", BYTES("\x22\3ab"), "!" },
	{ "text of any size", BYTES("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "!" },
};

static void print_field(FILE *out, const struct wire_field *field)
{
	if (field->type == WIRE_GROUP)
		fprintf(out, "%" PRIu32 "? ", field->number);
	else if (field->type == WIRE_BYTES)
		fprintf(out, "%" PRIu32 "=%.*s ", field->number, (int)field->bytes.size,
		        (const char *)field->bytes.data);
	else
		fprintf(out, "%" PRIu32 ":%" PRIu64 " ", field->number, field->value);
}

START_TEST(reads_fields)
{
	const struct cairn_bytes message = unit_exact(rows[_i].message);
	const uint8_t *at = message.data, *end = at + message.size;
	struct wire_field field;
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	while (at < end && wire_field(&at, end, &field)) {
		ck_assert_ptr_eq(field.whole.data + field.whole.size, at);
		print_field(out, &field);
	}
	if (at < end)
		fputc('!', out);
	fclose(out);
	ck_assert_msg(strcmp(text, rows[_i].fields) == 0, "%s: %s", rows[_i].name, text);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes field;
	bool is_list;
	uint64_t sum;
	bool whole; /* all of it was read */
} lists[] = {
	{ "packed", BYTES("\x0a\3\1\x96\1"), true, 151, true },
	{ "alone", BYTES("\x08\x96\1"), true, 150, true },
	{ "empty", BYTES("\x0a\0"), true, 0, true },
	{ "cut inside", BYTES("\x0a\2\1\x96"), true, 1, false },
	{ "eight bytes", BYTES("\x09\1\0\0\0\0\0\0\0"), false, 0, false },
};

START_TEST(reads_lists)
{
	const struct cairn_bytes message = unit_exact(lists[_i].field);
	const uint8_t *at = message.data;
	struct wire_field field;
	struct wire_numbers numbers;
	uint64_t sum = 0, number;

	ck_assert(wire_field(&at, at + message.size, &field));
	ck_assert(wire_numbers(&field, &numbers) == lists[_i].is_list);
	if (!lists[_i].is_list)
		return;
	while (wire_number(&numbers, &number))
		sum += number;
	ck_assert_msg(sum == lists[_i].sum, "%s", lists[_i].name);
	ck_assert_msg((numbers.at == numbers.end) == lists[_i].whole, "%s", lists[_i].name);
}
END_TEST

START_TEST(writes_what_it_reads)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX };
	uint8_t memory[128];
	struct sink out = sink_open(memory, sizeof(memory));
	struct wire_field field;
	const uint64_t value = values[_i];
	const uint8_t *at = memory;

	wire_put_number(&out, 536870911, value);
	wire_put_bytes(&out, 16, (struct cairn_bytes)BYTES("text"));
	ck_assert(sink_fits(&out));
	ck_assert(wire_field(&at, memory + out.size, &field));
	ck_assert(field.number == 536870911 && field.value == value);
	ck_assert_uint_eq(field.whole.size, 5 + wire_varint_size(value));
	ck_assert(wire_field(&at, memory + out.size, &field));
	ck_assert(field.number == 16 && field.bytes.size == 4 && at == memory + out.size);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wire");
	TCase *fields = tcase_create("fields");

	tcase_add_loop_test(fields, reads_fields, 0, COUNT(rows));
	tcase_add_loop_test(fields, reads_lists, 0, COUNT(lists));
	tcase_add_loop_test(fields, writes_what_it_reads, 0, 8);
	suite_add_tcase(suite, fields);
	return unit_run(suite);
}
