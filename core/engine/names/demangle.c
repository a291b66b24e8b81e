/* SPDX-License-Identifier: MIT */
/* Wraps libiberty's two demanglers, which return their text in pieces. */
#include "demangle.h"

#include "demangle_guard.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

enum { SUFFIX_DOTS = 8 }; /* at which a suffix is looked for; real names have three */

/* The text as far as it has come. */
struct demangle_text {
	char *out;
	size_t size, room;
	bool rust, full;
	jmp_buf leave;
};

static bool is_ascii(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/*
 * The demanglers go on to the end of a text, however long it is, unless they are left.  What they
 * hold is on the stack; but identifiers of Rust with other letters than ASCII's are given from
 * memory that is freed after them, so that the piece after these is where to leave.
 */
static void append_demangled_piece(const char *piece, size_t size, void *context)
{
	struct demangle_text *text = context;

	text->full = text->full || size > text->room - text->size;
	if (text->full && (!text->rust || is_ascii(piece, size)))
		longjmp(text->leave, 1);
	if (text->full)
		return;
	memcpy(text->out + text->size, piece, size);
	text->size += size;
}

static bool ask_library(const char *name, struct demangle_text *text)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(text->leave) != 0)
		return false;
	if (text->rust)
		return rust_demangle_callback(name, options, append_demangled_piece, text);
	return cplus_demangle_v3_callback(name, options, append_demangled_piece, text);
}

/* Some write "> >" where others write ">>". */
static size_t close_brackets(char *text, size_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < size; i++) {
		bool between = i > 0 && i + 1 < size && text[i - 1] == '>' && text[i + 1] == '>';
		if (text[i] != ' ' || !between)
			text[kept++] = text[i];
	}
	return kept;
}

/* False when the name has no readable form, or text->full. */
static bool read_bounded(struct cairn_bytes name, struct demangle_text *text)
{
	char copy[DEMANGLE_NAME_MAX + 1];

	memcpy(copy, name.data, name.size);
	copy[name.size] = '\0';
	text->rust = copy[1] == 'R';
	return ask_library(copy, text) && !text->full;
}

static bool may_ask(struct cairn_bytes name)
{
	return name.size >= 3 && name.size <= DEMANGLE_NAME_MAX && demangle_guard_passes(name);
}

size_t demangled_size(struct cairn_bytes name)
{
	char out[DEMANGLE_TEXT_MAX];
	struct demangle_text text = { .out = out, .room = sizeof(out) };

	if (name.size < 3 || memchr(name.data, '\0', name.size))
		return 0;
	if (!may_ask(name))
		return SIZE_MAX;
	if (read_bounded(name, &text))
		return text.size;
	return text.full ? SIZE_MAX : 0;
}

/* "_Z..." and "_R...", without what a compiler put after them. */
static size_t read_symbol(struct cairn_bytes name, char *out, size_t room)
{
	struct demangle_text text = { .out = out, .room = room };

	if (!may_ask(name) || !read_bounded(name, &text))
		return 0;
	return name.data[1] == 'Z' ? close_brackets(out, text.size) : text.size;
}

static bool has_text_prefix(struct cairn_bytes text, const char *with)
{
	size_t size = strlen(with);

	return text.size >= size && memcmp(text.data, with, size) == 0;
}

static struct cairn_bytes skip_text_bytes(struct cairn_bytes text, size_t size)
{
	return (struct cairn_bytes){ text.data + size, text.size - size };
}

static size_t copy_word(const char *word, char *out, size_t room)
{
	size_t size = strlen(word);

	if (size > room)
		return 0;
	memcpy(out, word, size);
	return size;
}

/* " (.cold)" after the `size` bytes of a text; 0 when there is no room. */
static size_t append_clone_suffix(struct cairn_bytes suffix, char *out, size_t size, size_t room)
{
	const size_t more = suffix.size + 3;

	if (suffix.size == 0)
		return size;
	if (more > room - size)
		return 0;
	memcpy(out + size, " (", 2);
	memcpy(out + size + 2, suffix.data, suffix.size);
	out[size + more - 1] = ')';
	return size + more;
}

/*
 * A name with what a compiler put after it: "f() (.cold)".  It begins at a dot, but gcc's names of
 * what has no name have dots, too.
 */
static size_t read_with_suffix(struct cairn_bytes name, char *out, size_t room)
{
	size_t size, dots = 0;

	for (size_t at = 0; at <= name.size && dots < SUFFIX_DOTS; at++) {
		if (at < name.size && name.data[at] != '.')
			continue;
		dots++;
		size = read_symbol((struct cairn_bytes){ name.data, at }, out, room);
		if (size > 0)
			return append_clone_suffix(skip_text_bytes(name, at), out, size, room);
	}
	return 0;
}

/* Is it what is after the name of a block: "_block_invoke", "_block_invoke_2", and a dot? */
static bool is_block_suffix(struct cairn_bytes text)
{
	static const char word[] = "_block_invoke";
	size_t at = sizeof(word) - 1;

	if (!has_text_prefix(text, word))
		return false;
	bool numbered = at < text.size && text.data[at] == '_';
	size_t digits = at + numbered, end = digits;
	while (end < text.size && text.data[end] >= '0' && text.data[end] <= '9')
		end++;
	return (end == text.size || text.data[end] == '.') && !(numbered && end == digits);
}

/* "___Z" ENCODING "_block_invoke": code of a block of clang's in a function. */
static size_t read_block_symbol(struct cairn_bytes name, char *out, size_t room)
{
	struct cairn_bytes inner = skip_text_bytes(name, 2);
	size_t size = copy_word("invocation function for block in ", out, room);

	for (size_t at = inner.size; size > 0 && at-- > 0;) {
		if (!is_block_suffix(skip_text_bytes(inner, at)))
			continue;
		inner.size = at;
		size_t more = read_symbol(inner, out + size, room - size);
		return more ? size + more : 0;
	}
	return 0;
}

static size_t read_plain(struct cairn_bytes name, enum demangle_style style, char *out, size_t room)
{
	if (has_text_prefix(name, "___Z"))
		return read_block_symbol(name, out, room);
	if (!has_text_prefix(name, "_Z") && !has_text_prefix(name, "_R"))
		return 0;
	if (style == DEMANGLE_LLVM || name.data[1] == 'R')
		return read_with_suffix(name, out, room);
	return read_symbol(name, out, room);
}

size_t demangle_name(struct cairn_bytes name, enum demangle_style style, char *out, size_t room)
{
	if (name.size == 0 || memchr(name.data, '\0', name.size))
		return 0;
	if (name.data[0] != '.')
		return read_plain(name, style, out, room);
	size_t dot = copy_word(".", out, room);
	size_t size = read_plain(skip_text_bytes(name, 1), style, out + dot, room - dot);
	return size ? dot + size : 0;
}

size_t demangle_word(struct cairn_bytes word, enum demangle_style style, char *out, size_t room)
{
	size_t size = demangle_name(word, style, out, room);

	if (size == 0 && word.size > 0 && word.data[0] == '_')
		size = demangle_name(skip_text_bytes(word, 1), style, out, room);
	return size;
}

size_t cairn_demangle(struct cairn_bytes name, char *out, size_t room)
{
	return demangle_name(name, DEMANGLE_GNU, out, room);
}
