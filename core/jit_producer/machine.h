/* SPDX-License-Identifier: MIT */
/*
 * Constants of the target machine for ELF and DWARF, and its breakpoint instruction. Machines
 * without frame templates support only unwind rows.
 */
#ifndef CAIRN_JIT_PRODUCER_MACHINE_H
#define CAIRN_JIT_PRODUCER_MACHINE_H

#include <stdint.h>

#if !defined(__LP64__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "cairn_jit knows 64-bit little-endian machines only"
#endif

enum {
#if defined(__x86_64__)
	MACHINE_ELF = 62,
	MACHINE_SP = 7,
	MACHINE_FP = 6,
	MACHINE_RETURN = 16,
	MACHINE_CFA_AT_ENTRY = 8, /* distance from the stack pointer to the CFA at function entry */
	MACHINE_RETURN_SAVED = 1, /* the call instruction pushes the return address at CFA - 8 */
#elif defined(__aarch64__)
	MACHINE_ELF = 183,
	MACHINE_SP = 31,
	MACHINE_FP = 29,
	MACHINE_RETURN = 30,
	MACHINE_CFA_AT_ENTRY = 0,
	MACHINE_RETURN_SAVED = 0,
#elif defined(__riscv)
	MACHINE_ELF = 243,
	MACHINE_SP = 2,
	MACHINE_FP = 8,
	MACHINE_RETURN = 1,
	MACHINE_CFA_AT_ENTRY = 0,
	MACHINE_RETURN_SAVED = 0,
#else
#error "cairn_jit does not know this machine yet: add its numbers to machine.h"
#endif
	MACHINE_DATA_ALIGN = -8,
};

static inline int machine_is_breakpoint(const volatile void *code)
{
#if defined(__x86_64__)
	return *(const volatile uint8_t *)code == 0xcc;
#elif defined(__aarch64__)
	return (*(const volatile uint32_t *)code & 0xffe0001f) == 0xd4200000;
#else
	uint16_t half =
		*(const volatile uint16_t *)code; /* c.ebreak, or the lower half of ebreak */
	return half == 0x9002 || half == 0x0073;
#endif
}

#endif
