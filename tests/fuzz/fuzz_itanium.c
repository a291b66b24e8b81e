/* SPDX-License-Identifier: MIT */
/*
 * Names of C++: what is printed fits, is the same again, and less room gives it up as a whole; a plain
 * name is the whole one without the template arguments.  That is not compared for names with expressions
 * or characters that no compiler writes: brackets in them would be taken for those of arguments.
 */
#include "fuzz.h"

#include "formats/itanium/itanium.h"
#include "symbols/symbol_name.h"

#include <string.h>

enum { WHOLE_MAX = 1 << 16 };

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
		bool decltype = c == 'D' && i + 1 < name.size && (name.data[i + 1] | 0x20) == 't';
		if (decltype || c == 'X' || c == 'Q' || c == 'L')
			return false; /* brackets in expressions */
	}
	return true;
}

static void check_whole(struct cairn_bytes name, struct cairn_bytes whole, size_t size)
{
	static char plain[WHOLE_MAX];

	if (size == 0 || whole.size == 0 || !is_usual(name))
		return;
	ALWAYS(symbol_name_strip_templates(whole, plain) == size);
	ALWAYS(memcmp(plain, own, size) == 0);
}

static size_t read_again(struct cairn_bytes name, bool whole, char *out, size_t capacity)
{
	return whole ? itanium_demangle(&work, name, out, capacity)
	             : itanium_demangle_plain(&work, name, out, capacity);
}

static size_t check_name(struct cairn_bytes name, bool whole, char *out, size_t capacity)
{
	static char again[WHOLE_MAX];
	size_t printed = read_again(name, whole, out, capacity);

	ALWAYS(printed <= capacity);
	if (printed == 0)
		return 0;
	ALWAYS(read_again(name, whole, again, capacity) == printed);
	ALWAYS(memcmp(out, again, printed) == 0);
	ALWAYS(read_again(name, whole, again, printed - 1) == 0);
	return printed;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char whole[WHOLE_MAX];
	struct cairn_bytes name = { input, size };
	size_t printed = check_name(name, false, own, sizeof(own));
	size_t all = check_name(name, true, whole, sizeof(whole));

	check_whole(name, (struct cairn_bytes){ (const uint8_t *)whole, all }, printed);
	return 0;
}
