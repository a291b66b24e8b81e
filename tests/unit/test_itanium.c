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
	{ "_ZNVK4pile4sizeEv", "pile::size() const volatile" },
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
	{ "_ZN4pilecvPT_IiEEv", "pile::operator int*()" },
	{ "_ZN4pilecvT_IiEEv", "pile::operator int()" },
	{ "_Zli2_xPKc", "operator\"\" _x(char const*)" },
	{ "_ZN4pilels3FooEv", NULL },

	/* arguments are left out, and what stands for them is not */
	{ "_Z3maxIiET_S0_S0_", "int max(int, int)" },
	{ "_Z3maxI4pileIiEET_RKS2_S4_", "pile max(pile const&, pile const&)" },
	{ "_ZN4pileIiE3getIlEET_v", "long pile::get()" },
	{ "_Z4fillITnDaLi5EEvv", "void fill()" },
	{ "_Z4fillILi5ELb0ELDn0ELPKc0EEvv", "void fill()" },
	{ "_Z4fillIXadL_Z3foovEEEvv", "void fill()" },
	{ "_Z4fillIXplLi1ELi2EEEvv", "void fill()" },
	{ "_Z4fillIiEDTcl3foofp_EET_", "decltype (foo({parm#1})) fill(int)" },
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
	{ "_Z4fillIiEvDpT_", "void fill((int)...)" },
	{ "_Z4fillIJA_cEEDpT_v", "char [] fill()" },
	{ "_Z4fillIJilEEvPDpT_", "void fill(int, long*)" },
	{ "_Z4fillIJilEEvT_", "void fill(int, long)" },

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
	{ "_Z1fRKA5_c", "f(char const (&) [5])" },
	{ "_Z1fPFPFvvEvE", "f(void (*(*)())())" },
	{ "_Z1fPVKrC1x", "f(x _Complex restrict const volatile*)" },
	{ "_Z1fPKcz", "f(char const*, ...)" },
	{ "_Z1fDnDiDsDu", "f(decltype(nullptr), char32_t, char16_t, char8_t)" },
	{ "_Z1fDv4_i", "f(int __vector(4))" },
	{ "_Z1fU3fooi", "f(int foo)" },

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
	{ "_ZZ3foovEd_1x", "foo()::{default arg#1}::x" },

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
	{ "_ZTV3Foo", "vtable for Foo" },
	{ "_ZGVZ3foovE3bar", "guard variable for foo()::bar" },

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
	{ "_Z1fPKaPKNS_3fooE",
	  "f(signed char const*, signed char const::foo const*)" }, /* of a type that is no class: const is said once */
	{ "_Z1fIKaEvPKNT_3fooE",
	  "void f(signed char const::foo const*)" }, /* the same by an argument */
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

/* What is NULL is damage. */
static const struct {
	const char *name, *text;
} whole[] = {
	/* arguments of templates */
	{ "_ZN1aI1bIiEE1cEv", "a<b<int>>::c()" },
	{ "_Z1fIJEJiEEvv", "void f<int>()" },
	{ "_ZlsIiERSoS0_RKT_", "std::ostream& operator<< <int>(std::ostream&, int const&)" },
	{ "_ZNSsC1EPKc", "std::basic_string<char, std::char_traits<char>, "
	                 "std::allocator<char>>::basic_string(char const*)" },
	{ "_ZN1AcvT_IiEEv", "A::operator int<int>()" },
	{ "_ZNK1AcvT_I1BIiEEEv", "A::operator B<int><B<int>>() const" },
	{ "_ZSt3getIiSaIiEEvB5cxx11", NULL },
	{ "_Z1fITk1CiEvT_", "void f<int>(int)" },
	{ "_Z1fITniLi5EEvv", "void f<5>()" },
	{ "_Z1fIiQ1CIT_EEvS0_", "void f<int>(int)" },

	/* values */
	{ "_Z1fILi5ELj5ELl5ELm5ELx5ELy5ELs5ELsn5EEvv",
	  "void f<5, 5u, 5l, 5ul, 5ll, 5ull, (short)5, (short)-5>()" },
	{ "_Z1fILb1ELb0ELc65EEvv", "void f<true, false, (char)65>()" },
	{ "_Z1fILDnEEvv", "void f<decltype(nullptr)>()" },
	{ "_Z1fILPKc0ELN1a1eE3EEvv", "void f<(char const*)0, (a::e)3>()" },
	{ "_Z1fILd4014000000000000EEvv", "void f<(double)[4014000000000000]>()" },
	{ "_Z1fIXadL_Z3foovEEEvv", "void f<&(foo())>()" },
	{ "_Z1fIXadL_ZN1A3fooEvEEEvv", "void f<&A::foo>()" },
	{ "_Z1fIXadL_Z3fooIiEvvEEEvv", "void f<&(void foo<int>())>()" },
	{ "_Z1fIXadL_Z1xEEEvv", "void f<&x>()" },
	{ "_Z1fILi5", NULL },

	/* expressions */
	{ "_Z1fIiEDTcl3foofp_EET_", "decltype (foo({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTcl3fooIT_Efp_EES0_", "decltype ((foo<int>)({parm#1})) f<int>(int)" },
	{ "_Z1fIXgtLi1ELi2EEEvv", "void f<((1)>(2))>()" },
	{ "_Z1fIXplLi1ELi2EEEvv", "void f<(1)+(2)>()" },
	{ "_Z1fIiEDTdtdefpT1xET_", "decltype ((*this).x) f<int>(int)" },
	{ "_Z1fIiEDTptfp_1xET_", "decltype ({parm#1}->x) f<int>(int)" },
	{ "_Z1fIJicEEv1AIXsZT_EE", "void f<int, char>(A<2>)" },
	{ "_Z1fIiEv1AIXsrT_1xEE", "void f<int>(A<int::x>)" },
	{ "_Z1fIiEv1AIXsr1BIT_EE1xEE", "void f<int>(A<B<int>::x>)" },
	/* after a namespace or class gcc's are types, each of which can be named again; after a parameter they are not */
	{ "_ZN1n1fIilEENS_4onlyIXsrNS_1d3hasIT_T0_EE1vEvE4typeERS4_PS5_",
	  "n::only<n::d::has<int, long>::v, void>::type n::f<int, long>(int&, long*)" },
	{ "_ZN1n3boxIiE3setIRlEENS_4onlyIXsrNS1_3canIT_EE1vEvE4typeEOS6_",
	  "n::only<n::box<int>::can<long&>::v, void>::type n::box<int>::set<long&>(long&)" },
	{ "_ZN1n1hI1llEENS_4onlyIXsrNT_2in2imE1vEvE4typeERS3_PT0_",
	  "n::only<l::in::im::v, void>::type n::h<l, long>(l&, long*)" },
	{ "_ZN1n1gI1klEENS_4onlyIXsrNT_2inIT0_EE1vEvE4typeERS3_PS4_",
	  "n::only<k::in<long>::v, void>::type n::g<k, long>(k&, long*)" },
	{ "_Z1fIiEv1AIXscT_Li1EEE", "void f<int>(A<static_cast<int>(1)>)" },
	{ "_Z1fIiEv1AIXcvT_Li1EEE", "void f<int>(A<(int)(1)>)" },
	{ "_Z1fIiEv1AIXtl1BLi1ELi2EEEE", "void f<int>(A<B{1, 2}>)" },
	{ "_Z1fIiEv1AIXtl1Bdi1xLi1EEEE", "void f<int>(A<B{.x=(1)}>)" },
	{ "_Z1fIiEv1AIXnw_T_EEE", "void f<int>(A<new int>)" },
	{ "_Z1fIiEv1AIXstT_EE", "void f<int>(A<sizeof (int)>)" },
	{ "_Z1fIiEv1AIXat1BEE", "void f<int>(A<alignof (B)>)" },
	{ "_Z1fIiEv1AIXszLi1EEE", "void f<int>(A<sizeof (1)>)" },
	{ "_Z1fIiEv1AIXnxLi1EEE", "void f<int>(A<noexcept(1)>)" },
	{ "_Z1fIiEv1AIXquLb1ELi2ELi3EEE", "void f<int>(A<(true)?(2) : (3)>)" },
	{ "_Z1fIiEv1AIXixLb1ELi2EEE", "void f<int>(A<(true)[2]>)" },
	{ "_Z1fIiEv1AIXppLi1EEE", "void f<int>(A<(1)++>)" },
	{ "_Z1fIiEv1AIXpp_Li1EEE", "void f<int>(A<++(1)>)" },
	{ "_Z1fIiEv1AIXtrEE", "void f<int>(A<throw>)" },
	{ "_Z1fIiEv1AIXtwLi1EEE", "void f<int>(A<throw (1)>)" },
	{ "_Z1fIJiiEEvDTfrplT_E", "void f<int, int>(decltype (((int, int)+...)))" },
	{ "_Z1fIJiiEEvDTflplT_E", "void f<int, int>(decltype ((...+(int, int))))" },
	{ "_Z1fIJiiEEvDTfLplLi0ET_E", "void f<int, int>(decltype (((0)+...+(int, int))))" },
	{ "_Z1fIiEv1AIXplLi1EEE", NULL },
	{ "_Z1fIiEv1AIXzzLi1EEE", NULL },

	/* constraints */
	{ "_ZN1A1fEvQ1CIT_E", "A::f() requires C<T>" },
	{ "_Z1fIiEvT_Q1CIS0_E", "void f<int>(int) requires C<int>" },
	{ "_Z1fIiEvDk1C", "void f<int>(C auto)" },
	{ "_Z1fIiEvvQrqXLi1ETT_Q1CE",
	  "void f<int>() requires requires { 1; typename int; requires C; }" },
	{ "_Z1fIiEvvQ", NULL },

	/* closures, and what has no name */
	{ "_ZZ1fvENKUlTyTnT_T_E_clIiLi5EEEDaS_",
	  "auto f()::{lambda<typename $T0, $T0 $N1>($T0)#1}::operator()<int, 5>(int) const" },
	{ "_ZZ1fiEd0_NKUlvE_clEv", "f(int)::{default arg#2}::{lambda()#1}::operator()() const" },
	{ "_ZN1aDC1a1bEE", "a::[a, b]" },
	{ "_ZN1aUb_E", "a::{block literal}" },
	{ "_ZNH1A1fES_", "A::f(this A)" },
	{ "_ZN1AF1fEv", "A::f[friend]()" },
	{ "_ZW3fooWP1b1fv", "f@foo:b()" },

	/* types */
	{ "_Z1fU13block_pointerFvvE", "f(void ( block_pointer)())" },
	{ "_Z1fPU3AS1i", "f(int AS1*)" },
	{ "_Z1fDv4_i", "f(int __vector(4))" },
	{ "_Z1fPDoFvvE", "f(void (*)() noexcept)" },
	{ "_Z1fPDOLb1EEFvvE", "f(void (*)() noexcept(true))" },
	{ "_Z1fPDwicEFvvE", "f(void (*)() throw(int, char))" },
	{ "_Z1fM1AKDoFvvRE", "f(void (A::*)() const & noexcept)" },
	{ "_Z1fPFPFvvEvE", "f(void (*(*)())())" },
	{ "_Z1fRKA5_c", "f(char const (&) [5])" },
	{ "_Z1fIA5_iEvRKT_", "void f<int [5]>(int const (&) [5])" },
	{ "_Z1fM1AA5_c", "f(char (A::*) [5])" },
	{ "_Z1fDF16_DF16bDB8_DU8_",
	  "f(_Float16, std::bfloat16_t, _BitInt(8), unsigned _BitInt(8))" },
	{ "_Z1fTs1ATe1B", "f(struct A, enum B)" },
	{ "_Zli2_xPKc", "operator\"\" _x(char const*)" },

	/* what compilers make for something */
	{ "_ZTVN1a1bE", "vtable for a::b" },
	{ "_ZTCN1A1BE0_NS_1CE", "construction vtable for A::C-in-A::B" },
	{ "_ZTIPKc", "typeinfo for char const*" },
	{ "_ZGVZ1fvE1a", "guard variable for f()::a" },
	{ "_ZGRL1a_", "reference temporary #0 for a" },
	{ "_ZGR1a0_", "reference temporary #1 for a" },
	{ "_ZTcv0_n24_v0_n24_N1A1fEv", "covariant return thunk to A::f()" },
	{ "_ZTAX1aE", "template parameter object for a" },
	{ "_ZN1BCI11AEi", "B::B(int)" },
	{ "_ZN1BCI41AEi", "B::B(int)" },
	{ "_ZN1BCI01AEi", NULL },
	{ "_ZN1BCI61AEi", NULL },
	{ "_ZTQ1a", NULL },
	{ "_ZTC1a_1b", NULL },
	{ "_ZT", NULL },
	{ "_ZG", NULL },
	{ "_ZGT", NULL },
	{ "_ZGTt1fv", "transaction clone for f()" },
	{ "_ZGTn1fv", "non-transaction clone for f()" },
	{ "_Z1fDF", NULL },
	{ "_Z1fDv_", NULL },
	{ "_Z1fDw", NULL },
	{ "_Z1fU", NULL },
	{ "_Z1fTL", NULL },
	{ "_Z1fIXrqE", NULL },
	{ "_Z1fIXrQ", NULL },
	{ "_Z1fIXfL", NULL },
	{ "_Z1fIXsr1A1B", NULL },
};

START_TEST(reads_whole_names)
{
	static char out[1 << 16];
	struct cairn_bytes name = name_of(whole[_i].name);
	size_t size = itanium_demangle(&work, name, out, sizeof(out));
	const char *wanted = whole[_i].text ? whole[_i].text : "";

	ck_assert_msg(size == strlen(wanted) && memcmp(out, wanted, size) == 0, "%s: %.*s",
	              whole[_i].name, (int)size, out);
	ck_assert(size == 0 || itanium_demangle(&work, name, out, size - 1) == 0);
	ck_assert(size == 0 || work.exhausted);
}
END_TEST

/* Every part of a name that is read is damage, or is itself a name; none of it harms. */
START_TEST(reads_cut_names)
{
	static char out[1 << 16];
	struct cairn_bytes name = name_of(whole[_i].name);

	for (; name.size > 0; name.size--)
		ck_assert_uint_le(itanium_demangle(&work, name, out, sizeof(out)), sizeof(out));
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
	static char name[2 * ITANIUM_NAME_MAX], out[2 * ITANIUM_TEXT_MAX];

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

/* The same in a pattern whose pack is looked for, and is not there: steps that print nothing. */
static void make_doubled_pattern(unsigned levels, char name[300])
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcpy(name, "_Z1fIJEEvDp");
	for (unsigned i = 0; i < levels; i++)
		strcat(name, "Fv");
	strcat(name, "P1A");
	for (unsigned i = 0; i < levels; i++)
		sprintf(name + strlen(name), "S%c_E", digits[i + 1]);
}

/* Each level takes twice the steps of the one before it, of which the last takes more than there are. */
START_TEST(takes_steps_by_its_size)
{
	static char out[1 << 16];
	char name[300];
	unsigned levels = 1;

	for (;; levels++) {
		make_doubled_pattern(levels, name);
		itanium_demangle(&work, name_of(name), out, sizeof(out));
		if (work.exhausted || levels == 12)
			break;
		ck_assert_uint_le(1u << levels, ITANIUM_STEPS + ITANIUM_STEPS_TIMES * strlen(name));
	}
	ck_assert_uint_gt(levels, 5);
	ck_assert(work.exhausted);
}
END_TEST

START_TEST(needs_its_capacity)
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
	tcase_add_loop_test(all, reads_whole_names, 0, COUNT(whole));
	tcase_add_loop_test(all, reads_cut_names, 0, COUNT(whole));
	tcase_add_loop_test(all, keeps_its_limits, 0, COUNT(large));
	tcase_add_test(all, says_no_more_than_fits);
	tcase_add_test(all, takes_steps_by_its_size);
	tcase_add_test(all, needs_its_capacity);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
