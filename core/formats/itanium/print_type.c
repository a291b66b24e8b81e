/* SPDX-License-Identifier: MIT */
/* Prints types. Template parameters are replaced by their arguments. */
#include "print.h"

static uint8_t find_unqualified_kind(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_scope *outer = p->scope;
	uint8_t kind = ITANIUM_CONST;

	while ((kind == ITANIUM_CONST || kind == ITANIUM_VOLATILE || kind == ITANIUM_RESTRICT) &&
	       itanium_print_step(p)) {
		struct itanium_resolved type = itanium_resolve(p, number);
		p->scope = type.scope;
		kind = itanium_print_node(p, type.number)->kind;
		number = itanium_print_node(p, type.number)->left;
	}
	p->scope = outer;
	return kind;
}

bool itanium_print_is_declarator(struct itanium_printer *p, uint16_t number)
{
	uint8_t kind = find_unqualified_kind(p, number);

	return kind == ITANIUM_FUNCTION || kind == ITANIUM_ARRAY;
}

/* Return the type that a compound type is based on, or 0 for a name. */
static uint16_t find_inner_type(const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_SUFFIXED:
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
	case ITANIUM_VENDOR:
	case ITANIUM_VECTOR:
		return node->left;
	case ITANIUM_MEMBER:
		return node->right;
	default:
		return 0;
	}
}

bool itanium_print_has_right(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_scope *outer = p->scope;
	bool found = false;

	while (number && !found && itanium_print_step(p)) {
		struct itanium_resolved type = itanium_resolve(p, number);
		const struct itanium_node *node = itanium_print_node(p, type.number);
		p->scope = type.scope;
		found = node->kind == ITANIUM_FUNCTION || node->kind == ITANIUM_ARRAY;
		number = find_inner_type(node);
	}
	p->scope = outer;
	return found;
}

/*
 * Collapse a reference to a reference, in which "&" wins. Return the referenced type and set *sign.
 */
static struct itanium_resolved collapse_reference(struct itanium_printer *p,
                                                  const struct itanium_node *node,
                                                  const char **sign)
{
	struct itanium_resolved inner = itanium_resolve(p, node->left);
	const struct itanium_node *target = itanium_print_node(p, inner.number);

	*sign = node->kind == ITANIUM_RVALUE ? "&&" : "&";
	if (target->kind != ITANIUM_REFERENCE && target->kind != ITANIUM_RVALUE)
		return (struct itanium_resolved){ node->left, p->scope };
	if (target->kind == ITANIUM_REFERENCE)
		*sign = "&";
	inner.number = target->left;
	return inner;
}

/* Print the part between the left half of the referenced type and its right half. */
static void print_declarator_open(struct itanium_printer *p, uint16_t number, const char *sign)
{
	if (itanium_print_is_declarator(p, number)) {
		bool array = find_unqualified_kind(p, number) == ITANIUM_ARRAY;
		itanium_print_word(p, array ? " (" : "(");
	}
	itanium_print_word(p, sign);
}

static void print_declarator_close(struct itanium_printer *p, uint16_t number)
{
	if (itanium_print_is_declarator(p, number))
		itanium_print_word(p, ")");
	itanium_print_right(p, number);
}

static void print_reference(struct itanium_printer *p, const struct itanium_node *node, bool left)
{
	const struct itanium_scope *scope = p->scope;
	const char *sign;
	struct itanium_resolved target = collapse_reference(p, node, &sign);

	p->scope = target.scope;
	if (left) {
		itanium_print_left(p, target.number);
		print_declarator_open(p, target.number, sign);
	} else {
		print_declarator_close(p, target.number);
	}
	p->scope = scope;
}

/* in the order of their kinds */
static const char qualifiers[][16] = { " const", " volatile", " restrict" };

/*
 * Print a qualified type. Of nested equal qualifiers only the outermost is printed. Qualifiers of a
 * function follow it.
 */
static void print_qualified_type(struct itanium_printer *p, const struct itanium_node *node)
{
	unsigned outer = p->held, bit = 1u << (node->kind - ITANIUM_CONST);

	bool function = find_unqualified_kind(p, node->left) == ITANIUM_FUNCTION;
	p->held |= bit;
	itanium_print_left(p, node->left);
	p->held = outer;
	if (!(outer & bit) && !function)
		itanium_print_word(p, qualifiers[node->kind - ITANIUM_CONST]);
}

static void print_member_pointer(struct itanium_printer *p, const struct itanium_node *node)
{
	uint8_t kind = find_unqualified_kind(p, node->right);

	itanium_print_left(p, node->right);
	itanium_print_word(p, kind == ITANIUM_FUNCTION       ? "("
	                      : kind == ITANIUM_ARRAY        ? " ("
	                      : itanium_print_last(p) == '(' ? ""
	                                                     : " ");
	itanium_print_pattern(p, node, "%L::*");
}

/* Print qualifiers such as " const noexcept(true)". */
static void print_qualifiers(struct itanium_printer *p, uint16_t number)
{
	for (; number && itanium_print_step(p); number = itanium_print_node(p, number)->right) {
		const struct itanium_node *node = itanium_print_node(p, number);
		const bool is_list = itanium_print_node(p, node->left)->kind == ITANIUM_LIST;
		itanium_print_pattern(p, node, !node->left ? "%t" : is_list ? "%t(%i)" : "%t(%L)");
	}
}

void itanium_print_left_of_type(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
		print_qualified_type(p, node);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			itanium_print_parameter(p, node, itanium_print_left);
		else
			itanium_print_own_parameter(p, node);
		break;
	case ITANIUM_SUFFIXED:
		itanium_print_left(p, node->left);
		if (itanium_print_is_declarator(p, node->left))
			print_declarator_open(p, node->left, "");
		itanium_print_bytes(p, node->text, node->size);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, true);
		break;
	case ITANIUM_MEMBER:
		print_member_pointer(p, node);
		break;
	case ITANIUM_FUNCTION:
		itanium_print_left(p, node->left);
		itanium_print_word(p, itanium_print_has_right(p, node->left) ? "" : " ");
		break;
	case ITANIUM_VECTOR:
		itanium_print_pattern(p, node, node->right ? "%l __vector(%R)" : "%l __vector(%t)");
		break;
	case ITANIUM_VENDOR:
		itanium_print_left(p, node->left);
		if (itanium_print_is_declarator(p, node->left))
			print_declarator_open(p, node->left, "");
		itanium_print_pattern(p, node, " %r");
		break;
	case ITANIUM_EXPANSION:
		itanium_print_expansion(p, node);
		break;
	default: /* plain names contain these only in lists */
		p->failed = true;
		break;
	}
}

void itanium_print_right_of_type(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_SUFFIXED:
		print_declarator_close(p, node->left);
		break;
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
		itanium_print_right(p, node->left);
		if (find_unqualified_kind(p, node->left) == ITANIUM_FUNCTION)
			itanium_print_word(p, qualifiers[node->kind - ITANIUM_CONST]);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, false);
		break;
	case ITANIUM_MEMBER:
		print_declarator_close(p, node->right);
		break;
	case ITANIUM_FUNCTION:
		itanium_print_pattern(p, node, "(%I)");
		print_qualifiers(p, node->more);
		itanium_print_right(p, node->left);
		break;
	case ITANIUM_ARRAY:
		itanium_print_word(p, itanium_print_last(p) == ']' ? "[" : " [");
		itanium_print_pattern(p, node, node->right ? "%R]" : "%t]");
		itanium_print_right(p, node->left);
		break;
	case ITANIUM_VENDOR:
	case ITANIUM_VECTOR:
		print_declarator_close(p, node->left);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			itanium_print_parameter(p, node, itanium_print_right);
		break;
	default: /* names */
		break;
	}
}
