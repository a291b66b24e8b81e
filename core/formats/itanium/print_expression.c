/* SPDX-License-Identifier: MIT */
/* Prints expressions.  Operands have parentheses, unless they are simple names. */
#include "print.h"

static void print_enclosed(struct itanium_printer *p, uint16_t number)
{
	itanium_print_word(p, "(");
	itanium_print_whole(p, number);
	itanium_print_word(p, ")");
}

static bool is_function_entity(const struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *encoding = itanium_print_node(p, node->left);

	return node->kind == ITANIUM_ENTITY && encoding->kind == ITANIUM_ENCODING &&
	       encoding->right;
}

/* After the wrapping of a variable's name. */
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
		print_enclosed(p, number);
		break;
	}
}

static bool is_builtin(const struct itanium_printer *p, const struct itanium_node *type,
                       const char *name)
{
	(void)p;
	return type->kind == ITANIUM_BUILTIN && type->size == strlen(name) &&
	       memcmp(type->text, name, type->size) == 0;
}

static void print_value(struct itanium_printer *p, struct cairn_bytes value)
{
	if (value.size > 0 && value.data[0] == 'n') {
		itanium_print_word(p, "-");
		value.data++;
		value.size--;
	}
	itanium_print_bytes(p, value.data, value.size);
}

static bool print_bool(struct itanium_printer *p, const struct itanium_node *node)
{
	if (node->size != 1 || (*node->text != '0' && *node->text != '1'))
		return false;
	itanium_print_word(p, *node->text == '1' ? "true" : "false");
	return true;
}

/* Whole numbers have a suffix by their type; all others the type in parentheses. */
static bool print_number_literal(struct itanium_printer *p, const struct itanium_node *node,
                                 const struct itanium_node *type)
{
	static const struct {
		const char *type, *suffix;
	} suffixes[] = {
		{ "int", "" },         { "unsigned int", "u" },
		{ "long", "l" },       { "unsigned long", "ul" },
		{ "long long", "ll" }, { "unsigned long long", "ull" },
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (!is_builtin(p, type, suffixes[i].type))
			continue;
		print_value(p, (struct cairn_bytes){ node->text, node->size });
		itanium_print_word(p, suffixes[i].suffix);
		return true;
	}
	return false;
}

static bool is_floating(const struct itanium_printer *p, const struct itanium_node *type)
{
	return is_builtin(p, type, "double") || is_builtin(p, type, "float") ||
	       is_builtin(p, type, "long double") || is_builtin(p, type, "__float128");
}

static void print_literal(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *type = itanium_print_node(p, node->left);

	if (is_builtin(p, type, "bool") && print_bool(p, node))
		return;
	if (print_number_literal(p, node, type))
		return;
	if (node->size == 0) { /* nullptr, a closure */
		itanium_print_whole(p, node->left);
		return;
	}
	print_enclosed(p, node->left);
	bool floating = is_floating(p, type);
	itanium_print_word(p, floating ? "[" : "");
	print_value(p, (struct cairn_bytes){ node->text, node->size });
	itanium_print_word(p, floating ? "]" : "");
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

/* The address of a member needs no parameters. */
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

/* '>' in arguments of a template would end these. */
static void print_binary(struct itanium_printer *p, const struct itanium_node *node)
{
	bool closes = node->size == 1 && *node->text == '>';

	itanium_print_word(p, closes ? "(" : "");
	itanium_print_operand(p, node->left);
	itanium_print_bytes(p, node->text, node->size);
	itanium_print_operand(p, node->right);
	itanium_print_word(p, closes ? ")" : "");
}

static void print_call(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *callee = itanium_print_node(p, node->left);

	if (is_function_entity(p, callee))
		itanium_print_operand(p, itanium_print_node(p, callee->left)->left);
	else
		itanium_print_operand(p, node->left);
	itanium_print_word(p, "(");
	itanium_print_list(p, node->right);
	itanium_print_word(p, ")");
}

static void print_new(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_bytes(p, node->text, node->size);
	if (node->left) {
		itanium_print_word(p, "(");
		itanium_print_list(p, node->left);
		itanium_print_word(p, ") ");
	}
	itanium_print_whole(p, node->right);
	if (node->more)
		itanium_print_operand(p, node->more);
}

/* A pack is printed as it is, in parentheses; other operands as everywhere. */
static void print_fold(struct itanium_printer *p, const struct itanium_node *node)
{
	bool expansion = p->in_expansion;

	p->in_expansion = false;
	itanium_print_word(p, "(");
	if (node->left) {
		itanium_print_operand(p, node->left);
		itanium_print_bytes(p, node->text, node->size);
	}
	itanium_print_word(p, "...");
	if (node->right) {
		itanium_print_bytes(p, node->text, node->size);
		itanium_print_operand(p, node->right);
	}
	itanium_print_word(p, ")");
	p->in_expansion = expansion;
}

static void print_designated(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_word(p, node->size == 'i' ? "." : "[");
	itanium_print_whole(p, node->left);
	if (node->more) {
		itanium_print_word(p, " ... ");
		itanium_print_whole(p, node->more);
	}
	itanium_print_word(p, node->size == 'i' ? "" : "]");
	uint8_t kind = itanium_print_node(p, node->right)->kind;
	if (kind == ITANIUM_DESIGNATED || kind == ITANIUM_BRACES) {
		itanium_print_whole(p, node->right);
		return;
	}
	itanium_print_word(p, "=");
	itanium_print_operand(p, node->right);
}

static void print_requirement(struct itanium_printer *p, const struct itanium_node *node)
{
	bool compound = node->more == 'X' && (node->size > 0 || node->right);

	itanium_print_word(p, node->more == 'T'   ? " typename "
	                      : node->more == 'Q' ? " requires "
	                      : compound          ? " {"
	                                          : " ");
	itanium_print_whole(p, node->left);
	itanium_print_word(p, compound ? "}" : "");
	itanium_print_bytes(p, node->text, node->size);
	if (node->right) {
		itanium_print_word(p, " -> ");
		itanium_print_whole(p, node->right);
	}
	itanium_print_word(p, ";");
}

static void print_requires(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_word(p, "requires");
	if (node->left) {
		itanium_print_word(p, " (");
		itanium_print_list(p, node->left);
		itanium_print_word(p, ")");
	}
	itanium_print_word(p, " {");
	for (uint16_t list = node->right; list && itanium_print_step(p);
	     list = itanium_print_node(p, list)->right)
		print_requirement(p, itanium_print_node(p, itanium_print_node(p, list)->left));
	itanium_print_word(p, " }");
}

/* Prints a node whose list is in brackets. */
static void print_with_list(struct itanium_printer *p, const struct itanium_node *node)
{
	bool braces = node->kind == ITANIUM_BRACES;

	if (node->kind == ITANIUM_VENDOR_CALL)
		itanium_print_bytes(p, node->text, node->size);
	else if (braces && node->left)
		itanium_print_whole(p, node->left);
	itanium_print_word(p, braces ? "{" : node->kind == ITANIUM_GROUP ? "" : "(");
	itanium_print_list(p, braces ? node->right : node->left);
	itanium_print_word(p, braces ? "}" : node->kind == ITANIUM_GROUP ? "" : ")");
}

static void print_argument(struct itanium_printer *p, const struct itanium_node *node)
{
	if (node->size == 0) {
		itanium_print_word(p, "this");
		return;
	}
	itanium_print_word(p, "{parm#");
	itanium_print_number(p, node->size);
	itanium_print_word(p, "}");
}

static void print_choice(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_operand(p, node->left);
	itanium_print_word(p, "?");
	itanium_print_operand(p, node->right);
	itanium_print_word(p, " : ");
	itanium_print_operand(p, node->more);
}

static void print_named_cast(struct itanium_printer *p, const struct itanium_node *node)
{
	itanium_print_bytes(p, node->text, node->size);
	if (p->it->whole) {
		itanium_print_word(p, "<");
		itanium_print_whole(p, node->left);
		itanium_print_word(p, ">");
	}
	print_enclosed(p, node->right);
}

static void print_operation(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_UNARY:
		print_unary(p, node);
		break;
	case ITANIUM_ENCLOSED:
		itanium_print_bytes(p, node->text, node->size);
		print_enclosed(p, node->left);
		break;
	case ITANIUM_POSTFIX:
		itanium_print_operand(p, node->left);
		itanium_print_bytes(p, node->text, node->size);
		break;
	case ITANIUM_BINARY:
	case ITANIUM_ACCESS:
		print_binary(p, node);
		break;
	case ITANIUM_INDEX:
		itanium_print_operand(p, node->left);
		itanium_print_word(p, "[");
		itanium_print_whole(p, node->right);
		itanium_print_word(p, "]");
		break;
	case ITANIUM_CHOICE:
		print_choice(p, node);
		break;
	case ITANIUM_CALL:
		print_call(p, node);
		break;
	case ITANIUM_CAST:
		print_enclosed(p, node->left);
		itanium_print_operand(p, node->right);
		break;
	case ITANIUM_NAMED_CAST:
		print_named_cast(p, node);
		break;
	default:
		p->failed = true;
		break;
	}
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
		print_argument(p, node);
		break;
	case ITANIUM_NEW:
		print_new(p, node);
		break;
	case ITANIUM_BRACES:
	case ITANIUM_GROUP:
	case ITANIUM_VENDOR_CALL:
		print_with_list(p, node);
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
	case ITANIUM_GLOBAL:
		itanium_print_word(p, "::");
		itanium_print_whole(p, node->left);
		break;
	case ITANIUM_REQUIRES:
		print_requires(p, node);
		break;
	default:
		print_operation(p, node);
		break;
	}
}
