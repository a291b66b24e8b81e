/* SPDX-License-Identifier: MIT */
/* Prints names and encodings. Plain names omit template arguments. */
#include "print.h"

/*
 * Print the name of a template parameter that a closure declares, such as "$T0". `number` counts
 * parameters of all kinds.
 */
static void print_declared_name(struct itanium_printer *p, uint8_t letter, uint32_t number)
{
	itanium_print_word(p, letter == 'n' ? "$N" : letter == 't' ? "$TT" : "$T");
	itanium_print_number(p, number);
}

static void print_declarations(struct itanium_printer *p, uint16_t list);

static void print_declaration(struct itanium_printer *p, uint16_t number, uint32_t index, bool pack)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	uint8_t letter = node->kind == ITANIUM_DECLARATION ? *node->text : 0;

	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	if (letter == 'p') {
		print_declaration(p, node->left, index, true);
	} else {
		if (letter == 't') { /* "template<typename $T0> typename" */
			itanium_print_word(p, "template");
			print_declarations(p, node->left);
			itanium_print_word(p, " typename");
		} else if (letter == 'y') {
			itanium_print_word(p, "typename");
		} else {
			itanium_print_whole(p, node->left);
		}
		itanium_print_word(p, pack ? "... " : " ");
		print_declared_name(p, letter, index);
	}
	p->depth--;
}

/* Print "<typename $T0, int $N1>". */
static void print_declarations(struct itanium_printer *p, uint16_t list)
{
	uint32_t index = 0;

	itanium_print_word(p, "<");
	for (; list && itanium_print_step(p); list = itanium_print_node(p, list)->right) {
		itanium_print_word(p, index > 0 ? ", " : "");
		print_declaration(p, itanium_print_node(p, list)->left, index++, false);
	}
	itanium_print_word(p, ">");
}

void itanium_print_own_parameter(struct itanium_printer *p, const struct itanium_node *node)
{
	uint16_t list = p->declarations;
	uint32_t index = node->size;

	for (; list && index > 0 && itanium_print_step(p); index--)
		list = itanium_print_node(p, list)->right;
	if (!list) {
		itanium_print_word(p, "auto:");
		itanium_print_number(p, node->size + 1);
		return;
	}
	const struct itanium_node *item = itanium_print_node(p, itanium_print_node(p, list)->left);
	while (item->kind == ITANIUM_DECLARATION && *item->text == 'p' && itanium_print_step(p))
		item = itanium_print_node(p, item->left);
	print_declared_name(p, item->kind == ITANIUM_DECLARATION ? *item->text : 0, node->size);
}

static void print_lambda(struct itanium_printer *p, const struct itanium_node *node)
{
	bool outer = p->in_lambda;
	uint16_t declarations = p->declarations;

	itanium_print_word(p, "{lambda");
	p->in_lambda = true;
	p->declarations = node->right;
	if (node->right && p->it->whole)
		print_declarations(p, node->right);
	itanium_print_word(p, "(");
	itanium_print_list(p, node->left);
	p->in_lambda = outer;
	p->declarations = declarations;
	itanium_print_pattern(p, node, ")#%n}");
}

/* Return the node with the qualifiers of a function's name, or NULL. */
static const struct itanium_node *find_method(const struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	while (node->kind == ITANIUM_LOCAL || node->kind == ITANIUM_DEFAULT)
		node = itanium_print_node(p,
		                          node->kind == ITANIUM_LOCAL ? node->right : node->left);
	return node->kind == ITANIUM_METHOD ? node : NULL;
}

/* Print the name of a function. Its qualifiers are printed after the parameters. */
static void print_encoding_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	if (!find_method(p, number)) {
		itanium_print_left(p, number);
		return;
	}
	while (node->kind != ITANIUM_METHOD) {
		const bool is_default = node->kind == ITANIUM_DEFAULT;
		itanium_print_pattern(p, node, is_default ? "{default arg#%n}::" : "%l::");
		node = itanium_print_node(p, is_default ? node->left : node->right);
	}
	itanium_print_left(p, node->left);
}

static void print_parts_of_encoding(struct itanium_printer *p, const struct itanium_node *node,
                                    bool returned)
{
	const struct itanium_node *function = itanium_print_node(p, node->right);
	const struct itanium_node *method = find_method(p, node->left);
	uint16_t type = returned && node->right ? function->left : 0;

	if (type) {
		if (itanium_print_is_declarator(p, type))
			p->failed = true; /* functions and arrays cannot be returned */
		itanium_print_left(p, type);
		itanium_print_word(p, itanium_print_has_right(p, type) ? "" : " ");
	}
	print_encoding_name(p, node->left);
	if (node->right)
		itanium_print_pattern(p, function, method && method->more ? "(this %I)" : "(%I)");
	if (method)
		itanium_print_bytes(p, method->text, method->size);
	if (method && !node->right)
		p->failed = true; /* data has no object and thus no qualifiers */
	if (type)
		itanium_print_right(p, type);
	if (node->more) {
		p->in_constraint = true;
		itanium_print_pattern(p, node, " requires %M");
		p->in_constraint = false;
	}
}

/* Print an encoding. The return type of an encoding within another name is omitted. */
void itanium_print_encoding(struct itanium_printer *p, uint16_t number, bool returned)
{
	const struct itanium_scope own = { number, p->scope }, *outer = p->scope;
	const struct itanium_node *node = itanium_print_node(p, number);
	bool expansion = p->in_expansion;

	if (node->right &&
	    itanium_print_node(p, itanium_own_name(p->it, node->left))->kind == ITANIUM_TEMPLATE)
		p->scope = &own;
	p->in_expansion = false;
	print_parts_of_encoding(p, node, returned);
	p->scope = outer;
	p->in_expansion = expansion;
}

/*
 * Print a template name. A parameter may stand for a type with a right half, which is not a valid
 * name.
 */
static void print_template_name(struct itanium_printer *p, uint16_t number)
{
	itanium_print_left(p, number);
	if (itanium_print_last(p) == '<')
		itanium_print_word(p, " ");
	size_t size = p->size;
	itanium_print_right(p, number);
	p->failed = p->failed || p->size != size;
}

static void print_instance(struct itanium_printer *p, const struct itanium_node *node)
{
	print_template_name(p, node->left);
	if (p->it->whole)
		itanium_print_pattern(p, node, "<%I>");
}

static void print_special(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_bytes(p, node->text, node->size);
	if (itanium_print_node(p, node->left)->kind == ITANIUM_ENCODING)
		itanium_print_encoding(p, node->left, true);
	else
		itanium_print_whole(p, node->left);
	if (node->right)
		itanium_print_pattern(p, node, "-in-%R");
}

void itanium_print_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	switch (node->kind) {
	case ITANIUM_TEMPLATE:
		print_instance(p, node);
		break;
	case ITANIUM_LAMBDA:
		print_lambda(p, node);
		break;
	case ITANIUM_ENCODING:
		itanium_print_encoding(p, number, false);
		break;
	case ITANIUM_MODULES:
		if (node->left)
			itanium_print_left(p, node->left);
		itanium_print_pattern(p, node, node->size ? ":%r" : node->left ? ".%r" : "%r");
		break;
	case ITANIUM_SPECIAL:
	case ITANIUM_ELABORATED:
		print_special(p, node);
		break;
	default:
		p->failed = true;
		break;
	}
}
