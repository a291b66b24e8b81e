/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files in this directory: the list of machines, and a check for Linux signal frames.
 */
#ifndef CAIRN_BASE_MACHINES_MACHINES_H
#define CAIRN_BASE_MACHINES_MACHINES_H

#include "base/bytes.h"
#include "base/machine.h"

/*
 * Calls ROW for each machine, with the suffix of its name in enum cairn_machine and the name of its
 * table row.
 */
#define MACHINES(ROW)         \
	ROW(AMD64, amd64)     \
	ROW(AARCH64, aarch64) \
	ROW(S390X, s390x)     \
	ROW(I386, i386)       \
	ROW(ARM, arm)         \
	ROW(PPC64, ppc64)     \
	ROW(RISCV64, riscv64) \
	ROW(X32, x32)         \
	ROW(S390, s390)       \
	ROW(PPC, ppc)

#define DECLARE_MACHINE(number, name) extern const struct arch arch_##name;
MACHINES(DECLARE_MACHINE)

enum {
	SIGNAL_MAX = 64,
	SIGNAL_CODE_MAX = 128, /* maximum absolute value of a valid si_code */
	SIGNAL_FLAGS_MAX = 16,
	SIGNAL_INFO_SIZE = 128,
};

/*
 * Return true if `info` looks like a Linux siginfo_t that is followed by a ucontext_t, as passed to
 * a signal handler.
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
