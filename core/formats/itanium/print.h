/* SPDX-License-Identifier: MIT */
/*
 * Prints names. A type has a left and a right half with the declarator between them: "void (*" and
 * ")(int)". If the output is too large or a node cannot be printed, printing fails as a whole and
 * nothing more is written.
 */
#ifndef CAIRN_FORMATS_ITANIUM_PRINT_H
#define CAIRN_FORMATS_ITANIUM_PRINT_H

#include "parts.h"

/* A template whose parameters can be resolved. Its arguments may refer to parameters of `outer`. */
struct itanium_scope {
	uint16_t encoding;
	const struct itanium_scope *outer;
};

struct itanium_printer {
	const struct itanium *it;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	const struct itanium_scope *scope; /* NULL if parameters cannot be resolved */
	unsigned pack_item; /* current item of packs, while an expansion is printed */
	bool in_expansion, in_lambda;
	bool in_constraint; /* parameters of outer templates may occur here */
	/* template parameters of the closure that is being printed, 0 for none */
	uint16_t declarations;
	unsigned held; /* mask of qualifiers printed by the nodes around this one, by kind */
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
 * Print a node by a pattern. "%" and a letter select a field of the node: "t" its text, "n" its
 * size as a number; "L", "R" and "M" left, right and more as a whole; "o", "O" and "m" the same
 * three as operands; "i" and "I" left and right as lists; "l" and "r" the left halves of left and
 * right.
 */
void itanium_print_pattern(struct itanium_printer *p, const struct itanium_node *node,
                           const char *pattern);

/* Print list items separated by commas, including the items of expansions. */
void itanium_print_list(struct itanium_printer *p, uint16_t number);
void itanium_print_expansion(struct itanium_printer *p, const struct itanium_node *node);
/* Print one half of the argument for a template parameter. */
void itanium_print_parameter(struct itanium_printer *p, const struct itanium_node *node,
                             void (*half)(struct itanium_printer *p, uint16_t number));
/* Print the number of items in the pack that a pattern refers to. */
void itanium_print_pack_size(struct itanium_printer *p, uint16_t pattern);

/* `returned` selects whether the return type is printed. */
void itanium_print_encoding(struct itanium_printer *p, uint16_t number, bool returned);
void itanium_print_name(struct itanium_printer *p, uint16_t number);
/* Print a parameter of a closure's own template. */
void itanium_print_own_parameter(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_expression(struct itanium_printer *p, uint16_t number);
/* Print an expression, in parentheses unless it is a simple name. */
void itanium_print_operand(struct itanium_printer *p, uint16_t number);

void itanium_print_left_of_type(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_right_of_type(struct itanium_printer *p, const struct itanium_node *node);

/* The node that a chain of template parameters stands for, and the scope for its own parameters. */
struct itanium_resolved {
	uint16_t number;
	const struct itanium_scope *scope;
};
struct itanium_resolved itanium_resolve(struct itanium_printer *p, uint16_t number);

/* Return true for a function or array. Pointers to these need parentheses. */
bool itanium_print_is_declarator(struct itanium_printer *p, uint16_t number);
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

/* Count a step. Return false if printing has failed or the limit of steps is reached. */
static inline bool itanium_print_step(struct itanium_printer *p)
{
	if (p->steps == 0)
		p->failed = p->exhausted = true;
	else
		p->steps--;
	return !p->failed;
}

#endif
