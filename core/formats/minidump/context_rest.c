/* SPDX-License-Identifier: MIT */
/*
 * Reads the context of a thread except for its integer registers:
 *
 *	amd64     ... flags:4 at 48, mxcsr:4 cs:2 ds:2 es:2 fs:2 gs:2 ss:2 eflags:4 ... FXSAVE:512 at 256
 *	arm64     flags:4 cpsr:4 x0 to x30 sp pc v0 to v31:16 fpcr:4 fpsr:4
 *	Breakpad  flags:8 x0 to x30 sp pc cpsr:4 fpsr:4 fpcr:4 v0 to v31:16, of arm64
 */
#include "minidump.h"

#include "context_flags.h"
#include "part.h"

enum {
	AMD64_SEGMENTS_AT = 56,
	AMD64_FXSAVE_AT = 256,
	AMD64_FXSAVE = 512,
	ARM64_REGISTERS = 33 * 8,
	ARM64_VECTORS = 512,
};

static struct cairn_bytes take_vectors(struct reader *in, size_t size)
{
	const struct cairn_bytes bytes = reader_bytes(in, size);

	return (struct cairn_bytes){ bytes.data, reader_ok(in) ? size : 0 };
}

static void read_amd64_rest(struct reader in, struct minidump_context_rest *rest)
{
	struct reader vectors = in;

	reader_skip(&in, CONTEXT_AMD64_FLAGS_AT);
	const uint32_t flags = reader_u32(&in);
	reader_skip(&in, AMD64_SEGMENTS_AT - CONTEXT_AMD64_FLAGS_AT - 4);
	for (size_t i = 0; i < sizeof(rest->segment) / sizeof(rest->segment[0]); i++)
		rest->segment[i] = reader_u16(&in);
	rest->flags = reader_u32(&in);
	rest->known = reader_ok(&in);
	reader_skip(&vectors, AMD64_FXSAVE_AT);
	if (context_groups(flags) & CONTEXT_AMD64_FLOATS)
		rest->vectors = take_vectors(&vectors, AMD64_FXSAVE);
}

static void read_arm64_rest(struct reader in, struct minidump_context_rest *rest)
{
	const uint32_t flags = reader_u32(&in);
	uint32_t cpsr = reader_u32(&in);
	const bool is_breakpad = context_has_breakpad_flag(flags, CONTEXT_ARM64_BREAKPAD);

	reader_skip(&in, ARM64_REGISTERS);
	if (is_breakpad) {
		cpsr = reader_u32(&in);
		rest->fp_status = reader_u32(&in);
		rest->fp_control = reader_u32(&in);
	}
	rest->flags = cpsr;
	rest->known = reader_ok(&in);
	if (!(context_groups(flags) & CONTEXT_ARM64_FLOATS))
		return;
	rest->vectors = take_vectors(&in, ARM64_VECTORS);
	if (is_breakpad)
		return;
	rest->fp_control = reader_u32(&in);
	rest->fp_status = reader_u32(&in);
	if (!reader_ok(&in))
		rest->vectors.size = 0;
}

void minidump_read_context_rest(const struct minidump *dump, enum minidump_machine machine,
                                const struct minidump_part *context,
                                struct minidump_context_rest *rest)
{
	const struct reader in = minidump_open_part(dump, context);

	*rest = (struct minidump_context_rest){ .known = false };
	if (dump->big)
		return;
	if (machine == MINIDUMP_MACHINE_AMD64)
		read_amd64_rest(in, rest);
	else if (machine == MINIDUMP_MACHINE_ARM64)
		read_arm64_rest(in, rest);
}
