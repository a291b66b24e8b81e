/* SPDX-License-Identifier: MIT */
/* Records the results of the data flow: the location of each register by pc range. */
#include "flow_state.h"

#include <string.h>

enum { WORD = 8 };

static const uint8_t told_registers[FLOW_SAVED_REGISTERS] = { AMD64_RBX, 12, 13, 14, 15 };

/* A walk over a piece in address order, with the state before the current instruction. */
struct teller {
	struct flow *flow;
	const struct flow_piece *piece;
	struct flow_state state;
};

static int16_t locate_saved_register(const struct flow_state *state, unsigned told)
{
	const struct flow_value *value = &state->value[told_registers[told]];
	int32_t slot = state->slot[told];

	if (slot % WORD == 0 && slot / WORD < 0 && slot / WORD >= INT16_MIN)
		return (int16_t)(slot / WORD);
	bool same = value->kind == FLOW_CALLERS && value->number == told_registers[told];
	return same && slot == 0 ? FLOW_SAME : FLOW_UNKNOWN;
}

static bool append_flow_fact(struct teller *t, uint32_t start)
{
	struct flow *f = t->flow;
	struct flow_fact fact = { .start = start },
			 *last = f->facts ? &f->fact[f->facts - 1] : NULL;

	for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++)
		fact.where[k] =
			t->state.reached ? locate_saved_register(&t->state, k) : FLOW_UNKNOWN;
	if (f->facts > t->piece->first_fact &&
	    memcmp(last->where, fact.where, sizeof(fact.where)) == 0)
		return true;
	if (f->facts == FLOW_FACTS)
		return false;
	f->fact[f->facts++] = fact;
	return true;
}

static void enter_instruction(struct teller *t, const struct flow_instruction *i)
{
	const struct flow *f = t->flow;

	if (i->state != FLOW_NOTHING)
		t->state = f->state[i->state];
	if (t->state.reached && !flow_state_agrees(&t->state, &f->row[i->row]))
		t->state.reached = false;
}

static void leave_instruction(struct teller *t, const struct flow_instruction *i)
{
	const uint64_t end = flow_va_after(t->piece, i);

	if (!t->state.reached)
		return;
	if (i->is.kind == AMD64_RETURN)
		t->flow->broken |= flow_state_lost(&t->state);
	flow_state_run(&t->state, &i->is, (int64_t)(end - t->flow->piece[0].va));
	t->state.reached = amd64_goes_on((enum amd64_kind)i->is.kind);
}

static bool append_piece_facts(struct flow *f, struct flow_piece *piece)
{
	struct teller t = { .flow = f, .piece = piece };

	piece->first_fact = f->facts;
	for (uint32_t n = 0; n < piece->count; n++) {
		const struct flow_instruction *i = &f->instruction[piece->first + n];
		enter_instruction(&t, i);
		if (!append_flow_fact(&t, i->at - piece->at))
			return false;
		leave_instruction(&t, i);
	}
	piece->facts = f->facts - piece->first_fact;
	return true;
}

bool flow_write_facts(struct flow *f)
{
	f->facts = 0;
	f->broken = 0;
	for (uint32_t p = 0; p < f->pieces; p++)
		if (!append_piece_facts(f, &f->piece[p]))
			return false;
	for (uint32_t n = 0; n < f->facts; n++)
		for (unsigned k = 0; k < FLOW_SAVED_REGISTERS; k++)
			if (f->broken >> k & 1)
				f->fact[n].where[k] = FLOW_UNKNOWN;
	return true;
}
