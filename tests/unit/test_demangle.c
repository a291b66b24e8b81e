/* SPDX-License-Identifier: MIT */
/* Readable names with what is around them, and names that would keep a demangler busy. */
#include "symbols/demangle.h"
#include "unit.h"

#include <stdio.h>

static struct cairn_bytes name_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* What is NULL has no readable form. */
static const struct {
	const char *name, *gnu, *llvm;
} rows[] = {
	{ "_Z3foov", "foo()", "foo()" },
	{ "_ZN1aI1bIiEE1cEv", "a<b<int>>::c()", "a<b<int>>::c()" },
	{ "_ZN1aC4Ev", "a::a()", "a::a()" },
	{ "_ZN1aD4Ev", "a::~a()", "a::~a()" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()",
	  "(anonymous namespace)::foo()" },
	{ "_ZN5crate4main17h0123456789abcdefE", "crate::main", "crate::main::h0123456789abcdef" },
	{ "_RNvC5crate4main", "crate::main", "crate::main" },
	{ "_RNvC5crate4main.llvm.123", "crate::main (.llvm.123)", "crate::main (.llvm.123)" },
	{ "_ZN5crate4main17h0123456789abcdefE.llvm.123", "crate::main (.llvm.123)",
	  "crate::main::h0123456789abcdef (.llvm.123)" },
	{ "_ZN26_$LT$a..B$u20$as$u20$C$GT$1f17h0123456789abcdefE.llvm.1.cold",
	  "<a::B as C>::f (.llvm.1.cold)",
	  "_$LT$a..B$u20$as$u20$C$GT$::f::h0123456789abcdef (.llvm.1.cold)" },
	{ "_RNvC5crateu7caf_dma", "crate::caf\xc3\xa9", "crate::caf\xc3\xa9" },

	/* what compilers put behind a name */
	{ "_Z3foov.cold", "foo() [clone .cold]", "foo() (.cold)" },
	{ "_Z3foov.isra.0.cold", "foo() [clone .isra.0] [clone .cold]", "foo() (.isra.0.cold)" },
	{ "_Z3foov.Q", NULL, "foo() (.Q)" },
	{ "_Z1f9._anon_26.cold", "f(._anon_26) [clone .cold]", "f(._anon_26) (.cold)" },
	{ "._Z3foov", ".foo()", ".foo()" },
	{ "..Z3foov", NULL, NULL },

	/* blocks */
	{ "___Z7guardedl_block_invoke", "invocation function for block in guarded(long)",
	  "invocation function for block in guarded(long)" },
	{ "___Z1fv_block_invoke_2", "invocation function for block in f()",
	  "invocation function for block in f()" },
	{ "___Z1fv_block_invoke12.cold", "invocation function for block in f()",
	  "invocation function for block in f()" },
	{ "___Z1fv_block_invoke_", NULL, NULL },
	{ "___Z1fv_block_invoke2x", NULL, NULL },
	{ "___Z1fv", NULL, NULL },
	{ "___Z_block_invoke", NULL, NULL },

	/* other languages, damage */
	{ "_D8demangle4testZ", NULL, NULL },
	{ "?f@@YAXXZ", NULL, NULL },
	{ "foo", NULL, NULL },
	{ "", NULL, NULL },
	{ ".", NULL, NULL },
	{ "_", NULL, NULL },
	{ "$s4deck4DeckV4parkyySiFTQ1_", "Deck.park(_:)", "Deck.park(_:)" },
	{ "_$s4deck4DeckV4parkyySiF.cold", "Deck.park(_:)", "Deck.park(_:)" },
	{ ".$s4deck4DeckV", ".Deck", ".Deck" },
	{ "$s4deck4DeckV9park", NULL, NULL },
	{ "_Z", NULL, NULL },
	{ "_R", NULL, NULL },
	{ "_Z3fo", NULL, NULL },
	{ "__Z3foov", NULL, NULL },
	{ "_GLOBAL__I__Z3foov", NULL, NULL },
};

static void check_name(const char *name, enum demangle_style style, const char *wanted)
{
	char out[DEMANGLE_TEXT_MAX];
	size_t size = demangle_name(name_of(name), style, out, sizeof(out));

	ck_assert_msg(size == strlen(wanted ? wanted : ""), "%s: %.*s", name, (int)size, out);
	ck_assert_msg(memcmp(out, wanted ? wanted : "", size) == 0, "%s: %.*s", name, (int)size,
	              out);
	if (size > 0)
		ck_assert_uint_eq(demangle_name(name_of(name), style, out, size - 1), 0);
	ck_assert_uint_eq(demangle_name(name_of(name), style, out, 0), 0);
}

START_TEST(reads_names)
{
	check_name(rows[_i].name, DEMANGLE_GNU, rows[_i].gnu);
	check_name(rows[_i].name, DEMANGLE_LLVM, rows[_i].llvm);
}
END_TEST

/* Characters of Rust's older names, as rustc's own library has them; after what is none, all is left as it is. */
static const struct {
	const char *name, *text;
} older_rust[] = {
	{ "_ZN3p0514gr$uf6$$udf$e_8_$u6570$8_$ue9$t_17h0071156945dbc21eE",
	  "p05::gr\xc3\xb6\xc3\x9f"
	  "e_::\xe6\x95\xb0::\xc3\xa9t_" },
	{ "_ZN1a9$u1f600$b17h0123456789abcdefE", "a::\xf0\x9f\x98\x80"
	                                         "b" },
	{ "_ZN1a9$u7$$u41$17h0123456789abcdefE", "a::$u7$$u41$" },
	{ "_ZN1a10$ud800$..b17h0123456789abcdefE", "a::$ud800$..b" },
	{ "_ZN1a9$u110000$17h0123456789abcdefE", "a::$u110000$" },
	{ "_ZN1a10$u1000041$17h0123456789abcdefE", "a::$u1000041$" },
	{ "_ZN1a5$uF6$17h0123456789abcdefE", "a::$uF6$" },
	{ "_ZN1a7$u9f$$C17h0123456789abcdefE", "a::$u9f$$C" },
	{ "_ZN1a8$u$$C$..17h0123456789abcdefE", "a::$u$$C$.." },
	{ "_ZN1a10$RF$..$LT$17h0123456789abcdefE", "a::&::<" },
};

START_TEST(reads_older_rust)
{
	check_name(older_rust[_i].name, DEMANGLE_GNU, older_rust[_i].text);
}
END_TEST

/* The languages that only cairn_demangle() reads; NULL: it leaves the name as it is. */
static const struct {
	const char *name, *text;
} others[] = {
	{ "__shapes_MOD_sq_area", "shapes::sq_area" },
	{ "__shapes_MOD_sq_area.isra.0", "shapes::sq_area [clone .isra.0]" },
	{ "__shapes_MOD___copy_shapes_Circle", "shapes::__copy_shapes_Circle" },
	{ "__shapes_MOD_", NULL },
	{ "___MOD_area", NULL },
	{ "__MOD_area", NULL },
	{ "__Shapes_MOD_area", NULL },
	{ "__shapes_MOD_a b", NULL },
	{ "a__p__wTB.12", "a.p.w" },
	{ "a__p__wTB", "a.p.w" },
	{ "a__wTKB", "a.w" },
	{ "_ada_main", "main" },
	{ "_ada_main.3", "main" },
	{ "_ada_", NULL },
	{ "TB", NULL },
	{ ".12", NULL },
	{ "12", NULL },
	{ "aTB.", NULL },
	{ "a__p__w", NULL },
	{ "initDB", NULL },
	{ "Init_TB", NULL },
};

START_TEST(reads_other_languages)
{
	const struct cairn_bytes name = name_of(others[_i].name);
	const size_t wanted = others[_i].text ? strlen(others[_i].text) : 0;
	char out[64];

	ck_assert_uint_eq(cairn_demangle(name, out, sizeof(out)), wanted);
	ck_assert_mem_eq(out, others[_i].text ? others[_i].text : "", wanted);
	for (size_t capacity = 0; capacity < wanted; capacity++)
		ck_assert_uint_eq(
			cairn_demangle(name,
		                       (char *)unit_exact((struct cairn_bytes){
								  (const uint8_t *)out, capacity })
		                               .data,
		                       capacity),
			0);
}
END_TEST

START_TEST(reads_words)
{
	char out[16];
	struct cairn_bytes nul = { (const uint8_t *)"_Z1\0v", 5 };

	ck_assert_uint_eq(demangle_word(name_of("__Z3foov"), DEMANGLE_LLVM, out, sizeof(out)), 5);
	ck_assert_uint_eq(demangle_word(name_of("_Z3foov"), DEMANGLE_LLVM, out, sizeof(out)), 5);
	ck_assert_uint_eq(demangle_word(name_of("___foo"), DEMANGLE_LLVM, out, sizeof(out)), 0);
	ck_assert_uint_eq(demangle_word(nul, DEMANGLE_LLVM, out, sizeof(out)), 0);
	ck_assert_uint_eq(cairn_demangle(name_of("_Z3foov"), out, sizeof(out)), 5);
}
END_TEST

/* After the name that takes the last steps none is read. */
START_TEST(reads_within_steps)
{
	struct allowance steps = allowance_of(DEMANGLE_NAME_MAX, 0, 0);
	struct cairn_bytes name = name_of("_Z3foov");
	char out[16];

	ck_assert_uint_eq(demangle_name_within(name, DEMANGLE_LLVM, out, sizeof(out), &steps), 5);
	ck_assert_uint_lt(steps.left, DEMANGLE_NAME_MAX - name.size);
	ck_assert_uint_eq(
		demangle_word_within(name_of("__Z3foov"), DEMANGLE_LLVM, out, sizeof(out), &steps),
		5);
	steps.left = 1;
	ck_assert_uint_eq(demangle_word_within(name, DEMANGLE_LLVM, out, sizeof(out), &steps), 5);
	ck_assert(steps.over);
	ck_assert_uint_eq(demangle_word_within(name, DEMANGLE_LLVM, out, sizeof(out), &steps), 0);
	ck_assert_uint_eq(demangle_name_within(name, DEMANGLE_LLVM, out, sizeof(out), &steps), 0);
}
END_TEST

/* The number of the nth part that may be named again. */
static const char *seq_id(size_t n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char text[4];

	if (n == 0)
		return "";
	text[0] = n > 36 ? digits[(n - 1) / 36] : digits[n - 1];
	text[1] = n > 36 ? digits[(n - 1) % 36] : '\0';
	text[2] = '\0';
	return text;
}

/* Types that double: each part has the one before it twice; '#' is where its number goes. */
static void put_doubled(char *name, const char *format, size_t number)
{
	for (; *format; format++)
		if (*format == '#')
			strcat(name, seq_id(number));
		else
			strncat(name, format, 1);
}

static void doubled(char *name, const char *before, const char *format, size_t first, size_t count,
                    const char *behind)
{
	strcpy(name, before);
	for (size_t i = 0; i < count; i++)
		put_doubled(name, format, first + i);
	strcat(name, behind);
}

/* Names that make gigabytes, or nothing for years; one of few parts is read. */
static const struct {
	const char *before, *format, *behind;
	size_t first;
} bombs[] = {
	{ "_Z1f4pairIiiE", "S_IS#_S#_E", "", 1 },    /* text without end */
	{ "_Z1f4pai\xffIiiE", "S_IS#_S#_E", "", 1 }, /* no letter of ASCII in each piece */
	{ "_Z1fFvvE", "FvS#_S#_E", "", 0 },          /* the same of functions */
	{ "_Z1fIJiEEvDpFv1A", "MS#_S#_", "E", 1 },   /* a pack is looked for, without text */
	{ "_Z1fIJiEEvDprFv1A", "MS#_S#_", "E", 1 },  /* the same behind a qualifier */
};

START_TEST(ends_soon)
{
	char name[DEMANGLE_NAME_MAX], out[DEMANGLE_TEXT_MAX];

	doubled(name, bombs[_i].before, bombs[_i].format, bombs[_i].first, 4, bombs[_i].behind);
	ck_assert_msg(demangle_name(name_of(name), DEMANGLE_GNU, out, sizeof(out)) > 0, "%s", name);
	for (size_t count = 20; count <= 80; count += 20) {
		doubled(name, bombs[_i].before, bombs[_i].format, bombs[_i].first, count,
		        bombs[_i].behind);
		ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_GNU, out, sizeof(out)), 0);
		ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_LLVM, out, sizeof(out)), 0);
	}
}
END_TEST

/* Conversions to a template's parameter: its arguments are read twice, and those in them. */
START_TEST(ends_conversions_soon)
{
	char name[DEMANGLE_NAME_MAX] = "_Z", out[DEMANGLE_TEXT_MAX];

	for (unsigned i = 0; i < 80; i++)
		strcat(name, "N1AcvT_I");
	strcat(name, "i");
	for (unsigned i = 0; i < 80; i++)
		strcat(name, "EE");
	strcat(name, "v");
	ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_GNU, out, sizeof(out)), 0);
}
END_TEST

/* Lifetimes that are bound: as many as the name says, up to a bound. */
static const struct {
	const char *name;
	bool read;
} lifetimes[] = {
	{ "_RNvMIC1aFG_EuEu1b", true },
	{ "_RNvMIC1aFGz_EuEu1b", true },
	{ "_RNvMIC1aFGzzzzzzzzzz_EuEu1b", false },
	{ "_RNvMIC1aDGzzzzzzzzzz_EL_Eu1b", false },
	{ "_RIC1aFGzz_EuE", true },
	{ "_RIC1aFGzzzzzzzzzz_EuE", false },
};

START_TEST(counts_lifetimes)
{
	char out[DEMANGLE_TEXT_MAX];
	size_t size = demangle_name(name_of(lifetimes[_i].name), DEMANGLE_GNU, out, sizeof(out));

	ck_assert_msg((size > 0) == lifetimes[_i].read, "%s: %zu", lifetimes[_i].name, size);
}
END_TEST

/* A backward reference of Rust: 0 is "_", 1 is "0_", with digits of base 62. */
static void put_reference(char *name, size_t to)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char two[3] = { digits[(to - 1) / 62], digits[(to - 1) % 62], '\0' };

	sprintf(name + strlen(name), "B%s_", to > 62 ? two : two + 1);
}

START_TEST(ends_tuples_soon)
{
	char name[DEMANGLE_NAME_MAX] = "_RINvC1a1f", out[DEMANGLE_TEXT_MAX];
	size_t before = strlen(name) - 2;

	strcat(name, "u"); /* () */
	for (unsigned i = 0; i < 60; i++) {
		size_t at = strlen(name) - 2;
		strcat(name, "T");
		put_reference(name, before);
		put_reference(name, before);
		strcat(name, "E");
		before = at;
	}
	strcat(name, "E");
	ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_GNU, out, sizeof(out)), 0);
}
END_TEST

/* References to references, which a debugger's demangler follows for each part that is written. */
START_TEST(counts_hops)
{
	char name[DEMANGLE_NAME_MAX] = "_RINvC1a1f", out[DEMANGLE_TEXT_MAX];
	size_t before = strlen(name) - 2;

	strcat(name, "u");
	for (unsigned hops = 0; hops < 8; hops++) {
		size_t at = strlen(name) - 2;
		strcat(name, "E");
		ck_assert_uint_gt(demangle_name(name_of(name), DEMANGLE_GNU, out, sizeof(out)), 0);
		bool asked = demangled_size(name_of(name)) != SIZE_MAX;
		ck_assert_msg(asked == (hops <= 4), "%u", hops);
		name[at + 2] = '\0';
		put_reference(name, before);
		before = at;
	}
}
END_TEST

/* Names of C++ up to the limit of all names, whole. */
START_TEST(reads_long_names)
{
	char name[DEMANGLE_NAME_MAX] = "_Z1f", out[DEMANGLE_TEXT_MAX];

	for (unsigned i = 0; i < 300; i++)
		sprintf(name + strlen(name), "8type%04u", i);
	ck_assert_uint_gt(strlen(name), 2048);
	for (int style = DEMANGLE_GNU; style <= DEMANGLE_LLVM; style++) {
		size_t size =
			demangle_word(name_of(name), (enum demangle_style)style, out, sizeof(out));
		ck_assert_uint_eq(size, 300 * strlen("type0000, ") + 1);
		ck_assert_mem_eq(out + size - 9, "type0299)", 9);
	}
}
END_TEST

/* An identifier with other letters at the very place where the text is full. */
START_TEST(frees_what_is_left)
{
	static const char name[] = "_RNvC5crateu7caf_dma";
	char out[DEMANGLE_TEXT_MAX];

	for (size_t capacity = 0; capacity < 12; capacity++)
		ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_GNU, out, capacity), 0);
	ck_assert_uint_eq(demangle_name(name_of(name), DEMANGLE_GNU, out, 12), 12);
}
END_TEST

/* What must not be refused: as many references as real names have, behind a usual expansion. */
START_TEST(refuses_no_real_name)
{
	static const char usual[] = "_Z1fIJiEEvDpOT_", operators[] = "_ZN1acvT_I1bEIiEEv";
	char name[DEMANGLE_NAME_MAX];

	strcpy(name, usual);
	for (unsigned i = 0; i < 200; i++)
		strcat(name, "RS_");
	ck_assert(demangle_guard_passes(name_of(name)));
	ck_assert_uint_eq(demangle_guard_references(name_of(name)), 201);
	ck_assert(demangle_guard_passes(name_of(operators)));
	strcpy(name, "_Z13spirit_spatchIJiEEvT_");
	for (unsigned i = 0; i < 200; i++)
		strcat(name, "RS_");
	ck_assert(demangle_guard_passes(name_of(name)));
	strcat(name, "DpFvT_E");
	ck_assert(!demangle_guard_passes(name_of(name)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("readable");
	TCase *all = tcase_create("readable");

	tcase_set_timeout(all, 60); /* what does not end takes years */
	tcase_add_loop_test(all, reads_names, 0, COUNT(rows));
	tcase_add_loop_test(all, reads_older_rust, 0, COUNT(older_rust));
	tcase_add_loop_test(all, reads_other_languages, 0, COUNT(others));
	tcase_add_test(all, reads_words);
	tcase_add_test(all, reads_within_steps);
	tcase_add_loop_test(all, ends_soon, 0, COUNT(bombs));
	tcase_add_test(all, ends_conversions_soon);
	tcase_add_loop_test(all, counts_lifetimes, 0, COUNT(lifetimes));
	tcase_add_test(all, ends_tuples_soon);
	tcase_add_test(all, counts_hops);
	tcase_add_test(all, reads_long_names);
	tcase_add_test(all, frees_what_is_left);
	tcase_add_test(all, refuses_no_real_name);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
