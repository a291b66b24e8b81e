/* SPDX-License-Identifier: MIT */
/*
 * Parses the last part of a name:
 *
 *	unqualified = module ["F"] (identifier | operator | constructor | closure | binding)
 *	              ("B" identifier)*
 *	identifier  = ["L"] length text
 *	operator    = two small letters | "cv" type | "li" identifier | "v" digit identifier
 *	constructor = "C" digit | "D" digit | "CI" digit type
 *	closure     = "Ul" type* "E" [number] "_" | ("Ut" | "Ub") [number] "_"
 *	binding     = "DC" identifier* "E"
 *	module      = ("W" ["P"] identifier)*
 */
#include "operators.h"
#include "parts.h"

/* Return true if the name is one that gcc generates for an unnamed namespace. */
static bool is_nameless(const uint8_t *text, size_t size)
{
	static const char begin[] = "_GLOBAL_";
	size_t length = sizeof(begin) - 1;

	return size >= length + 2 && memcmp(text, begin, length) == 0 &&
	       (text[length] == '.' || text[length] == '_' || text[length] == '$') &&
	       text[length + 1] == 'N';
}

uint16_t itanium_identifier(struct itanium *it)
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

static uint16_t parse_conversion(struct itanium *it)
{
	bool outer = it->in_conversion;

	it->in_conversion = true;
	uint16_t type = itanium_type(it);
	it->in_conversion = outer;
	return itanium_node(it, ITANIUM_CONVERSION, type, 0);
}

/* Parse an operator with an identifier: a literal operator or a vendor operator. */
static uint16_t parse_text_operator(struct itanium *it, const char *word)
{
	uint16_t last = it->last_name, text = itanium_identifier(it);

	it->last_name = last;
	return itanium_phrase(it, ITANIUM_SPECIAL, word, text, 0);
}

static uint16_t parse_operator_name(struct itanium *it)
{
	uint8_t first = itanium_peek(it, 0), second = itanium_peek(it, 1);

	if (second == 0)
		return itanium_fail(it);
	it->at += 2;
	if (first == 'c' && second == 'v')
		return parse_conversion(it);
	if (first == 'l' && second == 'i')
		return parse_text_operator(it, "operator\"\" ");
	if (first == 'v' && itanium_is_digit(second))
		return parse_text_operator(it, "operator ");
	const char *text = itanium_operator_name(first, second);
	return text ? itanium_word(it, ITANIUM_OPERATOR, text) : itanium_fail(it);
}

/*
 * Parse "CI" digit type: a constructor inherited from that base. gcc uses digit 4 in DWARF for the
 * unified constructor.
 */
static uint16_t parse_inherited_constructor(struct itanium *it)
{
	uint16_t last = it->last_name;
	uint8_t which = itanium_peek(it, 2);

	if (which < '1' || which > '5' || last == 0)
		return itanium_fail(it);
	it->at += 3;
	(void)itanium_type(it);
	it->last_name = last;
	return itanium_node(it, ITANIUM_CLASS_NAME, last, 0);
}

/* Parse the name of a constructor or destructor. Its variant is not printed. */
static uint16_t parse_ctor_dtor_name(struct itanium *it)
{
	bool destroys = *it->at == 'D';
	uint8_t which = itanium_peek(it, 1);

	if (!destroys && which == 'I')
		return parse_inherited_constructor(it);
	if (which < '0' || which > '5' || (which == '3' && destroys) || it->last_name == 0)
		return itanium_fail(it);
	if (which == '0' && !destroys)
		return itanium_fail(it);
	it->at += 2;
	return itanium_node(it, destroys ? ITANIUM_DESTRUCTOR : ITANIUM_CLASS_NAME, it->last_name,
	                    0);
}

/* Parse [number] "_". A missing number is the first, and 0 is the second. */
uint32_t itanium_closing_number(struct itanium *it)
{
	uint32_t number = 1;

	if (itanium_is_digit(itanium_peek(it, 0)))
		number = (uint32_t)itanium_number(it) + 2;
	if (!itanium_take(it, '_'))
		itanium_fail(it);
	return number;
}

/* Parse "Ul" declaration* type* ["Q" expression] "E" [number] "_". */
static uint16_t parse_lambda(struct itanium *it)
{
	uint16_t declarations = itanium_declarations(it), parameters = itanium_parameters(it);

	(void)itanium_constraint(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	uint32_t number = itanium_closing_number(it);
	return itanium_numbered(it, ITANIUM_LAMBDA, parameters, declarations, number);
}

static uint16_t parse_closure(struct itanium *it)
{
	uint8_t kind = itanium_peek(it, 1);

	it->at += kind ? 2 : 1;
	if (kind == 'l')
		return parse_lambda(it);
	if (kind != 't' && kind != 'b')
		return itanium_fail(it);
	uint32_t number = itanium_closing_number(it);
	if (kind == 'b')
		return itanium_word(it, ITANIUM_STANDARD, "{block literal}");
	uint16_t made = itanium_numbered(it, ITANIUM_UNNAMED, 0, 0, number);
	itanium_remember(it, made);
	return made;
}

/* Parse "DC" name* "E": a structured binding. */
static uint16_t parse_binding(struct itanium *it)
{
	uint16_t first = 0, last = 0;

	it->at += 2;
	while (itanium_is_digit(itanium_peek(it, 0)))
		itanium_append(it, itanium_identifier(it), &first, &last);
	if (!itanium_take(it, 'E') || first == 0)
		return itanium_fail(it);
	return itanium_node(it, ITANIUM_BINDING, first, 0);
}

/* Parse ("W" ["P"] name)*: the module of a name, and its partition. */
uint16_t itanium_module_name(struct itanium *it)
{
	uint16_t module = 0;

	while (itanium_take(it, 'W')) {
		bool partition = itanium_take(it, 'P');
		uint16_t last = it->last_name, name = itanium_identifier(it);
		it->last_name = last;
		module = itanium_numbered(it, ITANIUM_MODULES, module, name, partition);
		itanium_remember(it, module);
	}
	return module;
}

void itanium_discriminator(struct itanium *it)
{
	uint8_t next = itanium_peek(it, 1);

	if ((!itanium_is_digit(next) && next != '_') || !itanium_take(it, '_'))
		return;
	bool is_long = itanium_take(it, '_');
	size_t number = itanium_number(it);
	if (is_long && number >= 10 && !itanium_take(it, '_'))
		itanium_fail(it);
}

uint16_t itanium_abi_tags(struct itanium *it, uint16_t name)
{
	uint16_t last = it->last_name;

	while (itanium_take(it, 'B')) {
		struct itanium_node tag = it->node[itanium_identifier(it)];
		uint16_t made = itanium_text(it, ITANIUM_TAGGED, tag.text, tag.size);
		it->node[made].left = name;
		name = made;
	}
	it->last_name = last;
	return name;
}

static uint16_t parse_unqualified(struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	if (itanium_is_digit(c))
		return itanium_identifier(it);
	if (c >= 'a' && c <= 'z')
		return parse_operator_name(it);
	if (c == 'D' && itanium_peek(it, 1) == 'C')
		return parse_binding(it);
	if (c == 'C' || c == 'D')
		return parse_ctor_dtor_name(it);
	if (c == 'U')
		return parse_closure(it);
	if (c != 'L')
		return itanium_fail(it);
	it->at++;
	const uint16_t internal = itanium_identifier(it);
	itanium_discriminator(it);
	return internal;
}

uint16_t itanium_unqualified(struct itanium *it)
{
	uint16_t module = itanium_module_name(it);
	bool is_friend = itanium_take(it, 'F');
	uint16_t name = itanium_abi_tags(it, parse_unqualified(it));

	if (module)
		name = itanium_node(it, ITANIUM_MODULE, name, module);
	return is_friend ? itanium_node(it, ITANIUM_FRIEND, name, 0) : name;
}
