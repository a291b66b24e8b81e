/* SPDX-License-Identifier: MIT */
/*
 * Where code calls: the length of each instruction and whether it is a call, so that the addresses
 * that calls return to can be listed.  It reports nothing else of an instruction.
 *
 *	for (size_t at = 0; at < code.size; at += instruction.length)
 *		if (!calls_next(machine, code, at, &instruction))
 *			... no instruction is there: go on where one is known to begin
 *
 * x86-64 in 64-bit mode by the decoder of isa/amd64.h, AArch64 by the bits of its calls.
 *
 * Calls are near and far CALL, SYSCALL and INT n, without INT3, INT1 and SYSENTER; BL, BLR with and
 * without authentication, and SVC.
 */
#ifndef CAIRN_ISA_CALLS_H
#define CAIRN_ISA_CALLS_H

#include <cairn.h>

enum { CALLS_LENGTH_MAX = 15 }; /* of an x86-64 instruction */

struct calls_instruction {
	uint8_t length;
	bool is_call;
};

/* Are calls of this machine known? */
bool calls_supported(enum cairn_machine machine);

/* The instruction at `at`, which is inside `code`.  False: there is none, or it is cut off. */
bool calls_next(enum cairn_machine machine, struct cairn_bytes code, size_t at,
                struct calls_instruction *instruction);

#endif
