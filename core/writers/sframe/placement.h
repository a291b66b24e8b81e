/* SPDX-License-Identifier: MIT */
/*
 * Finds out where a linker placed the code sections of relocatable files. A section is at a symbol
 * of the program that has the name of a symbol in the section, if the program has the same bytes
 * there except for relocated ones.
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
	/* Assigned to a section; local symbols can share a name, so each is assigned only once. */
	bool taken;
};

struct placement_program {
	const struct elf *elf;
	struct placement_symbol *list; /* sorted by name */
	size_t count, room;
	struct allowance work; /* bytes of code that may still be compared */
};

struct object_places {
	struct object_section {
		uint64_t size, va;
		bool code, placed;
		uint32_t relocations; /* index of the section's relocation section; 0 if none */
	} * section;
	uint32_t sections;
};

/*
 * Read the symbols of a program. Return NOT_FOUND if it does not have a symbol table, or NO_MEMORY.
 * After an error there is nothing to close.
 */
enum cairn_status placement_open(struct placement_program *program, const struct elf *elf);
void placement_close(struct placement_program *program);

/*
 * Find the sections of an object. Return UNSUPPORTED if too many symbols have the same name, or
 * NO_MEMORY.
 */
enum cairn_status placement_find(struct placement_program *program, const struct elf *object,
                                 struct object_places *places);

/*
 * Convert *start, an address as described in unwind/tables/sframe_rules.h, to the va in the program.
 * Return false if the linker discarded the section.
 */
bool object_places_move(const void *places, uint64_t *start, uint32_t size);
void object_places_finish(struct object_places *places);

#endif
