/* SPDX-License-Identifier: MIT */
/* Tests the demangler for Rust's newer names on valid and damaged input. */
#include "formats/rust.h"
#include "unit.h"

#include <stdio.h>

static struct cairn_bytes name_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* What is NULL is damage. */
static const struct {
	const char *name, *text;
} rows[] = {
	/* paths */
	{ "_RNvC5crate4main", "crate::main" },
	{ "_RNvCskLiuB6rvwGE_5crate4main", "crate::main" },
	{ "_RNCNvC1a1b0", "a::b::{closure#0}" },
	{ "_RNCNvC1a1bs_0", "a::b::{closure#1}" },
	{ "_RNSNvC1a1b6vtable", "a::b::{shim:vtable#0}" },
	{ "_RNZNvC1a1b1c", "a::b::{Z:c#0}" },
	{ "_RNvMC1ae1b", "<str>::b" },
	{ "_RNvMs_C1aNtB4_1S1b", "<a::S>::b" },
	{ "_RNvXC1aeNtC1b1T1c", "<str as b::T>::c" },
	{ "_RNvYeNtC1b1T1c", "<str as b::T>::c" },
	{ "_RINvC1a1bmE", "a::b::<u32>" },
	{ "_RINvC1a1bmECs1_1c", "a::b::<u32>" },
	{ "_RINvC1a1bINtC1c1VhEE", "a::b::<c::V<u8>>" },
	{ "_RINvC1a1bhB7_E", "a::b::<u8, u8>" },
	{ "_RNvC5crateu7caf_dma", "crate::caf\xc3\xa9" },
	{ "_RNvC1au8_9999999a", "a::punycode{9999999a}" },

	/* types */
	{ "_RINvC1a1bTEE", "a::b::<()>" },
	{ "_RINvC1a1bThEE", "a::b::<(u8,)>" },
	{ "_RINvC1a1bThtEE", "a::b::<(u8, u16)>" },
	{ "_RINvC1a1bAhj4_E", "a::b::<[u8; 4]>" },
	{ "_RINvC1a1bSeE", "a::b::<[str]>" },
	{ "_RINvC1a1bReQePeOeE", "a::b::<&str, &mut str, *const str, *mut str>" },
	{ "_RINvC1a1bRL_eE", "a::b::<&str>" },
	{ "_RINvC1a1bFUKCmEuE", "a::b::<unsafe extern \"C\" fn(u32)>" },
	{ "_RINvC1a1bFK0EhE", NULL },
	{ "_RINvC1a1bFK7stdcallEhE", "a::b::<extern \"stdcall\" fn() -> u8>" },
	{ "_RINvC1a1bFG_RL0_eEB9_E", NULL },
	{ "_RINvC1a1bFG_RL0_eEuE", "a::b::<for<'a> fn(&'a str)>" },
	{ "_RINvC1a1bFG0_RL0_eRL1_eEuE", "a::b::<for<'a, 'b> fn(&'b str, &'a str)>" },
	{ "_RINvC1a1bRL0_eE", NULL },
	{ "_RINvC1a1bDNtC1c1TEL_E", "a::b::<dyn c::T>" },
	{ "_RINvC1a1bDNtC1c1Tp1XhEL_E", "a::b::<dyn c::T<X = u8>>" },
	{ "_RINvC1a1bDINtC1c1ThEp1XhNtC1c1SEL_E", "a::b::<dyn c::T<u8, X = u8> + c::S>" },

	/* constants */
	{ "_RINvC1a1bKj5_KinfKb1_Kc41_KpE", NULL },
	{ "_RINvC1a1bKj5_Kinf_Kb1_Kc41_KpE", "a::b::<5, -15, true, 'A', _>" },
	{ "_RINvC1a1bKc27_Kca_Kc0_Kc1f_E", "a::b::<'\\'', '\\n', '\\0', '\\u{1f}'>" },
	{ "_RINvC1a1bKo123456789abcdef01_E", "a::b::<0x123456789abcdef01>" },
	{ "_RINvC1a1bKRe61c3a9_E", "a::b::<\"a\xc3\xa9\">" },
	{ "_RINvC1a1bKRe61c3_E", NULL },
	{ "_RINvC1a1bKRe616_E", NULL },
	{ "_RINvC1a1bKe61_E", "a::b::<{*\"a\"}>" },
	{ "_RINvC1a1bKRh5_E", "a::b::<{&5}>" },
	{ "_RINvC1a1bKAh1_h2_EE", "a::b::<{[1, 2]}>" },
	{ "_RINvC1a1bKTh1_EE", "a::b::<{(1,)}>" },
	{ "_RINvC1a1bKVNtC1c1SUE", "a::b::<{c::S}>" },
	{ "_RINvC1a1bKVNtC1c1STh1_EE", "a::b::<{c::S(1)}>" },
	{ "_RINvC1a1bKVNtC1c1SS1xh1_EE", "a::b::<{c::S { x: 1 }}>" },
	{ "_RINvC1a1bKb2_E", NULL },
	{ "_RINvC1a1bKcd800_E", NULL },
	{ "_RINvC1a1bKc110000_E", NULL },
	{ "_RINvC1a1bKd1_E", NULL },
	{ "_RINvC1a1bKhn1_E", NULL },

	/* damage */
	{ "", NULL },
	{ "_R", NULL },
	{ "_RC", NULL },
	{ "_R0", NULL },
	{ "_RNvC5crate4mai", NULL },
	{ "_RNvC5crate4mainx", NULL },
	{ "_RN0C1a1b", NULL },
	{ "_RB_", NULL },
	{ "_RNvB_1a", NULL },
	{ "_RNvBzzzzzzzzzzzzzzz_1a", NULL },
	{ "_RNvC99999999999999999999a1b", NULL },
	{ "_RNvCszzzzzzzzzzzzzzzz_1a1b", NULL },
	{ "_RINvC1a1b", NULL },
	{ "_RINvC1a1bD", NULL },
	{ "_RINvC1a1bDE", NULL },
	{ "_RINvC1a1bAh", NULL },
	{ "_RINvC1a1bWhE", NULL },
	{ "_RNvC1au1_", NULL },
};

START_TEST(reads_names)
{
	static char out[1 << 16];
	struct cairn_bytes name = name_of(rows[_i].name);
	const char *wanted = rows[_i].text ? rows[_i].text : "";
	bool exhausted;
	size_t size = rust_demangle(name, out, sizeof(out), &exhausted);

	ck_assert_msg(size == strlen(wanted) && memcmp(out, wanted, size) == 0, "%s: %.*s",
	              rows[_i].name, (int)size, out);
	ck_assert(size == 0 || rust_demangle(name, out, size - 1, &exhausted) == 0);
	ck_assert(size == 0 || exhausted);
	for (; name.size > 0; name.size--)
		ck_assert_uint_le(rust_demangle(name, out, sizeof(out), &exhausted), sizeof(out));
}
END_TEST

/* `count` times `part` between the others, and whether such a name is read. */
static const struct {
	const char *name, *before, *part;
	size_t count;
	const char *after;
	bool read;
} large[] = {
	{ "as deep as may be", "_RINvC1a1b", "R", RUST_DEPTH - 2, "hE", true },
	{ "too deep", "_RINvC1a1b", "R", RUST_DEPTH, "hE", false },
	{ "paths too deep", "_R", "Nv", RUST_DEPTH, "C1a1b", false },
	{ "constants too deep", "_RINvC1a1bK", "R", RUST_DEPTH, "h1_E", false },
	{ "as long as may be", "_RNvC1a4085", "x", RUST_NAME_MAX - 11, "", true },
	{ "too long", "_RNvC1a4086", "x", RUST_NAME_MAX - 10, "", false },
	{ "as many letters as may be", "_RNvC1au254aa_", "a", 251, "", true },
};

START_TEST(keeps_its_limits)
{
	static char name[2 * RUST_NAME_MAX], out[1 << 16];
	bool exhausted;

	strcpy(name, large[_i].before);
	for (size_t i = 0; i < large[_i].count; i++)
		strcat(name, large[_i].part);
	strcat(name, large[_i].after);
	size_t size = rust_demangle(name_of(name), out, sizeof(out), &exhausted);
	ck_assert_msg((size > 0) == large[_i].read, "%s: %zu", large[_i].name, size);
	ck_assert(size > 0 || exhausted);
}
END_TEST

/* Tuples of two tuples each, which double: some thousands of steps, and more than a name of its size has. */
START_TEST(ends_soon)
{
	static const char few[] =
		"_RINvC1a1bTETB7_B7_ETB9_B9_ETBh_Bh_ETBp_Bp_ETBx_Bx_ETBF_BF_ETBN_BN_ETBV_BV_EE",
			  many[] = "_RINvC1a1bTETB7_B7_ETB9_B9_ETBh_Bh_ETBp_Bp_ETBx_Bx_ETBF_BF_"
				   "ETBN_BN_ETBV_BV_ETB13_B13_ETB1b_B1b_ETB1l_B1l_ETB1v_B1v_ETB1F_"
				   "B1F_ETB1P_B1P_EE";
	static char out[1 << 16];
	bool exhausted;

	ck_assert_uint_lt(RUST_STEPS + RUST_STEPS_TIMES * strlen(many), 1 << 14);
	ck_assert_uint_gt(rust_demangle(name_of(few), out, sizeof(out), &exhausted), 0);
	ck_assert_uint_eq(rust_demangle(name_of(many), out, sizeof(out), &exhausted), 0);
	ck_assert(exhausted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rust");
	TCase *all = tcase_create("rust");

	tcase_add_loop_test(all, reads_names, 0, COUNT(rows));
	tcase_add_loop_test(all, keeps_its_limits, 0, COUNT(large));
	tcase_add_test(all, ends_soon);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
