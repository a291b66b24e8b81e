/* SPDX-License-Identifier: MIT */
/*
 * How names are printed.  A type has a left and a right part, with what it is the type of between
 * them: "void (*" and ")(int)".  What is too much or cannot be printed makes the printing fail as a
 * whole; then nothing more is put.
 */
#ifndef CAIRN_FORMATS_ITANIUM_PRINT_H
#define CAIRN_FORMATS_ITANIUM_PRINT_H

#include "formats/itanium/parts.h"

struct itanium_printer {
	const struct itanium *it;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	uint16_t encoding;  /* whose parameters may be printed: number of the node; 0: none */
	unsigned pack_item; /* of packs, while an expansion is printed */
	bool in_expansion, in_lambda;
	unsigned held; /* bits of qualifiers that follow, by their kind */
	bool failed;
};

void itanium_print_left(struct itanium_printer *p, uint16_t number);
void itanium_print_right(struct itanium_printer *p, uint16_t number);
static inline void itanium_print_whole(struct itanium_printer *p, uint16_t number)
{
	itanium_print_left(p, number);
	itanium_print_right(p, number);
}

/* Parameters with commas between them, those of an expansion too. */
void itanium_print_list(struct itanium_printer *p, uint16_t number);
void itanium_print_expansion(struct itanium_printer *p, const struct itanium_node *node);

/* Of qualifiers and parameters, through which equal qualifiers are seen; false: it is another. */
bool itanium_print_left_of_qualified(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_left_of_type(struct itanium_printer *p, const struct itanium_node *node);
void itanium_print_right_of_type(struct itanium_printer *p, const struct itanium_node *node);

/* Is it a function or an array, whose pointers need parentheses? */
bool itanium_print_is_declarator(struct itanium_printer *p, uint16_t number);
/* Can names be inside of it?  In what is called a type only classes and namespaces have any. */
bool itanium_print_is_scope(struct itanium_printer *p, uint16_t number);
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
		p->failed = true;
	else
		p->steps--;
	return !p->failed;
}

#endif
