/* SPDX-License-Identifier: MIT */
/*
 * Names of C++: what is printed fits, is the same again, and less room gives it up as a whole; a
 * name that libiberty reads too is told in its words, without the template arguments.  That is not
 * compared for names with characters that no compiler writes: brackets in them would be taken for
 * those of arguments.
 */
#include "fuzz.h"

#include "engine/names/demangle.h"
#include "engine/names/symbol_name.h"
#include "formats/itanium/itanium.h"

#include <string.h>

enum { LIBRARY_MAX = 512 };

static struct itanium work;
static char own[ITANIUM_TEXT_MAX];

static bool is_usual(struct cairn_bytes name)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	for (size_t i = 0; i < name.size; i++) {
		uint8_t c = name.data[i];
		bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		if (!letter && !(c >= '0' && c <= '9') && c != '_')
			return false;
		if (name.size - i >= length && memcmp(name.data + i, word, length) == 0)
			return false;
	}
	return name.size <= LIBRARY_MAX;
}

static void check_library(struct cairn_bytes name, size_t size)
{
	static char readable[DEMANGLE_TEXT_MAX], plain[DEMANGLE_TEXT_MAX];
	size_t whole = demangle_name(name, DEMANGLE_GNU, readable, sizeof(readable));

	if (whole == 0)
		return; /* it may stumble over what is not printed here */
	struct cairn_bytes text = { (uint8_t *)readable, whole };
	ALWAYS(symbol_name_strip_templates(text, plain) == size);
	ALWAYS(memcmp(plain, own, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char again[ITANIUM_TEXT_MAX];
	struct cairn_bytes name = { input, size };
	size_t printed = itanium_demangle_plain(&work, name, own, sizeof(own));

	ALWAYS(printed <= sizeof(own));
	if (printed == 0)
		return 0;
	ALWAYS(itanium_demangle_plain(&work, name, again, sizeof(again)) == printed);
	ALWAYS(memcmp(own, again, printed) == 0);
	ALWAYS(itanium_demangle_plain(&work, name, again, printed - 1) == 0);
	if (is_usual(name))
		check_library(name, printed);
	return 0;
}
