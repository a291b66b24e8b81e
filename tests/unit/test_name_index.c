/* SPDX-License-Identifier: MIT */
/* GDB's index of an object: which names it has and how they are spelled, and when it is left out. */
#include "unit.h"

#include "check_name_index.h"
#include "check_object.h"

#include "formats/elf/elf.h"
#include "writers/elf/internal.h"

#include <stdio.h>
#include <string.h>

/* Names as compilers write them, and as GDB compares them: what `save gdb-index` of GDB 13 makes of them. */
static const struct {
	const char *written, *canonical;
} names[] = {
	{ "f", "f" },
	{ "f<int>", "f<int>" },
	{ "f<long int>", "f<long>" },
	{ "f<short unsigned int, 4>", "f<unsigned short, 4>" },
	{ "f<unsigned>", "f<unsigned int>" },
	{ "f<long long unsigned int*>", "f<unsigned long long*>" },
	{ "f<const X&>", "f<X const&>" },
	{ "f<const X*const>", "f<X const* const>" },
	{ "f<X const&>", "f<X const&>" },
	{ "f<X *>", "f<X*>" },
	{ "f<const (anonymous namespace)::X>::g<long int>",
	  "f<(anonymous namespace)::X const>::g<long>" },
	{ "v<p<const K, V>, a<p<const K, V> > >", "v<p<K const, V>, a<p<K const, V> > >" },
	{ "f<&X::y>", "f<&X::y>" },
	/* GDB leaves these as they are, because it cannot read them */
	{ "f<g<long int>>", "f<g<long int>>" },
	{ "f<t<>, const X&>", "f<t<>, const X&>" },
	{ "p<const K, V>::~p", "p<const K, V>::~p" },
	/* and these we leave */
	{ "f<void (long int)>", "f<void (long int)>" },
	{ "operator< <const X>", "operator< <const X>" },
	{ "f<const X", "f<const X" },
	{ "f<long int>>", "f<long int>>" },
	{ "", "" },
};

START_TEST(spells_as_gdb_does)
{
	struct byte_buffer out = { .limit = 1024 };
	const struct cairn_bytes written = { (const uint8_t *)names[_i].written,
		                             strlen(names[_i].written) };

	elf_writer_append_canonical(&out, written);
	ck_assert_uint_eq(out.size, strlen(names[_i].canonical));
	ck_assert_msg(out.size == 0 || memcmp(out.data, names[_i].canonical, out.size) == 0,
	              "%s: %.*s", names[_i].written, (int)out.size, (const char *)out.data);
	byte_buffer_finish(&out);
}
END_TEST

START_TEST(leaves_deep_names)
{
	char deep[256] = "";
	struct byte_buffer out = { .limit = 1024 };

	for (int i = 0; i < 40; i++)
		strcat(deep, "f<");
	strcat(deep, "long int");
	for (int i = 0; i < 40; i++)
		strcat(deep, " >");
	elf_writer_append_canonical(&out,
	                            (struct cairn_bytes){ (const uint8_t *)deep, strlen(deep) });
	ck_assert_uint_eq(out.size, strlen(deep));
	ck_assert_mem_eq(out.data, deep, out.size);
	byte_buffer_finish(&out);
}
END_TEST

/* The index of an object of functions with these names, one every 16 bytes; it is in the object, which is freed last. */
static struct cairn_bytes index_of(char (*name)[32], size_t count,
                                   const struct cairn_object_options *options, uint8_t **object)
{
	struct elf_writer *w = elf_writer_new(options, NULL, 0);
	const struct function_sink sink = elf_writer_sink(w);
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		const struct function f = { .start = 0x1000 + 16 * i,
			                    .size = 16,
			                    .name = { (const uint8_t *)name[i], strlen(name[i]) } };
		ck_assert_int_eq(sink.take(sink.context, &f), CAIRN_OK);
	}
	ck_assert_int_eq(elf_writer_finish(w, object, &size), CAIRN_OK);
	elf_writer_free(w);
	ck_assert_ptr_null(check_object((struct cairn_bytes){ *object, size }));
	ck_assert_int_eq(elf_open((struct cairn_bytes){ *object, size }, &elf, &fault), CAIRN_OK);
	if (!elf_find_section(&elf, ".gdb_index", &section))
		return (struct cairn_bytes){ *object, 0 };
	return elf_section_bytes(&elf, &section);
}

static bool has_name(struct cairn_bytes index, const char *name)
{
	const size_t size = strlen(name) + 1;

	for (size_t at = 1; at + size <= index.size; at++)
		if (index.data[at - 1] == 0 && memcmp(index.data + at, name, size) == 0)
			return true;
	return false;
}

/* A scope is a name of its own; a name that several units have is there once. */
START_TEST(has_names_and_scopes)
{
	static char some[][32] = { "_ZN3far4away4fallEv", "_ZN3far4away4homeEv", "plain" };
	static char same[100][32];
	uint8_t *object;
	const struct cairn_object_options options = { .machine = 62 };
	struct cairn_bytes index = index_of(some, COUNT(some), &options, &object);

	ck_assert_uint_eq(count_index_names(index), 5);
	ck_assert(has_name(index, "far") && has_name(index, "far::away"));
	ck_assert(has_name(index, "far::away::fall") && has_name(index, "far::away::home"));
	ck_assert(has_name(index, "plain") && !has_name(index, "fall"));
	free(object);
	for (size_t i = 0; i < COUNT(same); i++)
		strcpy(same[i], "again");
	index = index_of(same, COUNT(same), &options, &object);
	ck_assert_uint_eq(count_index_names(index), 1);
	free(object);
}
END_TEST

START_TEST(is_for_gdb_alone)
{
	static char some[][32] = { "plain" };
	uint8_t *object;
	const struct cairn_object_options options = { .machine = 62, .for_lldb = true };

	ck_assert_uint_eq(index_of(some, 1, &options, &object).size, 0);
	free(object);
}
END_TEST

/* "0z" and "17" are the same to GDB's hash, wherever they are: a table of such names would take forever. */
START_TEST(is_left_out_where_names_collide)
{
	enum { PAIRS = 13, ALL = 1 << PAIRS };
	static char name[ALL][32];
	uint8_t *object;
	const struct cairn_object_options options = { .machine = 62 };

	for (size_t i = 0; i < ALL; i++)
		for (size_t pair = 0; pair < PAIRS; pair++)
			strcat(name[i], i >> pair & 1 ? "0z" : "17");
	ck_assert_uint_eq(index_of(name, ALL, &options, &object).size, 0);
	free(object);
	for (size_t i = 0; i < ALL; i++)
		snprintf(name[i], sizeof(name[i]), "f%zu", i * 2654435761u % ALL);
	ck_assert_uint_eq(count_index_names(index_of(name, ALL, &options, &object)), ALL);
	free(object);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("name_index");
	TCase *tcase = tcase_create("name_index");

	tcase_add_loop_test(tcase, spells_as_gdb_does, 0, COUNT(names));
	tcase_add_test(tcase, leaves_deep_names);
	tcase_add_test(tcase, has_names_and_scopes);
	tcase_add_test(tcase, is_for_gdb_alone);
	tcase_add_test(tcase, is_left_out_where_names_collide);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
