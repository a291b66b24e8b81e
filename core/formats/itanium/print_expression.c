/* SPDX-License-Identifier: MIT */
/* Prints expressions. Operands are in parentheses unless they are simple names. */
#include "print.h"

static bool is_function_entity(const struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *encoding = itanium_print_node(p, node->left);

	return node->kind == ITANIUM_ENTITY && encoding->kind == ITANIUM_ENCODING &&
	       encoding->right;
}

/* Return the name in an entity that is a variable; other nodes are returned unchanged. */
static uint16_t unwrap_entity(const struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	if (node->kind != ITANIUM_ENTITY || is_function_entity(p, node))
		return number;
	const struct itanium_node *encoding = itanium_print_node(p, node->left);
	return encoding->kind == ITANIUM_ENCODING ? encoding->left : node->left;
}

void itanium_print_operand(struct itanium_printer *p, uint16_t number)
{
	number = unwrap_entity(p, number);
	switch (itanium_print_node(p, number)->kind) {
	case ITANIUM_NAME:
	case ITANIUM_INSIDE:
	case ITANIUM_BRACES:
	case ITANIUM_ARGUMENT:
		itanium_print_whole(p, number);
		break;
	default:
		itanium_print_word(p, "(");
		itanium_print_whole(p, number);
		itanium_print_word(p, ")");
		break;
	}
}

static bool is_builtin(const struct itanium_node *type, const char *name)
{
	return type->kind == ITANIUM_BUILTIN && type->size == strlen(name) &&
	       memcmp(type->text, name, type->size) == 0;
}

/*
 * Print a literal. The common integer types are expressed by a suffix, all other types by a cast.
 */
static void print_literal(struct itanium_printer *p, const struct itanium_node *node)
{
	static const struct {
		const char *type, *before, *after;
	} numbers[] = {
		{ "int", "", "" },
		{ "unsigned int", "", "u" },
		{ "long", "", "l" },
		{ "unsigned long", "", "ul" },
		{ "long long", "", "ll" },
		{ "unsigned long long", "", "ull" },
		{ "double", "(%L)[", "]" },
		{ "float", "(%L)[", "]" },
		{ "long double", "(%L)[", "]" },
		{ "__float128", "(%L)[", "]" },
	};
	const struct itanium_node *type = itanium_print_node(p, node->left);
	const char *before = "(%L)", *after = "";
	struct cairn_bytes value = { node->text, node->size };

	if (is_builtin(type, "bool") && value.size == 1 &&
	    (*value.data == '0' || *value.data == '1')) {
		itanium_print_word(p, *value.data == '1' ? "true" : "false");
		return;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (is_builtin(type, numbers[i].type)) {
			before = numbers[i].before;
			after = numbers[i].after;
		}
	if (value.size == 0 && *before) { /* nullptr or a closure */
		itanium_print_whole(p, node->left);
		return;
	}
	itanium_print_pattern(p, node, before);
	if (value.size > 0 && *value.data == 'n') {
		itanium_print_word(p, "-");
		value.data++;
		value.size--;
	}
	itanium_print_bytes(p, value.data, value.size);
	itanium_print_word(p, after);
}

static void print_entity(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);
	uint16_t inner = unwrap_entity(p, number);

	if (inner != number)
		itanium_print_whole(p, inner);
	else
		itanium_print_encoding(p, node->left, true);
}

/* The address of a member function is printed without its parameters. */
static void print_unary(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *operand = itanium_print_node(p, node->left);
	uint16_t name = 0;

	itanium_print_bytes(p, node->text, node->size);
	if (node->size == 1 && *node->text == '&' && is_function_entity(p, operand))
		name = itanium_print_node(p, operand->left)->left;
	if (name && itanium_print_node(p, name)->kind == ITANIUM_INSIDE)
		itanium_print_whole(p, name);
	else
		itanium_print_operand(p, node->left);
}

static void print_call(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *callee = itanium_print_node(p, node->left);

	if (is_function_entity(p, callee))
		itanium_print_operand(p, itanium_print_node(p, callee->left)->left);
	else
		itanium_print_operand(p, node->left);
	itanium_print_pattern(p, node, "(%I)");
}

/* Print a fold. A pack is printed unexpanded in parentheses, other operands as usual. */
static void print_fold(struct itanium_printer *p, const struct itanium_node *node)
{
	bool expansion = p->in_expansion;

	p->in_expansion = false;
	itanium_print_pattern(p, node,
	                      node->left && node->right ? "(%o%t...%t%O)"
	                      : node->left              ? "(%o%t...)"
	                                                : "(...%t%O)");
	p->in_expansion = expansion;
}

static void print_designated(struct itanium_printer *p, const struct itanium_node *node)
{
	const uint8_t kind = itanium_print_node(p, node->right)->kind;

	itanium_print_pattern(p, node,
	                      node->size == 'i' ? ".%L"
	                      : node->more      ? "[%L ... %M]"
	                                        : "[%L]");
	itanium_print_pattern(p, node,
	                      kind == ITANIUM_DESIGNATED || kind == ITANIUM_BRACES ? "%R" : "=%O");
}

static void print_requirement(struct itanium_printer *p, const struct itanium_node *node)
{
	bool compound = node->more == 'X' && (node->size > 0 || node->right);

	itanium_print_pattern(p, node,
	                      node->more == 'T'   ? " typename %L%t"
	                      : node->more == 'Q' ? " requires %L%t"
	                      : compound          ? " {%L}%t"
	                                          : " %L%t");
	itanium_print_pattern(p, node, node->right ? " -> %R;" : ";");
}

static void print_requires(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_pattern(p, node, node->left ? "requires (%i) {" : "requires {");
	for (uint16_t list = node->right; list && itanium_print_step(p);
	     list = itanium_print_node(p, list)->right)
		print_requirement(p, itanium_print_node(p, itanium_print_node(p, list)->left));
	itanium_print_word(p, " }");
}

void itanium_print_expression(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = itanium_print_node(p, number);

	switch (node->kind) {
	case ITANIUM_LITERAL:
		print_literal(p, node);
		break;
	case ITANIUM_ENTITY:
		print_entity(p, number);
		break;
	case ITANIUM_ARGUMENT:
		itanium_print_pattern(p, node, node->size == 0 ? "this" : "{parm#%n}");
		break;
	case ITANIUM_NEW:
		itanium_print_pattern(p, node, node->left ? "%t(%i) %R" : "%t%R");
		if (node->more)
			itanium_print_operand(p, node->more);
		break;
	case ITANIUM_BRACES:
		itanium_print_pattern(p, node, node->left ? "%L{%I}" : "{%I}");
		break;
	case ITANIUM_PACK_SIZE:
		itanium_print_pack_size(p, node->left);
		break;
	case ITANIUM_FOLD:
		print_fold(p, node);
		break;
	case ITANIUM_DESIGNATED:
		print_designated(p, node);
		break;
	case ITANIUM_REQUIRES:
		print_requires(p, node);
		break;
	case ITANIUM_UNARY:
		print_unary(p, node);
		break;
	case ITANIUM_BINARY: { /* '>' would end a list of template arguments */
		const bool closes = node->size == 1 && *node->text == '>';
		itanium_print_pattern(p, node, closes ? "(%o%t%O)" : "%o%t%O");
		break;
	}
	case ITANIUM_CALL:
		print_call(p, node);
		break;
	case ITANIUM_NAMED_CAST:
		itanium_print_pattern(p, node, p->it->whole ? "%t<%L>(%R)" : "%t(%R)");
		break;
	default:
		p->failed = true;
		break;
	}
}
