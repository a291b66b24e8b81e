/* SPDX-License-Identifier: MIT */
/*
 * What is unpacked from .gnu_debugdata.  It is within its bound and the same each time; what stands
 * behind the stream does not matter, and of a stream that is cut nothing comes out.
 */
#include "fuzz.h"

#include "debuginfo/unpack.h"

#include <string.h>

struct result {
	enum cairn_status status;
	void *memory;
	size_t size;
};

static struct result unpack(struct cairn_bytes in)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct result result = { .memory = NULL };

	result.status = minidebug_unpack(in, &result.memory, &result.size, &fault);
	if (result.status == CAIRN_OK) {
		ALWAYS(result.memory);
		ALWAYS(result.size <= in.size * MINIDEBUG_MOST_SAVED + MINIDEBUG_LEAST);
	} else {
		ALWAYS(!result.memory && fault.what && fault.status == result.status);
		ALWAYS(fault.offset <= in.size);
	}
	return result;
}

static void check_same(struct result whole, struct cairn_bytes in)
{
	struct result again = unpack(in);

	ALWAYS(again.status == CAIRN_OK && again.size == whole.size);
	ALWAYS(memcmp(again.memory, whole.memory, whole.size) == 0);
	free(again.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *more = calloc(1, size + 1);

	ALWAYS(more);
	memcpy(more, data ? data : more, size);
	struct result whole = unpack((struct cairn_bytes){ more, size });
	if (whole.status == CAIRN_OK) {
		check_same(whole, (struct cairn_bytes){ more, size + 1 });
		/* where the last byte is the stream's own */
		struct result cut = unpack((struct cairn_bytes){ more, size - 1 });
		ALWAYS(cut.status == CAIRN_OK || cut.status == CAIRN_TRUNCATED);
		free(cut.memory);
	}
	free(whole.memory);
	free(more);
	return 0;
}
