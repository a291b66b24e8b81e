/* SPDX-License-Identifier: MIT */
/*
 * How names are printed.  A type has a left and a right part, with what it is the type of between
 * them: "void (*" and ")(int)".  What is too much or cannot be printed makes the printing fail as a
 * whole; then nothing more is put.
 */
#ifndef CAIRN_FORMATS_ITANIUM_PRINT_H
#define CAIRN_FORMATS_ITANIUM_PRINT_H

#include "formats/itanium/parts.h"

/* A template whose parameters may be printed; around it is what its arguments may name. */
struct itanium_scope {
	uint16_t encoding;
	const struct itanium_scope *outer;
};

struct itanium_printer {
	const struct itanium *it;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	const struct itanium_scope *scope; /* NULL: no parameters may be printed */
	unsigned pack_item;                /* of packs, while an expansion is printed */
	bool in_expansion, in_lambda;
	bool in_constraint;    /* where parameters of templates further out are named */
	uint16_t declarations; /* of the template that the closure has which is printed; 0: none */
	unsigned held;         /* bits of qualifiers that follow, by their kind */
	bool failed, exhausted;
};

void itanium_print_left(struct itanium_printer *p, uint16_t number);
void itanium_print_right(struct itanium_printer *p, uint16_t number);
static inline void itanium_print_whole(struct itanium_printer *p, uint16_t number)
{
	itanium_print_left(p, number);
	itanium_print_right(p, number);
}

/*
 * Prints a part by a pattern, in which "%" and a letter are a field of its node: "t" its text, "n" its size as a number;
 * what is at left, right and more as a whole by "L", "R" and "M", as an operand by "o", "O" and "m"; what is at left and
 * right as a list by "i" and "I", and the left half of it by "l" and "r".
 */
void itanium_print_pattern(struct itanium_printer *p, const struct itanium_node *node,
                           const char *pattern);

/* Parameters with commas between them, those of an expansion too. */
void itanium_print_list(struct itanium_printer *p, uint16_t number);
void itanium_print_expansion(struct itanium_printer *p, const struct itanium_node *node);
/* One half of what a parameter of a template stands for. */
void itanium_print_parameter(struct itanium_printer *p, const struct itanium_node *node,
                             void (*half)(struct itanium_printer *p, uint16_t number));
/* How many items the pack has that a pattern is about. */
void itanium_print_pack_size(struct itanium_printer *p, uint16_t pattern);

/* `returned`: with the type of what is returned. */
void itanium_print_encoding(struct itanium_printer *p, uint16_t number, bool returned);
void itanium_print_name(struct itanium_printer *p, uint16_t number);
/* A parameter of a closure's own template. */
void itanium_print_own_parameter(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_expression(struct itanium_printer *p, uint16_t number);
/* With parentheses, unless it is a simple name. */
void itanium_print_operand(struct itanium_printer *p, uint16_t number);

void itanium_print_left_of_type(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_right_of_type(struct itanium_printer *p, const struct itanium_node *node);

/* A part and where its parameters are looked up, after parameters that stand for others. */
struct itanium_resolved {
	uint16_t number;
	const struct itanium_scope *scope;
};
struct itanium_resolved itanium_resolve(struct itanium_printer *p, uint16_t number);

/* Is it a function or an array, whose pointers need parentheses? */
bool itanium_print_is_declarator(struct itanium_printer *p, uint16_t number);
/* Is there more of a type after what it is the type of? */
bool itanium_print_has_right(struct itanium_printer *p, uint16_t number);

void itanium_print_bytes(struct itanium_printer *p, const void *text, size_t size);
void itanium_print_number(struct itanium_printer *p, uint32_t number);
static inline void itanium_print_word(struct itanium_printer *p, const char *text)
{
	itanium_print_bytes(p, text, strlen(text));
}

static inline char itanium_print_last(const struct itanium_printer *p)
{
	return p->size > 0 ? p->out[p->size - 1] : '\0';
}

static inline const struct itanium_node *itanium_print_node(const struct itanium_printer *p,
                                                            uint16_t number)
{
	return &p->it->node[number];
}

/* One step; false when it is time to give up. */
static inline bool itanium_print_step(struct itanium_printer *p)
{
	if (p->steps == 0)
		p->failed = p->exhausted = true;
	else
		p->steps--;
	return !p->failed;
}

#endif
