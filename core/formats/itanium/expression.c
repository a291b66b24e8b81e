/* SPDX-License-Identifier: MIT */
/*
 * Parses names and literals in expressions, section 5.1.6 of the Itanium C++ ABI:
 *
 *	primary = "L" type value "E" | "L" ["_"] "Z" encoding "E"
 *	name    = ["on"] (unqualified name | "dn" (type | unqualified name)) [template arguments]
 *	scoped  = "sr" type name | "sr" "N" type name+ "E" name | "sr" name+ "E" name
 */
#include "nodes.h"

/* Parse "L" ... "E": the mangled name of a function or variable, or a literal with its type. */
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

static uint16_t itanium_simple_name(struct itanium *it)
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

static bool itanium_begins_simple_name(const struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	return itanium_is_digit(c) || itanium_is_next(it, "on") || itanium_is_next(it, "dn");
}

/*
 * Parse the last component of a qualified name. Template arguments after the component apply to the
 * whole name.
 */
static uint16_t parse_base_name(struct itanium *it, uint16_t scope)
{
	uint16_t name = itanium_simple_name(it);

	if (it->node[name].kind != ITANIUM_TEMPLATE)
		return itanium_node(it, ITANIUM_INSIDE, scope, name);
	uint16_t arguments = it->node[name].right;
	name = itanium_node(it, ITANIUM_INSIDE, scope, it->node[name].left);
	return itanium_node(it, ITANIUM_TEMPLATE, name, arguments);
}

/* Parse NAME+ "E" NAME, or restore the position and return false. */
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
	/*
	 * reject the name if no nodes are left, because every other way to parse it would fail too
	 */
	it->failed = it->nodes == ITANIUM_NODES;
	it->at = it->failed ? it->end : start;
	it->substitutions = substitutions;
	return false;
}

/*
 * Return true for the unresolved types: decltype, and a template parameter with or without
 * arguments. Only an unresolved type may precede the names in "N" TYPE NAME+.
 */
static bool is_unresolved(const struct itanium *it, uint16_t type)
{
	if (it->node[type].kind == ITANIUM_TEMPLATE)
		type = it->node[type].left;
	return it->node[type].kind == ITANIUM_PARAMETER || it->node[type].kind == ITANIUM_DECLTYPE;
}

/*
 * Parse "N" TYPE NAME+ "E" NAME, or restore the position and return false. In the latter case "N"
 * starts a nested type, which gcc also writes here and which later parts of the name can refer to.
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

/* Parse a scoped name after its "sr": TYPE NAME, "N" TYPE NAME+ "E" NAME, or NAME+ "E" NAME. */
static uint16_t itanium_scoped_name(struct itanium *it)
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

/*
 * Parses expressions, section 5.1.6 of the Itanium C++ ABI:
 *
 *	expression = operator operand* | "L" ... "E" | T_ | function or member name
 *	           | "cl" | "cp" expression* "E"                    calls
 *	           | "cv" type (expression | "_" expression* "E")   conversions
 *	           | ["gs"] ("nw" | "na") expression* "_" type ("E" | "pi" expression* "E" | "il" ...)
 *	           | ("il" | "tl" type) (braced)* "E"
 *	           | "fp" ... | "fL" ... | "sr" ... | "sp" | "sZ" | "sP" ... | folds, requires
 */

static uint16_t itanium_expressions(struct itanium *it, char end)
{
	uint16_t first = 0, last = 0;

	while (!it->failed && !itanium_take(it, end))
		itanium_append(it, itanium_expression(it), &first, &last);
	return first;
}

/* Parse "fp" [CV] [NUMBER] "_", "fpT", or "fL" NUMBER "p" [CV] [NUMBER] "_". */
static uint16_t parse_argument(struct itanium *it)
{
	bool nested = itanium_peek(it, 1) == 'L';
	uint32_t number = 0;

	it->at += 2;
	if (nested) {
		(void)itanium_number(it);
		if (!itanium_take(it, 'p'))
			return itanium_fail(it);
	}
	if (!itanium_take(it, 'T')) {
		while (itanium_peek(it, 0) && strchr("rVK", itanium_peek(it, 0)))
			it->at++;
		number = itanium_closing_number(it);
	}
	return itanium_numbered(it, ITANIUM_ARGUMENT, 0, 0, number);
}

/* Parse "fl" or "fr" OPERATOR PACK, or "fL" or "fR" OPERATOR OPERAND OPERAND. */
static uint16_t parse_fold(struct itanium *it)
{
	char side = (char)itanium_peek(it, 1);

	it->at += 2;
	const struct itanium_operator *op =
		itanium_find_operator(itanium_peek(it, 0), itanium_peek(it, 1));
	if (!op || op->form != '2')
		return itanium_fail(it);
	it->at += 2;
	uint16_t left = itanium_expression(it);
	uint16_t right = side == 'L' || side == 'R' ? itanium_expression(it) : 0;
	return itanium_phrase(it, ITANIUM_FOLD, itanium_operator_sign(op), side == 'l' ? 0 : left,
	                      side == 'l' ? left : right);
}

static uint16_t parse_conversion_expression(struct itanium *it)
{
	bool outer = it->in_conversion;

	it->in_conversion = true;
	uint16_t type = itanium_type(it);
	it->in_conversion = outer;
	uint16_t operand = itanium_take(it, '_') ? itanium_node(it, ITANIUM_GROUP,
	                                                        itanium_expressions(it, 'E'), 0)
	                                         : itanium_expression(it);
	return itanium_node(it, ITANIUM_CAST, type, operand);
}

/* Parse the rest of an expression that starts with "nw" or "na". */
static uint16_t parse_new(struct itanium *it, const char *word)
{
	uint16_t placement = itanium_expressions(it, '_'), type = itanium_type(it), initializer = 0;

	if (itanium_take_code(it, "pi"))
		initializer = itanium_node(it, ITANIUM_GROUP, itanium_expressions(it, 'E'), 0);
	else if (itanium_is_next(it, "il"))
		initializer = itanium_expression(it);
	if (it->node[initializer].kind != ITANIUM_GROUP && !itanium_take(it, 'E'))
		return itanium_fail(it);
	uint16_t made = itanium_phrase(it, ITANIUM_NEW, word, placement, type);
	it->node[made].more = initializer;
	return made;
}

/* Parse "di" NAME VALUE, "dx" INDEX VALUE, or "dX" FIRST LAST VALUE. */
static uint16_t parse_designated(struct itanium *it)
{
	char kind = (char)itanium_peek(it, 1);
	uint16_t left, last;

	it->at += 2;
	left = kind == 'i' ? itanium_identifier(it) : itanium_expression(it);
	last = kind == 'X' ? itanium_expression(it) : 0;
	uint16_t value = itanium_expression(it);
	uint16_t made = itanium_numbered(it, ITANIUM_DESIGNATED, left, value, (uint32_t)kind);
	it->node[made].more = last;
	return made;
}

static uint16_t parse_requirement(struct itanium *it)
{
	uint8_t kind = itanium_peek(it, 0);
	uint16_t left, type = 0, made;
	bool may_throw = true;

	it->at++;
	if (kind == 'T') {
		left = itanium_type(it);
	} else {
		left = itanium_expression(it);
		may_throw = kind != 'X' || !itanium_take(it, 'N');
		if (kind == 'X' && itanium_take(it, 'R'))
			type = itanium_name(it);
	}
	made = itanium_phrase(it, ITANIUM_REQUIREMENT, may_throw ? "" : " noexcept", left, type);
	it->node[made].more = kind;
	return made;
}

/* Parse "rq" REQUIREMENT+ "E", or "rQ" TYPE+ "_" REQUIREMENT+ "E". */
static uint16_t parse_requires(struct itanium *it)
{
	uint16_t first = 0, last = 0, parameters = 0, end = 0;
	bool with_parameters = itanium_peek(it, 1) == 'Q';

	it->at += 2;
	while (with_parameters && !it->failed && !itanium_take(it, '_'))
		itanium_append(it, itanium_type(it), &parameters, &end);
	while (itanium_peek(it, 0) && strchr("XTQ", itanium_peek(it, 0)))
		itanium_append(it, parse_requirement(it), &first, &last);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	return itanium_node(it, ITANIUM_REQUIRES, parameters, first);
}

static uint16_t parse_arguments(struct itanium *it)
{
	uint16_t first = 0, last = 0;

	while (!it->failed && !itanium_take(it, 'E'))
		itanium_append(it, itanium_template_arg(it), &first, &last);
	return first;
}

static uint16_t parse_vendor_call(struct itanium *it)
{
	it->at++;
	const struct itanium_node name = it->node[itanium_identifier(it)];
	uint16_t made = itanium_text(it, ITANIUM_VENDOR_CALL, name.text, name.size);
	it->node[made].left = parse_arguments(it);
	return made;
}

static uint16_t parse_word_operation(struct itanium *it, const struct itanium_operator *op)
{
	const char *word = op->code[1] == 'l'   ? "delete "
	                   : op->code[0] == 'd' ? "delete[] "
	                                        : "co_await ";

	return itanium_phrase(it, ITANIUM_UNARY, word, itanium_expression(it), 0);
}

static uint16_t parse_operation(struct itanium *it, const struct itanium_operator *op)
{
	const char *sign = itanium_operator_sign(op);
	uint16_t left, right, made;
	bool before = op->form == '1' || (op->form == 'p' && itanium_take(it, '_'));

	switch (op->form) {
	case '1':
	case 'p':
		return itanium_phrase(it, before ? ITANIUM_UNARY : ITANIUM_POSTFIX, sign,
		                      itanium_expression(it), 0);
	case 'w':
		return parse_word_operation(it, op);
	case '2':
	case 'm':
		left = itanium_expression(it);
		return itanium_phrase(it, op->form == '2' ? ITANIUM_BINARY : ITANIUM_ACCESS, sign,
		                      left, itanium_expression(it));
	case '3':
		left = itanium_expression(it);
		right = itanium_expression(it);
		made = itanium_node(it, ITANIUM_CHOICE, left, right);
		it->node[made].more = itanium_expression(it);
		return made;
	case 't':
		return itanium_phrase(it, ITANIUM_ENCLOSED, sign, itanium_type(it), 0);
	case 'e':
		return itanium_phrase(it, ITANIUM_ENCLOSED, sign, itanium_expression(it), 0);
	case 'c':
		left = itanium_type(it);
		return itanium_phrase(it, ITANIUM_NAMED_CAST, sign, left, itanium_expression(it));
	case 'n':
		return parse_new(it, op->code[1] == 'a' ? "new[] " : "new ");
	default:
		return itanium_fail(it);
	}
}

/*
 * Parse an expression that starts with a two-letter code other than an operator. Return 0 for other
 * input.
 */
static uint16_t parse_worded(struct itanium *it)
{
	uint16_t left;

	if (itanium_take_code(it, "cl") || itanium_take_code(it, "cp")) {
		left = itanium_expression(it);
		return itanium_node(it, ITANIUM_CALL, left, itanium_expressions(it, 'E'));
	}
	if (itanium_take_code(it, "ix")) {
		left = itanium_expression(it);
		return itanium_node(it, ITANIUM_INDEX, left, itanium_expression(it));
	}
	if (itanium_take_code(it, "cv"))
		return parse_conversion_expression(it);
	if (itanium_take_code(it, "il"))
		return itanium_node(it, ITANIUM_BRACES, 0, itanium_expressions(it, 'E'));
	if (itanium_take_code(it, "tl")) {
		left = itanium_type(it);
		return itanium_node(it, ITANIUM_BRACES, left, itanium_expressions(it, 'E'));
	}
	if (itanium_take_code(it, "tr"))
		return itanium_word(it, ITANIUM_BUILTIN, "throw");
	if (itanium_take_code(it, "gs"))
		return itanium_node(it, ITANIUM_GLOBAL, itanium_expression(it), 0);
	if (itanium_take_code(it, "sp"))
		return itanium_node(it, ITANIUM_EXPANSION, itanium_expression(it), 0);
	if (itanium_take_code(it, "sZ"))
		return itanium_node(it, ITANIUM_PACK_SIZE, itanium_expression(it), 0);
	if (itanium_take_code(it, "sP")) {
		left = itanium_node(it, ITANIUM_PACK, parse_arguments(it), 0);
		return itanium_node(it, ITANIUM_PACK_SIZE, left, 0);
	}
	if (itanium_take_code(it, "sr"))
		return itanium_scoped_name(it);
	if (itanium_is_next(it, "di") || itanium_is_next(it, "dx") || itanium_is_next(it, "dX"))
		return parse_designated(it);
	if (itanium_is_next(it, "rq") || itanium_is_next(it, "rQ"))
		return parse_requires(it);
	if (itanium_is_next(it, "fp") ||
	    (itanium_is_next(it, "fL") && itanium_is_digit(itanium_peek(it, 2))))
		return parse_argument(it);
	return itanium_is_next(it, "fl") || itanium_is_next(it, "fr") ||
	                       itanium_is_next(it, "fL") || itanium_is_next(it, "fR")
	               ? parse_fold(it)
	               : 0;
}

static uint16_t parse_any_expression(struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);

	if (c == 'L')
		return itanium_primary(it);
	if (c == 'T')
		return itanium_template_type(it);
	/* "X" EXPRESSION "E" is a template argument, but binutils also accepts it in a call */
	if (c == 'X') {
		it->at++;
		uint16_t inner = itanium_expression(it);
		return itanium_take(it, 'E') ? inner : itanium_fail(it);
	}
	if (itanium_begins_simple_name(it))
		return itanium_simple_name(it);
	if (c == 'u')
		return parse_vendor_call(it);
	uint16_t made = parse_worded(it);
	if (made || it->failed)
		return made;
	const struct itanium_operator *op = itanium_find_operator(c, itanium_peek(it, 1));
	if (!op)
		return itanium_fail(it);
	it->at += 2;
	return parse_operation(it, op);
}

uint16_t itanium_expression(struct itanium *it)
{
	if (!itanium_enter(it))
		return 0;
	uint16_t made = parse_any_expression(it);
	itanium_leave(it);
	return made;
}
