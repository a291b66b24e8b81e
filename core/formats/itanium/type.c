/* SPDX-License-Identifier: MIT */
/*
 * Types and template arguments, section 5.1.5:
 *
 *	type     = letter | "D" letter                         of the language
 *	         | name | substitution | T_
 *	         | ("P" | "R" | "O" | "K" | "V" | "r" | "C" | "Dp") type
 *	         | "F" type* "E" | "A" [number] "_" type | "M" type type
 *	T_       = "T" [number] "_"
 *	arguments= "I" argument* "E"
 *	argument = type | "L" type value "E" | "LZ" encoding "E" | "J" argument* "E"
 */
#include "parts.h"

/* By their letters, 'a' to 'z'. */
static const char *const builtins[] = {
	"signed char",
	"bool",
	"char",
	"double",
	"long double",
	"float",
	"__float128",
	"unsigned char",
	"int",
	"unsigned int",
	NULL,
	"long",
	"unsigned long",
	"__int128",
	"unsigned __int128",
	NULL,
	NULL,
	NULL,
	"short",
	"unsigned short",
	NULL,
	"void",
	"wchar_t",
	"long long",
	"unsigned long long",
	"...",
};

/* After "D". */
static const char *find_d_builtin(uint8_t letter)
{
	switch (letter) {
	case 'a':
		return "auto";
	case 'c':
		return "decltype(auto)";
	case 'i':
		return "char32_t";
	case 'n':
		return "decltype(nullptr)";
	case 's':
		return "char16_t";
	case 'u':
		return "char8_t";
	default:
		return NULL;
	}
}

static uint16_t parse_builtin_type(struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);
	const char *text = c == 'D' ? find_d_builtin(itanium_peek(it, 1)) : builtins[c - 'a'];

	if (!text)
		return itanium_fail(it);
	it->at += c == 'D' ? 2 : 1;
	return itanium_word(it, ITANIUM_NAME, text);
}

uint16_t itanium_parameter(struct itanium *it)
{
	uint32_t number = 0;

	it->at++;
	if (itanium_peek(it, 0) != '_')
		number = (uint32_t)itanium_number(it) + 1;
	if (!itanium_take(it, '_'))
		return itanium_fail(it);
	uint16_t made = itanium_node(it, ITANIUM_PARAMETER, it->scope, 0);
	it->node[made].size = number;
	return made;
}

/* One more at the end of a list; `last` is 0 before the first. */
static void append_list_item(struct itanium *it, uint16_t item, uint16_t *first, uint16_t *last)
{
	uint16_t made = itanium_node(it, ITANIUM_LIST, item, 0);

	if (*last)
		it->node[*last].right = made;
	else
		*first = made;
	*last = made;
}

static bool ends_parameters(const struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	return c == 0 || c == 'E' || c == '.' ||
	       ((c == 'R' || c == 'O') && itanium_peek(it, 1) == 'E');
}

uint16_t itanium_parameters(struct itanium *it)
{
	uint16_t first = 0, last = 0;
	uint8_t next = itanium_peek(it, 1);

	if (itanium_peek(it, 0) == 'v' && (next == 0 || next == 'E' || next == '.')) {
		it->at++;
		return 0;
	}
	while (!ends_parameters(it))
		append_list_item(it, itanium_type(it), &first, &last);
	return first ? first : itanium_fail(it);
}

/* The address of a function or variable, or a value with its type; not printed. */
static uint16_t parse_expr_primary(struct itanium *it)
{
	it->at++;
	if (itanium_peek(it, 0) == '_' || itanium_peek(it, 0) == 'Z') {
		(void)itanium_take(it, '_');
		if (!itanium_take(it, 'Z'))
			return itanium_fail(it);
		(void)itanium_encoding(it);
	} else {
		bool null = itanium_peek(it, 0) == 'D' && itanium_peek(it, 1) == 'n';
		(void)itanium_type(it);
		(void)itanium_take(it, 'n');
		const uint8_t *start = it->at;
		while (itanium_peek(it, 0) != 'E' && itanium_peek(it, 0) != 0)
			it->at++;
		if (it->at == start && !null)
			return itanium_fail(it);
	}
	return itanium_take(it, 'E') ? itanium_node(it, ITANIUM_UNPRINTABLE, 0, 0)
	                             : itanium_fail(it);
}

/* The one expression that is usual: the address of something, "XadL_Z" encoding "EE". */
static uint16_t parse_address_expression(struct itanium *it)
{
	if (itanium_peek(it, 1) != 'a' || itanium_peek(it, 2) != 'd' || itanium_peek(it, 3) != 'L')
		return itanium_fail(it);
	it->at += 3;
	uint16_t made = parse_expr_primary(it);
	return itanium_take(it, 'E') ? made : itanium_fail(it);
}

static uint16_t parse_template_arg(struct itanium *it)
{
	switch (itanium_peek(it, 0)) {
	case 'X':
		return parse_address_expression(it);
	case 'L':
		return parse_expr_primary(it);
	case 'I':
	case 'J':
		return itanium_node(it, ITANIUM_PACK, itanium_arguments(it), 0);
	default:
		return itanium_type(it);
	}
}

uint16_t itanium_arguments(struct itanium *it)
{
	uint16_t first = 0, last = 0, name = it->last_name;

	if (!itanium_enter(it))
		return 0;
	it->at++;
	while (!it->failed && !itanium_take(it, 'E'))
		append_list_item(it, parse_template_arg(it), &first, &last);
	/* what is in them does not name a constructor after them */
	it->last_name = name;
	itanium_leave(it);
	return first;
}

uint16_t itanium_instance(struct itanium *it, uint16_t name)
{
	if (name == 0 || it->node[name].kind == ITANIUM_TEMPLATE)
		return itanium_fail(it); /* nothing has arguments twice */
	return itanium_node(it, ITANIUM_TEMPLATE, name, itanium_arguments(it));
}

/* `method`: whether its object is const. */
static uint16_t parse_function_type(struct itanium *it, bool method)
{
	it->at++;
	uint16_t returned = itanium_type(it);
	uint16_t parameters = itanium_parameters(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	uint16_t made = itanium_node(it, ITANIUM_FUNCTION, returned, parameters);
	it->node[made].size = method;
	return made;
}

static uint16_t parse_array_type(struct itanium *it)
{
	it->at++;
	const uint8_t *start = it->at;
	if (itanium_peek(it, 0) != '_')
		(void)itanium_number(it);
	size_t size = (size_t)(it->at - start);
	if (!itanium_take(it, '_'))
		return itanium_fail(it);
	uint16_t element = itanium_type(it);
	uint16_t made = itanium_text(it, ITANIUM_ARRAY, start, size);
	it->node[made].left = element;
	return made;
}

static uint16_t parse_member_pointer(struct itanium *it)
{
	it->at++;
	uint16_t class = itanium_type(it), type = itanium_type(it);
	return itanium_node(it, ITANIUM_MEMBER, class, type);
}

/* Qualifiers of what follows, which is named again with all of them only. */
static uint16_t parse_qualified_type(struct itanium *it)
{
	enum itanium_kind kinds[4];
	unsigned count = 0;

	for (;; it->at++) {
		uint8_t c = itanium_peek(it, 0);
		if (c != 'K' && c != 'V' && c != 'r')
			break;
		if (count == 4)
			return itanium_fail(it);
		kinds[count++] = c == 'K'   ? ITANIUM_CONST
		                 : c == 'V' ? ITANIUM_VOLATILE
		                            : ITANIUM_RESTRICT;
	}
	/* of a function they are those of its object */
	bool method = itanium_peek(it, 0) == 'F';
	if (method && (count > 1 || kinds[0] != ITANIUM_CONST))
		return itanium_fail(it);
	uint16_t type = method ? parse_function_type(it, true) : itanium_type(it);
	while (!method && count > 0)
		type = itanium_node(it, kinds[--count], type, 0);
	return type;
}

static uint16_t parse_suffixed_type(struct itanium *it, const char *text)
{
	it->at++;
	uint16_t type = itanium_type(it), made = itanium_word(it, ITANIUM_SUFFIXED, text);
	it->node[made].left = type;
	return made;
}

static uint16_t parse_referring_type(struct itanium *it, enum itanium_kind kind)
{
	it->at++;
	uint16_t type = itanium_type(it);
	return itanium_node(it, kind, type, 0);
}

static uint16_t parse_template_param(struct itanium *it)
{
	uint16_t made = itanium_parameter(it);

	if (itanium_peek(it, 0) != 'I')
		return made;
	/* whose arguments those of `operator T<...>` are takes a look ahead */
	if (it->in_conversion)
		return itanium_fail(it);
	itanium_remember(it, made);
	return itanium_instance(it, made);
}

/* Functions are not types, whatever they are called. */
static uint16_t parse_class_name(struct itanium *it)
{
	uint16_t whole = itanium_name(it);

	switch (it->node[itanium_last_part(it, whole)].kind) {
	case ITANIUM_OPERATOR:
	case ITANIUM_CLASS_NAME:
	case ITANIUM_DESTRUCTOR:
	case ITANIUM_CONVERSION:
	case ITANIUM_METHOD:
		return itanium_fail(it);
	default: /* a class, also one of a template */
		return whole;
	}
}

/* *again: whether it can be named by a number, which a substitution without arguments has. */
static uint16_t parse_substituted_type(struct itanium *it, bool *again)
{
	uint8_t next = itanium_peek(it, 1);

	if (next == 't')
		return parse_class_name(it);
	uint16_t made = itanium_substitution(it, false);
	*again = itanium_peek(it, 0) == 'I';
	return *again ? itanium_instance(it, made) : made;
}

/* Of something that has a parameter in it, which types of the language have not. */
static uint16_t parse_pack_expansion(struct itanium *it)
{
	uint8_t pattern = itanium_peek(it, 2);

	if (pattern == 'D' || (pattern >= 'a' && pattern <= 'z' && pattern != 'r'))
		return itanium_fail(it);
	it->at++;
	return parse_referring_type(it, ITANIUM_EXPANSION);
}

static uint16_t parse_any_type(struct itanium *it, bool *again)
{
	uint8_t c = itanium_peek(it, 0);

	switch (c) {
	case 'K':
	case 'V':
	case 'r':
		return parse_qualified_type(it);
	case 'P':
		return parse_suffixed_type(it, "*");
	case 'C':
		return parse_suffixed_type(it, " _Complex");
	case 'R':
		return parse_referring_type(it, ITANIUM_REFERENCE);
	case 'O':
		return parse_referring_type(it, ITANIUM_RVALUE);
	case 'F':
		return parse_function_type(it, false);
	case 'A':
		return parse_array_type(it);
	case 'M':
		return parse_member_pointer(it);
	case 'T':
		return parse_template_param(it);
	case 'S':
		return parse_substituted_type(it, again);
	case 'D':
		if (itanium_peek(it, 1) == 'p')
			return parse_pack_expansion(it);
		*again = false;
		return parse_builtin_type(it);
	default:
		if (c == 'N' || c == 'Z' || (c >= '0' && c <= '9'))
			return parse_class_name(it);
		*again = false;
		return c >= 'a' && c <= 'z' ? parse_builtin_type(it) : itanium_fail(it);
	}
}

uint16_t itanium_type(struct itanium *it)
{
	bool again = true;

	if (!itanium_enter(it))
		return 0;
	uint16_t type = parse_any_type(it, &again);
	itanium_leave(it);
	if (again)
		itanium_remember(it, type);
	return type;
}
