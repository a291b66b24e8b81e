/* SPDX-License-Identifier: MIT */
/*
 * How names are printed.  A type has a left and a right part, with what it is the type of between
 * them: "void (*" and ")(int)".  What is too much or cannot be said makes the printing fail as a
 * whole; then nothing more is put.
 */
#ifndef CAIRN_FORMATS_ITANIUM_PRINT_H
#define CAIRN_FORMATS_ITANIUM_PRINT_H

#include "formats/itanium/parts.h"

struct printing {
	const struct itanium *it;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	uint16_t encoding;  /* whose parameters may be said: number of the node; 0: none */
	unsigned pack_item; /* of packs, while an expansion is printed */
	bool in_expansion, in_lambda;
	unsigned held; /* bits of qualifiers that follow, by their kind */
	bool failed;
};

void say_left(struct printing *p, uint16_t number);
void say_right(struct printing *p, uint16_t number);
static inline void say_whole(struct printing *p, uint16_t number)
{
	say_left(p, number);
	say_right(p, number);
}

/* Parameters with commas between them, those of an expansion too. */
void say_list(struct printing *p, uint16_t number);
void say_expansion(struct printing *p, const struct itanium_node *node);

/* Of qualifiers and parameters, through which equal qualifiers are seen; false: it is another. */
bool say_left_of_qualified(struct printing *p, const struct itanium_node *node);
void say_left_of_type(struct printing *p, const struct itanium_node *node);
void say_right_of_type(struct printing *p, const struct itanium_node *node);

/* Is it a function or an array, whose pointers need parentheses? */
bool say_is_declarator(struct printing *p, uint16_t number);
/* Can names be inside of it?  In what is called a type only classes and namespaces have any. */
bool say_is_scope(struct printing *p, uint16_t number);
/* Is there more of a type behind what it is the type of? */
bool say_has_right(struct printing *p, uint16_t number);

void say_bytes(struct printing *p, const void *text, size_t size);
void say_number(struct printing *p, uint32_t number);
static inline void say_word(struct printing *p, const char *text)
{
	say_bytes(p, text, strlen(text));
}

static inline char say_last(const struct printing *p)
{
	return p->size > 0 ? p->out[p->size - 1] : '\0';
}

static inline const struct itanium_node *say_node(const struct printing *p, uint16_t number)
{
	return &p->it->node[number];
}

/* One step; false when it is time to give up. */
static inline bool say_step(struct printing *p)
{
	if (p->steps == 0)
		p->failed = true;
	else
		p->steps--;
	return !p->failed;
}

#endif
