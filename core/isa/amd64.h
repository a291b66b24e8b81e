/* SPDX-License-Identifier: MIT */
/*
 * What an instruction of amd64 does to the general registers and to the stack: enough to follow
 * where a function keeps the registers of its caller.  Registers are DWARF numbers.
 *
 * Whatever is not told apart counts as too large, never as too small: an instruction that may change a
 * register has it in `writes`.  Memory counts when it is addressed by one register and a fixed
 * displacement; stores through pointers and indexes are not seen.
 */
#ifndef CAIRN_ISA_AMD64_H
#define CAIRN_ISA_AMD64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	AMD64_LONGEST = 15,
	AMD64_NONE = 0xff,    /* no general register */
	AMD64_WIDE = 1 << 12, /* bytes that XSAVE and its like may write */
};

/* DWARF numbers of registers with a part to play. */
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
	AMD64_OTHER,      /* changes `writes`, and `width` bytes at `base` + `displacement` */
	AMD64_ADDRESS,    /* reg = base + displacement: mov, lea, add, sub */
	AMD64_HERE,       /* reg = displacement, counted from the instruction's end */
	AMD64_ENTRY,      /* reg = the 4 bytes, signed, at base + an index times 4 */
	AMD64_SUM,        /* reg = reg + base */
	AMD64_PUSH,       /* of `reg`; AMD64_NONE: of something else */
	AMD64_POP,        /* likewise */
	AMD64_LEAVE,      /* rsp = rbp, and rbp is popped */
	AMD64_STORE,      /* of reg, 8 bytes, at base + displacement */
	AMD64_LOAD,       /* likewise, the other way */
	AMD64_CALL,       /* goes on after itself, maybe */
	AMD64_JUMP,       /* by displacement, counted from the instruction's end */
	AMD64_BRANCH,     /* likewise, or goes on after itself */
	AMD64_INDIRECT,   /* a jump to what `reg` holds, or memory (AMD64_NONE) */
	AMD64_TABLE_JUMP, /* to the 8 bytes at displacement, an address, + an index times 8 */
	AMD64_RETURN,
	AMD64_STOP, /* ends the line: ud2, hlt */
};

/* May the next instruction come after one of this kind?  After a call it may, too. */
static inline bool amd64_goes_on(enum amd64_kind kind)
{
	return kind != AMD64_JUMP && kind != AMD64_INDIRECT && kind != AMD64_TABLE_JUMP &&
	       kind != AMD64_RETURN && kind != AMD64_STOP;
}

struct amd64_instruction {
	uint8_t length;
	uint8_t kind; /* enum amd64_kind */
	uint8_t reg;  /* or AMD64_NONE */
	uint8_t base; /* or AMD64_NONE: no memory that is followed */
	uint16_t
		writes; /* a bit for each register that changes in a way that `kind` does not describe */
	uint16_t width; /* bytes that are written; 0: none */
	int32_t displacement;
};

/*
 * Returns the length of an instruction, also of those whose effects amd64_decode() does not know; 0
 * when there is none, or the bytes are cut off.  *calls: it is a near or far CALL, SYSCALL, or INT n.
 * It knows SSE, AVX, AVX-512 and XOP, but not APX, and is not a disassembler: operands that a processor
 * rejects pass.
 */
size_t amd64_measure(const uint8_t *code, size_t size, bool *calls);

/* False when the bytes are cut off or of a kind that is not known. */
bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction);

#endif
