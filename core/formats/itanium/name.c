/* SPDX-License-Identifier: MIT */
/*
 * Parses names, section 5.1 of the Itanium C++ ABI (itanium-cxx-abi.github.io/cxx-abi/abi.html):
 *
 *	mangled     = "_Z" encoding
 *	encoding    = name [type* ]            only functions have types; the first is the return
 *	                                       type (templates except constructors etc.)
 *	name        = "N" [cv] [ref] prefix+ "E"
 *	            | "Z" encoding "E" (name | "s") [discriminator]
 *	            | ["St"] unqualified | substitution     and for a template arguments
 *	prefix      = unqualified | substitution | T_ | arguments | "M"
 *	unqualified = (identifier | operator | constructor | lambda) ("B" identifier)*
 *	substitution= "S" ([base 36] "_" | letter)
 *
 * Every prefix, and every type that is not built in, can be referenced again by its number.
 */
#include "parts.h"

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
 * Standard abbreviations. In front of a constructor they use the class name, in whole names with
 * its template arguments.
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

/* Parse the next part of a prefix. `before` is the prefix so far, or 0. */
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
	/* an operator cannot contain names */
	if (it->node[itanium_last_part(it, before)].kind == ITANIUM_OPERATOR)
		return itanium_fail(it);
	return before ? itanium_node(it, ITANIUM_INSIDE, before, part) : part;
}

static uint16_t parse_prefix(struct itanium *it)
{
	uint16_t whole = 0;

	while (!it->failed && itanium_peek(it, 0) != 'E') {
		/* marks the member whose initializer contains a lambda */
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
 * Take the letters that come next, each at most once, in the order of `letters`. Return them as a
 * bit mask.
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
 * Parse a name in a default argument: "d" [number] "_" name, where the number counts from the last
 * argument.
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

/* Parse a name that is not nested, and its template arguments if present. */
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

/* Return true if the encoding of a function with this name includes the return type. */
static bool has_return_type(const struct itanium *it, uint16_t name)
{
	name = itanium_own_name(it, name);
	if (it->node[name].kind != ITANIUM_TEMPLATE)
		return false;
	uint8_t kind = it->node[itanium_last_part(it, name)].kind;
	return kind != ITANIUM_CLASS_NAME && kind != ITANIUM_DESTRUCTOR &&
	       kind != ITANIUM_CONVERSION;
}

/* Parse the return type and the parameters of a function. Return 0 for data. */
static uint16_t parse_signature(struct itanium *it, uint16_t name)
{
	uint8_t next = itanium_peek(it, 0);

	if (next == 0 || next == 'E' || next == '.')
		return 0;
	uint16_t returned = has_return_type(it, name) ? itanium_type(it) : 0;
	next = itanium_peek(it, 0);
	if (next == 0 || next == 'E')
		itanium_fail(it); /* an empty parameter list is encoded as "v" */
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
                               size_t room)
{
	it->exhausted = name.size > ITANIUM_NAME_MAX;
	it->steps = 0;
	if (name.size < 3 || it->exhausted || memcmp(name.data, "_Z", 2) != 0)
		return 0;
	it->at = name.data + 2;
	it->end = name.data + name.size;
	it->size = (unsigned)name.size;
	it->nodes = 1; /* node 0 stands for an absent node */
	it->substitutions = it->depth = 0;
	it->last_name = it->scopes = it->scope = 0;
	it->failed = it->in_conversion = false;
	it->whole = whole;
	it->node[0] = (struct itanium_node){ .kind = ITANIUM_UNPRINTABLE };
	uint16_t root = itanium_encoding(it);
	if (it->failed || it->at != it->end)
		return 0;
	return itanium_print(it, root, out, room);
}

size_t itanium_demangle(struct itanium *work, struct cairn_bytes name, char *out, size_t room)
{
	return demangle_mangled(work, name, true, out, room);
}

size_t itanium_demangle_plain(struct itanium *work, struct cairn_bytes name, char *out, size_t room)
{
	return demangle_mangled(work, name, false, out, room);
}
