/* SPDX-License-Identifier: MIT */
/* Addresses of all forms that .eh_frame has, read or refused in words, and those that are cut off. */
#include "formats/ehframe/ehframe.h"

#include "unit.h"

#define ADDRESS 0x1000u /* of the first byte */
#define AT 4            /* where the reader is */

static const struct {
	const char *name;
	uint8_t encoding, word;
	bool big;
	struct cairn_bytes bytes; /* from AT on */
	uint64_t value;
	size_t width;
} forms[] = {
	{ "absolute", 0x00, 8, false, BYTES("\x88\x77\x66\x55\x44\x33\x22\x11"), 0x1122334455667788,
	  8 },
	{ "absolute, 32-bit", 0x00, 4, false, BYTES("\x88\x77\x66\xf5"), 0xf5667788, 4 },
	{ "signed", 0x08, 8, false, BYTES("\xf0\xff\xff\xff\xff\xff\xff\xff"), (uint64_t)-16, 8 },
	{ "2 bytes", 0x02, 8, false, BYTES("\xf0\xff"), 0xfff0, 2 },
	{ "4 bytes", 0x03, 8, false, BYTES("\xf0\xff\xff\xff"), 0xfffffff0, 4 },
	{ "8 bytes", 0x04, 4, false, BYTES("\1\0\0\0\1\0\0\0"), 0x100000001, 8 },
	{ "2 signed bytes", 0x0a, 8, false, BYTES("\xf0\xff"), (uint64_t)-16, 2 },
	{ "4 signed bytes", 0x0b, 8, false, BYTES("\xf0\xff\xff\xff"), (uint64_t)-16, 4 },
	{ "8 signed bytes", 0x0c, 8, false, BYTES("\1\0\0\0\1\0\0\0"), 0x100000001, 8 },
	{ "big endian", 0x03, 8, true, BYTES("\1\2\3\4"), 0x01020304, 4 },
	{ "uleb128", 0x01, 8, false, BYTES("\xe5\x8e\x26"), 624485, 3 },
	{ "sleb128", 0x09, 8, false, BYTES("\xc0\xbb\x78"), (uint64_t)-123456, 3 },
	{ "from here", 0x1b, 8, false, BYTES("\x10\0\0\0"), ADDRESS + AT + 0x10, 4 },
	{ "from here, down", 0x1b, 8, false, BYTES("\xf0\xff\xff\xff"), ADDRESS + AT - 16, 4 },
	{ "from here, a word of 32 bits", 0x10, 4, false, BYTES("\xf0\xff\xff\xff"),
	  ADDRESS + AT - 16, 4 },
	{ "from here, 2 bytes", 0x12, 8, false, BYTES("\xf0\xff"), ADDRESS + AT + 0xfff0, 2 },
	{ "from here, uleb128", 0x11, 8, false, BYTES("\x80\1"), ADDRESS + AT + 128, 2 },
	{ "from here, sleb128", 0x19, 8, false, BYTES("\x7f"), ADDRESS + AT - 1, 1 },
	{ "aligned", 0x50, 8, false, BYTES("PPPP\1\2\0\0\0\0\0\0"), 0x201, 12 },
	{ "aligned, 32-bit", 0x50, 4, false, BYTES("\1\2\0\0"), 0x201, 4 },
};

static struct reader open_at(struct cairn_bytes bytes, bool big)
{
	static uint8_t data[64];

	ck_assert_uint_le(AT + bytes.size, sizeof(data));
	memcpy(data + AT, bytes.data, bytes.size);
	struct reader in =
		reader_open(unit_exact((struct cairn_bytes){ data, AT + bytes.size }), big);
	reader_seek(&in, AT);
	return in;
}

START_TEST(reads_all_forms)
{
	const uint8_t encoding = pointer_settle(forms[_i].encoding, forms[_i].word);
	struct reader in = open_at(forms[_i].bytes, forms[_i].big);

	ck_assert_msg(!pointer_refusal(encoding), "%s", forms[_i].name);
	const uint64_t value = pointer_read(&in, encoding, ADDRESS);
	ck_assert_msg(reader_ok(&in), "%s: %s", forms[_i].name, in.fault.what);
	ck_assert_msg(value == forms[_i].value, "%s: %lx", forms[_i].name, (unsigned long)value);
	ck_assert_msg(in.at == AT + forms[_i].width, "%s: %zu bytes", forms[_i].name, in.at - AT);
}
END_TEST

START_TEST(notices_what_is_cut_off)
{
	const uint8_t encoding = pointer_settle(forms[_i].encoding, forms[_i].word);

	for (size_t size = 0; size < forms[_i].bytes.size; size++) {
		struct reader in =
			open_at((struct cairn_bytes){ forms[_i].bytes.data, size }, forms[_i].big);
		ck_assert_uint_eq(pointer_read(&in, encoding, ADDRESS) & 0, 0);
		ck_assert_msg(in.fault.status == CAIRN_TRUNCATED, "%s: %zu bytes", forms[_i].name,
		              size);
	}
}
END_TEST

static const struct {
	uint8_t encoding;
	const char *why;
} refusals[] = {
	{ 0xff, "an omitted address" },
	{ 0x05, "unknown address encoding" },
	{ 0x17, "unknown address encoding" },
	{ 0x0f, "unknown address encoding" },
	{ 0x9b, "an indirect address" },
	{ 0x80, "an indirect address" },
	{ 0x2b, "an address relative to the start of the code" },
	{ 0x3b, "an address relative to the start of the data" },
	{ 0x44, "an address relative to the start of a function" },
	{ 0x63, "an address relative to an unknown base" },
	{ 0x70, "an address relative to an unknown base" },
};

START_TEST(refuses_in_words)
{
	struct reader in = open_at(forms[0].bytes, false);

	ck_assert_str_eq(pointer_refusal(refusals[_i].encoding), refusals[_i].why);
	ck_assert_uint_eq(pointer_read(&in, refusals[_i].encoding, ADDRESS), 0);
	ck_assert_int_eq(in.fault.status, CAIRN_UNSUPPORTED);
	ck_assert_str_eq(in.fault.what, refusals[_i].why);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pointer");
	TCase *tests = tcase_create("pointer");

	tcase_add_loop_test(tests, reads_all_forms, 0, COUNT(forms));
	tcase_add_loop_test(tests, notices_what_is_cut_off, 0, COUNT(forms));
	tcase_add_loop_test(tests, refuses_in_words, 0, COUNT(refusals));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
