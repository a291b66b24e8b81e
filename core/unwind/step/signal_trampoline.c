/* SPDX-License-Identifier: MIT */
/*
 * Detects a signal trampoline by its code bytes and restores the interrupted registers from the
 * signal frame.
 */
#include "signal_trampoline.h"

#include "base/bytes.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	NOT_HELD = 0xff, /* a word of the context that is not a register of ours */
	HOLDS_PC = 0xfe,
	WORDS_MAX = 43,            /* of a context, up to its last register that counts */
	S390_WORDS = 18,           /* of which of 31 bits, whose floating point is not in words */
	MAX_CODE = 12,             /* bytes of a trampoline */
	AARCH64_CONTEXT = 304 + 8, /* siginfo, ucontext up to the registers */
	AARCH64_FRAME = 4688,      /* bytes of struct rt_sigframe, where no extension needs more */
	AARCH64_RECORD = 16,
};

/*
 * The instructions of a trampoline, and where the one after the first begins (0: there is only one);
 * bytes from the stack pointer to the registers, or to their address; and how far the first instruction
 * moves the stack pointer.
 */
struct trampoline {
	enum cairn_machine machine;
	uint8_t size, second;
	uint8_t code[MAX_CODE];
	uint16_t context, moved;
	bool indirect;
};

static const struct trampoline trampolines[] = {
	{ CAIRN_MACHINE_AMD64, /* mov $15,%rax; syscall */
	  9,
	  7,
	  { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 },
	  40,
	  0,
	  false },
	/* instructions are little-endian on both kinds */
	{ CAIRN_MACHINE_AARCH64, /* mov x8,#139; svc #0 */
	  8,
	  4,
	  { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	  AARCH64_CONTEXT,
	  0,
	  false },
	/* svc 119: the pointer to the context is above what a function may use */
	{ CAIRN_MACHINE_S390X, 2, 0, { 0x0a, 119 }, 160 + 8, 0, true },
	/* svc 173, of a handler with siginfo: this, and ucontext up to there */
	{ CAIRN_MACHINE_S390X, 2, 0, { 0x0a, 173 }, 160 + 8 + 128 + 40, 0, false },
	{ CAIRN_MACHINE_I386, /* pop %eax; mov $119,%eax; int $0x80 */
	  8,
	  1,
	  { 0x58, 0xb8, 0x77, 0x00, 0x00, 0x00, 0xcd, 0x80 },
	  4, /* the number of the signal */
	  4,
	  false },
	{ CAIRN_MACHINE_I386, /* mov $173,%eax; int $0x80 */
	  7,
	  5,
	  { 0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80 },
	  12 + 128 + 20, /* the handler's arguments, siginfo, ucontext up to the registers */
	  0,
	  false },
	{ CAIRN_MACHINE_PPC64, /* addi r1,r1,128; li r0,172; sc */
	  12,
	  4,
	  { 0x80, 0x00, 0x21, 0x38, 0xac, 0x00, 0x00, 0x38, 0x02, 0x00, 0x00, 0x44 },
	  128 + 168 + 64, /* a frame, ucontext up to mcontext, and that up to the registers */
	  128,
	  false },
	{ CAIRN_MACHINE_PPC64, /* the same, big-endian */
	  12,
	  4,
	  { 0x38, 0x21, 0x00, 0x80, 0x38, 0x00, 0x00, 0xac, 0x44, 0x00, 0x00, 0x02 },
	  128 + 168 + 64,
	  128,
	  false },
	{ CAIRN_MACHINE_X32, /* mov $0x40000201,%rax; syscall */
	  9,
	  7,
	  { 0x48, 0xc7, 0xc0, 0x01, 0x02, 0x00, 0x40, 0x0f, 0x05 },
	  24,
	  0,
	  false },
	{ CAIRN_MACHINE_S390, 2, 0, { 0x0a, 119 }, 96 + 8, 0, true },
	/* siginfo after the instruction, and a ucontext that begins with 24 bytes, at multiples of 8 */
	{ CAIRN_MACHINE_S390, 2, 0, { 0x0a, 173 }, 96 + 8 + 128 + 24, 0, false },
	{ CAIRN_MACHINE_PPC, /* li r0,119; sc */
	  8,
	  4,
	  { 0x38, 0x00, 0x00, 0x77, 0x44, 0x00, 0x00, 0x02 },
	  64 + 28, /* a frame, and the sigcontext up to the address of the registers */
	  0,
	  true },
	{ CAIRN_MACHINE_PPC, /* li r0,172; sc */
	  8,
	  4,
	  { 0x38, 0x00, 0x00, 0xac, 0x44, 0x00, 0x00, 0x02 },
	  64 + 16 + 128 + 48, /* a frame, siginfo, and the ucontext up to that address */
	  0,
	  true },
	{ CAIRN_MACHINE_ARM, /* mov r7,#119; svc 0 */
	  8,
	  4,
	  { 0x77, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef },
	  32, /* the ucontext up to the registers */
	  0,
	  false },
	{ CAIRN_MACHINE_ARM, /* mov r7,#173; svc 0 */
	  8,
	  4,
	  { 0xad, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef },
	  128 + 32,
	  0,
	  false },
	{ CAIRN_MACHINE_ARM, /* the same as Thumb code */
	  4,
	  2,
	  { 0x77, 0x27, 0x00, 0xdf },
	  32,
	  0,
	  false },
	{ CAIRN_MACHINE_ARM, 4, 2, { 0xad, 0x27, 0x00, 0xdf }, 128 + 32, 0, false },
	{ CAIRN_MACHINE_RISCV64, /* li a7,139; ecall */
	  8,
	  4,
	  { 0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00 },
	  128 + 176, /* siginfo, ucontext up to the registers */
	  0,
	  false },
};

/* DWARF numbers in the order of the words of the context, as the kernel's headers have it. */
static const uint8_t amd64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15,      5,
	                               4, 6, 3,  1,  0,  2,  7,  HOLDS_PC };
static const uint8_t aarch64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                                 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, HOLDS_PC };
/* the mask and the address, r0 to r15, access registers, control, f0 to f15 */
static const uint8_t s390x_order[] = {
	NOT_HELD, HOLDS_PC, 0,        1,        2,        3,        4,        5,        6,
	7,        8,        9,        10,       11,       12,       13,       14,       15,
	NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD,
	16,       20,       17,       21,       18,       22,       19,       23,       24,
	28,       25,       29,       26,       30,       27,       31
};
/* four segments, edi, esi, ebp, esp, ebx, edx, ecx, eax, the trap and its error */
static const uint8_t i386_order[] = { NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, 7, 6, 5, 4, 3, 2, 1,
	                              0,        NOT_HELD, NOT_HELD, HOLDS_PC };
/* then msr, what r3 was before a system call, ctr and the link register */
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

/* The pc may be at either instruction; one read serves both, but at the start of a mapping. */
static bool is_code(const struct cairn_target *target, uint64_t pc,
                    const struct trampoline *trampoline, uint64_t *start)
{
	uint8_t bytes[2 * MAX_CODE];
	size_t second = trampoline->second, size = trampoline->size;
	bool whole = memory_read(target, pc - second, bytes, second + size);

	if (!whole && (second == 0 || !memory_read(target, pc, bytes + second, size)))
		return false;
	*start = pc;
	if (memcmp(bytes + second, trampoline->code, size) == 0)
		return true;
	*start -= second;
	return whole && memcmp(bytes, trampoline->code, size) == 0;
}

static const struct trampoline *find_trampoline(const struct cairn_target *target,
                                                const struct cairn_registers *frame,
                                                uint64_t *start)
{
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines); i++)
		if (trampolines[i].machine == frame->machine &&
		    is_code(target, frame->pc, &trampolines[i], start))
			return &trampolines[i];
	return NULL;
}

bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start)
{
	return find_trampoline(target, frame, start) != NULL;
}

/*
 * Frame pointers alone tell no stack pointer. On aarch64 the kernel puts a frame record after the signal frame,
 * as if the interrupted function had made it, and the handler's own record leads there. Both hold that
 * function's frame pointer and link register.
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

/* Where the registers are; false when there is no trampoline, or their address cannot be read. */
static bool find_context(const struct cairn_target *target, const struct cairn_registers *frame,
                         const struct arch *arch, uint64_t *context)
{
	uint64_t start;
	const struct trampoline *trampoline = find_trampoline(target, frame, &start);

	uint64_t sp = frame->value[arch->sp];

	if (!trampoline ||
	    (!register_known(frame, arch->sp) && !find_sp_by_record(target, frame, &sp)))
		return false;
	*context = sp + trampoline->context;
	if (start != frame->pc)
		*context -= trampoline->moved;
	return !trampoline->indirect ||
	       arch_read_word(arch, target, frame->big_endian, *context, context);
}

/* On s390 an interrupted pc, too, has the mark of its mode. */
static uint64_t strip_pc(enum cairn_machine machine, uint64_t pc)
{
	return machine == CAIRN_MACHINE_S390 ? arch_strip(machine, pc, 0) : pc;
}

/* A core that was made of a log has the registers alone that lead on; others that cannot be read are not known. */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller)
{
	const struct arch *arch = arch_of(frame->machine);
	const struct context_order order = find_order(frame->machine);
	uint8_t words[8 * WORDS_MAX];
	uint64_t at;
	bool has_pc = false;

	if (!arch || !find_context(target, frame, arch, &at))
		return false;
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
			caller->pc = strip_pc(frame->machine, value);
		else
			register_set(caller, order.numbers[i], value);
		has_pc |= order.numbers[i] == HOLDS_PC;
	}
	return has_pc && register_known(caller, arch->sp);
}
