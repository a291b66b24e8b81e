/* SPDX-License-Identifier: MIT */
/* Any bytes as /proc/kallsyms. Always: names and modules lie in the input, names are not empty, and there are no more symbols than lines. */
#include "fuzz.h"

#include "formats/kallsyms.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms list = kallsyms_open((struct cairn_bytes){ data, size });
	struct kallsyms_symbol symbol;
	size_t lines = 1, symbols = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	while (kallsyms_next(&list, &symbol)) {
		symbols++;
		ALWAYS(symbol.name.size > 0 && symbol.name.size <= KALLSYMS_NAME);
		ALWAYS(symbol.name.data >= data &&
		       symbol.name.data + symbol.name.size <= data + size);
		ALWAYS(symbol.module.data >= data &&
		       symbol.module.data + symbol.module.size <= data + size);
		ALWAYS(memchr(symbol.name.data, '\n', symbol.name.size) == NULL);
	}
	ALWAYS(symbols <= lines);
	return 0;
}
