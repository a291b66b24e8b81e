/* SPDX-License-Identifier: MIT */
/*
 * Properties of the supported machines, one table row per machine. The rows are in machines/, one
 * file per family. Registers are identified by their DWARF numbers. To add a machine, add its file,
 * its name in machines/machines.h and its number in enum cairn_machine. Support for its
 * instructions (isa/), SFrame and the debuggers' registers is optional and implemented elsewhere.
 */
#ifndef CAIRN_BASE_MACHINE_H
#define CAIRN_BASE_MACHINE_H

#include <cairn.h>

enum {
	ARCH_PC = 0xff, /* represents registers.pc in a list of register numbers */
	/* stands for the link register, whose DWARF number (65 or 108) exceeds CAIRN_REGISTERS */
	ARCH_PPC_LINK = 32,
	REGISTER_NOT_HELD = 0xff, /* marks a word of a register_order that contains no register */
	REGISTER_HOLDS_PC = 0xfe,
	TRAMPOLINE_CODE_MAX = 12,
	/* number of bytes at the start of a signal frame that suffice to recognize it */
	SIGNAL_FRAME_HEAD = 600,
};

/* DWARF numbers of registers, in the order in which a kernel structure stores them. */
struct register_order {
	const uint8_t *numbers;
	uint8_t count;
};

#define REGISTER_ORDER(list)                             \
	{                                                \
		(list), sizeof(list) / sizeof((list)[0]) \
	}

/*
 * Names of registers 0 to count - 1. The name of any other register consists of the prefix and its
 * number.
 */
struct register_names {
	const char *const *name;
	uint8_t count;
	char prefix;
	const char *pc;
};

struct register_alias {
	const char *name;
	uint8_t number;
};

/*
 * A signal trampoline. `code` contains its instructions, and `second` is the offset of the second
 * one, or 0 if there is only one. `context` is the offset from the stack pointer to the registers
 * or, if `indirect`, to a pointer to them. `moved` is the number of bytes that the first
 * instruction adds to the stack pointer.
 */
struct signal_trampoline {
	uint8_t size, second;
	uint16_t context, moved;
	bool indirect;
	char code[TRAMPOLINE_CODE_MAX + 1];
};

/*
 * Memory at the stack pointer `sp`, which may be a signal frame that returns through `trampoline`.
 */
struct signal_frame {
	const struct signal_trampoline *trampoline;
	const uint8_t *head;
	uint64_t sp;
	bool big;
};

/* Field offsets in the ucontext_t that the kernel stores on the stack for a signal handler. */
struct signal_context {
	/* size of the examined part of the structure; 0 if the machine's layout is unknown */
	uint16_t size;
	uint16_t link; /* offset of uc_link, which the kernel sets to 0 */
	/* offsets of ss_sp, ss_flags and ss_size in uc_stack */
	uint16_t stack_low, stack_flags, stack_size;
	/* offsets of the interrupted function's stack pointer and frame pointer */
	uint16_t sp, frame;
};

/* Methods of finding a function's caller without unwind tables. */
enum arch_chain {
	ARCH_CHAIN_NONE,
	/*
	 * frame records: the frame pointer points to the saved frame pointer and the return address
	 */
	ARCH_CHAIN_RECORDS,
	/* back chain: each frame starts with the address of the caller's frame (ppc) */
	ARCH_CHAIN_FRAMES,
	/* only the caller of the innermost function can be found (s390) */
	ARCH_CHAIN_FIRST_ONLY,
};

struct arch {
	uint8_t word;       /* size of a register saved on the stack, 4 or 8 bytes */
	uint8_t address;    /* size of an address in tables and expressions, 4 or 8 bytes */
	uint8_t sp, fp, pc; /* DWARF register numbers; `pc` may be ARCH_PC */
	/* DWARF number of the return address column; a real register only if `link` is set */
	uint8_t ra;
	bool link;  /* calls store the return address in a register instead of on the stack */
	bool signs; /* upper bits of return addresses may contain a signature */
	enum arch_chain chain;
	int32_t sp_from_cfa;
	uint64_t saved; /* bit mask of callee-saved registers */
	/* bit masks of the non-address bits in a return address, and in an interrupted pc */
	uint64_t return_tag, pc_tag;

	const char *name;
	/* name of the little-endian variant if the machine has both byte orders; otherwise NULL */
	const char *little_name;
	uint16_t elf;
	bool breakpad;
	struct register_names names;
	const struct register_alias *aliases; /* additional register names in Breakpad files */
	uint8_t alias_count;

	/* register layout of NT_PRSTATUS notes in core files, the same as for ptrace */
	struct register_order note;
	/* offset and size of the thread pointer in the register set; size 0 if it is elsewhere */
	uint8_t thread_pointer_at, thread_pointer_size;
	/*
	 * offset and size of the thread pointer in the machine's TLS note; size 0 if it is
	 * elsewhere
	 */
	uint8_t tls_at, tls_size;
	/*
	 * layout of NT_FPREGSET if it contains callee-saved registers of 8 bytes; otherwise empty
	 */
	struct register_order floats;

	struct register_order context;
	const struct signal_trampoline *trampolines;
	uint8_t trampoline_count;
	/*
	 * Return true if the memory contains values that the kernel always stores in a signal
	 * frame. This check is needed because captures seldom contain the code of the vDSO or of a
	 * library, which would identify the trampoline. May be NULL.
	 */
	bool (*is_signal_frame)(const struct arch *arch, const struct signal_frame *frame);
	/*
	 * Offset from the signal frame to a frame record that the kernel stores after it, as if the
	 * interrupted function had created the record; 0 if there is no such record.
	 */
	uint16_t signal_record;
	struct signal_context ucontext;

	/*
	 * types of ELF relocations that store an absolute address of 4 or 8 bytes; 0 if the machine
	 * has no such type
	 */
	uint16_t relocates_word, relocates_wide;
};

const struct arch *arch_of(enum cairn_machine machine);

enum cairn_machine machine_of_elf(uint16_t elf, bool wide);

/*
 * Find the DWARF number of a register by its name or alias. Return false if there is no such
 * register.
 */
bool register_find(const struct arch *arch, struct cairn_bytes name, unsigned *number);

static inline bool register_known(const struct cairn_registers *r, unsigned number)
{
	return number < CAIRN_REGISTERS && (r->known >> number & 1);
}

static inline void register_set(struct cairn_registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known |= (uint64_t)1 << number;
}

static inline uint64_t registers_stack_pointer(const struct cairn_registers *registers)
{
	const struct arch *arch = arch_of(registers->machine);

	return arch && register_known(registers, arch->sp) ? registers->value[arch->sp] : 0;
}

#endif
