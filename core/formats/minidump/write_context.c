/* SPDX-License-Identifier: MIT */
/*
 * Writes the registers of a thread as a context record of its machine:
 *
 *	amd64  home:48 flags:4 mxcsr:4 segments:2[6] eflags:4 debug:8[6] rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 rip
 *	       fxsave:512 vectors:464
 *	arm64  flags:4 cpsr:4 x0 to x30 sp pc v0 to v31:16 fpcr:4 fpsr:4 debug:120
 */
#include "minidump_write.h"

#include "context_flags.h"

enum {
	AMD64_SIZE = 1232,
	AMD64_HOME = 48,
	AMD64_DEBUG = 6 * 8,
	AMD64_FXSAVE = 512,
	AMD64_MXCSR_AT = 24, /* offset in FXSAVE */
	AMD64_REST = 464,
	ARM64_SIZE = 912,
	ARM64_INTEGERS = 32, /* x0 to x30 and sp */
	ARM64_VECTORS = 512,
	ARM64_DEBUG = 120,
};

size_t minidump_context_size(enum minidump_machine machine)
{
	switch (machine) {
	case MINIDUMP_MACHINE_AMD64:
		return AMD64_SIZE;
	case MINIDUMP_MACHINE_ARM64:
		return ARM64_SIZE;
	case MINIDUMP_MACHINE_UNKNOWN:
	case MINIDUMP_MACHINE_X86:
	case MINIDUMP_MACHINE_ARM:
	case MINIDUMP_MACHINE_OTHER:
		break;
	}
	return 0;
}

/* Write the vector registers, or zeros if they are unknown. */
static void put_vectors(struct sink *out, struct cairn_bytes vectors, size_t size)
{
	if (vectors.size == size)
		sink_bytes(out, vectors.data, size);
	else
		sink_zeros(out, size);
}

static void put_amd64(struct sink *out, const struct minidump_registers *registers,
                      const struct minidump_context_rest *rest)
{
	static const uint8_t order[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	const bool floats = rest->vectors.size == AMD64_FXSAVE;

	sink_zeros(out, AMD64_HOME);
	sink_little(out,
	            CONTEXT_AMD64 | CONTEXT_CONTROL | CONTEXT_INTEGER |
	                    (rest->known ? CONTEXT_SEGMENTS : 0) |
	                    (floats ? CONTEXT_AMD64_FLOATS : 0),
	            4);
	if (floats)
		sink_bytes(out, rest->vectors.data + AMD64_MXCSR_AT, 4);
	else
		sink_zeros(out, 4);
	for (size_t i = 0; i < sizeof(rest->segment) / sizeof(rest->segment[0]); i++)
		sink_little(out, rest->segment[i], 2);
	sink_little(out, rest->flags, 4);
	sink_zeros(out, AMD64_DEBUG);
	for (size_t i = 0; i < sizeof(order); i++)
		sink_little(out, registers->value[order[i]], 8);
	sink_little(out, registers->pc, 8);
	put_vectors(out, rest->vectors, AMD64_FXSAVE);
	sink_zeros(out, AMD64_REST);
}

static void put_arm64(struct sink *out, const struct minidump_registers *registers,
                      const struct minidump_context_rest *rest)
{
	const bool floats = rest->vectors.size == ARM64_VECTORS;

	sink_little(out,
	            CONTEXT_ARM64 | CONTEXT_CONTROL | CONTEXT_INTEGER |
	                    (floats ? CONTEXT_ARM64_FLOATS : 0),
	            4);
	sink_little(out, rest->flags, 4);
	for (size_t i = 0; i < ARM64_INTEGERS; i++)
		sink_little(out, registers->value[i], 8);
	sink_little(out, registers->pc, 8);
	put_vectors(out, rest->vectors, ARM64_VECTORS);
	sink_little(out, rest->fp_control, 4);
	sink_little(out, rest->fp_status, 4);
	sink_zeros(out, ARM64_DEBUG);
}

void minidump_put_context(struct sink *out, const struct minidump_registers *registers,
                          const struct minidump_context_rest *rest)
{
	if (registers->machine == MINIDUMP_MACHINE_AMD64)
		put_amd64(out, registers, rest);
	else if (registers->machine == MINIDUMP_MACHINE_ARM64)
		put_arm64(out, registers, rest);
}
