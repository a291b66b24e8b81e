/* SPDX-License-Identifier: MIT */
/*
 * Where bytes of a program's file are when it is loaded, by its segments:
 *
 *	struct elf_places places = elf_places_read(bytes);
 *	if (elf_places_find(&places, 0x1000, &va))
 *		... va is an address as linked
 */
#ifndef CAIRN_FORMATS_ELF_PLACES_H
#define CAIRN_FORMATS_ELF_PLACES_H

#include <cairn.h>

enum {
	ELF_PLACES_MAX = 64
}; /* loaded segments of a file that are looked at; linkers write some ten */

struct elf_places {
	struct elf_place {
		uint64_t offset, size, va;
		bool code;
	} place[ELF_PLACES_MAX];
	unsigned count; /* 0: the bytes are not a program or a library, or load nothing */
};

struct elf_places elf_places_read(struct cairn_bytes program);

/* The va of an offset in the file; of two segments with it, that of the one with code. False: none has it. */
bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va);

#endif
