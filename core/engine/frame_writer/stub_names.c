/* SPDX-License-Identifier: MIT */
/*
 * Names of the stubs of a PLT on amd64.  A stub jumps through a slot that the dynamic linker fills; the
 * relocation for that slot has the symbol of the function.
 */
#include "frame_writer.h"

#include "base/bytes.h"
#include "program_image.h"

enum {
	STUB_CODE = 16,  /* bytes of a stub that are looked at */
	RELOCATION = 24, /* bytes of an Elf64_Rela */
	JUMP = 6,        /* bytes of jmp *disp32(%rip) */
};

/* The relocations of the PLT's slots, which linkers write in the order of the slots. */
struct slots {
	const struct elf *elf;
	struct cairn_bytes relocations;
	struct elf_section symbols;
};

static bool open_slots(const struct elf *elf, struct slots *slots)
{
	struct elf_section section;

	if (elf->machine != ELF_EM_X86_64 || !elf->wide || elf->big ||
	    !elf_find_section(elf, ".rela.plt", &section) || section.type != ELF_SHT_RELA ||
	    !elf_section(elf, section.link, &slots->symbols))
		return false;
	slots->elf = elf;
	slots->relocations = elf_section_bytes(elf, &section);
	return true;
}

/* The name of the symbol whose address the slot gets; empty: it is in no relocation. */
static struct cairn_bytes find_slot_name(const struct slots *slots, uint64_t slot)
{
	const uint8_t *at = slots->relocations.data;
	size_t low = 0, high = slots->relocations.size / RELOCATION, count = high;
	struct elf_symbol symbol;
	struct cairn_bytes none = { NULL, 0 };

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (bytes_u64(at + middle * RELOCATION, false) < slot)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || bytes_u64(at + low * RELOCATION, false) != slot ||
	    !elf_symbol(slots->elf, &slots->symbols, bytes_u32(at + low * RELOCATION + 12, false),
	                &symbol))
		return none;
	return elf_symbol_name(slots->elf, &slots->symbols, &symbol);
}

/* The slot that the stub jumps through, perhaps after endbr64 or with a bnd prefix; false: it has no such jump. */
static bool find_slot(const uint8_t *code, size_t size, uint64_t va, uint64_t *slot)
{
	static const unsigned places[] = { 0, 1, 4, 5 };

	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
		unsigned at = places[i];
		if (at + JUMP > size || code[at] != 0xff || code[at + 1] != 0x25)
			continue;
		int32_t distance = (int32_t)bytes_u32(code + at + 2, false);
		*slot = va + at + JUMP + (uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}

void frame_table_name_stubs(const struct program_image *image, struct frame_table *table)
{
	const struct cairn_target *target = &image->space->target;
	uint8_t code[STUB_CODE];
	struct slots slots;
	uint64_t slot;

	if (!open_slots(&image->elf, &slots))
		return;
	for (size_t i = 0; i < table->functions; i++) {
		struct frame_function *f = &table->function[i];
		uint64_t size = f->range.high - f->range.low;
		size = size < STUB_CODE ? size : STUB_CODE;
		if (f->kind == FRAME_FUNCTION_STUB && f->name.size == 0 &&
		    target->read_memory(target->context, f->range.low, code, (size_t)size) ==
		            CAIRN_OK &&
		    find_slot(code, (size_t)size, f->range.low, &slot))
			f->name = find_slot_name(&slots, slot);
	}
}
