/* SPDX-License-Identifier: MIT */
/* The DWARF numbers of the registers that each machine keeps its stack by. */
#ifndef CAIRN_BASE_MACHINE_H
#define CAIRN_BASE_MACHINE_H

#include <cairn.h>

struct machine_pointers {
	uint8_t sp, fp;
};

/* NULL for machines that we do not know. */
static inline const struct machine_pointers *machine_pointers(enum cairn_machine machine)
{
	static const struct machine_pointers pointers[] = {
		[CAIRN_MACHINE_AMD64] = { 7, 6 },     [CAIRN_MACHINE_X32] = { 7, 6 },
		[CAIRN_MACHINE_AARCH64] = { 31, 29 }, [CAIRN_MACHINE_S390X] = { 15, 11 },
		[CAIRN_MACHINE_S390] = { 15, 11 },    [CAIRN_MACHINE_I386] = { 4, 5 },
		[CAIRN_MACHINE_ARM] = { 13, 11 },     [CAIRN_MACHINE_PPC64] = { 1, 31 },
		[CAIRN_MACHINE_PPC] = { 1, 31 },      [CAIRN_MACHINE_RISCV64] = { 2, 8 },
	};
	const size_t index = (size_t)machine;

	if (index >= sizeof(pointers) / sizeof(pointers[0]) || pointers[index].fp == 0)
		return NULL;
	return &pointers[index];
}

#endif
