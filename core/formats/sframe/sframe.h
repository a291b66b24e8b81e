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
 *				continue; ... the other functions remain valid
 *			struct sframe_rows rows = sframe_rows(&table, &f);
 *			while (sframe_next_row(&rows, &row))
 *				sframe_rule(&table, &f, &row, &rule, &fault);
 *		}
 *
 * In a sorted table, sframe_find() finds the function and sframe_find_rule() the rule by search.
 * The reader does not allocate or copy: a table refers to the caller's bytes.
 * unwind/tables/sframe_rules.h builds an index over unsorted tables.
 */
#ifndef CAIRN_FORMATS_SFRAME_H
#define CAIRN_FORMATS_SFRAME_H

#include <cairn.h>

enum {
	SFRAME_HEADER = 28,
	SFRAME_FLAGS_AT = 3,
	SFRAME_FLAG_SORTED = 0x1,
	SFRAME_FLAG_FRAME_POINTER = 0x2,
	SFRAME_FLAG_FIELD_RELATIVE = 0x4,
	/* size of a repeated block in version 1, which does not store the size */
	SFRAME_V1_REPEAT = 16,
	SFRAME_MAX_WORDS = 15,
};

/*
 * Differences between versions. A new version needs an element in layouts[] in sframe.c, and code
 * only for differences that these members cannot express.
 */
struct sframe_layout {
	uint8_t record_size;
	/* bytes per function start, the first field of a record: 4 (signed) or 8 */
	uint8_t start_size;
	/* size of the attributes before a function's rows; 0 if they are in the record */
	uint8_t attribute_size;
	uint8_t flags; /* mask of the SFRAME_FLAG_* that the version defines */
	/*
	 * the version stores the size of a repeated block; otherwise, the size is SFRAME_V1_REPEAT
	 */
	bool has_repeat;
	bool has_s390x;
	/* on s390x, an odd word is the number of the register that contains RA or FP */
	bool register_words;
	bool flexible;  /* rows may specify the base registers of their rules */
	bool signal;    /* functions may be marked as signal frames */
	bool outermost; /* functions without rows and rows without words mark outermost frames */
	/* in unsorted tables, each function start is relative to its own field */
	bool unsorted_by_field;
	bool writable;
	bool by_section; /* the writer can store starts relative to the table */
};

/* Return the properties of a version, or NULL if it is unknown. */
const struct sframe_layout *sframe_layout(unsigned version);

/* Address to which the function starts in a table are relative. */
enum sframe_base {
	SFRAME_BASE_SECTION,
	SFRAME_BASE_FIELD, /* start field of the function's record */
	/* no base: the caller supplies the function starts, taken from relocations */
	SFRAME_BASE_GIVEN,
};

struct sframe_table {
	struct cairn_bytes bytes; /* header, records and rows of this table only */
	size_t offset;            /* offset of the table in the section */
	uint64_t address;         /* link-time address of the table */
	enum sframe_base base;
	/* for SFRAME_BASE_GIVEN: one start per function, SFRAME_NO_START if unknown */
	const uint64_t *starts;
	enum cairn_machine machine;
	bool big;
	const struct sframe_layout *layout;
	uint8_t version, flags, abi;
	int8_t fixed_fp, fixed_ra;
	uint8_t aux_size;
	uint8_t record_size;
	uint32_t functions;
	uint32_t claimed_rows; /* number of rows according to the header, which may be wrong */
	size_t records_at;
	size_t rows_at, rows_size;
};

#define SFRAME_NO_START UINT64_MAX

/*
 * Return false if the function has no address. In relocatable files, functions without a relocation
 * have no address.
 */
static inline bool sframe_is_placed(const struct sframe_table *table, uint64_t start)
{
	return table->base != SFRAME_BASE_GIVEN || start != SFRAME_NO_START;
}

/*
 * Return true if return addresses may be signed on the table's machine. On other machines, ignore
 * the bits that mark signed return addresses.
 */
static inline bool sframe_signs(const struct sframe_table *table)
{
	return table->machine == CAIRN_MACHINE_AARCH64;
}

struct sframe_function {
	uint64_t start; /* virtual address, or SFRAME_NO_START */
	uint32_t size;
	uint32_t rows;
	size_t record;  /* offset of the function record in the section, for messages */
	size_t rows_at; /* offset of the first row in table.bytes */
	uint8_t width;  /* size of a row's start field: 1, 2 or 4 bytes */
	uint8_t repeat; /* size of the repeated block if `masked`, otherwise 0 */
	/* the function repeats one block of instructions, for example PLT entries */
	bool masked;
	bool flexible;
	bool signal, key_b;
};

struct sframe_row {
	uint32_t start; /* offset from the start of the function or, if masked, of the block */
	uint8_t info;
	size_t at;
	size_t words; /* offset of the row's first word in table.bytes */
};

struct sframe_rows {
	const struct sframe_table *table;
	uint32_t left;
	uint8_t width;
	bool started;
	/* start of the last row read, even if it was damaged and ended the iteration */
	uint32_t previous;
	size_t at;
	/* set if the iteration ended early; fault.offset is relative to the section */
	struct cairn_fault fault;
};

/*
 * Read the table at *at in the section and advance *at past it. `address` is the address of the
 * section's first byte. Return CAIRN_NOT_FOUND at the end, also for an empty section. Any other
 * failure ends the iteration and sets *fault, whose offset is relative to the section. The tables
 * before the damage remain valid.
 */
enum cairn_status sframe_next_table(struct cairn_bytes section, uint64_t address, size_t *at,
                                    struct sframe_table *table, struct cairn_fault *fault);

void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size);

enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault);

/*
 * Find the function that contains `va` by binary search. Call this only if sframe_is_sorted() has
 * returned true, or if the caller trusts SFRAME_FLAG_SORTED.
 */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index);

/* Return true if the functions are in ascending order, regardless of SFRAME_FLAG_SORTED. */
bool sframe_is_sorted(const struct sframe_table *table);

/*
 * Correct the base of the function starts, given that the code of the table lies in [low, high). If
 * no function starts in this range, but all would with the other base, use the other base and
 * return true.
 */
bool sframe_correct_base(struct sframe_table *table, uint64_t low, uint64_t high);

struct sframe_rows sframe_rows(const struct sframe_table *table,
                               const struct sframe_function *function);
bool sframe_next_row(struct sframe_rows *rows, struct sframe_row *row);

/* Convert one row to *rule, except for rule->start and rule->end, which depend on the next row. */
enum cairn_status sframe_rule(const struct sframe_table *table,
                              const struct sframe_function *function, const struct sframe_row *row,
                              struct cairn_rule *rule, struct cairn_fault *fault);

/*
 * If the rule is one that a linker is known to write incorrectly, correct it and set rule->patched.
 */
void sframe_correct_rule(const struct sframe_table *table, const struct sframe_function *function,
                         const struct sframe_row *row, struct cairn_rule *rule);

/* Find the rule that applies at `va`, which lies in `function`, and its address range. */
enum cairn_status sframe_find_rule(const struct sframe_table *table,
                                   const struct sframe_function *function, uint64_t va,
                                   struct cairn_rule *rule, struct cairn_fault *fault);

/*
 * Decode the info byte of a row: return the number of words in the row, or the size of each word in
 * bytes. The size is 0 if the size code is undefined.
 */
unsigned sframe_row_words(uint8_t info);
unsigned sframe_word_size(uint8_t info);

#endif
