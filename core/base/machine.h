/* SPDX-License-Identifier: MIT */
/*
 * What differs between machines, one row per machine; the rows are in machines/, one file for each
 * family. Registers are identified by their DWARF numbers. A new machine is its file, its name in
 * machines/machines.h and its number in enum cairn_machine. Instructions (isa/), SFrame and the
 * debuggers' registers are optional, and known elsewhere.
 */
#ifndef CAIRN_BASE_MACHINE_H
#define CAIRN_BASE_MACHINE_H

#include <cairn.h>

enum {
	ARCH_PC = 0xff,     /* represents registers.pc in a list of register numbers */
	ARCH_PPC_LINK = 32, /* DWARF number 65 or 108, which exceeds CAIRN_REGISTERS */
	/* elements of a register_order */
	REGISTER_NOT_HELD = 0xff, /* a word that is not read */
	REGISTER_HOLDS_PC = 0xfe,
	TRAMPOLINE_CODE_MAX = 12,
	SIGNAL_FRAME_HEAD = 600, /* bytes of a signal frame that identify it */
};

/* DWARF numbers of registers in the order of a structure of the kernel. */
struct register_order {
	const uint8_t *numbers;
	uint8_t count;
};

#define REGISTER_ORDER(list)                             \
	{                                                \
		(list), sizeof(list) / sizeof((list)[0]) \
	}

/* Names of the registers 0 to count - 1; NULL stands for the prefix and the number. */
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
 * A signal trampoline: its instructions; the offset of the second one (0 if there is only one); the
 * distance from the stack pointer to the registers, or to their address if `indirect`; and how far
 * the first instruction moves the stack pointer.
 */
struct signal_trampoline {
	uint8_t size, second;
	uint16_t context, moved;
	bool indirect;
	char code[TRAMPOLINE_CODE_MAX + 1];
};

/* The bytes at the stack pointer `sp` that may be the signal frame of a trampoline. */
struct signal_frame {
	const struct signal_trampoline *trampoline;
	const uint8_t *head; /* SIGNAL_FRAME_HEAD bytes */
	uint64_t sp;
	bool big;
};

/* Offsets in the ucontext_t that the kernel puts on the stack for a signal handler. */
struct signal_context {
	uint16_t size; /* size of the part that is examined; 0 if unknown for this machine */
	uint16_t link; /* uc_link, which the kernel sets to 0 */
	uint16_t stack_low, stack_flags, stack_size; /* alternate stack in use */
	uint16_t sp, frame;                          /* interrupted registers */
};

/* How callers are found without tables. */
enum arch_chain {
	ARCH_CHAIN_NONE,
	ARCH_CHAIN_RECORDS, /* the frame pointer leads to records of itself and the return address */
	ARCH_CHAIN_FRAMES,  /* each frame begins with the address of the caller's (ppc) */
	ARCH_CHAIN_FIRST_ONLY, /* only the first function can be identified (s390) */
};

struct arch {
	uint8_t word;       /* bytes of a register saved on the stack: 4 or 8 */
	uint8_t address;    /* bytes of an address in tables and expressions: 4 or 8 */
	uint8_t sp, fp, pc; /* DWARF numbers; pc is ARCH_PC if it does not have a number */
	uint8_t ra;         /* number of the return address; a real register only with `link` */
	bool link;          /* calls put the return address in a register, not on the stack */
	bool signs;         /* return addresses may be signed in their upper bits */
	enum arch_chain chain;
	int32_t sp_from_cfa;
	uint64_t saved; /* bit mask of registers that a call preserves */
	/* Bits that are not part of a return address, and of an interrupted pc. */
	uint64_t return_tag, pc_tag;

	const char *name;        /* as messages have it */
	const char *little_name; /* for little-endian programs; NULL if the name is the same */
	uint16_t elf;            /* e_machine; the class of files follows from `address` */
	bool breakpad;           /* Breakpad supports the machine */
	struct register_names names;
	const struct register_alias *aliases; /* further names in Breakpad files */
	uint8_t alias_count;

	/* Notes of a core, and register sets of ptrace. */
	struct register_order note;
	uint8_t thread_pointer_at, thread_pointer_size; /* in the registers; size 0 if not there */
	uint8_t tls_at, tls_size;                       /* the same in the note of the TLS */
	struct register_order floats; /* 8-byte registers in NT_FPREGSET that calls preserve */

	/* Signal frames. */
	struct register_order context;
	const struct signal_trampoline *trampolines;
	uint8_t trampoline_count;
	/*
	 * Return true if the bytes have marks that the kernel always writes into a signal frame;
	 * captures seldom contain the code of the vDSO or of a library. May be NULL.
	 */
	bool (*is_signal_frame)(const struct arch *arch, const struct signal_frame *frame);
	/*
	 * Distance from the signal frame to the frame record that the kernel puts after it, as if
	 * the interrupted function had created it; 0 if there is none.
	 */
	uint16_t signal_record;
	struct signal_context ucontext;

	/* Types of absolute ELF relocations of 4 and 8 bytes; 0 if undefined. */
	uint16_t relocates_word, relocates_wide;
};

/* Return the properties of a machine, or NULL if it is unknown. */
const struct arch *arch_of(enum cairn_machine machine);

/* Return the machine of an ELF file, or NONE if it is unknown. */
enum cairn_machine machine_of_elf(uint16_t elf, bool wide);

/* Find the number of a register by its name or alias. Return false if not found. */
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
