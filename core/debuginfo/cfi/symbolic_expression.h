/* SPDX-License-Identifier: MIT */
/* DWARF expressions worked out with the registers' values left open. */
#ifndef CAIRN_DEBUGINFO_CFI_SYMBOLIC_EXPRESSION_H
#define CAIRN_DEBUGINFO_CFI_SYMBOLIC_EXPRESSION_H

#include <cairn.h>
#include <elfutils/libdw.h>

/* What is known beforehand. */
struct symbolic_context {
	int pc_register; /* DWARF number of the program counter, -1 when it has none */
	uint64_t pc;
	bool used_pc; /* set when the result depends on it */
};

/* The value of an expression, such as the CFA's. */
struct cairn_register_rule symbolic_value(struct symbolic_context *context, const Dwarf_Op *ops,
                                          size_t count);

/* What a location description holds: a register's rule. */
struct cairn_register_rule symbolic_location(struct symbolic_context *context, const Dwarf_Op *ops,
                                             size_t count);

#endif
