/* SPDX-License-Identifier: MIT */
/*
 * Analyzes all functions of a program and records where they save registers.
 *
 * Functions are analyzed first, together with the parts that they jump to, and then the parts that
 * no function has led to.
 */
#include "saved_registers.h"

#include "base/memory.h"
#include "base/sort.h"
#include "frame_writer.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_HEIGHT = 8 }; /* CFA minus stack pointer at function entry */

const uint8_t saved_register_numbers[FLOW_SAVED_REGISTERS] = { AMD64_RBX, 12, 13, 14, 15 };

struct pass {
	struct program_image *image;
	struct cairn_rules *rules;
	struct saved_registers *saved;
};

void saved_registers_free(struct saved_registers *saved)
{
	if (!saved)
		return;
	free(saved->function);
	free(saved->fact);
	free(saved);
}

static void free_saved_registers(struct saved_registers **saved)
{
	saved_registers_free(*saved);
}

/*
 * Return the index of the last function that begins at `start`, or the number of functions if none
 * does.
 */
static size_t function_number(const struct cairn_rules *rules, uint64_t start)
{
	const size_t next = SORTED_UP_TO(rules->functions, rules->function_count, start, start);

	return next > 0 && rules->functions[next - 1].start == start ? next - 1
	                                                             : rules->function_count;
}

/*
 * Return true if the code at `start` is entered by a call. Otherwise it is a part of another
 * function.
 */
static bool begins_by_call(const struct pass *pass, uint64_t start)
{
	const struct cairn_rule *rule;

	return cairn_rules_find(pass->rules, start, &rule, NULL) == CAIRN_OK &&
	       rule->cfa.kind == CAIRN_REGISTER_VALUE && rule->cfa.base == AMD64_RSP &&
	       rule->cfa.offset == CALL_HEIGHT;
}

static bool same_facts(const struct saved_registers *saved, const struct saved_function *function,
                       const struct flow_fact *facts, uint32_t count)
{
	if (function->facts != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct flow_fact *kept = &saved->fact[function->first + i];
		if (kept->start != facts[i].start ||
		    memcmp(kept->where, facts[i].where, sizeof(kept->where)) != 0)
			return false;
	}
	return true;
}

static bool append_facts(struct saved_registers *saved, struct saved_function *function,
                         const struct flow_fact *facts, uint32_t count)
{
	if (count == 0)
		return true;
	if (!array_grow(&saved->fact, &saved->room, saved->facts + count, sizeof(*facts)))
		return false;
	memcpy(saved->fact + saved->facts, facts, count * sizeof(*facts));
	function->first = saved->facts;
	function->facts = count;
	saved->facts += count;
	return true;
}

/*
 * Store the facts about a function or part. If two functions reach the same part with different
 * facts, nothing is known about it.
 */
static bool keep_facts(struct pass *pass, uint64_t start, const struct flow_fact *facts,
                       uint32_t count)
{
	size_t number = function_number(pass->rules, start);

	if (number == pass->rules->function_count)
		return true;
	struct saved_function *function = &pass->saved->function[number];
	if (function->facts > 0)
		function->disputed |= !same_facts(pass->saved, function, facts, count);
	else
		return append_facts(pass->saved, function, facts, count);
	return true;
}

/* Store the facts about the requested function and about the parts that were analyzed with it. */
static bool keep_pieces(struct pass *pass, uint64_t asked)
{
	const struct flow *flow = pass->image->space->flow;

	for (uint32_t p = 0; p < flow->pieces; p++) {
		const uint64_t start = flow->piece[p].va;
		uint32_t count;
		const struct flow_fact *facts = flow_facts(flow, p, &count);
		if ((start == asked || !begins_by_call(pass, start)) &&
		    !keep_facts(pass, start, facts, count))
			return false;
	}
	return true;
}

static void spend_steps(struct saved_registers *saved, uint64_t steps)
{
	saved->steps -= saved->steps < steps ? saved->steps : steps;
}

static bool learn_function(struct pass *pass, uint64_t start)
{
	static const struct flow_fact untouched = {
		0, { FLOW_SAME, FLOW_SAME, FLOW_SAME, FLOW_SAME, FLOW_SAME }
	};
	struct program_image *image = pass->image;

	switch (function_code_analyze(image->space, image->module, &pass->saved->work, start)) {
	case FUNCTION_CODE_UNTOUCHED:
		return keep_facts(pass, start, &untouched, 1);
	case FUNCTION_CODE_ANALYZED:
		spend_steps(pass->saved, image->space->flow->steps);
		return keep_pieces(pass, start);
	case FUNCTION_CODE_UNKNOWN:
		spend_steps(pass->saved, FLOW_STEPS / 64);
		break;
	}
	return true;
}

/* Analyze the functions that are entered by a call, or the parts that are still unknown. */
static bool learn_functions(struct pass *pass, bool parts, void (*poll)(void *), void *context)
{
	const struct cairn_rules *rules = pass->rules;

	for (size_t i = 0; i < rules->function_count && pass->saved->steps > 0; i++) {
		const uint64_t start = rules->functions[i].start;
		bool shadowed =
			i + 1 < rules->function_count && rules->functions[i + 1].start == start;
		if (poll)
			poll(context);
		if (shadowed || pass->saved->function[i].facts > 0 ||
		    begins_by_call(pass, start) == parts)
			continue;
		if (!learn_function(pass, start))
			return false;
	}
	return true;
}

static bool allocate_work(const struct pass *pass)
{
	struct cairn_space *space = pass->image->space;
	size_t count = pass->rules->function_count;

	pass->saved->function = calloc(count ? count : 1, sizeof(*pass->saved->function));
	if (!space->flow)
		space->flow = malloc(sizeof(*space->flow));
	return pass->saved->function && space->flow;
}

struct saved_registers *saved_registers_new(struct program_image *image, void (*poll)(void *),
                                            void *poll_context)
{
	WITH_CLEANUP(free_saved_registers)
	struct saved_registers *saved = calloc(1, sizeof(*saved));
	struct pass pass = { image, image->module->rules, saved };

	if (!saved || !allocate_work(&pass))
		return NULL;
	saved->steps = FLOW_STEPS;
	for (size_t i = 0; i < pass.rules->function_count; i++)
		saved->steps += (uint64_t)FRAME_WRITER_STEPS * pass.rules->functions[i].size;
	if (image->module->machine == CAIRN_MACHINE_AMD64 &&
	    (!learn_functions(&pass, false, poll, poll_context) ||
	     !learn_functions(&pass, true, poll, poll_context)))
		return NULL;
	struct saved_registers *made = saved;
	saved = NULL;
	return made;
}

const struct flow_fact *saved_registers_find(const struct saved_registers *saved, size_t function,
                                             uint64_t offset, uint64_t *until)
{
	const struct saved_function *f = &saved->function[function];
	const struct flow_fact *base;

	*until = UINT64_MAX;
	if (f->facts == 0 || f->disputed)
		return NULL;
	/* After the check, because saved->fact is NULL if no function has facts. */
	base = saved->fact + f->first;
	for (uint32_t left = f->facts; left > 1;) {
		uint32_t half = left / 2;
		if (base[half].start <= offset)
			base += half;
		left -= half;
	}
	if (base + 1 < saved->fact + f->first + f->facts)
		*until = base[1].start;
	return base;
}
