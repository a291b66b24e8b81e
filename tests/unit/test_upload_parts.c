/* SPDX-License-Identifier: MIT */
/* Symbfiles in parts: cutting one up, and which parts a server takes. */
#include "unit.h"

#include "records.h"

#include "formats/symbfile_write.h"
#include "server/protocol/symbfile_split.h"
#include "server/protocol/upload.h"

#include <stdio.h>

enum { FUNCTIONS = 40, DEPTH = 3, TEXTS = 12, CAPACITY = 1 << 16 };

/* Functions with inlined calls, two string tables, an unknown message between. */
static struct cairn_bytes make_ranges(void)
{
	static uint8_t bytes[CAPACITY];
	struct symbfile_writer writer = { .has_previous = false };
	struct sink out = sink_open(bytes, sizeof(bytes));
	struct cairn_bytes texts[TEXTS];
	char name[TEXTS][16];

	for (unsigned i = 0; i < TEXTS; i++) {
		int length = snprintf(name[i], sizeof(name[i]), "text%u", i);
		texts[i] = (struct cairn_bytes){ (uint8_t *)name[i], (size_t)length };
	}
	symbfile_put_start(&out);
	for (unsigned i = 0; i < FUNCTIONS * DEPTH; i++) {
		struct symbfile_row row = { 1, i };
		struct symbfile_line_rows lines = { &row, 1 };
		struct symbfile_range range = {
			.start = 0x401000 + 64 * (i / DEPTH) + i % DEPTH,
			.length = 32,
			.function = { NULL, i % TEXTS, SYMBFILE_REF },
			.file = { (const uint8_t *)"a.c", 3, SYMBFILE_INLINE },
			.call_file = { NULL, 1, i % DEPTH ? SYMBFILE_REF : SYMBFILE_ABSENT },
			.call_line = i % DEPTH ? i : 0,
			.depth = i % DEPTH,
		};
		if (i == 0 || i == FUNCTIONS)
			ck_assert_int_eq(symbfile_put_table(&out, texts, TEXTS), SYMBFILE_VALID);
		if (i == 7)
			sink_bytes(&out, (const uint8_t *)"\3\x63xyz", 5);
		ck_assert_int_eq(symbfile_put_range(&writer, &out, &range, &lines), SYMBFILE_VALID);
	}
	sink_bytes(&out, (const uint8_t *)"\0\x64", 2);
	ck_assert(sink_fits(&out));
	return (struct cairn_bytes){ bytes, out.size };
}

static struct cairn_bytes make_pads(void)
{
	static uint8_t bytes[CAPACITY];
	static const struct cairn_bytes texts[] = { BYTES("f"), BYTES(""), BYTES("a.c") };
	struct symbfile_writer writer = { .has_previous = false };
	struct sink out = sink_open(bytes, sizeof(bytes));

	symbfile_put_start(&out);
	ck_assert_int_eq(symbfile_put_table(&out, texts, COUNT(texts)), SYMBFILE_VALID);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const struct symbfile_frame frame[] = { { 0, 1, 0 }, { 0, 2, i } };
		struct symbfile_pad_frames frames = { frame, 2 };
		ck_assert_int_eq(symbfile_put_pad(&writer, &out, 0x1000 - 8 * i, &frames),
		                 SYMBFILE_VALID);
	}
	return (struct cairn_bytes){ bytes, out.size };
}

static const uint64_t sizes[] = { 1, 60, 100, 150, 256, 1000, 3000, 1 << 20 };

/* Appends a part as a server joins them, and looks at it alone. */
static void join(struct cairn_bytes part, uint64_t limit, bool first, struct sink *joined)
{
	struct upload_parts_view view = upload_parts_view(part);
	struct symbfile file = symbfile_open(part);
	struct symbfile_record record;
	unsigned borders = 0;

	ck_assert_int_eq(view.code, SYMBFILE_VALID);
	while (symbfile_next(&file, &record)) {
		bool root = record.kind == SYMBFILE_PAD ||
		            (record.kind == SYMBFILE_RANGE && record.range.depth == 0);
		ck_assert(borders > 0 || root || record.kind == SYMBFILE_TABLE);
		borders += root;
	}
	ck_assert_msg(part.size <= limit || borders == 1, "%zu bytes", part.size);
	sink_bytes(joined, part.data + (first ? 0 : view.header),
	           part.size - (first ? 0 : view.header));
}

static void split_and_join(struct cairn_bytes whole, uint64_t size)
{
	static uint8_t bytes[2 * CAPACITY];
	struct sink joined = sink_open(bytes, sizeof(bytes));
	struct cairn_bytes part;
	struct cairn_fault fault;
	struct symbfile_split split;

	ck_assert_int_eq(symbfile_split_open(whole, size, &split, &fault), CAIRN_OK);
	ck_assert(split.count >= 1 && (size >= whole.size || split.count > 1));
	for (uint32_t i = 0; i < split.count; i++) {
		ck_assert_int_eq(symbfile_split_part(&split, i, &part), CAIRN_OK);
		join(part, size, i == 0, &joined);
	}
	symbfile_split_finish(&split);
	ck_assert(sink_fits(&joined));
	struct cairn_bytes all = unit_exact((struct cairn_bytes){ bytes, joined.size });
	ck_assert(records_same_files(whole, all));
	struct symbfile file = symbfile_open(all);
	struct symbfile_record record;
	while (symbfile_next(&file, &record))
		continue;
	ck_assert_int_eq(file.code, SYMBFILE_VALID);
	struct symbfile before = symbfile_open(whole);
	while (symbfile_next(&before, &record))
		continue;
	ck_assert_uint_eq(file.unknown, before.unknown);
}

START_TEST(splits_ranges)
{
	split_and_join(make_ranges(), sizes[_i]);
}
END_TEST

START_TEST(splits_pads)
{
	split_and_join(make_pads(), sizes[_i]);
}
END_TEST

START_TEST(keeps_one_part_as_it_is)
{
	struct cairn_bytes whole = make_ranges(), part;
	struct cairn_fault fault;
	struct symbfile_split split;

	ck_assert_int_eq(symbfile_split_open(whole, UINT64_MAX, &split, &fault), CAIRN_OK);
	ck_assert_uint_eq(split.count, 1);
	ck_assert_int_eq(symbfile_split_part(&split, 0, &part), CAIRN_OK);
	ck_assert(part.data == whole.data && part.size == whole.size);
	symbfile_split_finish(&split);
}
END_TEST

START_TEST(refuses_to_split_damage)
{
	struct cairn_bytes whole = make_ranges();
	struct cairn_fault fault;
	struct symbfile_split split;

	whole.size -= 4;
	ck_assert_int_eq(symbfile_split_open(whole, 100, &split, &fault), CAIRN_TRUNCATED);
	ck_assert_ptr_nonnull(fault.what);
	ck_assert_ptr_null(split.cuts);
}
END_TEST

#define START "symbfile\0\1"
#define RANGE "\7\2\x60\1\x10\1\x1a\1f"
#define RELATIVE "\7\2\x08\2\x10\1\x1a\1f"
#define PAD "\2\3\x28\1"

static const struct {
	const char *name;
	enum upload_kind kind;
	uint32_t part, parts;
	struct cairn_bytes bytes;
	unsigned status; /* 0: taken */
} arrivals[] = {
	{ "alone", UPLOAD_RANGES, 0, 1, BYTES(START RANGE), 0 },
	{ "without records", UPLOAD_RANGES, 0, 1, BYTES(START), 0 },
	{ "empty", UPLOAD_RANGES, 0, 1, BYTES(""), 400 },
	{ "no symbfile", UPLOAD_RANGES, 0, 1,
	  BYTES("\x7f"
	        "ELF...."),
	  400 },
	{ "cut", UPLOAD_RANGES, 0, 1, BYTES(START "\7\2\x60"), 400 },
	{ "damaged", UPLOAD_RANGES, 0, 1, BYTES(START RELATIVE), 400 },
	{ "pads among ranges", UPLOAD_RANGES, 0, 1, BYTES(START RANGE PAD), 400 },
	{ "pads", UPLOAD_RETURNPADS, 0, 1, BYTES(START PAD), 0 },
	{ "ranges among pads", UPLOAD_RETURNPADS, 0, 1, BYTES(START RANGE PAD), 0 },
	{ "whole part", UPLOAD_RANGES, 1, 3, BYTES(START RANGE), 0 },
	{ "whole part, damaged", UPLOAD_RANGES, 1, 3, BYTES(START RELATIVE), 400 },
	{ "whole part, cut", UPLOAD_RANGES, 1, 3, BYTES(START "\7\2\x60"), 400 },
	{ "first whole part, damaged", UPLOAD_RANGES, 0, 3, BYTES(START RELATIVE), 400 },
	{ "first slice", UPLOAD_RANGES, 0, 3, BYTES(START "\7\2\x60"), 0 },
	{ "first slice, in the magic", UPLOAD_RANGES, 0, 3, BYTES("symbf"), 0 },
	{ "first slice, the magic", UPLOAD_RANGES, 0, 3, BYTES("symbfile"), 0 },
	{ "first slice, empty", UPLOAD_RANGES, 0, 3, BYTES(""), 0 },
	{ "first slice, of something else", UPLOAD_RANGES, 0, 3, BYTES("symbo"), 400 },
	{ "first slice, another magic", UPLOAD_RANGES, 0, 3, BYTES("\x28\xb5\x2f\xfd...."), 400 },
	{ "later slice", UPLOAD_RANGES, 2, 3, BYTES("anything"), 0 },
	{ "later slice, empty", UPLOAD_RANGES, 2, 3, BYTES(""), 0 },
};

START_TEST(takes_parts)
{
	struct upload upload = { .kind = arrivals[_i].kind,
		                 .part = arrivals[_i].part,
		                 .parts = arrivals[_i].parts };
	struct cairn_bytes bytes = unit_exact(arrivals[_i].bytes);
	struct upload_parts_view view = upload_parts_view(bytes);
	const struct upload_refusal *no = upload_parts_check(&upload, bytes, &view);

	ck_assert_msg((no ? no->status : 0) == arrivals[_i].status, "%s", arrivals[_i].name);
}
END_TEST

static const struct {
	struct cairn_bytes bytes;
	size_t header;
} headers[] = {
	{ BYTES(START RANGE), 10 },
	{ BYTES("symbfile\3\1\x18\1\x20" RANGE), 13 },
	{ BYTES("symbfile\x83\0\1\x18\1\x20"), 14 },
	{ BYTES("symbfile\0\2"), 0 },
	{ BYTES("symbfile\4\1\x18"), 0 },
	{ BYTES("symbfile"), 0 },
	{ BYTES("symb"), 0 },
};

START_TEST(measures_headers)
{
	ck_assert_uint_eq(upload_parts_header(unit_exact(headers[_i].bytes)), headers[_i].header);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parts");
	TCase *tcase = tcase_create("parts");

	tcase_add_loop_test(tcase, splits_ranges, 0, COUNT(sizes));
	tcase_add_loop_test(tcase, splits_pads, 0, COUNT(sizes));
	tcase_add_test(tcase, keeps_one_part_as_it_is);
	tcase_add_test(tcase, refuses_to_split_damage);
	tcase_add_loop_test(tcase, takes_parts, 0, COUNT(arrivals));
	tcase_add_loop_test(tcase, measures_headers, 0, COUNT(headers));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
