/* SPDX-License-Identifier: MIT */
/* Fills a fault. Each function returns the status, for `return`. */
#ifndef CAIRN_BASE_FAULT_H
#define CAIRN_BASE_FAULT_H

#include <cairn.h>

static inline enum cairn_status fault_set_at(struct cairn_fault *fault, enum cairn_status status,
                                             uint64_t offset, const char *what)
{
	*fault = (struct cairn_fault){ status, offset, what };
	return status;
}

static inline enum cairn_status fault_set(struct cairn_fault *fault, enum cairn_status status,
                                          const char *what)
{
	return fault_set_at(fault, status, 0, what);
}

#endif
