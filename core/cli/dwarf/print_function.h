/* SPDX-License-Identifier: MIT */
/*
 * A function of DWARF as text:
 *
 *	function START END NAME
 *	  row VA PLACE
 *	  inline DEPTH CALL_PLACE NAME LOW-HIGH ...
 *	  call RETURN_VA CALLEE
 */
#ifndef CAIRN_CLI_DWARF_PRINT_FUNCTION_H
#define CAIRN_CLI_DWARF_PRINT_FUNCTION_H

#include "base/allowance.h"
#include "model/function.h"

/* Texts past what `printed` allows are left out. */
void dwarf_print_function(struct allowance *printed, const struct function *function);

#endif
