/* SPDX-License-Identifier: MIT */
/*
 * Prints a function from DWARF as text:
 *
 *	function START END NAME
 *	  row VA PLACE
 *	  inline DEPTH CALL_PLACE NAME LOW-HIGH ...
 *	  call RETURN_VA CALLEE
 */
#ifndef CAIRN_CLI_DWARF_H
#define CAIRN_CLI_DWARF_H

#include "base/allowance.h"
#include "base/function.h"

/* Print a function. Strings that exceed the limit `printed` are omitted. */
void dwarf_print_function(struct allowance *printed, const struct function *function);

#endif
