/* SPDX-License-Identifier: MIT */
/* Tests the decoder and encoder of the Compact Backtrace Format. */
#include "formats/cbf.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	TEXT = 512,
	CAPACITY = 512,
	TRAILING = CBF_WARNING_TRAILING,
	WIDE = CBF_WARNING_WIDE,
	ZERO_REP = CBF_WARNING_ZERO_REP,
};

/* Frames as text: p, r or a with the address, o with the number left out; *N when repeated. */
static void add_text(char *text, const struct cairn_frame *f)
{
	size_t used = strlen(text);
	const char *blank = used ? " " : "";
	char times[32] = "";

	if (f->times != 1)
		snprintf(times, sizeof(times), "*%" PRIu64, f->times);
	if (f->kind == CAIRN_FRAME_OMITTED)
		snprintf(text + used, TEXT - used, "%so%" PRIu64 "%s", blank, f->value, times);
	else
		snprintf(text + used, TEXT - used, "%s%c%" PRIx64 "%s", blank, " pra"[f->kind],
		         f -> value, times);
}

static const struct decode_row {
	const char *name;
	struct cairn_bytes input;
	enum cbf_outcome outcome;
	size_t at;
	unsigned warnings;
	const char *frames;
} decode_rows[] = {
	{ "nothing", BYTES(""), CBF_EMPTY, 0, 0, "" },
	{ "no frame, no end", BYTES("\2"), CBF_EOF, 1, 0, "" },
	{ "no frame, end", BYTES("\0\0"), CBF_END, 2, 0, "" },
	{ "no frame, cut", BYTES("\1\1"), CBF_TRUNC, 2, 0, "" },
	{ "version 1", BYTES("\6\0"), CBF_VERSION, 0, 0, "" },
	{ "version 63", BYTES("\376"), CBF_VERSION, 0, 0, "" },
	{ "reserved size", BYTES("\3\0"), CBF_SIZE, 0, 0, "" },
	{ "reserved 02", BYTES("\2\2"), CBF_RESERVED, 1, 0, "" },
	{ "reserved 0f", BYTES("\2\20\1\17"), CBF_RESERVED, 3, 0, "p1" },
	{ "reserved 90", BYTES("\2\220"), CBF_RESERVED, 1, 0, "" },
	{ "reserved ff", BYTES("\2\102\377\0"), CBF_RESERVED, 2, 0, "o3" },
	{ "rep first", BYTES("\2\200\0"), CBF_ORPHAN_REP, 1, 0, "" },
	{ "wide rep first", BYTES("\0\212\0\0\1"), CBF_ORPHAN_REP, 1, WIDE, "" },
	{ "address cut", BYTES("\2\20\1\31\20"), CBF_SHORT, 3, 0, "p1" },
	{ "no operand", BYTES("\2\20"), CBF_SHORT, 1, 0, "" },
	{ "wide address cut", BYTES("\0\27\1\2\3\4\5\6\7"), CBF_SHORT, 1, 0, "" },
	{ "omit cut", BYTES("\2\20\1\141\1"), CBF_SHORT, 3, 0, "p1" },
	{ "count and cut", BYTES("\2\150\1\0\0\0\0\0\0\0"), CBF_SHORT, 1, 0, "" },
	{ "rep cut", BYTES("\2\20\1\211\1"), CBF_SHORT, 3, 0, "p1" },
	{ "rep first and cut", BYTES("\2\211\1"), CBF_SHORT, 1, 0, "" },
	{ "omit of 65 bits", BYTES("\2\150\1\0\0\0\0\0\0\0\0\0"), CBF_COUNT, 1, WIDE, "" },
	{ "omit of 9 bytes", BYTES("\2\150\0\1\0\0\0\0\0\0\0\0"), CBF_END, 12, WIDE,
	  "o72057594037927936" },
	{ "all kinds", BYTES("\2\30\20\40\1\60\377\0"), CBF_END, 8, 0, "p10 r11 a10" },
	{ "big-endian", BYTES("\2\32\1\2\3\41\1\0"), CBF_EOF, 8, 0, "p10203 r10303" },
	{ "worked example", BYTES("\2\55\177\0\0\0\22\64\40\14\204\105\41\1\0\1"), CBF_TRUNC, 16, 0,
	  "r7f0000001234 r7f0000001240*6 o6 r7f0000001340" },
	{ "Swift's first address", BYTES("\2\41\22\64"), CBF_EOF, 4, 0, "r1234" },
	{ "sign on 64 bits", BYTES("\2\30\377\31\200\0"), CBF_EOF, 6, 0,
	  "pffffffffffffffff pffffffffffff8000" },
	{ "sign on 32 bits", BYTES("\1\30\377\31\200\0"), CBF_EOF, 6, 0, "pffffffff pffff8000" },
	{ "sign on 16 bits", BYTES("\0\30\377"), CBF_EOF, 3, 0, "pffff" },
	{ "wraps on 64 bits", BYTES("\2\30\377\20\1"), CBF_EOF, 5, 0, "pffffffffffffffff p0" },
	{ "wraps on 32 bits", BYTES("\1\30\377\20\2"), CBF_EOF, 5, 0, "pffffffff p1" },
	{ "wraps on 16 bits", BYTES("\0\30\0\20\377"), CBF_EOF, 5, 0, "p0 pffff" },
	{ "wide address", BYTES("\0\32\1\2\3\0"), CBF_END, 6, WIDE, "p203" },
	{ "wide address inside", BYTES("\0\20\1\32\1\2\3\20\1\20\1\20\1\20\1"), CBF_EOF, 15, WIDE,
	  "p1 p203 p204 p205 p206 p207" },
	{ "all 8 bytes", BYTES("\2\37\1\2\3\4\5\6\7\10\0"), CBF_END, 11, 0, "p102030405060708" },
	{ "omit and rep leave the base", BYTES("\2\20\20\105\200\20\1"), CBF_EOF, 7, 0,
	  "p10 o6*2 p11" },
	{ "omit inline", BYTES("\2\100\0"), CBF_END, 3, 0, "o1" },
	{ "omit inline, most", BYTES("\2\137\0"), CBF_END, 3, 0, "o32" },
	{ "omit nothing", BYTES("\2\140\0\0"), CBF_END, 4, 0, "o0" },
	{ "omit with high bit", BYTES("\2\140\377"), CBF_EOF, 3, 0, "o255" },
	{ "omit 2^64-1", BYTES("\2\147\377\377\377\377\377\377\377\377"), CBF_EOF, 10, 0,
	  "o18446744073709551615" },
	{ "wide omit", BYTES("\0\142\1\0\0"), CBF_EOF, 5, WIDE, "o65536" },
	{ "rep inline, most", BYTES("\2\20\7\207"), CBF_EOF, 4, 0, "p7*9" },
	{ "rep external", BYTES("\2\20\7\211\1\0"), CBF_EOF, 6, 0, "p7*257" },
	{ "rep of rep", BYTES("\2\20\7\201\201\20\1"), CBF_EOF, 7, 0, "p7*5 p8" },
	{ "rep of omit", BYTES("\2\102\200"), CBF_EOF, 3, 0, "o3*2" },
	{ "rep of 0", BYTES("\2\20\7\210\0\0"), CBF_END, 6, ZERO_REP, "p7" },
	{ "rep of 2^63", BYTES("\2\20\7\217\200\0\0\0\0\0\0\0"), CBF_EOF, 12, 0,
	  "p7*9223372036854775809" },
	{ "rep of 2^64-1", BYTES("\2\20\7\217\377\377\377\377\377\377\377\377\207"), CBF_EOF, 13, 0,
	  "p7*18446744073709551615" },
	{ "equal neighbours", BYTES("\2\30\7\20\0\30\7\101\101\50\7"), CBF_EOF, 11, 0,
	  "p7*3 o2*2 r7" },
	{ "behind end", BYTES("\2\20\7\0\377"), CBF_END, 4, TRAILING, "p7" },
	{ "behind cut", BYTES("\2\20\7\1\2"), CBF_TRUNC, 4, TRAILING, "p7" },
};

static void check_decoded(const struct decode_row *row, const struct cbf *c, const char *text)
{
	ck_assert_msg(strcmp(text, row->frames) == 0, "%s: frames %s", row->name, text);
	ck_assert_msg(c->outcome == row->outcome, "%s: %s", row->name,
	              cbf_outcome_name(c->outcome));
	ck_assert_msg(c->at == row->at, "%s: at %zu", row->name, c->at);
	ck_assert_msg(c->warnings == row->warnings, "%s: warnings %u", row->name, c->warnings);
}

START_TEST(decodes)
{
	const struct decode_row *row = &decode_rows[_i];
	struct cbf c = cbf_open(unit_exact(row->input));
	struct cairn_frame run = { 0 };
	char text[TEXT] = "";

	while (cbf_next(&c, &run))
		add_text(text, &run);
	check_decoded(row, &c, text);
	struct cairn_frame before = run;
	ck_assert(!cbf_next(&c, &run));
	ck_assert_int_eq(memcmp(&run, &before, sizeof(run)), 0);
}
END_TEST

static const struct fault_row {
	enum cbf_outcome outcome;
	const char *name;
	enum cairn_status status;
} fault_rows[] = {
	{ CBF_MORE, "more", CAIRN_OK },
	{ CBF_END, "end", CAIRN_OK },
	{ CBF_TRUNC, "trunc", CAIRN_OK },
	{ CBF_EOF, "eof", CAIRN_OK },
	{ CBF_EMPTY, "empty", CAIRN_TRUNCATED },
	{ CBF_VERSION, "version", CAIRN_UNSUPPORTED },
	{ CBF_SIZE, "size", CAIRN_MALFORMED },
	{ CBF_SHORT, "short", CAIRN_TRUNCATED },
	{ CBF_RESERVED, "reserved", CAIRN_MALFORMED },
	{ CBF_ORPHAN_REP, "orphan-rep", CAIRN_MALFORMED },
	{ CBF_COUNT, "count", CAIRN_MALFORMED },
};

START_TEST(names_outcomes)
{
	const struct fault_row *row = &fault_rows[_i];
	struct cbf c = { .at = 17, .outcome = row->outcome };
	struct cairn_fault fault = cbf_fault(&c);

	ck_assert_str_eq(cbf_outcome_name(row->outcome), row->name);
	ck_assert_int_eq(fault.status, row->status);
	ck_assert_uint_eq(fault.offset, 17);
	ck_assert_uint_gt(strlen(fault.what), 0);
	ck_assert_int_eq(cbf_is_error(row->outcome), row->status != CAIRN_OK);
}
END_TEST

static const struct stream_row {
	const char *name;
	struct cairn_bytes input;
	const char *sequences; /* start:outcome@at, each with a blank behind it */
} stream_rows[] = {
	{ "one", BYTES("\2\20\1\0"), "0:end@4 " },
	{ "two", BYTES("\2\20\1\0\0\20\1\1"), "0:end@4 4:trunc@4 " },
	{ "eof is the last", BYTES("\2\20\1"), "0:eof@3 " },
	{ "after an error", BYTES("\2\1\2\2\2\0"), "0:trunc@2 2:reserved@1 " },
	{ "bad start", BYTES("\2\0\3\0"), "0:end@2 2:size@0 " },
	{ "nothing", BYTES(""), "0:empty@0 " },
};

START_TEST(walks_sequences)
{
	const struct stream_row *row = &stream_rows[_i];
	struct cairn_bytes input = unit_exact(row->input);
	struct cbf c = cbf_open(input);
	char text[TEXT] = "";
	struct cairn_frame run;

	do {
		size_t used = strlen(text);
		while (cbf_next(&c, &run))
			continue;
		snprintf(text + used, TEXT - used, "%td:%s@%zu ", c.in.data - input.data,
		         cbf_outcome_name(c.outcome), c.at);
	} while (cbf_next_sequence(&c, &c));
	ck_assert_msg(strcmp(text, row->sequences) == 0, "%s: %s", row->name, text);
}
END_TEST

#define PC CAIRN_FRAME_PC
#define RA CAIRN_FRAME_RETURN
#define ASYNC CAIRN_FRAME_ASYNC
#define OMIT CAIRN_FRAME_OMITTED

static const struct encode_row {
	const char *name;
	unsigned word;
	struct cairn_frame runs[4]; /* up to the first without times */
	bool cut;
	struct cairn_bytes swift, specification;
} encode_rows[] = {
	{ "nothing", 8, { { 0 } }, false, BYTES("\2"), BYTES("\2\0") },
	{ "cut", 8, { { 0 } }, true, BYTES("\2\1"), BYTES("\2\1") },
	{ "address 0", 8, { { PC, 0, 1 } }, false, BYTES("\2\20\0"), BYTES("\2\30\0\0") },
	{ "7f", 4, { { RA, 0x7f, 1 } }, true, BYTES("\1\40\177\1"), BYTES("\1\50\177\1") },
	{ "80", 2, { { RA, 0x80, 1 } }, true, BYTES("\0\41\0\200\1"), BYTES("\0\51\0\200\1") },
	{ "-1", 8, { { ASYNC, UINT64_MAX, 1 } }, true, BYTES("\2\60\377\1"), BYTES("\2\70\377\1") },
	{ "-81",
	  8,
	  { { PC, UINT64_MAX - 0x80, 1 } },
	  true,
	  BYTES("\2\21\377\177\1"),
	  BYTES("\2\31\377\177\1") },
	{ "lowest",
	  8,
	  { { PC, (uint64_t)1 << 63, 1 } },
	  true,
	  BYTES("\2\27\200\0\0\0\0\0\0\0\1"),
	  BYTES("\2\37\200\0\0\0\0\0\0\0\1") },
	{ "highest",
	  4,
	  { { PC, 0x7fffffff, 1 } },
	  true,
	  BYTES("\1\23\177\377\377\377\1"),
	  BYTES("\1\33\177\377\377\377\1") },
	{ "negative word",
	  4,
	  { { PC, 0xffffff80, 1 } },
	  true,
	  BYTES("\1\20\200\1"),
	  BYTES("\1\30\200\1") },
	{ "tie: relative",
	  8,
	  { { PC, 1, 1 }, { RA, 1, 1 } },
	  true,
	  BYTES("\2\20\1\40\0\1"),
	  BYTES("\2\30\1\40\0\1") },
	{ "absolute is shorter",
	  8,
	  { { PC, 0x1234, 1 }, { PC, 0x12, 1 } },
	  true,
	  BYTES("\2\21\22\64\30\22\1"),
	  BYTES("\2\31\22\64\30\22\1") },
	{ "wraps in the word",
	  2,
	  { { PC, 0xfff0, 1 }, { PC, 0x10, 1 } },
	  true,
	  BYTES("\0\20\360\20\40\1"),
	  BYTES("\0\30\360\20\40\1") },
	{ "one omitted", 8, { { OMIT, 1, 1 } }, true, BYTES("\2\100\1"), BYTES("\2\100\1") },
	{ "31 omitted", 8, { { OMIT, 31, 1 } }, true, BYTES("\2\136\1"), BYTES("\2\136\1") },
	{ "32 omitted", 8, { { OMIT, 32, 1 } }, true, BYTES("\2\140\40\1"), BYTES("\2\137\1") },
	{ "33 omitted", 8, { { OMIT, 33, 1 } }, true, BYTES("\2\140\41\1"), BYTES("\2\140\41\1") },
	{ "256 omitted",
	  8,
	  { { OMIT, 256, 1 } },
	  true,
	  BYTES("\2\141\1\0\1"),
	  BYTES("\2\141\1\0\1") },
	{ "none omitted", 8, { { OMIT, 0, 1 } }, true, BYTES("\2\140\0\1"), BYTES("\2\140\0\1") },
	{ "all omitted",
	  8,
	  { { OMIT, UINT64_MAX, 1 } },
	  true,
	  BYTES("\2\147\377\377\377\377\377\377\377\377\1"),
	  BYTES("\2\147\377\377\377\377\377\377\377\377\1") },
	{ "omitted twice",
	  8,
	  { { OMIT, 5, 2 }, { OMIT, 5, 1 } },
	  true,
	  BYTES("\2\104\201\1"),
	  BYTES("\2\104\201\1") },
	{ "9 times", 8, { { RA, 1, 9 } }, true, BYTES("\2\40\1\207\1"), BYTES("\2\50\1\207\1") },
	{ "10 times",
	  8,
	  { { RA, 1, 4 }, { RA, 1, 6 } },
	  true,
	  BYTES("\2\40\1\210\11\1"),
	  BYTES("\2\50\1\210\11\1") },
	{ "the longest rep",
	  8,
	  { { PC, 1, CBF_REPEAT_MAX + 1 } },
	  true,
	  BYTES("\2\20\1\212\20\0\0\1"),
	  BYTES("\2\30\1\212\20\0\0\1") },
	{ "split once",
	  8,
	  { { PC, 1, CBF_REPEAT_MAX + 2 } },
	  true,
	  BYTES("\2\20\1\212\20\0\1\1"),
	  BYTES("\2\30\1\212\20\0\0\200\1") },
	{ "split in whole ones",
	  8,
	  { { PC, 1, 2 * CBF_REPEAT_MAX + 1 } },
	  true,
	  BYTES("\2\20\1\212\40\0\0\1"),
	  BYTES("\2\30\1\212\20\0\0\212\20\0\0\1") },
	{ "too long to split",
	  8,
	  { { PC, 1, UINT64_MAX }, { PC, 1, 7 } },
	  true,
	  BYTES("\2\20\1\217\377\377\377\377\377\377\377\376\1"),
	  BYTES("\2\30\1\217\377\377\377\377\377\377\377\376\1") },
};

static size_t encode(const struct encode_row *row, enum cbf_profile profile, uint8_t *out,
                     size_t capacity, enum cairn_status expected)
{
	struct cbf_encoder e = cbf_encoder(out, capacity, row->word, profile);
	struct cairn_frame dropped = { PC, 5, 5 }, none = { PC, 6, 0 };
	size_t size = 0;

	for (size_t i = 0; i < COUNT(row->runs) && row->runs[i].times; i++) {
		cbf_put(&e, &row->runs[i]);
		cbf_put(&e, &none);
	}
	if (row->cut) {
		cbf_truncate(&e);
		cbf_put(&e, &dropped);
		cbf_truncate(&e);
	}
	ck_assert_int_eq(cbf_finish(&e, &size), expected);
	return size;
}

static void check_encoded(const struct encode_row *row, enum cbf_profile profile,
                          struct cairn_bytes expected)
{
	uint8_t wide[CAPACITY];
	size_t size = encode(row, profile, wide, sizeof(wide), CAIRN_OK);

	ck_assert_msg(size == expected.size && memcmp(wide, expected.data, size) == 0,
	              "%s: profile %d: %zu bytes", row->name, (int)profile, size);

	/* Into every smaller buffer, and one of just that size. */
	for (size_t capacity = 0; capacity <= size; capacity++) {
		uint8_t *narrow = malloc(capacity + 1);
		ck_assert_ptr_nonnull(narrow);
		narrow[capacity] = 0x5a;
		size_t needed = encode(row, profile, narrow, capacity,
		                       capacity < size ? CAIRN_NO_MEMORY : CAIRN_OK);
		ck_assert_uint_eq(needed, size);
		ck_assert_uint_eq(narrow[capacity], 0x5a);
		free(narrow);
	}
}

START_TEST(encodes)
{
	check_encoded(&encode_rows[_i], CBF_PROFILE_SWIFT, encode_rows[_i].swift);
	check_encoded(&encode_rows[_i], CBF_PROFILE_SPECIFICATION, encode_rows[_i].specification);
}
END_TEST

START_TEST(refuses_wide_addresses)
{
	static const struct encode_row rows[] = {
		{ "16", 2, { { PC, 0x10000, 1 } }, false, BYTES(""), BYTES("") },
		{ "32", 4, { { PC, 0x100000000, 1 } }, true, BYTES(""), BYTES("") },
		{ "middle",
		  4,
		  { { PC, 1, 1 }, { PC, UINT64_MAX, 1 }, { PC, 2, 1 } },
		  true,
		  BYTES(""),
		  BYTES("") },
	};
	uint8_t out[CAPACITY];

	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t size =
			encode(&rows[i], CBF_PROFILE_SWIFT, out, sizeof(out), CAIRN_MALFORMED);
		ck_assert_uint_eq(size, 0);
	}
}
END_TEST

START_TEST(looks_up)
{
	static const struct {
		struct cairn_frame frame;
		uint64_t lookup, count;
	} rows[] = {
		{ { PC, 0x1000, 1 }, 0x1000, 1 },
		{ { RA, 0x1000, 5 }, 0xfff, 5 },
		{ { ASYNC, 0x1000, 1 }, 0x1000, 1 },
		{ { RA, 0, 1 }, UINT64_MAX, 1 },
		{ { OMIT, 7, 3 }, 7, 21 },
		{ { OMIT, 0, UINT64_MAX }, 0, 0 },
		{ { OMIT, UINT64_MAX, 2 }, UINT64_MAX, UINT64_MAX },
		{ { OMIT, UINT64_MAX, 1 }, UINT64_MAX, UINT64_MAX },
		{ { PC, 1, UINT64_MAX }, 1, UINT64_MAX },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ck_assert_uint_eq(cairn_frame_lookup_address(&rows[i].frame), rows[i].lookup);
		ck_assert_uint_eq(cairn_frame_count(&rows[i].frame), rows[i].count);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cbf");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, decodes, 0, COUNT(decode_rows));
	tcase_add_loop_test(tc, names_outcomes, 0, COUNT(fault_rows));
	tcase_add_loop_test(tc, walks_sequences, 0, COUNT(stream_rows));
	tcase_add_loop_test(tc, encodes, 0, COUNT(encode_rows));
	tcase_add_test(tc, refuses_wide_addresses);
	tcase_add_test(tc, looks_up);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
