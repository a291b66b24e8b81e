/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a log that a reference leads to. Always:
 *   - there is no stack, or an object of JSON whose threads have a frame at least;
 *   - none has more bytes than SYMBOLIZE_STACKS_MAX and what one frame has;
 *   - the same log has the same stacks again.
 */
#include "fuzz.h"

#include "base/json_reader.h"
#include "cli/symbolize.h"

#include <string.h>

static void check_stacks(struct cairn_bytes text)
{
	struct json_reader_value top, threads, thread, frames, frame;
	struct cairn_fault fault;
	size_t count = 0;

	ALWAYS(json_reader_open(text, &top, &fault) == CAIRN_OK);
	ALWAYS(json_reader_member(&top, "threads", &threads));
	for (size_t at = 0; json_reader_element(&threads, &at, &thread); count++) {
		size_t first = 0;
		ALWAYS(json_reader_member(&thread, "frames", &frames));
		ALWAYS(json_reader_element(&frames, &first, &frame) &&
		       frame.kind == JSON_READER_OBJECT);
	}
	ALWAYS(count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes log = { data ? data : (const uint8_t *)"", size };
	size_t length = 0, again = 0;
	char *text = symbolize_read_log(log, &length), *same = symbolize_read_log(log, &again);

	ALWAYS(text && same && length == again && memcmp(text, same, length) == 0);
	if (length > 0)
		check_stacks((struct cairn_bytes){ (const uint8_t *)text, length });
	free(text);
	free(same);
	return 0;
}
