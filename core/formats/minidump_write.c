/* SPDX-License-Identifier: MIT */
/* Encodes minidumps. docs/formats/minidump.md describes the layout. */
#include "minidump_write.h"
#include "minidump.h"

#include "base/utf8.h"

enum {
	VERSION = 0xa793,
	PROCESSOR_AMD64 = 9,
	PROCESSOR_ARM64 = 12,
	MISC_ID = 1, /* MISC_ID: the process ID is valid; MISC_TIMES: the times are valid */
	MISC_TIMES = 2,
	VERSION_INFO = 52,
	PARAMETERS = 8 * MINIDUMP_PARAMETERS_MAX,
	SURROGATES = 0x10000,
};

#define SIGNATURE UINT32_C(0x504d444d) /* "MDMP" */
#define VERSION_SIGNATURE UINT32_C(0xfeef04bd)
#define VERSION_STRUCTURE UINT32_C(0x10000)
#define BUILD_ID_SIGNATURE UINT32_C(0x4270454c) /* "LEpB" */

static void put_place(struct sink *out, struct minidump_location place)
{
	sink_little(out, place.size, 4);
	sink_little(out, place.offset, 4);
}

void minidump_put_header(struct sink *out, uint32_t streams, uint32_t time)
{
	sink_little(out, SIGNATURE, 4);
	sink_little(out, VERSION, 4);
	sink_little(out, streams, 4);
	sink_little(out, MINIDUMP_HEADER_SIZE, 4);
	sink_zeros(out, 4); /* checksum */
	sink_little(out, time, 4);
	sink_zeros(out, 8); /* flags */
}

void minidump_put_entry(struct sink *out, uint32_t type, struct minidump_location place)
{
	sink_little(out, type, 4);
	put_place(out, place);
}

void minidump_put_system(struct sink *out, enum minidump_machine machine, uint32_t text)
{
	const bool amd64 = machine == MINIDUMP_MACHINE_AMD64;

	sink_little(out, amd64 ? PROCESSOR_AMD64 : PROCESSOR_ARM64, 2);
	sink_zeros(out, 4); /* level, revision */
	sink_little(out, 1, 1);
	sink_zeros(out, 1 + 12); /* product type; OS version: major, minor, build */
	sink_little(out, MINIDUMP_PLATFORM_LINUX, 4);
	sink_little(out, text, 4);
	sink_zeros(out, 4 + 24); /* suite mask, reserved; processor features */
}

void minidump_put_misc(struct sink *out, uint32_t pid, uint32_t started)
{
	sink_little(out, MINIDUMP_MISC_SIZE, 4);
	sink_little(out, (pid ? MISC_ID : 0) | (started ? MISC_TIMES : 0), 4);
	sink_little(out, pid, 4);
	sink_little(out, started, 4);
	sink_zeros(out, 8); /* user time, kernel time */
}

void minidump_put_exception(struct sink *out, const struct minidump_exception *exception,
                            struct minidump_location context)
{
	sink_little(out, exception->thread, 4);
	sink_zeros(out, 4);
	sink_little(out, exception->code, 4);
	sink_little(out, exception->flags, 4);
	sink_little(out, exception->record, 8);
	sink_little(out, exception->address, 8);
	sink_zeros(out, 8 + PARAMETERS); /* number of parameters, padding, parameters */
	put_place(out, context);
}

void minidump_put_thread(struct sink *out, uint32_t id, uint64_t stack,
                         struct minidump_location captured, struct minidump_location context)
{
	sink_little(out, id, 4);
	sink_zeros(out, 12 + 8); /* suspend count, priority class, priority; address of the TEB */
	sink_little(out, stack, 8);
	put_place(out, captured);
	put_place(out, context);
}

void minidump_put_module(struct sink *out, uint64_t low, uint32_t size, uint32_t name,
                         struct minidump_location codeview)
{
	sink_little(out, low, 8);
	sink_little(out, size, 4);
	sink_zeros(out, 8); /* checksum, time */
	sink_little(out, name, 4);
	sink_little(out, VERSION_SIGNATURE, 4);
	sink_little(out, VERSION_STRUCTURE, 4);
	sink_zeros(out, VERSION_INFO - 8);
	put_place(out, codeview);
	sink_zeros(out, 8 + 16); /* misc; reserved */
}

void minidump_put_memory(struct sink *out, uint64_t address, struct minidump_location place)
{
	sink_little(out, address, 8);
	put_place(out, place);
}

void minidump_put_thread_name(struct sink *out, uint32_t thread, uint64_t name)
{
	sink_little(out, thread, 4);
	sink_little(out, name, 8);
}

size_t minidump_codeview_size(struct cairn_bytes build_id)
{
	return build_id.size > 0 ? 4 + build_id.size : 0;
}

void minidump_put_codeview(struct sink *out, struct cairn_bytes build_id)
{
	sink_little(out, BUILD_ID_SIGNATURE, 4);
	sink_bytes(out, build_id.data, build_id.size);
}

static void put_characters(struct sink *out, struct cairn_bytes text)
{
	uint32_t character;

	while (text.size > 0) {
		const size_t length = utf8_first(text, &character);
		if (character >= SURROGATES) {
			character -= SURROGATES;
			sink_little(out, 0xd800 | character >> 10, 2);
			character = 0xdc00 | (character & 0x3ff);
		}
		sink_little(out, character, 2);
		text.data += length;
		text.size -= length;
	}
}

void minidump_put_text16(struct sink *out, struct cairn_bytes text)
{
	struct sink measure = sink_open(NULL, 0);

	put_characters(&measure, text);
	sink_little(out, measure.size, 4);
	put_characters(out, text);
	sink_zeros(out, 2);
}

void minidump_put_dso_head(struct sink *out, uint32_t map, uint32_t count, uint64_t brk,
                           uint64_t loader, uint64_t dynamic)
{
	sink_little(out, 1, 4);
	sink_little(out, map, 4);
	sink_little(out, count, 4);
	sink_zeros(out, 4);
	sink_little(out, brk, 8);
	sink_little(out, loader, 8);
	sink_little(out, dynamic, 8);
}

void minidump_put_dso(struct sink *out, uint64_t bias, uint32_t name, uint64_t dynamic)
{
	sink_little(out, bias, 8);
	sink_little(out, name, 4);
	sink_zeros(out, 4);
	sink_little(out, dynamic, 8);
}

/*
 * Writes the registers of a thread as a context record of its machine:
 *
 *	amd64  home:48 flags:4 mxcsr:4 segments:2[6] eflags:4 debug:8[6] rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 rip
 *	       fxsave:512 vectors:464
 *	arm64  flags:4 cpsr:4 x0 to x30 sp pc v0 to v31:16 fpcr:4 fpsr:4 debug:120
 */

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
