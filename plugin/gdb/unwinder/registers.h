/* SPDX-License-Identifier: MIT */
/*
 * The registers of a frame as GDB provides them, by DWARF number.
 *
 * GDB does not reveal which machine it debugs, and a register number that the machine has not ends
 * the whole session.  registers_could_be() asks only for numbers that every machine of 64 bits
 * has; its answer is a guess until a module of that machine is found where the registers point.
 */
#ifndef CAIRN_GDB_UNWINDER_REGISTERS_H
#define CAIRN_GDB_UNWINDER_REGISTERS_H

#include <cairn.h>

#include <gdb/jit-reader.h>

/* A word of target memory, or of a register. */
uint64_t registers_load_word(const unsigned char bytes[8], bool big);

/* Could this be such a machine, as far as the sizes of its registers show? */
bool registers_could_be(struct gdb_unwind_callbacks *cb, enum cairn_machine machine);

/*
 * The pc alone.  For s390x only after the machine is certain.  False when GDB does not know it.
 */
bool registers_read_pc(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/*
 * What follows reads registers that are not in registers->known yet; machine and big_endian say of
 * what.
 *
 * To read a register that no inner frame has saved, GDB goes through all of them, to the innermost.
 * So of a frame that may not be ours only those are read that every unwinder knows: its pc, and the
 * stack pointer with the link register; and the frame pointer where a rule counts from it.
 */
void registers_read_stack(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);
void registers_read_base(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers,
                         const struct cairn_register_rule *place);

/* All general registers. */
void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/* Are pc and stack pointer the same? */
bool registers_same_stack(const struct cairn_registers *frame, const struct cairn_registers *other);

/*
 * Registers that a call may change are in nobody's unwind table.  With .eh_frame GDB takes them as
 * unchanged, and compilers rely on that where they know the callee (gcc's -fipa-ra): so do we.
 */
void registers_pass_through(const struct cairn_registers *frame, struct cairn_registers *caller);

/* Tell GDB the caller's registers, those that are known, and the pc. */
void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers,
                     bool with_pc);

#endif
