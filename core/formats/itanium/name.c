/* SPDX-License-Identifier: MIT */
/*
 * Names, after the C++ ABI for Itanium, section 5.1 (itanium-cxx-abi.github.io/cxx-abi/abi.html):
 *
 *	mangled     = "_Z" encoding
 *	encoding    = name [type* ]            functions have the types; of templates, which are
 *	                                       not constructors and the like, the first is returned
 *	name        = "N" [cv] [ref] prefix+ "E"
 *	            | "Z" encoding "E" (name | "s") [discriminator]
 *	            | ["St"] unqualified | substitution     and for a template arguments
 *	prefix      = unqualified | substitution | T_ | arguments | "M"
 *	unqualified = (identifier | operator | constructor | lambda) ("B" identifier)*
 *	substitution= "S" ([base 36] "_" | letter)
 *
 * Every prefix, and every type that is not of the language, may be named again by its number.
 */
#include "parts.h"

uint16_t itanium_fail(struct itanium *it)
{
	it->failed = true;
	it->at = it->end;
	return 0;
}

uint16_t itanium_node(struct itanium *it, enum itanium_kind kind, uint16_t left, uint16_t right)
{
	if (it->nodes == ITANIUM_NODES)
		return itanium_fail(it);
	struct itanium_node *node = &it->node[it->nodes];
	node->kind = (uint8_t)kind;
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
	if (++it->depth > ITANIUM_DEPTH)
		itanium_fail(it);
	return !it->failed;
}

void itanium_remember(struct itanium *it, uint16_t node)
{
	if (it->substitutions == ITANIUM_SUBSTITUTIONS)
		itanium_fail(it);
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

/* A number of base 36, capitals; the substitution before the first has none. */
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

/* `whole`: what is in front of a constructor, because it names the class. */
static const struct {
	char letter;
	const char *text, *whole, *last;
} standard[] = {
	{ 't', "std", "std", NULL },
	{ 'a', "std::allocator", "std::allocator", "allocator" },
	{ 'b', "std::basic_string", "std::basic_string", "basic_string" },
	{ 's', "std::string", "std::basic_string", "basic_string" },
	{ 'i', "std::istream", "std::basic_istream", "basic_istream" },
	{ 'o', "std::ostream", "std::basic_ostream", "basic_ostream" },
	{ 'd', "std::iostream", "std::basic_iostream", "basic_iostream" },
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
		if (next == 'B')
			return itanium_fail(it);
		if (standard[i].last)
			it->last_name = itanium_word(it, ITANIUM_NAME, standard[i].last);
		bool whole = in_prefix && (next == 'C' || next == 'D');
		return itanium_word(it, ITANIUM_NAME, whole ? standard[i].whole : standard[i].text);
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

/* The next part of a prefix; `before` is what is in front of it, or 0. */
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
	default:
		part = itanium_unqualified(it);
		break;
	}
	/* nothing is inside of an operator */
	if (it->node[itanium_last_part(it, before)].kind == ITANIUM_OPERATOR)
		return itanium_fail(it);
	return before ? itanium_node(it, ITANIUM_INSIDE, before, part) : part;
}

static uint16_t parse_prefix(struct itanium *it)
{
	uint16_t whole = 0;

	while (!it->failed && itanium_peek(it, 0) != 'E') {
		/* what a lambda is in that initializes a member */
		if (whole && itanium_take(it, 'M'))
			continue;
		bool substituted = itanium_peek(it, 0) == 'S';
		whole = parse_prefix_part(it, whole);
		if (!substituted && itanium_peek(it, 0) != 'E')
			itanium_remember(it, whole);
	}
	return whole ? whole : itanium_fail(it);
}

static uint16_t parse_nested_name(struct itanium *it)
{
	static const char *const words[3][3] = {
		{ "", " const", " volatile" },
		{ " &", " const &", " volatile &" },
		{ " &&", " const &&", " volatile &&" },
	};

	it->at++;
	size_t held = itanium_take(it, 'K') ? 1 : itanium_take(it, 'V') ? 2 : 0;
	size_t reference = itanium_take(it, 'R') ? 1 : itanium_take(it, 'O') ? 2 : 0;
	uint16_t whole = parse_prefix(it);
	if (!itanium_take(it, 'E'))
		return itanium_fail(it);
	if (held + reference == 0)
		return whole;
	uint16_t method = itanium_word(it, ITANIUM_METHOD, words[reference][held]);
	it->node[method].left = whole;
	return method;
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
	} else {
		name = itanium_name(it);
		uint8_t kind = it->node[name].kind;
		if (kind != ITANIUM_LAMBDA && kind != ITANIUM_UNNAMED)
			itanium_discriminator(it);
	}
	return itanium_node(it, ITANIUM_LOCAL, function, name);
}

/* A name that is not nested, with template arguments when it has them. */
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

/* Does the function of this name say what it returns? */
static bool has_return_type(const struct itanium *it, uint16_t name)
{
	const struct itanium_node *node = it->node;

	while (node[name].kind == ITANIUM_METHOD || node[name].kind == ITANIUM_LOCAL)
		name = node[name].kind == ITANIUM_METHOD ? node[name].left : node[name].right;
	if (node[name].kind != ITANIUM_TEMPLATE)
		return false;
	uint8_t kind = node[itanium_last_part(it, name)].kind;
	return kind != ITANIUM_CLASS_NAME && kind != ITANIUM_DESTRUCTOR &&
	       kind != ITANIUM_CONVERSION;
}

uint16_t itanium_encoding(struct itanium *it)
{
	uint16_t outer = it->scope, function = 0;

	if (!itanium_enter(it))
		return 0;
	it->scope = ++it->scopes;
	uint16_t own = it->scope, name = itanium_name(it);
	uint8_t next = itanium_peek(it, 0);
	if (next != 0 && next != 'E') {
		uint16_t returned = has_return_type(it, name) ? itanium_type(it) : 0;
		next = itanium_peek(it, 0);
		if (next == 0 || next == 'E')
			itanium_fail(it); /* no parameters are "v" */
		function = itanium_node(it, ITANIUM_FUNCTION, returned, itanium_parameters(it));
		it->node[function].size = 0;
	}
	it->scope = outer;
	itanium_leave(it);
	uint16_t made = itanium_node(it, ITANIUM_ENCODING, name, function);
	it->node[made].size = own;
	return made;
}

/* <call-offset> */
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

/* What is special for an encoding after it: code that adjusts `this`. */
static uint16_t parse_thunk(struct itanium *it)
{
	bool is_virtual = itanium_peek(it, 1) == 'v';

	it->at++;
	parse_call_offset(it);
	uint16_t thunk = itanium_word(it, ITANIUM_THUNK,
	                              is_virtual ? "virtual thunk to " : "non-virtual thunk to ");
	uint16_t encoding = itanium_encoding(it);
	it->node[thunk].left = encoding;
	return thunk;
}

size_t itanium_demangle_plain(struct itanium *work, struct cairn_bytes name, char *out, size_t room)
{
	struct itanium *it = work;

	if (name.size < 3 || name.size > ITANIUM_NAME_MAX || memcmp(name.data, "_Z", 2) != 0)
		return 0;
	it->at = name.data + 2;
	it->end = name.data + name.size;
	it->nodes = 1; /* 0 is none */
	it->substitutions = it->depth = 0;
	it->last_name = it->scopes = it->scope = 0;
	it->failed = it->in_conversion = false;
	it->node[0] = (struct itanium_node){ .kind = ITANIUM_UNPRINTABLE };
	uint16_t root = itanium_peek(it, 0) == 'T' ? parse_thunk(it) : itanium_encoding(it);
	if (it->failed || it->at != it->end)
		return 0;
	return itanium_print(it, root, out, room);
}
