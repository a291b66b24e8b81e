/* SPDX-License-Identifier: MIT */
/*
 * Readable names: what is put fits, is the same again, and less room gives it up as a
 * whole.  That a name ends soon shows in the time that the target takes.
 */
#include "fuzz.h"

#include "symbols/demangle.h"

#include <string.h>

static char text[DEMANGLE_TEXT_MAX], again[DEMANGLE_TEXT_MAX];

static void check_style(struct cairn_bytes name, enum demangle_style style)
{
	size_t size = demangle_word(name, style, text, sizeof(text));

	ALWAYS(size <= sizeof(text));
	ALWAYS(demangle_word(name, style, again, sizeof(again)) == size);
	ALWAYS(memcmp(text, again, size) == 0);
	if (size > 0)
		ALWAYS(demangle_word(name, style, again, size - 1) < size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct cairn_bytes name = { input, size };

	check_style(name, DEMANGLE_GNU);
	check_style(name, DEMANGLE_LLVM);

	/* Fortran and Ada, too */
	const size_t made = cairn_demangle(name, text, sizeof(text));
	ALWAYS(made <= sizeof(text));
	if (made > 0)
		ALWAYS(cairn_demangle(name, again, made - 1) < made);
	return 0;
}
