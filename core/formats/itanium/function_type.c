/* SPDX-License-Identifier: MIT */
/*
 * Parses function types, with the qualifiers of their object and their exception specification:
 *
 *	function  = [exceptions] ["Dx"] "F" ["Y"] type type+ ["R" | "O"] "E"
 *	exceptions= "Do" | "DO" expression "E" | "Dw" type* "E"
 */
#include "parts.h"

/* Return true if a reference qualifier and the end of a function type follow. */
static bool ends_function(const struct itanium *it, size_t ahead)
{
	uint8_t c = itanium_peek(it, ahead);

	return (c == 'R' || c == 'O') && itanium_peek(it, ahead + 1) == 'E';
}

static bool ends_parameters(const struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	return c == 0 || c == 'E' || c == '.' || c == 'Q' || ends_function(it, 0);
}

uint16_t itanium_parameters(struct itanium *it)
{
	uint16_t first = 0, last = 0;
	uint8_t next = itanium_peek(it, 1);

	if (itanium_peek(it, 0) == 'v' &&
	    (next == 0 || next == 'E' || next == '.' || next == 'Q' || ends_function(it, 1))) {
		it->at++;
		return 0;
	}
	while (!ends_parameters(it))
		itanium_append(it, itanium_type(it), &first, &last);
	return first ? first : itanium_fail(it);
}

/* Append a qualifier to a function type, in the form in which it is printed. */
static void append_qualifier(struct itanium *it, uint16_t function, const char *text, uint16_t left)
{
	uint16_t last = function, made = itanium_word(it, ITANIUM_QUALIFIERS, text);

	it->node[made].left = left;
	if (it->node[function].more == 0) {
		it->node[function].more = made;
		return;
	}
	for (last = it->node[function].more; it->node[last].right; last = it->node[last].right)
		;
	it->node[last].right = made;
}

/* Parse an exception specification. Return its letter, or 0 if absent, and set *operand. */
static uint8_t parse_exception_spec(struct itanium *it, uint16_t *operand)
{
	uint8_t kind = itanium_peek(it, 1);

	*operand = 0;
	if (itanium_peek(it, 0) != 'D' || (kind != 'o' && kind != 'O' && kind != 'w'))
		return 0;
	it->at += 2;
	if (kind == 'o')
		return kind;
	*operand = kind == 'O' ? itanium_expression(it) : itanium_parameters(it);
	if (!itanium_take(it, 'E'))
		itanium_fail(it);
	return kind;
}

uint16_t itanium_function_type(struct itanium *it, unsigned held)
{
	static const char *const words[] = { "", " const", " volatile", " const volatile" };
	uint16_t operand, returned, parameters;
	uint8_t exceptions = parse_exception_spec(it, &operand);
	bool is_safe = itanium_peek(it, 0) == 'D' && itanium_peek(it, 1) == 'x';

	it->at += is_safe ? 2 : 0;
	if (!itanium_take(it, 'F'))
		return itanium_fail(it);
	(void)itanium_take(it, 'Y'); /* extern "C" */
	returned = itanium_type(it);
	parameters = itanium_parameters(it);
	uint16_t made = itanium_node(it, ITANIUM_FUNCTION, returned, parameters);
	if (held & 3)
		append_qualifier(it, made, words[held & 3], 0);
	if (held & 4)
		append_qualifier(it, made, " restrict", 0);
	if (itanium_take(it, 'R'))
		append_qualifier(it, made, " &", 0);
	else if (itanium_take(it, 'O'))
		append_qualifier(it, made, " &&", 0);
	if (exceptions)
		append_qualifier(it, made, exceptions == 'w' ? " throw" : " noexcept", operand);
	if (is_safe)
		append_qualifier(it, made, " transaction_safe", 0);
	return itanium_take(it, 'E') ? made : itanium_fail(it);
}
