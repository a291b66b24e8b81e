/* SPDX-License-Identifier: MIT */
/*
 * The symbfile decoder: every refusal with the offset of its frame, odd encodings that mean the
 * same, going on behind damage; and the encoder, whose bytes must read as what was put in.
 */
#include "unit.h"

#include "base/wire.h"
#include "formats/symbfile.h"
#include "formats/symbfile_write.h"

#include <inttypes.h>
#include <stdio.h>

#define START "symbfile\0\1"
/* range 0x1000 +0x10 "f": 9 bytes of body, 11 in all */
#define RANGE "\x8\2\x60\x80\x20\x10\x10\x1a\1f"
#define TABLE       \
	"\3\4\xa\1" \
	"a"

static const struct {
	const char *name;
	struct cairn_bytes input;
	unsigned records;
	enum symbfile_code code;
	size_t offset;
} rows[] = {
	{ "empty", BYTES(""), 0, SYMBFILE_SHORT_FILE, 0 },
	{ "short and wrong", BYTES("\x28\xb5\x2f\xfd"), 0, SYMBFILE_SHORT_FILE, 0 },
	{ "magic", BYTES("symbfilE\0\1"), 0, SYMBFILE_BAD_MAGIC, 0 },
	{ "nothing else", BYTES("symbfile"), 0, SYMBFILE_NO_HEADER, 8 },
	{ "least", BYTES(START), 0, SYMBFILE_VALID, 0 },
	{ "first is a range", BYTES("symbfile" RANGE), 0, SYMBFILE_NO_HEADER, 8 },
	{ "first is cut", BYTES("symbfile\x80"), 0, SYMBFILE_TRUNCATED, 8 },
	{ "second header", BYTES(START RANGE "\0\1"), 1, SYMBFILE_BAD_TYPE, 20 },
	{ "type 0", BYTES(START "\0\0"), 0, SYMBFILE_BAD_TYPE, 10 },
	{ "type 2^31", BYTES(START "\0\x80\x80\x80\x80\x8"), 0, SYMBFILE_BAD_TYPE, 10 },
	{ "type 2^31-1", BYTES(START "\0\xff\xff\xff\xff\7"), 0, SYMBFILE_VALID, 0 },
	{ "unknown type with a body", BYTES(START "\4\x7f\2\2\x60\1" RANGE), 1, SYMBFILE_VALID, 0 },
	{ "cut in a length", BYTES(START RANGE "\x80"), 1, SYMBFILE_TRUNCATED, 20 },
	{ "cut behind a length", BYTES(START RANGE "\1"), 1, SYMBFILE_TRUNCATED, 20 },
	{ "cut in a body", BYTES(START "\x9\2\x60\x80"), 0, SYMBFILE_TRUNCATED, 10 },
	{ "length of 11 bytes", BYTES(START "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\2"), 0,
	  SYMBFILE_VARINT_TOO_LONG, 10 },
	{ "length of 65 bits", BYTES(START "\x80\x80\x80\x80\x80\x80\x80\x80\x80\2\2"), 0,
	  SYMBFILE_VARINT_TOO_LONG, 10 },
	{ "length of 10 bytes, cut", BYTES(START "\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 0,
	  SYMBFILE_TRUNCATED, 10 },
	{ "padded length", BYTES(START "\x88\x80\x80\0\2\x60\x80\x20\x10\x10\x1a\1f"), 1,
	  SYMBFILE_VALID, 0 },
	{ "16 MiB", BYTES(START "\x80\x80\x80\x8\2"), 0, SYMBFILE_TRUNCATED, 10 },
	{ "more than 16 MiB", BYTES(START "\x81\x80\x80\x8\2"), 0, SYMBFILE_MESSAGE_TOO_BIG, 10 },
	{ "header with unknown fields", BYTES("symbfile\4\1\x78\1\x7d\0"), 0, SYMBFILE_BAD_PROTOBUF,
	  8 },
	{ "header of an unknown field", BYTES("symbfile\2\1\x78\1"), 0, SYMBFILE_VALID, 0 },
	{ "field 0", BYTES(START "\2\2\0\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "wire type 7", BYTES(START "\1\2\x7f"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "address as bytes", BYTES(START "\2\2\xa\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "function as a number", BYTES(START "\2\2\x18\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "reference as bytes", BYTES(START "\2\2\x4a\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "line table as a number", BYTES(START "\2\2\x40\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "offsets as fixed32", BYTES(START "\7\2\x42\5\xd\0\0\0\0"), 0, SYMBFILE_BAD_PROTOBUF,
	  10 },
	{ "text past the end", BYTES(START "\3\2\x1a\5x"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "column ends in a number", BYTES(START "\5\2\x42\3\xa\1\x80"), 0, SYMBFILE_BAD_PROTOBUF,
	  10 },
	{ "group without end", BYTES(START "\1\2\x7b"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "end of a group alone", BYTES(START "\1\2\x7c"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "end of another group", BYTES(START "\3\2\x7b\x74\x7c"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "name is not UTF-8", BYTES(START "\4\2\x1a\2\xc0\x80"), 0, SYMBFILE_BAD_UTF8, 10 },
	{ "UTF-8 before protobuf", BYTES(START "\4\2\x1a\1\xff\7"), 0, SYMBFILE_BAD_UTF8, 10 },
	{ "protobuf before UTF-8", BYTES(START "\4\2\7\x1a\1\xff"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "table is not UTF-8", BYTES(START TABLE "\3\4\xa\1\xed"), 1, SYMBFILE_BAD_UTF8, 15 },
	{ "strings as numbers", BYTES(START "\2\4\x8\1"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "columns differ", BYTES(START "\xa\2\x60\1\x42\6\xa\2\1\1\x12\0"), 0,
	  SYMBFILE_COLUMN_MISMATCH, 10 },
	{ "columns before address", BYTES(START "\5\2\x42\3\xa\1\1"), 0, SYMBFILE_COLUMN_MISMATCH,
	  10 },
	{ "no address", BYTES(START "\3\2\x1a\1f"), 0, SYMBFILE_MISSING_FIELD, 10 },
	{ "relative first", BYTES(START "\5\2\x8\2\x1a\1f"), 0, SYMBFILE_NO_BASE, 10 },
	{ "no base before no function", BYTES(START "\2\2\x8\2"), 0, SYMBFILE_NO_BASE, 10 },
	{ "no function", BYTES(START "\2\2\x60\1"), 0, SYMBFILE_MISSING_FIELD, 10 },
	{ "no function before reference", BYTES(START "\4\2\x60\1\x50\1"), 0,
	  SYMBFILE_MISSING_FIELD, 10 },
	{ "reference without table", BYTES(START "\4\2\x60\1\x48\0"), 0, SYMBFILE_BAD_REF, 10 },
	{ "reference too far", BYTES(START TABLE "\4\2\x60\1\x48\1"), 1, SYMBFILE_BAD_REF, 15 },
	{ "call file too far", BYTES(START TABLE "\6\2\x60\1\x48\0\x58\1"), 1, SYMBFILE_BAD_REF,
	  15 },
	{ "replaced reference", BYTES(START "\7\2\x60\1\x48\5\x1a\1f"), 1, SYMBFILE_VALID, 0 },
	{ "reference of 33 bits", BYTES(START TABLE "\x8\2\x60\1\x48\x80\x80\x80\x80\x10"), 2,
	  SYMBFILE_VALID, 0 },
	{ "pad", BYTES(START TABLE "\xb\3\x28\5\x12\1\0\x1a\1\0\x22\1\7"), 2, SYMBFILE_VALID, 0 },
	{ "pad with too few lines", BYTES(START TABLE "\x8\3\x28\5\x12\1\0\x1a\1\0"), 1,
	  SYMBFILE_COLUMN_MISMATCH, 15 },
	{ "pad without address", BYTES(START "\0\3"), 0, SYMBFILE_MISSING_FIELD, 10 },
	{ "pad at a range's field", BYTES(START "\2\3\x60\1"), 0, SYMBFILE_MISSING_FIELD, 10 },
	{ "pad too far", BYTES(START TABLE "\xb\3\x28\5\x12\1\0\x1a\1\1\x22\1\7"), 1,
	  SYMBFILE_BAD_REF, 15 },
	{ "pad function as fixed", BYTES(START "\5\3\x15\0\0\0\0"), 0, SYMBFILE_BAD_PROTOBUF, 10 },
	{ "relative first pad", BYTES(START "\2\3\x8\2"), 0, SYMBFILE_NO_BASE, 10 },
};

START_TEST(tells_each_fault)
{
	struct symbfile file = symbfile_open(unit_exact(rows[_i].input));
	struct symbfile_record record;
	unsigned count = 0;

	while (symbfile_next(&file, &record))
		count++;
	ck_assert_msg(file.code == rows[_i].code, "%s: %s", rows[_i].name,
	              symbfile_code_name(file.code));
	ck_assert_msg(count == rows[_i].records, "%s: %u records", rows[_i].name, count);
	if (file.code != SYMBFILE_VALID)
		ck_assert_msg(file.offset == rows[_i].offset, "%s: at %zu", rows[_i].name,
		              file.offset);
	ck_assert(!symbfile_next(&file, &record));
	ck_assert((file.code == SYMBFILE_VALID) == (symbfile_fault(&file).status == CAIRN_OK));
}
END_TEST

/* Groups in each other, as many as are allowed and one more, around nothing. */
START_TEST(bounds_groups)
{
	for (unsigned depth = WIRE_GROUPS_MAX; depth <= WIRE_GROUPS_MAX + 1; depth++) {
		uint8_t bytes[300] = START;
		struct sink out = sink_open(bytes, sizeof(bytes));
		out.size = 10;
		sink_u8(&out, (uint8_t)(0x80 | ((2 * depth + 5) & 0x7f)));
		sink_u8(&out, (uint8_t)((2 * depth + 5) >> 7));
		sink_bytes(&out, (const uint8_t *)"\2\x60\1\x1a\1f", 6);
		for (unsigned i = 0; i < 2 * depth; i++)
			sink_u8(&out, i < depth ? 0x7b : 0x7c);
		struct symbfile file = symbfile_open((struct cairn_bytes){ bytes, out.size });
		struct symbfile_record record;
		ck_assert(symbfile_next(&file, &record) == (depth == WIRE_GROUPS_MAX));
		ck_assert((file.code == SYMBFILE_VALID) == (depth == WIRE_GROUPS_MAX));
	}
}
END_TEST

/* A record as text: "0x1000+0x10 2 f:f.c<c.c:7 1=2 3=4". */
static const char *text_of(const struct symbfile_record *record)
{
	static char text[256];
	const struct symbfile_range *r = &record->range;
	struct symbfile_rows lines = symbfile_rows(record);
	struct symbfile_row row;

	int at = snprintf(text, sizeof(text), "0x%" PRIx64 "+0x%" PRIx64 " %u %.*s:%.*s<%.*s:%u",
	                  r->start, r->length, r->depth, (int)r->function.value,
	                  (const char *)r->function.data, (int)r->file.value,
	                  r->file.data ? (const char *)r->file.data : "", (int)r->call_file.value,
	                  r->call_file.data ? (const char *)r->call_file.data : "", r->call_line);
	while (symbfile_next_row(&lines, &row))
		at += snprintf(text + at, sizeof(text) - (size_t)at, " %" PRIu64 "=%u", row.offset,
		               row.line);
	return text;
}

static const struct {
	const char *name;
	struct cairn_bytes input;
	const char *text;
} same[] = {
	{ "usual",
	  BYTES(START "\x1b\2\x60\1\x10\2\x1a\1f\x22\1g\x28\7\x32\1h\x38\1\x42\x8\xa\2\1\2"
	              "\x12\2\3\4"),
	  "0x1+0x2 1 f:g<h:7 1=3 3=4" },
	{ "backwards",
	  BYTES(START "\x1b\2\x42\x8\x12\2\3\4\xa\2\1\2\x38\1\x32\1h\x28\7\x22\1g\x1a\1f"
	              "\x10\2\x60\1"),
	  "0x1+0x2 1 f:g<h:7 1=3 3=4" },
	{ "single numbers", BYTES(START "\xf\2\x60\1\x1a\1f\x42\x8\x8\1\x10\3\x8\2\x10\4"),
	  "0x1+0x0 0 f:<:0 1=3 3=4" },
	{ "two tables", BYTES(START "\x12\2\x60\1\x42\4\xa\2\1\2\x1a\1f\x42\5\x10\3\x12\1\4"),
	  "0x1+0x0 0 f:<:0 1=3 3=4" },
	{ "unknown fields between", BYTES(START "\xf\2\x78\1\x60\1\x7a\1z\x1a\1f\x75zzzz"),
	  "0x1+0x0 0 f:<:0" },
	{ "given again", BYTES(START "\xb\2\x60\5\x10\1\x1a\1e\x10\2\x60\1"), "0x1+0x2 0 e:<:0" },
	{ "lines of 33 bits",
	  BYTES(START "\x11\2\x60\1\x1a\1f\x42\xa\xa\1\1\x12\5\x82\x80\x80\x80\x10"),
	  "0x1+0x0 0 f:<:0 1=2" },
	{ "an empty column twice", BYTES(START "\xf\2\x60\1\x1a\1f\x42\x8\xa\0\xa\1\1\x12\1\2"),
	  "0x1+0x0 0 f:<:0 1=2" },
};

START_TEST(reads_odd_orders)
{
	struct symbfile file = symbfile_open(unit_exact(same[_i].input));
	struct symbfile_record record;
	bool read = symbfile_next(&file, &record);

	ck_assert_msg(read == (same[_i].text != NULL), "%s: %s", same[_i].name,
	              symbfile_code_name(file.code));
	if (read)
		ck_assert_msg(strcmp(text_of(&record), same[_i].text) == 0, "%s: %s", same[_i].name,
		              text_of(&record));
}
END_TEST

/* Bodies of ranges at 0x1000 + 2; NULL: refused, whichever road it takes. */
static const struct {
	const char *name;
	struct cairn_bytes body;
	const char *text;
} roads[] = {
	{ "least", BYTES("\x8\4\x1a\1f"), "0x1002+0x0 0 f:<:0" },
	{ "all", BYTES("\x8\4\x10\2\x1a\1f\x22\1g\x28\7\x32\1h\x38\1\x42\x8\xa\2\1\2\x12\2\3\4"),
	  "0x1002+0x2 1 f:g<h:7 1=3 3=4" },
	{ "numbers of each size", BYTES("\x8\4\x10\x80\x80\1\x1a\1f\x28\x80\x80\x80\1\x38\x81\1"),
	  "0x1002+0x4000 129 f:<:2097152" },
	{ "a number of five bytes", BYTES("\x8\4\x10\x80\x80\x80\x80\1\x1a\1f"),
	  "0x1002+0x10000000 0 f:<:0" },
	{ "lines of many bytes",
	  BYTES("\x8\4\x1a\1f\x42\x12\xa\4\1\2\x80\0\x12\xa\x81\1\x81\x81\1\x81\x81\x81\x81\1"),
	  "0x1002+0x0 0 f:<:0 1=129 3=16513 3=270549121" },
	{ "no lines in a table", BYTES("\x8\4\x1a\1f\x42\4\xa\0\x12\0"), "0x1002+0x0 0 f:<:0" },
	{ "no columns", BYTES("\x8\4\x1a\1f\x42\0"), "0x1002+0x0 0 f:<:0" },
	{ "one column", BYTES("\x8\4\x1a\1f\x42\3\xa\1\1"), NULL },
	{ "columns that differ", BYTES("\x8\4\x1a\1f\x42\7\xa\1\1\x12\2\3\4"), NULL },
	{ "a column that ends in a number", BYTES("\x8\4\x1a\1f\x42\7\xa\1\1\x12\2\3\x84"), NULL },
	{ "a table cut", BYTES("\x8\4\x1a\1f\x42\7\xa\1\1\x12\1\3"), NULL },
	{ "the first column too long", BYTES("\x8\4\x1a\1f\x42\6\xa\x9\1\x12\1\3"), NULL },
	{ "the second column too long", BYTES("\x8\4\x1a\1f\x42\6\xa\1\1\x12\2\3"), NULL },
	{ "something behind the table", BYTES("\x8\4\x1a\1f\x42\6\xa\1\1\x12\1\3\x38\1"),
	  "0x1002+0x0 1 f:<:0 1=3" },
	{ "no function", BYTES("\x8\4\x10\1"), NULL },
	{ "a function that is not UTF-8", BYTES("\x8\4\x1a\1\xff"), NULL },
	{ "a function behind the end", BYTES("\x8\4\x1a\2f"), NULL },
	{ "a reference past the table", BYTES("\x8\4\x48\0"), NULL },
	{ "a number behind the end", BYTES("\x8\4\x1a\1f\x38"), NULL },
	{ "a long number behind the end", BYTES("\x8\4\x1a\1f\x38\x80"), NULL },
	{ "nothing", BYTES(""), NULL },
};

/* With little behind it a record takes the road for all, with much the straight one. */
START_TEST(both_roads_agree)
{
	for (unsigned tail = 0; tail <= 0x7f; tail += 0x7f) {
		uint8_t bytes[512] = START RANGE;
		struct sink out = sink_open(bytes, sizeof(bytes));
		struct symbfile_record record;
		out.size = 20;
		sink_u8(&out, (uint8_t)roads[_i].body.size);
		sink_u8(&out, SYMBFILE_RANGE);
		sink_bytes(&out, roads[_i].body.data, roads[_i].body.size);
		/* messages of an unknown type; what a number would read behind its end is a key */
		for (unsigned i = 0; i < 2; i++) {
			sink_u8(&out, (uint8_t)tail);
			sink_u8(&out, 0x38);
			for (unsigned n = 0; n < tail; n++)
				sink_u8(&out, 1);
		}
		struct symbfile file =
			symbfile_open(unit_exact((struct cairn_bytes){ bytes, out.size }));
		ck_assert(symbfile_next(&file, &record));
		bool read = symbfile_next(&file, &record);
		ck_assert_msg(read == (roads[_i].text != NULL), "%s, %u behind it: %s",
		              roads[_i].name, tail, symbfile_code_name(file.code));
		if (read)
			ck_assert_str_eq(text_of(&record), roads[_i].text);
		else
			ck_assert_uint_eq(file.offset, 20);
	}
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes input;
	unsigned records, faults;
	uint64_t dropped, last;
} damaged[] = {
	/* absolute 0x1000; damage; relative; absolute 0x20; relative */
	{ "an address lost",
	  BYTES(START RANGE "\1\2\7"
	                    "\5\2\x8\2\x1a\1f"
	                    "\5\2\x60\x20\x1a\1f"
	                    "\5\2\x8\2\x1a\1f"),
	  3, 1, 1, 0x21 },
	{ "an address kept",
	  BYTES(START RANGE "\4\2\x60\x40\x48\0"
	                    "\5\2\x8\2\x1a\1f"),
	  2, 1, 0, 0x41 },
	{ "no address",
	  BYTES(START RANGE "\3\2\x1a\1f"
	                    "\5\2\x8\2\x1a\1f"),
	  1, 1, 1, 0x1000 },
	{ "a table lost",
	  BYTES(START TABLE "\2\4\x8\1"
	                    "\4\2\x60\1\x48\0"
	                    "\5\2\x8\2\x1a\1f"),
	  2, 2, 0, 2 },
	{ "a frame", BYTES(START RANGE "\0\0" RANGE), 1, 1, 0, 0x1000 },
};

START_TEST(goes_on_behind_damage)
{
	struct symbfile file = symbfile_open(unit_exact(damaged[_i].input));
	struct symbfile_record record;
	unsigned records = 0, faults = 0;
	uint64_t last = 0;

	do {
		while (symbfile_next(&file, &record)) {
			records++;
			if (record.kind == SYMBFILE_RANGE)
				last = record.range.start;
		}
		faults += file.code != SYMBFILE_VALID;
	} while (file.code != SYMBFILE_VALID && symbfile_resume(&file));
	ck_assert_msg(records == damaged[_i].records && faults == damaged[_i].faults,
	              "%s: %u records, %u faults", damaged[_i].name, records, faults);
	ck_assert_uint_eq(file.dropped, damaged[_i].dropped);
	ck_assert_uint_eq(last, damaged[_i].last);
}
END_TEST

static struct symbfile_text text(const char *from)
{
	if (!from)
		return (struct symbfile_text){ NULL, 0, SYMBFILE_ABSENT };
	return (struct symbfile_text){ (const uint8_t *)from, (uint32_t)strlen(from),
		                       SYMBFILE_INLINE };
}

/* The first range of the published example, and the pad: section 3.5 of its description. */
START_TEST(writes_what_the_producer_writes)
{
	static const uint8_t expected[] = START
		"\x19\2\x60\xc0\xc\x10\x24\x1a\4main\x50\0\x42\xa\xa\3\0\x8\x10\x12\3\x26\x27\x29"
		"\x14\2\x8\x18\x10\xc\x1a\x8"
		"a_inline"
		"\x28\x28\x58\0\x38\1"
		"\xb\3\x8\1\x12\1\0\x1a\1\0\x22\1\5";
	static const struct symbfile_row row[] = { { 0, 38 }, { 8, 39 }, { 0x18, 41 } };
	struct symbfile_line_rows lines = { row, COUNT(row) }, none = { NULL, 0 };
	struct symbfile_text ref = { NULL, 0, SYMBFILE_REF };
	struct symbfile_range main_range = {
		.start = 0x640, .length = 0x24, .function = text("main"), .file = ref
	};
	struct symbfile_range inlined = { .start = 0x64c,
		                          .length = 12,
		                          .function = text("a_inline"),
		                          .call_file = ref,
		                          .call_line = 40,
		                          .depth = 1 };
	struct symbfile_frame frame = { 0, 0, 5 };
	struct symbfile_pad_frames frames = { &frame, 1 };
	struct symbfile_writer writer = { .has_previous = false };
	uint8_t bytes[256];
	struct sink out = sink_open(bytes, sizeof(bytes));

	symbfile_put_start(&out);
	ck_assert(symbfile_put_range(&writer, &out, &main_range, &lines) == SYMBFILE_VALID);
	ck_assert(symbfile_put_range(&writer, &out, &inlined, &none) == SYMBFILE_VALID);
	ck_assert(symbfile_put_pad(&writer, &out, 0x64b, &frames) == SYMBFILE_VALID);
	ck_assert_uint_eq(out.size, sizeof(expected) - 1);
	ck_assert_mem_eq(bytes, expected, out.size);
}
END_TEST

START_TEST(refuses_what_cannot_be_written)
{
	static const struct symbfile_row back[] = { { 8, 1 }, { 4, 2 } };
	static const struct symbfile_row far[] = { { 0x100000000, 1 } };
	struct symbfile_line_rows lines[] = { { back, 2 }, { far, 1 } };
	struct symbfile_range range = { .start = 1, .function = text("f") };
	struct symbfile_writer writer = { .has_previous = false };
	struct sink out = sink_open(NULL, 0);
	struct cairn_bytes huge = { (const uint8_t *)"", SYMBFILE_MESSAGE_MAX };

	for (size_t i = 0; i < COUNT(lines); i++)
		ck_assert(symbfile_put_range(&writer, &out, &range, &lines[i]) ==
		          SYMBFILE_LINES_UNSORTED);
	ck_assert(symbfile_put_table(&out, &huge, 1) == SYMBFILE_MESSAGE_TOO_BIG);
	ck_assert_uint_eq(out.size, 0);
	ck_assert(!writer.has_previous);
}
END_TEST

/* From each address to each other, by 63 bits and a sign or, where that is not enough, anew. */
START_TEST(writes_all_distances)
{
	static const uint64_t address[] = { 0, 1, 0x7fffffffffffffff, 0x8000000000000000,
		                            0xffffffffffffffff };
	struct symbfile_line_rows none = { NULL, 0 };

	for (size_t a = 0; a < COUNT(address); a++)
		for (size_t b = 0; b < COUNT(address); b++) {
			struct symbfile_writer writer = { .has_previous = false };
			uint8_t bytes[64];
			struct sink out = sink_open(bytes, sizeof(bytes));
			struct symbfile_range range = { .start = address[a],
				                        .function = text("f") };
			symbfile_put_start(&out);
			ck_assert(!symbfile_put_range(&writer, &out, &range, &none));
			range.start = address[b];
			ck_assert(!symbfile_put_range(&writer, &out, &range, &none));
			struct symbfile file =
				symbfile_open((struct cairn_bytes){ bytes, out.size });
			struct symbfile_record record;
			ck_assert(symbfile_next(&file, &record));
			ck_assert(record.range.start == address[a]);
			ck_assert(symbfile_next(&file, &record));
			ck_assert(record.range.start == address[b]);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbfile");
	TCase *reader = tcase_create("reader"), *writer = tcase_create("writer");

	tcase_add_loop_test(reader, tells_each_fault, 0, COUNT(rows));
	tcase_add_test(reader, bounds_groups);
	tcase_add_loop_test(reader, reads_odd_orders, 0, COUNT(same));
	tcase_add_loop_test(reader, both_roads_agree, 0, COUNT(roads));
	tcase_add_loop_test(reader, goes_on_behind_damage, 0, COUNT(damaged));
	tcase_add_test(writer, writes_what_the_producer_writes);
	tcase_add_test(writer, refuses_what_cannot_be_written);
	tcase_add_test(writer, writes_all_distances);
	suite_add_tcase(suite, reader);
	suite_add_tcase(suite, writer);
	return unit_run(suite);
}
