/* SPDX-License-Identifier: MIT */
/*
 * Names of C++ as GDB spells them before it compares two: compilers write "f<const X&, long unsigned int>" where it has
 * "f<X const&, unsigned long>". Only arguments of templates are touched. A name that holds more than types and plain
 * numbers there (operators, lambdas, types of functions) is left as it is.
 */
#include "writers/elf/parts.h"

#include "base/bytes_compare.h"
#include "base/bytes_split.h"

#include <string.h>

enum { DEPTH_MAX = 32, NAME_MAX_SIZE = ELF_WRITER_READABLE_MAX };

static const char unnamed_scope[] = "(anonymous namespace)";

static const struct integer_name {
	const char *written, *canonical;
} integers[] = {
	{ "long int", "long" },
	{ "long unsigned int", "unsigned long" },
	{ "unsigned long int", "unsigned long" },
	{ "short int", "short" },
	{ "short unsigned int", "unsigned short" },
	{ "unsigned short int", "unsigned short" },
	{ "long long int", "long long" },
	{ "long long unsigned int", "unsigned long long" },
	{ "unsigned", "unsigned int" },
};

static struct cairn_bytes skip_bytes(struct cairn_bytes text, size_t size)
{
	return (struct cairn_bytes){ text.data + size, text.size - size };
}

static bool drop_first_word(struct cairn_bytes *text, const char *word)
{
	if (!bytes_begin_with(*text, word))
		return false;
	*text = bytes_trim(skip_bytes(*text, strlen(word)), " ", " ");
	return true;
}

static bool drop_last_word(struct cairn_bytes *text, const char *word)
{
	const size_t size = strlen(word);

	if (text->size <= size || memcmp(text->data + text->size - size, word, size) != 0)
		return false;
	text->size -= size;
	*text = bytes_trim(*text, " ", " ");
	return true;
}

/* The first of these bytes outside of all brackets, from `at` on; the size of the text when there is none. */
static size_t find_outside(struct cairn_bytes text, size_t at, const char *bytes)
{
	size_t depth = 0;

	for (; at < text.size; at++) {
		const char byte = (char)text.data[at];
		if (depth == 0 && byte != '\0' && strchr(bytes, byte))
			return at;
		depth += byte == '<' || byte == '(';
		depth -= depth > 0 && (byte == '>' || byte == ')');
	}
	return at;
}

static bool write_arguments(struct byte_buffer *out, struct cairn_bytes list, unsigned depth);

/* The path of a type or function, with the arguments of its templates. */
static bool write_path(struct byte_buffer *out, struct cairn_bytes path, unsigned depth)
{
	while (path.size > 0) {
		const size_t open = find_outside(path, 0, "<");
		byte_buffer_bytes(out, path.data, open);
		if (open == path.size)
			return true;
		path = skip_bytes(path, open + 1);
		const size_t close = find_outside(path, 0, ">");
		if (close == path.size)
			return false;
		byte_buffer_u8(out, '<');
		if (!write_arguments(out, (struct cairn_bytes){ path.data, close }, depth + 1))
			return false;
		if (out->size > 0 && !out->failed && out->data[out->size - 1] == '>')
			byte_buffer_u8(out, ' ');
		byte_buffer_u8(out, '>');
		path = skip_bytes(path, close + 1);
	}
	return true;
}

static bool write_base(struct byte_buffer *out, struct cairn_bytes base, unsigned depth)
{
	for (size_t i = 0; i < sizeof(integers) / sizeof(*integers); i++)
		if (bytes_are(base, integers[i].written)) {
			byte_buffer_bytes(out, integers[i].canonical,
			                  strlen(integers[i].canonical));
			return true;
		}
	return write_path(out, base, depth);
}

/* What follows a type: pointers and references, with their qualifiers. */
static bool write_pointers(struct byte_buffer *out, struct cairn_bytes rest)
{
	for (rest = bytes_trim(rest, " ", " "); rest.size > 0; rest = bytes_trim(rest, " ", " ")) {
		if (rest.data[0] == '*' || rest.data[0] == '&') {
			byte_buffer_u8(out, rest.data[0]);
			rest = skip_bytes(rest, 1);
		} else if (drop_first_word(&rest, "const")) {
			byte_buffer_bytes(out, " const", 6);
		} else {
			return false;
		}
	}
	return true;
}

/* Is there another bracket outside of templates than that of a namespace without a name? */
static bool has_other_brackets(struct cairn_bytes text)
{
	for (size_t at = 0; (at = find_outside(text, at, "([")) < text.size;) {
		if (!bytes_begin_with(skip_bytes(text, at), unnamed_scope))
			return true;
		at += sizeof(unnamed_scope) - 1;
	}
	return false;
}

static bool write_argument(struct byte_buffer *out, struct cairn_bytes argument, unsigned depth)
{
	struct cairn_bytes base = bytes_trim(argument, " ", " ");
	bool is_const = drop_first_word(&base, "const ");

	if (has_other_brackets(base) || bytes_begin_with(base, "volatile "))
		return false;
	const size_t end = find_outside(base, 0, "*&");
	const struct cairn_bytes rest = skip_bytes(base, end);
	base.size = end;
	base = bytes_trim(base, " ", " ");
	if (base.size == 0) { /* the address of something */
		byte_buffer_bytes(out, rest.data, rest.size);
		return !is_const;
	}
	is_const |= drop_last_word(&base, " const");
	if (!write_base(out, base, depth))
		return false;
	if (is_const)
		byte_buffer_bytes(out, " const", 6);
	return write_pointers(out, rest);
}

static bool write_arguments(struct byte_buffer *out, struct cairn_bytes list, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return false;
	while (list.size > 0) {
		const size_t end = find_outside(list, 0, ",");
		if (!write_argument(out, (struct cairn_bytes){ list.data, end }, depth))
			return false;
		if (end == list.size)
			return true;
		byte_buffer_bytes(out, ", ", 2);
		list = skip_bytes(list, end + 1);
	}
	return true;
}

/* Holds the text something that is not a path of names with types and numbers? */
static bool is_beyond_paths(struct cairn_bytes text)
{
	static const char operator_word[] = "operator";

	for (size_t at = 0; at < text.size; at++)
		if (strchr("{'\"-!=+~", text.data[at]) ||
		    bytes_begin_with(skip_bytes(text, at), ">>") || /* GDB takes it for a shift, */
		    bytes_begin_with(skip_bytes(text, at), "<>") || /* and does not know this */
		    bytes_begin_with(skip_bytes(text, at), operator_word))
			return true;
	return false;
}

void elf_writer_append_canonical(struct byte_buffer *out, struct cairn_bytes name)
{
	const size_t before = out->size;

	if (name.size == 0)
		return;
	if (name.size <= NAME_MAX_SIZE && memchr(name.data, '<', name.size) &&
	    !is_beyond_paths(name)) {
		if (write_path(out, name, 0))
			return;
		out->size = before;
	}
	byte_buffer_bytes(out, name.data, name.size);
}
