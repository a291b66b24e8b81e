/* SPDX-License-Identifier: MIT */
/* Instructions as an assembler makes them: their length, and what they do to registers and the stack. */
#include "isa/amd64.h"

#include "unit.h"

#include "base/encoding.h"

enum { BAD = 0, NO = AMD64_NONE }; /* length 0: refused */

/* DWARF numbers. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15 };

#define BIT(register) (1u << (register))
#define IS(kind, reg, base, displacement, writes, width)                                    \
	{                                                                                   \
		0, AMD64_##kind, (reg), (base), (uint16_t)(writes), (width), (displacement) \
	}
#define EMPTY IS(OTHER, NO, NO, 0, 0, 0)
#define WIDE AMD64_WIDE

static const struct {
	const char *name, *bytes;
	size_t length;
	struct amd64_instruction is; /* but for its length */
} rows[] = {
	/* pushes, by DWARF number */
	{ "push %rax", "50", 1, IS(PUSH, RAX, NO, 0, 0, 0) },
	{ "push %rcx", "51", 1, IS(PUSH, RCX, NO, 0, 0, 0) },
	{ "push %rdx", "52", 1, IS(PUSH, RDX, NO, 0, 0, 0) },
	{ "push %rbx", "53", 1, IS(PUSH, RBX, NO, 0, 0, 0) },
	{ "push %rsp", "54", 1, IS(PUSH, RSP, NO, 0, 0, 0) },
	{ "push %rbp", "55", 1, IS(PUSH, RBP, NO, 0, 0, 0) },
	{ "push %rsi", "56", 1, IS(PUSH, RSI, NO, 0, 0, 0) },
	{ "push %rdi", "57", 1, IS(PUSH, RDI, NO, 0, 0, 0) },
	{ "push %r8", "4150", 2, IS(PUSH, R8, NO, 0, 0, 0) },
	{ "push %r12", "4154", 2, IS(PUSH, R12, NO, 0, 0, 0) },
	{ "push %r13", "4155", 2, IS(PUSH, R13, NO, 0, 0, 0) },
	{ "push %r14", "4156", 2, IS(PUSH, R14, NO, 0, 0, 0) },
	{ "push %r15", "4157", 2, IS(PUSH, R15, NO, 0, 0, 0) },
	{ "rex.W push %rbx", "4853", 2, IS(PUSH, RBX, NO, 0, 0, 0) },
	{ "a REX before another prefix does not count", "416653", 3,
	  IS(OTHER, NO, NO, 0, BIT(RBX) | BIT(RSP), 0) },

	/* the frame pointer */
	{ "mov %rsp,%rbp", "4889e5", 3, IS(ADDRESS, RBP, RSP, 0, 0, 0) },
	{ "mov %rsp,%rbp, the other way", "488bec", 3, IS(ADDRESS, RBP, RSP, 0, 0, 0) },
	{ "mov %esp,%ebp", "89e5", 2, IS(OTHER, NO, NO, 0, BIT(RBP), 0) },
	{ "mov %rsp,%r13", "4989e5", 3, IS(ADDRESS, R13, RSP, 0, 0, 0) },
	{ "mov %r12,%rbp", "4c89e5", 3, IS(ADDRESS, RBP, R12, 0, 0, 0) },
	{ "mov %rsp,%rbx", "4889e3", 3, IS(ADDRESS, RBX, RSP, 0, 0, 0) },

	/* other changes of the stack pointer */
	{ "sub $24,%rsp", "4883ec18", 4, IS(ADDRESS, RSP, RSP, -24, 0, 0) },
	{ "sub $4096,%rsp", "4881ec00100000", 7, IS(ADDRESS, RSP, RSP, -4096, 0, 0) },
	{ "sub $24,%rbx", "4883eb18", 4, IS(ADDRESS, RBX, RBX, -24, 0, 0) },
	{ "sub $24,%r12", "4983ec18", 4, IS(ADDRESS, R12, R12, -24, 0, 0) },
	{ "and $-16,%rsp", "4883e4f0", 4, IS(OTHER, NO, NO, 0, BIT(RSP), 0) },
	{ "sub %rax,%rsp", "4829c4", 3, IS(OTHER, NO, NO, 0, BIT(RSP), 0) },
	{ "sub %rax,%rsp, the other way", "482be0", 3, IS(OTHER, NO, NO, 0, BIT(RSP), 0) },
	{ "mov %rbp,%rsp", "4889ec", 3, IS(ADDRESS, RSP, RBP, 0, 0, 0) },
	{ "mov (%rax),%rsp", "488b20", 3, IS(LOAD, RSP, RAX, 0, 0, 0) },
	{ "mov (%rax),%r12", "4c8b20", 3, IS(LOAD, R12, RAX, 0, 0, 0) },
	{ "lea -8(%r10),%rsp", "498d62f8", 4, IS(ADDRESS, RSP, R10, -8, 0, 0) },
	{ "lea -32(%rbp),%rsp", "488d65e0", 4, IS(ADDRESS, RSP, RBP, -32, 0, 0) },
	{ "lea 8(%rsp),%r10", "4c8d542408", 5, IS(ADDRESS, R10, RSP, 8, 0, 0) },
	{ "lea 8(%rsp),%rax", "488d442408", 5, IS(ADDRESS, RAX, RSP, 8, 0, 0) },
	{ "pop %rbx", "5b", 1, IS(POP, RBX, NO, 0, 0, 0) },
	{ "pop %r12", "415c", 2, IS(POP, R12, NO, 0, 0, 0) },
	{ "push $1", "6a01", 2, IS(PUSH, NO, NO, 0, 0, 0) },
	{ "push $0x12345678", "6878563412", 5, IS(PUSH, NO, NO, 0, 0, 0) },
	{ "push 8(%r10)", "41ff7208", 4, IS(PUSH, NO, NO, 8, 0, 0) },
	{ "pop (%rax)", "8f00", 2, IS(POP, NO, RAX, 0, 0, 8) },
	{ "pushf", "9c", 1, IS(PUSH, NO, NO, 0, 0, 0) },
	{ "popf", "9d", 1, IS(POP, NO, NO, 0, 0, 0) },
	{ "enter $16,$0", "c8100000", 4, IS(OTHER, NO, NO, 0, BIT(RBP) | BIT(RSP), 0) },
	{ "leave", "c9", 1, IS(LEAVE, NO, NO, 0, 0, 0) },

	/* stores at a fixed place on the stack */
	{ "mov %rax,(%rsp)", "48890424", 4, IS(STORE, RAX, RSP, 0, 0, 8) },
	{ "mov %rbx,8(%rsp)", "48895c2408", 5, IS(STORE, RBX, RSP, 8, 0, 8) },
	{ "mov %r13,0x100(%rsp)", "4c89ac2400010000", 8, IS(STORE, R13, RSP, 256, 0, 8) },
	{ "mov %r12,-0x10(%rbp)", "4c8965f0", 4, IS(STORE, R12, RBP, -16, 0, 8) },
	{ "mov %rbp,-0x200(%rbp)", "4889ad00feffff", 7, IS(STORE, RBP, RBP, -512, 0, 8) },
	{ "mov %ebx,8(%rsp)", "895c2408", 4, IS(OTHER, NO, RSP, 8, 0, 4) },
	{ "mov %rbx,(%rsp,%rax)", "48891c04", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "mov %rbx,8(%r12)", "49895c2408", 5, IS(STORE, RBX, R12, 8, 0, 8) },
	{ "mov %rbx,0(%r13)", "49895d00", 4, IS(STORE, RBX, R13, 0, 0, 8) },
	{ "mov %rbx,(%rbx)", "48891b", 3, IS(STORE, RBX, RBX, 0, 0, 8) },
	{ "mov 8(%rsp),%rbx", "488b5c2408", 5, IS(LOAD, RBX, RSP, 8, 0, 0) },

	/* leaving the line */
	{ "call", "e800000000", 5, IS(CALL, NO, NO, 0, 0, 0) },
	{ "jmp", "e900000000", 5, IS(JUMP, NO, NO, 0, 0, 0) },
	{ "jmp, short", "eb10", 2, IS(JUMP, NO, NO, 16, 0, 0) },
	{ "je, short", "7410", 2, IS(BRANCH, NO, NO, 16, 0, 0) },
	{ "jne", "0f8510000000", 6, IS(BRANCH, NO, NO, 16, 0, 0) },
	{ "jrcxz", "e310", 2, IS(BRANCH, NO, NO, 16, BIT(RCX), 0) },
	{ "loop", "e210", 2, IS(BRANCH, NO, NO, 16, BIT(RCX), 0) },
	{ "call *%rax", "ffd0", 2, IS(CALL, NO, NO, 0, 0, 0) },
	{ "call *16(%rip)", "ff1510000000", 6, IS(CALL, NO, NO, 16, 0, 0) },
	{ "notrack jmp *%rax", "3effe0", 3, IS(INDIRECT, RAX, NO, 0, 0, 0) },
	{ "jmp *8(,%rax,8)", "ff24c508000000", 7, IS(TABLE_JUMP, NO, NO, 8, 0, 0) },
	{ "inc %eax", "ffc0", 2, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "ret", "c3", 1, IS(RETURN, NO, NO, 0, 0, 0) },
	{ "ret $8", "c20800", 3, IS(RETURN, NO, NO, 0, 0, 0) },
	{ "repz ret", "f3c3", 2, IS(RETURN, NO, NO, 0, 0, 0) },
	{ "int3", "cc", 1, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "hlt", "f4", 1, IS(STOP, NO, NO, 0, 0, 0) },
	{ "syscall", "0f05", 2,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RCX) | BIT(RSI) | BIT(RDI) | BIT(R11), 0) },
	{ "ud2", "0f0b", 2, IS(STOP, NO, NO, 0, 0, 0) },

	/* memory operands */
	{ "mov %rax,0x10(%rbx)", "48894310", 4, IS(STORE, RAX, RBX, 16, 0, 8) },
	{ "mov %rax,0x1000(%rbx)", "48898300100000", 7, IS(STORE, RAX, RBX, 4096, 0, 8) },
	{ "mov %rax,0x10(%rip)", "48890510000000", 7, IS(OTHER, NO, NO, 16, 0, 0) },
	{ "mov %rax,0x10", "4889042510000000", 8, IS(OTHER, NO, NO, 16, 0, 0) },
	{ "mov %rax,(%rbx,%rcx,2)", "4889044b", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "mov %rax,0x10(%rbx,%rcx,2)", "4889444b10", 5, IS(OTHER, NO, NO, 16, 0, 0) },
	{ "mov %rax,0x1000(%rbx,%rcx,2)", "4889844b00100000", 8, IS(OTHER, NO, NO, 4096, 0, 0) },
	{ "mov %fs:0x28,%rax", "64488b042528000000", 9, IS(OTHER, NO, NO, 40, BIT(RAX), 0) },

	/* immediates */
	{ "movabs $1,%rax", "48b80100000000000000", 10, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "mov $1,%eax", "b801000000", 5, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "mov $1,%ax", "66b80100", 4, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "mov $1,%al", "b001", 2, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "movabs 8 bytes of address,%al", "a00100000000000000", 9,
	  IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "add $1,%eax", "0501000000", 5, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "add $1,%ax", "66050100", 4, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "data16 add $1,%rax", "66480501000000", 7, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "data16 mov $1,%rax", "6648c7c001000000", 8, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "movl $1,(%rsp)", "c7042401000000", 7, IS(OTHER, NO, RSP, 0, 0, 4) },
	{ "movw $1,(%rsp)", "66c704240100", 6, IS(OTHER, NO, RSP, 0, 0, 2) },
	{ "movb $1,(%rsp)", "c6042401", 4, IS(OTHER, NO, RSP, 0, 0, 1) },
	{ "imul $100,%rbx,%rax", "486bc364", 4, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "imul $1000,%rbx,%rax", "4869c3e8030000", 7, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "shl $4,%rax", "48c1e004", 4, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "shl %cl,%rax", "48d3e0", 3, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "test $1,%bl", "f6c301", 3, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "test $1,%ebx", "f7c301000000", 6, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "test $1,%bx", "66f7c30100", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "neg %rax", "48f7d8", 3, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "not %bl", "f6d3", 2, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },

	/* the map behind 0f */
	{ "endbr64", "f30f1efa", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "nopw 0(%rax,%rax,1)", "660f1f440000", 6, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "cs nopw 0x0(%rax,%rax,1)", "662e0f1f840000000000", 10, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "movzbl (%rax),%eax", "0fb600", 3, IS(OTHER, NO, RAX, 0, BIT(RAX), 0) },
	{ "movaps %xmm0,-0x10(%rbp)", "0f2945f0", 4, IS(OTHER, NO, RBP, -16, 0, 16) },
	{ "movdqa (%rax),%xmm1", "660f6f08", 4, IS(OTHER, NO, RAX, 0, 0, 0) },
	{ "cvtsi2sd %rax,%xmm0", "f2480f2ac0", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "pshufd $0,%xmm0,%xmm1", "660f70c800", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "psrldq $8,%xmm0", "660f73d808", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "bt $3,%eax", "0fbae003", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "shld $4,%rax,%rbx", "480fa4c304", 5, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "cmpxchg %rcx,(%rdx)", "480fb10a", 4, IS(OTHER, NO, RDX, 0, BIT(RAX), 8) },
	{ "bswap %rax", "480fc8", 3, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "cpuid", "0fa2", 2, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RDX) | BIT(RCX) | BIT(RBX), 0) },
	{ "shufps $1,%xmm0,%xmm1", "0fc6c801", 4, IS(OTHER, NO, NO, 0, 0, 0) },

	/* the maps behind 0f38 and 0f3a */
	{ "pshufb %xmm0,%xmm1", "660f3800c8", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "crc32q (%rax),%rbx", "f2480f38f118", 6, IS(OTHER, NO, RAX, 0, BIT(RBX), 8) },
	{ "movbe 0x10(%rax),%ebx", "0f38f05810", 5, IS(OTHER, NO, RAX, 16, BIT(RBX), 8) },
	{ "palignr $4,%xmm0,%xmm1", "660f3a0fc804", 6, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "roundsd $1,0x10(%rip),%xmm0", "660f3a0b051000000001", 10, IS(OTHER, NO, NO, 16, 0, 0) },

	/* VEX and EVEX */
	{ "vzeroupper", "c5f877", 3, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "vmovaps %ymm0,(%rax)", "c5fc2900", 4, IS(OTHER, NO, RAX, 0, 0, 32) },
	{ "vmovdqu 0x20(%rsp),%ymm8", "c57e6f442420", 6, IS(OTHER, NO, RSP, 32, 0, 0) },
	{ "vpshufd $1,%xmm0,%xmm1", "c5f970c801", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "vpbroadcastb %xmm0,%ymm0", "c4e27d78c0", 5, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "vinserti128 $1,%xmm1,%ymm0,%ymm0", "c4e37d38c101", 6, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "shlx %rax,%rbx,%rcx", "c4e2f9f7cb", 5,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RCX) | BIT(RBX), 0) },
	{ "rorx $3,%rax,%rbx", "c4e3fbf0d803", 6, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "vpush is no push: opcode 50 behind VEX", "c5f850c0", 4,
	  IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "vmovdqu64 %zmm0,(%rax)", "62f1fe487f00", 6, IS(OTHER, NO, RAX, 0, 0, 64) },
	{ "vmovdqu64 0x40(%rax),%zmm0", "62f1fe486f4001", 7, IS(OTHER, NO, RAX, 1, 0, 0) },
	{ "vpternlogd $0xff,%zmm0,%zmm0,%zmm0", "62f37d4825c0ff", 7, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "vpshufd $1,%zmm0,%zmm1", "62f17d4870c801", 7, IS(OTHER, NO, NO, 0, 0, 0) },

	/* the longest, and one byte more */
	{ "15 bytes", "666666666666480f3800c00f", 11, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "prefixes up to the end", "6666666666666666666666666666c3", 15,
	  IS(RETURN, NO, NO, 0, 0, 0) },
	{ "16 bytes", "666666666666666666666666666666c3", BAD, EMPTY },

	/* not defined in 64-bit mode, and not known */
	{ "push %es", "06", BAD, EMPTY },
	{ "pusha", "60", BAD, EMPTY },
	{ "82 /0", "82c001", BAD, EMPTY },
	{ "call far", "9a", BAD, EMPTY },
	{ "aam", "d40a", BAD, EMPTY },
	{ "into", "ce", BAD, EMPTY },
	{ "0f04", "0f04", BAD, EMPTY },

	/* cut off */
	{ "nothing", "", BAD, EMPTY },
	{ "a prefix alone", "66", BAD, EMPTY },
	{ "a REX alone", "48", BAD, EMPTY },
	{ "the map alone", "0f", BAD, EMPTY },
	{ "the third map alone", "0f38", BAD, EMPTY },
	{ "no ModRM", "89", BAD, EMPTY },
	{ "no SIB", "8904", BAD, EMPTY },
	{ "a byte of displacement is missing", "488943", BAD, EMPTY },
	{ "part of a displacement", "488983001000", BAD, EMPTY },
	{ "part of an immediate", "48b8010000000000", BAD, EMPTY },
	{ "part of a target", "e8000000", BAD, EMPTY },
	{ "VEX alone", "c5", BAD, EMPTY },
	{ "VEX without its opcode", "c4e27d", BAD, EMPTY },
	{ "EVEX without its immediate", "62f37d4825c0", BAD, EMPTY },

	/* registers that change beside what the kind tells */
	{ "xchg %rbx,%r12", "4987dc", 3, IS(OTHER, NO, NO, 0, BIT(RBX) | BIT(R12), 0) },
	{ "xchg %rax,%rbx", "4893", 2, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RBX), 0) },
	{ "nop", "90", 1, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "pause", "f390", 2, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "mov $1,%bh: the second byte of rbx", "b701", 2,
	  IS(OTHER, NO, NO, 0, BIT(RBX) | BIT(RDI), 0) },
	{ "mov $1,%dil", "40b701", 3, IS(OTHER, NO, NO, 0, BIT(RDI), 0) },
	{ "mov %al,%bh", "88c7", 2, IS(OTHER, NO, NO, 0, BIT(RBX) | BIT(RDI), 0) },
	{ "sete %bl", "0f94c3", 3, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "cmove %rax,%r13", "4c0f44e8", 4, IS(OTHER, NO, NO, 0, BIT(R13), 0) },
	{ "cmp %rax,%rbx", "4839c3", 3, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "cmp $1,%rbx", "4883fb01", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "test %rbx,%rbx", "4885db", 3, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "xor %ebx,%ebx", "31db", 2, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "lea (%rbx,%rax),%r14", "4c8d3403", 4, IS(OTHER, NO, NO, 0, BIT(R14), 0) },
	{ "movd %xmm3,%ebx", "660f7edb", 4, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "movd %ebx,%xmm3", "660f6edb", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "movq %xmm3,%xmm3", "f30f7edb", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "cvttsd2si %xmm0,%rbx", "f2480f2cd8", 5, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "cvttps2pi %xmm0,%mm3", "0f2cd8", 3, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "pmovmskb %xmm0,%ebx", "660fd7d8", 4, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "pextrq $1,%xmm3,%rbx", "66480f3a16db01", 7, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "pcmpistri $2,%xmm0,%xmm1", "660f3a63c802", 6, IS(OTHER, NO, NO, 0, BIT(RCX), 0) },
	{ "rdtsc", "0f31", 2, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RDX) | BIT(RCX), 0) },
	{ "idiv %rbx", "48f7fb", 3, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RDX), 0) },
	{ "rep stos", "f348ab", 3,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RCX) | BIT(RSI) | BIT(RDI) | BIT(R11), 0) },
	{ "xadd %rbx,%r12", "490fc1dc", 4, IS(OTHER, NO, NO, 0, BIT(RBX) | BIT(R12), 0) },
	{ "cmpxchg %rbx,%r12", "490fb1dc", 4, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(R12), 0) },
	{ "rdrand %rbx", "480fc7f3", 4, IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RDX) | BIT(RBX), 0) },
	{ "rdsspq %rbx", "f3480f1ecb", 5, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "andn %rax,%rcx,%rbx", "c4e2f0f2d8", 5,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RCX) | BIT(RBX), 0) },
	{ "mulx %rax,%r12,%rbx", "c4e29bf6d8", 5,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RBX) | BIT(R12), 0) },
	{ "blsr %rax,%rbx", "c4e2e0f3c8", 5,
	  IS(OTHER, NO, NO, 0, BIT(RAX) | BIT(RCX) | BIT(RBX), 0) },
	{ "vmovd %xmm3,%ebx", "c5f97edb", 4, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },
	{ "vmovq %xmm3,%xmm3", "c5fa7edb", 4, IS(OTHER, NO, NO, 0, 0, 0) },
	{ "vpmovmskb %ymm0,%r12d", "c57dd7e0", 4, IS(OTHER, NO, NO, 0, BIT(R12), 0) },
	{ "kmovd %k1,%ebx", "c5fb93d9", 4, IS(OTHER, NO, NO, 0, BIT(RBX), 0) },

	/* how many bytes are written at a place that is followed */
	{ "movl $1,8(%rsp)", "c744240801000000", 8, IS(OTHER, NO, RSP, 8, 0, 4) },
	{ "movw %ax,8(%rsp)", "6689442408", 5, IS(OTHER, NO, RSP, 8, 0, 2) },
	{ "movaps %xmm0,16(%rsp)", "0f29442410", 5, IS(OTHER, NO, RSP, 16, 0, 16) },
	{ "movss %xmm0,8(%rsp)", "f30f11442408", 6, IS(OTHER, NO, RSP, 8, 0, 4) },
	{ "movsd %xmm0,8(%rsp)", "f20f11442408", 6, IS(OTHER, NO, RSP, 8, 0, 8) },
	{ "movups 16(%rsp),%xmm0, a load", "0f10442410", 5, IS(OTHER, NO, RSP, 16, 0, 0) },
	{ "vmovdqa %ymm0,32(%rsp)", "c5fd7f442420", 6, IS(OTHER, NO, RSP, 32, 0, 32) },
	{ "vmovdqu64 %zmm0,(%rsp)", "62f1fe487f0424", 7, IS(OTHER, NO, RSP, 0, 0, 64) },
	{ "fstpt 16(%rsp)", "db7c2410", 4, IS(OTHER, NO, RSP, 16, 0, 10) },
	{ "fldl 8(%rsp), taken for a store", "dd442408", 4, IS(OTHER, NO, RSP, 8, 0, 8) },
	{ "lock orq $0,(%rsp), a fence", "f048830c2400", 6, IS(OTHER, NO, RSP, 0, 0, 0) },
	{ "lock orq $1,(%rsp)", "f048830c2401", 6, IS(OTHER, NO, RSP, 0, 0, 8) },
	{ "incl 4(%rsp)", "ff442404", 4, IS(OTHER, NO, RSP, 4, 0, 4) },
	{ "xsavec 64(%rsp)", "0fc7642440", 5, IS(OTHER, NO, RSP, 64, BIT(RAX) | BIT(RDX), WIDE) },
	{ "mov %rax,%fs:8(%rsp)", "644889442408", 6, IS(OTHER, NO, NO, 8, 0, 0) },
	{ "mov %rax,8(%esp)", "674889442408", 6, IS(OTHER, NO, NO, 8, 0, 0) },
	{ "popq 8(%rsp)", "8f442408", 4, IS(POP, NO, RSP, 8, 0, 8) },

	/* tables of switches */
	{ "lea 16(%rip),%rdx", "488d1510000000", 7, IS(HERE, RDX, NO, 16, 0, 0) },
	{ "movslq (%rdx,%rax,4),%rax", "48630482", 4, IS(ENTRY, RAX, RDX, 0, 0, 0) },
	{ "movslq 4(%rdx,%rax,4),%rax", "4863448204", 5, IS(OTHER, NO, NO, 4, BIT(RAX), 0) },
	{ "movslq (%rdx,%rax,8),%rax", "486304c2", 4, IS(OTHER, NO, NO, 0, BIT(RAX), 0) },
	{ "add %rdx,%rax", "4801d0", 3, IS(SUM, RAX, RDX, 0, 0, 0) },
	{ "jmp *%rax", "ffe0", 2, IS(INDIRECT, RAX, NO, 0, 0, 0) },
	{ "jmp *8(%rax)", "ff6008", 3, IS(INDIRECT, NO, NO, 8, 0, 0) },
	{ "jmp *8(,%rax,4)", "ff248508000000", 7, IS(INDIRECT, NO, NO, 8, 0, 0) },
	{ "pushw $1, and 16 bits", "666a01", 3, IS(OTHER, NO, NO, 0, BIT(RSP), 0) },
	{ "pop with a displacement that belongs to XOP", "8fe878c0", BAD, EMPTY },
	{ "xbegin", "c7f800000000", BAD, EMPTY },
	{ "APX: EVEX map 4", "62f47c0801c0", BAD, EMPTY },
	{ "APX: REX2", "d50001c0", BAD, EMPTY },
	/* EVEX counts displacements of one byte in units */
	{ "vmovdqu64 %zmm0,0x40(%rsp)", "62f1fe487f442401", 8, IS(OTHER, NO, RSP, 64, 0, 64) },
	{ "vmovdqu64 %ymm0,-0x20(%rsp)", "62f1fe287f4424ff", 8, IS(OTHER, NO, RSP, -32, 0, 32) },
	{ "vmovdqu64 %zmm0,0x100(%rsp)", "62f1fe487f842400010000", 11,
	  IS(OTHER, NO, RSP, 256, 0, 64) },
	{ "vmovsd %xmm16,8(%rsp): in units of 8, or larger ones", "62e1ff0811442401", 8,
	  IS(OTHER, NO, RSP, 1, 0, 127) },
	{ "vmovsd %xmm16,-8(%rsp)", "62e1ff08114424ff", 8, IS(OTHER, NO, RSP, -64, 0, 127) },
};

static struct cairn_bytes encoded(const char *text)
{
	static uint8_t bytes[32];
	size_t size = 0, at = 0;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)text, strlen(text) }, bytes,
	                     &size, &at));
	return (struct cairn_bytes){ bytes, size };
}

START_TEST(decodes)
{
	struct cairn_bytes code = unit_exact(encoded(rows[_i].bytes));
	struct amd64_instruction found = { .length = 0 };
	bool good = amd64_decode(code.data, code.size, &found);

	ck_assert_msg(good == (rows[_i].length > 0), "%s", rows[_i].name);
	if (!good)
		return;
	const struct amd64_instruction *is = &rows[_i].is;
	ck_assert_msg(found.length == rows[_i].length, "%s: %u bytes", rows[_i].name, found.length);
	ck_assert_msg(found.kind == is->kind, "%s: kind %d", rows[_i].name, found.kind);
	ck_assert_msg(found.reg == is->reg, "%s: register %u", rows[_i].name, found.reg);
	ck_assert_msg(found.writes == is->writes, "%s: writes 0x%x", rows[_i].name, found.writes);
	ck_assert_msg(found.width == is->width, "%s: width %u", rows[_i].name, found.width);
	ck_assert_msg(found.base == is->base, "%s: base %u", rows[_i].name, found.base);
	if (is->displacement != 0)
		ck_assert_msg(found.displacement == is->displacement, "%s: %d", rows[_i].name,
		              (int)found.displacement);
}
END_TEST

/* Cut at each length it is refused, and what follows it does not matter. */
START_TEST(needs_all_of_its_bytes)
{
	uint8_t longer[AMD64_LONGEST + 32] = { 0 };
	struct cairn_bytes code = encoded(rows[_i].bytes);
	struct amd64_instruction found;

	memset(longer, 0xc3, sizeof(longer));
	memcpy(longer, code.data, code.size);
	for (size_t size = 0; size < rows[_i].length; size++) {
		struct cairn_bytes part = unit_exact((struct cairn_bytes){ longer, size });
		ck_assert_msg(!amd64_decode(part.data, size, &found), "%s: %zu bytes",
		              rows[_i].name, size);
	}
	if (rows[_i].length > 0) {
		ck_assert(amd64_decode(longer, sizeof(longer), &found));
		ck_assert_uint_eq(found.length, rows[_i].length);
	}
}
END_TEST

/* Whatever the bytes are, an instruction has some, and no more than the longest one. */
START_TEST(never_leaves_its_bounds)
{
	uint8_t code[AMD64_LONGEST + 1];
	struct amd64_instruction found;
	uint32_t state = 1;

	for (unsigned turn = 0; turn < 200000; turn++) {
		for (size_t i = 0; i < sizeof(code); i++) {
			state = state * 1103515245 + 12345;
			code[i] = (uint8_t)(state >> 16);
		}
		code[0] = (uint8_t)turn; /* each first and second byte */
		code[1] = (uint8_t)(turn >> 8);
		if (!amd64_decode(code, sizeof(code), &found))
			continue;
		ck_assert(found.length >= 1 && found.length <= AMD64_LONGEST);
		ck_assert(found.reg < AMD64_REGISTERS || found.reg == AMD64_NONE);
		ck_assert(found.base < AMD64_REGISTERS || found.base == AMD64_NONE);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("amd64");
	TCase *tcase = tcase_create("amd64");

	tcase_add_loop_test(tcase, decodes, 0, COUNT(rows));
	tcase_add_loop_test(tcase, needs_all_of_its_bytes, 0, COUNT(rows));
	tcase_add_test(tcase, never_leaves_its_bounds);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
