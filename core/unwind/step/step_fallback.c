/* SPDX-License-Identifier: MIT */
/*
 * Unwinds frames that no unwind table describes. The methods range from following code, which
 * proves the caller, to searching the stack.
 */

#include "code_path.h"
#include "signal_trampoline.h"
#include "step.h"

#include "base/bytes.h"
#include "base/target_memory.h"

#include <string.h>

/*
 * Unwinds from a pc without code, after the program has called a null or garbage pointer. The call
 * itself succeeded, so the return address is where calls store it, and no other register has
 * changed.
 */

static bool read_return_address(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!register_known(frame, u->arch->sp))
		return false;
	if (u->arch->link)
		return unwind_read_link(u, pc);
	return unwind_read_word(u, frame->value[u->arch->sp], pc) && *pc != 0 &&
	       (unwind_leads_back(u, *pc) || unwind_may_be_return(u, *pc));
}

/*
 * Return true if JIT unwind information covers the pc. It takes precedence, because JIT code may
 * have pushed more than a return address.
 */
static bool has_rule_of_jit_code(const struct unwind_context *u)
{
	const struct jit_code_rules *rules = &u->space->made;
	struct cairn_rule rule;

	return rules->find && rules->find(rules->context, u->frame->pc, u->frame, &rule);
}

bool unwind_step_call(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t pc;

	if (u->kind != CAIRN_FRAME_PC || unwind_is_in_code(u, u->frame->pc) ||
	    !read_return_address(u, &pc) || has_rule_of_jit_code(u))
		return false;
	u->step->cfa = u->arch->link ? unwind_substitute_cfa(u)
	                             : u->frame->value[u->arch->sp] + u->arch->word;
	u->step->method = CAIRN_UNWIND_METHOD_CALL;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	/*
	 * if the caller's code is unreadable, nothing proves that the address follows a call, so
	 * mark the result as a guess
	 */
	u->step->guessed = !unwind_leads_back(u, pc);
	*caller = *u->frame;
	caller->pc = pc;
	if (!u->arch->link)
		register_set(caller, u->arch->sp, u->step->cfa);
	return true;
}

/*
 * Unwinds an innermost frame whose code is unreadable and that no unwind table describes.
 *
 * If the function has no frame yet, or never creates one (such as strlen), the frame-pointer chain
 * skips its caller, and only the link register or the top of the stack contains the return address.
 * If the function has a frame, the link register may be left over from a later call, and the top of
 * the stack may contain anything. Neither case can be proven, so the result is marked as a guess
 * unless the link register and the chain agree. An address that leads to code is preferred: the
 * chain continues from there, and no frame is lost.
 */

enum { AMD64_ALIGNMENT = 16 };

/*
 * Read the return address of a function without a frame. If the link register equals the pc, a call
 * that this function made has just returned, so the register is not the function's own return
 * address. The amd64 ABI aligns the stack before calls, so a return address on top of the stack is
 * never at an aligned address.
 */
static bool read_hidden_return(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;
	const uint64_t sp = frame->value[u->arch->sp];

	if (!register_known(frame, u->arch->sp))
		return false;
	if (!u->arch->link)
		return (frame->machine != CAIRN_MACHINE_AMD64 ||
		        sp % AMD64_ALIGNMENT == u->arch->word) &&
		       unwind_read_word(u, sp, pc) && unwind_may_be_return(u, *pc);
	if (!register_known(frame, u->arch->ra))
		return false;
	*pc = arch_strip(u->arch, frame->value[u->arch->ra], u->space->signature_bits);
	return *pc != frame->pc && unwind_may_be_return(u, *pc);
}

/*
 * Set the caller's registers to their values directly after a call, which changes only the link
 * register or pushes only the return address.
 */
static void fill_called_by(struct unwind_context *u, uint64_t pc)
{
	const uint64_t pushed = u->arch->link ? 0 : u->arch->word;

	*u->step = (struct cairn_step){ .guessed = true };
	unwind_return_to(u, u->arch->link ? CAIRN_UNWIND_METHOD_LINK : CAIRN_UNWIND_METHOD_CALL,
	                 unwind_substitute_cfa(u) + pushed, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, u->arch->sp, u->frame->value[u->arch->sp] + pushed);
}

bool unwind_step_hidden(struct unwind_context *u)
{
	const struct cairn_step before = *u->step;
	uint64_t pc;

	if (!u->hidden || u->kind != CAIRN_FRAME_PC)
		return false;
	const bool chained = unwind_step_frame_pointer(u), linked = read_hidden_return(u, &pc);
	if (chained && linked && u->arch->link && u->step->caller.pc == pc) {
		u->step->guessed = false;
		return true;
	}
	if (linked)
		fill_called_by(u, pc);
	else if (chained)
		u->step->guessed = true;
	else
		*u->step = before;
	return chained || linked;
}

/*
 * Unwind a trampoline with unreadable code by its signal frame. A signal handler returns to the
 * trampoline as to a caller, and the frame-pointer chain would skip the interrupted function.
 */
bool unwind_step_hidden_signal(struct unwind_context *u)
{
	if (!u->hidden || u->kind != CAIRN_FRAME_RETURN)
		return false;
	const struct cairn_step before = *u->step;
	*u->step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (unwind_step_signal(u, u->frame->pc))
		return true;
	*u->step = before;
	return false;
}

/*
 * Unwinds JIT code (amd64) that has stopped at an instruction without a successor, such as ud2, so
 * that no path leads to a return. If a return address is on top of the stack and the stack is
 * aligned as it is after a call, the code has pushed nothing. The result is a guess.
 */

enum { STACK_ALIGNMENT = 16 };

bool unwind_step_trap(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	const unsigned sp = u->arch->sp, word = u->arch->word;
	uint64_t pc;

	if (frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_PC ||
	    !unwind_is_jit_code(u, frame->pc) || !return_path_is_cut_off(u) ||
	    !register_known(frame, sp) || (frame->value[sp] + word) % STACK_ALIGNMENT != 0 ||
	    !memory_word(&u->space->target, frame->value[sp], false, &pc) ||
	    !unwind_may_be_return(u, pc))
		return false;
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, frame->value[sp] + word, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, sp, u->step->cfa);
	u->step->guessed = true;
	return true;
}

/*
 * Unwinds an innermost i386 frame that no unwind table describes, by following code that only
 * removes the frame up to its return (instructions as in the Intel manual, volume 2). Assembly
 * stubs for system calls have this form: they save registers, enter the kernel, restore the
 * registers and return. The frame-pointer chain would skip the calling function.
 */

enum {
	RETURN_STEPS_MAX = 32,
	LONGEST = 8,
	WORD = 4,
	ESP = 4,
	EBP = 5,
	/* number of general registers; arrays are indexed by DWARF register number */
	REGISTERS = 8,
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
 * Follow a pop, leave or ret and return the instruction's size. Return 0 for any other instruction,
 * or if memory is unreadable.
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

/* Follow add $NUMBER,%esp or lea NUMBER(%esp),%esp. */
static size_t follow_esp(struct return_path *path, const uint8_t *code)
{
	static const struct {
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
 * Follow a jump. Assume that a conditional jump is not taken, because it leads to error handling.
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
 * Follow an instruction that changes no callee-saved register: nop, kernel entry, or a test or neg
 * of eax.
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

	/* fewer bytes are readable near the end of a mapping */
	for (size = LONGEST; size > 0; size--)
		if (memory_read(&path->u->space->target, path->pc, code, size))
			break;
	for (size_t i = size; i < LONGEST; i++)
		code[i] = 0xf4; /* fill the unreadable rest with hlt, which is not followed */
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

/*
 * Unwinds by the frame chain. On most machines the frame pointer leads to a list of frame records.
 * On ppc each frame begins with the address of the caller's frame. On s390 the chain only
 * identifies the outermost function.
 */

enum {
	/* maximum size of a frame record: the caller's frame pointer and the return address */
	RECORD_MAX = 2 * 8,
	PPC64_LINK_AT = 16, /* offset of the return address in the caller's frame */
	PPC_LINK_AT = 4,
	/*
	 * number of code bytes before a call to search for the instruction that marks a thread's
	 * first function (s390)
	 */
	CLEARED_BEFORE = 64,
	XC = 6,
};

static bool read_record(const struct unwind_context *u, uint64_t *fp, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;
	uint8_t record[RECORD_MAX];
	size_t word = u->arch->word;

	if (u->arch->chain != ARCH_CHAIN_RECORDS || !register_known(frame, u->arch->fp))
		return false;
	uint64_t at = frame->value[u->arch->fp];
	bool below = register_known(frame, u->arch->sp) && at < frame->value[u->arch->sp];
	if (below || at % word != 0 || at > UINT64_MAX - RECORD_MAX ||
	    !memory_read(&u->space->target, at, record, 2 * word))
		return false;
	*fp = bytes_unsigned(record, word, frame->big_endian);
	*pc = arch_strip(u->arch, bytes_unsigned(record + word, word, frame->big_endian),
	                 u->space->signature_bits);
	return true;
}

/*
 * Return true if `pc` can be a return address: it is in the code of a module, or a signal
 * trampoline, which may lie on the stack.
 */
static bool is_return_address(struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers at = unwind_registers_at(u, pc);
	uint64_t start;

	return pc != 0 && (unwind_is_code(u, pc - 1) ||
	                   signal_trampoline_find(&u->space->target, &at, &start));
}

/*
 * Return true for the outermost frame. It has no caller, or its caller has neither a caller nor a
 * return address.
 */
static bool is_first_frame(const struct unwind_context *u, uint64_t above, uint64_t pc)
{
	uint64_t end;

	return above == 0 || (pc == 0 && unwind_read_word(u, above, &end) && end == 0);
}

/*
 * Unwind by the back chain of ppc. Each frame begins with the address of the caller's frame, in
 * which the function also stores its return address. The chain ends with 0 in the outermost frame.
 */
static bool step_by_back_chain(struct unwind_context *u)
{
	const struct arch *arch = u->arch;
	const uint64_t link = arch->word == 4 ? PPC_LINK_AT : PPC64_LINK_AT;
	uint64_t sp = u->frame->value[arch->sp], above, pc = 1;

	if (!register_known(u->frame, arch->sp) || !unwind_read_word(u, sp, &above))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	u->step->method = CAIRN_UNWIND_METHOD_FRAME_POINTER;
	u->step->cfa = above;
	const bool leads = above > sp && above % arch->word == 0 && above <= UINT64_MAX - link &&
	                   unwind_read_word(u, above + link, &pc);
	if (is_first_frame(u, above, pc))
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	if (!leads || !is_return_address(u, pc))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	unwind_return_to(u, CAIRN_UNWIND_METHOD_FRAME_POINTER, above, pc);
	register_set(&u->step->caller, arch->sp, above);
	return true;
}

/*
 * Return true if the frame belongs to the first function of a program or thread. On s390 such a
 * function clears the word at its stack pointer before it calls another function (ELF ABI, "Stack
 * backtrace"). Other functions do not touch this word unless they chain their frames.
 */
static bool is_first_by_code(const struct unwind_context *u)
{
	const uint8_t xc[XC] = { 0xd7, (uint8_t)(u->arch->word - 1), 0xf0, 0x00, 0xf0, 0x00 };
	uint8_t code[CLEARED_BEFORE];
	uint64_t above;

	if (u->kind != CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->sp) ||
	    !unwind_read_word(u, u->frame->value[u->arch->sp], &above) || above != 0 ||
	    !memory_read(&u->space->target, u->frame->pc - sizeof(code), code, sizeof(code)))
		return false;
	for (size_t at = 0; at + XC <= sizeof(code); at += 2)
		if (memcmp(code + at, xc, XC) == 0)
			return true;
	return false;
}

static bool stop_at_first(struct unwind_context *u)
{
	if (!is_first_by_code(u))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	u->step->cfa = unwind_substitute_cfa(u);
	return unwind_stop(u, CAIRN_STOP_OUTERMOST);
}

/*
 * Return true if the frame-pointer chain may skip the caller. Unreadable code may not use the frame
 * pointer, and an innermost function may not have set up its frame yet. The code of an innermost
 * function shows whether it has set up its frame. amd64 code is analyzed later. aarch64 code has
 * already been analyzed, but without a result if it ends in a trap or is too long.
 */
static bool may_skip_caller(struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers *frame = u->frame;
	const bool is_narrow =
		frame->machine == CAIRN_MACHINE_I386 || frame->machine == CAIRN_MACHINE_X32;

	return u->hidden ||
	       (u->kind == CAIRN_FRAME_PC && (is_narrow || !unwind_is_code(u, frame->pc))) ||
	       (u->undecided &&
	        arch_strip(u->arch, frame->value[u->arch->ra], u->space->signature_bits) != pc);
}

/*
 * Unwind by the frame record. On amd64 the record lies directly below the caller's frame. On
 * aarch64 the record may be anywhere in the frame, so the caller's stack pointer is unknown, and
 * its frame pointer is accepted only if it moves up.
 */
bool unwind_step_frame_pointer(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t fp, pc;

	if (u->arch->chain == ARCH_CHAIN_FRAMES)
		return step_by_back_chain(u);
	if (u->arch->chain == ARCH_CHAIN_FIRST_ONLY)
		return stop_at_first(u);
	if (!read_record(u, &fp, &pc) || !is_return_address(u, pc))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	uint64_t at = u->frame->value[u->arch->fp];
	u->step->guessed = may_skip_caller(u, pc);
	unwind_return_to(u, CAIRN_UNWIND_METHOD_FRAME_POINTER, at + 2u * u->arch->word, pc);
	if (u->arch->link)
		register_set(caller, u->arch->ra, pc);
	else
		register_set(caller, u->arch->sp, u->step->cfa);
	if (!u->arch->link || fp > at)
		register_set(caller, u->arch->fp, fp);
	return true;
}

/*
 * Unwinds by searching the stack for a return address. This last method is a guess, because it may
 * find the return address of an earlier call. It is the only method that works for minidumps
 * without the program's files.
 */

enum {
	/*
	 * maximum number of words to search in the innermost frame, which may be large and include
	 * the frame of an unknown callee
	 */
	WORDS_FIRST = 160,
	/*
	 * maximum number of words to search in other frames, which are rarely larger (same value as
	 * in Breakpad)
	 */
	WORDS_LATER = 40,
};

static void fill_scanned_caller(struct unwind_context *u, uint64_t at, uint64_t pc)
{
	struct cairn_registers *caller = &u->step->caller;
	const unsigned fp = u->arch->fp;

	unwind_return_to(u, CAIRN_UNWIND_METHOD_SCAN, at + u->arch->word, pc);
	u->step->guessed = true;
	register_set(caller, u->arch->sp, u->step->cfa);
	/*
	 * keep a frame pointer that points further up the stack, because it may be the caller's own
	 * frame pointer, from which the chain continues
	 */
	if (register_known(u->frame, fp) && u->frame->value[fp] >= u->step->cfa)
		register_set(caller, fp, u->frame->value[fp]);
}

bool unwind_scan(struct cairn_space *space, const struct cairn_registers *frame,
                 enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);
	const unsigned words = kind == CAIRN_FRAME_PC ? WORDS_FIRST : WORDS_LATER;
	uint64_t pc;

	*step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (!u.arch || !register_known(frame, u.arch->sp))
		return unwind_stop(&u, CAIRN_STOP_CFA_UNKNOWN);
	const uint64_t sp = frame->value[u.arch->sp];
	for (unsigned i = 0; i < words; i++) {
		const uint64_t at = sp + (uint64_t)i * u.arch->word;
		if (at < sp || !unwind_read_word(&u, at, &pc))
			break;
		pc = arch_strip(u.arch, pc, space->signature_bits);
		if (!unwind_may_be_return(&u, pc))
			continue;
		fill_scanned_caller(&u, at, pc);
		return true;
	}
	return unwind_stop(&u, CAIRN_STOP_NO_ROW);
}
