/* SPDX-License-Identifier: MIT */
/*
 * Prints demangled names. A type has a left and a right half with the declarator between them:
 * "void (*" and ")(int)". Printing fails if the output is too large or a node cannot be printed.
 */
#include "nodes.h"

/*
 * A template whose parameters can be resolved. Its arguments may contain parameters of the
 * enclosing template `outer`.
 */
struct itanium_scope {
	uint16_t encoding;
	const struct itanium_scope *outer;
};

struct itanium_printer {
	const struct itanium *it;
	char *out;
	size_t size, capacity;
	unsigned steps, depth;
	/* innermost template, or NULL if parameters cannot be resolved */
	const struct itanium_scope *scope;
	unsigned pack_item; /* index of the current pack item while an expansion is printed */
	bool in_expansion, in_lambda;
	/* a constraint is being printed; it may contain parameters of outer templates */
	bool in_constraint;
	/* template parameters of the closure that is being printed, or 0 */
	uint16_t declarations;
	unsigned held; /* bit mask of the qualifiers that enclosing nodes have printed */
	bool failed, exhausted;
};

static void print_bytes(struct itanium_printer *p, const void *text, size_t size);
static void print_list(struct itanium_printer *p, uint16_t number);
static void print_left(struct itanium_printer *p, uint16_t number);
static void print_right(struct itanium_printer *p, uint16_t number);
static void print_expansion(struct itanium_printer *p, const struct itanium_node *node);
static void print_encoding(struct itanium_printer *p, uint16_t number, bool returned);
static void print_name(struct itanium_printer *p, uint16_t number);
static bool print_is_declarator(struct itanium_printer *p, uint16_t number);
static bool print_has_right(struct itanium_printer *p, uint16_t number);
static void print_left_of_type(struct itanium_printer *p, const struct itanium_node *node);
static void print_right_of_type(struct itanium_printer *p, const struct itanium_node *node);
static void print_operand(struct itanium_printer *p, uint16_t number);
static void print_expression(struct itanium_printer *p, uint16_t number);

static inline void print_whole(struct itanium_printer *p, uint16_t number)
{
	print_left(p, number);
	print_right(p, number);
}

/* Node that a template parameter resolves to, and the scope of the parameters inside that node. */
struct itanium_resolved {
	uint16_t number;
	const struct itanium_scope *scope;
};

static inline void print_word(struct itanium_printer *p, const char *text)
{
	print_bytes(p, text, strlen(text));
}

static inline char print_last(const struct itanium_printer *p)
{
	return p->size > 0 ? p->out[p->size - 1] : '\0';
}

static inline const struct itanium_node *print_node(const struct itanium_printer *p,
                                                    uint16_t number)
{
	return &p->it->node[number];
}

/* Count a printing step. Return false if printing has failed or the step limit is reached. */
static inline bool print_step(struct itanium_printer *p)
{
	if (p->steps == 0)
		p->failed = p->exhausted = true;
	else
		p->steps--;
	return !p->failed;
}

static void print_bytes(struct itanium_printer *p, const void *text, size_t size)
{
	if (size > p->capacity - p->size)
		p->failed = p->exhausted = true;
	if (p->failed || size == 0)
		return;
	memcpy(p->out + p->size, text, size);
	p->size += size;
}

static void print_number(struct itanium_printer *p, uint32_t number)
{
	char digits[10];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	print_bytes(p, digits + at, sizeof(digits) - at);
}

/* Patterns by kind; see print_pattern(). Kinds without a pattern are printed by functions. */
static const char patterns[ITANIUM_KINDS][32] = {
	[ITANIUM_INSIDE] = "%L::%r",
	[ITANIUM_LOCAL] = "%L::%r",
	[ITANIUM_CLASS_NAME] = "%l",
	[ITANIUM_DESTRUCTOR] = "~%l",
	[ITANIUM_CONVERSION] = "operator %L",
	[ITANIUM_UNNAMED] = "{unnamed type#%n}",
	[ITANIUM_TAGGED] = "%l[abi:%t]",
	[ITANIUM_BINDING] = "[%i]",
	[ITANIUM_MODULE] = "%l@%r",
	[ITANIUM_FRIEND] = "%l[friend]",
	[ITANIUM_DEFAULT] = "{default arg#%n}::%l",
	[ITANIUM_TEMPORARY] = "reference temporary #%n for %l",
	[ITANIUM_METHOD] = "%l%t",
	[ITANIUM_ARRAY] = "%l",
	[ITANIUM_DECLTYPE] = "decltype (%L)",
	[ITANIUM_BITINT] = "%t(%L)",
	[ITANIUM_LIST] = "%i",
	[ITANIUM_PACK] = "%i",
	[ITANIUM_ENCLOSED] = "%t(%L)",
	[ITANIUM_POSTFIX] = "%o%t",
	[ITANIUM_ACCESS] = "%o%t%O",
	[ITANIUM_INDEX] = "%o[%R]",
	[ITANIUM_CHOICE] = "%o?%O : %m",
	[ITANIUM_CAST] = "(%L)%O",
	[ITANIUM_GROUP] = "%i",
	[ITANIUM_GLOBAL] = "::%L",
	[ITANIUM_VENDOR_CALL] = "%t(%i)",
};

static void print_field(struct itanium_printer *p, const struct itanium_node *node, char field)
{
	switch (field) {
	case 't':
		print_bytes(p, node->text, node->size);
		break;
	case 'n':
		print_number(p, node->size);
		break;
	case 'l':
		print_left(p, node->left);
		break;
	case 'r':
		print_left(p, node->right);
		break;
	case 'L':
		print_whole(p, node->left);
		break;
	case 'R':
		print_whole(p, node->right);
		break;
	case 'M':
		print_whole(p, node->more);
		break;
	case 'o':
		print_operand(p, node->left);
		break;
	case 'O':
		print_operand(p, node->right);
		break;
	case 'm':
		print_operand(p, node->more);
		break;
	case 'i':
		print_list(p, node->left);
		break;
	case 'I':
		print_list(p, node->right);
		break;
	}
}

/*
 * Print a node according to a pattern, in which "%" and a letter select a field of the node: "t" is
 * its text, and "n" its size as a number; "L", "R" and "M" are left, right and more as a whole;
 * "o", "O" and "m" the same three as operands; "i" and "I" left and right as lists; "l" and "r" the
 * left halves of left and right.
 */
static void print_pattern(struct itanium_printer *p, const struct itanium_node *node,
                          const char *pattern)
{
	while (*pattern) {
		size_t size = 0;
		while (pattern[size] && pattern[size] != '%')
			size++;
		print_bytes(p, pattern, size);
		pattern += size;
		if (*pattern) {
			print_field(p, node, pattern[1]);
			pattern += 2;
		}
	}
}

/*
 * Print the items of a list, separated by commas. Expand packs. If an item prints nothing, for
 * example an empty pack, also omit its comma.
 */
static void print_list(struct itanium_printer *p, uint16_t number)
{
	size_t end = p->size;
	bool comma = false;

	for (; number && print_step(p); number = print_node(p, number)->right) {
		uint16_t left = print_node(p, number)->left;
		const struct itanium_node *item = print_node(p, left);
		if (comma)
			print_word(p, ", ");
		size_t start = p->size;
		if (item->kind == ITANIUM_EXPANSION)
			print_expansion(p, item);
		else
			print_whole(p, left);
		if (p->size > start) {
			end = p->size;
			comma = true;
		}
		p->size = end;
	}
}

/*
 * Return true if a node of this kind passes on the qualifiers that enclosing nodes have printed, so
 * that its children do not print them again.
 */
static bool is_seen_through(uint8_t kind)
{
	return (kind >= ITANIUM_CONST && kind <= ITANIUM_RESTRICT) || kind == ITANIUM_ARRAY ||
	       kind == ITANIUM_PARAMETER;
}

static void print_left(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);
	const unsigned held = p->held;

	if (!print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = p->exhausted = true;
		return;
	}
	p->depth++;
	p->held = is_seen_through(node->kind) ? held : 0;
	if (node->kind <= ITANIUM_OPERATOR)
		print_bytes(p, node->text, node->size);
	else if (*patterns[node->kind])
		print_pattern(p, node, patterns[node->kind]);
	else if (node->kind < ITANIUM_SUFFIXED)
		print_name(p, number);
	else if (node->kind < ITANIUM_LITERAL)
		print_left_of_type(p, node);
	else
		print_expression(p, number);
	p->held = held;
	p->depth--;
}

static void print_right(struct itanium_printer *p, uint16_t number)
{
	if (!print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = p->exhausted = true;
		return;
	}
	p->depth++;
	print_right_of_type(p, print_node(p, number));
	p->depth--;
}

size_t itanium_print(struct itanium *it, uint16_t root, char *out, size_t capacity)
{
	struct itanium_printer p = { .it = it,
		                     .out = out,
		                     .capacity = capacity,
		                     .steps = ITANIUM_STEPS + ITANIUM_STEPS_TIMES * it->size };

	if (it->node[root].kind == ITANIUM_ENCODING)
		print_encoding(&p, root, true);
	else
		print_whole(&p, root);
	it->exhausted = p.exhausted;
	it->steps = ITANIUM_STEPS + ITANIUM_STEPS_TIMES * it->size - p.steps;
	return p.failed ? 0 : p.size;
}

/* Return the template arguments in an encoding's name, or 0 if it is not a template. */
static uint16_t find_template_arguments(const struct itanium_printer *p, uint16_t encoding)
{
	const uint16_t name = itanium_own_name(p->it, print_node(p, encoding)->left);
	const struct itanium_node *node = print_node(p, name);

	return node->kind == ITANIUM_TEMPLATE ? node->right : 0;
}

static uint16_t find_list_item(struct itanium_printer *p, uint16_t list, unsigned index)
{
	while (list && index > 0 && print_step(p)) {
		list = print_node(p, list)->right;
		index--;
	}
	return list ? print_node(p, list)->left : 0;
}

/*
 * Return the argument for a template parameter, or 0 if the argument is unknown. The argument may
 * be a pack.
 */
static uint16_t find_template_argument(struct itanium_printer *p,
                                       const struct itanium_node *parameter)
{
	const struct itanium_scope *scope = p->scope;

	if (!scope || parameter->more)
		return 0;
	return find_list_item(p, find_template_arguments(p, scope->encoding), parameter->size);
}

/* Like find_template_argument(), but if the argument is a pack, return its current item. */
static uint16_t resolve_argument(struct itanium_printer *p, const struct itanium_node *parameter)
{
	uint16_t argument = find_template_argument(p, parameter);
	bool is_pack = argument && print_node(p, argument)->kind == ITANIUM_PACK;

	if (is_pack && p->in_expansion)
		argument = find_list_item(p, print_node(p, argument)->left, p->pack_item);
	if (!argument && !p->in_constraint)
		p->failed = true;
	return argument;
}

static struct itanium_resolved itanium_resolve(struct itanium_printer *p, uint16_t number)
{
	struct itanium_resolved at = { number, p->scope };
	const struct itanium_scope *outer = p->scope;

	while (!p->in_lambda && print_step(p)) {
		const struct itanium_node *node = print_node(p, at.number);
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
 * Print the left or right half of a template parameter's argument. Parameters inside the argument
 * belong to the scope around the template, so switch to that scope.
 */
static void print_parameter(struct itanium_printer *p, const struct itanium_node *node,
                            void (*half)(struct itanium_printer *p, uint16_t number))
{
	const struct itanium_scope *scope = p->scope;
	uint16_t argument = resolve_argument(p, node);

	p->scope = scope ? scope->outer : NULL;
	if (!p->failed && argument)
		half(p, argument);
	else if (!p->failed && half == print_left) {
		/* a parameter of an outer template, whose arguments are unknown: T, T0, T1, ... */
		print_word(p, "T");
		if (node->size > 0)
			print_number(p, node->size - 1);
	}
	p->scope = scope;
}

static uint16_t find_pack(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);
	uint16_t found;

	if (!number || !print_step(p) || p->depth == ITANIUM_DEPTH)
		return 0;
	switch (node->kind) {
	case ITANIUM_PARAMETER:
		found = find_template_argument(p, node);
		return found && print_node(p, found)->kind == ITANIUM_PACK ? found : 0;
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

/* Print a pack whose arguments are not in the name, such as a lambda's own parameters. */
static void print_unexpanded_pack(struct itanium_printer *p, uint16_t pattern)
{
	print_operand(p, pattern);
	print_word(p, "...");
}

static void print_expansion(struct itanium_printer *p, const struct itanium_node *node)
{
	unsigned outer_item = p->pack_item;
	bool outer = p->in_expansion;

	if (p->in_lambda) {
		print_unexpanded_pack(p, node->left);
		return;
	}
	uint16_t pack = find_pack(p, node->left);
	if (!pack) { /* a pack of function parameters, whose size is not in the name */
		print_unexpanded_pack(p, node->left);
		return;
	}
	p->in_expansion = true;
	uint16_t item = print_node(p, pack)->left;
	for (p->pack_item = 0; item && !p->failed; p->pack_item++) {
		if (p->pack_item > 0)
			print_word(p, ", ");
		print_whole(p, node->left);
		item = print_node(p, item)->right;
	}
	p->in_expansion = outer;
	p->pack_item = outer_item;
}

static void print_pack_size(struct itanium_printer *p, uint16_t pattern)
{
	const struct itanium_node *node = print_node(p, pattern);
	uint16_t pack = node->kind == ITANIUM_PACK ? pattern : find_pack(p, pattern);
	uint32_t count = 0;

	if (!pack) { /* the name does not contain the size of a pack of function parameters */
		print_word(p, "sizeof...(");
		print_whole(p, pattern);
		print_word(p, ")");
		return;
	}
	for (uint16_t item = print_node(p, pack)->left; item && print_step(p);
	     item = print_node(p, item)->right)
		count++;
	print_number(p, count);
}

/*
 * Print the name of a template parameter that a closure declares, such as "$T0". `number` is its
 * index among parameters of all kinds.
 */
static void print_declared_name(struct itanium_printer *p, uint8_t letter, uint32_t number)
{
	print_word(p, letter == 'n' ? "$N" : letter == 't' ? "$TT" : "$T");
	print_number(p, number);
}

static void print_declarations(struct itanium_printer *p, uint16_t list);

static void print_declaration(struct itanium_printer *p, uint16_t number, uint32_t index, bool pack)
{
	const struct itanium_node *node = print_node(p, number);
	uint8_t letter = node->kind == ITANIUM_DECLARATION ? *node->text : 0;

	if (!print_step(p) || p->depth == ITANIUM_DEPTH) {
		p->failed = true;
		return;
	}
	p->depth++;
	if (letter == 'p') {
		print_declaration(p, node->left, index, true);
	} else {
		if (letter == 't') { /* "template<typename $T0> typename" */
			print_word(p, "template");
			print_declarations(p, node->left);
			print_word(p, " typename");
		} else if (letter == 'y') {
			print_word(p, "typename");
		} else {
			print_whole(p, node->left);
		}
		print_word(p, pack ? "... " : " ");
		print_declared_name(p, letter, index);
	}
	p->depth--;
}

/* Print the template parameters that a closure declares: "<typename $T0, int $N1>". */
static void print_declarations(struct itanium_printer *p, uint16_t list)
{
	uint32_t index = 0;

	print_word(p, "<");
	for (; list && print_step(p); list = print_node(p, list)->right) {
		print_word(p, index > 0 ? ", " : "");
		print_declaration(p, print_node(p, list)->left, index++, false);
	}
	print_word(p, ">");
}

/* Print a reference to a template parameter that the closure itself declares. */
static void print_own_parameter(struct itanium_printer *p, const struct itanium_node *node)
{
	uint16_t list = p->declarations;
	uint32_t index = node->size;

	for (; list && index > 0 && print_step(p); index--)
		list = print_node(p, list)->right;
	if (!list) {
		print_word(p, "auto:");
		print_number(p, node->size + 1);
		return;
	}
	const struct itanium_node *item = print_node(p, print_node(p, list)->left);
	while (item->kind == ITANIUM_DECLARATION && *item->text == 'p' && print_step(p))
		item = print_node(p, item->left);
	print_declared_name(p, item->kind == ITANIUM_DECLARATION ? *item->text : 0, node->size);
}

static void print_lambda(struct itanium_printer *p, const struct itanium_node *node)
{
	bool outer = p->in_lambda;
	uint16_t declarations = p->declarations;

	print_word(p, "{lambda");
	p->in_lambda = true;
	p->declarations = node->right;
	if (node->right && p->it->whole)
		print_declarations(p, node->right);
	print_word(p, "(");
	print_list(p, node->left);
	p->in_lambda = outer;
	p->declarations = declarations;
	print_pattern(p, node, ")#%n}");
}

/* Return the node with the qualifiers of a member function, or NULL. */
static const struct itanium_node *find_method(const struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);

	while (node->kind == ITANIUM_LOCAL || node->kind == ITANIUM_DEFAULT)
		node = print_node(p, node->kind == ITANIUM_LOCAL ? node->right : node->left);
	return node->kind == ITANIUM_METHOD ? node : NULL;
}

/* Print the name of a function without its qualifiers, which follow the parameters. */
static void print_encoding_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);

	if (!find_method(p, number)) {
		print_left(p, number);
		return;
	}
	while (node->kind != ITANIUM_METHOD) {
		const bool is_default = node->kind == ITANIUM_DEFAULT;
		print_pattern(p, node, is_default ? "{default arg#%n}::" : "%l::");
		node = print_node(p, is_default ? node->left : node->right);
	}
	print_left(p, node->left);
}

static void print_parts_of_encoding(struct itanium_printer *p, const struct itanium_node *node,
                                    bool returned)
{
	const struct itanium_node *function = print_node(p, node->right);
	const struct itanium_node *method = find_method(p, node->left);
	uint16_t type = returned && node->right ? function->left : 0;

	if (type) {
		if (print_is_declarator(p, type))
			p->failed = true; /* a function cannot return a function or an array */
		print_left(p, type);
		print_word(p, print_has_right(p, type) ? "" : " ");
	}
	print_encoding_name(p, node->left);
	if (node->right)
		print_pattern(p, function, method && method->more ? "(this %I)" : "(%I)");
	if (method)
		print_bytes(p, method->text, method->size);
	if (method && !node->right)
		p->failed = true; /* only member functions have qualifiers */
	if (type)
		print_right(p, type);
	if (node->more) {
		p->in_constraint = true;
		print_pattern(p, node, " requires %M");
		p->in_constraint = false;
	}
}

/*
 * Print an encoding. `returned` selects whether to print its return type, which is omitted in
 * encodings within another name.
 */
static void print_encoding(struct itanium_printer *p, uint16_t number, bool returned)
{
	const struct itanium_scope own = { number, p->scope }, *outer = p->scope;
	const struct itanium_node *node = print_node(p, number);
	bool expansion = p->in_expansion;

	if (node->right &&
	    print_node(p, itanium_own_name(p->it, node->left))->kind == ITANIUM_TEMPLATE)
		p->scope = &own;
	p->in_expansion = false;
	print_parts_of_encoding(p, node, returned);
	p->scope = outer;
	p->in_expansion = expansion;
}

/*
 * Print a template name. Fail if the name is a template parameter whose argument is a type with a
 * right half, because such a type cannot be a template name.
 */
static void print_template_name(struct itanium_printer *p, uint16_t number)
{
	print_left(p, number);
	if (print_last(p) == '<')
		print_word(p, " ");
	size_t size = p->size;
	print_right(p, number);
	p->failed = p->failed || p->size != size;
}

static void print_instance(struct itanium_printer *p, const struct itanium_node *node)
{
	print_template_name(p, node->left);
	if (p->it->whole)
		print_pattern(p, node, "<%I>");
}

static void print_special(struct itanium_printer *p, const struct itanium_node *node)
{
	print_bytes(p, node->text, node->size);
	if (print_node(p, node->left)->kind == ITANIUM_ENCODING)
		print_encoding(p, node->left, true);
	else
		print_whole(p, node->left);
	if (node->right)
		print_pattern(p, node, "-in-%R");
}

static void print_name(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);

	switch (node->kind) {
	case ITANIUM_TEMPLATE:
		print_instance(p, node);
		break;
	case ITANIUM_LAMBDA:
		print_lambda(p, node);
		break;
	case ITANIUM_ENCODING:
		print_encoding(p, number, false);
		break;
	case ITANIUM_MODULES:
		if (node->left)
			print_left(p, node->left);
		print_pattern(p, node, node->size ? ":%r" : node->left ? ".%r" : "%r");
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

static uint8_t find_unqualified_kind(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_scope *outer = p->scope;
	uint8_t kind = ITANIUM_CONST;

	while ((kind == ITANIUM_CONST || kind == ITANIUM_VOLATILE || kind == ITANIUM_RESTRICT) &&
	       print_step(p)) {
		struct itanium_resolved type = itanium_resolve(p, number);
		p->scope = type.scope;
		kind = print_node(p, type.number)->kind;
		number = print_node(p, type.number)->left;
	}
	p->scope = outer;
	return kind;
}

/* Return true for a function or array; pointers to these need parentheses. */
static bool print_is_declarator(struct itanium_printer *p, uint16_t number)
{
	uint8_t kind = find_unqualified_kind(p, number);

	return kind == ITANIUM_FUNCTION || kind == ITANIUM_ARRAY;
}

/* Return the type that a compound type modifies, or 0 for a name. */
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

static bool print_has_right(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_scope *outer = p->scope;
	bool found = false;

	while (number && !found && print_step(p)) {
		struct itanium_resolved type = itanium_resolve(p, number);
		const struct itanium_node *node = print_node(p, type.number);
		p->scope = type.scope;
		found = node->kind == ITANIUM_FUNCTION || node->kind == ITANIUM_ARRAY;
		number = find_inner_type(node);
	}
	p->scope = outer;
	return found;
}

/*
 * Collapse a reference to a reference: the result is "&" unless both are "&&". Set *sign and return
 * the referenced type.
 */
static struct itanium_resolved collapse_reference(struct itanium_printer *p,
                                                  const struct itanium_node *node,
                                                  const char **sign)
{
	struct itanium_resolved inner = itanium_resolve(p, node->left);
	const struct itanium_node *target = print_node(p, inner.number);

	*sign = node->kind == ITANIUM_RVALUE ? "&&" : "&";
	if (target->kind != ITANIUM_REFERENCE && target->kind != ITANIUM_RVALUE)
		return (struct itanium_resolved){ node->left, p->scope };
	if (target->kind == ITANIUM_REFERENCE)
		*sign = "&";
	inner.number = target->left;
	return inner;
}

/*
 * Print `sign` after the left half of the referenced type, and the opening parenthesis that a
 * function or array type needs.
 */
static void print_declarator_open(struct itanium_printer *p, uint16_t number, const char *sign)
{
	if (print_is_declarator(p, number)) {
		bool array = find_unqualified_kind(p, number) == ITANIUM_ARRAY;
		print_word(p, array ? " (" : "(");
	}
	print_word(p, sign);
}

static void print_declarator_close(struct itanium_printer *p, uint16_t number)
{
	if (print_is_declarator(p, number))
		print_word(p, ")");
	print_right(p, number);
}

static void print_reference(struct itanium_printer *p, const struct itanium_node *node, bool left)
{
	const struct itanium_scope *scope = p->scope;
	const char *sign;
	struct itanium_resolved target = collapse_reference(p, node, &sign);

	p->scope = target.scope;
	if (left) {
		print_left(p, target.number);
		print_declarator_open(p, target.number, sign);
	} else {
		print_declarator_close(p, target.number);
	}
	p->scope = scope;
}

/* indexed by kind - ITANIUM_CONST */
static const char qualifiers[][16] = { " const", " volatile", " restrict" };

/*
 * Print a qualified type. If nested qualifiers are equal, print only the outermost. The qualifiers
 * of a function follow its parameters, so print_right_of_type() prints them.
 */
static void print_qualified_type(struct itanium_printer *p, const struct itanium_node *node)
{
	unsigned outer = p->held, bit = 1u << (node->kind - ITANIUM_CONST);

	bool function = find_unqualified_kind(p, node->left) == ITANIUM_FUNCTION;
	p->held |= bit;
	print_left(p, node->left);
	p->held = outer;
	if (!(outer & bit) && !function)
		print_word(p, qualifiers[node->kind - ITANIUM_CONST]);
}

static void print_member_pointer(struct itanium_printer *p, const struct itanium_node *node)
{
	uint8_t kind = find_unqualified_kind(p, node->right);

	print_left(p, node->right);
	print_word(p, kind == ITANIUM_FUNCTION ? "("
	              : kind == ITANIUM_ARRAY  ? " ("
	              : print_last(p) == '('   ? ""
	                                       : " ");
	print_pattern(p, node, "%L::*");
}

static void print_qualifiers(struct itanium_printer *p, uint16_t number)
{
	for (; number && print_step(p); number = print_node(p, number)->right) {
		const struct itanium_node *node = print_node(p, number);
		const bool is_list = print_node(p, node->left)->kind == ITANIUM_LIST;
		print_pattern(p, node, !node->left ? "%t" : is_list ? "%t(%i)" : "%t(%L)");
	}
}

static void print_left_of_type(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
		print_qualified_type(p, node);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			print_parameter(p, node, print_left);
		else
			print_own_parameter(p, node);
		break;
	case ITANIUM_SUFFIXED:
		print_left(p, node->left);
		if (print_is_declarator(p, node->left))
			print_declarator_open(p, node->left, "");
		print_bytes(p, node->text, node->size);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, true);
		break;
	case ITANIUM_MEMBER:
		print_member_pointer(p, node);
		break;
	case ITANIUM_FUNCTION:
		print_left(p, node->left);
		print_word(p, print_has_right(p, node->left) ? "" : " ");
		break;
	case ITANIUM_VECTOR:
		print_pattern(p, node, node->right ? "%l __vector(%R)" : "%l __vector(%t)");
		break;
	case ITANIUM_VENDOR:
		print_left(p, node->left);
		if (print_is_declarator(p, node->left))
			print_declarator_open(p, node->left, "");
		print_pattern(p, node, " %r");
		break;
	case ITANIUM_EXPANSION:
		print_expansion(p, node);
		break;
	/* plain names contain all other kinds only in argument lists, which are omitted */
	default:
		p->failed = true;
		break;
	}
}

static void print_right_of_type(struct itanium_printer *p, const struct itanium_node *node)
{
	switch (node->kind) {
	case ITANIUM_SUFFIXED:
		print_declarator_close(p, node->left);
		break;
	case ITANIUM_CONST:
	case ITANIUM_VOLATILE:
	case ITANIUM_RESTRICT:
		print_right(p, node->left);
		if (find_unqualified_kind(p, node->left) == ITANIUM_FUNCTION)
			print_word(p, qualifiers[node->kind - ITANIUM_CONST]);
		break;
	case ITANIUM_REFERENCE:
	case ITANIUM_RVALUE:
		print_reference(p, node, false);
		break;
	case ITANIUM_MEMBER:
		print_declarator_close(p, node->right);
		break;
	case ITANIUM_FUNCTION:
		print_pattern(p, node, "(%I)");
		print_qualifiers(p, node->more);
		print_right(p, node->left);
		break;
	case ITANIUM_ARRAY:
		print_word(p, print_last(p) == ']' ? "[" : " [");
		print_pattern(p, node, node->right ? "%R]" : "%t]");
		print_right(p, node->left);
		break;
	case ITANIUM_VENDOR:
	case ITANIUM_VECTOR:
		print_declarator_close(p, node->left);
		break;
	case ITANIUM_PARAMETER:
		if (!p->in_lambda)
			print_parameter(p, node, print_right);
		break;
	default: /* names have no right half */
		break;
	}
}

static bool is_function_entity(const struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *encoding = print_node(p, node->left);

	return node->kind == ITANIUM_ENTITY && encoding->kind == ITANIUM_ENCODING &&
	       encoding->right;
}

/*
 * If the node refers to a variable, return the node of the variable's name. Otherwise return the
 * node unchanged.
 */
static uint16_t unwrap_entity(const struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);

	if (node->kind != ITANIUM_ENTITY || is_function_entity(p, node))
		return number;
	const struct itanium_node *encoding = print_node(p, node->left);
	return encoding->kind == ITANIUM_ENCODING ? encoding->left : node->left;
}

/* Print an expression, in parentheses unless it is a simple name. */
static void print_operand(struct itanium_printer *p, uint16_t number)
{
	number = unwrap_entity(p, number);
	switch (print_node(p, number)->kind) {
	case ITANIUM_NAME:
	case ITANIUM_INSIDE:
	case ITANIUM_BRACES:
	case ITANIUM_ARGUMENT:
		print_whole(p, number);
		break;
	default:
		print_word(p, "(");
		print_whole(p, number);
		print_word(p, ")");
		break;
	}
}

static bool is_builtin(const struct itanium_node *type, const char *name)
{
	return type->kind == ITANIUM_BUILTIN && type->size == strlen(name) &&
	       memcmp(type->text, name, type->size) == 0;
}

/*
 * Print a literal. Its type becomes a suffix of the number for common integer types, otherwise a
 * cast.
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
	const struct itanium_node *type = print_node(p, node->left);
	const char *before = "(%L)", *after = "";
	struct cairn_bytes value = { node->text, node->size };

	if (is_builtin(type, "bool") && value.size == 1 &&
	    (*value.data == '0' || *value.data == '1')) {
		print_word(p, *value.data == '1' ? "true" : "false");
		return;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (is_builtin(type, numbers[i].type)) {
			before = numbers[i].before;
			after = numbers[i].after;
		}
	if (value.size == 0 && *before) { /* nullptr or a closure */
		print_whole(p, node->left);
		return;
	}
	print_pattern(p, node, before);
	if (value.size > 0 && *value.data == 'n') {
		print_word(p, "-");
		value.data++;
		value.size--;
	}
	print_bytes(p, value.data, value.size);
	print_word(p, after);
}

static void print_entity(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);
	uint16_t inner = unwrap_entity(p, number);

	if (inner != number)
		print_whole(p, inner);
	else
		print_encoding(p, node->left, true);
}

/* Print a unary expression. The address of a member function is printed without its parameters. */
static void print_unary(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *operand = print_node(p, node->left);
	uint16_t name = 0;

	print_bytes(p, node->text, node->size);
	if (node->size == 1 && *node->text == '&' && is_function_entity(p, operand))
		name = print_node(p, operand->left)->left;
	if (name && print_node(p, name)->kind == ITANIUM_INSIDE)
		print_whole(p, name);
	else
		print_operand(p, node->left);
}

static void print_call(struct itanium_printer *p, const struct itanium_node *node)
{
	const struct itanium_node *callee = print_node(p, node->left);

	if (is_function_entity(p, callee))
		print_operand(p, print_node(p, callee->left)->left);
	else
		print_operand(p, node->left);
	print_pattern(p, node, "(%I)");
}

/* Print a fold expression without expanding its pack. */
static void print_fold(struct itanium_printer *p, const struct itanium_node *node)
{
	bool expansion = p->in_expansion;

	p->in_expansion = false;
	print_pattern(p, node,
	              node->left && node->right ? "(%o%t...%t%O)"
	              : node->left              ? "(%o%t...)"
	                                        : "(...%t%O)");
	p->in_expansion = expansion;
}

static void print_designated(struct itanium_printer *p, const struct itanium_node *node)
{
	const uint8_t kind = print_node(p, node->right)->kind;

	print_pattern(p, node, node->size == 'i' ? ".%L" : node->more ? "[%L ... %M]" : "[%L]");
	print_pattern(p, node, kind == ITANIUM_DESIGNATED || kind == ITANIUM_BRACES ? "%R" : "=%O");
}

static void print_requirement(struct itanium_printer *p, const struct itanium_node *node)
{
	bool compound = node->more == 'X' && (node->size > 0 || node->right);

	print_pattern(p, node,
	              node->more == 'T'   ? " typename %L%t"
	              : node->more == 'Q' ? " requires %L%t"
	              : compound          ? " {%L}%t"
	                                  : " %L%t");
	print_pattern(p, node, node->right ? " -> %R;" : ";");
}

static void print_requires(struct itanium_printer *p, const struct itanium_node *node)
{
	print_pattern(p, node, node->left ? "requires (%i) {" : "requires {");
	for (uint16_t list = node->right; list && print_step(p); list = print_node(p, list)->right)
		print_requirement(p, print_node(p, print_node(p, list)->left));
	print_word(p, " }");
}

static void print_expression(struct itanium_printer *p, uint16_t number)
{
	const struct itanium_node *node = print_node(p, number);

	switch (node->kind) {
	case ITANIUM_LITERAL:
		print_literal(p, node);
		break;
	case ITANIUM_ENTITY:
		print_entity(p, number);
		break;
	case ITANIUM_ARGUMENT:
		print_pattern(p, node, node->size == 0 ? "this" : "{parm#%n}");
		break;
	case ITANIUM_NEW:
		print_pattern(p, node, node->left ? "%t(%i) %R" : "%t%R");
		if (node->more)
			print_operand(p, node->more);
		break;
	case ITANIUM_BRACES:
		print_pattern(p, node, node->left ? "%L{%I}" : "{%I}");
		break;
	case ITANIUM_PACK_SIZE:
		print_pack_size(p, node->left);
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
	case ITANIUM_BINARY: { /* a '>' outside parentheses would end a template argument list */
		const bool closes = node->size == 1 && *node->text == '>';
		print_pattern(p, node, closes ? "(%o%t%O)" : "%o%t%O");
		break;
	}
	case ITANIUM_CALL:
		print_call(p, node);
		break;
	case ITANIUM_NAMED_CAST:
		print_pattern(p, node, p->it->whole ? "%t<%L>(%R)" : "%t(%R)");
		break;
	default:
		p->failed = true;
		break;
	}
}
