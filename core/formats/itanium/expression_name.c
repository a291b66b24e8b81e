/* SPDX-License-Identifier: MIT */
/*
 * Parses names and literals in expressions, section 5.1.6 of the Itanium C++ ABI:
 *
 *	primary = "L" type value "E" | "L" ["_"] "Z" encoding "E"
 *	name    = ["on"] (unqualified name | "dn" (type | unqualified name)) [template arguments]
 *	scoped  = "sr" type name | "sr" "N" type name+ "E" name | "sr" name+ "E" name
 */
#include "parts.h"

/* Parse a function or variable by its name, or a value with its type. */
uint16_t itanium_primary(struct itanium *it)
{
	uint16_t made;

	it->at++;
	if (itanium_peek(it, 0) == '_' || itanium_peek(it, 0) == 'Z') {
		(void)itanium_take(it, '_');
		if (!itanium_take(it, 'Z'))
			return itanium_fail(it);
		made = itanium_node(it, ITANIUM_ENTITY, itanium_encoding(it), 0);
	} else {
		bool null = itanium_is_next(it, "Dn"), closure = itanium_is_next(it, "Ul");
		uint16_t type = itanium_type(it);
		bool array = it->node[type].kind == ITANIUM_ARRAY;
		const uint8_t *start = it->at;
		(void)itanium_take(it, 'n');
		while (itanium_peek(it, 0) != 'E' && itanium_peek(it, 0) != 0)
			it->at++;
		if (it->at == start && !null && !closure && !array)
			return itanium_fail(it);
		made = itanium_text(it, ITANIUM_LITERAL, start, (size_t)(it->at - start));
		it->node[made].left = type;
	}
	return itanium_take(it, 'E') ? made : itanium_fail(it);
}

uint16_t itanium_simple_name(struct itanium *it)
{
	(void)itanium_take_code(it, "on");
	bool destroys = itanium_take_code(it, "dn");
	uint16_t name;

	if (destroys && !itanium_is_digit(itanium_peek(it, 0)))
		name = itanium_type(it);
	else
		name = itanium_unqualified(it);
	if (itanium_peek(it, 0) == 'I')
		name = itanium_instance(it, name);
	return destroys ? itanium_node(it, ITANIUM_DESTRUCTOR, name, 0) : name;
}

bool itanium_begins_simple_name(const struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	return itanium_is_digit(c) || itanium_is_next(it, "on") || itanium_is_next(it, "dn");
}

/* Parse the last part of a qualified name. Its template arguments apply to the whole name. */
static uint16_t parse_base_name(struct itanium *it, uint16_t scope)
{
	uint16_t name = itanium_simple_name(it);

	if (it->node[name].kind != ITANIUM_TEMPLATE)
		return itanium_node(it, ITANIUM_INSIDE, scope, name);
	uint16_t arguments = it->node[name].right;
	name = itanium_node(it, ITANIUM_INSIDE, scope, it->node[name].left);
	return itanium_node(it, ITANIUM_TEMPLATE, name, arguments);
}

/* Parse NAME+ "E" NAME. Otherwise return false and restore the position. */
static bool parse_levels(struct itanium *it, uint16_t *whole)
{
	const uint8_t *start = it->at;
	unsigned substitutions = it->substitutions;
	uint16_t made = *whole;

	while (!it->failed && itanium_is_digit(itanium_peek(it, 0))) {
		uint16_t level = itanium_simple_name(it);
		made = made ? itanium_node(it, ITANIUM_INSIDE, made, level) : level;
	}
	if (!it->failed && made && itanium_take(it, 'E') && itanium_begins_simple_name(it)) {
		*whole = parse_base_name(it, made);
		return true;
	}
	it->failed = it->nodes == ITANIUM_NODES; /* running out of nodes also fails the retry */
	it->at = it->failed ? it->end : start;
	it->substitutions = substitutions;
	return false;
}

/*
 * Return true for a template parameter, with or without arguments, or decltype. Names may follow
 * these within "N", because they are not complete types on their own.
 */
static bool is_unresolved(const struct itanium *it, uint16_t type)
{
	if (it->node[type].kind == ITANIUM_TEMPLATE)
		type = it->node[type].left;
	return it->node[type].kind == ITANIUM_PARAMETER || it->node[type].kind == ITANIUM_DECLTYPE;
}

/*
 * Parse "N" TYPE NAME+ "E" NAME. Otherwise return false and restore the position, because gcc also
 * uses "N" here for nested types, which take part in substitution.
 */
static bool parse_unresolved_levels(struct itanium *it, uint16_t *whole)
{
	const uint8_t *start = it->at;
	unsigned substitutions = it->substitutions;

	if (itanium_peek(it, 0) != 'N' || !itanium_peek(it, 1) ||
	    !strchr("TDS", itanium_peek(it, 1)))
		return false;
	it->at++;
	*whole = itanium_type(it);
	if (!it->failed && is_unresolved(it, *whole) && parse_levels(it, whole))
		return true;
	if (!it->failed) {
		it->at = start;
		it->substitutions = substitutions;
	}
	return false;
}

/* Parse the rest after "sr": TYPE NAME, "N" TYPE NAME+ "E" NAME, or NAME+ "E" NAME. */
uint16_t itanium_scoped_name(struct itanium *it)
{
	uint16_t whole = 0;

	if (itanium_is_digit(itanium_peek(it, 0)) && parse_levels(it, &whole))
		return whole;
	if (parse_unresolved_levels(it, &whole))
		return whole;
	whole = itanium_type(it);
	uint16_t name = itanium_simple_name(it);
	return itanium_node(it, ITANIUM_INSIDE, whole, name);
}
