/* SPDX-License-Identifier: MIT */
/* Prints types, with parameters of templates as what they stand for. */
#include "print.h"

/* The arguments of the template that an encoding is of; 0: it is of none. */
static uint16_t find_template_arguments(const struct printing *p, uint16_t encoding, bool *any)
{
	const struct itanium_node *node = say_node(p, say_node(p, encoding)->left);

	if (node->kind == ITANIUM_METHOD)
		node = say_node(p, node->left);
	if (node->kind == ITANIUM_LOCAL)
		node = say_node(p, node->right);
	if (node->kind == ITANIUM_METHOD)
		node = say_node(p, node->left);
	*any = node->kind == ITANIUM_TEMPLATE;
	return *any ? node->right : 0;
}

static uint16_t find_list_item(const struct printing *p, uint16_t list, unsigned index)
{
	while (list && index > 0) {
		list = say_node(p, list)->right;
		index--;
	}
	return list ? say_node(p, list)->left : 0;
}

/* What a parameter of a template stands for, which may be a pack; 0: not known here. */
static uint16_t find_template_argument(const struct printing *p,
                                       const struct itanium_node *parameter)
{
	bool any = false;

	if (!p->encoding || say_node(p, p->encoding)->size != parameter->left)
		return 0;
	uint16_t list = find_template_arguments(p, p->encoding, &any);
	return any ? find_list_item(p, list, parameter->size) : 0;
}

/* The same with packs resolved to their present item. */
static uint16_t resolve_argument(struct printing *p, const struct itanium_node *parameter)
{
	uint16_t argument = find_template_argument(p, parameter);

	if (argument && say_node(p, argument)->kind == ITANIUM_PACK)
		argument = p->in_expansion
		                   ? find_list_item(p, say_node(p, argument)->left, p->pack_item)
		                   : 0;
	if (!argument)
		p->failed = true;
	return argument;
}

/* One half of what a parameter stands for, in which no other parameters are known. */
static void print_parameter(struct printing *p, const struct itanium_node *node,
                            void (*half)(struct printing *p, uint16_t number))
{
	uint16_t argument = resolve_argument(p, node), encoding = p->encoding;

	p->encoding = 0;
	if (!p->failed)
		half(p, argument);
	p->encoding = encoding;
}

/* Behind parameters that stand for others. */
static uint16_t resolve_parameter(struct printing *p, uint16_t number)
{
	const struct itanium_node *node = say_node(p, number);

	if (node->kind != ITANIUM_PARAMETER || p->in_lambda)
		return number;
	return resolve_argument(p, node);
}

bool say_is_declarator(struct printing *p, uint16_t number)
{
	uint8_t kind = say_node(p, resolve_parameter(p, number))->kind;

	return kind == ITANIUM_FUNCTION || kind == ITANIUM_ARRAY;
}

bool say_is_scope(struct printing *p, uint16_t number)
{
	return say_node(p, resolve_parameter(p, number))->kind < ITANIUM_SUFFIXED;
}

bool say_has_right(struct printing *p, uint16_t number)
{
	while (say_step(p)) {
		number = resolve_parameter(p, number);
		const struct itanium_node *node = say_node(p, number);
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
static uint16_t collapse_reference(struct printing *p, const struct itanium_node *node,
                                   const char **sign)
{
	const struct itanium_node *inner = say_node(p, resolve_parameter(p, node->left));

	*sign = node->kind == ITANIUM_RVALUE ? "&&" : "&";
	if (inner->kind == ITANIUM_REFERENCE)
		*sign = "&";
	if (inner->kind == ITANIUM_REFERENCE || inner->kind == ITANIUM_RVALUE)
		return inner->left;
	return node->left;
}

/* Does a reference's own type come through a parameter, so that others mean something else? */
static bool is_foreign(const struct printing *p, const struct itanium_node *node, uint16_t target)
{
	return target != node->left && say_node(p, node->left)->kind == ITANIUM_PARAMETER;
}

/* What stands between the left part of the type that is pointed to, and its right one. */
static void print_declarator_open(struct printing *p, uint16_t number, const char *sign)
{
	if (say_is_declarator(p, number)) {
		bool array = say_node(p, resolve_parameter(p, number))->kind == ITANIUM_ARRAY;
		say_word(p, array ? " (" : "(");
	}
	say_word(p, sign);
}

static void print_declarator_close(struct printing *p, uint16_t number)
{
	if (say_is_declarator(p, number))
		say_word(p, ")");
	say_right(p, number);
}

static void print_reference(struct printing *p, const struct itanium_node *node, bool left)
{
	uint16_t encoding = p->encoding;
	const char *sign;
	uint16_t target = collapse_reference(p, node, &sign);

	if (is_foreign(p, node, target))
		p->encoding = 0;
	if (left) {
		say_left(p, target);
		print_declarator_open(p, target, sign);
	} else {
		print_declarator_close(p, target);
	}
	p->encoding = encoding;
}

/* Of equal qualifiers around each other the outermost is said. */
static void print_qualified_type(struct printing *p, const struct itanium_node *node,
                                 const char *text)
{
	unsigned outer = p->held, bit = 1u << (node->kind - ITANIUM_CONST);

	if (say_is_declarator(p, node->left))
		p->failed = true;
	p->held |= bit;
	say_left(p, node->left);
	p->held = outer;
	if (!(outer & bit))
		say_word(p, text);
}

static void print_member_pointer(struct printing *p, const struct itanium_node *node)
{
	uint8_t kind = say_node(p, resolve_parameter(p, node->right))->kind;

	say_left(p, node->right);
	if (kind == ITANIUM_ARRAY || say_has_right(p, node->left))
		p->failed = true;
	say_word(p, kind == ITANIUM_FUNCTION ? "(" : say_last(p) == '(' ? "" : " ");
	say_whole(p, node->left);
	say_word(p, "::*");
}

/* The first pack that a pattern is about; 0: there is none. */
static uint16_t find_pack(struct printing *p, uint16_t number)
{
	const struct itanium_node *node = say_node(p, number);
	uint16_t found;

	if (!number || !say_step(p) || p->depth == ITANIUM_DEPTH)
		return 0;
	switch (node->kind) {
	case ITANIUM_PARAMETER:
		found = find_template_argument(p, node);
		return found && say_node(p, found)->kind == ITANIUM_PACK ? found : 0;
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
static void print_unexpanded_pack(struct printing *p, uint16_t pattern)
{
	uint8_t kind = say_node(p, pattern)->kind;
	bool simple = kind == ITANIUM_NAME || kind == ITANIUM_INSIDE;

	say_word(p, simple ? "" : "(");
	say_whole(p, pattern);
	say_word(p, simple ? "..." : ")...");
}

void say_expansion(struct printing *p, const struct itanium_node *node)
{
	if (p->in_lambda) {
		print_unexpanded_pack(p, node->left);
		return;
	}
	uint16_t pack = p->in_expansion ? 0 : find_pack(p, node->left);
	if (!pack)
		p->failed = true;
	p->in_expansion = true;
	uint16_t item = say_node(p, pack)->left;
	for (p->pack_item = 0; item && !p->failed; p->pack_item++) {
		if (p->pack_item > 0)
			say_word(p, ", ");
		say_whole(p, node->left);
		item = say_node(p, item)->right;
	}
	p->in_expansion = false;
}

/* A parameter of a lambda whose type is `auto`. */
static void print_auto_parameter(struct printing *p, const struct itanium_node *node)
{
	say_word(p, "auto:");
	say_number(p, node->size + 1);
}

bool say_left_of_qualified(struct printing *p, const struct itanium_node *node)
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
			print_parameter(p, node, say_left);
		else
			print_auto_parameter(p, node);
		return true;
	default:
		return false;
	}
}

void say_left_of_type(struct printing *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_SUFFIXED:
		say_left(p, node->left);
		if (say_is_declarator(p, node->left))
			print_declarator_open(p, node->left, "");
		say_bytes(p, node->text, node->size);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, true);
		break;
	case ITANIUM_MEMBER:
		print_member_pointer(p, node);
		break;
	case ITANIUM_FUNCTION:
		if (say_has_right(p, node->left))
			p->failed = true;
		say_left(p, node->left);
		say_word(p, " ");
		break;
	case ITANIUM_ARRAY:
		if (say_node(p, node->left)->kind != ITANIUM_ARRAY && say_has_right(p, node->left))
			p->failed = true;
		say_left(p, node->left);
		break;
	default: /* expansions are in lists only */
		p->failed = true;
		break;
	}
}

void say_right_of_type(struct printing *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_SUFFIXED:
		print_declarator_close(p, node->left);
		break;
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
		say_right(p, node->left);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, false);
		break;
	case ITANIUM_MEMBER:
		print_declarator_close(p, node->right);
		break;
	case ITANIUM_FUNCTION:
		say_word(p, "(");
		say_list(p, node->right);
		say_word(p, node->size ? ") const" : ")");
		break;
	case ITANIUM_ARRAY:
		say_word(p, say_last(p) == ']' ? "[" : " [");
		say_bytes(p, node->text, node->size);
		say_word(p, "]");
		say_right(p, node->left);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			print_parameter(p, node, say_right);
		break;
	default: /* names */
		break;
	}
}
