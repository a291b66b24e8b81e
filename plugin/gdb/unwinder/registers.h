/* SPDX-License-Identifier: MIT */
/*
 * Frame registers from GDB, by DWARF number.
 *
 * GDB does not reveal which machine it debugs, and it aborts if a reader uses a register number
 * that the machine does not have. Therefore registers_could_be() uses only numbers that every
 * 64-bit machine has. Its result is a guess until a register has been found to point into a module
 * for that machine.
 */
#ifndef CAIRN_GDB_UNWINDER_REGISTERS_H
#define CAIRN_GDB_UNWINDER_REGISTERS_H

#include <cairn.h>
#include <gdb/jit-reader.h>

uint64_t registers_load_word(const unsigned char bytes[8], bool big);

/*
 * Read only the pc. On s390x this is safe only after the machine has been identified. Returns false
 * if GDB does not know the pc.
 */
bool registers_read_pc(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/*
 * Read registers that are missing in registers->known; the machine and byte order must be set.
 *
 * GDB walks all inner frames to read a register that none of them has saved. Therefore, before it
 * is certain that cairn unwinds a frame, read only registers that every unwinder recovers: the pc,
 * the stack pointer and the link register, and the frame pointer if a rule is relative to it.
 */
void registers_read_stack(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);
void registers_read_base(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers,
                         const struct cairn_register_rule *place);

void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

bool registers_same_stack(const struct cairn_registers *frame, const struct cairn_registers *other);

/*
 * Copy registers that calls do not preserve from the frame to its caller if the caller's values are
 * unknown. No unwind table describes these registers. GDB treats them as unchanged when it unwinds
 * with .eh_frame, and compilers rely on that for known callees (gcc's -fipa-ra), so cairn does the
 * same.
 */
void registers_pass_through(const struct cairn_registers *frame, struct cairn_registers *caller);

/* Pass the caller's known registers to GDB, including the pc if `with_pc`. */
void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers,
                     bool with_pc);

#endif
