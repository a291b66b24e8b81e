/* SPDX-License-Identifier: MIT */
/*
 * Where a linker put the sections of code of relocatable files: at the symbols of the program that have the names of those
 * in a section, if the program has the same bytes there, but for what is relocated.
 *
 *	struct placement_program program;
 *	placement_open(&program, &elf);
 *	struct object_places places;
 *	placement_find(&program, &object, &places);      ... each object
 *	if (object_places_move(&places, &start, size))
 *		... start is the va in the program
 *	object_places_finish(&places);
 *	placement_close(&program);
 */
#ifndef CAIRN_WRITERS_SFRAME_PLACEMENT_H
#define CAIRN_WRITERS_SFRAME_PLACEMENT_H

#include "base/allowance.h"
#include "formats/elf/elf.h"

struct placement_symbol {
	struct cairn_bytes name;
	uint64_t va;
	bool taken; /* by a section with a local symbol of the name, which may occur several times */
};

struct placement_program {
	const struct elf *elf;
	struct placement_symbol *list; /* by name */
	size_t count, room;
	struct allowance work; /* bytes of code that may be compared */
};

/* The sections of an object by their numbers. */
struct object_places {
	struct object_section {
		uint64_t size, va;
		bool code, placed;
		uint32_t relocations; /* the section of them; 0: none */
	} * section;
	uint32_t sections;
};

/* NOT_FOUND: the program has no symbol table.  Nothing is held then, as with NO_MEMORY. */
enum cairn_status placement_open(struct placement_program *program, const struct elf *elf);
void placement_close(struct placement_program *program);

/* UNSUPPORTED: too many symbols have one name. */
enum cairn_status placement_find(struct placement_program *program, const struct elf *object,
                                 struct object_places *places);

/* `start` is as unwind/sframe/section.h has it.  False: the linker has discarded the section. */
bool object_places_move(const void *places, uint64_t *start, uint32_t size);
void object_places_finish(struct object_places *places);

#endif
