/* SPDX-License-Identifier: MIT */
/*
 * Opens the DWARF sections of an ELF file as plain bytes: compressed sections are decompressed, and
 * sections of relocatable files are relocated. Other sections are borrowed from the file.
 */
#ifndef CAIRN_DEBUGINFO_DWARF_SECTIONS_H
#define CAIRN_DEBUGINFO_DWARF_SECTIONS_H

#include "unpack.h"

#include "budget.h"
#include "formats/dwarf/dwarf.h"
#include "formats/elf/elf.h"

enum dwarf_section_kind {
	DWARF_SECTION_INFO,
	DWARF_SECTION_ABBREV,
	DWARF_SECTION_LINE,
	DWARF_SECTION_STR,
	DWARF_SECTION_LINE_STR,
	DWARF_SECTION_STR_OFFSETS,
	DWARF_SECTION_ADDR,
	DWARF_SECTION_RANGES,
	DWARF_SECTION_RNGLISTS,
	DWARF_SECTION_COUNT,
};

struct dwarf_file {
	struct elf elf;
	struct dwarf_sections dwarf;
	/* .debug_cu_index if the file is a .dwp, otherwise empty */
	struct cairn_bytes package;
	/* buffers of decompressed and relocated sections; NULL for borrowed ones */
	void *memory[DWARF_SECTION_COUNT];
};

struct dwarf_sections_how {
	bool split;
	/* the file is mapped; release pages of compressed sections after reading */
	bool mapped;
	unsigned threads; /* number of threads for decompression; 0 uses the calling thread */
};

/*
 * Open the sections. Damage to .debug_info or .debug_abbrev is an error; any other damaged section
 * is treated as absent and reported in *damage. Copied and decompressed bytes are drawn from the
 * budget. Returns NO_MEMORY if the budget is exhausted.
 */
CAIRN_MUST_USE enum cairn_status dwarf_sections_open(struct cairn_bytes file,
                                                     struct dwarf_sections_how how,
                                                     struct budget *budget,
                                                     struct dwarf_file *plain,
                                                     struct program_damage *damage);
void dwarf_sections_close(struct dwarf_file *plain);

struct cairn_bytes *dwarf_sections_get(struct dwarf_sections *dwarf,
                                       enum dwarf_section_kind section);

const char *dwarf_sections_name(enum dwarf_section_kind section);

struct dwarf_section_found {
	struct elf_section section;
	struct cairn_bytes bytes;
	bool packed;
	enum inflate_kind kind;
};

bool dwarf_sections_knows_relocations(const struct elf *elf);

/*
 * Apply the relocations of section `target` to `bytes`, its contents. Stops early if the budget is
 * exhausted.
 */
void dwarf_sections_relocate(const struct elf *elf, uint32_t target, struct budget *budget,
                             uint8_t *bytes, size_t size);

#endif
