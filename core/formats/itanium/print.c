/* SPDX-License-Identifier: MIT */
/* Prints names, and what encodings they belong to.  Arguments of templates are passed over. */
#include "print.h"

void say_bytes(struct printing *p, const void *text, size_t size)
{
	if (size > p->room - p->size)
		p->failed = true;
	if (p->failed)
		return;
	memcpy(p->out + p->size, text, size);
	p->size += size;
}

void say_number(struct printing *p, uint32_t number)
{
	char digits[10];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	say_bytes(p, digits + at, sizeof(digits) - at);
}

/* A comma in front of nothing is taken back. */
void say_list(struct printing *p, uint16_t number)
{
	size_t end = p->size;

	while (number && say_step(p)) {
		const struct itanium_node *node = say_node(p, number);
		const struct itanium_node *item = say_node(p, node->left);
		size_t start = p->size;
		if (item->kind == ITANIUM_EXPANSION)
			say_expansion(p, item);
		else
			say_whole(p, node->left);
		if (p->size > start)
			end = p->size;
		number = node->right;
		if (number)
			say_word(p, ", ");
	}
	p->size = end;
}

static void print_lambda(struct printing *p, const struct itanium_node *node)
{
	bool outer = p->in_lambda;

	say_word(p, "{lambda(");
	p->in_lambda = true;
	say_list(p, node->left);
	p->in_lambda = outer;
	say_word(p, ")#");
	say_number(p, node->size);
	say_word(p, "}");
}

/* A function's name; its qualifiers are for behind the parameters. */
static const struct itanium_node *print_encoding_name(struct printing *p, uint16_t number)
{
	const struct itanium_node *node = say_node(p, number), *method = NULL;

	if (node->kind == ITANIUM_METHOD) {
		say_left(p, node->left);
		return node;
	}
	if (node->kind == ITANIUM_LOCAL && say_node(p, node->right)->kind == ITANIUM_METHOD) {
		method = say_node(p, node->right);
		say_left(p, node->left);
		say_word(p, "::");
		say_left(p, method->left);
		return method;
	}
	say_left(p, number);
	return NULL;
}

/* What an encoding inside another name returns is not said. */
static void print_encoding(struct printing *p, uint16_t number, bool returned)
{
	const struct itanium_node *node = say_node(p, number), *function = say_node(p, node->right);
	uint16_t outer = p->encoding, type = returned && node->right ? function->left : 0;
	bool expansion = p->in_expansion;

	p->encoding = number;
	p->in_expansion = false;
	if (type) {
		if (say_is_declarator(p, type))
			p->failed = true; /* neither functions nor arrays are returned */
		say_left(p, type);
		say_word(p, say_has_right(p, type) ? "" : " ");
	}
	const struct itanium_node *method = print_encoding_name(p, node->left);
	if (node->right) {
		say_word(p, "(");
		say_list(p, function->right);
		say_word(p, ")");
	}
	if (method)
		say_bytes(p, method->text, method->size);
	if (method && !node->right)
		p->failed = true; /* data has no object */
	if (type)
		say_right(p, type);
	p->encoding = outer;
	p->in_expansion = expansion;
}

/* What has arguments is a name; a parameter may stand for a type with a right half, which is none. */
static void print_template_name(struct printing *p, uint16_t number)
{
	say_left(p, number);
	if (say_last(p) == '<')
		say_word(p, " ");
	size_t size = p->size;
	say_right(p, number);
	p->failed = p->failed || p->size != size;
}

static void print_left_of_name(struct printing *p, uint16_t number)
{
	const struct itanium_node *node = say_node(p, number);

	switch (node->kind) {
	case ITANIUM_NAME:
	case ITANIUM_OPERATOR:
		say_bytes(p, node->text, node->size);
		break;
	case ITANIUM_INSIDE:
	case ITANIUM_LOCAL:
		if (!say_is_scope(p, node->left))
			p->failed = true; /* "const char::name": no compiler writes it */
		say_left(p, node->left);
		say_word(p, "::");
		say_left(p, node->right);
		break;
	case ITANIUM_TEMPLATE:
		print_template_name(p, node->left);
		break;
	case ITANIUM_DESTRUCTOR:
		say_word(p, "~");
		say_left(p, node->left);
		break;
	case ITANIUM_CLASS_NAME:
		say_left(p, node->left);
		break;
	case ITANIUM_CONVERSION:
		say_word(p, "operator ");
		say_whole(p, node->left);
		break;
	case ITANIUM_LAMBDA:
		print_lambda(p, node);
		break;
	case ITANIUM_UNNAMED:
		say_word(p, "{unnamed type#");
		say_number(p, node->size);
		say_word(p, "}");
		break;
	case ITANIUM_TAGGED:
		say_left(p, node->left);
		say_word(p, "[abi:");
		say_bytes(p, node->text, node->size);
		say_word(p, "]");
		break;
	case ITANIUM_ENCODING:
		print_encoding(p, number, false);
		break;
	default: /* what cannot be said here */
		p->failed = true;
		break;
	}
}

void say_left(struct printing *p, uint16_t number)
{
	const struct itanium_node *node = say_node(p, number);
	unsigned held = p->held;

	if (!say_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	if (!say_left_of_qualified(p, node)) {
		p->held = 0;
		if (node->kind < ITANIUM_SUFFIXED)
			print_left_of_name(p, number);
		else
			say_left_of_type(p, node);
		p->held = held;
	}
	p->depth--;
}

void say_right(struct printing *p, uint16_t number)
{
	if (!say_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	say_right_of_type(p, say_node(p, number));
	p->depth--;
}

size_t itanium_print(const struct itanium *it, uint16_t root, char *out, size_t room)
{
	struct printing p = { .it = it, .out = out, .room = room, .steps = ITANIUM_STEPS };
	const struct itanium_node *node = &it->node[root];

	if (node->kind == ITANIUM_THUNK) {
		say_bytes(&p, node->text, node->size);
		root = node->left;
	}
	print_encoding(&p, root, true);
	return p.failed ? 0 : p.size;
}
