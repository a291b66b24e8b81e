/* SPDX-License-Identifier: MIT */
/*
 * Converts file offsets of a program to linked addresses by its segments:
 *
 *	struct elf_places places = elf_places_read(bytes);
 *	if (elf_places_find(&places, 0x1000, &va))
 *		... va is an address as linked
 */
#ifndef CAIRN_FORMATS_ELF_PLACES_H
#define CAIRN_FORMATS_ELF_PLACES_H

#include <cairn.h>

enum {
	/* maximum number of loaded segments; linkers write about ten */
	ELF_PLACES_MAX = 64
};

struct elf_places {
	struct elf_place {
		uint64_t offset, size, va;
		bool code;
	} place[ELF_PLACES_MAX];
	/* 0 if the bytes are not a program or library, or have no loaded segments */
	unsigned count;
};

struct elf_places elf_places_read(struct cairn_bytes program);

/*
 * Return the linked address of a file offset. If two segments contain it, prefer the one with code.
 * Return false if no segment does.
 */
bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va);

#endif
