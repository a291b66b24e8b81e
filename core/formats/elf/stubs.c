/* SPDX-License-Identifier: MIT */
/*
 * Names the stubs of a PLT (x86-64 psABI 5.2, i386 psABI 5.2). A stub jumps through a slot that the
 * dynamic linker fills in. The relocation for that slot names the function.
 *
 *	stub = (endbr64) (bnd) jmp *slot ...
 */
#include "elf.h"

#include "base/bytes.h"
#include "base/sort.h"

enum {
	JUMP = 6, /* size of jmp *slot */
	RELA_WIDE = 24,
	REL_NARROW = 8,
	STUB_SIZE = 16, /* stub size if sh_entsize is unusable */
};

bool elf_stubs_open(const struct elf *elf, struct elf_stubs *stubs)
{
	const bool wide = elf->machine == ELF_EM_X86_64 && elf->wide;
	const bool narrow = elf->machine == ELF_EM_386 && !elf->wide;
	struct elf_section section;

	*stubs = (struct elf_stubs){ .elf = *elf };
	if (elf->big || (!wide && !narrow) ||
	    !elf_find_section(elf, wide ? ".rela.plt" : ".rel.plt", &section) ||
	    section.type != (wide ? ELF_SHT_RELA : ELF_SHT_REL) ||
	    !elf_section(elf, section.link, &stubs->symbols))
		return false;
	stubs->relocations = elf_section_bytes(elf, &section);
	if (!elf_find_section(elf, ".plt.sec", &stubs->section) &&
	    !elf_find_section(elf, ".plt", &stubs->section))
		return false;
	/* stubs of position-independent i386 code address their slots relative to .got.plt */
	if (elf_find_section(elf, ".got.plt", &section))
		stubs->table = section.va;
	return true;
}

static uint64_t read_slot(const struct elf_stubs *stubs, size_t i)
{
	const uint8_t *at = stubs->relocations.data;

	return stubs->elf.wide ? bytes_u64(at + i * RELA_WIDE, false)
	                       : bytes_u32(at + i * REL_NARROW, false);
}

static uint32_t read_symbol_number(const struct elf_stubs *stubs, size_t i)
{
	const uint8_t *at = stubs->relocations.data;

	return stubs->elf.wide ? bytes_u32(at + i * RELA_WIDE + 12, false)
	                       : bytes_u32(at + i * REL_NARROW + 4, false) >> 8;
}

/*
 * Return the name of the function whose address is stored in `slot`. Uses binary search, because
 * linkers sort the relocations by slot.
 */
static struct cairn_bytes find_slot_name(const struct elf_stubs *stubs, uint64_t slot)
{
	const size_t count = stubs->relocations.size / (stubs->elf.wide ? RELA_WIDE : REL_NARROW);
	const struct cairn_bytes none = { NULL, 0 };
	struct bisection search = bisect_begin(count);
	struct elf_symbol symbol;

	while (search.low < search.high)
		bisect_narrow(&search, read_slot(stubs, search.middle) < slot);
	if (search.low == count || read_slot(stubs, search.low) != slot ||
	    !elf_symbol(&stubs->elf, &stubs->symbols, read_symbol_number(stubs, search.low),
	                &symbol))
		return none;
	return elf_symbol_name(&stubs->elf, &stubs->symbols, &symbol);
}

/*
 * Decode `jmp *slot` at `va` and set *slot to the address of the slot. Return false for other
 * instructions.
 */
static bool read_jump(const struct elf_stubs *stubs, const uint8_t *code, uint64_t va,
                      uint64_t *slot)
{
	const uint32_t place = bytes_u32(code + 2, false);

	if (code[0] != 0xff)
		return false;
	if (stubs->elf.wide) {
		*slot = va + JUMP + (uint64_t)(int64_t)(int32_t)place;
		return code[1] == 0x25;
	}
	*slot = (uint32_t)(code[1] == 0xa3 ? stubs->table + place : place);
	return code[1] == 0x25 || code[1] == 0xa3;
}

struct cairn_bytes elf_stubs_name_code(const struct elf_stubs *stubs, uint64_t va,
                                       struct cairn_bytes code)
{
	static const unsigned places[] = { 0, 1, 4, 5 };
	uint64_t slot;

	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
		unsigned at = places[i];
		if (at + JUMP <= code.size && read_jump(stubs, code.data + at, va + at, &slot))
			return find_slot_name(stubs, slot);
	}
	return (struct cairn_bytes){ NULL, 0 };
}

struct cairn_bytes elf_stubs_name(const struct elf_stubs *stubs, uint64_t va, uint64_t *start)
{
	const struct elf_section *section = &stubs->section;
	const struct cairn_bytes none = { NULL, 0 },
				 bytes = elf_section_bytes(&stubs->elf, section);
	/*
	 * Old i386 linkers set sh_entsize to the word size (4), so ignore sizes that are too small
	 * for a stub.
	 */
	const uint64_t size = section->entry_size > JUMP && section->entry_size <= STUB_SIZE
	                              ? section->entry_size
	                              : STUB_SIZE;
	const uint64_t from = (va - section->va) / size * size;

	if (va < section->va || va - section->va >= bytes.size || bytes.size - from < size)
		return none;
	*start = section->va + from;
	return elf_stubs_name_code(stubs, *start,
	                           (struct cairn_bytes){ bytes.data + from, (size_t)size });
}
