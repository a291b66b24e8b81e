/* SPDX-License-Identifier: MIT */
/* Names of Rust: what is printed fits, is the same again, and less room gives it up as a whole. */
#include "fuzz.h"

#include "formats/rust.h"

#include <string.h>

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char text[TEXT_MAX], again[TEXT_MAX];
	struct cairn_bytes name = { input, size };
	bool exhausted;
	size_t printed = rust_demangle(name, text, sizeof(text), &exhausted);

	ALWAYS(printed <= sizeof(text));
	if (printed == 0)
		return 0;
	ALWAYS(rust_demangle(name, again, sizeof(again), &exhausted) == printed);
	ALWAYS(memcmp(text, again, printed) == 0);
	ALWAYS(rust_demangle(name, again, printed - 1, &exhausted) == 0 && exhausted);
	return 0;
}
