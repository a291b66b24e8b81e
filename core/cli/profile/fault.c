/* SPDX-License-Identifier: MIT */
/* Reports why a profile cannot be read. */
#include "profile.h"

#include <inttypes.h>

enum { LINE_TEXT = 32 };

static uint64_t count_lines(struct cairn_bytes text, uint64_t end)
{
	uint64_t line = 1;

	for (size_t i = 0; i < text.size && i < end; i++)
		line += text.data[i] == '\n';
	return line;
}

void profile_print_fault(const struct convert *convert, struct cairn_bytes input,
                         struct cairn_bytes message, const struct cairn_fault *fault)
{
	const bool is_alone = message.size == input.size,
		   is_json = input.size > 0 && input.data[0] == '{';
	struct cairn_fault placed = *fault;
	char line[LINE_TEXT];

	if (is_json) {
		placed.offset += (uint64_t)(message.data - input.data);
		(void)snprintf(line, sizeof(line), "line %" PRIu64,
		               count_lines(input, placed.offset));
	}
	print_fault_diagnostic(convert->input,
	                       is_json    ? line
	                       : is_alone ? NULL
	                                  : "a message",
	                       &placed,
	                       is_alone && fault->status == CAIRN_UNSUPPORTED
	                               ? "a profile of pprof or OpenTelemetry, or a recording of "
	                                 "perf is expected"
	                               : NULL);
}
