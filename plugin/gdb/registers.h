/* SPDX-License-Identifier: MIT */
/*
 * The registers of a frame as GDB lends them, by DWARF number.
 *
 * GDB does not say which machine it debugs, and a register number that the machine has not
 * ends the whole session.  registers_guess() asks only for numbers that every machine of 64 bits
 * has; its answer is a guess until the module at the pc has the same machine in its ELF header.
 * Nothing else may be read before that.
 */
#ifndef CAIRN_GDB_REGISTERS_H
#define CAIRN_GDB_REGISTERS_H

#include <cairn.h>

#include <gdb/jit-reader.h>

enum cairn_machine registers_guess(struct gdb_unwind_callbacks *cb);

/* The pc alone, in either byte order.  False when GDB does not know it. */
bool registers_read_pc(struct gdb_unwind_callbacks *cb, enum cairn_machine machine, bool big,
                       uint64_t *pc);

/* All general registers; registers->machine and big_endian say of what. */
void registers_read(struct gdb_unwind_callbacks *cb, struct cairn_registers *registers);

/* Tell GDB the caller's registers, those that are known. */
void registers_write(struct gdb_unwind_callbacks *cb, const struct cairn_registers *registers);

#endif
