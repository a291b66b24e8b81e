/* SPDX-License-Identifier: MIT */
/* Prints the parts of a name: text, lists, and each part by its kind. */
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

/* No comma stands beside nothing, which packs can be. */
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

void itanium_print_left(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	unsigned held = p->held;

	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = p->exhausted = true;
		return;
	}
	p->depth++;
	if (!itanium_print_left_of_qualified(p, node)) {
		p->held = node->kind == ITANIUM_ARRAY ? held : 0;
		if (node->kind < ITANIUM_SUFFIXED)
			itanium_print_name(p, number);
		else if (node->kind < ITANIUM_LITERAL)
			itanium_print_left_of_type(p, node);
		else
			itanium_print_expression(p, number);
		p->held = held;
	}
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
