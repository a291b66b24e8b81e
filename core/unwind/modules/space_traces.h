/* SPDX-License-Identifier: MIT */
/*
 * What a space keeps of the backtraces in its target: the search, and the bytes and images read
 * last.  All of it belongs to the space, so that a host's read may leave by an exception.
 */
#ifndef CAIRN_UNWIND_MODULES_SPACE_TRACES_H
#define CAIRN_UNWIND_MODULES_SPACE_TRACES_H

#include "traces/swift_backtrace_scan.h"

struct space_traces {
	struct swift_scan finder;
	struct loaded_images images;
	uint8_t *block; /* of the search */
	unsigned holes; /* pages that the search could not read */
	uint8_t *bytes; /* of one backtrace */
	size_t room;
};

void space_traces_free(struct space_traces *traces);

#endif
