/* SPDX-License-Identifier: MIT */
/* What the files of the data flow (flow*.c) share: states, and the code that they are made for. */
#ifndef CAIRN_UNWIND_FLOW_STATE_H
#define CAIRN_UNWIND_FLOW_STATE_H

#include "flow.h"

/* Where a call arrives. */
void flow_state_enter(struct flow_state *state);

/*
 * Put in what the row in force gives.  False: the row and the state contradict each other, so that
 * no path leads here in this state.
 */
bool flow_state_agrees(struct flow_state *state, const struct flow_row *row);

/* What both of them know.  True when `state` knows less now, or was not reached before. */
bool flow_state_join(struct flow_state *state, const struct flow_state *other);

/* Run one instruction, which ends at `end`, counted from the first piece's first byte. */
void flow_state_run(struct flow_state *state, const struct amd64_instruction *instruction,
                    int64_t end);

/* Has every kept register the caller's value?  A bit for each that has not. */
uint8_t flow_state_lost(const struct flow_state *state);

/* The address after an instruction of the piece. */
uint64_t flow_va_after(const struct flow_piece *piece, const struct flow_instruction *instruction);

/* Something is wanted, which ends the run. */
enum flow_status flow_request(struct flow *flow, enum flow_status what, struct flow_need wanted);

/* Find where all jumps lead; what is outside may be wanted. */
void flow_link_jumps(struct flow *flow);

/* The table that begins at `va`; NULL when it was not asked for yet. */
struct flow_table *flow_find_table(struct flow *flow, uint64_t va);

/* Write the facts down, when nothing changes any more; false when there are too many. */
bool flow_write_facts(struct flow *flow);

#endif
