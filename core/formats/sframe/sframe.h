/* SPDX-License-Identifier: MIT */
/*
 * Reads SFrame, versions 1, 2 and 3, in either byte order, and finds the unwind rule for a pc.
 * docs/formats/sframe.md describes the format.
 *
 * A section contains one or more tables, because some linkers only concatenate their input. A table
 * contains functions, a function contains rows, and each row stands for a rule:
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
 * In a table that is really sorted, sframe_find() finds the function and sframe_find_rule() the
 * rule by search. The reader does not allocate or copy: a table refers to the caller's bytes.
 * unwind/tables/sframe_rules.h builds an index over unsorted tables.
 */
#ifndef CAIRN_FORMATS_SFRAME_H
#define CAIRN_FORMATS_SFRAME_H

#include <cairn.h>

enum {
	SFRAME_HEADER = 28,
	SFRAME_FLAGS_AT = 3, /* offset in the header */
	SFRAME_FLAG_SORTED = 0x1,
	SFRAME_FLAG_FRAME_POINTER = 0x2,
	SFRAME_FLAG_FIELD_RELATIVE = 0x4,
	SFRAME_V1_REPEAT = 16, /* block size in version 1, which does not store one */
	SFRAME_MAX_WORDS = 15,
};

/*
 * Facts in which the versions differ. A new version is a row of the table in sframe.c, and code only
 * for what no row can say.
 */
struct sframe_layout {
	uint8_t record_size;    /* size of a function record in bytes */
	uint8_t start_size;     /* size of the start, its first field: 4 bytes, signed, or 8 */
	uint8_t attribute_size; /* size of the fields before a function's rows; 0 in older records */
	uint8_t flags;          /* the SFRAME_FLAG_* that are defined */
	bool has_repeat;        /* the size of a repeated block is stored, else SFRAME_V1_REPEAT */
	bool has_s390x;         /* defined for s390x */
	bool register_words;    /* on s390x, an odd word names the register that has the value */
	bool flexible;          /* rows may name their registers */
	bool signal;            /* functions may be signal frames */
	bool outermost;         /* functions without rows and rows without words have a meaning */
	bool unsorted_by_field; /* starts of unsorted tables are relative to their own field */
	bool writable;          /* the writer supports it */
	bool by_section;        /* it may write starts relative to the table */
};

/* Return the facts of a version, or NULL if it is unknown. */
const struct sframe_layout *sframe_layout(unsigned version);

/* Base of the stored starts of functions. */
enum sframe_base {
	SFRAME_BASE_SECTION, /* the first byte of the table */
	SFRAME_BASE_FIELD,   /* the field that contains the start */
	SFRAME_BASE_GIVEN,   /* no stored base: the caller supplies the starts, from relocations */
};

struct sframe_table {
	struct cairn_bytes bytes; /* header, records and rows of this table only */
	size_t offset;            /* offset of the table in the section */
	uint64_t address;         /* address of the table, as linked */
	enum sframe_base base;
	/* SFRAME_BASE_GIVEN: one start per function, SFRAME_NO_START if unknown */
	const uint64_t *starts;
	enum cairn_machine machine;
	bool big;
	const struct sframe_layout *layout;
	uint8_t version, flags, abi;
	int8_t fixed_fp, fixed_ra;
	uint8_t aux_size;
	uint8_t record_size;
	uint32_t functions;
	uint32_t claimed_rows; /* from the header; not trustworthy */
	size_t records_at;     /* offset in `bytes`, as rows_at */
	size_t rows_at, rows_size;
};

#define SFRAME_NO_START UINT64_MAX

/*
 * Return false if the function has no address. This happens only in relocatable files, for
 * functions without a relocation.
 */
static inline bool sframe_is_placed(const struct sframe_table *table, uint64_t start)
{
	return table->base != SFRAME_BASE_GIVEN || start != SFRAME_NO_START;
}

/*
 * Return true if return addresses may be signed on the table's machine. The bits that mark signed
 * return addresses are ignored on other machines.
 */
static inline bool sframe_signs(const struct sframe_table *table)
{
	return table->machine == CAIRN_MACHINE_AARCH64;
}

struct sframe_function {
	uint64_t start; /* virtual address, or SFRAME_NO_START */
	uint32_t size;
	uint32_t rows;
	size_t record;  /* offset of its record in the section, for messages */
	size_t rows_at; /* offset of its first row in table.bytes */
	uint8_t width;  /* size of a row's start field: 1, 2 or 4 bytes */
	uint8_t repeat; /* size of the repeated block if masked, otherwise 0 */
	bool masked;    /* the function repeats one block of instructions (PLT entries) */
	bool flexible;  /* the rows name their registers */
	bool signal, key_b;
};

struct sframe_row {
	uint32_t start; /* offset from the start of the function or, if masked, of the block */
	uint8_t info;
	size_t at;
	size_t words; /* offset of its first word in table.bytes */
};

struct sframe_rows {
	const struct sframe_table *table;
	uint32_t left;
	uint8_t width;
	bool started;
	/* start of the previous row, or of the damaged row that ended the iteration */
	uint32_t previous;
	size_t at;
	struct cairn_fault fault; /* set if the iteration ended early; offset in the section */
};

/*
 * Read the table at *at in the section and move *at past it. `address` is the address of the
 * section's first byte. Return CAIRN_NOT_FOUND at the end, also for an empty section. Any other
 * failure is described in *fault, with its offset in the section. It ends the iteration, but the
 * tables before it remain valid.
 */
enum cairn_status sframe_next_table(struct cairn_bytes section, uint64_t address, size_t *at,
                                    struct sframe_table *table, struct cairn_fault *fault);

/* Return the address range of function `index`, which must be less than table->functions. */
void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size);

/* Read function `index` and check all its fields. */
enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault);

/*
 * Find the function that contains `va` by binary search. The table must be sorted: either
 * sframe_is_sorted() returned true, or the caller trusts SFRAME_FLAG_SORTED.
 */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index);

/* Return true if the functions are in ascending order. This does not rely on the flag. */
bool sframe_is_sorted(const struct sframe_table *table);

/*
 * Correct the base of the table, given that its code lies in [low, high): if no function starts
 * there, but all would with the other base, use the other base. Return true if the base changed.
 */
bool sframe_correct_base(struct sframe_table *table, uint64_t low, uint64_t high);

struct sframe_rows sframe_rows(const struct sframe_table *table,
                               const struct sframe_function *function);
bool sframe_next_row(struct sframe_rows *rows, struct sframe_row *row);

/* Set *rule from one row, except for rule->start and rule->end, which depend on the next row. */
enum cairn_status sframe_rule(const struct sframe_table *table,
                              const struct sframe_function *function, const struct sframe_row *row,
                              struct cairn_rule *rule, struct cairn_fault *fault);

/* Correct the rule of a row that a linker is known to write incorrectly, and set rule->patched. */
void sframe_correct_rule(const struct sframe_table *table, const struct sframe_function *function,
                         const struct sframe_row *row, struct cairn_rule *rule);

/* Find the rule in force at `va`, which lies in `function`, and its address range. */
enum cairn_status sframe_find_rule(const struct sframe_table *table,
                                   const struct sframe_function *function, uint64_t va,
                                   struct cairn_rule *rule, struct cairn_fault *fault);

/*
 * Return the number of words, and the size of each in bytes, from a row's info byte. The size is 0
 * for the undefined code.
 */
unsigned sframe_row_words(uint8_t info);
unsigned sframe_word_size(uint8_t info);

#endif
