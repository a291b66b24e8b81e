/* SPDX-License-Identifier: MIT */
/*
 * Reads what cairn needs from ELF: header, segments, sections, symbols, build ID and relocations.
 * Supports both classes and both byte orders, files and their images in memory. An image usually
 * ends before the section table, so it has no sections. Nothing is loaded, mapped or decompressed.
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
	ELF_HEADER_MAX = 64,
	/*
	 * maximum number of note sections and segments to search for a build ID; linkers write
	 * about five
	 */
	ELF_NOTES_RUNS = 256,
	/*
	 * maximum number of bytes to search in each note section or segment; build IDs are near the
	 * start
	 */
	ELF_NOTES_SIZE = 1 << 20,
	/* sizes of program and section headers in 64-bit (wide) and 32-bit (narrow) files */
	ELF_SEGMENT_WIDE = 56,
	ELF_SEGMENT_NARROW = 32,
	ELF_SECTION_WIDE = 64,
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
	ELF_SHN_RESERVED = 0xff00, /* section indices from SHN_LORESERVE up have special meanings */
	ELF_SHT_PROGBITS = 1,
	ELF_SHT_SYMTAB = 2,
	ELF_SHT_STRTAB = 3,
	ELF_SHT_DYNSYM = 11,
	ELF_SHT_RELA = 4,
	ELF_SHT_NOTE = 7,
	ELF_SHT_NOBITS = 8,
	ELF_SHT_REL = 9,
	/* SHT_SUNW_dof has the same value, so also check the SFrame magic number */
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
	 * number of program headers, number of section headers, and index of the section name table
	 */
	uint32_t segments, sections, names;
	/*
	 * the file has more segments than `segments`: the real count is unknown, because it is
	 * stored in section header 0, which is missing
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
	uint32_t name;
	uint8_t type; /* ELF_STT_... */
	bool local;
	uint32_t section; /* section index, 0 if undefined */
	/* va is an address in linked files; in relocatable files it is an offset in the section */
	uint64_t va, size;
};

/* State of elf_next_part(); initialize to zeros. */
struct elf_parts {
	unsigned step;
	uint32_t index;
	unsigned runs; /* number of note sections and note segments returned so far */
	bool comment;
};

struct elf_relocation {
	uint64_t offset; /* offset of the relocated field in its section */
	uint32_t type;
	uint32_t section; /* index of the section that defines the symbol, 0 if undefined */
	uint64_t value;   /* symbol value + addend, an offset in `section` */
	bool in_place;    /* the addend is stored in the relocated field, not in the relocation */
};

enum cairn_status elf_open(struct cairn_bytes bytes, struct elf *elf, struct cairn_fault *fault);

bool elf_has_magic(struct cairn_bytes bytes);

static inline bool elf_opens(struct cairn_bytes bytes, struct elf *elf)
{
	struct cairn_fault fault;

	return elf_open(bytes, elf, &fault) == CAIRN_OK;
}

enum cairn_machine elf_machine(const struct elf *elf);

/*
 * Read program or section header `index`. Return false if it does not exist or lies outside the
 * file.
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
 * Compute the range of link-time addresses that the PT_LOAD segments span. Segments that wrap or
 * occupy no memory do not count. Return false and set an empty span if no PT_LOAD segment remains.
 */
bool elf_load_span(const struct elf *elf, struct cairn_range *span);

bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section);

bool elf_find_section_of_type(const struct elf *elf, uint32_t type, struct elf_section *section);

/*
 * Return true if a relocatable file has at most one nonempty code section. With several code
 * sections, addresses are ambiguous, because each section starts at address 0.
 */
bool elf_has_one_text(const struct elf *elf);

/*
 * Return the contents of a section or segment, or an empty range for SHT_NOBITS and for contents
 * that extend past the end of the file.
 */
struct cairn_bytes elf_section_bytes(const struct elf *elf, const struct elf_section *section);
struct cairn_bytes elf_segment_bytes(const struct elf *elf, const struct elf_segment *segment);

struct cairn_bytes elf_build_id_in_notes(struct cairn_bytes notes, bool big);

/*
 * Find the JSON string of the package metadata note (.note.package). Return it without its NUL, or
 * an empty range if there is no such note.
 */
struct cairn_bytes elf_package_in_notes(struct cairn_bytes notes, bool big);

/* Return true if .comment, which strip keeps, lists clang among the compilers. */
bool elf_by_clang(const struct elf *elf);

/*
 * Return true if the file has unwind information: .eh_frame, .debug_frame, .sframe or
 * PT_GNU_EH_FRAME.
 */
bool elf_unwinds(const struct elf *elf);

/*
 * Return the build ID from the note segments or sections, or an empty range if the file lacks one.
 */
struct cairn_bytes elf_build_id(const struct elf *elf);

/*
 * Return true if `file` is an ELF file with this build ID. If `build_id` is empty, the file must
 * not have one either.
 */
bool elf_is_of_build(struct cairn_bytes file, struct cairn_bytes build_id);

/*
 * Return true if a segment contains the build ID, so that it can also be read from the memory of a
 * process. Go 1.24 writes the build ID only to a section.
 */
bool elf_shows_build_id(const struct elf *elf);

/*
 * Iterate over the file ranges that the functions above read: headers, notes and .comment. `bytes`
 * is a buffer with the size of the file, filled with zeros. The caller reads each range into it
 * before the next call. Return false after the last range.
 */
bool elf_next_part(struct cairn_bytes bytes, struct elf_parts *parts, struct cairn_range *part);

/* Read symbol `index` of a symbol table. Return false if the table has fewer symbols. */
bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t index,
                struct elf_symbol *symbol);

/*
 * Find the first symbol that the file defines with this name and type and with at least this size.
 * `table` is the name of the symbol table's section.
 */
bool elf_find_symbol(const struct elf *elf, const char *table, const char *name, unsigned type,
                     uint64_t size, struct elf_symbol *symbol);

/* Return the name of a symbol, empty if the symbol is unnamed or damaged. */
struct cairn_bytes elf_symbol_name(const struct elf *elf, const struct elf_section *table,
                                   const struct elf_symbol *symbol);

/*
 * Read the next relocation that applies to section `target`, from SHT_REL or SHT_RELA. *at must be
 * 0 before the first call. Return false at the end.
 */
bool elf_next_relocation(const struct elf *elf, uint32_t target, uint32_t *relocations,
                         uint64_t *at, struct elf_relocation *relocation);

/*
 * Infer the load address of an ELF file from return addresses in its process (see isa/load_base.h).
 * Sorts `returns` and removes duplicates. Return false if the file is not position-independent or
 * no candidate clearly fits best.
 */
bool elf_find_load_base(const struct elf *elf, uint64_t *returns, size_t *count,
                        struct load_base *base);

/* Like load_base_is_return(), but reads the code from an ELF file. */
bool elf_is_return(const struct elf *elf, uint64_t va);

/*
 * Converts file offsets to link-time addresses with the PT_LOAD segments of a program or library:
 *
 *	struct elf_places places = elf_places_read(bytes);
 *	if (elf_places_find(&places, 0x1000, &va))
 *		... va is a link-time address
 */

enum {
	/* maximum number of PT_LOAD segments; linkers write about ten */
	ELF_PLACES_MAX = 64
};

struct elf_places {
	struct elf_place {
		uint64_t offset, size, va;
		bool code;
	} place[ELF_PLACES_MAX];
	/*
	 * number of elements in place[]; 0 if the file is not a program or library, or has no
	 * PT_LOAD segment with contents
	 */
	unsigned count;
};

struct elf_places elf_places_read(struct cairn_bytes program);

/*
 * Convert a file offset to a link-time address. If segments overlap in the file, prefer an
 * executable one. Return false if no segment contains the offset.
 */
bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va);

/*
 * Names the functions that PLT stubs call, on amd64 and i386. Symbol tables do not list the stubs.
 *
 *	struct elf_stubs stubs;
 *	if (elf_stubs_open(&elf, &stubs))
 *		name = elf_stubs_name(&stubs, va, &start);  "puts" for the stub puts@plt
 */

struct elf_stubs {
	struct elf elf;
	struct cairn_bytes relocations; /* .rela.plt or .rel.plt, in ascending order of slots */
	struct elf_section symbols;
	struct elf_section section;
	uint64_t table; /* address of .got.plt, 0 if absent */
};

/* Find the PLT. Return false if the file does not have one or the machine is unsupported. */
bool elf_stubs_open(const struct elf *elf, struct elf_stubs *stubs);

/*
 * Return the name of the function that the stub containing `va` calls, and set *start to the start
 * of that stub. Return an empty string if no stub contains `va`.
 */
struct cairn_bytes elf_stubs_name(const struct elf_stubs *stubs, uint64_t va, uint64_t *start);

/*
 * Like elf_stubs_name(), for a stub whose code the caller supplies. `va` is the start of the stub.
 */
struct cairn_bytes elf_stubs_name_code(const struct elf_stubs *stubs, uint64_t va,
                                       struct cairn_bytes code);

#endif
