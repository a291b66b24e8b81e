/* SPDX-License-Identifier: MIT */
/*
 * The DWARF sections of one ELF file as plain bytes: decompressed, and in relocatable files with
 * their relocations applied.  What needs neither is lent from the file.
 */
#ifndef CAIRN_DEBUGINFO_ELF_DWARF_SECTIONS_H
#define CAIRN_DEBUGINFO_ELF_DWARF_SECTIONS_H

#include "compressed_sections.h"

#include "debuginfo/budget/budget.h"
#include "debuginfo/budget/summary.h"
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
	struct cairn_bytes package;        /* .debug_cu_index of a .dwp; empty: it is none */
	void *memory[DWARF_SECTION_COUNT]; /* of those that are not lent */
};

/* How the sections are opened. */
struct dwarf_sections_how {
	bool split;       /* take the sections whose names end with .dwo */
	bool mapped;      /* pages of compressed sections may be given back once they were read */
	unsigned threads; /* of which compressed ones are inflated; 0: this one */
};

/*
 * A damaged section is an error of the whole
 * when nothing can be read without it (.debug_info, .debug_abbrev), else it counts as absent and
 * *damage reports.  What is copied or decompressed is drawn from the budget: NO_MEMORY, when this is
 * used up.
 */
CAIRN_MUST_USE enum cairn_status dwarf_sections_open(struct cairn_bytes file,
                                                     struct dwarf_sections_how how,
                                                     struct budget *budget,
                                                     struct dwarf_file *plain,
                                                     struct program_damage *damage);
void dwarf_sections_close(struct dwarf_file *plain);

/* Where the bytes of a section are. */
struct cairn_bytes *dwarf_sections_get(struct dwarf_sections *dwarf,
                                       enum dwarf_section_kind section);

/* ".debug_info" and so on. */
const char *dwarf_sections_name(enum dwarf_section_kind section);

/* How a section is stored in its file. */
struct dwarf_section_found {
	struct elf_section section;
	struct cairn_bytes bytes; /* in the file */
	bool packed;
	enum inflate_kind kind; /* of a packed one */
};

/* Is it known which relocations its machine has between debugging sections? */
bool dwarf_sections_knows_relocations(const struct elf *elf);

/* Apply the relocations for section number `target` to its bytes, as the budget allows. */
void dwarf_sections_relocate(const struct elf *elf, uint32_t target, struct budget *budget,
                             uint8_t *bytes, size_t size);

#endif
