/* SPDX-License-Identifier: MIT */
/*
 * SFrame sections made by hand: describe functions and rows once, get the bytes of a table of any
 * version and byte order, and where each field went, so that a test can damage just one.
 */
#ifndef CAIRN_TESTS_MADE_H
#define CAIRN_TESTS_MADE_H

#include "out.h"

#include "formats/sframe/sframe.h"

/* The four machines, by the number that the header has for them. */
enum made_abi { MADE_AARCH64_BIG = 1, MADE_AARCH64 = 2, MADE_AMD64 = 3, MADE_S390X = 4 };

/* A row's info byte: base register, number of words, and the code of their size. */
#define MADE_FP 0x00
#define MADE_SP 0x01
#define MADE_MANGLED 0x80
#define MADE_WORDS(count, code) ((uint8_t)((unsigned)(count) << 1 | (unsigned)(code) << 5))

/* A function's info byte: the code of the rows' width, and what version 3 adds. */
#define MADE_ADDR1 0x00
#define MADE_ADDR2 0x01
#define MADE_ADDR4 0x02
#define MADE_MASKED 0x10
#define MADE_KEY_B 0x20
#define MADE_SIGNAL 0x80

struct made_row {
	uint32_t start;
	uint8_t info;
	int64_t words[7];
};

struct made_function {
	uint64_t start; /* va */
	uint32_t size;
	uint8_t info, flexible, repeat;
	uint32_t count;
	const struct made_row *rows;
};

struct made_table {
	uint8_t version, abi, flags;
	uint8_t aux_size;
	uint8_t gap; /* bytes that belong to nothing between functions and rows */
	uint32_t count;
	const struct made_function *functions;
};

/* Where the fields of a function and of its first rows are in the section. */
enum { MADE_ROWS = 4, MADE_FUNCTIONS = 4 };

struct made_places {
	size_t table, end;
	struct made_place {
		size_t record, size, rows_at, rows, info, info2, repeat;
		size_t row[MADE_ROWS];
	} functions[MADE_FUNCTIONS];
};

bool made_is_big(uint8_t abi);

/* What starts count from, as producers have it: see base_of() of the decoder. */
bool made_counts_from_field(const struct made_table *table);

/*
 * Append the table to a section that lies at `address`.  The section must have the table's byte
 * order; `places` may be NULL.
 */
void made_append(struct out *section, uint64_t address, const struct made_table *table,
                 struct made_places *places);

/*
 * A rule in words: CFA RA FP FLAGS.  r7+8 value, [cfa-8] memory, u unchanged, - unknown; O
 * outermost, S signal, T trampoline, M mangled, B key B, P patched, - none of them.
 */
const char *made_rule_text(const struct cairn_rule *rule);

#endif
