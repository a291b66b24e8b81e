/* SPDX-License-Identifier: MIT */
/*
 * Layout of Linux register sets (NT_PRSTATUS, NT_FPREGSET), as defined by the kernel's
 * user_regs_struct and user_pt_regs:
 *
 *	amd64    r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base
 *	         ds es fs gs, 8 bytes each; FXSAVE
 *	aarch64  x0 to x30 sp pc pstate, 8 bytes each; v0 to v31:16 fpsr:4 fpcr:4 gap:8
 */
#ifndef CAIRN_BASE_LINUX_SETS_H
#define CAIRN_BASE_LINUX_SETS_H

#include <stddef.h>
#include <stdint.h>

enum {
	LINUX_WORD = 8,
	/* positions of registers in the general register set, counted in words of 8 bytes */
	LINUX_AMD64_SYSTEM_CALL = 15,
	LINUX_AMD64_CS = 17,
	LINUX_AMD64_FLAGS = 18,
	LINUX_AMD64_SS = 20,
	LINUX_AMD64_WORDS = 27,
	LINUX_AMD64_FXSAVE = 512,
	LINUX_ARM64_PC = 32,
	LINUX_ARM64_PSTATE = 33,
	LINUX_ARM64_WORDS = 34,
	/* size of v0 to v31 in bytes; the status and control words follow */
	LINUX_ARM64_VECTORS = 512,
	LINUX_ARM64_FLOATS = 528,

	LINUX_AMD64_SEGMENTS = 6,
};

/* Word indexes of cs, ds, es, fs, gs and ss, in the order of a minidump context. */
static const uint8_t linux_amd64_segments[LINUX_AMD64_SEGMENTS] = { LINUX_AMD64_CS, 23, 24, 25, 26,
	                                                            LINUX_AMD64_SS };

static inline void linux_set_word(uint8_t *set, size_t number, uint64_t value)
{
	for (unsigned i = 0; i < LINUX_WORD; i++)
		set[number * LINUX_WORD + i] = (uint8_t)(value >> 8 * i);
}

enum {
	/* values of cs and ss in 64-bit user code on amd64 */
	LINUX_USER_CODE = 0x33,
	LINUX_USER_DATA = 0x2b,
};

#endif
