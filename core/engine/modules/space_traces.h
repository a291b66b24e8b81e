/* SPDX-License-Identifier: MIT */
/*
 * What a space keeps of the backtraces in its target: the search, and the bytes and images read
 * last.  All of it belongs to the space, so that a host's read may leave by an exception.
 */
#ifndef CAIRN_ENGINE_MODULES_SPACE_TRACES_H
#define CAIRN_ENGINE_MODULES_SPACE_TRACES_H

#include "engine/backtraces/swift_backtrace_scan.h"

struct traces {
	struct finder finder;
	struct images images;
	uint8_t *block; /* of the search */
	uint8_t *bytes; /* of one backtrace */
	size_t room;
};

void traces_free(struct traces *traces);

#endif
