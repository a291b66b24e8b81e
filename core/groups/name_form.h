/* SPDX-License-Identifier: MIT */
/*
 * The normal form of a function's name: what stays the same from one build to the next.  Versions of symbols, suffixes
 * of clones, hashes of Rust, ABI tags, parameters, template arguments, qualifiers and return types go, and lambdas
 * and closures lose their numbers.
 *
 *	int& ns::Map<int>::at<char>(char) const [clone .cold]    ns::Map::at
 *	core::ptr::drop_in_place<T>::h0123456789abcdef           core::ptr::drop_in_place
 *	__GI_raise@@GLIBC_2.2.5                                  raise
 */
#ifndef CAIRN_GROUPS_NAME_FORM_H
#define CAIRN_GROUPS_NAME_FORM_H

#include <cairn.h>

enum {
	NAME_FORM_MAX = 1024, /* bytes of a normal form, which is cut between two characters */
	NAME_FORM_GROWTH = 4, /* "$_" becomes "{lambda}" */
};

/*
 * Writes the normal form of a readable name into `out`, which has room for NAME_FORM_GROWTH * name.size bytes.  Returns
 * its size, which is 0 only if the name is empty.  Brackets that are not closed end with the name.  The time is linear.
 * Control characters become '?'.
 */
size_t name_form(struct cairn_bytes name, char *out);

/*
 * Copies a text that is not a function's name: control characters are replaced, and it is cut to `most` bytes.  `out` has room for
 * the whole text.
 */
size_t name_form_plain(struct cairn_bytes text, size_t most, char *out);

#endif
