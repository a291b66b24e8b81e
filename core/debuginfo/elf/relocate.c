/* SPDX-License-Identifier: MIT */
/*
 * Relocations of debugging sections in relocatable files.  Compilers need only absolute ones of 4
 * and 8 bytes there; what another machine calls them is in the table.  MIPS packs several types
 * into one, and is not among them.
 */
#include "dwarf_sections.h"

#include "base/bytes.h"

enum {
	MACHINE_SPARCV9 = 43,
	MACHINE_LOONGARCH = 258,
};

static const struct {
	uint16_t machine, word, wide; /* types of absolute relocations of 4 and 8 bytes; 0: none */
} absolute[] = {
	{ ELF_EM_X86_64, 10, 1 },    { ELF_EM_386, 1, 0 },   { ELF_EM_AARCH64, 258, 257 },
	{ ELF_EM_ARM, 2, 0 },        { ELF_EM_S390, 4, 22 }, { ELF_EM_PPC, 1, 0 },
	{ ELF_EM_PPC64, 1, 38 },     { ELF_EM_RISCV, 1, 2 }, { MACHINE_SPARCV9, 3, 32 },
	{ MACHINE_LOONGARCH, 1, 2 },
};

/* Returns how many bytes a relocation sets; 0: it is not one that is applied. */
static size_t width_of(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++) {
		if (absolute[i].machine != elf->machine)
			continue;
		if (type == absolute[i].word)
			return 4;
		if (absolute[i].wide && type == absolute[i].wide)
			return 8;
	}
	return 0;
}

static void write_field_value(uint8_t *at, uint64_t value, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

void dwarf_sections_relocate(const struct elf *elf, uint32_t target, struct budget *budget,
                             uint8_t *bytes, size_t size)
{
	struct elf_relocation relocation;
	uint32_t table = 0;
	uint64_t at = 0;

	while (budget_work(budget, 1) &&
	       elf_next_relocation(elf, target, &table, &at, &relocation)) {
		size_t width = width_of(elf, relocation.type);
		if (width == 0 || relocation.offset > size || width > size - relocation.offset)
			continue;
		uint8_t *field = bytes + relocation.offset;
		uint64_t value = relocation.value;
		if (relocation.in_place)
			value += bytes_unsigned(field, width, elf->big);
		write_field_value(field, value, width, elf->big);
	}
}
