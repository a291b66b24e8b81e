/* SPDX-License-Identifier: MIT */
/*
 * Reads the parts of ELF that cairn needs: header, segments, sections, build ID, and relocations.
 * It supports both classes and both byte orders, and reads files as well as their images in memory.
 * An image usually ends before the section table, so it has no sections. Nothing is loaded, mapped
 * or decompressed.
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

#include "isa/load_base.h"

#include <cairn.h>

enum {
	ELF_HEADER_MAX = 64, /* size of the larger of the two headers in bytes */
	/*
	 * maximum number of note sections and segments that are searched for a build ID; linkers
	 * write about five
	 */
	ELF_NOTES_RUNS = 256,
	/* maximum number of bytes searched in each of them; a build ID is near the start */
	ELF_NOTES_SIZE = 1 << 20,
	ELF_SEGMENT_WIDE = 56, /* size of a program header in a 64-bit file */
	ELF_SEGMENT_NARROW = 32,
	ELF_SECTION_WIDE = 64, /* size of a section header in a 64-bit file */
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
	ELF_SHN_RESERVED = 0xff00, /* section numbers from SHN_LORESERVE on have special meanings */
	ELF_SHT_PROGBITS = 1,
	ELF_SHT_SYMTAB = 2,
	ELF_SHT_STRTAB = 3,
	ELF_SHT_DYNSYM = 11,
	ELF_SHT_RELA = 4,
	ELF_SHT_NOTE = 7,
	ELF_SHT_NOBITS = 8,
	ELF_SHT_REL = 9,
	/* the same number as SHT_SUNW_dof, so check the magic number too */
	ELF_SHT_GNU_SFRAME = 0x6ffffff4,
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
	bool wide;
	bool big;
	uint16_t type, machine;
	uint64_t entry;
	uint64_t segments_at, sections_at;
	/*
	 * `segments` and `sections` are numbers of headers; `names` is the index of the section
	 * that contains the section names
	 */
	uint32_t segments, sections, names;
	/*
	 * the file has more segments than `segments`, but their number is missing because it is
	 * stored in section header 0, which the file does not contain
	 */
	bool uncounted;
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
	uint32_t name; /* offset in the symbol table's string table */
	uint8_t type;  /* ELF_STT_... */
	bool local;
	uint32_t section; /* section that contains the symbol, 0 if undefined */
	/*
	 * va is an address in linked files only; in relocatable files it is an offset in the
	 * section
	 */
	uint64_t va, size;
};

/* State of elf_next_part(). Initialize it to zeros. */
struct elf_parts {
	unsigned step;
	uint32_t index;
	unsigned runs; /* number of note sections and segments so far */
	bool comment;  /* the first .comment section has been returned */
};

/* A relocation with its symbol resolved. */
struct elf_relocation {
	uint64_t offset; /* offset of the relocated field in its section */
	uint32_t type;
	uint32_t section; /* section of the symbol, 0 if undefined */
	uint64_t value;   /* symbol value + addend, which is an offset in that section */
	bool in_place; /* the addend is stored in the relocated field instead of the relocation */
};

enum cairn_status elf_open(struct cairn_bytes bytes, struct elf *elf, struct cairn_fault *fault);

bool elf_has_magic(struct cairn_bytes bytes);

/* Open `bytes` without reporting why a failure occurs. Return true on success. */
static inline bool elf_opens(struct cairn_bytes bytes, struct elf *elf)
{
	struct cairn_fault fault;

	return elf_open(bytes, elf, &fault) == CAIRN_OK;
}

enum cairn_machine elf_machine(const struct elf *elf);

/*
 * Read program or section header `index`. Return false if it does not exist or lies outside the
 * bytes.
 */
bool elf_segment(const struct elf *elf, uint32_t index, struct elf_segment *segment);
bool elf_section(const struct elf *elf, uint32_t index, struct elf_section *section);

static inline bool elf_find_segment(const struct elf *elf, uint32_t type,
                                    struct elf_segment *segment)
{
	for (uint32_t i = 0; elf_segment(elf, i, segment); i++)
		if (segment->type == type)
			return true;
	return false;
}

/*
 * Compute the range of linked addresses that the loaded segments span. Segments that wrap or occupy
 * no memory are ignored. Return false and an empty span if nothing is loaded.
 */
bool elf_load_span(const struct elf *elf, struct cairn_range *span);

bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section);

bool elf_find_section_of_type(const struct elf *elf, uint32_t type, struct elf_section *section);

/*
 * Return true if a relocatable file has at most one code section. If it has several, each starts at
 * address 0.
 */
bool elf_has_one_text(const struct elf *elf);

/*
 * Return the contents of a section. They are empty for NOBITS, or if the section extends past the
 * end of the file.
 */
struct cairn_bytes elf_section_bytes(const struct elf *elf, const struct elf_section *section);

/* Return the contents of a segment, or nothing if it extends past the end of the file. */
struct cairn_bytes elf_segment_bytes(const struct elf *elf, const struct elf_segment *segment);

/* Find the build ID in a sequence of notes. Return an empty range if not found. */
struct cairn_bytes elf_build_id_in_notes(struct cairn_bytes notes, bool big);

/*
 * Find the JSON string of .note.package in a sequence of notes. Return it without its NUL, or an
 * empty range if not found.
 */
struct cairn_bytes elf_package_in_notes(struct cairn_bytes notes, bool big);

/* Return true if .comment, which stripping keeps, lists clang among the compilers. */
bool elf_by_clang(const struct elf *elf);

/*
 * Return true if the file has unwind information: a section .eh_frame, .debug_frame or .sframe, or
 * a segment PT_GNU_EH_FRAME.
 */
bool elf_unwinds(const struct elf *elf);

/* Return the build ID from the note segments or sections, or an empty range. */
struct cairn_bytes elf_build_id(const struct elf *elf);

/*
 * Return true if `file` is an ELF file with this build ID. An empty build ID matches a file without
 * one.
 */
bool elf_is_of_build(struct cairn_bytes file, struct cairn_bytes build_id);

/*
 * Return true if a segment contains the build ID, so that it is also visible in the memory of a
 * process. Go 1.24 writes the build ID only to a section.
 */
bool elf_shows_build_id(const struct elf *elf);

/*
 * Iterate over the parts of a file that the functions above need: headers, notes and .comment, but
 * no other contents of sections and segments. `bytes` has the size of the file and is initially
 * zero. The caller reads each part into it before the next call. Return false if there are no more
 * parts.
 */
bool elf_next_part(struct cairn_bytes bytes, struct elf_parts *parts, struct cairn_range *part);

/* Read symbol `index` of a symbol table. Return false past its end. */
bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol);

/* Return the name of a symbol. It is empty if the symbol is unnamed or damaged. */
struct cairn_bytes elf_symbol_name(const struct elf *elf, const struct elf_section *table,
                                   const struct elf_symbol *symbol);

/*
 * Read the next relocation that applies to section `target`, from SHT_REL or SHT_RELA. Set *at to 0
 * before the first call. Return false at the end.
 */
bool elf_next_relocation(const struct elf *elf, uint32_t target, uint32_t *relocations,
                         uint64_t *at, struct elf_relocation *relocation);

/*
 * Infer where an ELF file was loaded from return addresses in its process (isa/load_base.h). Sort
 * `returns` and remove duplicates. Return false if the file is not position-independent or no base
 * is clearly the right one.
 */
bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base);

/* Call load_base_is_return() with the code of this file. */
bool elf_is_return(const struct elf *elf, uint64_t va);

/*
 * Converts file offsets of a program to linked addresses by its segments:
 *
 *	struct elf_places places = elf_places_read(bytes);
 *	if (elf_places_find(&places, 0x1000, &va))
 *		... va is an address as linked
 */

enum {
	/* maximum number of loaded segments; linkers write about ten */
	ELF_PLACES_MAX = 64
};

struct elf_places {
	struct elf_place {
		uint64_t offset, size, va;
		bool code;
	} place[ELF_PLACES_MAX];
	/* 0 if the file is not a program or library or has no loaded segments */
	unsigned count;
};

struct elf_places elf_places_read(struct cairn_bytes program);

/*
 * Convert a file offset to a linked address. If two segments contain the offset, use the executable
 * one. Return false if no segment contains it.
 */
bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va);

/*
 * Names the functions that PLT stubs call, on amd64 and i386. Symbol tables do not contain the
 * stubs.
 *
 *	struct elf_stubs stubs;
 *	if (elf_stubs_open(&elf, &stubs))
 *		name = elf_stubs_name(&stubs, va, &start);  "puts", of the stub puts@plt
 */

struct elf_stubs {
	struct elf elf;
	struct cairn_bytes relocations; /* relocations of the PLT's slots, in ascending order */
	struct elf_section symbols;     /* symbol table of the relocations */
	struct elf_section section;
	uint64_t table; /* address of the slot table (.got.plt), 0 if absent */
};

/* Find the PLT. Return false if the file does not have one or the machine is not supported. */
bool elf_stubs_open(const struct elf *elf, struct elf_stubs *stubs);

/*
 * Return the name of the function that the stub at `va` calls, and set *start to the start of that
 * stub. `va` may lie anywhere in the stub. Return an empty string if no stub contains `va`.
 */
struct cairn_bytes elf_stubs_name(const struct elf_stubs *stubs, uint64_t va, uint64_t *start);

/* Like elf_stubs_name(), for a stub that starts at `va` and whose code the caller supplies. */
struct cairn_bytes elf_stubs_name_code(const struct elf_stubs *stubs, uint64_t va,
                                       struct cairn_bytes code);

#endif
