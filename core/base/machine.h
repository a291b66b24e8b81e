/* SPDX-License-Identifier: MIT */
/*
 * Machine properties that unwinding depends on, one row per machine. Registers are identified by
 * their DWARF numbers.
 */
#ifndef CAIRN_BASE_MACHINE_H
#define CAIRN_BASE_MACHINE_H

#include <cairn.h>

enum {
	ARCH_PC = 0xff,     /* represents registers.pc in a list of register numbers */
	ARCH_PPC_LINK = 32, /* DWARF number 65 or 108, which exceeds CAIRN_REGISTERS */
};

struct arch {
	uint8_t word;       /* bytes of a register saved on the stack: 4 or 8 */
	uint8_t address;    /* bytes of an address in tables and expressions: 4 or 8 */
	uint8_t sp, fp, pc; /* DWARF numbers; pc is ARCH_PC if it does not have a number */
	uint8_t ra;         /* number of the return address; a real register only with `link` */
	bool link;          /* calls put the return address in a register, not on the stack */
	bool chain;         /* frame pointers form a chain of records */
	int32_t sp_from_cfa;
	uint64_t saved; /* bit mask of registers that a call preserves */
};

/*
 * Rows of a table with one row per machine. If a machine is added, the compiler warns about
 * arch_of().
 */
enum { ARCH_MACHINES = CAIRN_MACHINE_PPC + 1 };

/* Return the properties of a machine, or NULL if it is unknown. */
const struct arch *arch_of(enum cairn_machine machine);

static inline bool register_known(const struct cairn_registers *r, unsigned number)
{
	return number < CAIRN_REGISTERS && (r->known >> number & 1);
}

static inline void register_set(struct cairn_registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known |= (uint64_t)1 << number;
}

static inline uint64_t registers_stack_pointer(const struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(registers->machine);

	return arch && register_known(registers, arch->sp) ? registers->value[arch->sp] : 0;
}

#endif
