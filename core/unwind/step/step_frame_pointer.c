/* SPDX-License-Identifier: MIT */
/*
 * Unwinds by the frame chain: frame records that the frame pointer leads to, or on ppc the frames
 * themselves, each of which begins with the address of the caller's frame. On s390 the chain only
 * identifies the first function.
 */
#include "methods.h"

#include "base/bytes.h"
#include "signal_trampoline.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	RECORD_MAX = 2 * 8, /* bytes: the caller's frame pointer and the return address */
	PPC64_LINK_AT = 16, /* offset of the return address in the caller's frame */
	PPC_LINK_AT = 4,
	CLEARED_BEFORE = 64, /* bytes of code before the call in a first function */
	XC = 6,
};

/* Read the frame record. Return false if the frame pointer cannot point to one. */
static bool read_record(const struct unwind_context *u, uint64_t *fp, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;
	uint8_t record[RECORD_MAX];
	size_t word = u->arch->word;

	if (!u->arch->chain || !register_known(frame, u->arch->fp))
		return false;
	uint64_t at = frame->value[u->arch->fp];
	bool below = register_known(frame, u->arch->sp) && at < frame->value[u->arch->sp];
	if (below || at % word != 0 || at > UINT64_MAX - RECORD_MAX ||
	    !memory_read(&u->space->target, at, record, 2 * word))
		return false;
	*fp = bytes_unsigned(record, word, frame->big_endian);
	*pc = arch_strip(frame->machine, bytes_unsigned(record + word, word, frame->big_endian),
	                 u->space->signature_bits);
	return true;
}

/*
 * Return true if `pc` can be a return address: code of a module, or a signal trampoline, which may
 * lie on the stack.
 */
static bool is_return_address(struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers at = unwind_registers_at(u, pc);
	uint64_t start;

	return pc != 0 && (unwind_is_code(u, pc - 1) ||
	                   signal_trampoline_find(&u->space->target, &at, &start));
}

/*
 * Return true for the first frame: it has no caller, or the frame above it has neither a caller nor
 * a return address.
 */
static bool is_first_frame(const struct unwind_context *u, uint64_t above, uint64_t pc)
{
	uint64_t end;

	return above == 0 || (pc == 0 && unwind_read_word(u, above, &end) && end == 0);
}

/*
 * Unwind by the back chain of ppc. Each frame begins with the address of the caller's frame, in
 * which the function also stores its return address. The first frame has 0 there.
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
 * Return true if the frame belongs to a first function. On s390 the first function of a program or
 * thread clears the word at its stack pointer before it calls another function (ELF ABI, "Stack
 * backtrace"). Other functions do not touch it unless they chain their frames.
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
 * Return true if the chain may skip the caller. Code that cannot be read may not use the frame
 * pointer. The innermost function may not have set up its frame yet: amd64 code is analyzed
 * afterwards to find out, aarch64 code was analyzed before, without a result if it ends in a trap
 * or continues too long.
 */
static bool may_skip_caller(struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers *frame = u->frame;
	const bool is_narrow =
		frame->machine == CAIRN_MACHINE_I386 || frame->machine == CAIRN_MACHINE_X32;

	return u->hidden ||
	       (u->kind == CAIRN_FRAME_PC && (is_narrow || !unwind_is_code(u, frame->pc))) ||
	       (u->untold && arch_strip(frame->machine, frame->value[u->arch->ra],
	                                u->space->signature_bits) != pc);
}

/*
 * Unwind by the frame record. On amd64 the record lies where the caller's frame begins. On aarch64
 * it may be anywhere in the frame, so the caller's stack pointer is unknown, and its frame pointer
 * is known only if it moves up.
 */
bool unwind_step_frame_pointer(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t fp, pc;

	if (u->frame->machine == CAIRN_MACHINE_PPC64 || u->frame->machine == CAIRN_MACHINE_PPC)
		return step_by_back_chain(u);
	if (u->frame->machine == CAIRN_MACHINE_S390 || u->frame->machine == CAIRN_MACHINE_S390X)
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
