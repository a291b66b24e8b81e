/* SPDX-License-Identifier: MIT */
/*
 * Parses function types, including the qualifiers of member functions and exception specifications:
 *
 *	function  = [exceptions] ["Dx"] "F" ["Y"] type type+ ["R" | "O"] "E"
 *	exceptions= "Do" | "DO" expression "E" | "Dw" type* "E"
 */
#include "nodes.h"

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

/*
 * Parse an exception specification and set *operand to its expression or types. Return its letter,
 * or 0 if there is no specification.
 */
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

/*
 * Parse a function type. `held` is a bit mask of member function qualifiers: 1 const, 2 volatile, 4
 * restrict.
 */
static uint16_t itanium_function_type(struct itanium *it, unsigned held)
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

/*
 * Parses types, section 5.1.5 of the Itanium C++ ABI:
 *
 *	type      = letter | "D" letter                        built-in types
 *	          | name | substitution | T_ | "u" name | ("Ts" | "Tu" | "Te") name
 *	          | ("P" | "R" | "O" | "K" | "V" | "r" | "C" | "G" | "Dp") type
 *	          | function | "A" [dimension] "_" type
 *	          | "Dv" (number | "_" expression) "_" type | "M" type type | "U" name type
 *	          | ("Dt" | "DT") expression "E" | "DF" number ("_" | "b" | "x")
 *	          | ("DB" | "DU") dimension "_" | ("Dk" | "DK") name
 */

/* indexed by letter - 'a' */
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

static const char *find_d_builtin(uint8_t letter)
{
	static const struct {
		uint8_t letter;
		const char *name;
	} names[] = {
		{ 'd', "decimal64" }, { 'e', "decimal128" },
		{ 'f', "decimal32" }, { 'h', "half" },
		{ 'a', "auto" },      { 'c', "decltype(auto)" },
		{ 'i', "char32_t" },  { 'n', "decltype(nullptr)" },
		{ 's', "char16_t" },  { 'u', "char8_t" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return NULL;
}

static uint16_t parse_builtin_type(struct itanium *it)
{
	uint8_t c = itanium_peek(it, 0);
	const char *text = c == 'D' ? find_d_builtin(itanium_peek(it, 1)) : builtins[c - 'a'];

	if (!text)
		return itanium_fail(it);
	it->at += c == 'D' ? 2 : 1;
	return itanium_word(it, ITANIUM_BUILTIN, text);
}

/*
 * Parse an array or vector type after "A" or "Dv": an optional number or expression, "_", and the
 * element type.
 */
static uint16_t parse_dimension(struct itanium *it, enum itanium_kind kind)
{
	const uint8_t *start = it->at;
	uint8_t c = itanium_peek(it, 0);
	uint16_t dimension = 0;

	if (itanium_is_digit(c))
		(void)itanium_number(it);
	size_t size = (size_t)(it->at - start);
	if (kind == ITANIUM_VECTOR && size == 0 && !itanium_take(it, '_'))
		return itanium_fail(it);
	if (size == 0 && (c != '_' || kind == ITANIUM_VECTOR))
		dimension = itanium_expression(it);
	if (!itanium_take(it, '_'))
		return itanium_fail(it);
	bool pixel = kind == ITANIUM_VECTOR && itanium_take(it, 'p');
	uint16_t element = pixel ? itanium_word(it, ITANIUM_BUILTIN, "pixel") : itanium_type(it);
	uint16_t made = itanium_text(it, kind, start, size);
	it->node[made].left = element;
	it->node[made].right = dimension;
	return made;
}

/* Parse a qualified type. Only the type with all its qualifiers becomes a substitution. */
static uint16_t parse_qualified_type(struct itanium *it)
{
	enum itanium_kind kinds[4];
	unsigned count = 0, held = 0;

	for (;; it->at++) {
		uint8_t c = itanium_peek(it, 0);
		if (c != 'K' && c != 'V' && c != 'r')
			break;
		if (count == 4)
			return itanium_fail(it);
		held |= c == 'K' ? 1 : c == 'V' ? 2 : 4;
		kinds[count++] = c == 'K'   ? ITANIUM_CONST
		                 : c == 'V' ? ITANIUM_VOLATILE
		                            : ITANIUM_RESTRICT;
	}
	/* on a member function type, the qualifiers apply to the object that `this` points to */
	uint8_t next = itanium_peek(it, 0), after = itanium_peek(it, 1);
	bool is_function = next == 'F' || (next == 'D' && after != 0 && strchr("oOwx", after));
	uint16_t type = is_function ? itanium_function_type(it, held) : itanium_type(it);
	while (!is_function && count > 0)
		type = itanium_node(it, kinds[--count], type, 0);
	return type;
}

static uint16_t parse_suffixed_type(struct itanium *it, const char *text)
{
	it->at++;
	return itanium_phrase(it, ITANIUM_SUFFIXED, text, itanium_type(it), 0);
}

static uint16_t parse_referring_type(struct itanium *it, enum itanium_kind kind)
{
	it->at++;
	return itanium_node(it, kind, itanium_type(it), 0);
}

/* Parse a class name. Function names are rejected. */
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
	default: /* class name or template instance */
		return whole;
	}
}

/*
 * Parse a type that starts with "S". Set *again if the type is a new candidate for substitution,
 * which it is only if template arguments follow.
 */
static uint16_t parse_substituted_type(struct itanium *it, bool *again)
{
	uint8_t next = itanium_peek(it, 1);

	if (next == 't')
		return parse_class_name(it);
	uint16_t made = itanium_substitution(it, false);
	*again = itanium_peek(it, 0) == 'I';
	return *again ? itanium_instance(it, made) : made;
}

/*
 * Parse a pack expansion. Its pattern must contain a template parameter, so reject built-in types.
 */
static uint16_t parse_pack_expansion(struct itanium *it)
{
	uint8_t pattern = itanium_peek(it, 2);

	if (pattern == 'D' || (pattern >= 'a' && pattern <= 'z' && pattern != 'r'))
		return itanium_fail(it);
	it->at++;
	return parse_referring_type(it, ITANIUM_EXPANSION);
}

uint16_t itanium_decltype(struct itanium *it)
{
	it->at += 2;
	uint16_t expression = itanium_expression(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	return itanium_node(it, ITANIUM_DECLTYPE, expression, 0);
}

/* Parse "DF" BITS ("_" | "b" | "x"), a floating-point type of that size. */
static uint16_t parse_float_type(struct itanium *it)
{
	it->at += 2;
	const uint8_t *start = it->at;
	(void)itanium_number(it);
	size_t size = (size_t)(it->at - start);
	if (size == 2 && memcmp(start, "16", 2) == 0 && itanium_take(it, 'b'))
		return itanium_word(it, ITANIUM_BUILTIN, "std::bfloat16_t");
	bool extended = itanium_take(it, 'x');
	if (!extended && !itanium_take(it, '_'))
		return itanium_fail(it);
	uint16_t bits = itanium_text(it, ITANIUM_BUILTIN, start, size + extended);
	return itanium_phrase(it, ITANIUM_SPECIAL, "_Float", bits, 0);
}

static uint16_t parse_bit_int_type(struct itanium *it, const char *word)
{
	it->at += 2;
	const uint8_t *start = it->at;
	bool plain = itanium_is_digit(itanium_peek(it, 0));
	if (plain)
		(void)itanium_number(it);
	uint16_t bits = plain ? itanium_text(it, ITANIUM_BUILTIN, start, (size_t)(it->at - start))
	                      : itanium_expression(it);
	if (!itanium_take(it, '_'))
		return itanium_fail(it);
	return itanium_phrase(it, ITANIUM_BITINT, word, bits, 0);
}

/* Parse "Dk" NAME: "C auto", where C is the concept called NAME. */
static uint16_t parse_constrained_auto(struct itanium *it, const char *text)
{
	it->at += 2;
	return itanium_phrase(it, ITANIUM_SUFFIXED, text, itanium_name(it), 0);
}

static uint16_t parse_d_type(struct itanium *it, bool *again)
{
	uint8_t next = itanium_peek(it, 1);

	switch (next) {
	case 'p':
		return parse_pack_expansion(it);
	case 't':
	case 'T':
		return itanium_decltype(it);
	case 'v':
		it->at += 2;
		return parse_dimension(it, ITANIUM_VECTOR);
	case 'o':
	case 'O':
	case 'w':
	case 'x':
		return itanium_function_type(it, 0);
	default:
		break;
	}
	*again = false;
	switch (next) {
	case 'F':
		return parse_float_type(it);
	case 'B':
		return parse_bit_int_type(it, "_BitInt");
	case 'U':
		return parse_bit_int_type(it, "unsigned _BitInt");
	case 'k':
		return parse_constrained_auto(it, " auto");
	case 'K':
		return parse_constrained_auto(it, " decltype(auto)");
	default:
		return parse_builtin_type(it);
	}
}

/* Parse "U" NAME [ARGUMENTS] TYPE, a vendor-specific qualifier. */
static uint16_t parse_vendor_qualifier(struct itanium *it)
{
	it->at++;
	uint16_t name = itanium_identifier(it);
	if (itanium_peek(it, 0) == 'I')
		name = itanium_instance(it, name);
	uint16_t type = itanium_type(it);
	return itanium_node(it, ITANIUM_VENDOR, type, name);
}

/* Parse "Ts" NAME, "Tu" NAME or "Te" NAME, for example "struct NAME". */
static uint16_t parse_elaborated_type(struct itanium *it, const char *word)
{
	it->at += 2;
	return itanium_phrase(it, ITANIUM_ELABORATED, word, parse_class_name(it), 0);
}

static uint16_t parse_t_type(struct itanium *it)
{
	switch (itanium_peek(it, 1)) {
	case 's':
		return parse_elaborated_type(it, "struct ");
	case 'u':
		return parse_elaborated_type(it, "union ");
	case 'e':
		return parse_elaborated_type(it, "enum ");
	default:
		return itanium_template_type(it);
	}
}

static uint16_t parse_any_type(struct itanium *it, bool *again)
{
	uint8_t c = itanium_peek(it, 0);
	uint16_t type;

	switch (c) {
	case 'K':
	case 'V':
	case 'r':
		return parse_qualified_type(it);
	case 'P':
		return parse_suffixed_type(it, "*");
	case 'C':
		return parse_suffixed_type(it, " _Complex");
	case 'G':
		return parse_suffixed_type(it, " _Imaginary");
	case 'R':
		return parse_referring_type(it, ITANIUM_REFERENCE);
	case 'O':
		return parse_referring_type(it, ITANIUM_RVALUE);
	case 'F':
		return itanium_function_type(it, 0);
	case 'A':
		it->at++;
		return parse_dimension(it, ITANIUM_ARRAY);
	case 'M':
		it->at++;
		type = itanium_type(it);
		return itanium_node(it, ITANIUM_MEMBER, type, itanium_type(it));
	case 'T':
		return parse_t_type(it);
	case 'S':
		return parse_substituted_type(it, again);
	case 'U':
		return parse_vendor_qualifier(it);
	case 'u':
		it->at++;
		type = itanium_identifier(it);
		return itanium_peek(it, 0) == 'I' ? itanium_instance(it, type) : type;
	case 'D':
		return parse_d_type(it, again);
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
