/* SPDX-License-Identifier: MIT */
/*
 * Flags of a context record, which identify its machine and the groups of registers that are valid.
 */
#ifndef CAIRN_FORMATS_MINIDUMP_CONTEXT_FLAGS_H
#define CAIRN_FORMATS_MINIDUMP_CONTEXT_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CONTEXT_CONTROL = 1,  /* pc, sp, and on x86 the frame pointer */
	CONTEXT_INTEGER = 2,  /* other integer registers */
	CONTEXT_SEGMENTS = 4, /* amd64 */
	CONTEXT_AMD64_FLOATS = 8,
	CONTEXT_ARM64_FLOATS = 4,
	CONTEXT_GROUPS = 0xffff,
	/* offset of the flags in amd64 records; it is 0 in other records */
	CONTEXT_AMD64_FLAGS_AT = 48,
};

#define CONTEXT_X86 UINT32_C(0x00010000)
#define CONTEXT_AMD64 UINT32_C(0x00100000)
#define CONTEXT_ARM_WINDOWS UINT32_C(0x00200000)
#define CONTEXT_ARM64 UINT32_C(0x00400000)
#define CONTEXT_ARM_BREAKPAD UINT32_C(0x40000000)
#define CONTEXT_ARM64_BREAKPAD UINT32_C(0x80000000)
/* mask of machine flags; higher bits describe how the context was obtained */
#define CONTEXT_WINDOWS UINT32_C(0x07ff0000)

static inline bool context_has_windows_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == machine;
}

/* Breakpad chose its own bits for these machines before Windows defined some. */
static inline bool context_has_breakpad_flag(uint32_t flags, uint32_t machine)
{
	return (flags & CONTEXT_WINDOWS) == 0 && (flags & machine);
}

/*
 * Return the valid groups. If no group flag is set, as in dumps from macOS, all groups are valid.
 */
static inline uint32_t context_groups(uint32_t flags)
{
	return flags & CONTEXT_GROUPS ? flags & CONTEXT_GROUPS : CONTEXT_GROUPS;
}

#endif
