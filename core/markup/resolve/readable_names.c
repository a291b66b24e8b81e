/* SPDX-License-Identifier: MIT */
/* Makes symbols readable, to find those that a log has demangled. */
#include "readable_names.h"

#include <string.h>

bool readable_name_may_be(struct cairn_bytes name)
{
	return name.size > 2 &&
	       (memchr(name.data, '(', name.size) || memchr(name.data, ':', name.size));
}

struct cairn_bytes readable_name_squeeze(struct readable_names *names, struct cairn_bytes name)
{
	size_t size = 0;

	for (size_t i = 0; i < name.size && name.size <= sizeof(names->text); i++)
		if (name.data[i] != ' ')
			names->text[size++] = (char)name.data[i];
	return (struct cairn_bytes){ (const uint8_t *)names->text, size };
}

struct cairn_bytes readable_name_make(struct readable_names *names, struct cairn_bytes symbol)
{
	struct cairn_bytes text = { (const uint8_t *)names->text, 0 };

	if (symbol.size < 3 || memcmp(symbol.data, "_Z", 2) != 0 ||
	    symbol.size > READABLE_BYTES_MAX - names->bytes || names->steps >= READABLE_STEPS_MAX)
		return text;
	names->bytes += symbol.size;
	text.size = itanium_demangle(&names->work, symbol, names->text, sizeof(names->text));
	names->steps += names->work.steps;
	return readable_name_squeeze(names, text);
}
