/* SPDX-License-Identifier: MIT */
/* Decodes register sets of the programs that this machine runs, including 32-bit ones on amd64. */
#include "process_registers.h"

#include "base/machine.h"

#include "base/text_table.h"

enum { I386_REGISTERS = 68 };

#if defined(__x86_64__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_AMD64;
#elif defined(__aarch64__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_AARCH64;
#elif defined(__s390x__)
static const enum cairn_machine host_machine = CAIRN_MACHINE_S390X;
#else
static const enum cairn_machine host_machine = CAIRN_MACHINE_NONE;
#endif

bool process_registers_are_big(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 0;
}

struct corenotes_layout process_registers_layout(size_t size)
{
	if (host_machine == CAIRN_MACHINE_AMD64 && size == I386_REGISTERS)
		return (struct corenotes_layout){ CAIRN_MACHINE_I386, false, false };
	return (struct corenotes_layout){ host_machine, true, process_registers_are_big() };
}

uint64_t process_registers_frame_pointer(const struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(registers->machine);

	/* functions on s390x do not keep one */
	return arch && registers->machine != CAIRN_MACHINE_S390X ? registers->value[arch->fp] : 0;
}

/*
 * ucontext_t = flags, link, stack { low, flags, size }, then registers (aarch64: after the signal
 * mask).
 */
struct process_context process_registers_context(enum cairn_machine machine)
{
	static const struct process_context hosts[] = {
		[CAIRN_MACHINE_AMD64] = { 8, 168, 8, 16, 24, 32, 160, 120 },
		[CAIRN_MACHINE_I386] = { 4, 52, 4, 8, 12, 16, 48, 44 },
		[CAIRN_MACHINE_AARCH64] = { 8, 440, 8, 16, 24, 32, 432, 416 },
		[CAIRN_MACHINE_S390X] = { 8, 184, 8, 16, 24, 32, 176, 144 },
	};
	const size_t index = (size_t)machine;

	if (index >= sizeof(hosts) / sizeof(hosts[0]) || hosts[index].word == 0)
		return (struct process_context){ .word = 8 };
	return hosts[index];
}

struct cairn_registers process_registers_decode(const void *bytes, size_t size)
{
	const struct corenotes_layout layout = process_registers_layout(size);
	struct cairn_registers registers;

	if (!corenote_registers(&layout, (struct cairn_bytes){ bytes, size }, &registers))
		registers = (struct cairn_registers){ .machine = CAIRN_MACHINE_NONE };
	return registers;
}

uint64_t process_registers_thread_pointer(const struct os_captured_thread *thread)
{
	const struct corenotes_layout layout = process_registers_layout(thread->registers_size);
	const struct cairn_bytes set = { thread->registers, thread->registers_size };
	const struct cairn_bytes tls = { thread->tls, thread->tls_size };
	const uint64_t beside = corenote_tls_thread_pointer(&layout, tls);

	return beside ? beside : corenote_registers_thread_pointer(&layout, set);
}

const char *process_registers_machine_name(enum cairn_machine machine)
{
	static const char texts[][TEXT_ROOM] = {
		[CAIRN_MACHINE_AMD64] = "amd64",
		[CAIRN_MACHINE_AARCH64] = "aarch64",
		[CAIRN_MACHINE_S390X] = "s390x",
		[CAIRN_MACHINE_I386] = "i386",
	};

	return TEXT_AT(texts, machine, "not known");
}
