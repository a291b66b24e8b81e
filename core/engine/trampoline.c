/* SPDX-License-Identifier: MIT */
#include "trampoline.h"

#include "arch.h"
#include "memory.h"

#include "base/bytes.h"

#include <string.h>

enum {
	AMD64_CONTEXT = 40, /* from the SP to the first register of the context */
	AMD64_CONTEXT_RIP = 16,
	AARCH64_CONTEXT = 304 + 8, /* siginfo, ucontext up to the registers */
	AARCH64_REGISTERS = 31,
	MAX_CONTEXT = 33,
};

/* mov $15,%rax; syscall */
static const uint8_t amd64_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };
/* mov x8, #139; svc #0: instructions are little-endian on both kinds */
static const uint8_t aarch64_code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

bool trampoline_at(const struct cairn_target *target, const struct cairn_registers *frame,
                   uint64_t *start)
{
	const uint8_t *code = amd64_code;
	size_t size = sizeof(amd64_code), second = 7; /* where its second instruction begins */
	uint8_t bytes[7 + sizeof(amd64_code)];

	if (frame->machine == CAIRN_MACHINE_AARCH64) {
		code = aarch64_code;
		size = sizeof(aarch64_code);
		second = 4;
	} else if (frame->machine != CAIRN_MACHINE_AMD64) {
		return false;
	}
	/* the pc may be at either instruction; one read serves both, but at the start of a mapping
	 */
	bool whole = memory_read(target, frame->pc - second, bytes, second + size);
	if (!whole && !memory_read(target, frame->pc, bytes + second, size))
		return false;
	*start = frame->pc;
	if (memcmp(bytes + second, code, size) == 0)
		return true;
	*start -= second;
	return whole && memcmp(bytes, code, size) == 0;
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

bool trampoline_unwind(const struct cairn_target *target, const struct cairn_registers *frame,
                       struct cairn_registers *caller)
{
	bool amd64 = frame->machine == CAIRN_MACHINE_AMD64;
	const struct arch *arch = arch_of(frame->machine);
	size_t size = 8 * (amd64 ? sizeof(amd64_order) : AARCH64_REGISTERS + 2u);
	uint8_t context[8 * MAX_CONTEXT];

	if (!register_known(frame, arch->sp) ||
	    !memory_read(target, frame->value[arch->sp] + (amd64 ? AMD64_CONTEXT : AARCH64_CONTEXT),
	                 context, size))
		return false;
	*caller = (struct cairn_registers){ .machine = frame->machine,
		                            .big_endian = frame->big_endian };
	if (amd64)
		take_amd64(context, caller);
	else
		take_aarch64(context, caller);
	return true;
}
