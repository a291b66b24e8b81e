/* SPDX-License-Identifier: MIT */
/*
 * The search for backtraces in a target, and the bytes and images that were read last. Everything
 * belongs to the space because the host may leave a read by an exception.
 */
#ifndef CAIRN_UNWIND_TABLES_SPACE_TRACES_H
#define CAIRN_UNWIND_TABLES_SPACE_TRACES_H

#include "traces/swift_backtrace_scan.h"

struct space_traces {
	struct swift_scan finder;
	struct loaded_images images;
	uint8_t *block;
	unsigned holes;
	uint8_t *bytes;
	size_t room;
};

void space_traces_free(struct space_traces *traces);

#endif
