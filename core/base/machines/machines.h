/* SPDX-License-Identifier: MIT */
/* Shared by the rows of machines: the rows themselves, and marks of Linux's signal frames. */
#ifndef CAIRN_BASE_MACHINES_MACHINES_H
#define CAIRN_BASE_MACHINES_MACHINES_H

#include "base/bytes.h"
#include "base/machine.h"

extern const struct arch arch_amd64, arch_aarch64, arch_s390x, arch_i386, arch_arm, arch_ppc64,
	arch_riscv64, arch_x32, arch_s390, arch_ppc;

enum {
	SIGNAL_MAX = 64,
	SIGNAL_CODE_MAX = 128, /* limit for si_code, positive or negative */
	SIGNAL_FLAGS_MAX = 16,
	SIGNAL_INFO_SIZE = 128,
};

/*
 * Return true if `info` looks like Linux's struct siginfo with a struct ucontext after it, as
 * passed to a handler.
 */
static inline bool is_signal_info(const struct arch *arch, bool big, const uint8_t *info)
{
	const uint32_t number = bytes_u32(info, big), code = bytes_u32(info + 8, big);
	const uint8_t *context = info + SIGNAL_INFO_SIZE;

	return number >= 1 && number <= SIGNAL_MAX && bytes_u32(info + 4, big) == 0 &&
	       code + SIGNAL_CODE_MAX <= 2 * SIGNAL_CODE_MAX &&
	       bytes_unsigned(context, arch->word, big) < SIGNAL_FLAGS_MAX &&
	       bytes_unsigned(context + arch->word, arch->word, big) == 0;
}

#endif
