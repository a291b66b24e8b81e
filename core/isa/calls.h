/* SPDX-License-Identifier: MIT */
/*
 * Finds calls in code: the length of each instruction and whether it is a call, so that all return
 * addresses can be listed.
 *
 *	for (size_t at = 0; at < code.size; at += instruction.length)
 *		if (!calls_next(machine, code, at, &instruction))
 *			... not an instruction: continue where one is known to begin
 *
 * x86-64 code in 64-bit mode goes through the decoder of isa/amd64.h; AArch64 calls are recognized
 * by their bits.
 *
 * Calls are near and far CALL, SYSCALL and INT n, but not INT3, INT1 and SYSENTER; on AArch64 BL,
 * BLR with and without authentication, and SVC.
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

/*
 * Decode the instruction at `at`, an offset inside `code`. Return false if it is invalid or cut
 * off.
 */
bool calls_next(enum cairn_machine machine, struct cairn_bytes code, size_t at,
                struct calls_instruction *instruction);

#endif
