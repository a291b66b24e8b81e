/* SPDX-License-Identifier: MIT */
/* Tests readable names without blanks, and how many bytes of names are read. */
#include "markup/resolver.h"
#include "unit.h"

#include <string.h>

static struct demangled_names names;

static struct cairn_bytes bytes(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

static void expect(struct cairn_bytes name, const char *text)
{
	ck_assert_uint_eq(name.size, strlen(text));
	ck_assert(memcmp(name.data, text, name.size) == 0);
}

START_TEST(knows_readable_names)
{
	ck_assert(demangled_name_may_be(bytes("f(int)")));
	ck_assert(demangled_name_may_be(bytes("a::b")));
	ck_assert(!demangled_name_may_be(bytes("main")));
	ck_assert(!demangled_name_may_be(bytes("")));
}
END_TEST

START_TEST(makes_names_without_blanks)
{
	static char large[ITANIUM_TEXT_MAX + 2];

	names.bytes = 0;
	expect(demangled_name_make(&names, bytes("_Z1fSt6vectorIiSaIiEEl")),
	       "f(std::vector<int,std::allocator<int>>,long)");
	expect(demangled_name_squeeze(&names, bytes("f(unsigned long, A<B<C> >)")),
	       "f(unsignedlong,A<B<C>>)");
	expect(demangled_name_make(&names, bytes("main")), "");
	expect(demangled_name_make(&names, bytes("_Z")), "");
	expect(demangled_name_make(&names, bytes("_Z9f")), "");
	expect(demangled_name_make(&names, bytes("")), "");
	memset(large, 'a', ITANIUM_TEXT_MAX);
	ck_assert_uint_eq(demangled_name_squeeze(&names, bytes(large)).size, ITANIUM_TEXT_MAX);
	large[ITANIUM_TEXT_MAX] = 'a';
	expect(demangled_name_squeeze(&names, bytes(large)), "");
}
END_TEST

START_TEST(reads_so_many_bytes_of_names)
{
	const struct cairn_bytes name = bytes("_Z1fv");

	names.bytes = READABLE_BYTES_MAX - name.size;
	expect(demangled_name_make(&names, name), "f()");
	ck_assert_uint_eq(names.bytes, READABLE_BYTES_MAX);
	expect(demangled_name_make(&names, name), "");
	names.bytes = READABLE_BYTES_MAX - name.size + 1;
	expect(demangled_name_make(&names, name), "");
}
END_TEST

START_TEST(takes_so_many_steps)
{
	const struct cairn_bytes name = bytes("_Z1fv");

	names.bytes = 0;
	names.steps = READABLE_STEPS_MAX - 1;
	expect(demangled_name_make(&names, name), "f()");
	ck_assert_uint_ge(names.steps, READABLE_STEPS_MAX);
	expect(demangled_name_make(&names, name), "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demangled_names");
	TCase *tests = tcase_create("demangled_names");

	tcase_add_test(tests, knows_readable_names);
	tcase_add_test(tests, makes_names_without_blanks);
	tcase_add_test(tests, reads_so_many_bytes_of_names);
	tcase_add_test(tests, takes_so_many_steps);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
