/* SPDX-License-Identifier: MIT */
/*
 * Detects a signal trampoline by its code bytes and restores the interrupted registers from the
 * signal frame.
 */
#include "signal_trampoline.h"

#include "base/bytes.h"
#include "engine/target/arch.h"
#include "engine/target/memory.h"

#include <string.h>

enum {
	AMD64_CONTEXT = 40, /* from the SP to the first register of the context */
	AMD64_CONTEXT_RIP = 16,
	AARCH64_CONTEXT = 304 + 8, /* siginfo, ucontext up to the registers */
	AARCH64_REGISTERS = 31,
	S390X_POINTER = 160 + 8, /* to the context, above what a function may use */
	S390X_CONTEXT =
		160 + 8 + 128 + 40,   /* of a handler with siginfo: this, ucontext up to there */
	S390X_ADDRESS = 1,            /* of the words of the context, after the mask */
	S390X_GENERAL = 2,            /* the first one of 16 */
	S390X_FLOAT = 2 + 16 + 8 + 1, /* after the access registers, and control */
	S390X_WORDS = S390X_FLOAT + 16,
	MAX_CONTEXT = S390X_WORDS,
	MAX_CODE = 9,
};

/* What the instructions are, and where the second one begins; 0: there is only one. */
struct code {
	uint8_t bytes[MAX_CODE];
	uint8_t size, second;
};

static const struct code amd64_code = { /* mov $15,%rax; syscall */
	                                { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 },
	                                9,
	                                7
};
/* instructions are little-endian on both kinds */
static const struct code aarch64_code = { /* mov x8, #139; svc #0 */
	                                  { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	                                  8,
	                                  4
};
static const struct code s390x_code = { { 0x0a, 119 }, 2, 0 };    /* svc 119 */
static const struct code s390x_rt_code = { { 0x0a, 173 }, 2, 0 }; /* svc 173 */

/* The pc may be at either instruction; one read serves both, but at the start of a mapping. */
static bool is_code(const struct cairn_target *target, uint64_t pc, const struct code *code,
                    uint64_t *start)
{
	uint8_t bytes[2 * MAX_CODE];
	size_t second = code->second;
	bool whole = memory_read(target, pc - second, bytes, second + code->size);

	if (!whole && (second == 0 || !memory_read(target, pc, bytes + second, code->size)))
		return false;
	*start = pc;
	if (memcmp(bytes + second, code->bytes, code->size) == 0)
		return true;
	*start -= second;
	return whole && memcmp(bytes, code->bytes, code->size) == 0;
}

bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start)
{
	switch (frame->machine) {
	case CAIRN_MACHINE_AMD64:
		return is_code(target, frame->pc, &amd64_code, start);
	case CAIRN_MACHINE_AARCH64:
		return is_code(target, frame->pc, &aarch64_code, start);
	case CAIRN_MACHINE_S390X:
		return is_code(target, frame->pc, &s390x_code, start) ||
		       is_code(target, frame->pc, &s390x_rt_code, start);
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return false;
}

/* DWARF numbers in the order of struct sigcontext; 16 stands for rip. */
static const uint8_t amd64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };

static void take_amd64(const uint8_t *context, struct cairn_registers *caller)
{
	for (size_t i = 0; i < sizeof(amd64_order); i++) {
		uint64_t value = bytes_u64(context + 8 * i, false);
		if (amd64_order[i] == AMD64_CONTEXT_RIP)
			caller->pc = value;
		else
			register_set(caller, amd64_order[i], value);
	}
}

static void take_aarch64(const uint8_t *context, struct cairn_registers *caller)
{
	bool big = caller->big_endian;

	for (unsigned i = 0; i < AARCH64_REGISTERS; i++)
		register_set(caller, i, bytes_u64(context + 8 * (size_t)i, big));
	register_set(caller, 31, bytes_u64(context + (size_t)8 * AARCH64_REGISTERS, big));
	caller->pc = bytes_u64(context + (size_t)8 * (AARCH64_REGISTERS + 1), big);
}

/* DWARF numbers of f0 to f15. */
static const uint8_t s390x_float[] = { 16, 20, 17, 21, 18, 22, 19, 23,
	                               24, 28, 25, 29, 26, 30, 27, 31 };

static void take_s390x(const uint8_t *context, struct cairn_registers *caller)
{
	for (unsigned i = 0; i < sizeof(s390x_float); i++) {
		register_set(caller, i, bytes_u64(context + 8 * (size_t)(S390X_GENERAL + i), true));
		register_set(caller, s390x_float[i],
		             bytes_u64(context + 8 * (size_t)(S390X_FLOAT + i), true));
	}
	caller->pc = bytes_u64(context + 8 * (size_t)S390X_ADDRESS, true);
}

/* Where the context is, and its size; false when that cannot be read. */
static bool find_context(const struct cairn_target *target, const struct cairn_registers *frame,
                         uint64_t *context, size_t *size)
{
	uint64_t sp = frame->value[arch_of(frame->machine)->sp], start;

	switch (frame->machine) {
	case CAIRN_MACHINE_AMD64:
		*context = sp + AMD64_CONTEXT;
		*size = 8 * sizeof(amd64_order);
		return true;
	case CAIRN_MACHINE_AARCH64:
		*context = sp + AARCH64_CONTEXT;
		*size = 8 * (AARCH64_REGISTERS + 2u);
		return true;
	case CAIRN_MACHINE_S390X:
		*context = sp + S390X_CONTEXT;
		*size = 8 * S390X_WORDS;
		return is_code(target, frame->pc, &s390x_rt_code, &start) ||
		       memory_word(target, sp + S390X_POINTER, true, context);
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return false;
}

bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller)
{
	const struct arch *arch = arch_of(frame->machine);
	uint8_t context[8 * MAX_CONTEXT];
	uint64_t at;
	size_t size;

	if (!arch || !register_known(frame, arch->sp) || !find_context(target, frame, &at, &size) ||
	    !memory_read(target, at, context, size))
		return false;
	*caller = (struct cairn_registers){ .machine = frame->machine,
		                            .big_endian = frame->big_endian };
	if (frame->machine == CAIRN_MACHINE_AMD64)
		take_amd64(context, caller);
	else if (frame->machine == CAIRN_MACHINE_AARCH64)
		take_aarch64(context, caller);
	else
		take_s390x(context, caller);
	return true;
}
