/* SPDX-License-Identifier: MIT */
/*
 * Operations on states of the data flow: contents of registers, and the stack slots that hold the
 * caller's registers.
 *
 * Stack locations are relative to the CFA. The bytes below the stack pointer belong to a leaf
 * function (the red zone), so a call ends slots there; so does moving the stack pointer above a
 * slot.
 */
#include "flow_state.h"

#include <string.h>

enum {
	WORD = 8,
	FAR = 1 << 30, /* larger offsets are not followed, so that sums cannot overflow */
	RED_ZONE = 128,
	ARRIVAL_SP = -WORD, /* location of the return address */
};

/* Registers that a call may change. */
#define SCRATCH (1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 15u << 8)

static const uint8_t kept_registers[FLOW_TRACKED_REGISTERS] = {
	AMD64_RBX, 12, 13, 14, 15, AMD64_RBP
};

/* Return the index of a DWARF register in kept_registers, or FLOW_TRACKED_REGISTERS. */
static unsigned find_tracked(unsigned reg)
{
	unsigned k = 0;

	while (k < FLOW_TRACKED_REGISTERS && kept_registers[k] != reg)
		k++;
	return k;
}

static struct flow_value make_value(enum flow_kind kind, int64_t number)
{
	bool near = number > -FAR && number < FAR;

	return (struct flow_value){ .kind = near ? kind : FLOW_OTHER,
		                    .number = near && kind != FLOW_OTHER ? (int32_t)number : 0 };
}

static const struct flow_value other = { FLOW_OTHER, 0 };

static bool same_value(struct flow_value a, struct flow_value b)
{
	return a.kind == b.kind && a.number == b.number;
}

void flow_state_enter(struct flow_state *state)
{
	memset(state, 0, sizeof(*state));
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		state->value[i] = other;
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		state->value[kept_registers[k]] = make_value(FLOW_CALLERS, kept_registers[k]);
	state->value[AMD64_RSP] = make_value(FLOW_CFA, ARRIVAL_SP);
}

bool flow_state_agrees(struct flow_state *state, const struct flow_row *row)
{
	if (row->base == AMD64_NONE)
		return true;
	struct flow_value *base = &state->value[row->base];
	const struct flow_value told = make_value(FLOW_CFA, -(int64_t)row->offset);
	if (base->kind == FLOW_OTHER)
		*base = told;
	return same_value(*base, told);
}

bool flow_state_join(struct flow_state *state, const struct flow_state *from)
{
	bool changed = !state->reached;

	if (changed) {
		*state = *from;
		state->reached = true;
		return true;
	}
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if (state->value[i].kind != FLOW_OTHER &&
		    !same_value(state->value[i], from->value[i])) {
			state->value[i] = other;
			changed = true;
		}
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] && state->slot[k] != from->slot[k]) {
			state->slot[k] = 0;
			changed = true;
		}
	return changed;
}

/* End the slots that a write at this offset from the CFA overlaps. */
static void write_stack(struct flow_state *state, int64_t at, int64_t width)
{
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] && state->slot[k] < at + width && state->slot[k] + WORD > at)
			state->slot[k] = 0;
}

static void write_memory(struct flow_state *state, const struct amd64_instruction *i)
{
	if (i->width == 0 || i->base == AMD64_NONE || state->value[i->base].kind != FLOW_CFA)
		return;
	write_stack(state, (int64_t)state->value[i->base].number + i->displacement, i->width);
}

static void drop_below_stack(struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];

	for (unsigned k = 0; sp->kind == FLOW_CFA && k < FLOW_TRACKED_REGISTERS; k++)
		if (state->slot[k] < sp->number)
			state->slot[k] = 0;
}

static void set_value(struct flow_state *state, unsigned reg, struct flow_value value)
{
	state->value[reg] = value;
	if (reg == AMD64_RSP)
		drop_below_stack(state);
}

static void change_registers(struct flow_state *state, unsigned bits)
{
	for (unsigned i = 0; bits; i++, bits >>= 1)
		if (bits & 1)
			state->value[i] = other;
}

/*
 * Store a register at an offset from the CFA. It becomes a slot if it lies below the return address
 * and not below the red zone.
 */
static void store_register(struct flow_state *state, unsigned reg, int64_t at)
{
	const struct flow_value *value = &state->value[reg];
	const struct flow_value *sp = &state->value[AMD64_RSP];

	write_stack(state, at, WORD);
	if (value->kind != FLOW_CALLERS || at % WORD != 0 || at > 2 * ARRIVAL_SP || at <= -FAR ||
	    (sp->kind == FLOW_CFA && at < (int64_t)sp->number - RED_ZONE))
		return;
	unsigned k = find_tracked((unsigned)value->number);
	if (k < FLOW_TRACKED_REGISTERS && state->slot[k] == 0)
		state->slot[k] = (int32_t)at;
}

/*
 * Return the value at an offset from the CFA. Loading a caller's register back to itself ends its
 * slot.
 */
static struct flow_value load_slot(struct flow_state *state, unsigned reg, int64_t at)
{
	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++) {
		if (state->slot[k] == 0 || state->slot[k] != at)
			continue;
		if (kept_registers[k] == reg)
			state->slot[k] = 0;
		return make_value(FLOW_CALLERS, kept_registers[k]);
	}
	return other;
}

static void move_stack(struct flow_state *state, int32_t bytes)
{
	struct flow_value *sp = &state->value[AMD64_RSP];

	if (sp->kind == FLOW_CFA)
		set_value(state, AMD64_RSP, make_value(FLOW_CFA, (int64_t)sp->number + bytes));
	else
		*sp = other;
}

static void push_register(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value value = i->reg == AMD64_NONE ? other : state->value[i->reg];

	move_stack(state, -WORD);
	const struct flow_value *sp = &state->value[AMD64_RSP];
	if (sp->kind != FLOW_CFA)
		return;
	if (i->reg != AMD64_NONE && value.kind == FLOW_CALLERS)
		store_register(state, i->reg, sp->number);
	else
		write_stack(state, sp->number, WORD);
}

static void pop_register(struct flow_state *state, unsigned reg)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];
	struct flow_value value = sp->kind == FLOW_CFA ? load_slot(state, reg, sp->number) : other;

	move_stack(state, WORD);
	if (reg != AMD64_NONE)
		set_value(state, reg, value);
}

static void set_address_value(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value value = state->value[i->base];

	if (value.kind == FLOW_CFA || value.kind == FLOW_CODE_ADDRESS)
		value = make_value(value.kind, (int64_t)value.number + i->displacement);
	else if (i->displacement != 0)
		value = other;
	set_value(state, i->reg, value);
}

static void set_sum(struct flow_state *state, const struct amd64_instruction *i)
{
	struct flow_value a = state->value[i->reg], b = state->value[i->base];
	bool target = (a.kind == FLOW_TABLE_ENTRY && b.kind == FLOW_CODE_ADDRESS) ||
	              (a.kind == FLOW_CODE_ADDRESS && b.kind == FLOW_TABLE_ENTRY);

	set_value(state, i->reg,
	          target && a.number == b.number ? make_value(FLOW_TARGET, a.number) : other);
}

static void access_stack(struct flow_state *state, const struct amd64_instruction *i)
{
	const struct flow_value *base = &state->value[i->base];
	bool known = base->kind == FLOW_CFA;
	int64_t at = known ? (int64_t)base->number + i->displacement : 0;

	if (i->kind == AMD64_LOAD)
		set_value(state, i->reg, known ? load_slot(state, i->reg, at) : other);
	else if (known)
		store_register(state, i->reg, at);
}

void flow_state_run(struct flow_state *state, const struct amd64_instruction *i, int64_t end)
{
	change_registers(state, i->writes);
	switch ((enum amd64_kind)i->kind) {
	case AMD64_ADDRESS:
		set_address_value(state, i);
		break;
	case AMD64_HERE:
		set_value(state, i->reg, make_value(FLOW_CODE_ADDRESS, end + i->displacement));
		break;
	case AMD64_ENTRY:
		set_value(state, i->reg,
		          state->value[i->base].kind == FLOW_CODE_ADDRESS
		                  ? make_value(FLOW_TABLE_ENTRY, state->value[i->base].number)
		                  : other);
		break;
	case AMD64_SUM:
		set_sum(state, i);
		break;
	case AMD64_PUSH:
		push_register(state, i);
		break;
	case AMD64_POP:
		pop_register(state, i->reg);
		write_memory(state, i);
		break;
	case AMD64_LEAVE:
		set_value(state, AMD64_RSP, state->value[AMD64_RBP]);
		pop_register(state, AMD64_RBP);
		break;
	case AMD64_STORE:
	case AMD64_LOAD:
		access_stack(state, i);
		break;
	case AMD64_CALL:
		change_registers(state, SCRATCH);
		drop_below_stack(state);
		break;
	case AMD64_OTHER:
		write_memory(state, i);
		break;
	case AMD64_JUMP:
	case AMD64_BRANCH:
	case AMD64_INDIRECT:
	case AMD64_TABLE_JUMP:
	case AMD64_RETURN:
	case AMD64_STOP:
		break;
	}
}

uint8_t flow_state_lost(const struct flow_state *state)
{
	uint8_t lost = 0;

	for (unsigned k = 0; k < FLOW_TRACKED_REGISTERS; k++)
		if (!same_value(state->value[kept_registers[k]],
		                make_value(FLOW_CALLERS, kept_registers[k])))
			lost |= (uint8_t)(1u << k);
	return lost;
}
