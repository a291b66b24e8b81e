/* SPDX-License-Identifier: MIT */
/* Demangles names to the form that symbfiles store. */
#include "names.h"

#include "symbols/names/symbol_name.h"

#include <stdlib.h>

/* Allocate a buffer of `size` bytes, for a result that is not longer than its input. */
static bool grow_name_buffer(char **text, size_t size)
{
	char *grown = realloc(*text, size ? size : 1);

	if (grown)
		*text = grown;
	return grown != NULL;
}

/*
 * Return the complete demangled name, or the mangled one if it cannot be demangled or the result is
 * too long.
 */
static struct cairn_bytes demangle_whole(struct symbfile_naming *n, struct cairn_bytes name,
                                         bool is_cpp)
{
	size_t size = demangle_word(name, DEMANGLE_GNU, n->readable, sizeof(n->readable));
	struct cairn_bytes readable = { (uint8_t *)n->readable, size };

	if (size == 0 || (is_cpp && !grow_name_buffer(&n->text, size)))
		return name;
	if (is_cpp)
		readable = (struct cairn_bytes){ (uint8_t *)n->text,
			                         symbol_name_strip_templates(readable, n->text) };
	return readable.size <= sizeof(n->plain) ? readable : name;
}

struct cairn_bytes symbfile_name(void *naming, struct cairn_bytes linked)
{
	struct symbfile_naming *n = naming;

	if (!grow_name_buffer(&n->cut, linked.size + 1))
		return linked;
	struct cairn_bytes name = { (uint8_t *)n->cut, symbol_name_strip_suffixes(linked, n->cut) };
	n->cut[name.size] = '\0';
	size_t size = 0;
	switch (symbol_name_language(name)) {
	case SYMBOL_OTHER:
		break;
	case SYMBOL_CPP:
		size = itanium_demangle_plain(&n->itanium, name, n->plain, sizeof(n->plain));
		if (size > 0)
			return (struct cairn_bytes){ (uint8_t *)n->plain, size };
		/*
		 * Demangle constructs other than plain names as a whole, for example blocks and
		 * suffixes that were kept.
		 */
		return demangle_whole(n, name, true);
	case SYMBOL_RUST:
		return demangle_whole(n, name, false);
	case SYMBOL_RUST_HASH:
		if (!grow_name_buffer(&n->text, name.size))
			return name;
		size = symbol_name_rust(name, n->text);
		if (size > 0)
			return (struct cairn_bytes){ (uint8_t *)n->text, size };
		return demangle_whole(n, name, true);
	}
	return name;
}

void symbfile_naming_finish(struct symbfile_naming *n)
{
	free(n->cut);
	free(n->text);
	*n = (struct symbfile_naming){ .cut = NULL };
}
