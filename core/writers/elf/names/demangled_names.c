/* SPDX-License-Identifier: MIT */
/*
 * Names that come demangled, as in symbfiles and Breakpad files: "long pile::fill(pile::Box,
 * long)". A debugger that takes such a text for the linkage name has the same function as by the
 * mangled one, once the type that it returns is off.
 *
 * The text is read from its end, over brackets of all kinds; what does not look like a function
 * with parameters is left as it is.
 */
#include "writers/elf/parts.h"

#include <string.h>

static bool has_word_at(struct cairn_bytes text, size_t at, const char *word)
{
	size_t size = strlen(word);

	return at <= text.size && size <= text.size - at && memcmp(text.data + at, word, size) == 0;
}

/* A word that may come after parameters, at the end; how long it is. */
static size_t qualifier_size(struct cairn_bytes text)
{
	static const char *const words[] = { " const", " volatile", " &", " &&" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t size = strlen(words[i]);
		if (size <= text.size && has_word_at(text, text.size - size, words[i]))
			return size;
	}
	return 0;
}

/* Without "[clone .isra.0]" at its end, and what is left; the same text when it has none. */
static size_t strip_clone_note(struct cairn_bytes text)
{
	static const char word[] = " [clone ";
	size_t size = text.size;

	if (size == 0 || text.data[size - 1] != ']')
		return size;
	while (size > 0 && text.data[size - 1] != '[')
		size--;
	return size > 1 && has_word_at(text, size - 2, word) ? size - 2 : text.size;
}

/* Past the parameters, without these words and without each " [clone ...]". */
static size_t parameters_end(struct cairn_bytes text)
{
	for (size_t size = 0; size != text.size;) {
		size = text.size;
		text.size = strip_clone_note(text);
	}
	for (size_t more = 1; more > 0; text.size -= more)
		more = qualifier_size(text);
	return text.size;
}

static bool is_closing_bracket(uint8_t byte)
{
	return byte == ')' || byte == '>' || byte == '}' || byte == ']';
}

static bool is_opening_bracket(uint8_t byte)
{
	return byte == '(' || byte == '<' || byte == '{' || byte == '[';
}

/* The bracket that the one before `end` closes; `end` when there is none. */
static size_t find_opening_bracket(struct cairn_bytes text, size_t end)
{
	size_t depth = 0;

	for (size_t at = end; at-- > 0;) {
		if (at > 0 && text.data[at] == '>' && text.data[at - 1] == '-')
			continue; /* an arrow */
		depth += is_closing_bracket(text.data[at]);
		if (is_opening_bracket(text.data[at]) && --depth == 0)
			return at;
	}
	return end;
}

/* Where "operator..." begins in the name that ends at `end`; `end` when it is not an operator. */
static size_t find_operator_start(struct cairn_bytes text, size_t end)
{
	static const char word[] = "operator";

	for (size_t at = end; at-- > 0;) {
		bool begins = at == 0 || text.data[at - 1] == ':' || text.data[at - 1] == ' ';
		if (begins && has_word_at(text, at, word) && at + sizeof(word) - 1 <= end)
			return at;
		if (text.data[at] == '(')
			break;
	}
	return end;
}

/* The beginning of the part of a path that ends at `end`: after "::" or a blank, but for those in "f() const". */
static size_t find_part_start(struct cairn_bytes text, size_t end)
{
	size_t at = parameters_end((struct cairn_bytes){ text.data, end });

	if (at == 0 || text.data[at - 1] != ')')
		at = end;
	while (at > 0) {
		uint8_t byte = text.data[at - 1];
		if (byte == ' ' || (byte == ':' && at > 1 && text.data[at - 2] == ':'))
			break;
		size_t bracket = is_closing_bracket(byte) ? find_opening_bracket(text, at) : at - 1;
		if (bracket == at)
			break;
		at = bracket;
	}
	return at;
}

bool elf_writer_demangled(struct cairn_bytes text, struct elf_writer_demangled *parts)
{
	if (text.size == 0 || text.size > ELF_WRITER_READABLE_MAX ||
	    !memchr(text.data, '(', text.size) || text.data[0] == '_')
		return false;
	size_t end = parameters_end(text);
	if (end == 0 || text.data[end - 1] != ')')
		return false;
	size_t last_end = find_opening_bracket(text, end);
	size_t last = find_operator_start(text, last_end);
	if (last == last_end)
		last = find_part_start(text, last_end);
	if (last_end == end || last == last_end)
		return false;
	size_t path = last;
	while (path > 2 && text.data[path - 1] == ':')
		path = find_part_start(text, path - 2);
	*parts = (struct elf_writer_demangled){
		.whole = { text.data + path, text.size - path },
		.last = { text.data + last, last_end - last },
	};
	return true;
}

struct cairn_bytes elf_writer_without_parameters(struct cairn_bytes part)
{
	static const char operator_word[] = "operator"; /* its brackets are its name */

	for (;;) {
		size_t end = parameters_end(part);
		if (end == 0 || part.data[end - 1] != ')')
			return part;
		size_t at = find_opening_bracket(part, end);
		bool is_name = at == 0 || (at == sizeof(operator_word) - 1 &&
		                           has_word_at(part, 0, operator_word));
		if (at == end || is_name)
			return part;
		part.size = at;
	}
}

bool elf_writer_next_scope(struct cairn_bytes *path, struct cairn_bytes *part)
{
	size_t depth = 0;

	for (size_t at = 0; at + 1 < path->size; at++) {
		depth += is_opening_bracket(path->data[at]);
		depth -= depth > 0 && is_closing_bracket(path->data[at]);
		if (depth > 0 || path->data[at] != ':' || path->data[at + 1] != ':')
			continue;
		*part = (struct cairn_bytes){ path->data, at };
		*path = (struct cairn_bytes){ path->data + at + 2, path->size - at - 2 };
		return true;
	}
	return false;
}
