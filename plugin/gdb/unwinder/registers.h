/* SPDX-License-Identifier: MIT */
/*
 * The registers of a frame as GDB provides them, by DWARF number.
 *
 * GDB does not reveal which machine it debugs, and a register number that the machine does not have
 * ends the whole session. registers_could_be() therefore uses only numbers that every 64-bit
 * machine has. Its answer is a guess until the registers are found to point into a module of that
 * machine.
 */
#ifndef CAIRN_GDB_UNWINDER_REGISTERS_H
#define CAIRN_GDB_UNWINDER_REGISTERS_H

#include <cairn.h>
#include <gdb/jit-reader.h>

/* Decode a word of target memory or of a register. */
uint64_t registers_load_word(const unsigned char bytes[8], bool big);

/*
 * Read the pc alone. For s390x, call it only when the machine is certain. Returns false if GDB does
 * not know the pc.
 */
bool registers_read_pc(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/*
 * Read registers that are not in registers->known yet; machine and big_endian must be set.
 *
 * To read a register that no inner frame has saved, GDB walks all inner frames. So for a frame that
 * cairn may not unwind, only registers that every unwinder knows are read: the pc, and the stack
 * pointer with the link register; and the frame pointer if a rule is relative to it.
 */
void registers_read_stack(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);
void registers_read_base(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers,
                         const struct cairn_register_rule *place);

void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/* Return true if pc and stack pointer are the same. */
bool registers_same_stack(const struct cairn_registers *frame, const struct cairn_registers *other);

/*
 * Copy registers that a call may change from the frame to its caller, if the caller's value is
 * unknown. No unwind table describes them. With .eh_frame, GDB treats them as unchanged, and
 * compilers rely on that where they know the callee (gcc's -fipa-ra), so cairn does the same.
 */
void registers_pass_through(const struct cairn_registers *frame, struct cairn_registers *caller);

/* Give GDB the caller's known registers, and the pc if `with_pc`. */
void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers,
                     bool with_pc);

#endif
