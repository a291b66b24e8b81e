/* SPDX-License-Identifier: MIT */
/* Propagates states through the code of a function until they settle; see flow.h. */
#include "flow.h"

#include "flow_state.h"

#include "base/invariant.h"

/* Return true for an instruction without effect, which compilers put before aligned addresses. */
static bool is_padding(const struct amd64_instruction *i)
{
	return i->kind == AMD64_OTHER && i->writes == 0 && i->width == 0;
}

/*
 * Return true if an exception may land here: after a call, after padding, or where the previous
 * instruction does not fall through.
 */
static bool is_pad(const struct flow *f, uint32_t number)
{
	if (!f->catches || number == 0)
		return false;
	enum amd64_kind before = (enum amd64_kind)f->instruction[number - 1].is.kind;
	return before == AMD64_CALL || !amd64_goes_on(before) ||
	       is_padding(&f->instruction[number - 1].is);
}

/* Give a state to each instruction that can be reached otherwise than by falling through. */
static void place_states(struct flow *f)
{
	f->states = 0;
	for (uint32_t n = 0; n < f->targets; n++)
		f->instruction[f->target[n]].landing = true;
	for (uint32_t n = 0; n < f->instructions && !f->failed; n++) {
		struct flow_instruction *i = &f->instruction[n];
		i->state = FLOW_NOTHING;
		if (!i->landing && !f->wild && n != 0 && !is_pad(f, n))
			continue;
		f->failed = f->states == FLOW_STATES;
		if (f->failed)
			break;
		f->place[f->states] = n;
		i->state = f->states++;
		f->state[i->state].reached = f->state[i->state].changed = false;
	}
}

static const struct flow_row *row_of(const struct flow *f, uint32_t number)
{
	return &f->row[f->instruction[number].row];
}

/* Merge `from`, the state of one path, into the state of an instruction. */
static void reach_instruction(struct flow *f, uint32_t number, const struct flow_state *from)
{
	struct flow_state state = *from;
	struct flow_state *to = &f->state[f->instruction[number].state];

	f->steps++;
	if (!flow_state_agrees(&state, row_of(f, number)) || !flow_state_join(to, &state))
		return;
	to->changed = true;
	if (f->instruction[number].state < f->lowest)
		f->lowest = f->instruction[number].state;
}

/*
 * Merge the state of a call into the facts of all calls with its stack pointer, and pass these
 * facts to all landing pads.
 */
static void throw_from(struct flow *f, const struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];
	uint32_t h = 0;

	while (h < f->heights && (f->thrown[h].value[AMD64_RSP].kind != sp->kind ||
	                          f->thrown[h].value[AMD64_RSP].number != sp->number))
		h++;
	if (h == FLOW_HEIGHTS) {
		f->failed = true;
		return;
	}
	if (h == f->heights)
		f->thrown[f->heights++].reached = false;
	if (!flow_state_join(&f->thrown[h], state))
		return;
	for (uint32_t s = 0; s < f->states && f->steps < FLOW_STEPS; s++)
		if (is_pad(f, f->place[s]))
			reach_instruction(f, f->place[s], &f->thrown[h]);
}

static void reach_all(struct flow *f, const struct flow_state *state)
{
	for (uint32_t n = 0; n < f->instructions && f->steps < FLOW_STEPS; n++)
		reach_instruction(f, n, state);
}

/* Return true if the caller's frame is restored, so that a jump leads to another function. */
static bool is_tail_call(const struct flow_state *state)
{
	const struct flow_value *sp = &state->value[AMD64_RSP];

	return sp->kind == FLOW_CFA && sp->number == -8 && flow_state_lost(state) == 0;
}

static void jump_by_table(struct flow *f, const struct flow_state *state, struct flow_need wanted)
{
	const struct flow_table *table = flow_find_table(f, wanted.va);

	for (uint32_t n = 0; table && n < table->count; n++)
		reach_instruction(f, f->target[table->first + n], state);
	if (table && table->count > 0)
		return;
	if (!table && f->tables < FLOW_TABLES)
		flow_request(f, FLOW_NEEDS_TABLE, wanted);
	else if (f->wild)
		reach_all(f, state);
	else if (!is_tail_call(state))
		f->wild = f->want == FLOW_DONE;
}

static void jump_indirectly(struct flow *f, const struct amd64_instruction *i,
                            const struct flow_state *state)
{
	const struct flow_value *value = i->reg == AMD64_NONE ? NULL : &state->value[i->reg];
	uint64_t here = f->piece[0].va;

	if (i->kind == AMD64_TABLE_JUMP) {
		jump_by_table(
			f, state,
			(struct flow_need){ .va = (uint64_t)(int64_t)i->displacement, .size = 8 });
	} else if (value && value->kind == FLOW_TARGET) {
		uint64_t va = here + (uint64_t)(int64_t)value->number;
		jump_by_table(f, state, (struct flow_need){ va, va, 4, 0 });
	} else if (f->wild) {
		reach_all(f, state);
	} else if (!is_tail_call(state)) {
		f->wild = true;
	}
}

/* Follow the jump of an instruction. Return false if it does not fall through. */
static bool leave_instruction(struct flow *f, const struct flow_instruction *i,
                              const struct flow_state *state)
{
	const enum amd64_kind kind = (enum amd64_kind)i->is.kind;

	if (i->target != FLOW_NOTHING)
		reach_instruction(f, i->target, state);
	else if (kind == AMD64_INDIRECT || kind == AMD64_TABLE_JUMP)
		jump_indirectly(f, &i->is, state);
	return amd64_goes_on(kind);
}

/*
 * Follow code from an instruction with a state up to the next one with a state, or to where it does
 * not fall through.
 */
static void follow_line(struct flow *f, const struct flow_piece *piece, uint32_t number)
{
	const uint32_t end = piece->first + piece->count;
	struct flow_state state = f->state[f->instruction[number].state];

	for (uint32_t n = number;;) {
		const struct flow_instruction *i = &f->instruction[n];
		f->steps++;
		flow_state_run(&state, &i->is, (int64_t)(flow_va_after(piece, i) - f->piece[0].va));
		if (f->catches && i->is.kind == AMD64_CALL)
			throw_from(f, &state);
		if (!leave_instruction(f, i, &state) || ++n == end)
			return;
		if (f->instruction[n].state != FLOW_NOTHING) {
			reach_instruction(f, n, &state);
			return;
		}
		if (!flow_state_agrees(&state, row_of(f, n)))
			return;
	}
}

static bool is_over(const struct flow *f, bool wild)
{
	return f->failed || f->want != FLOW_DONE || f->steps >= FLOW_STEPS || f->wild != wild;
}

static const struct flow_piece *piece_of(const struct flow *f, uint32_t number)
{
	const struct flow_piece *piece = f->piece;

	while (number - piece->first >= piece->count)
		piece++;
	return piece;
}

static void sweep_states(struct flow *f, uint32_t from, bool wild)
{
	for (uint32_t s = from; s < f->states && !is_over(f, wild); s++) {
		f->steps++;
		if (!f->state[s].changed)
			continue;
		f->state[s].changed = false;
		follow_line(f, piece_of(f, f->place[s]), f->place[s]);
	}
}

/*
 * Propagate states until they settle. Each sweep begins at the lowest state that the previous one
 * changed.
 */
static void settle_states(struct flow *f)
{
	const bool wild = f->wild;
	struct flow_state entry;

	place_states(f);
	f->lowest = FLOW_NOTHING;
	f->heights = 0;
	flow_state_enter(&entry);
	reach_instruction(f, 0, &entry);
	while (f->lowest != FLOW_NOTHING && !is_over(f, wild)) {
		uint32_t from = f->lowest;
		f->lowest = FLOW_NOTHING;
		sweep_states(f, from, wild);
	}
}

enum flow_status flow_run(struct flow *f)
{
	bool wild;

	f->want = FLOW_DONE;
	f->failed = f->failed || f->pieces == 0;
	do {
		wild = f->wild;
		flow_link_jumps(f);
		if (f->want == FLOW_DONE && !f->failed)
			settle_states(f);
	} while (f->wild != wild && !is_over(f, f->wild));
	if (f->want != FLOW_DONE)
		return f->want;
	f->failed = f->failed || f->steps >= FLOW_STEPS || !flow_write_facts(f);
	return f->failed ? FLOW_FAILED : FLOW_DONE;
}

const struct flow_fact *flow_facts(const struct flow *f, uint32_t piece, uint32_t *count)
{
	INVARIANT(piece < f->pieces);
	*count = f->piece[piece].facts;
	return f->fact + f->piece[piece].first_fact;
}
