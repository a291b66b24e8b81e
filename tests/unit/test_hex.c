/* SPDX-License-Identifier: MIT */
/* Tests the hexadecimal decoder on digits, blanks, comments and invalid input. */
#include "base/encoding.h"
#include "unit.h"

static const struct {
	const char *name;
	struct cairn_bytes input, bytes;
	bool sound;
	size_t at; /* when it is not */
} rows[] = {
	{ "nothing", BYTES(""), BYTES(""), true, 0 },
	{ "all digits", BYTES("0123456789abcdefABCDEF"),
	  BYTES("\1\43\105\147\211\253\315\357\253\315\357"), true, 0 },
	{ "blanks", BYTES(" 0 2\t1\r\n0\n"), BYTES("\2\20"), true, 0 },
	{ "comments", BYTES("# xyz\n02 # 03\n04"), BYTES("\2\4"), true, 0 },
	{ "no digit", BYTES("02g0"), BYTES(""), false, 2 },
	{ "prefix", BYTES("0x02"), BYTES(""), false, 1 },
	{ "one missing", BYTES("020"), BYTES(""), false, 3 },
};

START_TEST(decodes)
{
	struct cairn_bytes input = unit_exact(rows[_i].input);
	uint8_t *out = malloc(input.size / 2 + 1);
	size_t size = 0, at = 0;

	ck_assert_ptr_nonnull(out);
	ck_assert_msg(hex_decode(input, out, &size, &at) == rows[_i].sound, "%s", rows[_i].name);
	if (rows[_i].sound) {
		ck_assert_msg(size == rows[_i].bytes.size, "%s", rows[_i].name);
		ck_assert_msg(memcmp(out, rows[_i].bytes.data, size) == 0, "%s", rows[_i].name);
	} else {
		ck_assert_msg(at == rows[_i].at, "%s: at %zu", rows[_i].name, at);
	}
	free(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hex");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, decodes, 0, COUNT(rows));
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
