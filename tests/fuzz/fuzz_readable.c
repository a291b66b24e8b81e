/* SPDX-License-Identifier: MIT */
/*
 * Readable names by libiberty: what is put fits, is the same again, and less room gives it up as a
 * whole.  That a name ends soon shows in the time that the target takes.
 */
#include "fuzz.h"

#include "engine/names/readable.h"

#include <string.h>

static char text[READABLE_TEXT_MAX], again[READABLE_TEXT_MAX];

static void check_style(struct cairn_bytes name, enum readable_style style)
{
	size_t size = readable_word(name, style, text, sizeof(text));

	ALWAYS(size <= sizeof(text));
	ALWAYS(readable_word(name, style, again, sizeof(again)) == size);
	ALWAYS(memcmp(text, again, size) == 0);
	if (size > 0)
		ALWAYS(readable_word(name, style, again, size - 1) < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct cairn_bytes name = { input, size };

	check_style(name, READABLE_GNU);
	check_style(name, READABLE_LLVM);
	return 0;
}
