/* SPDX-License-Identifier: MIT */
/*
 * Parses special names, which compilers generate for other names: tables, guards, thunks.
 *
 *	special = "T" letter (type | name | offset encoding) | "G" letter name
 */
#include "parts.h"

/* Parse <call-offset>. For "Th" and "Tv", which include the letter, it starts at 'h' or 'v'. */
static void parse_call_offset(struct itanium *it)
{
	bool is_virtual = itanium_take(it, 'v');

	if (!is_virtual && !itanium_take(it, 'h'))
		itanium_fail(it);
	for (int i = 0; i <= is_virtual; i++) {
		(void)itanium_take(it, 'n');
		(void)itanium_number(it);
		if (!itanium_take(it, '_'))
			itanium_fail(it);
	}
}

static uint16_t parse_thunk(struct itanium *it, uint16_t special)
{
	if (itanium_take(it, 'c'))
		parse_call_offset(it);
	parse_call_offset(it);
	it->node[special].left = itanium_encoding(it);
	return special;
}

/* Parse "TC" type offset "_" type: the vtable of a base during the construction of its class. */
static uint16_t parse_construction_table(struct itanium *it, uint16_t special)
{
	uint16_t class = itanium_type(it);

	(void)itanium_number(it);
	if (!itanium_take(it, '_'))
		return itanium_fail(it);
	uint16_t base = itanium_type(it);
	it->node[special].left = base;
	it->node[special].right = class;
	return special;
}

/* Parse "GR" name [number] "_". */
static uint16_t parse_temporary(struct itanium *it)
{
	uint32_t number = 0;
	uint16_t name = itanium_name(it), made = itanium_node(it, ITANIUM_TEMPORARY, name, 0);

	if (it->at != it->end && !itanium_take(it, '_')) {
		while (itanium_peek(it, 0) != '_' && !it->failed) {
			uint8_t c = itanium_peek(it, 0);
			bool letter = c >= 'A' && c <= 'Z';
			if ((!itanium_is_digit(c) && !letter) || number > ITANIUM_NAME_MAX)
				return itanium_fail(it);
			number = 36 * number + (letter ? c - 'A' + 10u : c - '0' + 0u);
			it->at++;
		}
		number++;
		(void)itanium_take(it, '_');
	}
	it->node[made].size = number;
	return made;
}

static const struct {
	char code[3];
	char what; /* type, name, encoding, expression or module */
	const char *text;
} specials[] = {
	{ "TV", 't', "vtable for " },
	{ "TT", 't', "VTT for " },
	{ "TI", 't', "typeinfo for " },
	{ "TS", 't', "typeinfo name for " },
	{ "TF", 't', "typeinfo fn for " },
	{ "TJ", 't', "java Class for " },
	{ "TA", 'a', "template parameter object for " },
	{ "TH", 'n', "TLS init function for " },
	{ "TW", 'n', "TLS wrapper function for " },
	{ "TC", 'C', "construction vtable for " },
	{ "Th", 'h', "non-virtual thunk to " },
	{ "Tv", 'h', "virtual thunk to " },
	{ "Tc", 'h', "covariant return thunk to " },
	{ "GV", 'n', "guard variable for " },
	{ "GA", 'e', "hidden alias for " },
	{ "GR", 'R', "" },
	{ "GT", 'T', "transaction clone for " },
	{ "GI", 'm', "initializer for module " },
};

static uint16_t parse_special_operand(struct itanium *it, char what)
{
	switch (what) {
	case 't':
		return itanium_type(it);
	case 'a':
		return itanium_template_arg(it);
	case 'n':
		return itanium_name(it);
	case 'm':
		return itanium_module_name(it);
	default:
		return itanium_encoding(it);
	}
}

static uint16_t parse_special(struct itanium *it, const char *text, char what)
{
	uint16_t special = itanium_word(it, ITANIUM_SPECIAL, text);

	if (what == 'h')
		return parse_thunk(it, special);
	it->at++;
	if (what == 'C')
		return parse_construction_table(it, special);
	if (what == 'R')
		return parse_temporary(it);
	if (what == 'T' && itanium_take(it, 'n')) {
		special = itanium_word(it, ITANIUM_SPECIAL, "non-transaction clone for ");
	} else if (what == 'T' && itanium_peek(it, 0)) {
		it->at++; /* skip the second letter */
	}
	uint16_t operand = itanium_peek(it, 0) ? parse_special_operand(it, what) : itanium_fail(it);
	it->node[special].left = operand;
	return special;
}

uint16_t itanium_special(struct itanium *it)
{
	uint8_t first = itanium_peek(it, 0), second = itanium_peek(it, 1);
	uint16_t made = 0;

	if (!itanium_enter(it))
		return 0;
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]) && !made; i++) {
		if (specials[i].code[0] != first || specials[i].code[1] != second)
			continue;
		it->at++;
		made = parse_special(it, specials[i].text, specials[i].what);
		break;
	}
	itanium_leave(it);
	return made ? made : itanium_fail(it);
}
