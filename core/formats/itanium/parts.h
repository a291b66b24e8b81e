/* SPDX-License-Identifier: MIT */
/* What reading and printing of mangled names share. */
#ifndef CAIRN_FORMATS_ITANIUM_PARTS_H
#define CAIRN_FORMATS_ITANIUM_PARTS_H

#include "formats/itanium/itanium.h"

#include <string.h>

enum itanium_kind {
	/* names */
	ITANIUM_NAME,       /* text: an identifier */
	ITANIUM_STANDARD,   /* text: a name of std by its letter */
	ITANIUM_BUILTIN,    /* text: a type of the language */
	ITANIUM_OPERATOR,   /* text: "operator+" */
	ITANIUM_INSIDE,     /* left::right */
	ITANIUM_LOCAL,      /* the same, where left is an encoding */
	ITANIUM_TEMPLATE,   /* left<right>; right is a list; more: what the arguments require */
	ITANIUM_CLASS_NAME, /* a constructor: left is what the class is called */
	ITANIUM_DESTRUCTOR,
	ITANIUM_CONVERSION, /* operator left */
	ITANIUM_LAMBDA, /* left: list of its parameters; right: of its template's; size: its number */
	ITANIUM_UNNAMED, /* size: its number */
	ITANIUM_TAGGED,  /* left[abi:text] */
	ITANIUM_BINDING, /* [left]: a list */
	ITANIUM_MODULE,  /* left@right: a name and its module */
	ITANIUM_MODULES, /* left.right, or left:right when size is 1; left is 0 in the first */
	ITANIUM_FRIEND,  /* left[friend] */
	ITANIUM_DEFAULT, /* {default arg#size}::left */
	ITANIUM_ENCODING, /* left: name; right: function; size: its number as a scope; more: requires */
	ITANIUM_SPECIAL,    /* text left, then "-in-" right unless that is 0 */
	ITANIUM_TEMPORARY,  /* of a reference: left; size: its number */
	ITANIUM_METHOD,     /* left: name; text: qualifiers after the parameters */
	ITANIUM_ELABORATED, /* text left: struct, union or enum */

	/* types */
	ITANIUM_SUFFIXED, /* left text: a pointer, const and so on */
	ITANIUM_CONST,    /* as before, but not printed twice */
	ITANIUM_VOLATILE,
	ITANIUM_RESTRICT,
	ITANIUM_REFERENCE,
	ITANIUM_RVALUE,
	ITANIUM_MEMBER,     /* right left::* */
	ITANIUM_FUNCTION,   /* left: what is returned, or 0; right: parameters; more: QUALIFIERS */
	ITANIUM_QUALIFIERS, /* text, left: what is in parentheses, or 0; right: the next */
	ITANIUM_ARRAY,      /* left [text] or, as an expression, [right] */
	ITANIUM_VECTOR,     /* the same */
	ITANIUM_VENDOR,     /* left right: a qualifier with a name */
	ITANIUM_DECLTYPE,   /* left: an expression */
	ITANIUM_BITINT,     /* text left: a number of bits, which is an expression */
	ITANIUM_PARAMETER,  /* of a template: size is its number; left: that of the encoding */
	ITANIUM_EXPANSION,  /* left... */

	ITANIUM_LIST,        /* left, right: the rest */
	ITANIUM_PACK,        /* left: list of what stands for one argument */
	ITANIUM_UNPRINTABLE, /* not a part */
	ITANIUM_DECLARATION, /* of a closure's template: text: letter of its kind; left, right */

	/* expressions */
	ITANIUM_LITERAL,    /* left: its type; text: its value */
	ITANIUM_ENTITY,     /* left: the encoding of a function or variable */
	ITANIUM_ARGUMENT,   /* of a function: size is its number; 0: this */
	ITANIUM_UNARY,      /* text left */
	ITANIUM_ENCLOSED,   /* text (left) */
	ITANIUM_POSTFIX,    /* left text */
	ITANIUM_BINARY,     /* left text right */
	ITANIUM_ACCESS,     /* the same, of members */
	ITANIUM_INDEX,      /* left[right] */
	ITANIUM_CHOICE,     /* left ? right : more */
	ITANIUM_CALL,       /* left(right): a list */
	ITANIUM_CAST,       /* (left)right */
	ITANIUM_NEW,        /* text: "new "; left: placement; right: type; more: initializer */
	ITANIUM_NAMED_CAST, /* text<left>(right) */
	ITANIUM_BRACES,     /* left{right} */
	ITANIUM_GROUP,      /* left: a list that is in parentheses */
	ITANIUM_PACK_SIZE,  /* left: whose number of items is printed */
	ITANIUM_FOLD,       /* text; left, right: 0 where the other end is open; size: 'l', 'r' */
	ITANIUM_DESIGNATED, /* .left=right, [left]=right, [left...more]=right, by size: 'i', 'x', 'X' */
	ITANIUM_GLOBAL,     /* ::left */
	ITANIUM_VENDOR_CALL, /* text(left) */
	ITANIUM_REQUIRES,    /* left: parameters; right: list of requirements */
	ITANIUM_REQUIREMENT, /* left; size: 'X', 'T' or 'Q'; text: what is after it; right: a type */

	ITANIUM_KINDS, /* how many there are */
};

/* Adds a node and returns its index; 0 if all are used, which fails the name. */
uint16_t itanium_node(struct itanium *it, enum itanium_kind kind, uint16_t left, uint16_t right);
uint16_t itanium_text(struct itanium *it, enum itanium_kind kind, const uint8_t *text, size_t size);

/* A text of our own. */
static inline uint16_t itanium_word(struct itanium *it, enum itanium_kind kind, const char *text)
{
	return itanium_text(it, kind, (const uint8_t *)text, strlen(text));
}

/* Adds a text of our own that is printed beside other nodes. */
static inline uint16_t itanium_phrase(struct itanium *it, enum itanium_kind kind, const char *text,
                                      uint16_t left, uint16_t right)
{
	const uint16_t made = itanium_word(it, kind, text);

	it->node[made].left = left;
	it->node[made].right = right;
	return made;
}

/* Adds a node that has a number. */
static inline uint16_t itanium_numbered(struct itanium *it, enum itanium_kind kind, uint16_t left,
                                        uint16_t right, uint32_t number)
{
	const uint16_t made = itanium_node(it, kind, left, right);

	it->node[made].size = number;
	return made;
}

/* Gives the name up: damage, or what is not known. */
uint16_t itanium_fail(struct itanium *it);

/* One level down, and up again; false when it is too deep. */
bool itanium_enter(struct itanium *it);
static inline void itanium_leave(struct itanium *it)
{
	it->depth--;
}

void itanium_remember(struct itanium *it, uint16_t node);

/* The bytes that follow; 0 at the end. */
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

/* Does a code of two letters come next? */
static inline bool itanium_is_next(const struct itanium *it, const char *code)
{
	return itanium_peek(it, 0) == (uint8_t)code[0] && itanium_peek(it, 1) == (uint8_t)code[1];
}

/* Reads it if so. */
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

/* <number>: digits without a sign. */
size_t itanium_number(struct itanium *it);

/*
 * Reading.  When the name has failed nothing is left to read, so that callers need not ask each
 * time, and any number of a part is returned.
 */
uint16_t itanium_encoding(struct itanium *it);
uint16_t itanium_name(struct itanium *it);
uint16_t itanium_unqualified(struct itanium *it);
uint16_t itanium_type(struct itanium *it);
/* `held`: qualifiers of the object, 1 const, 2 volatile, 4 restrict. */
uint16_t itanium_function_type(struct itanium *it, unsigned held);
uint16_t itanium_substitution(struct itanium *it, bool in_prefix);
uint16_t itanium_special(struct itanium *it); /* what begins with T or G */
uint16_t itanium_expression(struct itanium *it);
uint16_t itanium_template_arg(struct itanium *it);
uint16_t itanium_module_name(struct itanium *it);
uint16_t itanium_primary(struct itanium *it);     /* L...E */
uint16_t itanium_scoped_name(struct itanium *it); /* what is after "sr" */
uint16_t itanium_simple_name(struct itanium *it); /* with the template arguments that follow */
bool itanium_begins_simple_name(const struct itanium *it);
uint16_t itanium_identifier(struct itanium *it);
uint16_t itanium_abi_tags(struct itanium *it, uint16_t name);
uint16_t itanium_decltype(struct itanium *it);
uint16_t itanium_expressions(struct itanium *it, char end);   /* a list up to that letter */
uint16_t itanium_constraint(struct itanium *it);              /* "Q" expression, or 0 */
uint16_t itanium_declarations(struct itanium *it);            /* of a closure's template */
uint16_t itanium_template_type(struct itanium *it);           /* T_, with arguments of its own */
uint16_t itanium_parameter(struct itanium *it);               /* T_ */
uint16_t itanium_arguments(struct itanium *it);               /* <template-args> */
uint16_t itanium_instance(struct itanium *it, uint16_t name); /* `name` with those that follow */
/* [number] "_": nothing is 1, 0 is 2. */
uint32_t itanium_closing_number(struct itanium *it);
/* "_" digit, or "__" digits "_": which of several things of one name. */
void itanium_discriminator(struct itanium *it);

/* Adds an item at the end of a list; `last` is 0 before the first. */
void itanium_append(struct itanium *it, uint16_t item, uint16_t *first, uint16_t *last);
/* Returns what is after the last "::", without arguments. */
uint16_t itanium_last_part(const struct itanium *it, uint16_t name);
/* Returns the name of a function without its qualifiers, what it is in, and the default argument that has it. */
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

/* Types up to `E`, the end, or what ends a function; "v" alone is none. */
uint16_t itanium_parameters(struct itanium *it);

/* The printer; `root` is what was read. */
size_t itanium_print(struct itanium *it, uint16_t root, char *out, size_t room);

#endif
