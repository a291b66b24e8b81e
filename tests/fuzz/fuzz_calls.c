/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as code of both machines.  Always: an instruction has 1 to 15 bytes, all of them
 * inside; the same bytes with more behind them are the same instruction.
 */
#include "fuzz.h"

#include "isa/calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes code = { data ? data : (const uint8_t *)"", size };
	struct calls_instruction i, again;

	for (size_t at = 0; at < size; at++) {
		if (calls_next(CAIRN_MACHINE_AARCH64, code, at, &i))
			ALWAYS(i.length == 4 && size - at >= 4);
		if (!calls_next(CAIRN_MACHINE_AMD64, code, at, &i))
			continue;
		ALWAYS(i.length >= 1 && i.length <= CALLS_LENGTH_MAX && i.length <= size - at);
		struct cairn_bytes exact = { code.data, at + i.length };
		ALWAYS(calls_next(CAIRN_MACHINE_AMD64, exact, at, &again));
		ALWAYS(again.length == i.length && again.is_call == i.is_call);
	}
	return 0;
}
