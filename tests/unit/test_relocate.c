/* SPDX-License-Identifier: MIT */
/* Tests the relocations of debugging sections: absolute ones of each machine, and the pairs that RISC-V and LoongArch have for distances. */
#include "unit.h"

#include "debuginfo/dwarf_sections.h"
#include "fixture_elf.h"

enum {
	RISCV = ELF_EM_RISCV,
	LARCH = 258,
	SPARCV9 = 43,
	MIPS = 8,
	LANAI = 244,
	SIZE = 16,
	PAIR = 2
};

/* Both relocations are at byte 4, of symbols at 0x1234 and 0x1200, with the addend 1; type 0: none. */
static const struct {
	const char *name;
	uint16_t machine;
	bool wide, big;
	uint32_t type[PAIR];
	const char *before, *after; /* from byte 4 on, 8 bytes */
} rows[] = {
	{ "4 bytes", RISCV, true, false, { 1, 0 }, "ABCDEFGH", "\x35\x12\0\0EFGH" },
	{ "8 bytes", RISCV, true, false, { 2, 0 }, "ABCDEFGH", "\x35\x12\0\0\0\0\0\0" },
	{ "a distance of 1 byte",
	  RISCV,
	  true,
	  false,
	  { 33, 37 },
	  "\1BCDEFGH",
	  "\x35"
	  "BCDEFGH" },
	{ "of 2", RISCV, true, false, { 34, 38 }, "\0\0CDEFGH", "\x34\0CDEFGH" },
	{ "of 4", RISCV, false, false, { 35, 39 }, "\0\0\0\0EFGH", "\x34\0\0\0EFGH" },
	{ "of 8", RISCV, true, false, { 36, 40 }, "\0\0\0\0\0\0\0\0", "\x34\0\0\0\0\0\0\0" },
	{ "of 6 bits",
	  RISCV,
	  true,
	  false,
	  { 53, 52 },
	  "\x40"
	  "BCDEFGH",
	  "\x74"
	  "BCDEFGH" },
	{ "set, 1 byte",
	  RISCV,
	  true,
	  false,
	  { 54, 0 },
	  "ABCDEFGH",
	  "\x35"
	  "BCDEFGH" },
	{ "set, 2 bytes",
	  RISCV,
	  true,
	  false,
	  { 55, 0 },
	  "ABCDEFGH",
	  "\x35\x12"
	  "CDEFGH" },
	{ "set, 4 bytes", RISCV, true, false, { 56, 0 }, "ABCDEFGH", "\x35\x12\0\0EFGH" },
	{ "LEB128",
	  RISCV,
	  true,
	  false,
	  { 60, 61 },
	  "\xff\x7f"
	  "CDEFGH",
	  "\xb4\0CDEFGH" },
	{ "LEB128 of 1 byte",
	  RISCV,
	  true,
	  false,
	  { 60, 61 },
	  "\0BCDEFGH",
	  "\x34"
	  "BCDEFGH" },
	{ "LEB128 that does not end",
	  RISCV,
	  true,
	  false,
	  { 60, 61 },
	  "\x80\x80\x80\x80\x80\x80\x80\x80",
	  "\x80\x80\x80\x80\x80\x80\x80\x80" },
	{ "no effect", RISCV, true, false, { 51, 43 }, "ABCDEFGH", "ABCDEFGH" },
	{ "LoongArch, 1 byte",
	  LARCH,
	  true,
	  false,
	  { 47, 52 },
	  "\0BCDEFGH",
	  "\x34"
	  "BCDEFGH" },
	{ "LoongArch, 2", LARCH, true, false, { 48, 53 }, "\0\0CDEFGH", "\x34\0CDEFGH" },
	{ "LoongArch, 4", LARCH, true, false, { 50, 55 }, "\0\0\0\0EFGH", "\x34\0\0\0EFGH" },
	{ "LoongArch, 8",
	  LARCH,
	  true,
	  false,
	  { 51, 56 },
	  "\0\0\0\0\0\0\0\0",
	  "\x34\0\0\0\0\0\0\0" },
	{ "LoongArch, 6 bits",
	  LARCH,
	  true,
	  false,
	  { 105, 106 },
	  "\x40"
	  "BCDEFGH",
	  "\x74"
	  "BCDEFGH" },
	{ "LoongArch, LEB128", LARCH, true, false, { 107, 108 }, "\x80\0CDEFGH", "\xb4\0CDEFGH" },
	{ "unaligned",
	  SPARCV9,
	  true,
	  true,
	  { 23, 0 },
	  "ABCDEFGH",
	  "\0\0\x12\x35"
	  "EFGH" },
	{ "unaligned, 8", SPARCV9, true, true, { 54, 0 }, "ABCDEFGH", "\0\0\0\0\0\0\x12\x35" },
	{ "MIPS",
	  MIPS,
	  false,
	  true,
	  { 2, 0 },
	  "ABCDEFGH",
	  "\0\0\x12\x35"
	  "EFGH" },
	{ "MIPS of 64 bits", MIPS, true, true, { 18, 0 }, "ABCDEFGH", "\0\0\0\0\0\0\x12\x35" },
	{ "another machine's", LANAI, false, true, { 1, 0 }, "ABCDEFGH", "ABCDEFGH" },
};

START_TEST(applies_relocations)
{
	static struct fixture_out file, relocations, symbols;
	uint8_t bytes[SIZE] = "0123";
	struct fixture_elf_places places;
	struct budget_pool pool;
	struct elf elf;

	memcpy(bytes + 4, rows[_i].before, 8);
	memcpy(bytes + 12, "\x80\x80\x80", 4);
	file.big = relocations.big = symbols.big = rows[_i].big;
	relocations.size = symbols.size = 0;
	fixture_symbol(&symbols, rows[_i].wide, 0, 0);
	fixture_symbol(&symbols, rows[_i].wide, 3, 0x1234);
	fixture_symbol(&symbols, rows[_i].wide, 3, 0x1200);
	for (uint32_t i = 0; i < PAIR; i++)
		if (rows[_i].type[i])
			fixture_relocation(&relocations, rows[_i].wide, 4, i + 1, rows[_i].type[i],
			                   1);
	/* past the end */
	fixture_relocation(&relocations, rows[_i].wide, SIZE - 1, 1, rows[_i].type[0], 1);
	fixture_relocation(&relocations, rows[_i].wide, SIZE, 1, rows[_i].type[0], 1);
	const struct fixture_section sections[] = {
		{ ".rela", ELF_SHT_RELA, 0, fixture_out_bytes(&relocations), 2, 4 },
		{ ".symtab", ELF_SHT_SYMTAB, 0, fixture_out_bytes(&symbols), 0, 0 },
		{ ".text", 1, 0, BYTES("x"), 0, 0 },
		{ ".debug_line", 1, 0, { bytes, SIZE }, 0, 0 },
	};
	const struct fixture_elf made = {
		rows[_i].wide, rows[_i].big,    false,   ELF_TYPE_REL, rows[_i].machine, 0, 0,
		NULL,          COUNT(sections), sections
	};
	fixture_elf(&file, &made, &places);
	const struct cairn_bytes whole = fixture_out_bytes(&file);
	ck_assert(elf_opens(whole, &elf));
	budget_pool_open(&pool);
	budget_credit(&pool, whole);
	struct budget budget = { .pool = &pool };
	dwarf_sections_relocate(&elf, 4, &budget, bytes, SIZE - 1);
	ck_assert_msg(memcmp(bytes, "0123", 4) == 0 && memcmp(bytes + 4, rows[_i].after, 8) == 0,
	              "%s", rows[_i].name);
	ck_assert_int_eq(bytes[SIZE - 1], 0);
	ck_assert_int_eq(dwarf_sections_knows_relocations(&elf), rows[_i].machine != LANAI);
	budget_pool_close(&pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("relocate");
	TCase *sections = tcase_create("sections");

	tcase_add_loop_test(sections, applies_relocations, 0, COUNT(rows));
	suite_add_tcase(suite, sections);
	return unit_run(suite);
}
