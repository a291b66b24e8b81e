/* SPDX-License-Identifier: MIT */
/* Removes suffixes of names: symbol versions, clone suffixes and Rust hashes. */
#include "name_end.h"

#include "base/bytes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Return the offset of the symbol version or relocation suffix, as in memcpy@@GLIBC_2.14 or
 * free@plt, or name.size.
 */
static size_t find_version(struct cairn_bytes name)
{
	size_t at = name.size;

	while (at > 0 && (name_end_is_word(name.data[at - 1]) || name.data[at - 1] == '.'))
		at--;
	if (at < 2 || name.data[at - 1] != '@')
		return name.size;
	while (at > 1 && name.data[at - 1] == '@')
		at--;
	return at;
}

/*
 * Return the word after the last dot, or an empty string if it is not a word or the dot is the
 * first byte.
 */
static struct cairn_bytes find_last_part(struct cairn_bytes name)
{
	size_t at = name.size;

	while (at > 0 && name_end_is_word(name.data[at - 1]))
		at--;
	if (at < 2 || name.data[at - 1] != '.')
		at = name.size;
	return (struct cairn_bytes){ name.data + at, name.size - at };
}

static bool is_clone_word(struct cairn_bytes part, bool has_number)
{
	static const char *const words[] = { "cold",  "localalias", "part",     "isra",
		                             "clone", "constprop",  "lto_priv", "llvm" };
	const size_t count = has_number ? COUNT(words) : 2; /* the others always have a number */

	for (size_t i = 0; i < count; i++)
		if (bytes_are(part, words[i]))
			return true;
	return false;
}

static bool is_number_part(struct cairn_bytes part)
{
	for (size_t i = 0; i < part.size; i++)
		if (!name_end_is_digit(part.data[i]))
			return false;
	return part.size > 0;
}

/* Return the size of the name without its last clone suffix, such as ".cold" or ".part.0". */
static size_t cut_clone_suffix(struct cairn_bytes name)
{
	struct cairn_bytes part = find_last_part(name);

	if (part.size > 0 && is_clone_word(part, false))
		return name.size - part.size - 1;
	if (!is_number_part(part))
		return name.size;
	const struct cairn_bytes before = { name.data, name.size - part.size - 1 };
	part = find_last_part(before);
	return part.size > 0 && is_clone_word(part, true) ? before.size - part.size - 1 : name.size;
}

/*
 * Return the size of the name without a trailing "::h" and 16 hexadecimal digits, the hash of
 * Rust's legacy mangling.
 */
static size_t cut_rust_hash(struct cairn_bytes name)
{
	enum { DIGITS = 16, SIZE = DIGITS + 3 };
	const uint8_t *at = name.data + (name.size > SIZE ? name.size - SIZE : 0);

	if (name.size <= SIZE || memcmp(at, "::h", 3) != 0)
		return name.size;
	for (size_t i = 3; i < SIZE; i++)
		if (!name_end_is_digit(at[i]) && (at[i] < 'a' || at[i] > 'f'))
			return name.size;
	return name.size - SIZE;
}

struct cairn_bytes name_end_trim(struct cairn_bytes name)
{
	size_t before = name.size + 1;

	while (name.size > 0 && name.data[name.size - 1] == ' ')
		name.size--;
	name.size = find_version(name);
	while (name.size < before) {
		before = name.size;
		name.size = cut_clone_suffix(name);
	}
	name.size = cut_rust_hash(name);
	return name;
}
