/* SPDX-License-Identifier: MIT */
/* Finds the target of an amd64 call, also through a PLT stub. */
#ifndef CAIRN_UNWIND_STEP_CALL_TARGET_H
#define CAIRN_UNWIND_STEP_CALL_TARGET_H

#include <cairn.h>

/*
 * Find the function called by the call that returns to `back`. Return false if there is no call, or
 * it goes through a register.
 */
bool call_target_find(const struct cairn_target *target, uint64_t back, uint64_t *leads_to);

#endif
