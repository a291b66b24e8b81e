/* SPDX-License-Identifier: MIT */
/* Prints names, and what encodings they belong to.  Plain ones have no arguments of templates. */
#include "print.h"

/* "$T0": what a parameter is called that its closure declares; `number` counts all of them. */
static void print_declared_name(struct itanium_printer *p, uint8_t letter, uint32_t number)
{
	itanium_print_word(p, letter == 'n' ? "$N" : letter == 't' ? "$TT" : "$T");
	itanium_print_number(p, number);
}

static void print_declarations(struct itanium_printer *p, uint16_t list);

/* "template<typename $T0>" */
static void print_template_declaration(struct itanium_printer *p, uint16_t list)
{
	itanium_print_word(p, "template");
	print_declarations(p, list);
}

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
		if (letter == 'y')
			itanium_print_word(p, "typename");
		else if (letter == 't')
			print_template_declaration(p, node->left);
		else
			itanium_print_whole(p, node->left);
		itanium_print_word(p, letter == 't' ? " typename" : "");
		itanium_print_word(p, pack ? "... " : " ");
		print_declared_name(p, letter, index);
	}
	p->depth--;
}

/* "<typename $T0, int $N1>" */
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

void itanium_print_lambda(struct itanium_printer *p, const struct itanium_node *node)
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
	itanium_print_word(p, ")#");
	itanium_print_number(p, node->size);
	itanium_print_word(p, "}");
}

/* The part of a function's name that has its qualifiers; NULL: it has none. */
static const struct itanium_node *find_method(const struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	while (node->kind == ITANIUM_LOCAL || node->kind == ITANIUM_DEFAULT)
		node = itanium_print_node(p,
		                          node->kind == ITANIUM_LOCAL ? node->right : node->left);
	return node->kind == ITANIUM_METHOD ? node : NULL;
}

static void print_default_argument(struct itanium_printer *p, uint32_t number)
{
	itanium_print_word(p, "{default arg#");
	itanium_print_number(p, number);
	itanium_print_word(p, "}::");
}

/* A function's name; its qualifiers are for after the parameters. */
static void print_encoding_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	if (!find_method(p, number)) {
		itanium_print_left(p, number);
		return;
	}
	while (node->kind != ITANIUM_METHOD) {
		if (node->kind == ITANIUM_DEFAULT) {
			print_default_argument(p, node->size);
			node = itanium_print_node(p, node->left);
			continue;
		}
		itanium_print_left(p, node->left);
		itanium_print_word(p, "::");
		node = itanium_print_node(p, node->right);
	}
	itanium_print_left(p, node->left);
}

static void print_signature(struct itanium_printer *p, const struct itanium_node *function,
                            const struct itanium_node *method)
{
	itanium_print_word(p, method && method->more ? "(this " : "(");
	itanium_print_list(p, function->right);
	itanium_print_word(p, ")");
}

static bool is_template(const struct itanium_printer *p, uint16_t encoding)
{
	const struct itanium_node *node = itanium_print_node(p, encoding);

	if (!node->right)
		return false;
	for (node = itanium_print_node(p, node->left);;) {
		if (node->kind == ITANIUM_METHOD || node->kind == ITANIUM_DEFAULT)
			node = itanium_print_node(p, node->left);
		else if (node->kind == ITANIUM_LOCAL)
			node = itanium_print_node(p, node->right);
		else
			return node->kind == ITANIUM_TEMPLATE;
	}
}

static void print_parts_of_encoding(struct itanium_printer *p, const struct itanium_node *node,
                                    bool returned)
{
	const struct itanium_node *function = itanium_print_node(p, node->right);
	const struct itanium_node *method = find_method(p, node->left);
	uint16_t type = returned && node->right ? function->left : 0;

	if (type) {
		if (itanium_print_is_declarator(p, type))
			p->failed = true; /* neither functions nor arrays are returned */
		itanium_print_left(p, type);
		itanium_print_word(p, itanium_print_has_right(p, type) ? "" : " ");
	}
	print_encoding_name(p, node->left);
	if (node->right)
		print_signature(p, function, method);
	if (method)
		itanium_print_bytes(p, method->text, method->size);
	if (method && !node->right)
		p->failed = true; /* data has no object */
	if (type)
		itanium_print_right(p, type);
	if (node->more) {
		itanium_print_word(p, " requires ");
		p->in_constraint = true;
		itanium_print_whole(p, node->more);
		p->in_constraint = false;
	}
}

/* What an encoding inside another name returns is not printed. */
void itanium_print_encoding(struct itanium_printer *p, uint16_t number, bool returned)
{
	const struct itanium_scope own = { number, p->scope }, *outer = p->scope;
	bool expansion = p->in_expansion;

	if (is_template(p, number))
		p->scope = &own;
	p->in_expansion = false;
	print_parts_of_encoding(p, itanium_print_node(p, number), returned);
	p->scope = outer;
	p->in_expansion = expansion;
}

/* What has arguments is a name; a parameter may stand for a type with a right half, which is none. */
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
	if (!p->it->whole)
		return;
	itanium_print_word(p, "<");
	itanium_print_list(p, node->right);
	itanium_print_word(p, ">");
}

static void print_inside(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_whole(p, node->left);
	itanium_print_word(p, "::");
	itanium_print_left(p, node->right);
}

static void print_special(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_bytes(p, node->text, node->size);
	if (itanium_print_node(p, node->left)->kind == ITANIUM_ENCODING)
		itanium_print_encoding(p, node->left, true);
	else
		itanium_print_whole(p, node->left);
	if (node->right) {
		itanium_print_word(p, "-in-");
		itanium_print_whole(p, node->right);
	}
}

static void print_modules(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	if (node->left)
		itanium_print_left(p, node->left);
	itanium_print_word(p, node->size ? ":" : node->left ? "." : "");
	itanium_print_left(p, node->right);
}

/* Rarer parts. */
static void print_rare_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	switch (node->kind) {
	case ITANIUM_BINDING:
		itanium_print_word(p, "[");
		itanium_print_list(p, node->left);
		itanium_print_word(p, "]");
		break;
	case ITANIUM_MODULE:
		itanium_print_left(p, node->left);
		itanium_print_word(p, "@");
		itanium_print_left(p, node->right);
		break;
	case ITANIUM_MODULES:
		print_modules(p, number);
		break;
	case ITANIUM_FRIEND:
		itanium_print_left(p, node->left);
		itanium_print_word(p, "[friend]");
		break;
	case ITANIUM_DEFAULT:
		print_default_argument(p, node->size);
		itanium_print_left(p, node->left);
		break;
	case ITANIUM_SPECIAL:
	case ITANIUM_ELABORATED:
		print_special(p, node);
		break;
	case ITANIUM_TEMPORARY:
		itanium_print_word(p, "reference temporary #");
		itanium_print_number(p, node->size);
		itanium_print_word(p, " for ");
		itanium_print_left(p, node->left);
		break;
	case ITANIUM_METHOD:
		itanium_print_left(p, node->left);
		itanium_print_bytes(p, node->text, node->size);
		break;
	default: /* what cannot be printed here */
		p->failed = true;
		break;
	}
}

void itanium_print_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	switch (node->kind) {
	case ITANIUM_NAME:
	case ITANIUM_STANDARD:
	case ITANIUM_BUILTIN:
	case ITANIUM_OPERATOR:
		itanium_print_bytes(p, node->text, node->size);
		break;
	case ITANIUM_INSIDE:
	case ITANIUM_LOCAL:
		print_inside(p, node);
		break;
	case ITANIUM_TEMPLATE:
		print_instance(p, node);
		break;
	case ITANIUM_DESTRUCTOR:
		itanium_print_word(p, "~");
		itanium_print_left(p, node->left);
		break;
	case ITANIUM_CLASS_NAME:
		itanium_print_left(p, node->left);
		break;
	case ITANIUM_CONVERSION:
		itanium_print_word(p, "operator ");
		itanium_print_whole(p, node->left);
		break;
	case ITANIUM_LAMBDA:
		itanium_print_lambda(p, node);
		break;
	case ITANIUM_UNNAMED:
		itanium_print_word(p, "{unnamed type#");
		itanium_print_number(p, node->size);
		itanium_print_word(p, "}");
		break;
	case ITANIUM_TAGGED:
		itanium_print_left(p, node->left);
		itanium_print_word(p, "[abi:");
		itanium_print_bytes(p, node->text, node->size);
		itanium_print_word(p, "]");
		break;
	case ITANIUM_ENCODING:
		itanium_print_encoding(p, number, false);
		break;
	default:
		print_rare_name(p, number);
		break;
	}
}
