/* SPDX-License-Identifier: MIT */
/*
 * Finds call instructions. Returns the length of each instruction and whether it is a call, so that
 * callers can list all return addresses in a range of code.
 *
 *	for (size_t at = 0; at < code.size; at += instruction.length)
 *		if (!calls_next(machine, code, at, &instruction))
 *			... not an instruction: continue at a known instruction boundary
 *
 * On x86-64, calls are near and far CALL, SYSCALL and INT n, but not INT3, INT1 and SYSENTER. On
 * AArch64, calls are BL, BLR with and without authentication, and SVC.
 */
#ifndef CAIRN_ISA_CALLS_H
#define CAIRN_ISA_CALLS_H

#include <cairn.h>

enum { CALLS_LENGTH_MAX = 15 };

struct calls_instruction {
	uint8_t length;
	bool is_call;
};

bool calls_supported(enum cairn_machine machine);

/* Decode the instruction at offset `at` in `code`. Return false if it is invalid or truncated. */
bool calls_next(enum cairn_machine machine, struct cairn_bytes code, size_t at,
                struct calls_instruction *instruction);

#endif
