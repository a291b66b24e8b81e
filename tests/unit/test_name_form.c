/* SPDX-License-Identifier: MIT */
/* Normal forms of names: each rule, alone and with others, and what is not closed. */
#include "unit.h"

#include "groups/name_form.h"

static const struct {
	const char *name, *form;
} forms[] = {
	{ "main", "main" },
	{ "", "" },
	/* versions and suffixes of clones */
	{ "memcpy@@GLIBC_2.14", "memcpy" },
	{ "free@GLIBC_2.2.5", "free" },
	{ "free@plt", "free" },
	{ "@", "@" },
	{ "f.cold", "f" },
	{ "f.part.0.cold", "f" },
	{ "f.isra.12.constprop.3", "f" },
	{ "f.lto_priv.0", "f" },
	{ "f.llvm.1234567890", "f" },
	{ "f.localalias.2", "f" },
	{ "f.init", "f.init" },
	{ "f.part", "f.part" },
	{ "f.7", "f.7" },
	{ ".cold", ".cold" },
	{ "ns::f(int) [clone .isra.0] [clone .cold]", "ns::f" },
	{ "ns::f(int) (.cold)", "ns::f" },
	{ "__GI_raise", "raise" },
	{ "__GI_", "__GI_" },
	/* Rust */
	{ "core::ptr::drop_in_place::h0123456789abcdef", "core::ptr::drop_in_place" },
	{ "core::ptr::drop_in_place::h0123456789abcdeg",
	  "core::ptr::drop_in_place::h0123456789abcdeg" },
	{ "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place" },
	{ "core::ptr::drop_in_place::<[u8]>", "core::ptr::drop_in_place" },
	{ "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
	  "<alloc::vec::Vec as core::ops::Drop>::drop" },
	{ "core::num::<impl core::fmt::Display for i32>::fmt",
	  "core::num::<impl core::fmt::Display for i32>::fmt" },
	{ "app::run::{{closure}}::h0123456789abcdef", "app::run::{closure}" },
	{ "app::run::{closure#3}", "app::run::{closure}" },
	{ "<F as core::ops::FnOnce<(A, fn() -> B)>>::call_once",
	  "<F as core::ops::FnOnce>::call_once" },
	/* templates, parameters, return types, qualifiers */
	{ "void ns::Map<int, std::less<int> >::put<char>(int, char const*)", "ns::Map::put" },
	{ "std::__cxx11::basic_string<char>& f[abi:cxx11](int)", "f" },
	{ "C::get() const", "C::get" },
	{ "C::get() volatile const &&", "C::get" },
	{ "C::constant() const", "C::constant" },
	{ "f(int) const::{lambda(char)#2}::operator()(char) const", "f::operator()" },
	{ "main::$_0::operator()(int) const", "main::operator()" },
	{ "main::'lambda1'(int)::operator()(int) const", "main::operator()" },
	{ "main()::<lambda(int)>", "main::{lambda}" },
	{ "{lambda(int)#1}::operator()(int)", "operator()" },
	{ "f::{unnamed type#1}::g()", "f::{unnamed type}::g" },
	{ "f::'unnamed0'::g()", "f::{unnamed type}::g" },
	{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
	{ "`anonymous namespace'::f(int)", "(anonymous namespace)::f" },
	{ "void (*f<int>(int))(char)", "f" },
	{ "decltype (a+b) add<int, int>(int, int)", "add" },
	{ "non-virtual thunk to C::f()", "C::f" },
	{ "f<(N)<(3), &g>(int)", "f" },
	/* operators */
	{ "bool operator< <int>(A<int> const&, A<int> const&)", "operator<" },
	{ "std::ostream& operator<< <char>(std::ostream&, char)", "operator<<" },
	{ "A::operator<=>(A const&) const", "A::operator<=>" },
	{ "A::operator->() const", "A::operator->" },
	{ "A::operator()(int)", "A::operator()" },
	{ "A::operator[](int)", "A::operator[]" },
	{ "A::operator std::vector<int>() const", "A::operator std::vector" },
	{ "A::operator bool() const", "A::operator bool" },
	{ "operator new(unsigned long)", "operator new" },
	{ "operator new[](unsigned long)", "operator new[]" },
	{ "my_operator<int>(int)", "my_operator" },
	{ "f<my_operator<int> >(int)", "f" },
	{ "f<&A::operator> >(int)", "f" },
	/* other languages */
	{ "main.(*T).Method", "main.T.Method" },
	{ "main.Sum[...]", "main.Sum[...]" },
	{ "-[View draw:in:]", "-[View draw:in:]" },
	{ "static App.run(Swift.Int) throws -> Swift.String", "App.run" },
	{ "closure #1 in App.run(_:)", "App.run" },
	{ "protocol witness for App.run(_:) in conformance Server", "App.run" },
	{ "Swift runtime failure: arithmetic overflow",
	  "Swift runtime failure: arithmetic overflow" },
	/* what is not closed, or never opened */
	{ "f(int", "f" },
	{ "f<int", "f" },
	{ "f<(a", "f" },
	{ "f)>]", "f" },
	{ "f{lambda(", "f{lambda}" },
	{ "f[abi:", "f" },
	{ "f(", "f" },
	{ "(", "(" },
	{ "<", "<" },
	{ "()", "()" },
	{ "a\nb\x7f", "a?b?" },
	{ "f  ", "f" },
	{ "   ", "   " },
};

START_TEST(makes_normal_forms)
{
	const struct cairn_bytes name = { (const uint8_t *)forms[_i].name, strlen(forms[_i].name) };
	char *out = malloc(NAME_FORM_GROWTH * name.size + 1);

	ck_assert_ptr_nonnull(out);
	const size_t size = name_form(unit_exact(name), out);
	ck_assert_msg(size == strlen(forms[_i].form) && memcmp(out, forms[_i].form, size) == 0,
	              "%s: %.*s", forms[_i].name, (int)size, out);
	free(out);
}
END_TEST

/* The last character would be cut in two. */
START_TEST(cuts_between_characters)
{
	static char text[NAME_FORM_MAX + 10], out[NAME_FORM_GROWTH * sizeof(text)];

	memset(text, 'a', sizeof(text));
	ck_assert_uint_eq(name_form((struct cairn_bytes){ (uint8_t *)text, sizeof(text) }, out),
	                  NAME_FORM_MAX);
	memcpy(text + NAME_FORM_MAX - 1, "\xc3\xa4", 2);
	ck_assert_uint_eq(name_form((struct cairn_bytes){ (uint8_t *)text, sizeof(text) }, out),
	                  NAME_FORM_MAX - 1);
}
END_TEST

static const struct {
	const char *name;
	bool inner, outer;
} listed[] = {
	{ "memcpy", true, false },
	{ "__memcpy_avx_unaligned_erms", true, false },
	{ "__memcpy", true, false },
	{ "memcpy_all", false, false },
	{ "__memcpyall", false, false },
	{ "abort", true, false },
	{ "aborted", false, false },
	{ "__pthread_kill_implementation", true, false },
	{ "operator new[]", true, false },
	{ "_int_free", true, false },
	{ "core::panicking::panic_fmt", true, false },
	{ "__asan_report_load8", true, false },
	{ "freedom", false, false },
	{ "_start", false, true },
	{ "__libc_start_call_main", false, true },
	{ "clone", false, true },
	{ "clone_all", false, false },
	{ "main", false, false },
};

START_TEST(knows_frames)
{
	const struct cairn_bytes name = { (const uint8_t *)listed[_i].name,
		                          strlen(listed[_i].name) };

	ck_assert_msg(frame_list_is_inner(name) == listed[_i].inner, "%s", listed[_i].name);
	ck_assert_msg(frame_list_is_outer(name) == listed[_i].outer, "%s", listed[_i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("name_form");
	TCase *tests = tcase_create("name_form");

	tcase_add_loop_test(tests, makes_normal_forms, 0, COUNT(forms));
	tcase_add_test(tests, cuts_between_characters);
	tcase_add_loop_test(tests, knows_frames, 0, COUNT(listed));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
