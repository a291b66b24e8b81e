/* SPDX-License-Identifier: MIT */
/* Bits of records and rows, for the reader and the writer; docs/formats/sframe.md describes them. */
#ifndef CAIRN_FORMATS_SFRAME_LAYOUT_H
#define CAIRN_FORMATS_SFRAME_LAYOUT_H

#include <cairn.h>

enum {
	/* of a function */
	INFO_MASKED = 0x10,
	INFO_KEY_B = 0x20,
	INFO_SIGNAL = 0x80,
	KIND_DEFAULT = 0,
	KIND_FLEXIBLE = 1,
	/* of a row */
	INFO_BASE_SP = 0x01,
	INFO_MANGLED = 0x80,
	/* of the control words of flexible rows */
	CONTROL_REGISTER = 0x1,
	CONTROL_MEMORY = 0x2,
	CONTROL_UNUSED = 0x4,
	CONTROL_SHIFT = 3,
	/* stored CFA offsets of s390x are (offset - 160) / 8 */
	S390X_CFA_BIAS = 160,
	S390X_CFA_SCALE = 8,
};

/* DWARF numbers. */
static inline uint16_t sframe_sp(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 7 : machine == CAIRN_MACHINE_AARCH64 ? 31 : 15;
}

static inline uint16_t sframe_fp(enum cairn_machine machine)
{
	return machine == CAIRN_MACHINE_AMD64 ? 6 : machine == CAIRN_MACHINE_AARCH64 ? 29 : 11;
}

#endif
