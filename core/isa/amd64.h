/* SPDX-License-Identifier: MIT */
/*
 * Decodes the effect of an amd64 instruction on the general registers and the stack, in enough
 * detail to follow where a function keeps its caller's registers. Registers are DWARF numbers.
 *
 * If it is uncertain whether an instruction changes a register, the register is included in
 * `writes`. Memory writes are recorded only if the operand is addressed by one register and a fixed
 * displacement; stores with an index register or through string instructions are ignored.
 */
#ifndef CAIRN_ISA_AMD64_H
#define CAIRN_ISA_AMD64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	AMD64_LONGEST = 15,
	AMD64_NONE = 0xff,
	/* upper bound on the number of bytes that XSAVE and similar instructions write */
	AMD64_WIDE = 1 << 12,
};

/* DWARF register numbers. */
enum {
	AMD64_RAX = 0,
	AMD64_RDX = 1,
	AMD64_RCX = 2,
	AMD64_RBX = 3,
	AMD64_RSI = 4,
	AMD64_RDI = 5,
	AMD64_RBP = 6,
	AMD64_RSP = 7,
	AMD64_R11 = 11,
	AMD64_REGISTERS = 16,
};

enum amd64_kind {
	/* may change the registers in `writes` and `width` bytes at `base` + `displacement` */
	AMD64_OTHER,
	AMD64_ADDRESS, /* reg = base + displacement: mov, lea, add, sub */
	AMD64_HERE,    /* reg = end of the instruction + displacement */
	AMD64_ENTRY,   /* reg = signed 4-byte value at base + 4 * index */
	AMD64_SUM,     /* reg = reg + base */
	AMD64_PUSH,    /* push `reg`; if `reg` is AMD64_NONE, push another operand */
	AMD64_POP,     /* pop into `reg`; if `reg` is AMD64_NONE, pop into another operand */
	AMD64_LEAVE,
	AMD64_STORE, /* store the 8 bytes of `reg` at base + displacement */
	AMD64_LOAD,  /* load 8 bytes into reg from base + displacement */
	AMD64_CALL,  /* call, which may return to the next instruction */
	AMD64_JUMP,  /* jump to the end of the instruction + displacement */
	AMD64_BRANCH,
	AMD64_INDIRECT,   /* jump to the address in `reg`, or in memory if `reg` is AMD64_NONE */
	AMD64_TABLE_JUMP, /* jump to the address stored at displacement + 8 * index */
	AMD64_RETURN,
	AMD64_STOP, /* ud2 or hlt, after which execution never continues */
};

/* Return true if execution may continue with the next instruction, as it may after a call. */
static inline bool amd64_goes_on(enum amd64_kind kind)
{
	return kind != AMD64_JUMP && kind != AMD64_INDIRECT && kind != AMD64_TABLE_JUMP &&
	       kind != AMD64_RETURN && kind != AMD64_STOP;
}

struct amd64_instruction {
	uint8_t length;
	uint8_t kind;
	uint8_t reg; /* DWARF number, or AMD64_NONE for an operand that is not a tracked register */
	uint8_t base; /* DWARF number, or AMD64_NONE if the memory operand is not tracked */
	/* bit mask of registers that change in other ways than `kind` describes */
	uint16_t writes;
	uint16_t width;
	int32_t displacement;
};

/*
 * Return the length of an instruction, even if amd64_decode() does not know its effects, or 0 if it
 * is invalid or truncated. Set *calls if it is a near or far CALL, SYSCALL or INT n. SSE, AVX,
 * AVX-512 and XOP are supported, APX is not. Some operand combinations that a processor rejects are
 * accepted.
 */
size_t amd64_measure(const uint8_t *code, size_t size, bool *calls);

/* Decode an instruction. Return false if it is truncated or unknown. */
bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction);

#endif
