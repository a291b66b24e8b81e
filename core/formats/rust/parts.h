/* SPDX-License-Identifier: MIT */
/*
 * Helpers shared by the printers of paths, types and constants. A name is printed while it is read:
 * each function reads and prints one part. After a failure there is no input left.
 */
#ifndef CAIRN_FORMATS_RUST_PARTS_H
#define CAIRN_FORMATS_RUST_PARTS_H

#include "rust.h"

#include <string.h>

struct rust_name {
	struct cairn_bytes name; /* name without "_R" */
	size_t at;
	char *out;
	size_t size, room;
	unsigned steps, depth;
	uint32_t lifetimes; /* number of lifetimes bound around the current part */
	bool silent;        /* read without printing */
	bool failed, exhausted;
};

struct rust_identifier {
	struct cairn_bytes ascii, code; /* `code` is the punycode of the non-ASCII letters */
	uint64_t number;                /* disambiguator of identifiers with the same name */
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
uint64_t rust_number(struct rust_name *r); /* base 62, up to '_'; "_" is 0, "0_" is 1 */
/* Read a number after `tag` and return it plus 1. Return 0 if the tag is missing. */
uint64_t rust_optional_number(struct rust_name *r, char tag);
struct rust_identifier rust_read_identifier(struct rust_name *r);
/*
 * Read a back reference after 'B' and move to its target. Return the position to restore
 * afterwards, or SIZE_MAX if the target is not to be printed.
 */
size_t rust_begin_reference(struct rust_name *r);

void rust_bytes(struct rust_name *r, const void *text, size_t size);
static inline void rust_word(struct rust_name *r, const char *text)
{
	rust_bytes(r, text, strlen(text));
}
void rust_decimal(struct rust_name *r, uint64_t number);
void rust_code_point(struct rust_name *r, uint32_t code);
void rust_print_identifier(struct rust_name *r, struct rust_identifier identifier);

/* Print items up to an "E", separated by `between`, and return their number. */
size_t rust_list(struct rust_name *r, const char *between, void (*print_item)(struct rust_name *r));
/* Print a path. If `value` is true, generic arguments are printed after "::". */
void rust_path(struct rust_name *r, bool value);
/*
 * Print a path, but leave out the '>' that closes generic arguments. Return true if they are open.
 */
bool rust_open_path(struct rust_name *r);
void rust_type(struct rust_name *r);
void rust_constant(struct rust_name *r, bool in_value);
void rust_lifetime(struct rust_name *r, uint64_t index);

#endif
