/* SPDX-License-Identifier: MIT */
/*
 * The last part of a name:
 *
 *	unqualified = (identifier | operator | constructor | closure) ("B" identifier)*
 *	identifier  = ["L"] length text
 *	operator    = two small letters | "cv" type
 *	constructor = "C" digit | "D" digit
 *	closure     = "Ul" type* "E" [number] "_" | "Ut" [number] "_"
 */
#include "parts.h"

/* GCC's names for what is in a namespace without one begin so, then 'N'. */
static bool is_nameless(const uint8_t *text, size_t size)
{
	static const char begin[] = "_GLOBAL_";
	size_t length = sizeof(begin) - 1;

	return size >= length + 2 && memcmp(text, begin, length) == 0 &&
	       (text[length] == '.' || text[length] == '_' || text[length] == '$') &&
	       text[length + 1] == 'N';
}

static uint16_t parse_identifier(struct itanium *it)
{
	size_t size = itanium_number(it);

	if (size == 0 || size > (size_t)(it->end - it->at))
		return itanium_fail(it);
	const uint8_t *text = it->at;
	it->at += size;
	if (is_nameless(text, size))
		return it->last_name = itanium_word(it, ITANIUM_NAME, "(anonymous namespace)");
	return it->last_name = itanium_text(it, ITANIUM_NAME, text, size);
}

static const struct {
	char code[3];
	const char *text;
} operators[] = {
	{ "aN", "operator&=" },        { "aS", "operator=" },      { "aa", "operator&&" },
	{ "ad", "operator&" },         { "an", "operator&" },      { "cl", "operator()" },
	{ "cm", "operator," },         { "co", "operator~" },      { "dV", "operator/=" },
	{ "da", "operator delete[]" }, { "de", "operator*" },      { "dl", "operator delete" },
	{ "dv", "operator/" },         { "eO", "operator^=" },     { "eo", "operator^" },
	{ "eq", "operator==" },        { "ge", "operator>=" },     { "gt", "operator>" },
	{ "ix", "operator[]" },        { "lS", "operator<<=" },    { "le", "operator<=" },
	{ "ls", "operator<<" },        { "lt", "operator<" },      { "mI", "operator-=" },
	{ "mL", "operator*=" },        { "mi", "operator-" },      { "ml", "operator*" },
	{ "mm", "operator--" },        { "na", "operator new[]" }, { "ne", "operator!=" },
	{ "ng", "operator-" },         { "nt", "operator!" },      { "nw", "operator new" },
	{ "oR", "operator|=" },        { "oo", "operator||" },     { "or", "operator|" },
	{ "pL", "operator+=" },        { "pl", "operator+" },      { "pm", "operator->*" },
	{ "pp", "operator++" },        { "ps", "operator+" },      { "pt", "operator->" },
	{ "rM", "operator%=" },        { "rS", "operator>>=" },    { "rm", "operator%" },
	{ "rs", "operator>>" },        { "ss", "operator<=>" },
};

static uint16_t parse_conversion(struct itanium *it)
{
	bool outer = it->in_conversion;

	it->in_conversion = true;
	uint16_t type = itanium_type(it);
	it->in_conversion = outer;
	return itanium_node(it, ITANIUM_CONVERSION, type, 0);
}

static uint16_t parse_operator_name(struct itanium *it)
{
	uint8_t first = itanium_peek(it, 0), second = itanium_peek(it, 1);

	if (second == 0)
		return itanium_fail(it);
	it->at += 2;
	if (first == 'c' && second == 'v')
		return parse_conversion(it);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (operators[i].code[0] == first && operators[i].code[1] == second)
			return itanium_word(it, ITANIUM_OPERATOR, operators[i].text);
	return itanium_fail(it);
}

/* Which copy of a constructor it is is not printed. */
static uint16_t parse_ctor_dtor_name(struct itanium *it)
{
	bool destroys = *it->at == 'D';
	uint8_t which = itanium_peek(it, 1);

	if (which < '0' || which > '5' || which == '3' || it->last_name == 0)
		return itanium_fail(it);
	if (which == '0' && !destroys)
		return itanium_fail(it);
	it->at += 2;
	return itanium_node(it, destroys ? ITANIUM_DESTRUCTOR : ITANIUM_CLASS_NAME, it->last_name,
	                    0);
}

/* [number] "_": nothing is the first, 0 the second. */
static uint32_t parse_closing_number(struct itanium *it)
{
	uint32_t number = 1;

	if (itanium_is_digit(itanium_peek(it, 0)))
		number = (uint32_t)itanium_number(it) + 2;
	if (!itanium_take(it, '_'))
		itanium_fail(it);
	return number;
}

static uint16_t parse_closure(struct itanium *it)
{
	uint8_t kind = itanium_peek(it, 1);
	uint16_t parameters = 0, made;

	it->at += kind ? 2 : 1;
	if (kind == 'l') {
		parameters = itanium_parameters(it);
		if (!itanium_take(it, 'E'))
			return itanium_fail(it);
	} else if (kind != 't') {
		return itanium_fail(it);
	}
	uint32_t number = parse_closing_number(it);
	made = itanium_node(it, kind == 'l' ? ITANIUM_LAMBDA : ITANIUM_UNNAMED, parameters, 0);
	it->node[made].size = number;
	if (kind == 't')
		itanium_remember(it, made);
	return made;
}

void itanium_discriminator(struct itanium *it)
{
	if (!itanium_take(it, '_'))
		return;
	bool is_long = itanium_take(it, '_');
	size_t number = itanium_number(it);
	if (is_long && number >= 10 && !itanium_take(it, '_'))
		itanium_fail(it);
}

static uint16_t parse_internal_name(struct itanium *it)
{
	it->at++;
	uint16_t made = parse_identifier(it);
	itanium_discriminator(it);
	return made;
}

static uint16_t parse_abi_tags(struct itanium *it, uint16_t name)
{
	uint16_t last = it->last_name;

	while (itanium_take(it, 'B')) {
		struct itanium_node tag = it->node[parse_identifier(it)];
		uint16_t made = itanium_text(it, ITANIUM_TAGGED, tag.text, tag.size);
		it->node[made].left = name;
		name = made;
	}
	it->last_name = last;
	return name;
}

uint16_t itanium_unqualified(struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);
	uint16_t name;

	if (itanium_is_digit(c))
		name = parse_identifier(it);
	else if (c >= 'a' && c <= 'z')
		name = parse_operator_name(it);
	else if (c == 'C' || c == 'D')
		name = parse_ctor_dtor_name(it);
	else if (c == 'U')
		name = parse_closure(it);
	else if (c == 'L')
		name = parse_internal_name(it);
	else
		return itanium_fail(it);
	return parse_abi_tags(it, name);
}
