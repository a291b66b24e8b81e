/* SPDX-License-Identifier: MIT */
/* Tests the bounded byte reader: its numbers, strings, slices and sticky first failure. */
#include "base/bytes.h"
#include "base/reader.h"
#include "unit.h"

/* One item of each kind, read from an offset of the same bytes in either order. */
enum item { U8, S8, U16, U32, S32, U64, WORD32, WORD64, ULEB, SLEB };

static uint64_t read_item(struct reader *in, enum item item)
{
	switch (item) {
	case U8:
		return reader_u8(in);
	case S8:
		return (uint64_t)(int64_t)reader_s8(in);
	case U16:
		return reader_u16(in);
	case U32:
		return reader_u32(in);
	case S32:
		return (uint64_t)(int64_t)reader_s32(in);
	case U64:
		return reader_u64(in);
	case WORD32:
		return reader_word(in, false);
	case WORD64:
		return reader_word(in, true);
	case ULEB:
		return reader_uleb(in);
	case SLEB:
		return (uint64_t)reader_sleb(in);
	}
	return 0;
}

static const struct {
	const char *name;
	struct cairn_bytes input;
	size_t from; /* bytes passed over first */
	enum item item;
	bool big;
	uint64_t value;
	size_t at; /* of the cursor afterwards */
	enum cairn_status status;
	size_t fault;
} items[] = {
	{ "u8", BYTES("\x81"), 0, U8, false, 0x81, 1, CAIRN_OK, 0 },
	{ "s8", BYTES("\x81"), 0, S8, false, (uint64_t)-127, 1, CAIRN_OK, 0 },
	{ "u16 little", BYTES("\1\x82"), 0, U16, false, 0x8201, 2, CAIRN_OK, 0 },
	{ "u16 big", BYTES("\1\x82"), 0, U16, true, 0x182, 2, CAIRN_OK, 0 },
	{ "u32 little", BYTES("\1\2\3\x84"), 0, U32, false, 0x84030201, 4, CAIRN_OK, 0 },
	{ "u32 big", BYTES("\x81\2\3\4"), 0, U32, true, 0x81020304, 4, CAIRN_OK, 0 },
	{ "s32", BYTES("\xfe\xff\xff\xff"), 0, S32, false, (uint64_t)-2, 4, CAIRN_OK, 0 },
	{ "u64 little", BYTES("\1\2\3\4\5\6\7\x88"), 0, U64, false, 0x8807060504030201, 8, CAIRN_OK,
	  0 },
	{ "u64 big", BYTES("\x81\2\3\4\5\6\7\x8"), 0, U64, true, 0x8102030405060708, 8, CAIRN_OK,
	  0 },
	{ "narrow word", BYTES("\1\0\0\0\1"), 0, WORD32, false, 1, 4, CAIRN_OK, 0 },
	{ "wide word", BYTES("\0\0\0\0\1\0\0\0"), 0, WORD64, false, 1ull << 32, 8, CAIRN_OK, 0 },
	{ "unaligned", BYTES("x\0\0\0\1"), 1, U32, true, 1, 5, CAIRN_OK, 0 },

	{ "u8 at the end", BYTES("x"), 1, U8, false, 0, 1, CAIRN_TRUNCATED, 1 },
	{ "u16 cut", BYTES("xx\1"), 2, U16, false, 0, 2, CAIRN_TRUNCATED, 2 },
	{ "u32 cut", BYTES("\1\1\1"), 0, U32, false, 0, 0, CAIRN_TRUNCATED, 0 },
	{ "u64 cut", BYTES("x\1\1\1\1\1\1\1"), 1, U64, true, 0, 1, CAIRN_TRUNCATED, 1 },
	{ "word cut", BYTES("\1\1\1\1"), 0, WORD64, false, 0, 0, CAIRN_TRUNCATED, 0 },

	{ "uleb one byte", BYTES("\x7f"), 0, ULEB, false, 0x7f, 1, CAIRN_OK, 0 },
	{ "uleb two bytes", BYTES("\xe5\x8e\x26"), 0, ULEB, false, 624485, 3, CAIRN_OK, 0 },
	{ "uleb padded", BYTES("\x81\x80\x80\0"), 0, ULEB, false, 1, 4, CAIRN_OK, 0 },
	{ "uleb padded to ten", BYTES("\x81\x80\x80\x80\x80\x80\x80\x80\x80\0"), 0, ULEB, false, 1,
	  10, CAIRN_OK, 0 },
	{ "uleb padded to eleven", BYTES("x\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\0"), 1, ULEB,
	  false, 0, 0, CAIRN_MALFORMED, 1 },
	{ "uleb 2^63", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"), 0, ULEB, false, 1ull << 63,
	  10, CAIRN_OK, 0 },
	{ "uleb 2^64 - 1", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), 0, ULEB, false,
	  UINT64_MAX, 10, CAIRN_OK, 0 },
	{ "uleb 2^64", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\2"), 0, ULEB, false, 0, 0,
	  CAIRN_MALFORMED, 0 },
	{ "uleb tenth byte of ones", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0, ULEB,
	  false, 0, 0, CAIRN_MALFORMED, 0 },
	{ "uleb cut", BYTES("x\xff\xff"), 1, ULEB, false, 0, 0, CAIRN_TRUNCATED, 1 },
	{ "uleb at the end", BYTES(""), 0, ULEB, false, 0, 0, CAIRN_TRUNCATED, 0 },

	{ "sleb positive", BYTES("\x3f"), 0, SLEB, false, 63, 1, CAIRN_OK, 0 },
	{ "sleb negative", BYTES("\x40"), 0, SLEB, false, (uint64_t)-64, 1, CAIRN_OK, 0 },
	{ "sleb two bytes", BYTES("\xc0\0"), 0, SLEB, false, 64, 2, CAIRN_OK, 0 },
	{ "sleb -123456", BYTES("\xc0\xbb\x78"), 0, SLEB, false, (uint64_t)-123456, 3, CAIRN_OK,
	  0 },
	{ "sleb padded", BYTES("\xff\xff\x7f"), 0, SLEB, false, (uint64_t)-1, 3, CAIRN_OK, 0 },
	{ "sleb 9 bytes", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x40"), 0, SLEB, false,
	  (uint64_t)1 << 63 | (uint64_t)1 << 62, 9, CAIRN_OK, 0 },
	{ "sleb largest", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\0"), 0, SLEB, false,
	  INT64_MAX, 10, CAIRN_OK, 0 },
	{ "sleb smallest", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), 0, SLEB, false,
	  1ull << 63, 10, CAIRN_OK, 0 },
	{ "sleb too large", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"), 0, SLEB, false, 0, 0,
	  CAIRN_MALFORMED, 0 },
	{ "sleb too small", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7e"), 0, SLEB, false, 0, 0,
	  CAIRN_MALFORMED, 0 },
	{ "sleb padded to eleven", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0, SLEB,
	  false, 0, 0, CAIRN_MALFORMED, 0 },
	{ "sleb cut", BYTES("\x80"), 0, SLEB, false, 0, 0, CAIRN_TRUNCATED, 0 },
};

START_TEST(reads_an_item)
{
	struct reader in = reader_open(unit_exact(items[_i].input), items[_i].big);

	reader_skip(&in, items[_i].from);
	uint64_t value = read_item(&in, items[_i].item);
	ck_assert_msg(in.fault.status == items[_i].status, "%s: %s", items[_i].name,
	              cairn_status_text(in.fault.status));
	ck_assert_msg(value == items[_i].value, "%s: %llx", items[_i].name,
	              (unsigned long long)value);
	if (items[_i].status == CAIRN_OK)
		ck_assert_msg(in.at == items[_i].at && in.item == items[_i].from, "%s: at %zu",
		              items[_i].name, in.at);
	else
		ck_assert_msg(in.fault.offset == items[_i].fault && in.fault.what,
		              "%s: fault at %llu", items[_i].name,
		              (unsigned long long)in.fault.offset);
}
END_TEST

START_TEST(first_failure_sticks)
{
	struct cairn_bytes bytes = BYTES("ab\1\1\1\1\1\1\1\1");
	struct reader in = reader_open(unit_exact(bytes), false);

	reader_u16(&in);
	reader_fail(&in, CAIRN_MALFORMED, "the first");
	reader_fail_at(&in, 9, CAIRN_TRUNCATED, "the second");
	for (int item = U8; item <= SLEB; item++)
		ck_assert_uint_eq(read_item(&in, (enum item)item), 0);
	ck_assert_uint_eq(reader_bytes(&in, 2).size, 0);
	ck_assert_uint_eq(reader_string(&in).size, 0);
	reader_skip(&in, 1);
	reader_seek(&in, 4);
	ck_assert_uint_eq(in.at, 2);
	ck_assert_int_eq(in.fault.status, CAIRN_MALFORMED);
	ck_assert_uint_eq(in.fault.offset, 0);
	ck_assert_str_eq(in.fault.what, "the first");
}
END_TEST

START_TEST(seeks_up_to_the_end)
{
	struct cairn_bytes bytes = BYTES("abc");
	struct reader in = reader_open(unit_exact(bytes), false);

	reader_seek(&in, 2);
	ck_assert_uint_eq(reader_u8(&in), 'c');
	reader_seek(&in, 3);
	ck_assert(reader_ok(&in) && reader_left(&in) == 0);
	reader_seek(&in, 4);
	ck_assert_int_eq(in.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(in.fault.offset, 4);
}
END_TEST

START_TEST(skips_no_further_than_the_end)
{
	struct cairn_bytes bytes = BYTES("abc");
	struct reader in = reader_open(unit_exact(bytes), false);

	reader_skip(&in, 1);
	reader_skip(&in, SIZE_MAX); /* at + size wraps */
	ck_assert_int_eq(in.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(in.fault.offset, 1);
}
END_TEST

START_TEST(lends_bytes)
{
	struct cairn_bytes bytes = BYTES("abcd");
	struct reader in = reader_open(unit_exact(bytes), false);

	struct cairn_bytes part = reader_bytes(&in, 3);
	ck_assert(part.size == 3 && memcmp(part.data, "abc", 3) == 0);
	part = reader_bytes(&in, 0);
	ck_assert(part.size == 0 && part.data && reader_ok(&in));
	part = reader_bytes(&in, 2);
	ck_assert(part.size == 0 && part.data);
	ck_assert_int_eq(in.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(in.fault.offset, 3);
}
END_TEST

START_TEST(reads_strings)
{
	struct cairn_bytes bytes = BYTES("ab\0\0cd");
	struct reader in = reader_open(unit_exact(bytes), false);

	struct cairn_bytes text = reader_string(&in);
	ck_assert(text.size == 2 && memcmp(text.data, "ab", 2) == 0);
	ck_assert(in.at == 3 && in.item == 0);
	text = reader_string(&in);
	ck_assert(text.size == 0 && text.data && in.at == 4);
	text = reader_string(&in);
	ck_assert(text.size == 0 && text.data);
	ck_assert_int_eq(in.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(in.fault.offset, 4);
}
END_TEST

START_TEST(string_at_the_end)
{
	struct cairn_bytes bytes = BYTES("");
	struct reader in = reader_open(unit_exact(bytes), false);

	ck_assert_uint_eq(reader_string(&in).size, 0);
	ck_assert_int_eq(in.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(in.fault.offset, 0);
}
END_TEST

static const struct {
	uint64_t count;
	size_t size;
	bool fits;
} counts[] = {
	{ 0, 4, true },           { 2, 4, true },
	{ 3, 4, false },          { 10, 1, true },
	{ 11, 1, false },         { UINT64_MAX, 0, true },
	{ UINT64_MAX, 8, false }, { 0x2000000000000001, 8, false }, /* 8 bytes modulo 2^64 */
	{ 1, SIZE_MAX, false },
};

START_TEST(counts_against_the_bytes_left)
{
	struct cairn_bytes bytes = BYTES("0123456789");
	struct reader in = reader_open(bytes, false);

	ck_assert(reader_fits(&in, counts[_i].count, counts[_i].size) == counts[_i].fits);
}
END_TEST

static const struct {
	uint64_t offset, size;
	bool inside;
} slices[] = {
	{ 0, 4, true },           { 4, 0, true },           { 1, 3, true },
	{ 1, 4, false },          { 5, 0, false },          { 0, 5, false },
	{ 1, UINT64_MAX, false }, { UINT64_MAX, 1, false }, { UINT64_MAX, 5, false },
};

START_TEST(slices_inside_only)
{
	struct cairn_bytes bytes = BYTES("abcd"), part;
	bool inside = bytes_slice(bytes, slices[_i].offset, slices[_i].size, &part);

	ck_assert(inside == slices[_i].inside);
	if (inside)
		ck_assert(part.data == bytes.data + slices[_i].offset &&
		          part.size == slices[_i].size);
}
END_TEST

static const struct {
	size_t size;
	bool big;
	uint64_t as_unsigned;
	int64_t as_signed;
} widths[] = {
	{ 1, false, 0xfe, -2 },
	{ 2, false, 0xfcfe, -770 },
	{ 2, true, 0xfefc, -260 },
	{ 4, false, 0xfffffcfe, -770 },
	{ 4, true, 0xfefcffff, -16973825 },
	{ 8, false, 0x80fffffffffffcfe, INT64_MIN + 0xfffffffffffcfe },
	{ 8, true, 0xfefcffffffffff80, (int64_t)0xfefcffffffffff80 },
};

START_TEST(numbers_of_each_width)
{
	static const uint8_t bytes[] = "\xfe\xfc\xff\xff\xff\xff\xff\x80";

	ck_assert_uint_eq(bytes_unsigned(bytes, widths[_i].size, widths[_i].big),
	                  widths[_i].as_unsigned);
	ck_assert_int_eq(bytes_signed(bytes, widths[_i].size, widths[_i].big),
	                 widths[_i].as_signed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *reader = tcase_create("reader");

	tcase_add_loop_test(reader, reads_an_item, 0, COUNT(items));
	tcase_add_test(reader, first_failure_sticks);
	tcase_add_test(reader, seeks_up_to_the_end);
	tcase_add_test(reader, skips_no_further_than_the_end);
	tcase_add_test(reader, lends_bytes);
	tcase_add_test(reader, reads_strings);
	tcase_add_test(reader, string_at_the_end);
	tcase_add_loop_test(reader, counts_against_the_bytes_left, 0, COUNT(counts));
	tcase_add_loop_test(reader, slices_inside_only, 0, COUNT(slices));
	tcase_add_loop_test(reader, numbers_of_each_width, 0, COUNT(widths));
	suite_add_tcase(suite, reader);
	return unit_run(suite);
}
