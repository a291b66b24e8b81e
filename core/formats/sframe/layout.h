/* SPDX-License-Identifier: MIT */
/*
 * Constants in SFrame headers, function records and rows, shared by reader and writer. See
 * docs/formats/sframe.md.
 */
#ifndef CAIRN_FORMATS_SFRAME_LAYOUT_H
#define CAIRN_FORMATS_SFRAME_LAYOUT_H

#include <cairn.h>

enum {
	MAGIC = 0xdee2,
	ABI_AARCH64_BIG = 1,
	ABI_AARCH64_LITTLE = 2,
	ABI_AMD64 = 3,
	ABI_S390X = 4,
	/* bits in a function record's info byte */
	INFO_MASKED = 0x10,
	INFO_KEY_B = 0x20,
	INFO_SIGNAL = 0x80,
	KIND_DEFAULT = 0,
	KIND_FLEXIBLE = 1,
	/* bits in a row's info byte */
	INFO_BASE_SP = 0x01,
	INFO_MANGLED = 0x80,
	/* bits in the control words of flexible rows */
	CONTROL_REGISTER = 0x1,
	CONTROL_MEMORY = 0x2,
	CONTROL_UNUSED = 0x4,
	CONTROL_SHIFT = 3,
	/* on s390x, rows store (CFA offset - 160) / 8 */
	S390X_CFA_BIAS = 160,
	S390X_CFA_SCALE = 8,
};

static inline uint16_t sframe_sp(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 7 : machine == CAIRN_MACHINE_AARCH64 ? 31 : 15;
}

static inline uint16_t sframe_fp(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 6 : machine == CAIRN_MACHINE_AARCH64 ? 29 : 11;
}

#endif
