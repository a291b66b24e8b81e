/* SPDX-License-Identifier: MIT */
/*
 * Reads a name once from left to right, after name_end_trim(), and writes what belongs to the
 * normal form:
 *
 *	name   = [type " "] path
 *	path   = parts, "::", "(anonymous namespace)", "operator" sign, <X as Y>
 *	part   = bytes [<arguments>] [(parameters) qualifiers], {lambda(...)#N}, {closure#N}, $_N, 'lambdaN'
 */
#include "name_form.h"

#include "name_end.h"

#include "base/bytes.h"
#include "symbols/names/symbol_name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char anonymous[] = "(anonymous namespace)", lambda[] = "{lambda}";

struct form {
	struct cairn_bytes in;
	size_t at;
	char *out;
	size_t size;
	size_t start; /* offset in `out`; the return type is before it */
	size_t kept;
	bool after_parameters;
	bool has_operator; /* an operator was read, so blanks are part of the name */
};

static struct cairn_bytes rest_of(const struct form *f)
{
	return (struct cairn_bytes){ f->in.data + f->at, f->in.size - f->at };
}

static bool ends_word(struct cairn_bytes rest, size_t size)
{
	return size == rest.size || !name_end_is_word(rest.data[size]);
}

static void put_word(struct form *f, const char *word)
{
	const size_t size = strlen(word);

	memcpy(f->out + f->size, word, size);
	f->size += size;
	f->after_parameters = false;
}

static char replace_control(uint8_t c)
{
	return (char)(c < ' ' || c == 0x7f ? '?' : c);
}

static void keep_bytes(struct form *f, size_t size)
{
	for (size_t i = 0; i < size; i++)
		f->out[f->size++] = replace_control(f->in.data[f->at++]);
	f->after_parameters = false;
}

static void skip_parentheses(struct form *f)
{
	size_t depth = 0;

	do {
		const uint8_t c = f->in.data[f->at++];
		depth += c == '(';
		depth -= c == ')';
	} while (depth > 0 && f->at < f->in.size);
}

/*
 * Return the size of an operator name or "->" at the current offset, or 0. Its '<' and '>' are not
 * brackets.
 */
static size_t find_sign(const struct form *f)
{
	if (f->at > 0 && name_end_is_word(f->in.data[f->at]) &&
	    name_end_is_word(f->in.data[f->at - 1]))
		return 0; /* inside a word such as "my_operator<" */
	return symbol_name_sign_size(rest_of(f));
}

/* Skip template arguments. "->" and the signs of operators are not brackets. */
static void skip_angles(struct form *f)
{
	size_t depth = 0;

	do {
		const uint8_t c = f->in.data[f->at];
		const size_t sign = find_sign(f);
		if (sign > 0) {
			f->at += sign;
		} else if (c == '(') {
			skip_parentheses(f);
		} else {
			depth += c == '<';
			depth -= c == '>';
			f->at++;
		}
	} while (depth > 0 && f->at < f->in.size);
}

/*
 * Read a '('. "(*f(int))(char)" is a function that returns a function pointer and "main.(*T).f" is
 * a method in Go, so the name continues inside the parenthesis. Others hold parameters and are
 * skipped.
 */
static void take_parenthesis(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (bytes_begin_with(rest, anonymous)) {
		keep_bytes(f, sizeof(anonymous) - 1);
	} else if (bytes_begin_with(rest, "(*") || bytes_begin_with(rest, "(&")) {
		f->at += 2;
	} else {
		skip_parentheses(f);
		f->after_parameters = true;
	}
}

/* Return true if '<' begins a Rust path such as "<X as Y>" rather than template arguments. */
static bool begins_path(const struct form *f)
{
	const char before = f->size > 0 ? f->out[f->size - 1] : '\0';

	return before == '\0' || (f->kept > 0 && strchr(" <&", before) != NULL) ||
	       bytes_begin_with(rest_of(f), "<impl ");
}

static void take_angle(struct form *f)
{
	if (bytes_begin_with(rest_of(f), "<lambda(")) {
		skip_angles(f);
		put_word(f, lambda);
	} else if (begins_path(f)) {
		keep_bytes(f, 1);
		f->kept++;
	} else {
		skip_angles(f);
		if (f->size > 2 && memcmp(f->out + f->size - 2, "::", 2) == 0)
			f->size -= 2; /* "f::<T>" in Rust */
	}
}

/* Close a bracket that was kept; drop a closing bracket without an opening one. */
static void take_closing(struct form *f)
{
	if (f->kept == 0) {
		f->at++;
		return;
	}
	keep_bytes(f, 1);
	f->kept--;
}

static void take_square(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (!bytes_begin_with(rest, "[abi:") && !bytes_begin_with(rest, "[clone ")) {
		keep_bytes(f, 1);
		f->kept++;
		return;
	}
	const uint8_t *end = memchr(rest.data, ']', rest.size);
	f->at = end ? (size_t)(end - f->in.data) + 1 : f->in.size;
}

/* Reduce {lambda(int)#2}, {closure#0}, {{closure}} or {unnamed type#1} to the word in braces. */
static void take_brace(struct form *f)
{
	size_t depth = 0;

	put_word(f, "{");
	for (; f->at < f->in.size && f->in.data[f->at] == '{'; f->at++)
		depth++;
	while (f->at < f->in.size && !strchr("(#<{}", replace_control(f->in.data[f->at])))
		keep_bytes(f, 1);
	for (; depth > 0 && f->at < f->in.size; f->at++) {
		depth += f->in.data[f->at] == '{';
		depth -= f->in.data[f->at] == '}';
	}
	put_word(f, "}");
}

/*
 * Return the size of `word`, digits and `end` at the beginning of `rest`, or 0 if they are not
 * there.
 */
static size_t numbered_size(struct cairn_bytes rest, const char *word, const char *end)
{
	size_t size = strlen(word);

	if (!bytes_begin_with(rest, word))
		return 0;
	while (size < rest.size && name_end_is_digit(rest.data[size]))
		size++;
	rest.data += size;
	rest.size -= size;
	return bytes_begin_with(rest, end) ? size + strlen(end) : 0;
}

/*
 * Replace "$_0", "'lambda1'", "'unnamed0'" or "`anonymous namespace'", the notations of LLVM and
 * others for unnamed entities.
 */
static void take_nameless(struct form *f)
{
	static const struct {
		const char *word, *end, *form;
	} rows[] = {
		{ "$_", "", lambda },
		{ "'lambda", "'", lambda },
		{ "'unnamed", "'", "{unnamed type}" },
		{ "`anonymous namespace", "'", anonymous },
		{ "`anonymous-namespace", "'", anonymous },
	};
	const struct cairn_bytes rest = rest_of(f);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const size_t size = numbered_size(rest, rows[i].word, rows[i].end);
		if (size > 0) {
			f->at += size;
			put_word(f, rows[i].form);
			return;
		}
	}
	keep_bytes(f, 1);
}

static bool skip_qualifier(struct form *f)
{
	static const char *const words[] = { " const",    " volatile", " &&",     " &",
		                             " noexcept", " restrict", " throws", " async" };
	const struct cairn_bytes rest = rest_of(f);

	for (size_t i = 0; i < COUNT(words); i++) {
		const size_t size = strlen(words[i]);
		if (bytes_begin_with(rest, words[i]) && ends_word(rest, size)) {
			f->at += size;
			return true;
		}
	}
	return false;
}

static void take_blank(struct form *f)
{
	const struct cairn_bytes rest = rest_of(f);

	if (f->after_parameters && skip_qualifier(f))
		return;
	if (f->kept == 0 && bytes_begin_with(rest, " -> ")) {
		f->at = f->in.size; /* return type in Swift */
		return;
	}
	if (bytes_begin_with(rest, " [clone ") || bytes_begin_with(rest, " (.")) {
		f->at++;
		return;
	}
	keep_bytes(f, 1);
	if (f->kept == 0 && !f->has_operator)
		f->start = f->size;
}

/*
 * Drop "{lambda}::" before operator(). Debug information names the inlined call of a lambda by the
 * enclosing function alone, and both names must have the same normal form.
 */
static void drop_lambda(struct form *f)
{
	static const char before[] = "{lambda}::";
	enum { SIZE = sizeof(before) - 1 };

	if (f->size >= SIZE && memcmp(f->out + f->size - SIZE, before, SIZE) == 0)
		f->size -= SIZE;
}

/*
 * Copy "operator" and its sign, which must not be read as brackets. The target type of a conversion
 * operator is part of the name.
 */
static void take_operator(struct form *f)
{
	enum { WORD = sizeof("operator") - 1 };
	const struct cairn_bytes rest = rest_of(f);

	if (!bytes_begin_with(rest, "operator") || !ends_word(rest, WORD) ||
	    (f->size > 0 && name_end_is_word((uint8_t)f->out[f->size - 1]))) {
		keep_bytes(f, 1);
		return;
	}
	const size_t sign = symbol_name_sign_size(rest);
	f->has_operator = true;
	if (bytes_begin_with(rest, "operator()"))
		drop_lambda(f);
	keep_bytes(f, sign ? sign : WORD);
	if (!sign && bytes_begin_with(rest_of(f), "()"))
		keep_bytes(f, 2);
}

static void take_next(struct form *f)
{
	switch (f->in.data[f->at]) {
	case '(':
		take_parenthesis(f);
		break;
	case '<':
		take_angle(f);
		break;
	case '[':
		take_square(f);
		break;
	case '{':
		take_brace(f);
		break;
	case ')':
		f->at++;
		break;
	case '>':
	case ']':
		take_closing(f);
		break;
	case '$':
	case '\'':
	case '`':
		take_nameless(f);
		break;
	case ' ':
		take_blank(f);
		break;
	case 'o':
		take_operator(f);
		break;
	default:
		keep_bytes(f, bytes_begin_with(rest_of(f), "->") ? 2 : 1);
		break;
	}
}

/* Return the size of a string cut to `most` bytes at the start of a UTF-8 character. */
static size_t cut_form(const char *out, size_t size, size_t most)
{
	size_t cut = most;

	if (size <= most)
		return size;
	while (cut > most - 3 && ((uint8_t)out[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

size_t name_form_plain(struct cairn_bytes text, size_t most, char *out)
{
	for (size_t i = 0; i < text.size; i++)
		out[i] = replace_control(text.data[i]);
	return cut_form(out, text.size, most);
}

/*
 * Move the name to the front of `out`, without its return type and the "__GI_" prefix of calls
 * within the C library. Return its size.
 */
static size_t finish_form(struct form *f)
{
	static const char internal[] = "__GI_";

	while (f->size > 0 && f->out[f->size - 1] == ' ')
		f->size--;
	if (f->start >= f->size)
		f->start = 0;
	const struct cairn_bytes name = { (const uint8_t *)f->out + f->start, f->size - f->start };
	if (bytes_go_on_after(name, internal))
		f->start += sizeof(internal) - 1;
	f->size -= f->start;
	memmove(f->out, f->out + f->start, f->size);
	return cut_form(f->out, f->size, NAME_FORM_MAX);
}

size_t name_form(struct cairn_bytes name, char *out)
{
	struct form f = { .in = name_end_trim(name), .out = out };

	while (f.at < f.in.size)
		take_next(&f);
	const size_t size = finish_form(&f);
	return size > 0 ? size : name_form_plain(name, NAME_FORM_MAX, out);
}
