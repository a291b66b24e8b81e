/* SPDX-License-Identifier: MIT */
/*
 * Parses template arguments, template parameters, and the template parameters of closures:
 *
 *	arguments   = "I" argument* ["Q" expression] "E"
 *	argument    = type | "L" value "E" | "X" expression "E" | ("J" | "I") argument* "E"
 *	            | declaration argument
 *	T_          = "T" [number] "_" | "TL" number "_" [number] "_"
 *	declaration = "Ty" | "Tk" name | "Tn" type | "Tt" declaration* "E" | "Tp" declaration
 */
#include "parts.h"

void itanium_append(struct itanium *it, uint16_t item, uint16_t *first, uint16_t *last)
{
	uint16_t made = itanium_node(it, ITANIUM_LIST, item, 0);

	if (*last)
		it->node[*last].right = made;
	else
		*first = made;
	*last = made;
}

uint16_t itanium_parameter(struct itanium *it)
{
	uint16_t level = 0;

	it->at++;
	if (itanium_take(it, 'L')) {
		level = (uint16_t)(itanium_number(it) + 1);
		if (!itanium_take(it, '_'))
			return itanium_fail(it);
	}
	uint32_t number = itanium_closing_number(it) - 1;
	uint16_t made = itanium_numbered(it, ITANIUM_PARAMETER, it->scope, 0, number);
	it->node[made].more = level;
	return made;
}

/*
 * Parse the target type of a conversion operator, where T_ is followed by a list of template
 * arguments. If a second list follows the first, the first belongs to T_ and the second to the
 * operator. A single list belongs to the operator, so it is left unread.
 */
static uint16_t parse_converted_parameter(struct itanium *it, uint16_t made)
{
	const uint8_t *start = it->at;
	unsigned substitutions = it->substitutions;

	itanium_remember(it, made);
	uint16_t instance = itanium_instance(it, made);
	if (it->failed || itanium_peek(it, 0) == 'I')
		return instance;
	it->at = start;
	it->substitutions = substitutions;
	return made;
}

uint16_t itanium_template_type(struct itanium *it)
{
	uint16_t made = itanium_parameter(it);

	if (itanium_peek(it, 0) != 'I')
		return made;
	if (it->in_conversion)
		return parse_converted_parameter(it, made);
	itanium_remember(it, made);
	return itanium_instance(it, made);
}

static bool begins_declaration(const struct itanium *it)
{
	uint8_t c = itanium_peek(it, 1);

	return itanium_peek(it, 0) == 'T' && c != 0 && strchr("yntpk", c);
}

static uint16_t parse_declaration(struct itanium *it)
{
	if (!itanium_enter(it))
		return 0;
	const uint8_t *kind = it->at + 1; /* in bounds, see begins_declaration() */
	it->at += 2;
	uint16_t made = itanium_text(it, ITANIUM_DECLARATION, kind, 1), left = 0;
	switch (*kind) {
	case 'y':
		break;
	case 'k':
		left = itanium_name(it);
		break;
	case 'n':
		left = itanium_type(it);
		break;
	case 'p':
		left = begins_declaration(it) ? parse_declaration(it) : itanium_fail(it);
		break;
	default: /* parameters of a template template parameter */
		left = itanium_declarations(it);
		if (!itanium_take(it, 'E'))
			itanium_fail(it);
		break;
	}
	it->node[made].left = left;
	itanium_leave(it);
	return made;
}

uint16_t itanium_declarations(struct itanium *it)
{
	uint16_t first = 0, last = 0;

	while (begins_declaration(it))
		itanium_append(it, parse_declaration(it), &first, &last);
	return first;
}

uint16_t itanium_constraint(struct itanium *it)
{
	return itanium_take(it, 'Q') ? itanium_expression(it) : 0;
}

uint16_t itanium_template_arg(struct itanium *it)
{
	uint16_t expression;

	if (begins_declaration(it))
		(void)parse_declaration(it);
	switch (itanium_peek(it, 0)) {
	case 'X':
		it->at++;
		expression = itanium_expression(it);
		return itanium_take(it, 'E') ? expression : itanium_fail(it);
	case 'L':
		return itanium_primary(it);
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
	bool conversion = it->in_conversion;

	if (!itanium_enter(it))
		return 0;
	it->at++;
	it->in_conversion = false;
	while (!it->failed && !itanium_take(it, 'E')) {
		if (itanium_peek(it, 0) == 'Q')
			(void)itanium_constraint(it);
		else
			itanium_append(it, itanium_template_arg(it), &first, &last);
	}
	it->in_conversion = conversion;
	/* names within the arguments do not name a constructor that follows */
	it->last_name = name;
	itanium_leave(it);
	return first;
}

uint16_t itanium_instance(struct itanium *it, uint16_t name)
{
	if (name == 0 || it->node[name].kind == ITANIUM_TEMPLATE)
		return itanium_fail(it); /* a name cannot have two lists of arguments */
	return itanium_node(it, ITANIUM_TEMPLATE, name, itanium_arguments(it));
}
