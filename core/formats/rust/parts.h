/* SPDX-License-Identifier: MIT */
/*
 * What the printers of paths, types and constants share.  A name is printed while it is read: each
 * function reads one part and prints it.  After a failure nothing is left to read.
 */
#ifndef CAIRN_FORMATS_RUST_PARTS_H
#define CAIRN_FORMATS_RUST_PARTS_H

#include "formats/rust/rust.h"

#include <string.h>

struct rust_name {
	struct cairn_bytes name; /* after "_R" */
	size_t at;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	uint32_t lifetimes; /* that are bound around what is printed */
	bool silent;        /* read, but not printed */
	bool failed, exhausted;
};

struct rust_identifier {
	struct cairn_bytes ascii, code; /* `code`: punycode of the other letters */
	uint64_t number;                /* which of several with this name */
};

void rust_fail(struct rust_name *r);
bool rust_enter(struct rust_name *r);
static inline void rust_leave(struct rust_name *r)
{
	r->depth--;
}

static inline uint8_t rust_peek(const struct rust_name *r)
{
	return r->at < r->name.size ? r->name.data[r->at] : 0;
}

static inline bool rust_take(struct rust_name *r, char wanted)
{
	bool is = rust_peek(r) == (uint8_t)wanted;

	r->at += is;
	return is;
}

uint8_t rust_next(struct rust_name *r);    /* 0 at the end */
uint64_t rust_number(struct rust_name *r); /* of base 62, up to '_'; "_" is 0, "0_" is 1 */
/* The same after `tag`, one more; 0: it is not there. */
uint64_t rust_optional_number(struct rust_name *r, char tag);
struct rust_identifier rust_read_identifier(struct rust_name *r);
/* After 'B': goes to the part before it, and back; SIZE_MAX: it is not to be printed. */
size_t rust_begin_reference(struct rust_name *r);

void rust_bytes(struct rust_name *r, const void *text, size_t size);
static inline void rust_word(struct rust_name *r, const char *text)
{
	rust_bytes(r, text, strlen(text));
}
void rust_decimal(struct rust_name *r, uint64_t number);
void rust_code_point(struct rust_name *r, uint32_t code);
void rust_print_identifier(struct rust_name *r, struct rust_identifier identifier);

/* Prints what is up to an "E", with a text between two items, and returns how many there are. */
size_t rust_list(struct rust_name *r, const char *between, void (*print_item)(struct rust_name *r));
/* `value`: generic arguments are after "::". */
void rust_path(struct rust_name *r, bool value);
/* The same without the closing '>' of generic arguments: true when it is left open. */
bool rust_open_path(struct rust_name *r);
void rust_type(struct rust_name *r);
void rust_constant(struct rust_name *r, bool in_value);
void rust_lifetime(struct rust_name *r, uint64_t index);

#endif
