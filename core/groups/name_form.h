/* SPDX-License-Identifier: MIT */
/*
 * The normal form of a function's name, which does not change from one build to the next. Symbol
 * versions, clone suffixes, Rust hashes, ABI tags, parameters, template arguments, qualifiers and
 * return types are removed, and lambdas and closures lose their numbers.
 *
 *	int& ns::Map<int>::at<char>(char) const [clone .cold]    ns::Map::at
 *	core::ptr::drop_in_place<T>::h0123456789abcdef           core::ptr::drop_in_place
 *	__GI_raise@@GLIBC_2.2.5                                  raise
 */
#ifndef CAIRN_GROUPS_NAME_FORM_H
#define CAIRN_GROUPS_NAME_FORM_H

#include <cairn.h>

enum {
	/* maximum size in bytes; a longer normal form is truncated at a character boundary */
	NAME_FORM_MAX = 1024,
	/* maximum factor by which a name grows, because "$_" becomes "{lambda}" */
	NAME_FORM_GROWTH = 4,
};

/*
 * Write the normal form of a demangled name to `out`, whose capacity must be NAME_FORM_GROWTH *
 * name.size bytes. Return its size, which is 0 only if the name is empty. An unclosed bracket
 * extends to the end of the name. Control characters become '?'. Takes linear time.
 */
size_t name_form(struct cairn_bytes name, char *out);

/*
 * Copy a string that is not a function name, replacing control characters and truncating it to
 * `most` bytes. The capacity of `out` must be text.size bytes. Return the new size.
 */
size_t name_form_plain(struct cairn_bytes text, size_t most, char *out);

/*
 * Character classes for the words in names, including suffixes appended by linkers and compilers.
 */

static inline bool name_end_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool name_end_is_word(uint8_t c)
{
	return name_end_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c >= 0x80;
}

/*
 * Return true if this normal form is the name of a function whose caller has the bug: it reports or
 * terminates, allocates, copies or compares memory or strings, throws, or belongs to a sanitizer.
 */
bool frame_list_is_inner(struct cairn_bytes name);

/*
 * Return true for functions that start a program or a thread. Signatures omit them, because they
 * differ between C libraries.
 */
bool frame_list_is_outer(struct cairn_bytes name);

/* Return true if `module`, a base name, is the C library, the C++ library or the dynamic linker. */
bool frame_list_is_runtime(struct cairn_bytes module);

#endif
