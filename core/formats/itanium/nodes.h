/* SPDX-License-Identifier: MIT */
/* Syntax tree of a mangled name, and functions shared by the parser and the printer. */
#ifndef CAIRN_FORMATS_ITANIUM_NODES_H
#define CAIRN_FORMATS_ITANIUM_NODES_H

#include "itanium.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Kinds of nodes. The comments describe the members of struct itanium_node that each kind uses, or
 * show how the node is printed: "left", "right", "text" and so on stand for these members.
 */
enum itanium_kind {
	ITANIUM_NAME,       /* text: identifier */
	ITANIUM_STANDARD,   /* text: name in std that has a one-letter code */
	ITANIUM_BUILTIN,    /* text: built-in type */
	ITANIUM_OPERATOR,   /* text: "operator+" */
	ITANIUM_INSIDE,     /* left::right */
	ITANIUM_LOCAL,      /* left::right, where left is an encoding */
	ITANIUM_TEMPLATE,   /* left<right>; right: list */
	ITANIUM_CLASS_NAME, /* constructor; left: class name */
	ITANIUM_DESTRUCTOR,
	ITANIUM_CONVERSION, /* conversion operator; left: type */
	/* left: parameter list; right: list of template parameters; size: lambda number */
	ITANIUM_LAMBDA,
	ITANIUM_UNNAMED, /* unnamed type; size: type number */
	ITANIUM_TAGGED,  /* left[abi:text] */
	ITANIUM_BINDING, /* structured binding; left: list of names */
	ITANIUM_MODULE,  /* left@right: a name and its module */
	/* left.right, or left:right if size is 1; left is 0 in the first component */
	ITANIUM_MODULES,
	ITANIUM_FRIEND,  /* left[friend] */
	ITANIUM_DEFAULT, /* {default arg#size}::left */
	/* left: name; right: function type; size: number of the template scope; more: constraint */
	ITANIUM_ENCODING,
	ITANIUM_SPECIAL, /* prints text and left, then "-in-" and right unless right is 0 */
	/* temporary whose lifetime the reference `left` extends; size: its number */
	ITANIUM_TEMPORARY,
	/* left: name; text: qualifiers after the parameters; more: 1 if `this` is explicit */
	ITANIUM_METHOD,
	ITANIUM_ELABORATED, /* text left, where text is "struct ", "union " or "enum " */

	ITANIUM_SUFFIXED, /* left text, for example a pointer */
	ITANIUM_CONST,    /* prints left and the qualifier, but a repeated qualifier only once */
	ITANIUM_VOLATILE,
	ITANIUM_RESTRICT,
	ITANIUM_REFERENCE,
	ITANIUM_RVALUE,
	ITANIUM_MEMBER,   /* right left::* */
	ITANIUM_FUNCTION, /* left: return type or 0; right: parameters; more: ITANIUM_QUALIFIERS */
	ITANIUM_QUALIFIERS, /* text; left: operand in parentheses, or 0; right: next qualifier */
	ITANIUM_ARRAY,      /* left [text] or, if right is an expression, left [right] */
	ITANIUM_VECTOR,     /* like ITANIUM_ARRAY */
	ITANIUM_VENDOR,     /* left right, where right is a vendor's qualifier */
	ITANIUM_DECLTYPE,   /* left: expression */
	ITANIUM_BITINT,     /* text left, where left is the number of bits or an expression */
	/*
	 * template parameter; size: index of the parameter; left: number of the template scope that
	 * it belongs to
	 */
	ITANIUM_PARAMETER,
	ITANIUM_EXPANSION, /* left... */

	ITANIUM_LIST, /* left: item; right: rest of the list */
	ITANIUM_PACK, /* left: list of items that form a single argument */
	ITANIUM_UNPRINTABLE,
	/* template parameter of a closure; text: kind, which determines the meaning of left */
	ITANIUM_DECLARATION,

	ITANIUM_LITERAL,    /* left: type; text: value */
	ITANIUM_ENTITY,     /* left: encoding of a function or variable */
	ITANIUM_ARGUMENT,   /* function parameter; size: number, 0 for `this` */
	ITANIUM_UNARY,      /* text left */
	ITANIUM_ENCLOSED,   /* text (left) */
	ITANIUM_POSTFIX,    /* left text */
	ITANIUM_BINARY,     /* left text right */
	ITANIUM_ACCESS,     /* like ITANIUM_BINARY, for member access */
	ITANIUM_INDEX,      /* left[right] */
	ITANIUM_CHOICE,     /* left ? right : more */
	ITANIUM_CALL,       /* left(right), where right is a list */
	ITANIUM_CAST,       /* (left)right */
	ITANIUM_NEW,        /* text: "new "; left: placement; right: type; more: initializer */
	ITANIUM_NAMED_CAST, /* text<left>(right) */
	ITANIUM_BRACES,     /* left{right}, where right is a list */
	ITANIUM_GROUP,      /* (left), where left is a list */
	ITANIUM_PACK_SIZE,  /* sizeof...; left: pack */
	/* fold expression; text: operator; left or right is 0 at the open end */
	ITANIUM_FOLD,
	/* .left=right, [left]=right or [left...more]=right; size: 'i', 'x' or 'X' */
	ITANIUM_DESIGNATED,
	ITANIUM_GLOBAL,      /* ::left */
	ITANIUM_VENDOR_CALL, /* text(left) */
	ITANIUM_REQUIRES,    /* left: parameters; right: list of requirements */
	/*
	 * left: expression or type; text: suffix; right: required type; more: kind 'X', 'T' or 'Q'
	 */
	ITANIUM_REQUIREMENT,

	ITANIUM_KINDS,
};

/* Add a node and return its index. If no nodes are left, reject the name and return 0. */
uint16_t itanium_node(struct itanium *it, enum itanium_kind kind, uint16_t left, uint16_t right);
uint16_t itanium_text(struct itanium *it, enum itanium_kind kind, const uint8_t *text, size_t size);

static inline uint16_t itanium_word(struct itanium *it, enum itanium_kind kind, const char *text)
{
	return itanium_text(it, kind, (const uint8_t *)text, strlen(text));
}

/* Add a node whose text, a constant string, is printed together with its child nodes. */
static inline uint16_t itanium_phrase(struct itanium *it, enum itanium_kind kind, const char *text,
                                      uint16_t left, uint16_t right)
{
	const uint16_t made = itanium_word(it, kind, text);

	it->node[made].left = left;
	it->node[made].right = right;
	return made;
}

static inline uint16_t itanium_numbered(struct itanium *it, enum itanium_kind kind, uint16_t left,
                                        uint16_t right, uint32_t number)
{
	const uint16_t made = itanium_node(it, kind, left, right);

	it->node[made].size = number;
	return made;
}

/* Reject the name because it is damaged or contains an unknown construct. Return 0. */
uint16_t itanium_fail(struct itanium *it);

/* Enter or leave a nesting level. itanium_enter() returns false if the nesting is too deep. */
bool itanium_enter(struct itanium *it);
static inline void itanium_leave(struct itanium *it)
{
	it->depth--;
}

void itanium_remember(struct itanium *it, uint16_t node);

/* Return the byte `ahead` bytes after the current position, or 0 past the end. */
static inline uint8_t itanium_peek(const struct itanium *it, size_t ahead)
{
	return ahead < (size_t)(it->end - it->at) ? it->at[ahead] : 0;
}

static inline bool itanium_take(struct itanium *it, char wanted)
{
	if (it->at == it->end || *it->at != (uint8_t)wanted)
		return false;
	it->at++;
	return true;
}

static inline bool itanium_is_next(const struct itanium *it, const char *code)
{
	return itanium_peek(it, 0) == (uint8_t)code[0] && itanium_peek(it, 1) == (uint8_t)code[1];
}

static inline bool itanium_take_code(struct itanium *it, const char *code)
{
	bool is = itanium_is_next(it, code);

	it->at += is ? 2 : 0;
	return is;
}

static inline bool itanium_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Parse <number> without a sign. */
size_t itanium_number(struct itanium *it);

/*
 * Parsers. Each returns the index of the node that it has added. A failure consumes all input and
 * makes the returned nodes arbitrary, so callers need not check for failure after each call.
 */
uint16_t itanium_encoding(struct itanium *it);
uint16_t itanium_name(struct itanium *it);
uint16_t itanium_unqualified(struct itanium *it);
uint16_t itanium_type(struct itanium *it);
uint16_t itanium_substitution(struct itanium *it, bool in_prefix);
uint16_t itanium_expression(struct itanium *it);
uint16_t itanium_template_arg(struct itanium *it);
uint16_t itanium_primary(struct itanium *it); /* "L" ... "E" */
uint16_t itanium_identifier(struct itanium *it);
uint16_t itanium_decltype(struct itanium *it);
uint16_t itanium_template_type(struct itanium *it); /* T_, including its template arguments */
/* Parse the template arguments of `name`. */
uint16_t itanium_instance(struct itanium *it, uint16_t name);
/* Parse [NUMBER] "_". Return 1 if the number is missing, 2 if it is 0, and so on. */
uint32_t itanium_closing_number(struct itanium *it);

/* Append an item to a list. *first and *last are 0 for an empty list. */
void itanium_append(struct itanium *it, uint16_t item, uint16_t *first, uint16_t *last);
/* Return the component after the last "::", without template arguments. */
uint16_t itanium_last_part(const struct itanium *it, uint16_t name);
/*
 * Return the name of the entity itself: without the qualifiers of a member function (such as
 * "const"), and without the function or default argument that encloses a local entity.
 */
static inline uint16_t itanium_own_name(const struct itanium *it, uint16_t name)
{
	for (;;) {
		const struct itanium_node *node = &it->node[name];
		if (node->kind == ITANIUM_METHOD || node->kind == ITANIUM_DEFAULT)
			name = node->left;
		else if (node->kind == ITANIUM_LOCAL)
			name = node->right;
		else
			return name;
	}
}

/*
 * Parse parameter types up to 'E', the end of the name, or the end of a function type. A single "v"
 * is an empty list.
 */
uint16_t itanium_parameters(struct itanium *it);

/* Print the tree at `root` and return the size of the output, or 0 on failure. */
size_t itanium_print(struct itanium *it, uint16_t root, char *out, size_t capacity);

struct itanium_operator {
	char code[3];
	/*
	 * Name of the operator function, such as "operator+" or "operator delete". Keyword
	 * operators that cannot be overloaded are stored without a space before the keyword:
	 * "operatorsizeof ".
	 */
	const char *name;
	/*
	 * Form of an expression with this operator: '1', '2' and '3' are the number of operands;
	 * 'p': one operand, prefix or postfix; 'w': a word, then an operand; 't': a type in
	 * parentheses; 'e': an expression in parentheses; 'c': a cast; 'm': member access; 'n':
	 * new; 0: any other form.
	 */
	char form;
};

/* Find an operator by its two-letter code. Return NULL if there is no such operator. */
const struct itanium_operator *itanium_find_operator(uint8_t first, uint8_t second);

/* Return "+" for "operator+". */
const char *itanium_operator_sign(const struct itanium_operator *op);

#endif
