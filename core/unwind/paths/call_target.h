/* SPDX-License-Identifier: MIT */
/* Finds where a call of amd64 goes, through the stub of a PLT as well. */
#ifndef CAIRN_UNWIND_PATHS_CALL_TARGET_H
#define CAIRN_UNWIND_PATHS_CALL_TARGET_H

#include <cairn.h>

/* The function that the call before `back` enters; false: there is no call, or one through a register. */
bool call_target_find(const struct cairn_target *target, uint64_t back, uint64_t *leads_to);

#endif
