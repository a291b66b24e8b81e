/* SPDX-License-Identifier: MIT */
/*
 * Unwinds from a pc without code: the program called a null or garbage pointer. The call itself
 * took place, so the return address is where calls leave it, and nothing else has changed since.
 */
#include "methods.h"

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
 * Return true if JIT unwind information covers the pc. It takes precedence because JIT code may
 * have pushed more than a return address.
 */
static bool has_rule_of_made_code(const struct unwind_context *u)
{
	const struct made_code_rules *rules = &u->space->made;
	struct cairn_rule rule;

	return rules->find && rules->find(rules->context, u->frame->pc, u->frame, &rule);
}

bool unwind_step_call(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t pc;

	if (u->kind != CAIRN_FRAME_PC || unwind_is_in_code(u, u->frame->pc) ||
	    !read_return_address(u, &pc) || has_rule_of_made_code(u))
		return false;
	u->step->cfa = u->arch->link ? unwind_substitute_cfa(u)
	                             : u->frame->value[u->arch->sp] + u->arch->word;
	u->step->method = CAIRN_UNWIND_METHOD_CALL;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	/* without readable code nothing proves that a call precedes the address */
	u->step->guessed = !unwind_leads_back(u, pc);
	*caller = *u->frame;
	caller->pc = pc;
	if (!u->arch->link)
		register_set(caller, u->arch->sp, u->step->cfa);
	return true;
}
