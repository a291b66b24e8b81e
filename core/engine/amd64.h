/* SPDX-License-Identifier: MIT */
/*
 * Just enough of the amd64 instruction set to follow a prologue: how long an instruction is, and
 * whether it pushes or stores a register, sets up the frame pointer, moves the stack pointer, or
 * leaves the line.
 */
#ifndef CAIRN_ENGINE_AMD64_H
#define CAIRN_ENGINE_AMD64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AMD64_LONGEST = 15 };

enum amd64_kind {
	AMD64_OTHER,
	AMD64_PUSH,      /* of a general register */
	AMD64_SET_FRAME, /* mov %rsp,%rbp */
	AMD64_STACK,     /* changes the stack pointer in another way */
	AMD64_BRANCH,    /* call, jump, return, interrupt */
	AMD64_STORE,     /* of a whole general register to a fixed place from %rsp or %rbp */
};

struct amd64_instruction {
	size_t length;
	enum amd64_kind kind;
	unsigned reg;         /* AMD64_PUSH, AMD64_STORE: DWARF number */
	unsigned base;        /* AMD64_STORE: DWARF number of %rsp or %rbp */
	int32_t displacement; /* AMD64_STORE: from it */
};

/* False when the bytes are cut off or of a kind that is not known. */
bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction);

#endif
