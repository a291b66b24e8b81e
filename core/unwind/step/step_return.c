/* SPDX-License-Identifier: MIT */
/*
 * Unwinds an innermost i386 frame that no table describes, by following code that only takes down
 * the frame up to its return (instructions as in the Intel manual, volume 2). System call stubs
 * written in assembly are like this: they save registers, enter the kernel, restore the registers
 * and return. The frame chain would skip the calling function.
 */
#include "methods.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	RETURN_STEPS_MAX = 32,
	LONGEST = 8,
	WORD = 4,
	ESP = 4,
	EBP = 5,
	REGISTERS = 8, /* numbers are DWARF numbers */
};

struct return_path {
	const struct unwind_context *u;
	uint32_t pc, esp;
	uint32_t value[REGISTERS];
	uint32_t known;
	bool returned;
};

static uint32_t read_signed_byte(uint8_t byte)
{
	return byte < 0x80 ? byte : byte - 0x100u;
}

static bool pop_word(struct return_path *path, uint32_t *word)
{
	uint64_t read;

	if (!unwind_read_word(path->u, path->esp, &read))
		return false;
	*word = (uint32_t)read;
	path->esp += WORD;
	return true;
}

static void set_value(struct return_path *path, unsigned number, uint32_t value)
{
	path->value[number] = value;
	path->known |= 1u << number;
}

/*
 * Follow one instruction and return its size. Return 0 if it is not a pop, leave or ret, or if its
 * memory is unreadable.
 */
static size_t follow_pop(struct return_path *path, const uint8_t *code)
{
	uint32_t word;

	if (code[0] >> 3 == 0x58 >> 3 && (code[0] & 7) != ESP) {
		if (!pop_word(path, &word))
			return 0;
		set_value(path, code[0] & 7, word);
		return 1;
	}
	if (code[0] == 0xc9 && path->known >> EBP & 1) { /* leave */
		path->esp = path->value[EBP];
		if (!pop_word(path, &word))
			return 0;
		set_value(path, EBP, word);
		return 1;
	}
	if (code[0] != 0xc3 && code[0] != 0xc2) /* ret, ret $number */
		return 0;
	path->returned = pop_word(path, &path->pc);
	if (code[0] == 0xc2)
		path->esp += bytes_u16(code + 1, false);
	return path->returned ? 1 : 0;
}

/* Follow add $number,%esp or lea number(%esp),%esp. */
static size_t follow_esp(struct return_path *path, const uint8_t *code)
{
	static const struct {
		/* size of the opcode bytes, and size of the number */
		uint8_t code[3], size, number;
	} moves[] = {
		{ { 0x83, 0xc4 }, 2, 1 },
		{ { 0x81, 0xc4 }, 2, 4 },
		{ { 0x8d, 0x64, 0x24 }, 3, 1 },
		{ { 0x8d, 0xa4, 0x24 }, 3, 4 },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (memcmp(code, moves[i].code, moves[i].size) == 0) {
			const uint8_t *number = code + moves[i].size;
			path->esp += moves[i].number == 1 ? read_signed_byte(*number)
			                                  : bytes_u32(number, false);
			return (size_t)moves[i].size + moves[i].number;
		}
	return 0;
}

/*
 * Follow a jump. An unconditional jump moves the pc. A conditional jump is assumed not taken
 * because it leads to error handling.
 */
static size_t follow_jump(struct return_path *path, const uint8_t *code)
{
	if (code[0] == 0xeb) {
		path->pc += read_signed_byte(code[1]);
		return 2;
	}
	if (code[0] == 0xe9) {
		path->pc += bytes_u32(code + 1, false);
		return 5;
	}
	if (code[0] >> 4 == 7)
		return 2;
	return code[0] == 0x0f && code[1] >> 4 == 8 ? 6 : 0;
}

/* Follow a move of a constant or register into a register other than the stack pointer. */
static size_t follow_move(struct return_path *path, const uint8_t *code)
{
	const bool from_register = code[0] == 0x89 && code[1] >= 0xc0;
	const unsigned into = from_register ? code[1] & 7u : code[0] & 7u;

	if ((!from_register && code[0] >> 3 != 0xb8 >> 3) || into == ESP)
		return 0;
	path->known &= ~(1u << into);
	return from_register ? 2 : 5;
}

/*
 * Follow instructions that change no callee-saved register: nop, kernel entry, and tests and neg of
 * eax.
 */
static size_t follow_rest(const uint8_t *code)
{
	static const struct {
		uint8_t code[2];
		uint8_t significant, size;
	} passed[] = {
		{ { 0x90, 0 }, 1, 1 },    { { 0xcd, 0x80 }, 2, 2 }, { { 0x0f, 0x34 }, 2, 2 },
		{ { 0x0f, 0x05 }, 2, 2 }, { { 0x3d, 0 }, 1, 5 },    { { 0x83, 0xf8 }, 2, 3 },
		{ { 0x85, 0xc0 }, 2, 2 }, { { 0xf7, 0xd8 }, 2, 2 },
	};

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (code[0] == passed[i].code[0] &&
		    (passed[i].significant == 1 || code[1] == passed[i].code[1]))
			return passed[i].size;
	return 0;
}

static bool follow_instruction(struct return_path *path)
{
	uint8_t code[LONGEST];
	size_t size;

	/* near the end of a mapping fewer bytes are readable */
	for (size = LONGEST; size > 0; size--)
		if (memory_read(&path->u->space->target, path->pc, code, size))
			break;
	for (size_t i = size; i < LONGEST; i++)
		code[i] = 0xf4; /* hlt, which is not followed */
	const uint32_t at = path->pc;
	size_t length = follow_pop(path, code);
	if (path->returned)
		return true;
	if (!length)
		length = follow_esp(path, code);
	if (!length)
		length = follow_jump(path, code);
	if (!length)
		length = follow_move(path, code);
	if (!length)
		length = follow_rest(code);
	path->pc += (uint32_t)length;
	return length > 0 && length <= size && path->pc != at;
}

static void fill_caller(struct unwind_context *u, const struct return_path *path)
{
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, path->esp, path->pc);
	for (unsigned i = 0; i < REGISTERS; i++)
		if ((u->arch->saved & path->known) >> i & 1)
			register_set(&u->step->caller, i, path->value[i]);
	register_set(&u->step->caller, ESP, path->esp);
}

bool unwind_step_return(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	struct return_path path = { .u = u, .pc = (uint32_t)frame->pc };

	if (frame->machine != CAIRN_MACHINE_I386 || u->kind != CAIRN_FRAME_PC ||
	    !register_known(frame, ESP))
		return false;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (register_known(frame, i))
			set_value(&path, i, (uint32_t)frame->value[i]);
	path.esp = (uint32_t)frame->value[ESP];
	for (unsigned i = 0; i < RETURN_STEPS_MAX && !path.returned; i++)
		if (!follow_instruction(&path))
			return false;
	if (!path.returned || path.esp <= frame->value[ESP] || !unwind_may_be_return(u, path.pc))
		return false;
	fill_caller(u, &path);
	return true;
}
