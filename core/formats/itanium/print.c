/* SPDX-License-Identifier: MIT */
/* Prints names, and what encodings they belong to.  Arguments of templates are passed over. */
#include "print.h"

void itanium_print_bytes(struct itanium_printer *p, const void *text, size_t size)
{
	if (size > p->room - p->size)
		p->failed = true;
	if (p->failed)
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

/* A comma in front of nothing is taken back. */
void itanium_print_list(struct itanium_printer *p, uint16_t number)
{
	size_t end = p->size;

	while (number && itanium_print_step(p)) {
		const struct itanium_node *node = itanium_print_node(p, number);
		const struct itanium_node *item = itanium_print_node(p, node->left);
		size_t start = p->size;
		if (item->kind == ITANIUM_EXPANSION)
			itanium_print_expansion(p, item);
		else
			itanium_print_whole(p, node->left);
		if (p->size > start)
			end = p->size;
		number = node->right;
		if (number)
			itanium_print_word(p, ", ");
	}
	p->size = end;
}

static void print_lambda(struct itanium_printer *p, const struct itanium_node *node)
{
	bool outer = p->in_lambda;

	itanium_print_word(p, "{lambda(");
	p->in_lambda = true;
	itanium_print_list(p, node->left);
	p->in_lambda = outer;
	itanium_print_word(p, ")#");
	itanium_print_number(p, node->size);
	itanium_print_word(p, "}");
}

/* A function's name; its qualifiers are for after the parameters. */
static const struct itanium_node *print_encoding_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number), *method = NULL;

	if (node->kind == ITANIUM_METHOD) {
		itanium_print_left(p, node->left);
		return node;
	}
	if (node->kind == ITANIUM_LOCAL &&
	    itanium_print_node(p, node->right)->kind == ITANIUM_METHOD) {
		method = itanium_print_node(p, node->right);
		itanium_print_left(p, node->left);
		itanium_print_word(p, "::");
		itanium_print_left(p, method->left);
		return method;
	}
	itanium_print_left(p, number);
	return NULL;
}

/* What an encoding inside another name returns is not printed. */
static void print_encoding(struct itanium_printer *p, uint16_t number, bool returned)
{
	const struct itanium_node *node = itanium_print_node(p, number),
				  *function = itanium_print_node(p, node->right);
	uint16_t outer = p->encoding, type = returned && node->right ? function->left : 0;
	bool expansion = p->in_expansion;

	p->encoding = number;
	p->in_expansion = false;
	if (type) {
		if (itanium_print_is_declarator(p, type))
			p->failed = true; /* neither functions nor arrays are returned */
		itanium_print_left(p, type);
		itanium_print_word(p, itanium_print_has_right(p, type) ? "" : " ");
	}
	const struct itanium_node *method = print_encoding_name(p, node->left);
	if (node->right) {
		itanium_print_word(p, "(");
		itanium_print_list(p, function->right);
		itanium_print_word(p, ")");
	}
	if (method)
		itanium_print_bytes(p, method->text, method->size);
	if (method && !node->right)
		p->failed = true; /* data has no object */
	if (type)
		itanium_print_right(p, type);
	p->encoding = outer;
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

static void print_left_of_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	switch (node->kind) {
	case ITANIUM_NAME:
	case ITANIUM_OPERATOR:
		itanium_print_bytes(p, node->text, node->size);
		break;
	case ITANIUM_INSIDE:
	case ITANIUM_LOCAL:
		if (!itanium_print_is_scope(p, node->left))
			p->failed = true; /* "const char::name": no compiler writes it */
		itanium_print_left(p, node->left);
		itanium_print_word(p, "::");
		itanium_print_left(p, node->right);
		break;
	case ITANIUM_TEMPLATE:
		print_template_name(p, node->left);
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
		print_lambda(p, node);
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
		print_encoding(p, number, false);
		break;
	default: /* what cannot be printed here */
		p->failed = true;
		break;
	}
}

void itanium_print_left(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	unsigned held = p->held;

	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	if (!itanium_print_left_of_qualified(p, node)) {
		p->held = 0;
		if (node->kind < ITANIUM_SUFFIXED)
			print_left_of_name(p, number);
		else
			itanium_print_left_of_type(p, node);
		p->held = held;
	}
	p->depth--;
}

void itanium_print_right(struct itanium_printer *p, uint16_t number)
{
	if (!itanium_print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	itanium_print_right_of_type(p, itanium_print_node(p, number));
	p->depth--;
}

size_t itanium_print(const struct itanium *it, uint16_t root, char *out, size_t room)
{
	struct itanium_printer p = { .it = it, .out = out, .room = room, .steps = ITANIUM_STEPS };
	const struct itanium_node *node = &it->node[root];

	if (node->kind == ITANIUM_THUNK) {
		itanium_print_bytes(&p, node->text, node->size);
		root = node->left;
	}
	print_encoding(&p, root, true);
	return p.failed ? 0 : p.size;
}
