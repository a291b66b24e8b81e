/* SPDX-License-Identifier: MIT */
/*
 * What differs by machine when a frame is unwound, in one row for each, and the registers of a frame by their numbers,
 * which are those of DWARF.
 */
#ifndef CAIRN_BASE_MACHINE_H
#define CAIRN_BASE_MACHINE_H

#include <cairn.h>

enum {
	ARCH_PC = 0xff, /* stands for registers.pc in a list of register numbers */
	ARCH_PPC_LINK =
		32, /* DWARF calls the link register 65 or 108, which is past CAIRN_REGISTERS */
};

struct arch {
	uint8_t word;       /* bytes of a register that is saved on the stack: 4 or 8 */
	uint8_t address;    /* bytes of an address in tables and expressions: 4 or 8 */
	uint8_t sp, fp, pc; /* pc: its number, if it has one; else ARCH_PC */
	uint8_t ra; /* where a call leaves the return address; only with `link` a register */
	bool link;  /* calls put the return address in a register, not on the stack */
	bool chain; /* frame pointers form a chain of records */
	int32_t sp_from_cfa; /* the caller's SP is the CFA plus this */
	uint64_t saved;      /* a bit for each register that a call leaves as it was */
};

/* The rows of a table that has one for each machine; the compiler names arch_of() when there is a new one. */
enum { ARCH_MACHINES = CAIRN_MACHINE_PPC + 1 };

/* NULL for machines that we do not know. */
const struct arch *arch_of(enum cairn_machine machine);

static inline bool register_known(const struct cairn_registers *r, unsigned number)
{
	return number < CAIRN_REGISTERS && (r->known >> number & 1);
}

/* `number` is below CAIRN_REGISTERS. */
static inline void register_set(struct cairn_registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known |= (uint64_t)1 << number;
}

/* 0: the stack pointer is not known. */
static inline uint64_t registers_stack_pointer(const struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(registers->machine);

	return arch && register_known(registers, arch->sp) ? registers->value[arch->sp] : 0;
}

#endif
