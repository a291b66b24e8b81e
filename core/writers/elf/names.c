/* SPDX-License-Identifier: MIT */
/* Converts names to the forms that GDB and LLDB expect in a symbol object. */
#include "internal.h"

#include "base/bytes.h"
#include "formats/swift/mangled.h"
#include "symbols/demangle.h"

#include <stdio.h>
#include <string.h>

/*
 * Rewrites C++ names in canonical form, because GDB canonicalizes names before it compares them:
 * "f<const X&, long unsigned int>" from a compiler becomes "f<X const&, unsigned long>". Only
 * template arguments are changed. Names whose arguments contain anything but types and plain
 * numbers (operators, lambdas, function types) are left unchanged.
 */
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

/*
 * Return the offset of the first byte, starting at `at`, that is in `bytes` and outside all
 * brackets, or the size of the string.
 */
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

/*
 * Return true if the string has brackets outside template arguments, other than "(anonymous
 * namespace)".
 */
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
	if (base.size == 0) { /* the argument is the address of an object */
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

/*
 * Return true if the name contains an operator, a lambda, a quoted string or another construct that
 * is never canonicalized.
 */
static bool is_beyond_paths(struct cairn_bytes text)
{
	static const char operator_word[] = "operator";

	for (size_t at = 0; at < text.size; at++)
		if (strchr("{'\"-!=+~", text.data[at]) ||
		    bytes_begin_with(skip_bytes(text, at), ">>") || /* GDB parses ">>" as a shift */
		    bytes_begin_with(skip_bytes(text, at), "<>") || /* GDB does not accept "<>" */
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

/*
 * Escapes names and paths, which debuggers print unchanged to the user's terminal. Each byte of
 * invalid UTF-8, and of characters that control the terminal or change the writing direction,
 * becomes \xNN.
 */

static size_t measure_harmless_character(struct cairn_bytes text)
{
	uint32_t character;
	size_t size = cairn_character_at(text, &character);

	return size > 0 && cairn_character_is_printable(character) ? size : 0;
}

static bool is_plain_word(const uint8_t *data)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80) == 0;
}

static size_t clean_size(struct cairn_bytes text)
{
	size_t at = 0;

	while (at < text.size) {
		if (text.size - at >= sizeof(uint64_t) && is_plain_word(text.data + at)) {
			at += sizeof(uint64_t);
			continue;
		}
		size_t size = 1;
		if (text.data[at] < 0x20 || text.data[at] >= 0x7f)
			size = measure_harmless_character(
				(struct cairn_bytes){ text.data + at, text.size - at });
		if (size == 0)
			break;
		at += size;
	}
	return at;
}

static size_t escape_character(const uint8_t *data, size_t left, char *to)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t character;
	size_t size = cairn_character_at((struct cairn_bytes){ data, left }, &character);

	size = size ? size : 1;
	for (size_t i = 0; i < size; i++, to += ELF_WRITER_ESCAPE) {
		to[0] = '\\';
		to[1] = 'x';
		to[2] = digits[data[i] >> 4];
		to[3] = digits[data[i] & 15];
	}
	return size;
}

bool elf_writer_clean_text(struct elf_writer *w, struct cairn_bytes *text)
{
	size_t at = clean_size(*text), size = 0;

	if (at == text->size)
		return true;
	if (!array_grow(&w->clean, &w->clean_capacity,
	                at + (text->size - at) * ELF_WRITER_ESCAPE + 1, 1))
		return false;
	memcpy(w->clean, text->data, at);
	size = at;
	while (at < text->size) {
		const struct cairn_bytes rest = { text->data + at, text->size - at };
		size_t bad = escape_character(rest.data, rest.size, w->clean + size);
		size += bad * ELF_WRITER_ESCAPE;
		size_t good = clean_size((struct cairn_bytes){ rest.data + bad, rest.size - bad });
		memcpy(w->clean + size, rest.data + bad, good);
		size += good;
		at += bad + good;
	}
	*text = (struct cairn_bytes){ (const uint8_t *)w->clean, size };
	return true;
}

uint32_t elf_writer_clean_name(struct elf_writer *w, struct cairn_bytes name)
{
	struct elf_writer_demangled readable;

	if (name.size > ELF_WRITER_NAME_MAX)
		name.size = ELF_WRITER_NAME_MAX;
	struct cairn_bytes text = elf_writer_demangled(name, &readable) ? readable.whole : name;

	if (!elf_writer_clean_text(w, &text)) {
		w->failed = true;
		return 0;
	}
	bool moved = text.data == (const uint8_t *)w->clean;
	return elf_writer_bounded_name(w, text, moved);
}

/*
 * Parses demangled names, which symbfiles and Breakpad files contain: "long pile::fill(pile::Box,
 * long)". If such a name, without its return type, is used as the linkage name, debuggers show the
 * same function as for the mangled name.
 *
 * Names are parsed backwards, skipping brackets of all kinds. A name that does not look like a
 * function with parameters is left unchanged.
 */

static bool has_word_at(struct cairn_bytes text, size_t at, const char *word)
{
	size_t size = strlen(word);

	return at <= text.size && size <= text.size - at && memcmp(text.data + at, word, size) == 0;
}

/*
 * Return the size of a qualifier at the end of the string, such as " const" after parameters, or 0.
 */
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

/* Return the size of the string without a trailing " [clone .isra.0]". */
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

/*
 * Return the offset of the bracket that matches the bracket before `end`, or `end` if brackets are
 * unbalanced.
 */
static size_t find_opening_bracket(struct cairn_bytes text, size_t end)
{
	size_t depth = 0;

	for (size_t at = end; at-- > 0;) {
		if (at > 0 && text.data[at] == '>' && text.data[at - 1] == '-')
			continue; /* the '>' of an arrow */
		depth += is_closing_bracket(text.data[at]);
		if (is_opening_bracket(text.data[at]) && --depth == 0)
			return at;
	}
	return end;
}

/*
 * Return the offset of "operator..." in the name that ends at `end`, or `end` if the name is not an
 * operator.
 */
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

/*
 * Return the start of the name component that ends at `end`. A component begins after "::" or a
 * space, but not after the space in "f() const".
 */
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
	/* in "operator()", the parentheses belong to the name */
	static const char operator_word[] = "operator";

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

/*
 * Remove the first component of a qualified name such as "a::b<c::d>::" and store it in *part.
 * Returns false if no "::" is left.
 */
static bool elf_writer_next_scope(struct cairn_bytes *path, struct cairn_bytes *part)
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

/*
 * Creates names for LLDB, which finds a function by the last component of its name, without
 * template arguments, and shows the demangled linkage name. For a name that is demangled in the
 * input, a linkage name is created from the qualified name: _ZN2ns5Class1fE for "ns::Class::f(int)"
 * and _Z1f for "f(int)". Clones have the name of the original function, as in DWARF from compilers.
 * A cold part remains a separate function, because LLDB unwinds all parts of a function with the
 * rules for its start.
 */
enum { LLDB_TEXT_MAX = 4096, LLDB_LINKAGE_MAX = 1024 };

static struct cairn_bytes name_text(const struct elf_writer *w, uint32_t name)
{
	const struct interner_entry *e = &w->names.entry[name];

	return (struct cairn_bytes){ w->names.text.data + e->offset, e->size };
}

/* Return "get" for "get<int>". Operator names are left unchanged because they may contain '<'. */
static struct cairn_bytes drop_template_arguments(struct cairn_bytes part)
{
	const uint8_t *bracket = part.size > 0 ? memchr(part.data, '<', part.size) : NULL;

	if (bracket && bracket > part.data && !bytes_begin_with(part, "operator"))
		part.size = (size_t)(bracket - part.data);
	return part;
}

static struct cairn_bytes last_part(struct cairn_bytes text)
{
	struct elf_writer_demangled parts;
	struct cairn_bytes part;

	if (elf_writer_demangled(text, &parts))
		return drop_template_arguments(parts.last);
	while (elf_writer_next_scope(&text, &part))
		continue;
	return drop_template_arguments(text);
}

/*
 * Return true if a type precedes the qualified name, as in "int ns". Blanks inside brackets belong
 * to the name.
 */
static bool has_type_before(struct cairn_bytes part)
{
	for (size_t at = 0; at < part.size && !strchr("(<{[", part.data[at]); at++)
		if (part.data[at] == ' ')
			return true;
	return false;
}

/*
 * Parse "ns::f", the name of a function without a linkage name in DWARF. Returns false if `text` is
 * not a qualified name.
 */
static bool split_path(struct cairn_bytes text, struct elf_writer_demangled *parts)
{
	struct cairn_bytes part, last = text;

	if (text.size > ELF_WRITER_READABLE_MAX)
		return false;
	while (elf_writer_next_scope(&last, &part))
		if (part.size == 0 || has_type_before(part))
			return false;
	*parts = (struct elf_writer_demangled){ .whole = text, .last = last };
	return last.size > 0 && last.size < text.size;
}

static bool split_readable(struct cairn_bytes text, struct elf_writer_demangled *parts)
{
	return elf_writer_demangled(text, parts) || split_path(text, parts);
}

/*
 * Return the name number of the last component of a mangled name, or `name` if it cannot be
 * demangled.
 */
static uint32_t unqualified_mangled(struct elf_writer *w, uint32_t name)
{
	uint8_t text[LLDB_TEXT_MAX];
	const size_t size =
		demangle_name(name_text(w, name), DEMANGLE_LLVM, (char *)text, sizeof(text));
	const struct cairn_bytes part = last_part((struct cairn_bytes){ text, size });
	uint32_t number = part.size > 0 ? interner_add_copy(&w->names, part) : 0;

	return number ? number : name;
}

static bool append_part(char *out, size_t *size, struct cairn_bytes part)
{
	int digits = snprintf(out + *size, LLDB_LINKAGE_MAX - *size, "%zu", part.size);

	if (part.size == 0 || digits < 0 || part.size > LLDB_LINKAGE_MAX ||
	    *size + (size_t)digits + part.size + 2 > LLDB_LINKAGE_MAX)
		return false;
	memcpy(out + *size + digits, part.data, part.size);
	*size += (size_t)digits + part.size;
	return true;
}

static uint32_t made_up_linkage(struct elf_writer *w, const struct elf_writer_demangled *parts)
{
	struct cairn_bytes part,
		path = { parts->whole.data, (size_t)(parts->last.data - parts->whole.data) };
	const bool nested = path.size > 0;
	char linkage[LLDB_LINKAGE_MAX] = "_ZN";
	size_t size = nested ? 3 : 2;

	while (elf_writer_next_scope(&path, &part))
		if (!append_part(linkage, &size, part))
			return 0;
	if (path.size > 0 || !append_part(linkage, &size, parts->last))
		return 0;
	if (nested)
		linkage[size++] = 'E';
	return interner_add_copy(&w->names, (struct cairn_bytes){ (const uint8_t *)linkage, size });
}

struct elf_writer_debug_name elf_writer_lldb_name(struct elf_writer *w, uint32_t name)
{
	struct elf_writer_debug_name made = { name, 0 };
	struct elf_writer_demangled parts;

	const uint32_t source = elf_writer_source_name_number(w, name);
	const struct cairn_bytes text = name_text(w, source);
	if (split_readable(text, &parts)) {
		made.linkage = made_up_linkage(w, &parts);
		/* parse again, because the string may have moved */
		split_readable(name_text(w, source), &parts);
		made.name = interner_add_copy(&w->names, drop_template_arguments(parts.last));
		return made.name ? made : (struct elf_writer_debug_name){ name, 0 };
	}
	made.name = source;
	if (bytes_begin_with(text, "_Z") || bytes_begin_with(text, "_R")) {
		made.name = unqualified_mangled(w, source);
		made.linkage = made.name != source ? source : 0;
	}
	return made;
}

/*
 * Return the name of a stub, with ".plt" instead of "@plt": LLDB takes "@plt" for a symbol version,
 * so a breakpoint on puts would stop in its stub.
 */
static uint32_t symbol_of_stub(struct elf_writer *w, uint32_t name)
{
	static const char suffix[] = "@plt";
	const size_t tail = sizeof(suffix) - 1;
	const struct cairn_bytes text = name_text(w, name);

	if (text.size <= tail || memcmp(text.data + text.size - tail, suffix, tail) != 0)
		return name;
	uint8_t *copy = malloc(text.size);
	if (!copy)
		return 0;
	memcpy(copy, text.data, text.size);
	copy[text.size - tail] = '.';
	const uint32_t number =
		interner_add_copy(&w->names, (struct cairn_bytes){ copy, text.size });
	free(copy);
	return number;
}

uint32_t elf_writer_symbol_name(struct elf_writer *w, uint32_t name)
{
	if (!w->options.for_lldb)
		return name;
	if (!elf_writer_is_demangled(w, name))
		return symbol_of_stub(w, name);
	const struct elf_writer_debug_name made = elf_writer_lldb_name(w, name);
	return made.linkage ? made.linkage : name;
}

/*
 * Finds names that debuggers must not demangle. Debuggers demangle every mangled name, without a
 * limit, and some names of 700 bytes exhaust a debugger's memory. Such a name gets a '?' in front,
 * so that it is not recognized as mangled.
 */
enum {
	/*
	 * accept names with at most this many back references without a check, because demangling
	 * makes them at most 81 times as long
	 */
	FEW_REFERENCES = 12,
	/* usual ratio of demangled to mangled size; some real names reach 44 */
	USUAL_RATIO = 8,
	/*
	 * maximum total number of bytes by which demangled names may exceed USUAL_RATIO times the
	 * size of their mangled names
	 */
	TEXT_BEYOND = 16 << 20,
	DEBUGGER_NAME_MAX = 1024, /* GNU debuggers do not demangle longer C++ names */
	/*
	 * maximum number of type references in a D name; checked in place of the demangled size,
	 * because cairn does not demangle D
	 */
	D_REFERENCES = 12,
};

/*
 * Return the base-26 number after a 'Q', which ends with a lower-case letter, or 0 if it is
 * invalid.
 */
static size_t read_distance(struct cairn_bytes name, size_t at)
{
	size_t distance = 0;

	for (at++; at < name.size && distance < name.size; at++) {
		uint8_t c = name.data[at];
		if (c >= 'a' && c <= 'z')
			return 26 * distance + (size_t)(c - 'a');
		if (c < 'A' || c > 'Z')
			return 0;
		distance = 26 * distance + (size_t)(c - 'A');
	}
	return 0;
}

/*
 * Return the number of type references in a D name. References to identifiers, which begin with
 * digits, are harmless and not counted.
 */
static size_t count_d_references(struct cairn_bytes name)
{
	size_t count = 0;

	for (size_t at = 0; at < name.size; at++) {
		size_t distance = name.data[at] == 'Q' ? read_distance(name, at) : 0;
		if (distance == 0 || distance > at)
			continue;
		uint8_t target = name.data[at - distance];
		count += target < '0' || target > '9';
	}
	return count;
}

/* Return true if the demangled name, and the total size of all names, are small enough. */
static bool is_bounded(struct elf_writer *w, struct cairn_bytes name)
{
	while (name.size > 0 && (name.data[0] == '.' || name.data[0] == '$')) {
		name.data++; /* binutils skips these characters, so skip them, too */
		name.size--;
	}
	if (bytes_continue_after(name, "_D"))
		return count_d_references(name) <= D_REFERENCES;
	if (!bytes_continue_after(name, "_Z") && !bytes_continue_after(name, "_R"))
		return true;
	bool rust = name.data[1] == 'R';
	if (!rust &&
	    (name.size > DEBUGGER_NAME_MAX || demangle_guard_references(name) <= FEW_REFERENCES))
		return true;
	size_t size = demangled_size(name);
	if (size == SIZE_MAX)
		return false;
	size_t beyond = size / USUAL_RATIO > name.size ? size - USUAL_RATIO * name.size : 0;
	w->text_beyond += beyond;
	return beyond == 0 || w->text_beyond <= TEXT_BEYOND;
}

static uint32_t mark_name(struct elf_writer *w, struct cairn_bytes name)
{
	if (!array_grow(&w->path, &w->path_capacity, name.size + 2, 1)) {
		w->failed = true;
		return 0;
	}
	w->path[0] = '?';
	memcpy(w->path + 1, name.data, name.size);
	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)w->path, name.size + 1 });
}

uint32_t elf_writer_bounded_name(struct elf_writer *w, struct cairn_bytes name, bool moves)
{
	uint32_t known = w->names.count;
	uint32_t number =
		moves ? interner_add_copy(&w->names, name) : interner_add(&w->names, name);

	if (number >= known && number > 0 && !is_bounded(w, name)) {
		uint32_t marked = mark_name(w, name);
		w->names.entry[number].mark = marked;
	}
	uint32_t marked = w->names.entry[number].mark;
	return marked ? marked : number;
}

/*
 * Finds the language and the last component of names, by which debuggers find functions. Simple C++
 * names are parsed directly. Other C++ names and Rust names are demangled.
 */

/*
 * Maximum size of a demangled name. Longer names are used unchanged. The last component of a
 * template instance includes its arguments and is often half of the name.
 */
enum { PATH_MAX_SIZE = 2048 };

enum {
	LANGUAGE_C99 = 0x0c,
	LANGUAGE_CPLUSPLUS = 0x1a, /* C++11; debuggers do not distinguish versions of C++ */
};

/* Read a component of a mangled name. Returns false if it is not a plain identifier. */
static bool read_mangled_part(struct cairn_bytes text, size_t *at, struct cairn_bytes *last)
{
	size_t size = 0, p = *at;

	while (p < text.size && text.data[p] >= '0' && text.data[p] <= '9' && size < text.size)
		size = 10 * size + (size_t)(text.data[p++] - '0');
	if (size == 0 || size > text.size - p)
		return false;
	*last = (struct cairn_bytes){ text.data + p, size };
	*at = p + size;
	return true;
}

/*
 * Find the last component of a mangled C++ name without templates and operators, such as
 * "_ZN3foo3barEi" or "_Z3bari". For constructors, this is the name of the class.
 */
static bool find_last_part(struct cairn_bytes text, struct cairn_bytes *last)
{
	static const char nested_std[] = "_ZNSt";
	bool nested = bytes_continue_after(text, "_ZN"),
	     std = bytes_continue_after(text, "_ZSt") || bytes_continue_after(text, nested_std);
	size_t at = nested ? 3 : 2;

	if (!bytes_continue_after(text, "_Z"))
		return false;
	if (nested && at < text.size && text.data[at] == 'K')
		at++;
	else if (!nested && text.data[at] == 'L')
		at++;
	if (std)
		at += 2;
	if (!read_mangled_part(text, &at, last))
		return false;
	while (nested && read_mangled_part(text, &at, last))
		continue;
	if (nested && at < text.size && text.data[at] == 'C')
		at += 2;
	return !nested || (at < text.size && text.data[at] == 'E');
}

/*
 * Return true for legacy Rust names, which are C++ names that end with a hash: "17h", 16 digits,
 * "E".
 */
static bool is_rust(struct cairn_bytes text)
{
	enum { TAIL = 20 };

	return bytes_continue_after(text, "_R") ||
	       (bytes_continue_after(text, "_ZN") && text.size > TAIL &&
	        memcmp(text.data + text.size - TAIL, "17h", 3) == 0 &&
	        text.data[text.size - 1] == 'E');
}

/*
 * Demangle a Rust name to its path, because debuggers do not parse Rust linkage names. Writes
 * "a::b<c>::d" for a::b::<c>::d. Returns the size of the path, or 0.
 */
static size_t read_rust_path(struct cairn_bytes name, uint8_t text[PATH_MAX_SIZE])
{
	size_t size = demangle_name(name, DEMANGLE_GNU, (char *)text, PATH_MAX_SIZE), to = 0;

	for (size_t at = 0; at < size; at++) {
		if (to > 0 && size - at > 2 && memcmp(text + at, "::<", 3) == 0)
			at += 2;
		text[to++] = text[at];
	}
	return to;
}

/*
 * Parse a name with its scopes. The name is either demangled, or a mangled C++ or Rust name, which
 * is demangled into `text`. Returns false if the name is anything else or too long.
 */
static bool split_name(struct cairn_bytes name, uint8_t text[PATH_MAX_SIZE],
                       struct elf_writer_demangled *parts)
{
	struct cairn_bytes part, path = { text, 0 };

	if (is_rust(name)) {
		path.size = read_rust_path(name, text);
		*parts = (struct elf_writer_demangled){ .whole = path, .last = path };
		while (elf_writer_next_scope(&parts->last, &part))
			continue;
		return path.size > 0;
	}
	if (bytes_continue_after(name, "_Z")) {
		path.size = demangle_name(name, DEMANGLE_GNU, (char *)text, PATH_MAX_SIZE);
		return elf_writer_demangled(path, parts);
	}
	return elf_writer_demangled(name, parts);
}

bool elf_writer_is_swift(const struct elf_writer *w, uint32_t name)
{
	return swift_is_mangled(interner_text(&w->names, name));
}

static uint32_t find_unqualified_name(struct elf_writer *w, uint32_t name)
{
	struct cairn_bytes part, text = elf_writer_source_name(interner_text(&w->names, name));
	struct elf_writer_demangled parts;
	uint8_t path[PATH_MAX_SIZE];

	if (swift_is_mangled(text)) {
		parts.last.data = path;
		parts.last.size = demangle_name(text, DEMANGLE_GNU, (char *)path, sizeof(path));
		if (!elf_writer_clean_text(w, &parts.last))
			return name;
	} else if (!is_rust(text) && find_last_part(text, &part))
		parts.last = part;
	else if (!split_name(text, path, &parts))
		return elf_writer_source_name_number(w, name);
	const uint32_t plain = parts.last.size > 0 ? elf_writer_add_name_part(w, parts.last) : 0;
	return plain ? plain : name;
}

bool elf_writer_is_demangled(const struct elf_writer *w, uint32_t name)
{
	struct elf_writer_demangled parts;

	return elf_writer_demangled(interner_text(&w->names, name), &parts);
}

/*
 * Set `scopes` to the name numbers of the scopes in "a::b::", or to an empty list if there are too
 * many.
 */
static void number_scopes(struct elf_writer *w, struct cairn_bytes path,
                          struct elf_writer_scopes *scopes)
{
	struct cairn_bytes part;

	scopes->count = 0;
	while (elf_writer_next_scope(&path, &part)) {
		/*
		 * drop parameters, because GDB 13 searches forever for go() if there is a namespace
		 * "go(long)"
		 */
		uint32_t number = interner_add_copy(&w->names, elf_writer_without_parameters(part));
		if (scopes->count == ELF_WRITER_SCOPES || number == 0) {
			scopes->count = 0;
			return;
		}
		scopes->name[scopes->count++] = number;
	}
}

static void find_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes)
{
	/* a copy, because the table may move while it grows */
	uint8_t text[PATH_MAX_SIZE], copy[PATH_MAX_SIZE];
	struct elf_writer_demangled parts;
	struct cairn_bytes path = { copy, 0 };

	scopes->count = 0;
	if (!split_name(elf_writer_source_name(interner_text(&w->names, name)), text, &parts))
		return;
	path.size = (size_t)(parts.last.data - parts.whole.data);
	if (path.size > sizeof(copy))
		return;
	memcpy(copy, parts.whole.data, path.size);
	number_scopes(w, path, scopes);
}

static bool keep_parts(struct elf_writer *w, uint32_t name, uint32_t last,
                       const struct elf_writer_scopes *scopes)
{
	if (!array_grow(&w->parts, &w->parts_capacity, w->parts_count + 2 + scopes->count,
	                sizeof(*w->parts)))
		return false;
	w->parts_at[name] = (uint32_t)w->parts_count + 1;
	w->parts[w->parts_count++] = last;
	w->parts[w->parts_count++] = (uint32_t)scopes->count;
	for (size_t i = 0; i < scopes->count; i++)
		w->parts[w->parts_count++] = scopes->name[i];
	return true;
}

static bool add_parts(struct elf_writer *w, uint32_t name)
{
	struct elf_writer_scopes scopes;
	const uint32_t last = find_unqualified_name(w, name);

	find_scopes(w, name, &scopes);
	return keep_parts(w, name, last, &scopes);
}

static bool reserve_parts(struct elf_writer *w, uint32_t name)
{
	const size_t capacity = w->parts_at_capacity;

	if (!array_grow(&w->parts_at, &w->parts_at_capacity, (size_t)name + 1,
	                sizeof(*w->parts_at)))
		return false;
	if (w->parts_at_capacity > capacity)
		memset(w->parts_at + capacity, 0,
		       (w->parts_at_capacity - capacity) * sizeof(*w->parts_at));
	return true;
}

/*
 * Return the components of a name, or NULL if allocation fails. Caches them, because many units use
 * the same names.
 */
static const uint32_t *find_parts(struct elf_writer *w, uint32_t name)
{
	if (!reserve_parts(w, name) || (w->parts_at[name] == 0 && !add_parts(w, name))) {
		w->failed = true;
		return NULL;
	}
	return w->parts + w->parts_at[name] - 1;
}

/*
 * Record the components of `path` for a name without components. Returns false if allocation fails.
 */
static bool split_path_for(struct elf_writer *w, uint32_t name, struct cairn_bytes path)
{
	struct elf_writer_scopes scopes;
	struct cairn_bytes part, last = path;

	if (!reserve_parts(w, name))
		return false;
	if (w->parts_at[name] != 0)
		return true;
	while (elf_writer_next_scope(&last, &part))
		continue;
	const uint32_t number = elf_writer_add_name_part(w, last);
	number_scopes(w, (struct cairn_bytes){ path.data, path.size - last.size }, &scopes);
	return number == 0 || keep_parts(w, name, number, &scopes);
}

void elf_writer_set_path(struct elf_writer *w, uint32_t name, struct cairn_bytes path)
{
	const struct cairn_bytes text = elf_writer_source_name(interner_text(&w->names, name));

	if ((bytes_continue_after(text, "_Z") && !is_rust(text)) ||
	    path.size > ELF_WRITER_READABLE_MAX)
		return;
	const uint32_t source = elf_writer_source_name_number(w, name);
	if (!elf_writer_clean_text(w, &path) || !split_path_for(w, name, path) ||
	    !split_path_for(w, source, path))
		w->failed = true;
}

uint32_t elf_writer_unqualified_name(struct elf_writer *w, uint32_t name)
{
	const uint32_t *parts = find_parts(w, name);

	return parts ? parts[0] : name;
}

void elf_writer_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes)
{
	const uint32_t *parts = find_parts(w, name);

	scopes->count = parts ? parts[1] : 0;
	for (size_t i = 0; i < scopes->count; i++)
		scopes->name[i] = parts[2 + i];
}

/*
 * Return true if a name looks like demangled C++, which means a qualified name ("a::b") or a
 * demangled function.
 */
static bool is_cplusplus(struct cairn_bytes text)
{
	struct elf_writer_demangled readable;

	if (text.size > ELF_WRITER_READABLE_MAX)
		return false;
	for (size_t i = 0; i + 1 < text.size; i++)
		if (text.data[i] == ':' && text.data[i + 1] == ':')
			return true;
	return elf_writer_demangled(text, &readable);
}

struct languages {
	size_t rust, cplusplus, d;
};

static bool has_path(const struct elf_writer *w, uint32_t name)
{
	return name < w->parts_at_capacity && w->parts_at[name] != 0 &&
	       w->parts[w->parts_at[name]] > 0;
}

static void count_name(const struct elf_writer *w, struct languages *counts, uint32_t name)
{
	const struct cairn_bytes text = elf_writer_source_name(interner_text(&w->names, name));

	if (is_rust(text))
		counts->rust++;
	else if (bytes_continue_after(text, "_Z") || is_cplusplus(text))
		counts->cplusplus++;
	else if (has_path(w, name))
		counts->rust++;
	else if (bytes_continue_after(text, "_D"))
		counts->d++;
}

static bool is_mangled(const struct languages *counts)
{
	return counts->cplusplus + counts->rust + counts->d > 0;
}

unsigned elf_writer_language(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             const uint32_t *calls, size_t count, bool *mangles)
{
	struct languages counts = { 0, 0, 0 };

	for (size_t i = 0; i < unit->count; i++)
		count_name(w, &counts, w->function[unit->first + i].name);
	for (size_t i = 0; i < count && !is_mangled(&counts); i++)
		count_name(w, &counts, calls[i]);
	*mangles = is_mangled(&counts);
	if (!*mangles)
		return LANGUAGE_C99;
	if (counts.cplusplus >= counts.rust && counts.cplusplus >= counts.d)
		return LANGUAGE_CPLUSPLUS;
	return counts.rust >= counts.d ? ELF_WRITER_RUST : ELF_WRITER_D;
}
