/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the log of libdebuginfod, in which servers have their say. Always:
 *   - without a line of a server nothing is said;
 *   - the answer of a log twice in a row is that of the log, and more servers never make it better.
 */
#include "fuzz.h"

#include "os/debuginfod.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes log = { data ? data : (const uint8_t *)"", size };
	const enum server_log said = server_log_read(log);
	uint8_t *twice = malloc(2 * size + 2);

	ALWAYS(said <= SERVER_LOG_FAILED && twice);
	for (size_t i = 0; i < 2; i++) {
		if (size > 0)
			memcpy(twice + i * (size + 1), data, size);
		twice[i * (size + 1) + size] = '\n';
	}
	const struct cairn_bytes both = { twice, 2 * size + 2 };
	ALWAYS(server_log_read(both) >= said);
	if (size > 0 && data[size - 1] == '\n')
		ALWAYS(server_log_read(both) == said);
	free(twice);
	return 0;
}
