/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the data-flow analysis: operations on states and on the code they belong
 * to.
 */
#ifndef CAIRN_UNWIND_CODE_FLOW_STATE_H
#define CAIRN_UNWIND_CODE_FLOW_STATE_H

#include "flow.h"

void flow_state_enter(struct flow_state *state);

/*
 * Add the facts that `row` states. Return false if they contradict the state, so that no path can
 * lead here in this state.
 */
bool flow_state_agrees(struct flow_state *state, const struct flow_row *row);

/*
 * Reduce `state` to the facts that both states share. Return true if it lost facts, or was not
 * reached before.
 */
bool flow_state_join(struct flow_state *state, const struct flow_state *other);

/* Apply one instruction. `end` is the offset of its end from the first byte of the first piece. */
void flow_state_run(struct flow_state *state, const struct amd64_instruction *instruction,
                    int64_t end);

/* Return a bit mask of the tracked registers that do not have the caller's value. */
uint8_t flow_state_lost(const struct flow_state *state);

uint64_t flow_va_after(const struct flow_piece *piece, const struct flow_instruction *instruction);

enum flow_status flow_request(struct flow *flow, enum flow_status what, struct flow_need wanted);

/* Resolve all jump targets. A target outside the pieces may be requested. */
void flow_link_jumps(struct flow *flow);

/* Return the table that begins at `va`, or NULL if it was not requested yet. */
struct flow_table *flow_find_table(struct flow *flow, uint64_t va);

/* Record the facts after states have settled. Return false if there are too many. */
bool flow_write_facts(struct flow *flow);

#endif
