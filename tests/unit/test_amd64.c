/* SPDX-License-Identifier: MIT */
/* Instructions as an assembler makes them: their length, and what they do to the stack. */
#include "engine/amd64.h"

#include "unit.h"

#include "base/hex.h"

enum { ANY = 0xff, BAD = 0 }; /* no push: any register; length 0: refused */

static const struct {
	const char *name, *bytes;
	size_t length;
	enum amd64_kind kind;
	unsigned reg;
	unsigned base; /* of a store */
	int32_t displacement;
} rows[] = {
	/* pushes, by DWARF number */
	{ "push %rax", "50", 1, AMD64_PUSH, 0, 0, 0 },
	{ "push %rcx", "51", 1, AMD64_PUSH, 2, 0, 0 },
	{ "push %rdx", "52", 1, AMD64_PUSH, 1, 0, 0 },
	{ "push %rbx", "53", 1, AMD64_PUSH, 3, 0, 0 },
	{ "push %rsp", "54", 1, AMD64_PUSH, 7, 0, 0 },
	{ "push %rbp", "55", 1, AMD64_PUSH, 6, 0, 0 },
	{ "push %rsi", "56", 1, AMD64_PUSH, 4, 0, 0 },
	{ "push %rdi", "57", 1, AMD64_PUSH, 5, 0, 0 },
	{ "push %r8", "4150", 2, AMD64_PUSH, 8, 0, 0 },
	{ "push %r12", "4154", 2, AMD64_PUSH, 12, 0, 0 },
	{ "push %r13", "4155", 2, AMD64_PUSH, 13, 0, 0 },
	{ "push %r14", "4156", 2, AMD64_PUSH, 14, 0, 0 },
	{ "push %r15", "4157", 2, AMD64_PUSH, 15, 0, 0 },
	{ "rex.W push %rbx", "4853", 2, AMD64_PUSH, 3, 0, 0 },
	{ "a REX before another prefix does not count", "416653", 3, AMD64_PUSH, 3, 0, 0 },

	/* the frame pointer */
	{ "mov %rsp,%rbp", "4889e5", 3, AMD64_SET_FRAME, ANY, 0, 0 },
	{ "mov %rsp,%rbp, the other way", "488bec", 3, AMD64_SET_FRAME, ANY, 0, 0 },
	{ "mov %esp,%ebp", "89e5", 2, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rsp,%r13", "4989e5", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %r12,%rbp", "4c89e5", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rsp,%rbx", "4889e3", 3, AMD64_OTHER, ANY, 0, 0 },

	/* other changes of the stack pointer */
	{ "sub $24,%rsp", "4883ec18", 4, AMD64_STACK, ANY, 0, 0 },
	{ "sub $4096,%rsp", "4881ec00100000", 7, AMD64_STACK, ANY, 0, 0 },
	{ "sub $24,%rbx", "4883eb18", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "sub $24,%r12", "4983ec18", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "and $-16,%rsp", "4883e4f0", 4, AMD64_STACK, ANY, 0, 0 },
	{ "sub %rax,%rsp", "4829c4", 3, AMD64_STACK, ANY, 0, 0 },
	{ "sub %rax,%rsp, the other way", "482be0", 3, AMD64_STACK, ANY, 0, 0 },
	{ "mov %rbp,%rsp", "4889ec", 3, AMD64_STACK, ANY, 0, 0 },
	{ "mov (%rax),%rsp", "488b20", 3, AMD64_STACK, ANY, 0, 0 },
	{ "mov (%rax),%r12", "4c8b20", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "lea -8(%r10),%rsp", "498d62f8", 4, AMD64_STACK, ANY, 0, 0 },
	{ "lea -32(%rbp),%rsp", "488d65e0", 4, AMD64_STACK, ANY, 0, 0 },
	{ "lea 8(%rsp),%r10", "4c8d542408", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "lea 8(%rsp),%rax", "488d442408", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "pop %rbx", "5b", 1, AMD64_STACK, ANY, 0, 0 },
	{ "pop %r12", "415c", 2, AMD64_STACK, ANY, 0, 0 },
	{ "push $1", "6a01", 2, AMD64_STACK, ANY, 0, 0 },
	{ "push $0x12345678", "6878563412", 5, AMD64_STACK, ANY, 0, 0 },
	{ "push 8(%r10)", "41ff7208", 4, AMD64_STACK, ANY, 0, 0 },
	{ "pop (%rax)", "8f00", 2, AMD64_STACK, ANY, 0, 0 },
	{ "pushf", "9c", 1, AMD64_STACK, ANY, 0, 0 },
	{ "popf", "9d", 1, AMD64_STACK, ANY, 0, 0 },
	{ "enter $16,$0", "c8100000", 4, AMD64_STACK, ANY, 0, 0 },
	{ "leave", "c9", 1, AMD64_STACK, ANY, 0, 0 },

	/* stores at a fixed place on the stack */
	{ "mov %rax,(%rsp)", "48890424", 4, AMD64_STORE, 0, 7, 0 },
	{ "mov %rbx,8(%rsp)", "48895c2408", 5, AMD64_STORE, 3, 7, 8 },
	{ "mov %r13,0x100(%rsp)", "4c89ac2400010000", 8, AMD64_STORE, 13, 7, 0x100 },
	{ "mov %r12,-0x10(%rbp)", "4c8965f0", 4, AMD64_STORE, 12, 6, -0x10 },
	{ "mov %rbp,-0x200(%rbp)", "4889ad00feffff", 7, AMD64_STORE, 6, 6, -0x200 },
	{ "mov %ebx,8(%rsp)", "895c2408", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rbx,(%rsp,%rax)", "48891c04", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rbx,8(%r12)", "49895c2408", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rbx,0(%r13)", "49895d00", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rbx,(%rbx)", "48891b", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "mov 8(%rsp),%rbx", "488b5c2408", 5, AMD64_OTHER, ANY, 0, 0 },

	/* leaving the line */
	{ "call", "e800000000", 5, AMD64_BRANCH, ANY, 0, 0 },
	{ "jmp", "e900000000", 5, AMD64_BRANCH, ANY, 0, 0 },
	{ "jmp, short", "eb10", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "je, short", "7410", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "jne", "0f8510000000", 6, AMD64_BRANCH, ANY, 0, 0 },
	{ "jrcxz", "e310", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "loop", "e210", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "call *%rax", "ffd0", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "call *16(%rip)", "ff1510000000", 6, AMD64_BRANCH, ANY, 0, 0 },
	{ "notrack jmp *%rax", "3effe0", 3, AMD64_BRANCH, ANY, 0, 0 },
	{ "jmp *8(,%rax,8)", "ff24c508000000", 7, AMD64_BRANCH, ANY, 0, 0 },
	{ "inc %eax", "ffc0", 2, AMD64_OTHER, ANY, 0, 0 },
	{ "ret", "c3", 1, AMD64_BRANCH, ANY, 0, 0 },
	{ "ret $8", "c20800", 3, AMD64_BRANCH, ANY, 0, 0 },
	{ "repz ret", "f3c3", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "int3", "cc", 1, AMD64_BRANCH, ANY, 0, 0 },
	{ "hlt", "f4", 1, AMD64_BRANCH, ANY, 0, 0 },
	{ "syscall", "0f05", 2, AMD64_BRANCH, ANY, 0, 0 },
	{ "ud2", "0f0b", 2, AMD64_BRANCH, ANY, 0, 0 },

	/* memory operands */
	{ "mov %rax,0x10(%rbx)", "48894310", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,0x1000(%rbx)", "48898300100000", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,0x10(%rip)", "48890510000000", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,0x10", "4889042510000000", 8, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,(%rbx,%rcx,2)", "4889044b", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,0x10(%rbx,%rcx,2)", "4889444b10", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %rax,0x1000(%rbx,%rcx,2)", "4889844b00100000", 8, AMD64_OTHER, ANY, 0, 0 },
	{ "mov %fs:0x28,%rax", "64488b042528000000", 9, AMD64_OTHER, ANY, 0, 0 },

	/* immediates */
	{ "movabs $1,%rax", "48b80100000000000000", 10, AMD64_OTHER, ANY, 0, 0 },
	{ "mov $1,%eax", "b801000000", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "mov $1,%ax", "66b80100", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "mov $1,%al", "b001", 2, AMD64_OTHER, ANY, 0, 0 },
	{ "movabs 8 bytes of address,%al", "a00100000000000000", 9, AMD64_OTHER, ANY, 0, 0 },
	{ "add $1,%eax", "0501000000", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "add $1,%ax", "66050100", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "data16 add $1,%rax", "66480501000000", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "data16 mov $1,%rax", "6648c7c001000000", 8, AMD64_OTHER, ANY, 0, 0 },
	{ "movl $1,(%rsp)", "c7042401000000", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "movw $1,(%rsp)", "66c704240100", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "movb $1,(%rsp)", "c6042401", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "imul $100,%rbx,%rax", "486bc364", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "imul $1000,%rbx,%rax", "4869c3e8030000", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "shl $4,%rax", "48c1e004", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "shl %cl,%rax", "48d3e0", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "test $1,%bl", "f6c301", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "test $1,%ebx", "f7c301000000", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "test $1,%bx", "66f7c30100", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "neg %rax", "48f7d8", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "not %bl", "f6d3", 2, AMD64_OTHER, ANY, 0, 0 },

	/* the map behind 0f */
	{ "endbr64", "f30f1efa", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "nopw 0(%rax,%rax,1)", "660f1f440000", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "cs nopw 0x0(%rax,%rax,1)", "662e0f1f840000000000", 10, AMD64_OTHER, ANY, 0, 0 },
	{ "movzbl (%rax),%eax", "0fb600", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "movaps %xmm0,-0x10(%rbp)", "0f2945f0", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "movdqa (%rax),%xmm1", "660f6f08", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "cvtsi2sd %rax,%xmm0", "f2480f2ac0", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "pshufd $0,%xmm0,%xmm1", "660f70c800", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "psrldq $8,%xmm0", "660f73d808", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "bt $3,%eax", "0fbae003", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "shld $4,%rax,%rbx", "480fa4c304", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "cmpxchg %rcx,(%rdx)", "480fb10a", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "bswap %rax", "480fc8", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "cpuid", "0fa2", 2, AMD64_OTHER, ANY, 0, 0 },
	{ "shufps $1,%xmm0,%xmm1", "0fc6c801", 4, AMD64_OTHER, ANY, 0, 0 },

	/* the maps behind 0f38 and 0f3a */
	{ "pshufb %xmm0,%xmm1", "660f3800c8", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "crc32q (%rax),%rbx", "f2480f38f118", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "movbe 0x10(%rax),%ebx", "0f38f05810", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "palignr $4,%xmm0,%xmm1", "660f3a0fc804", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "roundsd $1,0x10(%rip),%xmm0", "660f3a0b051000000001", 10, AMD64_OTHER, ANY, 0, 0 },

	/* VEX and EVEX */
	{ "vzeroupper", "c5f877", 3, AMD64_OTHER, ANY, 0, 0 },
	{ "vmovaps %ymm0,(%rax)", "c5fc2900", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "vmovdqu 0x20(%rsp),%ymm8", "c57e6f442420", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "vpshufd $1,%xmm0,%xmm1", "c5f970c801", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "vpbroadcastb %xmm0,%ymm0", "c4e27d78c0", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "vinserti128 $1,%xmm1,%ymm0,%ymm0", "c4e37d38c101", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "shlx %rax,%rbx,%rcx", "c4e2f9f7cb", 5, AMD64_OTHER, ANY, 0, 0 },
	{ "rorx $3,%rax,%rbx", "c4e3fbf0d803", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "vpush is no push: opcode 50 behind VEX", "c5f850c0", 4, AMD64_OTHER, ANY, 0, 0 },
	{ "vmovdqu64 %zmm0,(%rax)", "62f1fe487f00", 6, AMD64_OTHER, ANY, 0, 0 },
	{ "vmovdqu64 0x40(%rax),%zmm0", "62f1fe486f4001", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "vpternlogd $0xff,%zmm0,%zmm0,%zmm0", "62f37d4825c0ff", 7, AMD64_OTHER, ANY, 0, 0 },
	{ "vpshufd $1,%zmm0,%zmm1", "62f17d4870c801", 7, AMD64_OTHER, ANY, 0, 0 },

	/* the longest, and one byte more */
	{ "15 bytes", "666666666666480f3800c00f", 11, AMD64_OTHER, ANY, 0, 0 },
	{ "prefixes up to the end", "6666666666666666666666666666c3", 15, AMD64_BRANCH, ANY, 0, 0 },
	{ "16 bytes", "666666666666666666666666666666c3", BAD, AMD64_OTHER, ANY, 0, 0 },

	/* not defined in 64-bit mode, and not known */
	{ "push %es", "06", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "pusha", "60", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "82 /0", "82c001", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "call far", "9a", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "aam", "d40a", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "into", "ce", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "0f04", "0f04", BAD, AMD64_OTHER, ANY, 0, 0 },

	/* cut off */
	{ "nothing", "", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "a prefix alone", "66", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "a REX alone", "48", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "the map alone", "0f", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "the third map alone", "0f38", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "no ModRM", "89", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "no SIB", "8904", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "a byte of displacement is missing", "488943", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "part of a displacement", "488983001000", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "part of an immediate", "48b8010000000000", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "part of a target", "e8000000", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "VEX alone", "c5", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "VEX without its opcode", "c4e27d", BAD, AMD64_OTHER, ANY, 0, 0 },
	{ "EVEX without its immediate", "62f37d4825c0", BAD, AMD64_OTHER, ANY, 0, 0 },
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
	ck_assert_msg(found.length == rows[_i].length, "%s: %zu bytes", rows[_i].name,
	              found.length);
	ck_assert_msg(found.kind == rows[_i].kind, "%s: kind %d", rows[_i].name, (int)found.kind);
	ck_assert_msg(rows[_i].reg == ANY || found.reg == rows[_i].reg, "%s: register %u",
	              rows[_i].name, found.reg);
	if (found.kind == AMD64_STORE)
		ck_assert_msg(found.base == rows[_i].base &&
		                      found.displacement == rows[_i].displacement,
		              "%s: %d from %u", rows[_i].name, (int)found.displacement, found.base);
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
		ck_assert_uint_lt(found.reg, 16);
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
