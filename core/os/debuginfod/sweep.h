/* SPDX-License-Identifier: MIT */
/* Removes the least recently used files from a debuginfod cache. */
#ifndef CAIRN_OS_DEBUGINFOD_SWEEP_H
#define CAIRN_OS_DEBUGINFOD_SWEEP_H

#include <cairn.h>

struct sweep_totals {
	uint64_t bytes; /* disk space used by the directory now */
	uint64_t removed;
};

/*
 * Remove the least recently used files until the directory has `wanted` bytes, if it has more than
 * `most`. Files used in the last minute are kept, because another process may be about to open
 * them. Files whose download was interrupted an hour ago are removed in any case.
 */
void sweep_folder(const char *folder, uint64_t most, uint64_t wanted, struct sweep_totals *totals);

#endif
