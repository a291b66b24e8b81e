/* SPDX-License-Identifier: MIT */
/* Prints types, with parameters of templates as what they stand for. */
#include "print.h"

/* The arguments of the template that an encoding is of; 0: it is of none. */
static uint16_t find_template_arguments(const struct itanium_printer *p, uint16_t encoding,
                                        bool *any)
{
	const struct itanium_node *node =
		itanium_print_node(p, itanium_print_node(p, encoding)->left);

	if (node->kind == ITANIUM_METHOD)
		node = itanium_print_node(p, node->left);
	if (node->kind == ITANIUM_LOCAL)
		node = itanium_print_node(p, node->right);
	if (node->kind == ITANIUM_METHOD)
		node = itanium_print_node(p, node->left);
	*any = node->kind == ITANIUM_TEMPLATE;
	return *any ? node->right : 0;
}

static uint16_t find_list_item(const struct itanium_printer *p, uint16_t list, unsigned index)
{
	while (list && index > 0) {
		list = itanium_print_node(p, list)->right;
		index--;
	}
	return list ? itanium_print_node(p, list)->left : 0;
}

/* What a parameter of a template stands for, which may be a pack; 0: not known here. */
static uint16_t find_template_argument(const struct itanium_printer *p,
                                       const struct itanium_node *parameter)
{
	bool any = false;

	if (!p->encoding || itanium_print_node(p, p->encoding)->size != parameter->left)
		return 0;
	uint16_t list = find_template_arguments(p, p->encoding, &any);
	return any ? find_list_item(p, list, parameter->size) : 0;
}

/* The same with packs resolved to their present item. */
static uint16_t resolve_argument(struct itanium_printer *p, const struct itanium_node *parameter)
{
	uint16_t argument = find_template_argument(p, parameter);

	if (argument && itanium_print_node(p, argument)->kind == ITANIUM_PACK)
		argument = p->in_expansion
		                   ? find_list_item(p, itanium_print_node(p, argument)->left,
		                                    p->pack_item)
		                   : 0;
	if (!argument)
		p->failed = true;
	return argument;
}

/* One half of what a parameter stands for, in which no other parameters are known. */
static void print_parameter(struct itanium_printer *p, const struct itanium_node *node,
                            void (*half)(struct itanium_printer *p, uint16_t number))
{
	uint16_t argument = resolve_argument(p, node), encoding = p->encoding;

	p->encoding = 0;
	if (!p->failed)
		half(p, argument);
	p->encoding = encoding;
}

/* After parameters that stand for others. */
static uint16_t resolve_parameter(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	if (node->kind != ITANIUM_PARAMETER || p->in_lambda)
		return number;
	return resolve_argument(p, node);
}

bool itanium_print_is_declarator(struct itanium_printer *p, uint16_t number)
{
	uint8_t kind = itanium_print_node(p, resolve_parameter(p, number))->kind;

	return kind == ITANIUM_FUNCTION || kind == ITANIUM_ARRAY;
}

bool itanium_print_is_scope(struct itanium_printer *p, uint16_t number)
{
	return itanium_print_node(p, resolve_parameter(p, number))->kind < ITANIUM_SUFFIXED;
}

bool itanium_print_has_right(struct itanium_printer *p, uint16_t number)
{
	while (itanium_print_step(p)) {
		number = resolve_parameter(p, number);
		const struct itanium_node *node = itanium_print_node(p, number);
		switch (node->kind) {
		case ITANIUM_FUNCTION:
		case ITANIUM_ARRAY:
			return true;
		case ITANIUM_SUFFIXED:
		case ITANIUM_CONST:
		case ITANIUM_VOLATILE:
		case ITANIUM_RESTRICT:
		case ITANIUM_REFERENCE:
		case ITANIUM_RVALUE:
			number = node->left;
			break;
		case ITANIUM_MEMBER:
			number = node->right;
			break;
		default: /* names */
			return false;
		}
	}
	return false;
}

/* A reference to a reference is one; `&` wins.  What it refers to, and which of the two it is. */
static uint16_t collapse_reference(struct itanium_printer *p, const struct itanium_node *node,
                                   const char **sign)
{
	const struct itanium_node *inner = itanium_print_node(p, resolve_parameter(p, node->left));

	*sign = node->kind == ITANIUM_RVALUE ? "&&" : "&";
	if (inner->kind == ITANIUM_REFERENCE)
		*sign = "&";
	if (inner->kind == ITANIUM_REFERENCE || inner->kind == ITANIUM_RVALUE)
		return inner->left;
	return node->left;
}

/* Does a reference's own type come through a parameter, so that others mean something else? */
static bool is_foreign(const struct itanium_printer *p, const struct itanium_node *node,
                       uint16_t target)
{
	return target != node->left && itanium_print_node(p, node->left)->kind == ITANIUM_PARAMETER;
}

/* What is between the left part of the type that is pointed to, and its right one. */
static void print_declarator_open(struct itanium_printer *p, uint16_t number, const char *sign)
{
	if (itanium_print_is_declarator(p, number)) {
		bool array =
			itanium_print_node(p, resolve_parameter(p, number))->kind == ITANIUM_ARRAY;
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
	uint16_t encoding = p->encoding;
	const char *sign;
	uint16_t target = collapse_reference(p, node, &sign);

	if (is_foreign(p, node, target))
		p->encoding = 0;
	if (left) {
		itanium_print_left(p, target);
		print_declarator_open(p, target, sign);
	} else {
		print_declarator_close(p, target);
	}
	p->encoding = encoding;
}

/* Of equal qualifiers around each other the outermost is printed. */
static void print_qualified_type(struct itanium_printer *p, const struct itanium_node *node,
                                 const char *text)
{
	unsigned outer = p->held, bit = 1u << (node->kind - ITANIUM_CONST);

	if (itanium_print_is_declarator(p, node->left))
		p->failed = true;
	p->held |= bit;
	itanium_print_left(p, node->left);
	p->held = outer;
	if (!(outer & bit))
		itanium_print_word(p, text);
}

static void print_member_pointer(struct itanium_printer *p, const struct itanium_node *node)
{
	uint8_t kind = itanium_print_node(p, resolve_parameter(p, node->right))->kind;

	itanium_print_left(p, node->right);
	if (kind == ITANIUM_ARRAY || itanium_print_has_right(p, node->left))
		p->failed = true;
	itanium_print_word(p, kind == ITANIUM_FUNCTION       ? "("
	                      : itanium_print_last(p) == '(' ? ""
	                                                     : " ");
	itanium_print_whole(p, node->left);
	itanium_print_word(p, "::*");
}

/* The first pack that a pattern is about; 0: there is none. */
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
		p->depth--;
		return found;
	}
}

/* In a lambda nobody knows what its parameters stand for. */
static void print_unexpanded_pack(struct itanium_printer *p, uint16_t pattern)
{
	uint8_t kind = itanium_print_node(p, pattern)->kind;
	bool simple = kind == ITANIUM_NAME || kind == ITANIUM_INSIDE;

	itanium_print_word(p, simple ? "" : "(");
	itanium_print_whole(p, pattern);
	itanium_print_word(p, simple ? "..." : ")...");
}

void itanium_print_expansion(struct itanium_printer *p, const struct itanium_node *node)
{
	if (p->in_lambda) {
		print_unexpanded_pack(p, node->left);
		return;
	}
	uint16_t pack = p->in_expansion ? 0 : find_pack(p, node->left);
	if (!pack)
		p->failed = true;
	p->in_expansion = true;
	uint16_t item = itanium_print_node(p, pack)->left;
	for (p->pack_item = 0; item && !p->failed; p->pack_item++) {
		if (p->pack_item > 0)
			itanium_print_word(p, ", ");
		itanium_print_whole(p, node->left);
		item = itanium_print_node(p, item)->right;
	}
	p->in_expansion = false;
}

/* A parameter of a lambda whose type is `auto`. */
static void print_auto_parameter(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_word(p, "auto:");
	itanium_print_number(p, node->size + 1);
}

bool itanium_print_left_of_qualified(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_CONST:
		print_qualified_type(p, node, " const");
		return true;
	case ITANIUM_VOLATILE:
		print_qualified_type(p, node, " volatile");
		return true;
	case ITANIUM_RESTRICT:
		print_qualified_type(p, node, " restrict");
		return true;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			print_parameter(p, node, itanium_print_left);
		else
			print_auto_parameter(p, node);
		return true;
	default:
		return false;
	}
}

void itanium_print_left_of_type(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
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
		if (itanium_print_has_right(p, node->left))
			p->failed = true;
		itanium_print_left(p, node->left);
		itanium_print_word(p, " ");
		break;
	case ITANIUM_ARRAY:
		if (itanium_print_node(p, node->left)->kind != ITANIUM_ARRAY &&
		    itanium_print_has_right(p, node->left))
			p->failed = true;
		itanium_print_left(p, node->left);
		break;
	default: /* expansions are in lists only */
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
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, false);
		break;
	case ITANIUM_MEMBER:
		print_declarator_close(p, node->right);
		break;
	case ITANIUM_FUNCTION:
		itanium_print_word(p, "(");
		itanium_print_list(p, node->right);
		itanium_print_word(p, node->size ? ") const" : ")");
		break;
	case ITANIUM_ARRAY:
		itanium_print_word(p, itanium_print_last(p) == ']' ? "[" : " [");
		itanium_print_bytes(p, node->text, node->size);
		itanium_print_word(p, "]");
		itanium_print_right(p, node->left);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			print_parameter(p, node, itanium_print_right);
		break;
	default: /* names */
		break;
	}
}
