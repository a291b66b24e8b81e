/* SPDX-License-Identifier: MIT */
/*
 * Parses mangled names.
 *
 *	mangled     = "_Z" encoding
 *	encoding    = name [type* ]            only functions have types; the first is the return
 *	                                       type (templates except constructors etc.)
 *	name        = "N" [cv] [ref] prefix+ "E"
 *	            | "Z" encoding "E" (name | "s") [discriminator]
 *	            | ["St"] unqualified | substitution     templates also have arguments
 *	prefix      = unqualified | substitution | T_ | arguments | "M"
 *	unqualified = (identifier | operator | constructor | lambda) ("B" identifier)*
 *	substitution= "S" ([base 36] "_" | letter)
 *
 * Later parts of the name can refer by number to each prefix, and to each type that is not built
 * in.
 */
#include "nodes.h"

#include <string.h>

static const struct itanium_operator operators[] = {
	{ "aN", "operator&=", '2' },
	{ "aS", "operator=", '2' },
	{ "aa", "operator&&", '2' },
	{ "ad", "operator&", '1' },
	{ "an", "operator&", '2' },
	{ "at", "operatoralignof ", 't' },
	{ "aw", "operator co_await", 'w' },
	{ "az", "operatoralignof ", 'e' },
	{ "cc", "operatorconst_cast", 'c' },
	{ "cl", "operator()", 0 },
	{ "cm", "operator,", '2' },
	{ "co", "operator~", '1' },
	{ "dV", "operator/=", '2' },
	{ "da", "operator delete[]", 'w' },
	{ "dc", "operatordynamic_cast", 'c' },
	{ "de", "operator*", '1' },
	{ "dl", "operator delete", 'w' },
	{ "ds", "operator.*", '2' },
	{ "dt", "operator.", 'm' },
	{ "dv", "operator/", '2' },
	{ "eO", "operator^=", '2' },
	{ "eo", "operator^", '2' },
	{ "eq", "operator==", '2' },
	{ "ge", "operator>=", '2' },
	{ "gt", "operator>", '2' },
	{ "ix", "operator[]", 0 },
	{ "lS", "operator<<=", '2' },
	{ "le", "operator<=", '2' },
	{ "ls", "operator<<", '2' },
	{ "lt", "operator<", '2' },
	{ "mI", "operator-=", '2' },
	{ "mL", "operator*=", '2' },
	{ "mi", "operator-", '2' },
	{ "ml", "operator*", '2' },
	{ "mm", "operator--", 'p' },
	{ "na", "operator new[]", 'n' },
	{ "ne", "operator!=", '2' },
	{ "ng", "operator-", '1' },
	{ "nt", "operator!", '1' },
	{ "nw", "operator new", 'n' },
	{ "nx", "operatornoexcept", 'e' },
	{ "oR", "operator|=", '2' },
	{ "oo", "operator||", '2' },
	{ "or", "operator|", '2' },
	{ "pL", "operator+=", '2' },
	{ "pl", "operator+", '2' },
	{ "pm", "operator->*", '2' },
	{ "pp", "operator++", 'p' },
	{ "ps", "operator+", '1' },
	{ "pt", "operator->", 'm' },
	{ "qu", "operator?", '3' },
	{ "rM", "operator%=", '2' },
	{ "rS", "operator>>=", '2' },
	{ "rc", "operatorreinterpret_cast", 'c' },
	{ "rm", "operator%", '2' },
	{ "rs", "operator>>", '2' },
	{ "sc", "operatorstatic_cast", 'c' },
	{ "ss", "operator<=>", '2' },
	{ "st", "operatorsizeof ", 't' },
	{ "sz", "operatorsizeof ", 'e' },
	{ "te", "operatortypeid ", 'e' },
	{ "ti", "operatortypeid ", 't' },
	{ "tw", "operatorthrow ", '1' },
};

static uint16_t itanium_declarations(struct itanium *it);
static uint16_t itanium_constraint(struct itanium *it);
static uint16_t itanium_arguments(struct itanium *it);

const struct itanium_operator *itanium_find_operator(uint8_t first, uint8_t second)
{
	size_t low = 0, high = sizeof(operators) / sizeof(operators[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const uint8_t *code = (const uint8_t *)operators[middle].code;
		if (code[0] == first && code[1] == second)
			return &operators[middle];
		if (code[0] < first || (code[0] == first && code[1] < second))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *itanium_operator_sign(const struct itanium_operator *op)
{
	const char *sign = op->name + sizeof("operator") - 1;

	return *sign == ' ' ? sign + 1 : sign;
}

/* Return the function name of an operator, or NULL if the operator cannot be overloaded. */
static const char *itanium_operator_name(uint8_t first, uint8_t second)
{
	const struct itanium_operator *op = itanium_find_operator(first, second);

	if (!op || op->form == 't' || op->form == 'e' || op->form == 'c' || op->form == '3')
		return NULL;
	return strcmp(op->name, "operator.") == 0 || op->code[0] == 't' ? NULL : op->name;
}

/*
 * Parses the last component of a name:
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

/* Return true if gcc generated this name for an unnamed namespace. */
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

/* Parse an operator that includes an identifier: a literal operator or a vendor operator. */
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
 * Parse "CI" DIGIT TYPE, a constructor inherited from base class TYPE. In DWARF, gcc uses digit 4
 * for the unified constructor.
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

/* Parse a constructor or destructor. Its variant (C1, C2, ...) is not printed. */
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

/*
 * Parse [NUMBER] "_". The encoding counts "_", "0_", "1_", and so on, so return 1 for a missing
 * number and NUMBER + 2 otherwise.
 */
uint32_t itanium_closing_number(struct itanium *it)
{
	uint32_t number = 1;

	if (itanium_is_digit(itanium_peek(it, 0)))
		number = (uint32_t)itanium_number(it) + 2;
	if (!itanium_take(it, '_'))
		itanium_fail(it);
	return number;
}

/* Parse "Ul" DECLARATION* TYPE* ["Q" EXPRESSION] "E" [NUMBER] "_". */
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

/*
 * Parse ("W" ["P"] NAME)*, the module that a name belongs to. "P" marks a partition of the module.
 */
static uint16_t itanium_module_name(struct itanium *it)
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

/*
 * Skip a discriminator, "_" DIGIT or "__" DIGITS "_". It distinguishes local entities with the same
 * name, and is not printed.
 */
static void itanium_discriminator(struct itanium *it)
{
	uint8_t next = itanium_peek(it, 1);

	if ((!itanium_is_digit(next) && next != '_') || !itanium_take(it, '_'))
		return;
	bool is_long = itanium_take(it, '_');
	size_t number = itanium_number(it);
	if (is_long && number >= 10 && !itanium_take(it, '_'))
		itanium_fail(it);
}

static uint16_t itanium_abi_tags(struct itanium *it, uint16_t name)
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

/*
 * Parses template arguments, template parameters, and the template parameters of closures:
 *
 *	arguments   = "I" argument* ["Q" expression] "E"
 *	argument    = type | "L" value "E" | "X" expression "E" | ("J" | "I") argument* "E"
 *	            | declaration argument
 *	T_          = "T" [number] "_" | "TL" number "_" [number] "_"
 *	declaration = "Ty" | "Tk" name | "Tn" type | "Tt" declaration* "E" | "Tp" declaration
 */

void itanium_append(struct itanium *it, uint16_t item, uint16_t *first, uint16_t *last)
{
	uint16_t made = itanium_node(it, ITANIUM_LIST, item, 0);

	if (*last)
		it->node[*last].right = made;
	else
		*first = made;
	*last = made;
}

static uint16_t itanium_parameter(struct itanium *it)
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
 * Parse the template arguments after T_ in the target type of a conversion operator. If two
 * argument lists follow, the first belongs to T_ and the second to the operator. A single list
 * belongs to the operator, so leave it to the caller.
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
	/* it->at + 1 is within bounds, because the caller has called begins_declaration() */
	const uint8_t *kind = it->at + 1;
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
	default: /* "Tt": a template template parameter, whose own parameters follow */
		left = itanium_declarations(it);
		if (!itanium_take(it, 'E'))
			itanium_fail(it);
		break;
	}
	it->node[made].left = left;
	itanium_leave(it);
	return made;
}

static uint16_t itanium_declarations(struct itanium *it)
{
	uint16_t first = 0, last = 0;

	while (begins_declaration(it))
		itanium_append(it, parse_declaration(it), &first, &last);
	return first;
}

/* Parse "Q" EXPRESSION. Return 0 if there is no constraint. */
static uint16_t itanium_constraint(struct itanium *it)
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

static uint16_t itanium_arguments(struct itanium *it)
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
	/*
	 * a constructor that follows the arguments repeats `name`, not a name inside the arguments
	 */
	it->last_name = name;
	itanium_leave(it);
	return first;
}

uint16_t itanium_instance(struct itanium *it, uint16_t name)
{
	if (name == 0 || it->node[name].kind == ITANIUM_TEMPLATE)
		/* a name that already has arguments cannot have a second list */
		return itanium_fail(it);
	return itanium_node(it, ITANIUM_TEMPLATE, name, itanium_arguments(it));
}

/*
 * Parses special names, which compilers generate from other names: tables, guards, thunks.
 *
 *	special = "T" letter (type | name | offset encoding) | "G" letter name
 */

/*
 * Parse <call-offset>, which starts with 'h' or 'v'. In "Th" and "Tv", that letter is also the
 * second letter of the special name.
 */
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

/*
 * Parse "TC" TYPE OFFSET "_" TYPE, the vtable of a base class during the construction of its
 * derived class.
 */
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

/* Parse "GR" NAME [NUMBER] "_". */
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
	char what; /* letter that selects the operand's parser in parse_special() */
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
	/* skip the second letter, which only thunks need, before a failure can move to the end */
	if (what != 'h')
		it->at++;
	uint16_t special = itanium_word(it, ITANIUM_SPECIAL, text);

	if (what == 'h')
		return parse_thunk(it, special);
	if (what == 'C')
		return parse_construction_table(it, special);
	if (what == 'R')
		return parse_temporary(it);
	if (what == 'T' && itanium_take(it, 'n')) {
		special = itanium_word(it, ITANIUM_SPECIAL, "non-transaction clone for ");
	} else if (what == 'T' && itanium_peek(it, 0)) {
		it->at++; /* second letter */
	}
	uint16_t operand = itanium_peek(it, 0) ? parse_special_operand(it, what) : itanium_fail(it);
	it->node[special].left = operand;
	return special;
}

static uint16_t itanium_special(struct itanium *it)
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

uint16_t itanium_fail(struct itanium *it)
{
	it->failed = true;
	it->at = it->end;
	return 0;
}

static uint16_t reach_bound(struct itanium *it)
{
	it->exhausted = true;
	return itanium_fail(it);
}

uint16_t itanium_node(struct itanium *it, enum itanium_kind kind, uint16_t left, uint16_t right)
{
	if (it->nodes == ITANIUM_NODES)
		return reach_bound(it);
	struct itanium_node *node = &it->node[it->nodes];
	node->kind = (uint8_t)kind;
	node->more = 0;
	node->size = 0;
	node->left = left;
	node->right = right;
	return (uint16_t)it->nodes++;
}

uint16_t itanium_text(struct itanium *it, enum itanium_kind kind, const uint8_t *text, size_t size)
{
	uint16_t made = itanium_node(it, kind, 0, 0);

	it->node[made].text = text;
	it->node[made].size = (uint32_t)size;
	return made;
}

bool itanium_enter(struct itanium *it)
{
	if (it->depth == ITANIUM_DEPTH) {
		(void)reach_bound(it);
		return false;
	}
	it->depth++;
	return true;
}

void itanium_remember(struct itanium *it, uint16_t node)
{
	if (it->substitutions == ITANIUM_SUBSTITUTIONS)
		(void)reach_bound(it);
	else
		it->substitution[it->substitutions++] = node;
}

size_t itanium_number(struct itanium *it)
{
	size_t number = 0;

	if (!itanium_is_digit(itanium_peek(it, 0)))
		itanium_fail(it);
	while (itanium_is_digit(itanium_peek(it, 0)) && number <= ITANIUM_NAME_MAX)
		number = 10 * number + (size_t)(*it->at++ - '0');
	return number;
}

/* Parse a base-36 number in capital letters. The first substitution has no number. */
static uint16_t parse_seq_id(struct itanium *it)
{
	unsigned number = 0;

	while (!itanium_take(it, '_')) {
		uint8_t c = itanium_peek(it, 0);
		bool letter = c >= 'A' && c <= 'Z';
		if ((!itanium_is_digit(c) && !letter) || number > ITANIUM_SUBSTITUTIONS)
			return itanium_fail(it);
		number = 36 * (number > 0 ? number - 1 : 0) +
		         (letter ? c - 'A' + 10u : c - '0' + 0u) + 1;
		it->at++;
	}
	return number < it->substitutions ? it->substitution[number] : itanium_fail(it);
}

/*
 * Standard abbreviations such as "Ss" for std::string. Before a constructor or destructor, an
 * abbreviation stands for the class instead, std::basic_string, whose template arguments are added
 * in full names.
 */
static const struct {
	char letter;
	const char *text, *plain, *whole, *last;
} standard[] = {
	{ 't', "std", "std", "std", NULL },
	{ 'a', "std::allocator", "std::allocator", "std::allocator", "allocator" },
	{ 'b', "std::basic_string", "std::basic_string", "std::basic_string", "basic_string" },
	{ 's', "std::string", "std::basic_string",
	  "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "basic_string" },
	{ 'i', "std::istream", "std::basic_istream",
	  "std::basic_istream<char, std::char_traits<char>>", "basic_istream" },
	{ 'o', "std::ostream", "std::basic_ostream",
	  "std::basic_ostream<char, std::char_traits<char>>", "basic_ostream" },
	{ 'd', "std::iostream", "std::basic_iostream",
	  "std::basic_iostream<char, std::char_traits<char>>", "basic_iostream" },
};

uint16_t itanium_substitution(struct itanium *it, bool in_prefix)
{
	it->at++;
	uint8_t c = itanium_peek(it, 0);
	if (c == '_' || itanium_is_digit(c) || (c >= 'A' && c <= 'Z'))
		return parse_seq_id(it);
	for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++) {
		if (standard[i].letter != c)
			continue;
		it->at++;
		uint8_t next = itanium_peek(it, 0);
		if (standard[i].last)
			it->last_name = itanium_word(it, ITANIUM_NAME, standard[i].last);
		bool class = in_prefix && (next == 'C' || next == 'D');
		uint16_t made = itanium_word(it, ITANIUM_STANDARD,
		                             !class      ? standard[i].text
		                             : it->whole ? standard[i].whole
		                                         : standard[i].plain);
		if (next != 'B')
			return made;
		made = itanium_abi_tags(it, made);
		itanium_remember(it, made);
		return made;
	}
	return itanium_fail(it);
}

uint16_t itanium_last_part(const struct itanium *it, uint16_t name)
{
	for (;;) {
		const struct itanium_node *node = &it->node[name];
		if (node->kind == ITANIUM_INSIDE || node->kind == ITANIUM_LOCAL)
			name = node->right;
		else if (node->kind == ITANIUM_TEMPLATE)
			name = node->left;
		else
			return name;
	}
}

/* Parse the next component of a prefix. `before` is the prefix parsed so far, or 0. */
static uint16_t parse_prefix_part(struct itanium *it, uint16_t before)
{
	uint16_t part;

	switch (itanium_peek(it, 0)) {
	case 'S':
		if (before)
			return itanium_fail(it);
		part = itanium_substitution(it, true);
		break;
	case 'I':
		return itanium_instance(it, before);
	case 'T':
		part = itanium_parameter(it);
		break;
	case 'D':
		if (itanium_peek(it, 1) == 't' || itanium_peek(it, 1) == 'T')
			part = itanium_decltype(it);
		else
			part = itanium_unqualified(it);
		break;
	default:
		part = itanium_unqualified(it);
		break;
	}
	/* the prefix must not be an operator, because operators do not contain other names */
	if (it->node[itanium_last_part(it, before)].kind == ITANIUM_OPERATOR)
		return itanium_fail(it);
	return before ? itanium_node(it, ITANIUM_INSIDE, before, part) : part;
}

static uint16_t parse_prefix(struct itanium *it)
{
	uint16_t whole = 0;

	while (!it->failed && itanium_peek(it, 0) != 'E') {
		/* 'M' follows a member whose initializer contains a lambda */
		if (whole && itanium_take(it, 'M'))
			continue;
		bool substituted = itanium_peek(it, 0) == 'S';
		whole = parse_prefix_part(it, whole);
		if (!substituted && itanium_peek(it, 0) != 'E')
			itanium_remember(it, whole);
	}
	return whole ? whole : itanium_fail(it);
}

/*
 * Consume letters in the order of `letters`, each at most once. Return a bit mask of the letters
 * found.
 */
static size_t count_letters(struct itanium *it, const char *letters)
{
	size_t held = 0;

	for (size_t i = 0; letters[i]; i++)
		held |= itanium_take(it, letters[i]) ? (size_t)1 << i : 0;
	return held;
}

static uint16_t parse_nested_name(struct itanium *it)
{
	/* indexed by reference qualifier, then by a mask of restrict, volatile and const */
	static const char *const words[3][8] = {
		{ "", " restrict", " volatile", " volatile restrict", " const", " const restrict",
		  " const volatile", " const volatile restrict" },
		{ " &", " restrict &", " volatile &", " volatile restrict &", " const &",
		  " const restrict &", " const volatile &", " const volatile restrict &" },
		{ " &&", " restrict &&", " volatile &&", " volatile restrict &&", " const &&",
		  " const restrict &&", " const volatile &&", " const volatile restrict &&" },
	};

	it->at++;
	bool explicit_object = itanium_take(it, 'H');
	size_t held = count_letters(it, "rVK");
	size_t reference = itanium_take(it, 'R') ? 1 : itanium_take(it, 'O') ? 2 : 0;
	uint16_t whole = parse_prefix(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	if (held + reference == 0 && !explicit_object)
		return whole;
	uint16_t method = itanium_word(it, ITANIUM_METHOD, words[reference][held]);
	it->node[method].left = whole;
	it->node[method].more = explicit_object;
	return method;
}

/*
 * Parse a name in a default argument: "d" [NUMBER] "_" NAME. NUMBER counts arguments from the last
 * one.
 */
static uint16_t parse_default_argument(struct itanium *it)
{
	it->at++;
	uint32_t number = itanium_closing_number(it);
	uint16_t name = itanium_name(it), made = itanium_node(it, ITANIUM_DEFAULT, name, 0);
	it->node[made].size = number;
	return made;
}

static uint16_t parse_local_name(struct itanium *it)
{
	uint16_t name, function;

	it->at++;
	function = itanium_encoding(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	if (itanium_take(it, 's')) {
		name = itanium_word(it, ITANIUM_NAME, "string literal");
		itanium_discriminator(it);
	} else if (itanium_peek(it, 0) == 'd') {
		name = parse_default_argument(it);
	} else {
		name = itanium_name(it);
		uint8_t kind = it->node[name].kind;
		if (kind != ITANIUM_LAMBDA && kind != ITANIUM_UNNAMED)
			itanium_discriminator(it);
	}
	return itanium_node(it, ITANIUM_LOCAL, function, name);
}

/* Parse a name that is not nested, and its template arguments, if any. */
static uint16_t parse_unscoped_name(struct itanium *it)
{
	bool substituted = itanium_peek(it, 0) == 'S' && itanium_peek(it, 1) != 't';
	bool std = !substituted && itanium_peek(it, 0) == 'S';
	uint16_t name;

	if (std)
		it->at += 2;
	name = substituted ? itanium_substitution(it, false) : itanium_unqualified(it);
	if (std)
		name = itanium_node(it, ITANIUM_INSIDE, itanium_word(it, ITANIUM_NAME, "std"),
		                    name);
	if (itanium_peek(it, 0) != 'I')
		return name;
	if (!substituted)
		itanium_remember(it, name);
	return itanium_instance(it, name);
}

uint16_t itanium_name(struct itanium *it)
{
	switch (itanium_peek(it, 0)) {
	case 'N':
		return parse_nested_name(it);
	case 'Z':
		return parse_local_name(it);
	case 'U':
		return itanium_unqualified(it);
	default:
		return parse_unscoped_name(it);
	}
}

static bool has_return_type(const struct itanium *it, uint16_t name)
{
	name = itanium_own_name(it, name);
	if (it->node[name].kind != ITANIUM_TEMPLATE)
		return false;
	uint8_t kind = it->node[itanium_last_part(it, name)].kind;
	return kind != ITANIUM_CLASS_NAME && kind != ITANIUM_DESTRUCTOR &&
	       kind != ITANIUM_CONVERSION;
}

/* Parse the return type and the parameters of a function. Return 0 for a variable. */
static uint16_t parse_signature(struct itanium *it, uint16_t name)
{
	uint8_t next = itanium_peek(it, 0);

	if (next == 0 || next == 'E' || next == '.')
		return 0;
	uint16_t returned = has_return_type(it, name) ? itanium_type(it) : 0;
	next = itanium_peek(it, 0);
	if (next == 0 || next == 'E')
		/* parameter types must follow, because an empty list is encoded as "v" */
		itanium_fail(it);
	return itanium_node(it, ITANIUM_FUNCTION, returned, itanium_parameters(it));
}

uint16_t itanium_encoding(struct itanium *it)
{
	uint16_t outer = it->scope;

	if (itanium_peek(it, 0) == 'T' || itanium_peek(it, 0) == 'G')
		return itanium_special(it);
	if (!itanium_enter(it))
		return 0;
	it->scope = ++it->scopes;
	uint16_t own = it->scope, name = itanium_name(it);
	uint16_t function = parse_signature(it, name);
	uint16_t constraint = itanium_constraint(it);
	it->scope = outer;
	itanium_leave(it);
	uint16_t made = itanium_numbered(it, ITANIUM_ENCODING, name, function, own);
	it->node[made].more = constraint;
	return made;
}

static size_t demangle_mangled(struct itanium *it, struct cairn_bytes name, bool whole, char *out,
                               size_t capacity)
{
	it->exhausted = name.size > ITANIUM_NAME_MAX;
	it->steps = 0;
	if (name.size < 3 || it->exhausted || memcmp(name.data, "_Z", 2) != 0)
		return 0;
	it->at = name.data + 2;
	it->end = name.data + name.size;
	it->size = (unsigned)name.size;
	it->nodes = 1; /* node 0 stands for a missing node */
	it->substitutions = it->depth = 0;
	it->last_name = it->scopes = it->scope = 0;
	it->failed = it->in_conversion = false;
	it->whole = whole;
	it->node[0] = (struct itanium_node){ .kind = ITANIUM_UNPRINTABLE };
	uint16_t root = itanium_encoding(it);
	if (it->failed || it->at != it->end)
		return 0;
	return itanium_print(it, root, out, capacity);
}

size_t itanium_demangle(struct itanium *work, struct cairn_bytes name, char *out, size_t capacity)
{
	return demangle_mangled(work, name, true, out, capacity);
}

size_t itanium_demangle_plain(struct itanium *work, struct cairn_bytes name, char *out,
                              size_t capacity)
{
	return demangle_mangled(work, name, false, out, capacity);
}
