/* SPDX-License-Identifier: MIT */
/*
 * SFrame sections made by hand: describe functions and rows once, get the bytes of a table of any
 * version and byte order, and where each field went, so that a test can damage just one.
 */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_H
#define CAIRN_TESTS_UNIT_FIXTURE_H

#include "fixture_out.h"

#include "formats/sframe/sframe.h"

/* The four machines, by the number that the header has for them. */
enum fixture_abi {
	FIXTURE_AARCH64_BIG = 1,
	FIXTURE_AARCH64 = 2,
	FIXTURE_AMD64 = 3,
	FIXTURE_S390X = 4
};

/* A row's info byte: base register, number of words, and the code of their size. */
#define FIXTURE_FP 0x00
#define FIXTURE_SP 0x01
#define FIXTURE_MANGLED 0x80
#define FIXTURE_WORDS(count, code) ((uint8_t)((unsigned)(count) << 1 | (unsigned)(code) << 5))

/* A function's info byte: the code of the rows' width, and what version 3 adds. */
#define FIXTURE_ADDR1 0x00
#define FIXTURE_ADDR2 0x01
#define FIXTURE_ADDR4 0x02
#define FIXTURE_MASKED 0x10
#define FIXTURE_KEY_B 0x20
#define FIXTURE_SIGNAL 0x80

struct fixture_row {
	uint32_t start;
	uint8_t info;
	int64_t words[7];
};

struct fixture_function {
	uint64_t start; /* va */
	uint32_t size;
	uint8_t info, flexible, repeat;
	uint32_t count;
	const struct fixture_row *rows;
};

struct fixture_table {
	uint8_t version, abi, flags;
	uint8_t aux_size;
	uint8_t gap; /* bytes that belong to nothing between functions and rows */
	uint32_t count;
	const struct fixture_function *functions;
};

/* Where the fields of a function and of its first rows are in the section. */
enum { FIXTURE_ROWS = 4, FIXTURE_FUNCTIONS = 4 };

struct fixture_places {
	size_t table, end;
	struct fixture_place {
		size_t record, size, rows_at, rows, info, info2, repeat;
		size_t row[FIXTURE_ROWS];
	} functions[FIXTURE_FUNCTIONS];
};

bool fixture_is_big(uint8_t abi);

/* What starts count from, as producers have it: see base_of() of the decoder. */
bool fixture_counts_from_field(const struct fixture_table *table);

/*
 * Append the table to a section that lies at `address`.  The section must have the table's byte
 * order; `places` may be NULL.
 */
void fixture_append(struct fixture_out *section, uint64_t address,
                    const struct fixture_table *table, struct fixture_places *places);

/*
 * A rule in words: CFA RA FP FLAGS.  r7+8 value, [cfa-8] memory, u unchanged, - unknown; O
 * outermost, S signal, T trampoline, M mangled, B key B, P patched, - none of them.
 */
const char *fixture_rule_text(const struct cairn_rule *rule);

#endif
