/* SPDX-License-Identifier: MIT */
/* What reading and printing of mangled names share. */
#ifndef CAIRN_FORMATS_ITANIUM_PARTS_H
#define CAIRN_FORMATS_ITANIUM_PARTS_H

#include "formats/itanium/itanium.h"

#include <string.h>

enum itanium_kind {
	/* names */
	ITANIUM_NAME,       /* text: an identifier or a type of the language */
	ITANIUM_OPERATOR,   /* the same of an operator */
	ITANIUM_INSIDE,     /* left::right */
	ITANIUM_LOCAL,      /* the same, where left is an encoding */
	ITANIUM_TEMPLATE,   /* left<right>; right is a list */
	ITANIUM_CLASS_NAME, /* a constructor: left is what the class is called */
	ITANIUM_DESTRUCTOR,
	ITANIUM_CONVERSION, /* operator left */
	ITANIUM_LAMBDA,     /* left: list of its parameters; size: its number */
	ITANIUM_UNNAMED,    /* size: its number */
	ITANIUM_TAGGED,     /* left[abi:text] */
	ITANIUM_ENCODING,   /* left: name; right: function; size: its number as a scope */
	ITANIUM_THUNK,      /* text left */
	ITANIUM_METHOD,     /* left: name; text: qualifiers after the parameters */

	/* types */
	ITANIUM_SUFFIXED, /* left text: a pointer, const and so on */
	ITANIUM_CONST,    /* as before, but not printed twice */
	ITANIUM_VOLATILE,
	ITANIUM_RESTRICT,
	ITANIUM_REFERENCE,
	ITANIUM_RVALUE,
	ITANIUM_MEMBER,    /* right left::* */
	ITANIUM_FUNCTION,  /* left: what is returned, or 0; right: parameters; size: 1 for const */
	ITANIUM_ARRAY,     /* left [text] */
	ITANIUM_PARAMETER, /* of a template: size is its number; left: that of the encoding */
	ITANIUM_EXPANSION, /* left... */

	ITANIUM_LIST,        /* left, right: the rest */
	ITANIUM_PACK,        /* left: list of what stands for one argument */
	ITANIUM_UNPRINTABLE, /* a template argument that cannot be printed: a value */
};

/* One more part; 0 when there is no room, and the name has failed. */
uint16_t itanium_node(struct itanium *it, enum itanium_kind kind, uint16_t left, uint16_t right);
uint16_t itanium_text(struct itanium *it, enum itanium_kind kind, const uint8_t *text, size_t size);

/* A text of our own. */
static inline uint16_t itanium_word(struct itanium *it, enum itanium_kind kind, const char *text)
{
	return itanium_text(it, kind, (const uint8_t *)text, strlen(text));
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
uint16_t itanium_substitution(struct itanium *it, bool in_prefix);
uint16_t itanium_parameter(struct itanium *it);               /* T_ */
uint16_t itanium_arguments(struct itanium *it);               /* <template-args> */
uint16_t itanium_instance(struct itanium *it, uint16_t name); /* `name` with those that follow */
/* "_" digit, or "__" digits "_": which of several things of one name. */
void itanium_discriminator(struct itanium *it);

/* What is after the last "::", without arguments. */
uint16_t itanium_last_part(const struct itanium *it, uint16_t name);
/* Types up to `E`, the end, or what ends a function; "v" alone is none. */
uint16_t itanium_parameters(struct itanium *it);

/* The printer; `root` is what was read. */
size_t itanium_print(const struct itanium *it, uint16_t root, char *out, size_t room);

#endif
