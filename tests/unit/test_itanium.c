/* SPDX-License-Identifier: MIT */
/* Tests the demangler for Itanium C++ names on valid and damaged input. */
#include "formats/itanium/itanium.h"
#include "unit.h"

#include <stdio.h>

static struct itanium work;

static const struct {
	const char *name, *text;
} rows[] = {
	/* names */
	{ "_Z3foov", "foo()" },
	{ "_Z3bar", "bar" },
	{ "_ZN4pile4fillEl", "pile::fill(long)" },
	{ "_ZNK4pile4sizeEv", "pile::size() const" },
	{ "_ZNVK4pile4sizeEv", NULL },
	{ "_ZNKR4pile4sizeEv", "pile::size() const &" },
	{ "_ZNO4pile4sizeEv", "pile::size() &&" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()" },
	{ "_ZL3foov", "foo()" },
	{ "_ZN3FooL3barE_1", NULL },
	{ "_ZN1a1bB5cxx11B2v2Ev", "a::b[abi:cxx11][abi:v2]()" },

	{ "_Z3addIiJA_CvEEvDpT0_IE", NULL }, /* an array with arguments */

	/* constructors are called as their class, which substitutions do not change */
	{ "_ZN4pileC2ERKS_", "pile::pile(pile const&)" },
	{ "_ZN4pileD0Ev", "pile::~pile()" },
	{ "_ZN4pileIN3oddC1EEC1Ev", NULL },
	{ "_ZN4pileIiED1Ev", "pile::~pile()" },
	{ "_ZNSsC1EPKc", "std::basic_string::basic_string(char const*)" },
	{ "_ZNSs6appendERKSs", "std::string::append(std::string const&)" },
	{ "_ZC1v", NULL },

	/* operators, of which some look like brackets */
	{ "_ZN4pileplERKS_", "pile::operator+(pile const&)" },
	{ "_ZN4pileltERKS_", "pile::operator<(pile const&)" },
	{ "_ZlsIiERSoS0_RKT_", "std::ostream& operator<< (std::ostream&, int const&)" },
	{ "_ZrsIiEvRKT_", "void operator>>(int const&)" },
	{ "_ZN4pileptEv", "pile::operator->()" },
	{ "_ZN4pileclEv", "pile::operator()()" },
	{ "_ZnwmPv", "operator new(unsigned long, void*)" },
	{ "_ZN4pilecvbEv", "pile::operator bool()" },
	{ "_ZN4pilecvPKcEv", "pile::operator char const*()" },
	{ "_ZN4pilecvPT_IiEEv", NULL },
	{ "_ZN4pilecvT_IiEEv", NULL },
	{ "_Zli2_xPKc", NULL },
	{ "_ZN4pilels3FooEv", NULL },

	/* arguments are left out, and what stands for them is not */
	{ "_Z3maxIiET_S0_S0_", "int max(int, int)" },
	{ "_Z3maxI4pileIiEET_RKS2_S4_", "pile max(pile const&, pile const&)" },
	{ "_ZN4pileIiE3getIlEET_v", "long pile::get()" },
	{ "_Z4fillITnDaLi5EEvv", NULL },
	{ "_Z4fillILi5ELb0ELDn0ELPKc0EEvv", "void fill()" },
	{ "_Z4fillIXadL_Z3foovEEEvv", "void fill()" },
	{ "_Z4fillIXplLi1ELi2EEEvv", NULL },
	{ "_Z4fillIiEDTcl3foofp_EET_", NULL },
	{ "_Z4fillIiEvT0_", NULL },
	{ "_Z4fillIiEv", NULL },
	{ "_Z4fillI3BoxiEvT_IT0_E", "void fill(Box)" },

	/* packs */
	{ "_Z4fillIJilEEvDpT_", "void fill(int, long)" },
	{ "_Z4fillIJEEvDpT_", "void fill()" },
	{ "_Z4fillIJEEviDpT_", "void fill(int)" },
	{ "_Z4fillIJRiOlEEvDpOT_", "void fill(int&, long&&)" },
	{ "_Z4fillIJilEEvDpRKSt6vectorIT_SaIS1_EE",
	  "void fill(std::vector const&, std::vector const&)" },
	{ "_Z4fillIiEvDpT_", NULL },
	{ "_Z4fillIJA_cEEDpT_v", NULL },
	{ "_Z4fillIJilEEvPDpT_", NULL },
	{ "_Z4fillIJilEEvT_", NULL },

	/* references to references are one; const is said once */
	{ "_Z4moveIRiEvOT_", "void move(int&)" },
	{ "_Z4moveIiEvOT_", "void move(int&&)" },
	{ "_Z4moveIOiEvRT_", "void move(int&)" },
	{ "_Z4moveIKiEvRKT_", "void move(int const&)" },
	{ "_Z4moveIVKiEvRKT_", "void move(int volatile const&)" },

	/* types around what they are the type of */
	{ "_Z1fPFvPKciE", "f(void (*)(char const*, int))" },
	{ "_Z1fPKPFvvE", "f(void (* const*)())" },
	{ "_Z1fM3FooKFvvE", "f(void (Foo::*)() const)" },
	{ "_Z1fM3Fooi", "f(int Foo::*)" },
	{ "_Z1fRA5_Kc", "f(char const (&) [5])" },
	{ "_Z1fPA2_A3_i", "f(int (*) [2][3])" },
	{ "_Z1fIiEPFvvEv", "void (*f())()" },
	{ "_Z1fFvvE", "f(void ())" },
	{ "_Z1fRKA5_c", NULL },
	{ "_Z1fPFPFvvEvE", NULL },
	{ "_Z1fPVKrC1x", "f(x _Complex restrict const volatile*)" },
	{ "_Z1fPKcz", "f(char const*, ...)" },
	{ "_Z1fDnDiDsDu", "f(decltype(nullptr), char32_t, char16_t, char8_t)" },
	{ "_Z1fDv4_i", NULL },
	{ "_Z1fU3fooi", NULL },

	/* what is inside of functions */
	{ "_ZZ3foovE3bar", "foo()::bar" },
	{ "_ZZ3foovE3bar_0", "foo()::bar" },
	{ "_ZZ3foovE3bar__12_", "foo()::bar" },
	{ "_ZZ3foovEs", "foo()::string literal" },
	{ "_ZZ3foovEN3Bar3getEv", "foo()::Bar::get()" },
	{ "_ZZNK3Foo3getEvENKUlvE_clEv", "Foo::get() const::{lambda()#1}::operator()() const" },
	{ "_ZZ3fooIiEvT_ENKUlvE0_clEv", "foo(int)::{lambda()#2}::operator()() const" },
	{ "_ZZ3foovENKUlT_E_clIiEEDaS_", "auto foo()::{lambda(auto:1)#1}::operator()(int) const" },
	{ "_ZZ3foovENUt_3getEv", "foo()::{unnamed type#1}::get()" },
	{ "_ZZ3foovEd_1x", NULL },

	/* substitutions */
	{ "_Z1fN1a1bES0_S_", "f(a::b, a::b, a)" },
	{ "_Z1fN1a1bES1_", NULL },
	{ "_Z1f1a1b1c1d1e1f1g1h1i1j1k1lS9_SA_", "f(a, b, c, d, e, f, g, h, i, j, k, l, k, l)" },
	{ "_Z1fS_", NULL },
	{ "_Z1fSz", NULL },
	{ "_Z1fSt", NULL },

	/* code that stands before other code */
	{ "_ZTv0_n24_N3Foo3barEv", "virtual thunk to Foo::bar()" },
	{ "_ZThn16_N3FooD0Ev", "non-virtual thunk to Foo::~Foo()" },
	{ "_ZTv0_N3Foo3barEv", NULL },
	{ "_ZTV3Foo", NULL },
	{ "_ZGVZ3foovE3bar", NULL },

	/* damage */
	{ "", NULL },
	{ "_Z", NULL },
	{ "_Z0v", NULL },
	{ "_Z5foov", NULL },
	{ "_Z99999999999999999999foov", NULL },
	{ "_Z3foo", "foo" },
	{ "_Z3fooEv", NULL },
	{ "_Z3foovv", "foo(void, void)" },
	{ "_Z3foov.cold", NULL },
	{ "_ZN3foov", NULL },
	{ "_ZN3fooE3barE", NULL },
	{ "_ZNIiE3fooE", NULL },
	{ "_Z1fPKaPKNS_3fooE", NULL },   /* of a type that is no class: const is said once */
	{ "_Z1fIKaEvPKNT_3fooE", NULL }, /* the same by an argument */
	{ "_Z3fooP", NULL },
	{ "_Z3fooIiv", NULL },
	{ "_Z3fooIXadL_Z3barvEvv", NULL },
	{ "_Z3fooILiEEvv", NULL },
	{ "_Z3fooA5i", NULL },
	{ "_ZZ3foovE", NULL },
	{ "_ZZ3fooE3bar__12", NULL },
	{ "_ZZ3foovENUlvE3getEv", NULL },
	{ "_ZN3foo3barC9Ev", NULL },
	{ "foo", NULL },
};

static struct cairn_bytes name_of(const char *text)
{
	return unit_exact((struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

START_TEST(reads_names)
{
	char out[ITANIUM_TEXT_MAX];
	const char *wanted = rows[_i].text ? rows[_i].text : "";
	size_t size = itanium_demangle_plain(&work, name_of(rows[_i].name), out, sizeof(out));

	ck_assert_msg(size == strlen(wanted) && memcmp(out, wanted, size) == 0, "%s: %.*s",
	              rows[_i].name, (int)size, out);
}
END_TEST

/* `count` times `part` between the others, and whether such a name is read. */
static const struct {
	const char *name, *before, *part;
	size_t count;
	const char *behind;
	bool read;
} large[] = {
	{ "as deep as may be", "_Z1f", "P", ITANIUM_DEPTH - 3, "i", true },
	{ "too deep", "_Z1f", "P", ITANIUM_DEPTH, "i", false },
	{ "arguments too deep", "_Z1f", "1aI", ITANIUM_DEPTH, "i", false },
	{ "encodings too deep", "_Z", "Z", ITANIUM_DEPTH + 1, "1fv", false },
	{ "as many parts as may be", "_Z1f", "i", ITANIUM_NODES / 2 - 3, "", true },
	{ "too many parts", "_Z1f", "i", ITANIUM_NODES / 2, "", false },
	{ "as many substitutions as may be", "_Z1f", "1a", ITANIUM_SUBSTITUTIONS, "", true },
	{ "too many substitutions", "_Z1f", "1a", ITANIUM_SUBSTITUTIONS + 1, "", false },
	{ "as long as may be", "_Z4090", "x", ITANIUM_NAME_MAX - 6, "", true },
	{ "too long", "_Z4091", "x", ITANIUM_NAME_MAX - 5, "", false },
};

START_TEST(keeps_its_limits)
{
	static char name[2 * ITANIUM_NAME_MAX], out[ITANIUM_TEXT_MAX];

	strcpy(name, large[_i].before);
	for (size_t i = 0; i < large[_i].count; i++)
		strcat(name, large[_i].part);
	strcat(name, large[_i].behind);
	size_t size = itanium_demangle_plain(&work, name_of(name), out, sizeof(out));
	ck_assert_msg((size > 0) == large[_i].read, "%s: %zu", large[_i].name, size);
}
END_TEST

/* The functions of a function: each is twice as long as the one before it. */
START_TEST(says_no_more_than_fits)
{
	static const char digits[] = "0123456789ABCDEF";
	char name[200] = "_Z1fFvvE", out[ITANIUM_TEXT_MAX];

	for (unsigned i = 0; i < 15; i++) {
		char number[2] = { i ? digits[i - 1] : '\0', '\0' };
		sprintf(name + strlen(name), "FvS%s_S%s_E", number, number);
	}
	ck_assert_uint_eq(itanium_demangle_plain(&work, name_of(name), out, sizeof(out)), 0);
}
END_TEST

START_TEST(needs_its_room)
{
	static const char name[] = "_ZN4pile4fillEl";
	char out[16];

	ck_assert_uint_eq(itanium_demangle_plain(&work, name_of(name), out, 16), 16);
	ck_assert_uint_eq(itanium_demangle_plain(&work, name_of(name), out, 15), 0);
	ck_assert_uint_eq(itanium_demangle_plain(&work, name_of(name), out, 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("itanium");
	TCase *all = tcase_create("itanium");

	tcase_add_loop_test(all, reads_names, 0, COUNT(rows));
	tcase_add_loop_test(all, keeps_its_limits, 0, COUNT(large));
	tcase_add_test(all, says_no_more_than_fits);
	tcase_add_test(all, needs_its_room);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
