/* SPDX-License-Identifier: MIT */
/*
 * Relocates what is read of an object.  LLVM registers objects as its code generator writes them: sections have their addresses, and what
 * the relocations say of lines and frames is left to the debugger.
 */
#include "jit_object.h"

/* Relocations that set a number; others are of code. */
static const struct number_relocation {
	uint16_t machine, type;
	uint8_t width;
	bool is_relative; /* to the place of the number */
} number_relocations[] = {
	{ ELF_EM_X86_64, 1, 8, false },    { ELF_EM_X86_64, 10, 4, false },
	{ ELF_EM_X86_64, 11, 4, false },   { ELF_EM_X86_64, 2, 4, true },
	{ ELF_EM_X86_64, 24, 8, true },    { ELF_EM_AARCH64, 257, 8, false },
	{ ELF_EM_AARCH64, 258, 4, false }, { ELF_EM_AARCH64, 260, 8, true },
	{ ELF_EM_AARCH64, 261, 4, true },
};

static const struct number_relocation *find_kind(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < sizeof(number_relocations) / sizeof(number_relocations[0]); i++)
		if (number_relocations[i].machine == elf->machine &&
		    number_relocations[i].type == type)
			return &number_relocations[i];
	return NULL;
}

/* Sections that are not loaded are numbered from their beginning, whatever address they have. */
static uint64_t find_base(const struct elf_section *section)
{
	return section->flags & ELF_SHF_ALLOC ? section->va : 0;
}

static void apply_relocation(const struct elf *elf, const struct elf_section *target,
                             const struct elf_relocation *relocation, struct cairn_bytes old,
                             uint8_t *bytes)
{
	const struct number_relocation *kind = find_kind(elf, relocation->type);
	struct elf_section section;

	if (!kind || relocation->in_place || relocation->section == 0 ||
	    !elf_section(elf, relocation->section, &section) || relocation->offset > old.size ||
	    kind->width > old.size - relocation->offset)
		return;
	uint64_t value = find_base(&section) + relocation->value;
	if (kind->is_relative)
		value -= find_base(target) + relocation->offset;
	for (unsigned i = 0; i < kind->width; i++)
		bytes[relocation->offset + (elf->big ? kind->width - 1u - i : i)] =
			(uint8_t)(value >> 8 * i);
}

void jit_object_relocate(uint8_t *image, size_t size)
{
	static const char *const names[] = { ".debug_line", ".debug_frame", ".eh_frame" };
	struct elf_relocation relocation;
	struct elf_section target;
	struct elf elf;

	if (!elf_opens((struct cairn_bytes){ image, size }, &elf) || elf.type != ELF_TYPE_REL)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!elf_find_section(&elf, names[i], &target))
			continue;
		const struct cairn_bytes bytes = elf_section_bytes(&elf, &target);
		uint32_t table = 0;
		uint64_t at = 0;
		for (uint32_t n = 0;
		     n < JIT_OBJECT_RELOCATIONS && bytes.size > 0 &&
		     elf_next_relocation(&elf, target.index, &table, &at, &relocation);
		     n++)
			apply_relocation(&elf, &target, &relocation, bytes,
			                 image + (bytes.data - image));
	}
}
