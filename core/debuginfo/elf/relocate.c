/* SPDX-License-Identifier: MIT */
/*
 * Applies relocations to debugging sections of relocatable files. Compilers emit only absolute
 * relocations of 4 and 8 bytes there and, where the linker may shorten code (RISC-V, LoongArch),
 * relocations that add and subtract. The tables below list their numbers on each machine. 64-bit
 * MIPS packs several types into one relocation; little-endian files of that machine are not
 * supported.
 */
#include "dwarf_sections.h"

#include "base/bytes.h"
#include "base/machine.h"

enum {
	MACHINE_SPARC = 2,
	MACHINE_M68K = 4,
	MACHINE_MIPS = 8,
	MACHINE_PARISC = 15,
	MACHINE_SPARC32PLUS = 18,
	MACHINE_SH = 42,
	MACHINE_SPARCV9 = 43,
	MACHINE_XTENSA = 94,
	MACHINE_HEXAGON = 164,
	MACHINE_BPF = 247,
	MACHINE_LOONGARCH = 258,
	MACHINE_ALPHA = 0x9026,
};

/* Types of absolute relocations on machines that are not unwound, see struct arch. */
static const struct {
	uint16_t machine, word, wide;
} absolute[] = {
	{ MACHINE_SPARC, 3, 0 },        { MACHINE_SPARC, 23, 0 },   { MACHINE_SPARC32PLUS, 3, 0 },
	{ MACHINE_SPARC32PLUS, 23, 0 }, { MACHINE_SPARCV9, 3, 32 }, { MACHINE_SPARCV9, 23, 54 },
	{ MACHINE_LOONGARCH, 1, 2 },    { MACHINE_MIPS, 2, 18 },    { MACHINE_M68K, 1, 0 },
	{ MACHINE_PARISC, 1, 80 },      { MACHINE_SH, 1, 0 },       { MACHINE_XTENSA, 1, 0 },
	{ MACHINE_HEXAGON, 6, 0 },      { MACHINE_BPF, 3, 2 },      { MACHINE_ALPHA, 1, 2 },
};

enum { LEB = 0, SIX = 6 }; /* values of `bits`: a LEB128 number, and the low six bits of a byte */

enum how { SETS, ADDS, SUBTRACTS };

/* Relocations that come in pairs and compute the distance of two addresses. */
static const struct step {
	uint16_t machine, type;
	uint8_t bits;
	enum how how;
} steps[] = {
	{ ELF_EM_RISCV, 33, 8, ADDS },
	{ ELF_EM_RISCV, 34, 16, ADDS },
	{ ELF_EM_RISCV, 35, 32, ADDS },
	{ ELF_EM_RISCV, 36, 64, ADDS },
	{ ELF_EM_RISCV, 37, 8, SUBTRACTS },
	{ ELF_EM_RISCV, 38, 16, SUBTRACTS },
	{ ELF_EM_RISCV, 39, 32, SUBTRACTS },
	{ ELF_EM_RISCV, 40, 64, SUBTRACTS },
	{ ELF_EM_RISCV, 52, SIX, SUBTRACTS },
	{ ELF_EM_RISCV, 53, SIX, SETS },
	{ ELF_EM_RISCV, 54, 8, SETS },
	{ ELF_EM_RISCV, 55, 16, SETS },
	{ ELF_EM_RISCV, 56, 32, SETS },
	{ ELF_EM_RISCV, 60, LEB, SETS },
	{ ELF_EM_RISCV, 61, LEB, SUBTRACTS },
	{ MACHINE_LOONGARCH, 47, 8, ADDS },
	{ MACHINE_LOONGARCH, 48, 16, ADDS },
	{ MACHINE_LOONGARCH, 50, 32, ADDS },
	{ MACHINE_LOONGARCH, 51, 64, ADDS },
	{ MACHINE_LOONGARCH, 52, 8, SUBTRACTS },
	{ MACHINE_LOONGARCH, 53, 16, SUBTRACTS },
	{ MACHINE_LOONGARCH, 55, 32, SUBTRACTS },
	{ MACHINE_LOONGARCH, 56, 64, SUBTRACTS },
	{ MACHINE_LOONGARCH, 105, SIX, ADDS },
	{ MACHINE_LOONGARCH, 106, SIX, SUBTRACTS },
	{ MACHINE_LOONGARCH, 107, LEB, ADDS },
	{ MACHINE_LOONGARCH, 108, LEB, SUBTRACTS },
};

/* Return the row of the ELF machine, of whichever class, or NULL. */
static const struct arch *find_arch(const struct elf *elf)
{
	const struct arch *arch = arch_of(machine_of_elf(elf->machine, true));

	return arch ? arch : arch_of(machine_of_elf(elf->machine, false));
}

/* Set *step if the type is one of the absolute ones. */
static bool find_absolute(uint16_t word, uint16_t wide, uint32_t type, struct step *step)
{
	const bool is_wide = wide && type == wide;

	step->type = (uint16_t)type;
	step->bits = is_wide ? 64 : 32;
	step->how = SETS;
	return is_wide || type == word;
}

/* Find how to apply a relocation type. Returns false if it is not supported. */
static bool find_step(const struct elf *elf, uint32_t type, struct step *step)
{
	const struct arch *arch = find_arch(elf);

	step->machine = elf->machine;
	if (arch && find_absolute(arch->relocates_word, arch->relocates_wide, type, step))
		return true;
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		if (absolute[i].machine == elf->machine &&
		    find_absolute(absolute[i].word, absolute[i].wide, type, step))
			return true;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].machine == elf->machine && steps[i].type == type) {
			*step = steps[i];
			return true;
		}
	return false;
}

bool dwarf_sections_knows_relocations(const struct elf *elf)
{
	if (elf->machine == MACHINE_MIPS && elf->wide && !elf->big)
		return false;
	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		if (absolute[i].machine == elf->machine)
			return true;
	return find_arch(elf) != NULL;
}

/* Return the size of a field, or 0 if it extends past the section or is too long. */
static size_t measure_field(const struct step *step, const uint8_t *field, size_t left)
{
	enum { LEB_MAX = 10 };
	size_t size = (step->bits + 7u) / 8;

	if (step->bits == LEB)
		for (size = 1; size <= left && size <= LEB_MAX && field[size - 1] & 0x80; size++)
			;
	return size <= left && size <= LEB_MAX ? size : 0;
}

static uint64_t read_field(const struct step *step, const uint8_t *field, size_t size, bool big)
{
	uint64_t value = 0;

	if (step->bits != LEB)
		return bytes_unsigned(field, size, big);
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)(field[i] & 0x7f) << 7 * i;
	return value;
}

/*
 * Write a field. A LEB128 number keeps its size, and a six-bit field the upper two bits of
 * its byte.
 */
static void write_field(const struct step *step, uint8_t *field, uint64_t value, size_t size,
                        bool big)
{
	for (size_t i = 0; i < size; i++) {
		if (step->bits == LEB)
			field[i] = (uint8_t)((field[i] & 0x80) | (value >> 7 * i & 0x7f));
		else if (step->bits == SIX)
			field[i] = (uint8_t)((field[i] & 0xc0) | (value & 0x3f));
		else
			field[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	}
}

static void apply_step(const struct step *step, const struct elf_relocation *relocation,
                       uint8_t *field, size_t size, bool big)
{
	const uint64_t old = read_field(step, field, size, big);
	uint64_t value = relocation->value;

	if (step->how == ADDS || relocation->in_place)
		value += old;
	else if (step->how == SUBTRACTS)
		value = old - value;
	write_field(step, field, value, size, big);
}

void dwarf_sections_relocate(const struct elf *elf, uint32_t target, struct budget *budget,
                             uint8_t *bytes, size_t size)
{
	struct elf_relocation relocation;
	struct step step;
	uint32_t table = 0;
	uint64_t at = 0;

	while (budget_work(budget, 1) &&
	       elf_next_relocation(elf, target, &table, &at, &relocation)) {
		if (!find_step(elf, relocation.type, &step) || relocation.offset >= size)
			continue;
		uint8_t *field = bytes + relocation.offset;
		const size_t width = measure_field(&step, field, size - (size_t)relocation.offset);
		if (width > 0)
			apply_step(&step, &relocation, field, width, elf->big);
	}
}
