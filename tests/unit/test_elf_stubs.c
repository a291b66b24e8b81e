/* SPDX-License-Identifier: MIT */
/* Which function a stub of a PLT calls: both machines, both kinds of PLT, and files that are damaged. */
#include "unit.h"

#include "fixture_elf.h"
#include "formats/elf/elf.h"

#include <string.h>

#define PLT_VA ((uint64_t)0x1000)
#define SLOTS_VA ((uint64_t)0x3000)

enum {
	HEADER_WIDE =
		64, /* bytes of a header of a section; the size of an entry is its last field */
	HEADER_NARROW = 40,
	MACHINE_AMD64 = 62,
	MACHINE_386 = 3,
	MACHINE_ARM64 = 183,
	BLOCK = 16,
	BLOCKS = 3,
	SLOT = 3
};

static struct fixture_out plt, relocations, symbols, file;

struct kind {
	const char *name;
	bool wide;
	uint16_t machine;
	const char *section;
	struct cairn_bytes jump; /* to before the number that tells the slot */
	bool by_table;           /* i386: it counts from the table of slots */
	uint64_t entry_size;     /* of the section */
};

static const struct kind kinds[] = {
	{ "amd64", true, MACHINE_AMD64, ".plt", BYTES("\xff\x25"), false, 0 },
	{ "amd64, endbr64", true, MACHINE_AMD64, ".plt.sec", BYTES("\xf3\x0f\x1e\xfa\xff\x25"),
	  false, BLOCK },
	{ "amd64, endbr64 and bnd", true, MACHINE_AMD64, ".plt.sec",
	  BYTES("\xf3\x0f\x1e\xfa\xf2\xff\x25"), false, BLOCK },
	{ "i386", false, MACHINE_386, ".plt", BYTES("\xff\x25"), false, 0 },
	{ "i386, position-independent", false, MACHINE_386, ".plt", BYTES("\xff\xa3"), true, 0 },
	{ "amd64, with its size", true, MACHINE_AMD64, ".plt", BYTES("\xff\x25"), false, BLOCK },
	{ "i386, with the size of a word", false, MACHINE_386, ".plt", BYTES("\xff\xa3"), true, 4 },
};

static void put_symbol(const struct kind *kind, uint32_t name)
{
	const size_t at = symbols.size;

	fixture_symbol(&symbols, kind->wide, 0, 0);
	fixture_out_poke(&symbols, at, name, 4);
}

static void put_relocation(const struct kind *kind, unsigned slot, uint32_t symbol)
{
	const uint64_t va = SLOTS_VA + 8 * slot;

	if (kind->wide) {
		fixture_relocation(&relocations, true, va, symbol, 7, 0);
		return;
	}
	fixture_out_put(&relocations, va, 4);
	fixture_out_put(&relocations, symbol << 8 | 7, 4);
}

/* A block that jumps through a slot; the rest of it is what is written for late binding. */
static void put_block(const struct kind *kind, unsigned slot)
{
	const size_t start = plt.size;
	const uint64_t va = SLOTS_VA + 8 * slot;
	const uint64_t next = PLT_VA + start + kind->jump.size + 4;

	fixture_out_text(&plt, (const char *)kind->jump.data, kind->jump.size);
	fixture_out_put(&plt, kind->wide ? va - next : kind->by_table ? va - SLOTS_VA : va, 4);
	while (plt.size - start < BLOCK)
		fixture_out_put(&plt, 0x90, 1);
}

static struct cairn_bytes make_file(const struct kind *kind)
{
	plt.size = relocations.size = symbols.size = 0;
	for (unsigned i = 0; i < BLOCKS; i++)
		put_block(kind, SLOT + i);
	put_symbol(kind, 0);
	put_symbol(kind, 1);
	put_symbol(kind, 6);
	put_relocation(kind, SLOT, 1);
	put_relocation(kind, SLOT + 1, 2);
	const struct fixture_section sections[] = {
		{ kind->section, 1, PLT_VA, fixture_out_bytes(&plt), 0, 0 },
		{ kind->wide ? ".rela.plt" : ".rel.plt", kind->wide ? ELF_SHT_RELA : ELF_SHT_REL, 0,
		  fixture_out_bytes(&relocations), 3, 0 },
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&symbols), 4, 0 },
		{ ".dynstr", 3, 0, BYTES("\0puts\0abort\0"), 0, 0 },
		{ ".got.plt", 1, SLOTS_VA, BYTES("12345678"), 0, 0 },
	};
	const struct fixture_elf elf = { kind->wide, false, false, ELF_TYPE_DYN, kind->machine, 0,
		                         0,          NULL,  5,     sections };
	struct fixture_elf_places places;
	fixture_elf(&file, &elf, &places);
	fixture_out_poke(&file,
	                 places.sections + (kind->wide ? HEADER_WIDE + 56 : HEADER_NARROW + 36),
	                 kind->entry_size, kind->wide ? 8 : 4);
	return unit_exact(fixture_out_bytes(&file));
}

static void expect_name(const struct elf_stubs *stubs, uint64_t va, const char *name)
{
	uint64_t start = 0;
	const struct cairn_bytes found = elf_stubs_name(stubs, va, &start);

	ck_assert_msg(found.size == strlen(name) &&
	                      (found.size == 0 || memcmp(found.data, name, found.size) == 0),
	              "%#lx: %.*s", (unsigned long)va, (int)found.size, (const char *)found.data);
	if (found.size > 0)
		ck_assert_uint_eq(start, PLT_VA + (va - PLT_VA) / BLOCK * BLOCK);
}

START_TEST(names_what_a_stub_calls)
{
	struct cairn_fault fault;
	struct elf_stubs stubs;
	struct elf elf;

	ck_assert_int_eq(elf_open(make_file(&kinds[_i]), &elf, &fault), CAIRN_OK);
	ck_assert(elf_stubs_open(&elf, &stubs));
	for (unsigned i = 0; i < BLOCK; i++) {
		expect_name(&stubs, PLT_VA + i, "puts");
		expect_name(&stubs, PLT_VA + BLOCK + i, "abort");
		expect_name(&stubs, PLT_VA + 2 * BLOCK + i, ""); /* its slot has no relocation */
	}
	expect_name(&stubs, PLT_VA - 1, "");
	expect_name(&stubs, PLT_VA + (uint64_t)BLOCKS * BLOCK, "");
	expect_name(&stubs, UINT64_MAX, "");
}
END_TEST

/* Any byte of the file damaged, and the file cut anywhere: names lie in it, or there are none. */
START_TEST(stays_inside_damaged_files)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct cairn_bytes whole = make_file(&kinds[_i]);
	uint8_t *bytes = (uint8_t *)(uintptr_t)whole.data;
	struct cairn_fault fault;
	struct elf_stubs stubs;
	struct elf elf;
	uint64_t start;

	for (size_t i = 0; i < whole.size * sizeof(values); i++) {
		uint8_t *byte = &bytes[i / sizeof(values)], before = *byte;
		*byte = values[i % sizeof(values)];
		if (elf_open(whole, &elf, &fault) == CAIRN_OK && elf_stubs_open(&elf, &stubs))
			for (uint64_t va = PLT_VA; va < PLT_VA + 64; va++) {
				struct cairn_bytes name = elf_stubs_name(&stubs, va, &start);
				ck_assert(name.size == 0 ||
				          (name.data >= whole.data &&
				           name.data + name.size <= whole.data + whole.size));
			}
		*byte = before;
	}
}
END_TEST

START_TEST(other_machines_have_none)
{
	struct kind other = kinds[0];
	struct cairn_fault fault;
	struct elf_stubs stubs;
	struct elf elf;

	other.machine = MACHINE_ARM64;
	ck_assert_int_eq(elf_open(make_file(&other), &elf, &fault), CAIRN_OK);
	ck_assert(!elf_stubs_open(&elf, &stubs));
	other = kinds[0];
	other.section = ".text";
	ck_assert_int_eq(elf_open(make_file(&other), &elf, &fault), CAIRN_OK);
	ck_assert(!elf_stubs_open(&elf, &stubs));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("elf_stubs");
	TCase *c = tcase_create("stubs");

	tcase_add_loop_test(c, names_what_a_stub_calls, 0, COUNT(kinds));
	tcase_add_loop_test(c, stays_inside_damaged_files, 0, COUNT(kinds));
	tcase_add_test(c, other_machines_have_none);
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
