/* SPDX-License-Identifier: MIT */
/* Prints parts of a name: strings, lists, and nodes by their kind. */
#include "print.h"

void itanium_print_bytes(struct itanium_printer *p, const void *text, size_t size)
{
	if (size > p->room - p->size)
		p->failed = p->exhausted = true;
	if (p->failed || size == 0)
		return;
	memcpy(p->out + p->size, text, size);
	p->size += size;
}

void itanium_print_number(struct itanium_printer *p, uint32_t number)
{
	char digits[10];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	itanium_print_bytes(p, digits + at, sizeof(digits) - at);
}

/* Patterns for printing; kinds without a pattern have a function. */
static const char patterns[ITANIUM_KINDS][32] = {
	[ITANIUM_INSIDE] = "%L::%r",
	[ITANIUM_LOCAL] = "%L::%r",
	[ITANIUM_CLASS_NAME] = "%l",
	[ITANIUM_DESTRUCTOR] = "~%l",
	[ITANIUM_CONVERSION] = "operator %L",
	[ITANIUM_UNNAMED] = "{unnamed type#%n}",
	[ITANIUM_TAGGED] = "%l[abi:%t]",
	[ITANIUM_BINDING] = "[%i]",
	[ITANIUM_MODULE] = "%l@%r",
	[ITANIUM_FRIEND] = "%l[friend]",
	[ITANIUM_DEFAULT] = "{default arg#%n}::%l",
	[ITANIUM_TEMPORARY] = "reference temporary #%n for %l",
	[ITANIUM_METHOD] = "%l%t",
	[ITANIUM_ARRAY] = "%l",
	[ITANIUM_DECLTYPE] = "decltype (%L)",
	[ITANIUM_BITINT] = "%t(%L)",
	[ITANIUM_LIST] = "%i",
	[ITANIUM_PACK] = "%i",
	[ITANIUM_ENCLOSED] = "%t(%L)",
	[ITANIUM_POSTFIX] = "%o%t",
	[ITANIUM_ACCESS] = "%o%t%O",
	[ITANIUM_INDEX] = "%o[%R]",
	[ITANIUM_CHOICE] = "%o?%O : %m",
	[ITANIUM_CAST] = "(%L)%O",
	[ITANIUM_GROUP] = "%i",
	[ITANIUM_GLOBAL] = "::%L",
	[ITANIUM_VENDOR_CALL] = "%t(%i)",
};

static void print_field(struct itanium_printer *p, const struct itanium_node *node, char field)
{
	switch (field) {
	case 't':
		itanium_print_bytes(p, node->text, node->size);
		break;
	case 'n':
		itanium_print_number(p, node->size);
		break;
	case 'l':
		itanium_print_left(p, node->left);
		break;
	case 'r':
		itanium_print_left(p, node->right);
		break;
	case 'L':
		itanium_print_whole(p, node->left);
		break;
	case 'R':
		itanium_print_whole(p, node->right);
		break;
	case 'M':
		itanium_print_whole(p, node->more);
		break;
	case 'o':
		itanium_print_operand(p, node->left);
		break;
	case 'O':
		itanium_print_operand(p, node->right);
		break;
	case 'm':
		itanium_print_operand(p, node->more);
		break;
	case 'i':
		itanium_print_list(p, node->left);
		break;
	case 'I':
		itanium_print_list(p, node->right);
		break;
	}
}

void itanium_print_pattern(struct itanium_printer *p, const struct itanium_node *node,
                           const char *pattern)
{
	while (*pattern) {
		size_t size = 0;
		while (pattern[size] && pattern[size] != '%')
			size++;
		itanium_print_bytes(p, pattern, size);
		pattern += size;
		if (*pattern) {
			print_field(p, node, pattern[1]);
			pattern += 2;
		}
	}
}

/* Print a list. There is no comma beside items that print nothing, such as empty packs. */
void itanium_print_list(struct itanium_printer *p, uint16_t number)
{
	size_t end = p->size;
	bool comma = false;

	for (; number && itanium_print_step(p); number = itanium_print_node(p, number)->right) {
		uint16_t left = itanium_print_node(p, number)->left;
		const struct itanium_node *item = itanium_print_node(p, left);
		if (comma)
			itanium_print_word(p, ", ");
		size_t start = p->size;
		if (item->kind == ITANIUM_EXPANSION)
			itanium_print_expansion(p, item);
		else
			itanium_print_whole(p, left);
		if (p->size > start) {
			end = p->size;
			comma = true;
		}
		p->size = end;
	}
}

/*
 * Return true if qualifiers inside such a node are merged with qualifiers around it, because equal
 * qualifiers are printed only once.
 */
static bool is_seen_through(uint8_t kind)
{
	return (kind >= ITANIUM_CONST && kind <= ITANIUM_RESTRICT) || kind == ITANIUM_ARRAY ||
	       kind == ITANIUM_PARAMETER;
}

void itanium_print_left(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	const unsigned held = p->held;

	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = p->exhausted = true;
		return;
	}
	p->depth++;
	p->held = is_seen_through(node->kind) ? held : 0;
	if (node->kind <= ITANIUM_OPERATOR)
		itanium_print_bytes(p, node->text, node->size);
	else if (*patterns[node->kind])
		itanium_print_pattern(p, node, patterns[node->kind]);
	else if (node->kind < ITANIUM_SUFFIXED)
		itanium_print_name(p, number);
	else if (node->kind < ITANIUM_LITERAL)
		itanium_print_left_of_type(p, node);
	else
		itanium_print_expression(p, number);
	p->held = held;
	p->depth--;
}

void itanium_print_right(struct itanium_printer *p, uint16_t number)
{
	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = p->exhausted = true;
		return;
	}
	p->depth++;
	itanium_print_right_of_type(p, itanium_print_node(p, number));
	p->depth--;
}

size_t itanium_print(struct itanium *it, uint16_t root, char *out, size_t room)
{
	struct itanium_printer p = { .it = it,
		                     .out = out,
		                     .room = room,
		                     .steps = ITANIUM_STEPS + ITANIUM_STEPS_TIMES * it->size };

	if (it->node[root].kind == ITANIUM_ENCODING)
		itanium_print_encoding(&p, root, true);
	else
		itanium_print_whole(&p, root);
	it->exhausted = p.exhausted;
	it->steps = ITANIUM_STEPS + ITANIUM_STEPS_TIMES * it->size - p.steps;
	return p.failed ? 0 : p.size;
}
