/* SPDX-License-Identifier: MIT */
/*
 * SFrame, versions 1, 2 and 3, both byte orders: pc -> unwind rule.  The format is described in
 * docs/formats/sframe.md.
 *
 * A section holds one table after another (linkers that only concatenate leave several).  A table
 * holds functions, a function rows, a row becomes a rule:
 *
 *	size_t at = 0;
 *	struct sframe_table table;
 *	while (sframe_next_table(section, address, &at, &table, &fault) == CAIRN_OK)
 *		for (uint32_t i = 0; i < table.functions; i++) {
 *			struct sframe_function f;
 *			if (sframe_function(&table, i, &f, &fault) != CAIRN_OK)
 *				continue; ... the other functions stay good
 *			struct sframe_rows rows = sframe_rows(&table, &f);
 *			while (sframe_next_row(&rows, &row))
 *				sframe_rule(&table, &f, &row, &rule, &fault);
 *		}
 *
 * or, in a sound sorted table, sframe_find() goes to the function and sframe_find_row() to the row.
 * Nothing here allocates; nothing is copied: a table is a handle over the caller's bytes.  Making
 * an index over tables that are not sorted is the work of unwind/sframe/rules.h.
 */
#ifndef CAIRN_FORMATS_SFRAME_H
#define CAIRN_FORMATS_SFRAME_H

#include <cairn.h>

enum {
	SFRAME_HEADER = 28,
	SFRAME_FLAGS_AT = 3, /* in it */
	SFRAME_FLAG_SORTED = 0x1,
	SFRAME_FLAG_FRAME_POINTER = 0x2,
	SFRAME_FLAG_FIELD_RELATIVE = 0x4,
	SFRAME_V1_REPEAT = 16, /* the block size that version 1 does not store */
	SFRAME_MAX_WORDS = 15,
};

/* What a function's stored start counts from. */
enum sframe_base {
	SFRAME_BASE_SECTION, /* the table's first byte */
	SFRAME_BASE_FIELD,   /* the field itself */
	SFRAME_BASE_GIVEN,   /* nothing: the caller has the starts, from relocations */
};

struct sframe_table {
	struct cairn_bytes bytes; /* the table alone, from its header to its last row */
	size_t offset;            /* of its first byte in the section */
	uint64_t address;         /* of its first byte, as linked */
	enum sframe_base base;
	const uint64_t
		*starts; /* SFRAME_BASE_GIVEN: one for each function, SFRAME_NO_START if none */
	enum cairn_machine machine;
	bool big;
	uint8_t version, flags, abi;
	int8_t fixed_fp, fixed_ra;
	uint8_t aux_size;
	uint8_t record_size;
	uint32_t functions;
	uint32_t claimed_rows; /* never trusted */
	size_t records_at;     /* in bytes */
	size_t rows_at, rows_size;
};

#define SFRAME_NO_START UINT64_MAX

/* Bytes of one function record. */
static inline uint8_t sframe_record_size(uint8_t version)
{
	return version == 1 ? 17 : version == 2 ? 20 : 16;
}

/* In a relocatable file functions without a relocation are nowhere. */
static inline bool sframe_is_placed(const struct sframe_table *table, uint64_t start)
{
	return table->base != SFRAME_BASE_GIVEN || start != SFRAME_NO_START;
}

/* Return addresses may be signed; the bits that mark such code count on such a machine alone. */
static inline bool sframe_signs(const struct sframe_table *table)
{
	return table->machine == CAIRN_MACHINE_AARCH64;
}

struct sframe_function {
	uint64_t start; /* va, or SFRAME_NO_START */
	uint32_t size;
	uint32_t rows;
	size_t record;  /* offset of its record in the section, for messages */
	size_t rows_at; /* offset of its first row in table.bytes */
	uint8_t width;  /* of a row's start: 1, 2 or 4 bytes */
	uint8_t repeat; /* size of the repeated block when masked, else 0 */
	bool masked;    /* one block of instructions, repeated (PLT entries) */
	bool flexible;  /* version 3: rows name their registers */
	bool signal, key_b;
};

struct sframe_row {
	uint32_t start; /* from the function's first byte, or in the repeated block */
	uint8_t info;
	size_t at;    /* offset of the row in table.bytes */
	size_t words; /* offset of its first word */
};

/* A cursor over the rows of one function. */
struct sframe_rows {
	const struct sframe_table *table;
	uint32_t left;
	uint8_t width;
	bool started;
	uint32_t previous; /* start of the row before, or of the damaged one that ended it */
	size_t at;
	struct cairn_fault fault; /* why it ended early; the offset counts in the section */
};

/*
 * The table at *at in the section, whose first byte is at `address`; *at moves after it.
 * NOT_FOUND: there are no more (an empty section has none).  Anything else is in `fault`, with
 * the offset in the section; the walk is over then, the tables before it stay good.
 */
enum cairn_status sframe_next_table(struct cairn_bytes section, uint64_t address, size_t *at,
                                    struct sframe_table *table, struct cairn_fault *fault);

/* The address range of function `index`, which must be below table->functions. */
void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size);

/* All of function `index`, checked. */
enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault);

/*
 * The function that holds `va`, by bisection: the table must be in ascending order, as
 * sframe_is_sorted() has found or SFRAME_FLAG_SORTED promises.
 */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index);

/* Do the functions really ascend? */
bool sframe_is_sorted(const struct sframe_table *table);

/*
 * Put the base right with what is known of the code, [low, high): when no function is there, but
 * all would if their starts counted from the other base, that one is taken.  True when it changed.
 */
bool sframe_correct_base(struct sframe_table *table, uint64_t low, uint64_t high);

struct sframe_rows sframe_rows(const struct sframe_table *table,
                               const struct sframe_function *function);
bool sframe_next_row(struct sframe_rows *rows, struct sframe_row *row);

/*
 * The last row that begins at or before `offset`, of a cursor that was not moved yet, and where
 * the next one begins (UINT64_MAX: there is none).  False: the first begins later, or see the
 * cursor's fault.
 */
bool sframe_find_row(struct sframe_rows *rows, uint64_t offset, struct sframe_row *found,
                     uint64_t *next);

/* What one row means.  rule->start and rule->end are left to the caller, who knows the next row. */
enum cairn_status sframe_rule(const struct sframe_table *table,
                              const struct sframe_function *function, const struct sframe_row *row,
                              struct cairn_rule *rule, struct cairn_fault *fault);

/* Puts a rule right whose row a linker is known to write wrongly, and marks it as patched. */
void sframe_correct_rule(const struct sframe_table *table, const struct sframe_function *function,
                         const struct sframe_row *row, struct cairn_rule *rule);

/* The whole answer for `va` inside `function`: the rule in force, with its range. */
enum cairn_status sframe_find_rule(const struct sframe_table *table,
                                   const struct sframe_function *function, uint64_t va,
                                   struct cairn_rule *rule, struct cairn_fault *fault);

/* Number and size of the words of a row, from its info byte; size 0 for the undefined code. */
unsigned sframe_row_words(uint8_t info);
unsigned sframe_word_size(uint8_t info);

#endif
