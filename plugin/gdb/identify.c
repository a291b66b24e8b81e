/* SPDX-License-Identifier: MIT */
#include "registers.h"
#include "session.h"

/* Does the address lie in a module of the frame's machine? */
static bool in_module(struct session *s, const struct cairn_registers *frame, uint64_t address)
{
	struct cairn_module module;

	return cairn_space_module(s->space, address, &module) == CAIRN_OK &&
	       module.machine == frame->machine && module.big_endian == frame->big_endian;
}

/* By the pc, which these machines number so that asking for it is safe. */
static bool by_pc(struct session *s, struct gdb_unwind_callbacks *cb, enum cairn_machine machine,
                  bool big, struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = machine, .big_endian = big };
	return registers_could_be(cb, machine) && registers_read_pc(cb, frame) &&
	       in_module(s, frame, frame->pc);
}

/*
 * A trampoline outside all modules: some kernels and emulators keep it in a page of its own.  Its
 * instructions say aarch64; the byte order is that of the frame before.
 */
static bool by_trampoline(struct session *s, struct gdb_unwind_callbacks *cb,
                          struct cairn_registers *frame)
{
	uint64_t start;

	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AARCH64,
		                           .big_endian = s->big_endian };
	return s->machine == CAIRN_MACHINE_AARCH64 &&
	       registers_could_be(cb, CAIRN_MACHINE_AARCH64) && registers_read_pc(cb, frame) &&
	       cairn_at_trampoline(s->space, frame, &start);
}

/*
 * s390x has the register sizes of amd64, and its pc a number that amd64 has not: some general
 * register, mostly the one for return addresses, must point into a module of s390x first.
 */
static bool by_registers(struct session *s, struct gdb_unwind_callbacks *cb,
                         struct cairn_registers *frame)
{
	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_S390X, .big_endian = true };
	if (s->machine == CAIRN_MACHINE_AMD64 || !registers_could_be(cb, CAIRN_MACHINE_S390X))
		return false;
	registers_read(cb, frame);
	for (unsigned i = 16; i-- > 0;)
		if ((frame->known >> i & 1) && in_module(s, frame, frame->value[i]))
			return registers_read_pc(cb, frame);
	return false;
}

bool identify(struct session *s, struct gdb_unwind_callbacks *cb, struct cairn_registers *frame)
{
	if (!by_pc(s, cb, CAIRN_MACHINE_AMD64, false, frame) &&
	    !by_pc(s, cb, CAIRN_MACHINE_AARCH64, false, frame) &&
	    !by_pc(s, cb, CAIRN_MACHINE_AARCH64, true, frame) && !by_trampoline(s, cb, frame) &&
	    !by_registers(s, cb, frame))
		return false;
	s->machine = frame->machine;
	s->big_endian = frame->big_endian;
	registers_read(cb, frame);
	return true;
}
