/* SPDX-License-Identifier: MIT */
/*
 * Implements object.h: lays out an empty object, appends and removes functions, and reads functions
 * back.
 */
#include "object.h"

#include "dwarf.h"
#include "machine.h"

#include <elf.h>
#include <string.h>

/*
 * The layout of an object:
 *
 *	file header, section headers (fixed ones, then one for each run), abbreviations,
 *	names, symbols, .debug_frame, .debug_info, .debug_ranges, .debug_line
 *
 * The unused end of each part is filled with zeros, which debuggers accept as null symbols, null
 * section headers, and terminators of frames and DIEs. The line program ends at its declared
 * length, which is therefore increased last when the program grows. File names are in the header of
 * the line program, which has a fixed size, so the unused end of the header is the name of a dummy
 * file.
 */
enum {
	SECTION_NAMES = 1,
	SECTION_SYMBOLS,
	SECTION_FRAMES,
	SECTION_ABBREVIATIONS,
	SECTION_DIES,
	SECTION_RANGES,
	SECTION_LINES,
	SECTION_STRINGS, /* .debug_str, which contains the symbol names */
	SECTION_FIRST_RUN,

	ABBREVIATION_UNIT = 1,
	ABBREVIATION_FUNCTION = 2,
	/*
	 * abbreviation of a removed function's DIE, with an undefined tag and undefined attributes,
	 * whose forms have the same sizes as in a function's DIE
	 */
	ABBREVIATION_REMOVED = 3,

	DIE_BYTES = 1 + 4 + 8 + 4 + 2 + 4,
	DIE_NAME = 1, /* offsets of attributes in a function's DIE */
	DIE_START = 5,
	DIE_SIZE = 13,
	DIE_FILE = 17,
	DIE_LINE = 19,

	FDE_HEADER = 4 + 4 + 8 + 8, /* size of an FDE before its instructions */
	SEQUENCE_HEAD = 11 + 3,     /* size of DW_LNE_set_address and DW_LNS_set_file */
	SEQUENCE_END = 3,
	RUN_BYTES = 16, /* size of a run's entry in .debug_ranges */
	/* size of the end of the file list: a file with a one-byte name, and the terminator */
	FILES_END = 6,
	/* maximum file number that LEB128 encodes in two bytes */
	FILE_MAX = 0x3fff,
};

/* Return the size of the terminator that a part needs after its last entry. */
static inline uint32_t cairn_jit_part_end(enum cairn_jit_part part)
{
	static const uint8_t ends[PART_COUNT] = {
		[PART_DIES] = 1, [PART_FILES] = FILES_END, [PART_RUNS] = RUN_BYTES
	};

	return ends[part];
}

/* Store an unaligned little-endian number; all machines in machine.h are little-endian. */
static inline void cairn_jit_store_number(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
}

static inline uint64_t cairn_jit_load_number(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

static const char names[] = "\0.symtab\0.strtab\0.debug_frame\0.debug_abbrev\0.debug_info\0"
			    ".debug_ranges\0.debug_line\0.debug_str\0.text\0jit";

enum {
	NAME_SYMBOLS = 1,
	NAME_NAMES = 9,
	NAME_FRAMES = 17,
	NAME_ABBREVIATIONS = 30,
	NAME_DIES = 44,
	NAME_RANGES = 56,
	NAME_LINES = 70,
	NAME_STRINGS = 82,
	NAME_TEXT = 93,
	NAME_UNIT = 99,

	UNIT_HEADER = 11,
	/* size of .debug_info before the first function */
	UNIT_BYTES = UNIT_HEADER + 1 + 2 + 4 + 4 + 4 + 8,
	/* size of the line program header before the file names */
	LINES_HEADER = 4 + 2 + 4 + 6 + 12 + 1,
};

/*
 * Each abbreviation consists of a number, a tag, a children flag, pairs of attribute and form, and
 * two zeros.
 */
static const uint8_t abbreviations[] = {
	/* DW_TAG_compile_unit with children */
	ABBREVIATION_UNIT, 0x11, 1,
	/* language data2, name strp, stmt_list, ranges, low_pc */
	0x13, 0x05, 0x03, 0x0e, 0x10, 0x17, 0x55, 0x17, 0x11, 0x01, 0, 0,
	/* DW_TAG_subprogram */
	ABBREVIATION_FUNCTION, 0x2e, 0,
	/* external, name strp, low_pc, high_pc data4, decl_file data2, decl_line data4 */
	0x3f, 0x19, 0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0x3a, 0x05, 0x3b, 0x06, 0, 0,
	ABBREVIATION_REMOVED, 0x80, 0xbe, 0x01, 0,
	/*
	 * undefined tag 0x5f00 with attributes 0x2f01 to 0x2f05, in the same forms as a function's
	 */
	0x81, 0x5e, 0x0e, 0x82, 0x5e, 0x01, 0x83, 0x5e, 0x06, 0x84, 0x5e, 0x05, 0x85, 0x5e, 0x06, 0,
	0, 0
};

static uint32_t cairn_jit_layout_used(enum cairn_jit_part part)
{
	_Static_assert(PART_COUNT == 7, "a new part has a row here and in cairn_jit_part_end()");
	static const uint8_t used[PART_COUNT] = { [PART_NAMES] = sizeof(names),
		                                  [PART_SYMBOLS] = sizeof(Elf64_Sym),
		                                  [PART_FRAMES] = CIE_BYTES,
		                                  [PART_DIES] = UNIT_BYTES };

	return used[part];
}

static uint8_t *cairn_jit_locate_die(const struct cairn_jit_object *object, uint32_t slot)
{
	return object->body.elf + object->body.begin[PART_DIES] + cairn_jit_layout_used(PART_DIES) +
	       slot * (uint32_t)DIE_BYTES;
}

static uint32_t align_up(uint32_t size)
{
	return (size + 7) & ~7u;
}

static Elf64_Shdr *cairn_jit_section(const struct cairn_jit_object *object, uint32_t number)
{
	return (Elf64_Shdr *)(object->body.elf + sizeof(Elf64_Ehdr)) + number;
}

static uint32_t count_sections(const struct cairn_jit_object *object)
{
	return SECTION_FIRST_RUN + object->body.capacity[PART_RUNS] / RUN_BYTES - 1;
}

static uint64_t place_parts(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	static const enum cairn_jit_part order[] = { PART_NAMES, PART_SYMBOLS, PART_FRAMES,
		                                     PART_DIES,  PART_RUNS,    PART_FILES,
		                                     PART_LINES };
	uint64_t at = 0;

	for (int part = 0; part < PART_COUNT; part++) {
		object->body.used[part] = cairn_jit_layout_used((enum cairn_jit_part)part);
		object->body.capacity[part] = object->body.used[part] + need->bytes[part] +
		                              cairn_jit_part_end((enum cairn_jit_part)part);
	}
	at = align_up((uint32_t)(sizeof(Elf64_Ehdr) + count_sections(object) * sizeof(Elf64_Shdr) +
	                         sizeof(abbreviations)));
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] == PART_FILES)
			at += LINES_HEADER;
		object->body.begin[order[i]] = (uint32_t)at;
		at += order[i] == PART_FILES ? object->body.capacity[order[i]]
		                             : align_up(object->body.capacity[order[i]]);
	}
	return at;
}

static void write_file_header(struct cairn_jit_object *object)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = MACHINE_ELF,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)count_sections(object),
		.e_shstrndx = SECTION_NAMES,
	};

	memcpy(object->body.elf, &header, sizeof(header));
}

static void write_section(struct cairn_jit_object *object, uint32_t number, uint32_t name,
                          uint32_t type, uint32_t begin, uint32_t size)
{
	Elf64_Shdr *section = cairn_jit_section(object, number);

	*section = (Elf64_Shdr){ .sh_name = name,
		                 .sh_type = type,
		                 .sh_offset = begin,
		                 .sh_size = size,
		                 .sh_addralign = 1 };
	if (number == SECTION_SYMBOLS) {
		section->sh_link = SECTION_NAMES;
		section->sh_info = 1;
		section->sh_entsize = sizeof(Elf64_Sym);
		section->sh_addralign = 8;
	}
}

static void write_sections(struct cairn_jit_object *object)
{
	const uint32_t *begin = object->body.begin, *capacity = object->body.capacity;
	uint32_t after =
		(uint32_t)(sizeof(Elf64_Ehdr) + count_sections(object) * sizeof(Elf64_Shdr));

	memcpy(object->body.elf + after, abbreviations, sizeof(abbreviations));
	write_section(object, SECTION_NAMES, NAME_NAMES, SHT_STRTAB, begin[PART_NAMES],
	              capacity[PART_NAMES]);
	write_section(object, SECTION_STRINGS, NAME_STRINGS, SHT_PROGBITS, begin[PART_NAMES],
	              capacity[PART_NAMES]);
	write_section(object, SECTION_SYMBOLS, NAME_SYMBOLS, SHT_SYMTAB, begin[PART_SYMBOLS],
	              capacity[PART_SYMBOLS]);
	write_section(object, SECTION_FRAMES, NAME_FRAMES, SHT_PROGBITS, begin[PART_FRAMES],
	              capacity[PART_FRAMES]);
	write_section(object, SECTION_ABBREVIATIONS, NAME_ABBREVIATIONS, SHT_PROGBITS, after,
	              sizeof(abbreviations));
	write_section(object, SECTION_DIES, NAME_DIES, SHT_PROGBITS, begin[PART_DIES],
	              capacity[PART_DIES]);
	write_section(object, SECTION_RANGES, NAME_RANGES, SHT_PROGBITS, begin[PART_RUNS],
	              capacity[PART_RUNS]);
	write_section(object, SECTION_LINES, NAME_LINES, SHT_PROGBITS,
	              begin[PART_FILES] - LINES_HEADER,
	              LINES_HEADER + capacity[PART_FILES] + capacity[PART_LINES]);
	for (uint32_t i = SECTION_FIRST_RUN; i < count_sections(object); i++)
		cairn_jit_section(object, i)->sh_name = NAME_TEXT;
}

static uint8_t *put_value(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
	return at + size;
}

static void write_unit(struct cairn_jit_object *object)
{
	enum { LANGUAGE_C99 = 0x0c };
	uint8_t *at = object->body.elf + object->body.begin[PART_DIES];

	at = put_value(at, object->body.capacity[PART_DIES] - 4, 4);
	at = put_value(at, 4, 2); /* DWARF 4 */
	at = put_value(at, 0, 4); /* offset of the abbreviations */
	at = put_value(at, 8, 1); /* address size */
	at = put_value(at, ABBREVIATION_UNIT, 1);
	at = put_value(at, LANGUAGE_C99, 2);
	at = put_value(at, NAME_UNIT, 4);
	at = put_value(at, 0, 4); /* offset of the line program */
	put_value(at, 0, 4);      /* offset of the ranges; the low_pc after it stays 0 */
}

static void write_lines_header(struct cairn_jit_object *object)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	uint8_t *at = object->body.elf + object->body.begin[PART_FILES] - LINES_HEADER;
	const uint32_t behind_length = LINES_HEADER - 4 + object->body.capacity[PART_FILES];

	at = put_value(at, behind_length, 4);
	at = put_value(at, 4, 2);
	at = put_value(at, behind_length - 6, 4);
	at = put_value(at, 1, 1); /* minimum instruction length */
	at = put_value(at, 1, 1); /* maximum operations per instruction */
	at = put_value(at, 1, 1); /* default is_stmt */
	at = put_value(at, (uint8_t)LINES_BASE, 1);
	at = put_value(at, LINES_RANGE, 1);
	at = put_value(at, LINES_OPCODE_BASE, 1);
	memcpy(at, operands, sizeof(operands)); /* the empty directory list follows */
}

static bool write_cie(struct cairn_jit_object *object)
{
	struct cairn_jit_bytes cie = { .data = NULL };

	cairn_jit_write_cie(&cie, CIE_DEBUG_FRAME);
	bool good = !cie.failed && cie.size == CIE_BYTES;
	if (good)
		memcpy(object->body.elf + object->body.begin[PART_FRAMES], cie.data, CIE_BYTES);
	cairn_jit_free(cie.data, cie.capacity);
	return good;
}

static bool fill_object(struct cairn_jit_object *object)
{
	memcpy(object->body.elf + object->body.begin[PART_NAMES], names, sizeof(names));
	write_file_header(object);
	write_sections(object);
	write_unit(object);
	write_lines_header(object);
	/*
	 * Reserve the space for file names with one long dummy name, which each appended file
	 * shortens. LLDB rejects a header whose file list ends before the header does.
	 */
	memset(object->body.elf + object->body.begin[PART_FILES], '-',
	       object->body.capacity[PART_FILES] - FILES_END + 1);
	return write_cie(object);
}

static bool allocate_parts(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	struct cairn_jit_body *body = &object->body;

	body->size = place_parts(object, need);
	body->slots = need->slots;
	body->runs_capacity = body->capacity[PART_RUNS] / RUN_BYTES;
	if (body->size >= INT32_MAX || count_sections(object) >= SHN_LORESERVE)
		return false;
	body->elf = cairn_jit_allocate(body->size);
	body->slot = cairn_jit_allocate(body->slots * sizeof(*body->slot));
	body->run_live = cairn_jit_allocate(body->runs_capacity * sizeof(*body->run_live));
	object->entry.object = body->elf;
	object->entry.size = body->size;
	return body->elf && body->slot && body->run_live;
}

CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_object_new(const struct cairn_jit_need *need)
{
	struct cairn_jit_object *object = cairn_jit_allocate(sizeof(*object));

	if (object && allocate_parts(object, need) && fill_object(object))
		return object;
	if (object)
		cairn_jit_object_free(object);
	return NULL;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_free(struct cairn_jit_object *object)
{
	struct cairn_jit_body *body = &object->body;

	cairn_jit_free(body->elf, body->size);
	cairn_jit_free(body->slot, body->slots * sizeof(*body->slot));
	cairn_jit_free(body->run_live, body->runs_capacity * sizeof(*body->run_live));
	cairn_jit_free(object, sizeof(*object));
}

static uint32_t count_frame_bytes(const struct cairn_jit_facts *facts)
{
	return facts->framed ? (FDE_HEADER + facts->frame_size + 7) & ~7u : 0;
}

static uint32_t count_line_bytes(const struct cairn_jit_facts *facts)
{
	return facts->lines_size ? SEQUENCE_HEAD + facts->lines_size + SEQUENCE_END : 0;
}

CAIRN_JIT_INTERNAL void cairn_jit_need_add(struct cairn_jit_need *need,
                                           const struct cairn_jit_facts *facts)
{
	need->bytes[PART_NAMES] += facts->name_size;
	need->bytes[PART_SYMBOLS] += sizeof(Elf64_Sym);
	need->bytes[PART_FRAMES] += count_frame_bytes(facts);
	need->bytes[PART_DIES] += DIE_BYTES;
	need->bytes[PART_LINES] += count_line_bytes(facts);
	need->bytes[PART_FILES] += facts->file_size ? facts->file_size + 3 : 0;
	need->slots++;
}

CAIRN_JIT_INTERNAL void cairn_jit_need_run(struct cairn_jit_need *need)
{
	need->bytes[PART_RUNS] += RUN_BYTES;
}

CAIRN_JIT_INTERNAL bool cairn_jit_object_fits(const struct cairn_jit_object *object,
                                              const struct cairn_jit_need *need)
{
	for (int part = 0; part < PART_COUNT; part++)
		if (need->bytes[part] > object->body.capacity[part] -
		                                cairn_jit_part_end((enum cairn_jit_part)part) -
		                                object->body.used[part])
			return false;
	return need->slots <= object->body.slots - object->body.count;
}

static uint8_t *reserve_bytes(struct cairn_jit_object *object, enum cairn_jit_part part,
                              uint32_t size)
{
	uint8_t *at = object->body.elf + object->body.begin[part] + object->body.used[part];

	object->body.used[part] += size;
	return at;
}

/* Return the slot of a recently appended function with the same file, or UINT32_MAX. */
static uint32_t find_same_file(const struct cairn_jit_object *object,
                               const struct cairn_jit_facts *facts)
{
	enum { SEARCHED = 8 };
	const char *files = (const char *)object->body.elf + object->body.begin[PART_FILES];

	for (uint32_t i = object->body.count; i > 0 && i + SEARCHED > object->body.count; i--)
		if (object->body.slot[i - 1].file != UINT32_MAX &&
		    strcmp(files + object->body.slot[i - 1].file, facts->file) == 0)
			return i - 1;
	return UINT32_MAX;
}

static uint32_t append_file(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                            struct cairn_jit_slot *slot)
{
	slot->file = object->body.used[PART_FILES];
	uint8_t *at = reserve_bytes(object, PART_FILES, facts->file_size + 3);
	/*
	 * end the new file's name with a NUL, and store 0 as its directory, time and size; the name
	 * of the dummy file now starts after these bytes
	 */
	const uint32_t end = 0;
	memcpy(at, facts->file, facts->file_size - 1);
	cairn_jit_keep_order();
	memcpy(at + facts->file_size - 1, &end, sizeof(end));
	return ++object->body.files;
}

static uint32_t find_file_number(struct cairn_jit_object *object,
                                 const struct cairn_jit_facts *facts, struct cairn_jit_slot *slot)
{
	slot->file = UINT32_MAX;
	if (!facts->file_size)
		return 0;
	const uint32_t same = find_same_file(object, facts);
	if (same != UINT32_MAX) {
		slot->file = object->body.slot[same].file;
		return (uint32_t)cairn_jit_load_number(
			cairn_jit_locate_die(object, same) + DIE_FILE, 2);
	}
	return object->body.files == FILE_MAX ? 0 : append_file(object, facts, slot);
}

static uint32_t append_name(struct cairn_jit_object *object, const struct cairn_jit_facts *facts)
{
	uint32_t offset = object->body.used[PART_NAMES];

	memcpy(reserve_bytes(object, PART_NAMES, facts->name_size), facts->name, facts->name_size);
	return offset;
}

static uint8_t *locate_range(const struct cairn_jit_object *object, uint32_t run)
{
	return object->body.elf + object->body.begin[PART_RUNS] + run * (uint32_t)RUN_BYTES;
}

/*
 * Start a run: a section and a range with the same addresses. The last store makes the section
 * valid.
 */
static uint32_t start_run(struct cairn_jit_object *object, uint64_t start, uint64_t end)
{
	uint32_t run = object->body.used[PART_RUNS] / RUN_BYTES;
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);
	uint8_t *range = reserve_bytes(object, PART_RUNS, RUN_BYTES);

	cairn_jit_store_number(range + 8, end, 8);
	cairn_jit_store_number(range, start, 8);
	section->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section->sh_addr = start;
	section->sh_size = end - start;
	section->sh_addralign = 1;
	cairn_jit_keep_order();
	section->sh_type = SHT_NOBITS;
	return run;
}

static void stretch_run(struct cairn_jit_object *object, uint32_t run, uint64_t start, uint64_t end)
{
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);
	uint64_t run_end = section->sh_addr + section->sh_size;

	if (end > run_end) {
		section->sh_size = end - section->sh_addr;
		cairn_jit_store_number(locate_range(object, run) + 8, end, 8);
	}
	if (start < section->sh_addr) {
		section->sh_size += section->sh_addr - start;
		section->sh_addr = start;
		cairn_jit_store_number(locate_range(object, run), start, 8);
	}
}

static uint32_t append_frame(struct cairn_jit_object *object, const struct cairn_jit_facts *facts)
{
	uint32_t size = count_frame_bytes(facts), offset = object->body.used[PART_FRAMES];

	if (!size)
		return 0;
	uint8_t *at = reserve_bytes(object, PART_FRAMES, size);
	/* CIE pointer: the CIE is at offset 0 in .debug_frame */
	cairn_jit_store_number(at + 4, 0, 4);
	cairn_jit_store_number(at + 8, facts->start, 8);
	cairn_jit_store_number(at + 16, facts->size, 8);
	if (facts->frame_size)
		memcpy(at + FDE_HEADER, facts->frame, facts->frame_size);
	cairn_jit_keep_order();
	cairn_jit_store_number(at, size - 4, 4);
	return offset;
}

static void append_symbol(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                          uint32_t name, uint32_t run)
{
	Elf64_Sym *symbol =
		(Elf64_Sym *)(void *)reserve_bytes(object, PART_SYMBOLS, sizeof(*symbol));

	symbol->st_name = name;
	symbol->st_value = facts->start;
	symbol->st_size = facts->size;
	symbol->st_shndx = (Elf64_Half)(SECTION_FIRST_RUN + run);
	cairn_jit_keep_order();
	symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
}

static void append_die(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                       uint32_t name, uint32_t file)
{
	uint8_t *at = reserve_bytes(object, PART_DIES, DIE_BYTES);

	cairn_jit_store_number(at + DIE_NAME, name, 4);
	cairn_jit_store_number(at + DIE_START, facts->start, 8);
	cairn_jit_store_number(at + DIE_SIZE, facts->size, 4);
	cairn_jit_store_number(at + DIE_FILE, file, 2);
	cairn_jit_store_number(at + DIE_LINE, facts->first_line, 4);
	cairn_jit_keep_order();
	at[0] = ABBREVIATION_FUNCTION;
}

static uint32_t append_lines(struct cairn_jit_object *object, const struct cairn_jit_facts *facts,
                             uint32_t file)
{
	uint32_t size = file ? count_line_bytes(facts) : 0;

	if (!size)
		return 0;
	uint8_t *at = reserve_bytes(object, PART_LINES, size);
	uint8_t *length = object->body.elf + cairn_jit_section(object, SECTION_LINES)->sh_offset;
	memcpy(at, "\0\11\2", 3); /* DW_LNE_set_address */
	cairn_jit_store_number(at + 3, facts->start, 8);
	at[11] = 4; /* DW_LNS_set_file */
	at[12] = (uint8_t)(file | 0x80);
	at[13] = (uint8_t)(file >> 7);
	memcpy(at + SEQUENCE_HEAD, facts->lines, facts->lines_size);
	memcpy(at + SEQUENCE_HEAD + facts->lines_size, "\0\1\1",
	       SEQUENCE_END); /* DW_LNE_end_sequence */
	cairn_jit_keep_order();
	cairn_jit_store_number(length, cairn_jit_load_number(length, 4) + size, 4);
	return size;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_append(struct cairn_jit_object *object,
                                                const struct cairn_jit_facts *facts, uint32_t run,
                                                struct cairn_jit_code *code)
{
	struct cairn_jit_slot *slot = &object->body.slot[object->body.count];
	const uint32_t file = find_file_number(object, facts, slot),
		       name = append_name(object, facts);

	if (run == RUN_NEW)
		run = start_run(object, facts->start - facts->lead, facts->start + facts->size);
	else
		stretch_run(object, run, facts->start, facts->start + facts->size);
	object->body.run_live[run]++;
	slot->code = code;
	slot->run = run;
	slot->frame = append_frame(object, facts);
	slot->lines = object->body.used[PART_LINES];
	slot->lines_size = append_lines(object, facts, file);
	append_die(object, facts, name, file);
	append_symbol(object, facts, name, run);
	code->object = object;
	code->slot = object->body.count++;
	object->body.live++;
}

/*
 * Disable a line sequence in two steps: move it to address 0, then remove its rows. The sequence is
 * valid after each step.
 */
static void remove_lines(uint8_t *sequence, uint32_t size)
{
	enum { DW_LNS_set_basic_block = 7 };

	cairn_jit_store_number(sequence + 3, 0, 8);
	cairn_jit_keep_order();
	memset(sequence + SEQUENCE_HEAD, DW_LNS_set_basic_block,
	       size - SEQUENCE_HEAD - SEQUENCE_END);
}

/*
 * Empty a run. Its range must not become 0 to 0, because such an entry terminates the range list.
 */
static void end_run(struct cairn_jit_object *object, uint32_t run)
{
	uint8_t *range =
		object->body.elf + object->body.begin[PART_RUNS] + run * (uint32_t)RUN_BYTES;
	Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);

	cairn_jit_store_number(range + 8, section->sh_addr, 8);
	section->sh_size = 0;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_remove(struct cairn_jit_object *object, uint32_t number)
{
	struct cairn_jit_slot *slot = &object->body.slot[number];
	uint8_t *symbols = object->body.elf + object->body.begin[PART_SYMBOLS];
	Elf64_Sym *symbol = (Elf64_Sym *)(void *)symbols + 1 + number;

	symbol->st_info = 0;
	symbol->st_shndx = SHN_UNDEF;
	symbol->st_value = symbol->st_size = symbol->st_name = 0;
	cairn_jit_locate_die(object, number)[0] = ABBREVIATION_REMOVED;
	if (slot->frame) {
		uint8_t *fde = object->body.elf + object->body.begin[PART_FRAMES] + slot->frame;
		cairn_jit_store_number(fde + 16, 0, 8);
		cairn_jit_store_number(fde + 8, 0, 8);
	}
	if (slot->lines_size)
		remove_lines(object->body.elf + object->body.begin[PART_LINES] + slot->lines,
		             slot->lines_size);
	if (--object->body.run_live[slot->run] == 0)
		end_run(object, slot->run);
	object->body.live--;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_facts(const struct cairn_jit_object *object,
                                               uint32_t number, struct cairn_jit_facts *facts)
{
	const struct cairn_jit_slot *slot = &object->body.slot[number];
	const uint8_t *die = cairn_jit_locate_die(object, number);
	const uint8_t *fde = object->body.elf + object->body.begin[PART_FRAMES] + slot->frame;
	const uint8_t *lines = object->body.elf + object->body.begin[PART_LINES] + slot->lines;

	*facts = (struct cairn_jit_facts){
		.start = cairn_jit_load_number(die + DIE_START, 8),
		.size = (uint32_t)cairn_jit_load_number(die + DIE_SIZE, 4),
		.first_line = (uint32_t)cairn_jit_load_number(die + DIE_LINE, 4),
		.name = (const char *)object->body.elf + object->body.begin[PART_NAMES] +
		        cairn_jit_load_number(die + DIE_NAME, 4),
		.framed = slot->frame != 0,
		.frame = fde + FDE_HEADER,
		.frame_size =
			slot->frame ? (uint32_t)cairn_jit_load_number(fde, 4) + 4 - FDE_HEADER : 0,
		.lines = lines + SEQUENCE_HEAD,
		.lines_size =
			slot->lines_size ? slot->lines_size - SEQUENCE_HEAD - SEQUENCE_END : 0,
	};
	facts->name_size = (uint32_t)strlen(facts->name) + 1;
	if (slot->file != UINT32_MAX) {
		facts->file = (const char *)object->body.elf + object->body.begin[PART_FILES] +
		              slot->file;
		facts->file_size = (uint32_t)strlen(facts->file) + 1;
	}
}

CAIRN_JIT_INTERNAL bool cairn_jit_object_run_meets(const struct cairn_jit_object *object,
                                                   uint32_t run, uint64_t start, uint64_t end)
{
	const Elf64_Shdr *section = cairn_jit_section(object, SECTION_FIRST_RUN + run);

	return start < section->sh_addr + section->sh_size && section->sh_addr < end;
}

CAIRN_JIT_INTERNAL uint64_t cairn_jit_object_run_start(const struct cairn_jit_object *object,
                                                       uint32_t run)
{
	return cairn_jit_section(object, SECTION_FIRST_RUN + run)->sh_addr;
}

/*
 * Store both fields with one 16-byte instruction, if the processor has one, so that a debugger
 * cannot stop the thread between the two stores.
 */
static void store_entry(struct cairn_jit_entry *entry, const void *memory, uint64_t size)
{
	typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
	const pair both = { (uint64_t)(uintptr_t)memory, size };

	*(volatile pair *)(void *)&entry->object = both;
}

CAIRN_JIT_INTERNAL void cairn_jit_object_swap(struct cairn_jit_object *object,
                                              struct cairn_jit_object *fresh)
{
	const struct cairn_jit_body old = object->body;

	cairn_jit_keep_order();
	store_entry(&object->entry, fresh->body.elf, fresh->body.size);
	cairn_jit_keep_order();
	object->body = fresh->body;
	fresh->body = old;
	for (uint32_t i = 0; i < object->body.count; i++)
		if (object->body.slot[i].code)
			object->body.slot[i].code->object = object;
	cairn_jit_object_free(fresh);
}
