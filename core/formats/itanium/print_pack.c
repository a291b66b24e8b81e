/* SPDX-License-Identifier: MIT */
/* Resolves template parameters and packs. */
#include "print.h"

/* Return the template arguments of an encoding's name, or 0 if it is not a template. */
static uint16_t find_template_arguments(const struct itanium_printer *p, uint16_t encoding)
{
	const uint16_t name = itanium_own_name(p->it, itanium_print_node(p, encoding)->left);
	const struct itanium_node *node = itanium_print_node(p, name);

	return node->kind == ITANIUM_TEMPLATE ? node->right : 0;
}

static uint16_t find_list_item(struct itanium_printer *p, uint16_t list, unsigned index)
{
	while (list && index > 0 && itanium_print_step(p)) {
		list = itanium_print_node(p, list)->right;
		index--;
	}
	return list ? itanium_print_node(p, list)->left : 0;
}

/* Return the argument for a template parameter, which may be a pack, or 0 if it is unknown. */
static uint16_t find_template_argument(struct itanium_printer *p,
                                       const struct itanium_node *parameter)
{
	const struct itanium_scope *scope = p->scope;

	if (!scope || parameter->more)
		return 0;
	return find_list_item(p, find_template_arguments(p, scope->encoding), parameter->size);
}

/* Like find_template_argument(), but return the current item of a pack. */
static uint16_t resolve_argument(struct itanium_printer *p, const struct itanium_node *parameter)
{
	uint16_t argument = find_template_argument(p, parameter);
	bool is_pack = argument && itanium_print_node(p, argument)->kind == ITANIUM_PACK;

	if (is_pack && p->in_expansion)
		argument = find_list_item(p, itanium_print_node(p, argument)->left, p->pack_item);
	if (!argument && !p->in_constraint)
		p->failed = true;
	return argument;
}

struct itanium_resolved itanium_resolve(struct itanium_printer *p, uint16_t number)
{
	struct itanium_resolved at = { number, p->scope };
	const struct itanium_scope *outer = p->scope;

	while (!p->in_lambda && itanium_print_step(p)) {
		const struct itanium_node *node = itanium_print_node(p, at.number);
		if (node->kind != ITANIUM_PARAMETER)
			break;
		uint16_t argument = resolve_argument(p, node);
		if (!argument && !p->failed)
			break;
		at.number = argument;
		p->scope = at.scope = p->scope ? p->scope->outer : NULL;
	}
	p->scope = outer;
	return at;
}

/*
 * Print the argument in the scope around the template, because that is the scope of the parameters
 * in it.
 */
void itanium_print_parameter(struct itanium_printer *p, const struct itanium_node *node,
                             void (*half)(struct itanium_printer *p, uint16_t number))
{
	const struct itanium_scope *scope = p->scope;
	uint16_t argument = resolve_argument(p, node);

	p->scope = scope ? scope->outer : NULL;
	if (!p->failed && argument)
		half(p, argument);
	else if (!p->failed && half == itanium_print_left) {
		/* "T", "T0", "T1": parameters of an outer template, whose arguments are unknown */
		itanium_print_word(p, "T");
		if (node->size > 0)
			itanium_print_number(p, node->size - 1);
	}
	p->scope = scope;
}

static uint16_t find_pack(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	uint16_t found;

	if (!number || !itanium_print_step(p) || p->depth == ITANIUM_DEPTH)
		return 0;
	switch (node->kind) {
	case ITANIUM_PARAMETER:
		found = find_template_argument(p, node);
		return found && itanium_print_node(p, found)->kind == ITANIUM_PACK ? found : 0;
	case ITANIUM_LAMBDA:
	case ITANIUM_UNNAMED:
	case ITANIUM_EXPANSION:
		return 0;
	default:
		p->depth++;
		found = find_pack(p, node->left);
		if (!found)
			found = find_pack(p, node->right);
		if (!found && node->more && node->kind != ITANIUM_PARAMETER &&
		    node->kind != ITANIUM_METHOD && node->kind != ITANIUM_REQUIREMENT)
			found = find_pack(p, node->more);
		p->depth--;
		return found;
	}
}

/* Print a pack whose arguments the name does not contain, such as a lambda's own parameters. */
static void print_unexpanded_pack(struct itanium_printer *p, uint16_t pattern)
{
	itanium_print_operand(p, pattern);
	itanium_print_word(p, "...");
}

void itanium_print_expansion(struct itanium_printer *p, const struct itanium_node *node)
{
	unsigned outer_item = p->pack_item;
	bool outer = p->in_expansion;

	if (p->in_lambda) {
		print_unexpanded_pack(p, node->left);
		return;
	}
	uint16_t pack = find_pack(p, node->left);
	if (!pack) { /* the pattern contains only packs of function arguments */
		print_unexpanded_pack(p, node->left);
		return;
	}
	p->in_expansion = true;
	uint16_t item = itanium_print_node(p, pack)->left;
	for (p->pack_item = 0; item && !p->failed; p->pack_item++) {
		if (p->pack_item > 0)
			itanium_print_word(p, ", ");
		itanium_print_whole(p, node->left);
		item = itanium_print_node(p, item)->right;
	}
	p->in_expansion = outer;
	p->pack_item = outer_item;
}

void itanium_print_pack_size(struct itanium_printer *p, uint16_t pattern)
{
	const struct itanium_node *node = itanium_print_node(p, pattern);
	uint16_t pack = node->kind == ITANIUM_PACK ? pattern : find_pack(p, pattern);
	uint32_t count = 0;

	if (!pack) { /* a pack of function arguments, whose number is not in the name */
		itanium_print_word(p, "sizeof...(");
		itanium_print_whole(p, pattern);
		itanium_print_word(p, ")");
		return;
	}
	for (uint16_t item = itanium_print_node(p, pack)->left; item && itanium_print_step(p);
	     item = itanium_print_node(p, item)->right)
		count++;
	itanium_print_number(p, count);
}
