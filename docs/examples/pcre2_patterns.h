/* SPDX-License-Identifier: MIT */
/*
 * What PCRE2 10.42 needs to show its compiled patterns by libcairn-jit (amd64): scripts/pcre2.sh puts this file beside pcre2_jit_compile.c, behind the
 * assembler that PCRE2 brings (sljit), and calls cairn_add_pattern() and cairn_jit_remove() where code comes and goes.
 *
 * A pattern has one frame of fixed size. Its subroutines have none: the first instruction takes the return address off the stack, and the last two
 * put it there and return. Only the assembler knows where these are, so that three of its functions leave labels.
 */
#include "cairn_jit.h"

#include <stdio.h>

enum { CAIRN_MARKS = 1024, CAIRN_ROWS = 3 * CAIRN_MARKS, CAIRN_SAVED = 5, CAIRN_NAME = 32 };
enum cairn_mark_kind { CAIRN_ENTER, CAIRN_ENTERED, CAIRN_RETURNED, CAIRN_EPILOGUE };

static __thread struct cairn_mark {
	enum cairn_mark_kind kind;
	struct sljit_label *label;
} cairn_mark[CAIRN_MARKS];
static __thread size_t cairn_marks;

static void cairn_set_mark(struct sljit_compiler *compiler, enum cairn_mark_kind kind)
{
	if (cairn_marks < CAIRN_MARKS)
		cairn_mark[cairn_marks++] = (struct cairn_mark){ kind, sljit_emit_label(compiler) };
}

static sljit_s32 cairn_emit_enter(struct sljit_compiler *compiler, sljit_s32 options,
                                  sljit_s32 types, sljit_s32 scratches, sljit_s32 saveds,
                                  sljit_s32 fscratches, sljit_s32 fsaveds, sljit_s32 local_size)
{
	cairn_marks = 0; /* another pattern begins */
	return sljit_emit_enter(compiler, options, types, scratches, saveds, fscratches, fsaveds,
	                        local_size);
}

static sljit_s32 cairn_emit_fast_enter(struct sljit_compiler *compiler, sljit_s32 dst,
                                       sljit_sw dstw)
{
	cairn_set_mark(compiler, CAIRN_ENTER);
	sljit_s32 status = sljit_emit_fast_enter(compiler, dst, dstw);
	cairn_set_mark(compiler, CAIRN_ENTERED);
	return status;
}

static sljit_s32 cairn_emit_op_src(struct sljit_compiler *compiler, sljit_s32 op, sljit_s32 src,
                                   sljit_sw srcw)
{
	sljit_s32 status = sljit_emit_op_src(compiler, op, src, srcw);
	if (op == SLJIT_FAST_RETURN)
		cairn_set_mark(compiler, CAIRN_RETURNED);
	return status;
}

static sljit_s32 cairn_emit_return(struct sljit_compiler *compiler, sljit_s32 op, sljit_s32 src,
                                   sljit_sw srcw)
{
	cairn_set_mark(compiler, CAIRN_EPILOGUE);
	return sljit_emit_return(compiler, op, src, srcw);
}

#define sljit_emit_enter cairn_emit_enter
#define sljit_emit_fast_enter cairn_emit_fast_enter
#define sljit_emit_op_src cairn_emit_op_src
#define sljit_emit_return cairn_emit_return

/* Past where the stack pointer is moved by a constant (`second`: 0xec sub, 0xc4 add), up to 64 bytes further; 0: nowhere. */
static uint32_t cairn_find_move(const uint8_t *code, size_t size, uint32_t from, uint8_t second,
                                uint32_t *by)
{
	for (uint32_t at = from; at < from + 64 && at + 7 <= size; at++) {
		const uint8_t *is = code + at;
		if (is[0] != 0x48 || (is[1] != 0x83 && is[1] != 0x81) || is[2] != second)
			continue;
		*by = is[1] == 0x83
		              ? is[3]
		              : (uint32_t)is[3] | (uint32_t)is[4] << 8 | (uint32_t)is[5] << 16;
		return at + (is[1] == 0x83 ? 4 : 7);
	}
	return 0;
}

/* rbx, r15 to r12, in the order in which they are pushed */
static const struct cairn_jit_saved cairn_saved[CAIRN_SAVED] = {
	{ 3, -16 }, { 15, -24 }, { 14, -32 }, { 13, -40 }, { 12, -48 }
};
static const uint8_t cairn_push_size[CAIRN_SAVED] = { 1, 2, 2, 2, 2 };
static __thread struct cairn_jit_row cairn_row[CAIRN_ROWS + 4 * CAIRN_SAVED];
static __thread size_t cairn_rows;

static void cairn_set_row(uint32_t offset, uint32_t depth, size_t saved)
{
	if (cairn_rows > 0 && cairn_row[cairn_rows - 1].offset == offset)
		cairn_rows--;
	cairn_row[cairn_rows++] =
		(struct cairn_jit_row){ offset, 7, (int32_t)depth, cairn_saved, saved };
}

static _Atomic unsigned cairn_patterns; /* PCRE2 does not keep their texts */

static cairn_jit_code *cairn_add_pattern(const uint8_t *code, size_t size)
{
	const uint32_t pushed = 8 * (1 + CAIRN_SAVED);
	uint32_t frame = 0, at = code && code[0] == 0xf3 ? 4 : 0, moved;
	char name[CAIRN_NAME];

	cairn_rows = 0;
	cairn_set_row(0, 8, 0);
	for (size_t i = 0; i < CAIRN_SAVED; i++)
		cairn_set_row(at += cairn_push_size[i], 16 + 8 * (uint32_t)i, i + 1);
	moved = code ? cairn_find_move(code, size, at, 0xec, &frame) : 0;
	if (moved == 0)
		return NULL;
	cairn_set_row(moved, pushed + frame, CAIRN_SAVED);
	for (size_t i = 0; i < cairn_marks; i++) {
		at = (uint32_t)(sljit_get_label_addr(cairn_mark[i].label) - (sljit_uw)code);
		if (cairn_mark[i].kind == CAIRN_ENTER)
			cairn_set_row(at, pushed + frame + 8, CAIRN_SAVED);
		else if (cairn_mark[i].kind == CAIRN_RETURNED)
			cairn_set_row(at - 1, pushed + frame + 8, CAIRN_SAVED);
		else if (cairn_mark[i].kind == CAIRN_EPILOGUE) {
			at = cairn_find_move(code, size, at, 0xc4, &frame);
			cairn_set_row(at, pushed, CAIRN_SAVED);
			for (size_t left = CAIRN_SAVED; left-- > 0;)
				cairn_set_row(at += cairn_push_size[left], 8 + 8 * (uint32_t)left,
				              left);
			at++; /* past the `ret` */
		}
		if (cairn_mark[i].kind != CAIRN_ENTER && at < size)
			cairn_set_row(at, pushed + frame, CAIRN_SAVED);
	}
	snprintf(name, sizeof(name), "pattern_%u", ++cairn_patterns);
	struct cairn_jit_function function = {
		.code = code,
		.size = size,
		.name = name,
		.frame = { .kind = CAIRN_JIT_ROWS, .rows = cairn_row, .row_count = cairn_rows }
	};
	return cairn_jit_add(&function);
}
