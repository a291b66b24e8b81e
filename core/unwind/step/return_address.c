/* SPDX-License-Identifier: MIT */
/* Judges whether an address is a return address: it lies in code and follows a call. */
#include "step.h"

#include "signal_trampoline.h"

#include "isa/calls.h"
#include "unwind/target/memory.h"

enum {
	CALL_MAX = 7, /* longest call without redundant prefixes, in bytes */
};

/*
 * Return true if a call ends at `pc`. On machines whose calls are not known, every address
 * qualifies. Calls of i386 and x32 have the same bytes as on amd64. Set *hidden if the code is
 * unreadable.
 */
static bool is_after_call(const struct cairn_target *target, enum cairn_machine of, uint64_t pc,
                          bool *hidden)
{
	const bool is_x86 = of == CAIRN_MACHINE_I386 || of == CAIRN_MACHINE_X32;
	const enum cairn_machine machine = is_x86 ? CAIRN_MACHINE_AMD64 : of;
	struct calls_instruction instruction;
	uint8_t code[CALL_MAX];

	*hidden = false;
	if (!calls_supported(machine))
		return true;
	*hidden = !memory_read(target, pc - CALL_MAX, code, sizeof(code));
	if (*hidden)
		return false;
	for (size_t at = 0; at < sizeof(code); at++)
		if (calls_next(machine, (struct cairn_bytes){ code, sizeof(code) }, at,
		               &instruction) &&
		    instruction.is_call && at + instruction.length == sizeof(code))
			return true;
	return false;
}

bool unwind_is_made_code(const struct unwind_context *u, uint64_t pc)
{
	const struct generated_code *code = &u->space->code;

	return code->contains && code->contains(code->context, pc) && !space_find(u->space, pc);
}

bool unwind_is_in_code(const struct unwind_context *u, uint64_t pc)
{
	struct module *module = space_find(u->space, pc);

	return module ? module_is_code(module, pc - module->bias) : unwind_is_made_code(u, pc);
}

bool unwind_is_return(const struct unwind_context *u, uint64_t pc)
{
	bool hidden;

	return unwind_is_in_code(u, pc - 1) &&
	       is_after_call(&u->space->target, u->frame->machine, pc, &hidden);
}

bool unwind_leads_back(const struct unwind_context *u, uint64_t pc)
{
	const struct cairn_registers at = unwind_registers_at(u, pc);
	uint64_t start;

	return unwind_is_return(u, pc) ||
	       (signal_trampoline_find(&u->space->target, &at, &start) && start == pc);
}

bool unwind_may_be_return(const struct unwind_context *u, uint64_t pc)
{
	bool hidden;

	return pc != 0 && unwind_is_in_code(u, pc - 1) &&
	       (is_after_call(&u->space->target, u->frame->machine, pc, &hidden) || hidden);
}

bool unwind_is_return_frame(struct cairn_space *space, const struct cairn_registers *frame)
{
	struct cairn_step step;
	const struct unwind_context u = unwind_begin(space, frame, CAIRN_FRAME_RETURN, &step);

	return u.arch && unwind_is_return(&u, frame->pc);
}

static bool is_known_start(const struct module *module, uint64_t va)
{
	for (unsigned i = 0; i < MODULE_STARTS; i++)
		if (va != 0 && module->starts[i] == va)
			return true;
	return false;
}

/*
 * Remember addresses that do not follow a call. Code is assumed not to change while its module is
 * loaded, like its tables.
 */
bool cairn_space_follows_call(struct cairn_space *space, uint64_t pc)
{
	struct module *module = space_query(space, pc);
	if (!module)
		return true;
	uint64_t va = pc - module->bias;
	bool hidden;
	if (is_known_start(module, va))
		return false;
	if (is_after_call(&space->target, module->machine, pc, &hidden))
		return true;
	module->starts[module->next_start++ % MODULE_STARTS] = va;
	return false;
}

bool unwind_read_link(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!register_known(frame, u->arch->ra))
		return false;
	*pc = arch_strip(frame->machine, frame->value[u->arch->ra], u->space->signature_bits);
	return *pc != 0 && (unwind_leads_back(u, *pc) || unwind_may_be_return(u, *pc));
}
