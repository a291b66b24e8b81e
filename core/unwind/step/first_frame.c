/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the first frame of a stack by the code after its call, or by the program's entry
 * point.
 */
#include "first_frame.h"

#include "base/bytes.h"
#include "isa/amd64.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	/* the exit system call must begin within this many instructions after the call */
	END_INSTRUCTIONS = 8,
	STACK_ALIGNMENT = 16,
	/*
	 * bytes before the pc that are searched for the instructions with which musl's clone sets
	 * the system call number
	 */
	CLONE_BYTES = 48,
};

/* Return true for system call 60 or 231, which end a thread or a process. */
static bool is_exit(const uint8_t *code, size_t size)
{
	static const struct {
		uint8_t size, code[7];
	} exits[] = {
		{ 4, { 0xb0, 60, 0x0f, 0x05 } }, /* mov $60,%al; syscall */
		{ 4, { 0xb0, 231, 0x0f, 0x05 } },
		{ 7, { 0xb8, 60, 0, 0, 0, 0x0f, 0x05 } }, /* mov $60,%eax; syscall */
		{ 7, { 0xb8, 231, 0, 0, 0, 0x0f, 0x05 } },
	};

	for (size_t i = 0; i < sizeof(exits) / sizeof(*exits); i++)
		if (size >= exits[i].size && memcmp(code, exits[i].code, exits[i].size) == 0)
			return true;
	return false;
}

/*
 * Return true if the frame is in make_fcontext() of Boost.Context, which is also part of PHP. It
 * puts the address of code that calls _exit(0) below the function of a new stack. On amd64 a hlt
 * follows that call; on aarch64 the code follows a ret, so no call precedes it.
 */
static bool is_end_of_context(const struct unwind_context *u)
{
	enum { INSTRUCTION = 4 };
	static const uint8_t zero[] = { 0x48, 0x31, 0xff }; /* xor %rdi,%rdi */
	uint8_t code[3 * INSTRUCTION];

	if (u->frame->machine == CAIRN_MACHINE_AMD64)
		return memory_read(&u->space->target, u->frame->pc, code, sizeof(zero) + 6) &&
		       memcmp(code, zero, sizeof(zero)) == 0 && code[3] == 0xe8 && code[8] == 0xf4;
	return u->frame->machine == CAIRN_MACHINE_AARCH64 &&
	       memory_read(&u->space->target, u->frame->pc - INSTRUCTION, code, sizeof(code)) &&
	       bytes_u32(code, false) == 0xd65f03c0u &&
	       (bytes_u32(code + INSTRUCTION, false) & ~0x80000000u) ==
	               0x52800000u &&                                  /* mov x0,#0 */
	       bytes_u32(code + 2 * INSTRUCTION, false) >> 26 == 0x25; /* bl */
}

bool first_frame_ends_thread(const struct unwind_context *u)
{
	uint8_t code[(END_INSTRUCTIONS + 1) * AMD64_LONGEST];
	struct amd64_instruction is;

	if (u->kind == CAIRN_FRAME_RETURN && is_end_of_context(u))
		return true;
	if (u->frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_RETURN)
		return false;
	const size_t size = memory_read_some(&u->space->target, u->frame->pc, code, sizeof(code));
	for (size_t i = 0, at = 0; i < END_INSTRUCTIONS; i++, at += is.length) {
		if (is_exit(code + at, size - at))
			return true;
		if (!amd64_decode(code + at, size - at, &is) ||
		    (is.kind != AMD64_OTHER && is.kind != AMD64_ADDRESS))
			return false;
	}
	return false;
}

/* Return true after mov $NUMBER,%eax; syscall of clone3 or clone. */
static bool is_after_numbered_clone(const struct unwind_context *u)
{
	enum { CLONE_SIZE = 7 };
	static const uint8_t clones[][CLONE_SIZE] = { { 0xb8, 0xb3, 0x01, 0, 0, 0x0f, 0x05 },
		                                      { 0xb8, 56, 0, 0, 0, 0x0f, 0x05 } };
	uint8_t code[CLONE_SIZE];

	return memory_read(&u->space->target, u->frame->pc - CLONE_SIZE, code, sizeof(code)) &&
	       (memcmp(code, clones[0], CLONE_SIZE) == 0 ||
	        memcmp(code, clones[1], CLONE_SIZE) == 0);
}

/* Return true for a move that leaves the system call number alone and falls through. */
static bool moves_argument(const struct amd64_instruction *is)
{
	switch (is->kind) {
	case AMD64_OTHER:
	case AMD64_STORE:
		return !(is->writes & 1u << AMD64_RAX);
	case AMD64_ADDRESS:
	case AMD64_LOAD:
		return is->reg != AMD64_RAX;
	default:
		return false;
	}
}

/*
 * Return true if only argument moves precede the system call. musl sets up argument registers there
 * and stores a function on the new stack.
 */
static bool leads_to_system_call(const uint8_t *code, size_t size)
{
	static const uint8_t call[] = { 0x0f, 0x05 };
	struct amd64_instruction is;
	size_t at = 0;

	for (; size - at > sizeof(call); at += is.length)
		if (!amd64_decode(code + at, size - at, &is) || !moves_argument(&is) ||
		    is.length > size - at - sizeof(call))
			return false;
	return size - at == sizeof(call) && memcmp(code + at, call, sizeof(call)) == 0;
}

/* Return true after musl's xor %eax,%eax; mov $56,%al; ...; syscall. */
static bool is_after_short_clone(const struct unwind_context *u)
{
	static const uint8_t number[] = { 0x31, 0xc0, 0xb0, 56 };
	uint8_t code[CLONE_BYTES];

	if (!memory_read(&u->space->target, u->frame->pc - sizeof(code), code, sizeof(code)))
		return false;
	for (size_t at = 0; at + sizeof(number) < sizeof(code); at++) {
		const size_t behind = at + sizeof(number);
		if (memcmp(code + at, number, sizeof(number)) == 0 &&
		    leads_to_system_call(code + behind, sizeof(code) - behind))
			return true;
	}
	return false;
}

bool first_frame_is_new_thread(const struct unwind_context *u)
{
	enum { RAX = 0 };
	uint64_t back;

	if (u->frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_PC ||
	    !register_known(u->frame, RAX) || u->frame->value[RAX] != 0 ||
	    !register_known(u->frame, u->arch->sp) ||
	    !(is_after_numbered_clone(u) || is_after_short_clone(u)))
		return false;
	return !memory_word(&u->space->target, u->frame->value[u->arch->sp], false, &back) ||
	       !unwind_is_return(u, back);
}

/*
 * Return true for the first frame of a stack. The kernel enters signal handlers like the first
 * frame of a program, so an address that does not follow a call is their trampoline.
 */
static bool is_first_frame(struct cairn_space *space, const struct cairn_registers *frame)
{
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	struct unwind_context u = unwind_begin(space, frame, CAIRN_FRAME_RETURN, &step);

	if (!unwind_is_return(&u, frame->pc))
		return true;
	if (!unwind_find_module(&u))
		return false;
	unwind_note_uncovered_entry(&u);
	return step.at_entry || first_frame_ends_thread(&u);
}

bool first_frame_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct cairn_registers first = { .machine = u->frame->machine };
	const unsigned word = u->arch->word;

	if (u->kind != CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->sp))
		return false;
	for (uint64_t i = 1; i <= FIRST_FRAME_WORDS; i++) {
		*cfa = u->frame->value[u->arch->sp] + i * word;
		if (!memory_word(&u->space->target, *cfa - word, false, &first.pc) ||
		    !(unwind_leads_back(u, first.pc) || unwind_may_be_return(u, first.pc)))
			continue;
		register_set(&first, u->arch->sp, *cfa);
		*caller = first;
		return *cfa % STACK_ALIGNMENT == 0 && unwind_leads_back(u, first.pc) &&
		       is_first_frame(u->space, &first);
	}
	return false;
}
