/* SPDX-License-Identifier: MIT */
/* Looks through a cache of debuginfod, and removes from it what was not used for the longest time. */
#ifndef CAIRN_OS_DEBUGINFOD_SWEEP_H
#define CAIRN_OS_DEBUGINFOD_SWEEP_H

#include <cairn.h>

struct sweep_totals {
	uint64_t bytes;   /* of the disk, that are in the folder now */
	uint64_t removed; /* files */
};

/*
 * If the folder has more than `most` bytes, removes files until it has `wanted`, the one that was used before all others first, and none that was
 * used in the last minute: somebody may be about to open it. Files whose fetching was interrupted an hour ago go in any case.
 */
void sweep_folder(const char *folder, uint64_t most, uint64_t wanted, struct sweep_totals *totals);

#endif
