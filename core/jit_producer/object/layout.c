/* SPDX-License-Identifier: MIT */
/* Creates objects without functions: all headers, and the constant parts. */
#include "layout.h"

#include "jit_producer/base/machine.h"
#include "jit_producer/dwarf/lines.h"
#include "jit_producer/dwarf/rule.h"

#include <string.h>

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
	UNIT_BYTES = UNIT_HEADER + 1 + 2 + 4 + 4 + 4 + 8, /* up to the first function */
	LINES_HEADER = 4 + 2 + 4 + 6 + 12 + 1,            /* up to the files */
};

/*
 * Each abbreviation has a number, a tag and a children flag, followed by pairs of attribute and
 * form, and two zeros.
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
	/* an undefined tag, 0x5f00 */
	ABBREVIATION_REMOVED, 0x80, 0xbe, 0x01, 0,
	/* undefined attributes, 0x2f01 to 0x2f05, with the forms of a function */
	0x81, 0x5e, 0x0e, 0x82, 0x5e, 0x01, 0x83, 0x5e, 0x06, 0x84, 0x5e, 0x05, 0x85, 0x5e, 0x06, 0,
	0,
	/* end of the abbreviations */
	0
};

CAIRN_JIT_INTERNAL uint32_t cairn_jit_layout_used(enum cairn_jit_part part)
{
	_Static_assert(PART_COUNT == 7, "a new part has a row here and in cairn_jit_part_end()");
	static const uint8_t used[PART_COUNT] = { [PART_NAMES] = sizeof(names),
		                                  [PART_SYMBOLS] = sizeof(Elf64_Sym),
		                                  [PART_FRAMES] = CIE_BYTES,
		                                  [PART_DIES] = UNIT_BYTES };

	return used[part];
}

CAIRN_JIT_INTERNAL uint8_t *cairn_jit_locate_die(const struct cairn_jit_object *object,
                                                 uint32_t slot)
{
	return object->body.elf + object->body.begin[PART_DIES] + cairn_jit_layout_used(PART_DIES) +
	       slot * (uint32_t)DIE_BYTES;
}

static uint32_t align_up(uint32_t size)
{
	return (size + 7) & ~7u;
}

CAIRN_JIT_INTERNAL Elf64_Shdr *cairn_jit_section(const struct cairn_jit_object *object,
                                                 uint32_t number)
{
	return (Elf64_Shdr *)(object->body.elf + sizeof(Elf64_Ehdr)) + number;
}

static uint32_t count_sections(const struct cairn_jit_object *object)
{
	return SECTION_FIRST_RUN + object->body.room[PART_RUNS] / RUN_BYTES - 1;
}

/* Set the offset of each part, and return the total size. */
static uint64_t place_parts(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	static const enum cairn_jit_part order[] = { PART_NAMES, PART_SYMBOLS, PART_FRAMES,
		                                     PART_DIES,  PART_RUNS,    PART_FILES,
		                                     PART_LINES };
	uint64_t at = 0;

	for (int part = 0; part < PART_COUNT; part++) {
		object->body.used[part] = cairn_jit_layout_used((enum cairn_jit_part)part);
		object->body.room[part] = object->body.used[part] + need->bytes[part] +
		                          cairn_jit_part_end((enum cairn_jit_part)part);
	}
	at = align_up((uint32_t)(sizeof(Elf64_Ehdr) + count_sections(object) * sizeof(Elf64_Shdr) +
	                         sizeof(abbreviations)));
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] == PART_FILES)
			at += LINES_HEADER;
		object->body.begin[order[i]] = (uint32_t)at;
		at += order[i] == PART_FILES ? object->body.room[order[i]]
		                             : align_up(object->body.room[order[i]]);
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
	const uint32_t *begin = object->body.begin, *room = object->body.room;
	uint32_t after =
		(uint32_t)(sizeof(Elf64_Ehdr) + count_sections(object) * sizeof(Elf64_Shdr));

	memcpy(object->body.elf + after, abbreviations, sizeof(abbreviations));
	write_section(object, SECTION_NAMES, NAME_NAMES, SHT_STRTAB, begin[PART_NAMES],
	              room[PART_NAMES]);
	write_section(object, SECTION_STRINGS, NAME_STRINGS, SHT_PROGBITS, begin[PART_NAMES],
	              room[PART_NAMES]);
	write_section(object, SECTION_SYMBOLS, NAME_SYMBOLS, SHT_SYMTAB, begin[PART_SYMBOLS],
	              room[PART_SYMBOLS]);
	write_section(object, SECTION_FRAMES, NAME_FRAMES, SHT_PROGBITS, begin[PART_FRAMES],
	              room[PART_FRAMES]);
	write_section(object, SECTION_ABBREVIATIONS, NAME_ABBREVIATIONS, SHT_PROGBITS, after,
	              sizeof(abbreviations));
	write_section(object, SECTION_DIES, NAME_DIES, SHT_PROGBITS, begin[PART_DIES],
	              room[PART_DIES]);
	write_section(object, SECTION_RANGES, NAME_RANGES, SHT_PROGBITS, begin[PART_RUNS],
	              room[PART_RUNS]);
	write_section(object, SECTION_LINES, NAME_LINES, SHT_PROGBITS,
	              begin[PART_FILES] - LINES_HEADER,
	              LINES_HEADER + room[PART_FILES] + room[PART_LINES]);
	for (uint32_t i = SECTION_FIRST_RUN; i < count_sections(object); i++)
		cairn_jit_section(object, i)->sh_name = NAME_TEXT;
}

/* Append a number to a buffer that is large enough, and return its end. */
static uint8_t *put_value(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
	return at + size;
}

static void write_unit(struct cairn_jit_object *object)
{
	enum { LANGUAGE_C99 = 0x0c };
	uint8_t *at = object->body.elf + object->body.begin[PART_DIES];

	at = put_value(at, object->body.room[PART_DIES] - 4, 4);
	at = put_value(at, 4, 2); /* DWARF 4 */
	at = put_value(at, 0, 4); /* offset of the abbreviations */
	at = put_value(at, 8, 1); /* address size */
	at = put_value(at, ABBREVIATION_UNIT, 1);
	at = put_value(at, LANGUAGE_C99, 2);
	at = put_value(at, NAME_UNIT, 4);
	at = put_value(at, 0, 4); /* offset of the line program */
	put_value(at, 0, 4);      /* offset of the ranges; the base address stays 0 */
}

static void write_lines_header(struct cairn_jit_object *object)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	uint8_t *at = object->body.elf + object->body.begin[PART_FILES] - LINES_HEADER;
	const uint32_t behind_length = LINES_HEADER - 4 + object->body.room[PART_FILES];

	at = put_value(at, behind_length, 4);
	at = put_value(at, 4, 2);
	at = put_value(at, behind_length - 6, 4);
	at = put_value(at, 1, 1); /* minimum instruction length */
	at = put_value(at, 1, 1); /* maximum operations per instruction */
	at = put_value(at, 1, 1); /* default is_stmt */
	at = put_value(at, (uint8_t)LINES_BASE, 1);
	at = put_value(at, LINES_RANGE, 1);
	at = put_value(at, LINES_OPCODE_BASE, 1);
	memcpy(at, operands, sizeof(operands)); /* followed by an empty directory list */
}

static bool write_cie(struct cairn_jit_object *object)
{
	struct cairn_jit_bytes cie = { .data = NULL };

	cairn_jit_write_cie(&cie, CIE_DEBUG_FRAME);
	bool good = !cie.failed && cie.size == CIE_BYTES;
	if (good)
		memcpy(object->body.elf + object->body.begin[PART_FRAMES], cie.data, CIE_BYTES);
	cairn_jit_free(cie.data, cie.room);
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
	 * Reserve the space for files as one file with a long name, which each appended file
	 * shortens. LLDB rejects a header whose file list ends before the header does.
	 */
	memset(object->body.elf + object->body.begin[PART_FILES], '-',
	       object->body.room[PART_FILES] - FILES_END + 1);
	return write_cie(object);
}

static bool allocate_parts(struct cairn_jit_object *object, const struct cairn_jit_need *need)
{
	struct cairn_jit_body *body = &object->body;

	body->size = place_parts(object, need);
	body->slots = need->slots;
	body->runs_room = body->room[PART_RUNS] / RUN_BYTES;
	if (body->size >= INT32_MAX || count_sections(object) >= SHN_LORESERVE)
		return false;
	body->elf = cairn_jit_allocate(body->size);
	body->slot = cairn_jit_allocate(body->slots * sizeof(*body->slot));
	body->run_live = cairn_jit_allocate(body->runs_room * sizeof(*body->run_live));
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
	cairn_jit_free(body->run_live, body->runs_room * sizeof(*body->run_live));
	cairn_jit_free(object, sizeof(*object));
}
