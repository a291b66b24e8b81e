/* SPDX-License-Identifier: MIT */
/* The flags of a context record: they name its machine, and which groups of registers were filled in. */
#ifndef CAIRN_FORMATS_MINIDUMP_CONTEXT_FLAGS_H
#define CAIRN_FORMATS_MINIDUMP_CONTEXT_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CONTEXT_CONTROL = 1,  /* pc, sp, and on x86 the frame pointer */
	CONTEXT_INTEGER = 2,  /* the others */
	CONTEXT_SEGMENTS = 4, /* of amd64 */
	CONTEXT_AMD64_FLOATS = 8,
	CONTEXT_ARM64_FLOATS = 4,
	CONTEXT_GROUPS = 0xffff,
	CONTEXT_AMD64_FLAGS_AT = 48, /* in other records they are the first four bytes */
};

#define CONTEXT_X86 UINT32_C(0x00010000)
#define CONTEXT_AMD64 UINT32_C(0x00100000)
#define CONTEXT_ARM_WINDOWS UINT32_C(0x00200000)
#define CONTEXT_ARM64 UINT32_C(0x00400000)
#define CONTEXT_ARM_BREAKPAD UINT32_C(0x40000000)
#define CONTEXT_ARM64_BREAKPAD UINT32_C(0x80000000)
#define CONTEXT_WINDOWS UINT32_C(0x07ff0000) /* the bits above record how the record came about */

static inline bool context_has_windows_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == machine;
}

/* Breakpad took bits of its own, before Windows had some for these machines. */
static inline bool context_has_breakpad_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == 0 && (flags & machine);
}

/* The groups that are filled in.  Where the flags name none, as in dumps of macOS, all are. */
static inline uint32_t context_groups(uint32_t flags)
{
	return flags & CONTEXT_GROUPS ? flags & CONTEXT_GROUPS : CONTEXT_GROUPS;
}

#endif
