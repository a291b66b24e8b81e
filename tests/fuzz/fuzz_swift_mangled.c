/* SPDX-License-Identifier: MIT */
/* Names of Swift: the text fits, is the same when read again, and a smaller buffer refuses it whole. */
#include "fuzz.h"

#include "formats/swift/mangled.h"

#include <string.h>

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct swift_names work; /* whose contents must not matter */
	static char text[TEXT_MAX], again[TEXT_MAX];
	struct cairn_bytes name = { input, size };
	bool exhausted;

	memset(&work, 0xa5, sizeof(work));

	for (int form = SWIFT_SHORT; form <= SWIFT_FULL; form++) {
		size_t printed = swift_demangle(&work, name, (enum swift_form)form, text,
		                                sizeof(text), &exhausted);
		ALWAYS(printed <= sizeof(text));
		if (printed == 0)
			continue;
		ALWAYS(swift_demangle(&work, name, (enum swift_form)form, again, sizeof(again),
		                      &exhausted) == printed);
		ALWAYS(memcmp(text, again, printed) == 0);
		ALWAYS(swift_demangle(&work, name, (enum swift_form)form, again, printed - 1,
		                      &exhausted) == 0 &&
		       exhausted);
	}
	return 0;
}
