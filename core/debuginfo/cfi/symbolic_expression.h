/* SPDX-License-Identifier: MIT */
/* Evaluates DWARF expressions symbolically, with unknown register values. */
#ifndef CAIRN_DEBUGINFO_CFI_SYMBOLIC_EXPRESSION_H
#define CAIRN_DEBUGINFO_CFI_SYMBOLIC_EXPRESSION_H

#include <cairn.h>
#include <elfutils/libdw.h>

struct symbolic_context {
	int pc_register; /* DWARF number of the program counter, or -1 */
	uint64_t pc;
	bool used_pc; /* set if the result depends on the pc */
};

/* Evaluate an expression that computes a value, such as the CFA. */
struct cairn_register_rule symbolic_value(struct symbolic_context *context, const Dwarf_Op *ops,
                                          size_t count);

/* Evaluate a location description, such as the rule of a register. */
struct cairn_register_rule symbolic_location(struct symbolic_context *context, const Dwarf_Op *ops,
                                             size_t count);

#endif
