/* SPDX-License-Identifier: MIT */
/*
 * Detects a signal trampoline by its code, or by the kernel's signal frame if the code is
 * unreadable, and restores the interrupted registers from that frame.
 */
#include "signal_trampoline.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	NOT_HELD = 0xff, /* word of the context that is not restored */
	HOLDS_PC = 0xfe,
	WORDS_MAX = 43,  /* words of a context up to the last register used */
	S390_WORDS = 18, /* words of a 31-bit context; floating point is not in words there */
	MAX_CODE = 12,
	AARCH64_CONTEXT = 304 + 8, /* siginfo, then ucontext up to the registers */
	AARCH64_FRAME = 4688,
	AARCH64_RECORD = 16,
	AARCH64_FLOATS = 592, /* offset of the first extension record from the stack pointer */
	SIGNAL_MAX = 64,
	CODE_MAX = 128, /* limit for si_code, positive or negative */
	FLAGS_MAX = 16,
	FRAME_HEAD = 600, /* bytes of a signal frame that identify it */
};

#define FPSIMD_MAGIC 0x46508001u

/*
 * A trampoline: its instructions; the offset of the second one (0 if there is only one); the
 * distance from the stack pointer to the registers, or to their address if `indirect`; and how far
 * the first instruction moves the stack pointer.
 */
struct trampoline {
	enum cairn_machine machine;
	uint8_t size, second;
	uint16_t context, moved;
	bool indirect;
	char code[MAX_CODE + 1];
};

static const struct trampoline trampolines[] = {
	/* mov $15,%rax; syscall */
	{ CAIRN_MACHINE_AMD64, 9, 7, 40, 0, false, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05" },
	/* mov x8,#139; svc #0: instructions are little-endian even on big-endian systems */
	{ CAIRN_MACHINE_AARCH64, 8, 4, AARCH64_CONTEXT, 0, false,
	  "\x68\x11\x80\xd2\x01\x00\x00\xd4" },
	/* svc 119: the pointer to the context lies above the register save area */
	{ CAIRN_MACHINE_S390X, 2, 0, 160 + 8, 0, true, "\x0a\x77" },
	/* svc 173, for handlers with siginfo: siginfo, then ucontext up to the registers */
	{ CAIRN_MACHINE_S390X, 2, 0, 160 + 8 + 128 + 40, 0, false, "\x0a\xad" },
	/* pop %eax (signal number); mov $119,%eax; int $0x80 */
	{ CAIRN_MACHINE_I386, 8, 1, 4, 4, false, "\x58\xb8\x77\x00\x00\x00\xcd\x80" },
	/* mov $173,%eax; int $0x80: handler arguments, siginfo, ucontext up to the registers */
	{ CAIRN_MACHINE_I386, 7, 5, 12 + 128 + 20, 0, false, "\xb8\xad\x00\x00\x00\xcd\x80" },
	/*
	 * addi r1,r1,128; li r0,172; sc: frame, ucontext up to mcontext, mcontext up to the
	 * registers
	 */
	{ CAIRN_MACHINE_PPC64, 12, 4, 128 + 168 + 64, 128, false,
	  "\x80\x00\x21\x38\xac\x00\x00\x38\x02\x00\x00\x44" },
	/* the same, big-endian */
	{ CAIRN_MACHINE_PPC64, 12, 4, 128 + 168 + 64, 128, false,
	  "\x38\x21\x00\x80\x38\x00\x00\xac\x44\x00\x00\x02" },
	/* mov $0x40000201,%rax; syscall */
	{ CAIRN_MACHINE_X32, 9, 7, 24, 0, false, "\x48\xc7\xc0\x01\x02\x00\x40\x0f\x05" },
	{ CAIRN_MACHINE_S390, 2, 0, 96 + 8, 0, true, "\x0a\x77" },
	/* siginfo after the instruction, then a ucontext with 24 leading bytes, 8-byte aligned */
	{ CAIRN_MACHINE_S390, 2, 0, 96 + 8 + 128 + 24, 0, false, "\x0a\xad" },
	/* li r0,119; sc: frame, sigcontext up to the address of the registers */
	{ CAIRN_MACHINE_PPC, 8, 4, 64 + 28, 0, true, "\x38\x00\x00\x77\x44\x00\x00\x02" },
	/* li r0,172; sc: frame, siginfo, ucontext up to the address of the registers */
	{ CAIRN_MACHINE_PPC, 8, 4, 64 + 16 + 128 + 48, 0, true,
	  "\x38\x00\x00\xac\x44\x00\x00\x02" },
	/* mov r7,#119; svc 0: ucontext up to the registers */
	{ CAIRN_MACHINE_ARM, 8, 4, 32, 0, false, "\x77\x70\xa0\xe3\x00\x00\x00\xef" },
	/* mov r7,#173; svc 0 */
	{ CAIRN_MACHINE_ARM, 8, 4, 128 + 32, 0, false, "\xad\x70\xa0\xe3\x00\x00\x00\xef" },
	/* the same two in Thumb code */
	{ CAIRN_MACHINE_ARM, 4, 2, 32, 0, false, "\x77\x27\x00\xdf" },
	{ CAIRN_MACHINE_ARM, 4, 2, 128 + 32, 0, false, "\xad\x27\x00\xdf" },
	/* li a7,139; ecall: siginfo, ucontext up to the registers */
	{ CAIRN_MACHINE_RISCV64, 8, 4, 128 + 176, 0, false, "\x93\x08\xb0\x08\x73\x00\x00\x00" },
};

/* DWARF register numbers in the order of the context, as in the kernel's headers. */
static const uint8_t amd64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15,      5,
	                               4, 6, 3,  1,  0,  2,  7,  HOLDS_PC };
static const uint8_t aarch64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, HOLDS_PC };
/* PSW mask and address, r0 to r15, access registers, control, f0 to f15 */
static const uint8_t s390x_order[] = {
	NOT_HELD, HOLDS_PC, 0,        1,        2,        3,        4,        5,        6,
	7,        8,        9,        10,       11,       12,       13,       14,       15,
	NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD,
	16,       20,       17,       21,       18,       22,       19,       23,       24,
	28,       25,       29,       26,       30,       27,       31
};
/* four segments, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap number and error code */
static const uint8_t i386_order[] = { NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, 7, 6, 5, 4, 3, 2, 1,
	                              0,        NOT_HELD, NOT_HELD, HOLDS_PC };
/* r0 to r31, nip, msr, r3 before a system call, ctr, link register */
static const uint8_t ppc64_order[] = {
	0,  1,  2,  3,  4,  5,  6,        7,        8,        9,        10,           11, 12,
	13, 14, 15, 16, 17, 18, 19,       20,       21,       22,       23,           24, 25,
	26, 27, 28, 29, 30, 31, HOLDS_PC, NOT_HELD, NOT_HELD, NOT_HELD, ARCH_PPC_LINK
};
static const uint8_t arm_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, HOLDS_PC };
static const uint8_t riscv64_order[] = { HOLDS_PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                 11,       12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                                 22,       23, 24, 25, 26, 27, 28, 29, 30, 31 };

struct context_order {
	const uint8_t *numbers;
	size_t count;
};

#define ORDER(list) ((struct context_order){ list, sizeof(list) })

static struct context_order find_order(enum cairn_machine machine)
{
	switch (machine) {
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_X32:
		return ORDER(amd64_order);
	case CAIRN_MACHINE_AARCH64:
		return ORDER(aarch64_order);
	case CAIRN_MACHINE_S390X:
		return ORDER(s390x_order);
	case CAIRN_MACHINE_S390:
		return (struct context_order){ s390x_order, S390_WORDS };
	case CAIRN_MACHINE_I386:
		return ORDER(i386_order);
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_PPC:
		return ORDER(ppc64_order);
	case CAIRN_MACHINE_RISCV64:
		return ORDER(riscv64_order);
	case CAIRN_MACHINE_ARM:
		return ORDER(arm_order);
	case CAIRN_MACHINE_NONE:
		break;
	}
	return (struct context_order){ NULL, 0 };
}

/*
 * Return true if the pc is at either instruction of the trampoline. One read serves both, except at
 * the start of a mapping. Set *hidden if the code is unreadable.
 */
static bool is_code(const struct cairn_target *target, uint64_t pc,
                    const struct trampoline *trampoline, uint64_t *start, bool *hidden)
{
	uint8_t bytes[2 * MAX_CODE];
	size_t second = trampoline->second, size = trampoline->size;
	bool whole = memory_read(target, pc - second, bytes, second + size);

	*hidden = !whole && (second == 0 || !memory_read(target, pc, bytes + second, size));
	if (*hidden)
		return false;
	*start = pc;
	if (memcmp(bytes + second, trampoline->code, size) == 0)
		return true;
	*start -= second;
	return whole && memcmp(bytes, trampoline->code, size) == 0;
}

/*
 * Find the stack pointer of a frame that is known only by its frame pointer (aarch64). The kernel
 * puts a frame record after the signal frame, as if the interrupted function had created it, and
 * the handler's own record leads there. It must hold the same frame pointer and link register as
 * the context.
 */
static bool find_sp_by_record(const struct cairn_target *target,
                              const struct cairn_registers *frame, uint64_t *sp)
{
	uint8_t record[AARCH64_RECORD], saved[AARCH64_RECORD];
	const unsigned fp = 29;

	if (frame->machine != CAIRN_MACHINE_AARCH64 || !register_known(frame, fp))
		return false;
	*sp = frame->value[fp] - AARCH64_FRAME;
	return memory_read(target, frame->value[fp], record, sizeof(record)) &&
	       memory_read(target, *sp + AARCH64_CONTEXT + 8u * fp, saved, sizeof(saved)) &&
	       memcmp(record, saved, sizeof(record)) == 0;
}

/*
 * Return true if `info` and `context` look like Linux's struct siginfo and struct ucontext as
 * passed to a handler.
 */
static bool is_signal_info(const struct arch *arch, bool big, const uint8_t *info,
                           const uint8_t *context)
{
	const uint32_t number = bytes_u32(info, big), code = bytes_u32(info + 8, big);

	return number >= 1 && number <= SIGNAL_MAX && bytes_u32(info + 4, big) == 0 &&
	       code + CODE_MAX <= 2 * CODE_MAX &&
	       bytes_unsigned(context, arch->word, big) < FLAGS_MAX &&
	       bytes_unsigned(context + arch->word, arch->word, big) == 0;
}

/*
 * Return true if there is a signal frame on the stack. Captures seldom contain the code of the vDSO
 * or of a library, but the frame has marks that the kernel always writes: selectors on amd64, the
 * floating-point record on aarch64, selectors and handler arguments on i386, struct siginfo on the
 * others.
 */
static bool is_signal_frame(const struct cairn_target *target, const struct cairn_registers *frame,
                            const struct trampoline *trampoline)
{
	enum { AMD64_CS = 184, AMD64_SS = 190, USER_CS = 0x33, USER_SS = 0x2b, INFO = 128 };
	enum {
		I386_CS = 15 * 4,
		I386_SS = 18 * 4
	}; /* differ in two bits between 64-bit and 32-bit kernels */
	const struct arch *arch = arch_of(frame->machine);
	const bool big = frame->big_endian;
	uint64_t sp = frame->value[arch->sp];
	uint8_t head[FRAME_HEAD], byte;

	if (frame->pc == 0 || memory_read(target, frame->pc, &byte, 1) ||
	    (!register_known(frame, arch->sp) && !find_sp_by_record(target, frame, &sp)) ||
	    !memory_read(target, sp, head, sizeof(head)))
		return false;
	switch (frame->machine) {
	case CAIRN_MACHINE_AMD64:
		return bytes_u64(head, big) < FLAGS_MAX && bytes_u64(head + 8, big) == 0 &&
		       bytes_u16(head + AMD64_CS, big) == USER_CS &&
		       bytes_u16(head + AMD64_SS, big) == USER_SS;
	case CAIRN_MACHINE_AARCH64:
		return bytes_u32(head + AARCH64_FLOATS, big) == FPSIMD_MAGIC;
	case CAIRN_MACHINE_I386:
		return bytes_u32(head, big) - 1u < SIGNAL_MAX &&
		       (trampoline->moved > 0 || (bytes_u32(head + 4, big) == sp + 12 &&
		                                  bytes_u32(head + 8, big) == sp + 12 + INFO)) &&
		       (head[trampoline->context + I386_CS] | 0x50) == 0x73 &&
		       (head[trampoline->context + I386_SS] | 0x50) == 0x7b;
	case CAIRN_MACHINE_RISCV64:
		return is_signal_info(arch, big, head, head + INFO);
	case CAIRN_MACHINE_S390X:
		return !trampoline->indirect &&
		       is_signal_info(arch, big, head + 160 + 8, head + 160 + 8 + INFO);
	case CAIRN_MACHINE_ARM:
		return trampoline->context == INFO + 32 &&
		       is_signal_info(arch, big, head, head + INFO);
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_PPC:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return false;
}

static const struct trampoline *find_trampoline(const struct cairn_target *target,
                                                const struct cairn_registers *frame,
                                                uint64_t *start, bool *hidden)
{
	*hidden = true;
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines); i++)
		if (trampolines[i].machine == frame->machine &&
		    is_code(target, frame->pc, &trampolines[i], start, hidden))
			return &trampolines[i];
	return NULL;
}

/* Find a trampoline with unreadable code by the signal frame. Return NULL if not found. */
static const struct trampoline *find_hidden(const struct cairn_target *target,
                                            const struct cairn_registers *frame)
{
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines); i++)
		if (trampolines[i].machine == frame->machine &&
		    is_signal_frame(target, frame, &trampolines[i]))
			return &trampolines[i];
	return NULL;
}

bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start)
{
	bool hidden;

	if (find_trampoline(target, frame, start, &hidden))
		return true;
	*start = frame->pc;
	return hidden && find_hidden(target, frame) != NULL;
}

bool signal_trampoline_find_or_hidden(const struct cairn_target *target,
                                      const struct cairn_registers *frame, uint64_t *start,
                                      bool *hidden)
{
	uint8_t byte;

	if (find_trampoline(target, frame, start, hidden))
		return true;
	*hidden = *hidden && !memory_read(target, frame->pc, &byte, 1) &&
	          !memory_read(target, frame->pc - 1, &byte, 1);
	return false;
}

/*
 * Find the interrupted registers on the stack. Return false if there is no trampoline, or their
 * address is unreadable.
 */
static bool find_context(const struct cairn_target *target, const struct cairn_registers *frame,
                         const struct arch *arch, uint64_t *context)
{
	uint64_t start = frame->pc, sp = frame->value[arch->sp];
	bool hidden;

	if (!register_known(frame, arch->sp) && !find_sp_by_record(target, frame, &sp))
		return false;
	const struct trampoline *trampoline = find_trampoline(target, frame, &start, &hidden);
	if (!trampoline && hidden) {
		start = frame->pc;
		trampoline = find_hidden(target, frame);
	}
	if (!trampoline)
		return false;
	*context = sp + trampoline->context;
	if (start != frame->pc)
		*context -= trampoline->moved;
	return !trampoline->indirect ||
	       arch_read_word(arch, target, frame->big_endian, *context, context);
}

/*
 * Restore as many registers as are readable. A core made from a log contains only the registers
 * needed to continue.
 */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller)
{
	const struct arch *arch = arch_of(frame->machine);
	uint8_t words[8 * WORDS_MAX];
	uint64_t at;
	bool has_pc = false;

	if (!arch || !find_context(target, frame, arch, &at))
		return false;
	const struct context_order order = find_order(frame->machine);
	const bool whole = memory_read(target, at, words, arch->word * order.count);
	*caller = (struct cairn_registers){ .machine = frame->machine,
		                            .big_endian = frame->big_endian };
	for (size_t i = 0; i < order.count; i++) {
		uint8_t *word = words + i * arch->word;
		if (order.numbers[i] == NOT_HELD ||
		    (!whole && !memory_read(target, at + i * arch->word, word, arch->word)))
			continue;
		uint64_t value = bytes_unsigned(word, arch->word, frame->big_endian);
		if (order.numbers[i] == HOLDS_PC)
			/* on s390 an interrupted pc carries the mode bit, too */
			caller->pc = frame->machine == CAIRN_MACHINE_S390
			                     ? arch_strip(frame->machine, value, 0)
			                     : value;
		else
			register_set(caller, order.numbers[i], value);
		has_pc |= order.numbers[i] == HOLDS_PC;
	}
	return has_pc && register_known(caller, arch->sp);
}
