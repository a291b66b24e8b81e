/* SPDX-License-Identifier: MIT */
/*
 * ELF, as much as cairn needs of it: header, segments, sections, build ID, and the relocations of
 * one section.  Either class, either byte order, files and images in memory alike (an image
 * usually ends before the section table; then there are no sections).  It does not load, map,
 * or decompress anything.
 *
 *	struct elf elf;
 *	if (elf_open(bytes, &elf, &fault) != CAIRN_OK)
 *		...
 *	struct elf_section sframe;
 *	if (elf_find_section(&elf, ".sframe", &sframe))
 *		... elf_section_bytes(&elf, &sframe)
 */
#ifndef CAIRN_FORMATS_ELF_H
#define CAIRN_FORMATS_ELF_H

#include <cairn.h>

enum {
	ELF_HEADER_MAX = 64, /* bytes of the larger of the two headers */
	ELF_NOTES_RUNS =
		256, /* runs of notes that are searched for a build ID; linkers write some five */
	ELF_NOTES_SIZE = 1 << 20, /* bytes of one; a build ID is among the first */
	ELF_SEGMENT_WIDE = 56,    /* bytes of a program header, by class */
	ELF_SEGMENT_NARROW = 32,
	ELF_SECTION_WIDE = 64, /* and of a section header */
	ELF_SECTION_NARROW = 40,
	ELF_TYPE_REL = 1,
	ELF_TYPE_EXEC = 2,
	ELF_TYPE_DYN = 3,
	ELF_TYPE_CORE = 4,
	ELF_PT_LOAD = 1,
	ELF_PT_DYNAMIC = 2,
	ELF_PT_INTERP = 3,
	ELF_PT_NOTE = 4,
	ELF_PT_PHDR = 6,
	ELF_PT_GNU_EH_FRAME = 0x6474e550,
	ELF_PT_GNU_SFRAME = 0x6474e554,
	ELF_PF_EXECUTE = 1,
	ELF_PF_WRITE = 2,
	ELF_PF_READ = 4,
	ELF_STT_NOTYPE = 0,
	ELF_STT_OBJECT = 1,
	ELF_STT_FUNC = 2,
	ELF_STT_FILE = 4,
	ELF_STT_IFUNC = 10,
	ELF_SHN_RESERVED = 0xff00, /* numbers of sections from there on mean something else */
	ELF_SHT_PROGBITS = 1,
	ELF_SHT_SYMTAB = 2,
	ELF_SHT_STRTAB = 3,
	ELF_SHT_DYNSYM = 11,
	ELF_SHT_RELA = 4,
	ELF_SHT_NOTE = 7,
	ELF_SHT_NOBITS = 8,
	ELF_SHT_REL = 9,
	ELF_SHT_GNU_SFRAME = 0x6ffffff4, /* also SHT_SUNW_dof: never trust it without the magic */
	ELF_SHF_ALLOC = 2,
	ELF_SHF_EXECUTE = 4,
	ELF_SHF_COMPRESSED = 0x800,
	ELF_EM_386 = 3,
	ELF_EM_PPC64 = 21,
	ELF_EM_PPC = 20,
	ELF_EM_S390 = 22,
	ELF_EM_ARM = 40,
	ELF_EM_X86_64 = 62,
	ELF_EM_AARCH64 = 183,
	ELF_EM_RISCV = 243,
};

struct elf {
	struct cairn_bytes bytes;
	bool wide; /* 64-bit class */
	bool big;
	uint16_t type, machine;
	uint64_t entry;
	uint64_t segments_at, sections_at;
	uint32_t segments, sections, names; /* counts, and the section that holds section names */
	bool uncounted; /* there are more segments than that: section header 0, which has their number, is missing */
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, va, file_size, memory_size, align;
};

struct elf_section {
	struct cairn_bytes name;
	uint32_t index, type, link, info;
	uint64_t flags, va, offset, size, alignment, entry_size;
};

struct elf_symbol {
	uint32_t name;     /* where it begins in the table's strings */
	uint8_t type;      /* ELF_STT_... */
	bool local;        /* no other file sees it */
	uint32_t section;  /* where it is defined; 0: elsewhere */
	uint64_t va, size; /* the value in a file that is linked */
};

/* Which parts of a file have been named; begins with zeros. */
struct elf_parts {
	unsigned step;
	uint32_t index;
	unsigned runs; /* of notes */
	bool comment;  /* the first one */
};

/* One entry of a relocation section, with its symbol looked up. */
struct elf_relocation {
	uint64_t offset; /* in the section it applies to */
	uint32_t type;
	uint32_t section; /* of the symbol; 0 when it is not defined here */
	uint64_t value;   /* symbol value + addend: an offset in that section */
	bool in_place;    /* there is no addend; it is in the bytes that are relocated */
};

enum cairn_status elf_open(struct cairn_bytes bytes, struct elf *elf, struct cairn_fault *fault);

/* Does it begin as such a file does? */
bool elf_has_magic(struct cairn_bytes bytes);

/* Does it open, whatever is wrong if it does not? */
static inline bool elf_opens(struct cairn_bytes bytes, struct elf *elf)
{
	struct cairn_fault fault;

	return elf_open(bytes, elf, &fault) == CAIRN_OK;
}

enum cairn_machine elf_machine(const struct elf *elf);

/* Segment or section number `index`; false when it is not there or is outside the bytes. */
bool elf_segment(const struct elf *elf, uint32_t index, struct elf_segment *segment);
bool elf_section(const struct elf *elf, uint32_t index, struct elf_section *section);

/* The first segment of this type; false: there is none. */
static inline bool elf_find_segment(const struct elf *elf, uint32_t type,
                                    struct elf_segment *segment)
{
	for (uint32_t i = 0; elf_segment(elf, i, segment); i++)
		if (segment->type == type)
			return true;
	return false;
}

/*
 * The addresses as linked from the first byte that is loaded to past the last; segments that wrap, or have no memory, do not
 * count.  False: nothing is loaded, and the span is empty.
 */
bool elf_load_span(const struct elf *elf, struct cairn_range *span);

bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section);

/* The first one of a type. */
bool elf_find_section_of_type(const struct elf *elf, uint32_t type, struct elf_section *section);

/* Has a relocatable file one section of code at most?  Several begin at the same address, 0. */
bool elf_has_one_text(const struct elf *elf);

/* The section's bytes in the file; empty when it has none (NOBITS) or they are cut off. */
struct cairn_bytes elf_section_bytes(const struct elf *elf, const struct elf_section *section);

/* Returns the bytes of a segment in the file; none if the file ends before them. */
struct cairn_bytes elf_segment_bytes(const struct elf *elf, const struct elf_segment *segment);

/* The build ID in a run of notes; empty when there is none. */
struct cairn_bytes elf_build_id_in_notes(struct cairn_bytes notes, bool big);

/* The JSON text of .note.package in a run of notes, without its zero; empty when there is none. */
struct cairn_bytes elf_package_in_notes(struct cairn_bytes notes, bool big);

/* Was clang among the compilers that the file names (.comment, which stripping leaves)? */
bool elf_by_clang(const struct elf *elf);

/* Has the file a section that describes frames (.eh_frame, .debug_frame, .sframe), or a program header of one? */
bool elf_unwinds(const struct elf *elf);

/* The build ID of a file, from its note segments or sections. */
struct cairn_bytes elf_build_id(const struct elf *elf);

/* Is the file an ELF file of that build?  An empty build ID is that of a file without one. */
bool elf_is_of_build(struct cairn_bytes file, struct cairn_bytes build_id);

/* Do program headers lead to it, so that a process shows it, too?  Go 1.24 puts it into a section alone. */
bool elf_shows_build_id(const struct elf *elf);

/*
 * For a file of which nothing is read yet, whose bytes are zeros: names one part after the other
 * that the functions above want, beside the bytes of sections and segments other than notes and
 * .comment, as offsets in the file.  The caller reads each into its place before it asks for the
 * next.  False: no more.
 */
bool elf_next_part(struct cairn_bytes bytes, struct elf_parts *parts, struct cairn_range *part);

/* Symbol number `index` of the symbol table `table`; false past its end. */
bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol);

/* Its name; empty when it has none, or it is damaged. */
struct cairn_bytes elf_symbol_name(const struct elf *elf, const struct elf_section *table,
                                   const struct elf_symbol *symbol);

/*
 * The relocations (with or without addends) for the section numbered `target`.  Start with *at = 0; each call
 * gives the next one, false at the end.
 */
bool elf_next_relocation(const struct elf *elf, uint32_t target, uint32_t *relocations,
                         uint64_t *at, struct elf_relocation *relocation);

#endif
