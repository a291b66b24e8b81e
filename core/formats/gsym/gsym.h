/* SPDX-License-Identifier: MIT */
/*
 * Reads GSYM, versions 1 and 2, in either byte order, and maps addresses to functions, files, lines
 * and inlined calls. docs/formats/gsym.md describes the format.
 *
 * Opening a file validates only the header and the location of the tables, so its cost does not
 * depend on the size of the file. A record is checked when it is read.
 *
 *	struct gsym gsym;
 *	if (gsym_open(bytes, &gsym, &fault) != CAIRN_OK)
 *		...
 *	struct gsym_lookup lookup; ... 4 KB, on the stack
 *	if (gsym_find(&gsym, va, &lookup) == CAIRN_OK)
 *		while (gsym_next_location(&lookup, &location))
 *			... innermost first; afterwards lookup.fault has the first fault
 *
 * To read the whole file, call gsym_function() for each index, then gsym_next_block(), and use the
 * iterator of the block's type. gsym_check_*() find every structural flaw.
 *
 * The reader does not allocate, modify the file's bytes or keep global state, so lookups are
 * async-signal-safe and thread-safe. symbols/gsym_cache.h caches decoded functions.
 */
#ifndef CAIRN_FORMATS_GSYM_H
#define CAIRN_FORMATS_GSYM_H

#include "base/allowance.h"
#include "base/bytes.h"
#include "base/reader.h"

#include <cairn.h>

enum {
	GSYM_MAGIC = 0x4753594d,
	GSYM_HEADER_V1 = 48,
	GSYM_HEADER_V2 = 20,
	GSYM_UUID_MAX_V1 = 20,
	/* maximum number of inlined calls nested at one address; compilers stay below 100 */
	GSYM_MAX_LEVELS = 1024,
};

enum gsym_type {
	GSYM_END = 0,
	GSYM_LINES = 1,
	GSYM_INLINES = 2,
	GSYM_MERGED = 3,
	GSYM_CALLS = 4,
	/* cairn's own block type, used only in its cache files (see lookup.c) */
	GSYM_COLUMNS = 0x6c6f6363,
};

enum gsym_section {
	GSYM_SECTION_END = 0,
	GSYM_SECTION_ADDRESSES = 1,
	GSYM_SECTION_INFOS = 2,
	GSYM_SECTION_STRINGS = 3,
	GSYM_SECTION_FILES = 4,
	GSYM_SECTION_RECORDS = 5,
	GSYM_SECTION_UUID = 6,
	GSYM_SECTIONS = 7,
};

struct gsym {
	/* file contents from the header on; all file offsets are relative to the header */
	struct cairn_bytes bytes;
	struct cairn_bytes strings; /* string table, possibly outside `bytes` */
	struct cairn_bytes uuid;
	uint64_t strings_at;
	uint64_t base; /* base address, to which the offsets in the address table are relative */
	size_t addresses_at, infos_at, files_at;
	/*
	 * record offsets in the file are relative to `records_at`, and must be below `records_size`
	 */
	size_t records_at, records_size;
	uint32_t functions, files;
	uint8_t version, address_size;
	bool big;
};

struct gsym_function {
	uint64_t start;
	uint32_t size; /* 0 if the function extends to the start of the next one */
	uint32_t index;
	uint64_t name;  /* offset in the string table */
	size_t at;      /* file offset of the record */
	size_t blocks;  /* file offset of the first block */
	size_t end;     /* the record must end at or before this file offset */
	bool is_merged; /* the record was read from a GSYM_MERGED block */
};

struct gsym_block {
	uint32_t type;
	size_t at; /* file offset of the 8-byte block header, which precedes the data */
	struct cairn_bytes data;
};

struct gsym_file {
	struct cairn_bytes directory, name;
	bool empty; /* the entry is {0, 0}, which stands for an unknown file */
};

/* Open a GSYM file, or a section that contains its own string table. */
enum cairn_status gsym_open(struct cairn_bytes bytes, struct gsym *gsym, struct cairn_fault *fault);

/*
 * Open a GSYM section whose string table is elsewhere in the ELF file: read the table's location
 * with gsym_strings_extent(), then pass its contents to gsym_open_with_strings().
 */
enum cairn_status gsym_strings_extent(struct cairn_bytes bytes, uint64_t *offset, uint64_t *size,
                                      struct cairn_fault *fault);
enum cairn_status gsym_open_with_strings(struct cairn_bytes bytes, struct cairn_bytes strings,
                                         struct gsym *gsym, struct cairn_fault *fault);

struct gsym_entry {
	uint32_t type;
	uint64_t offset, size;
};

/*
 * Read the directory entry at *at and advance *at, which is 0 before the first call. Also return
 * true for the entry that ends the directory; return false after that entry.
 */
bool gsym_next_entry(const struct gsym *gsym, size_t *at, struct gsym_entry *entry);

/*
 * Find the location of the build ID in the file. `head` is the start of the file: the header in
 * version 1, the header and directory in version 2. Return false if `head` is too short or the file
 * has no build ID.
 */
bool gsym_find_uuid(struct cairn_bytes head, struct cairn_range *place);

bool gsym_has_magic(struct cairn_bytes bytes);

static inline unsigned gsym_strp_size(const struct gsym *gsym)
{
	return gsym->version == 1 ? 4 : 8;
}

/*
 * Return true if the offset lies in the string table, or if the index lies in the file table and
 * the entry's strings lie in the string table. Cheaper than reading the strings.
 */
static inline bool gsym_has_string(const struct gsym *gsym, uint64_t offset)
{
	return offset == 0 || offset < gsym->strings.size;
}

bool gsym_has_file(const struct gsym *gsym, uint64_t index);

/*
 * Get the string at `offset` in the string table. Return false and set an empty string if the
 * offset is past the end of the table.
 */
bool gsym_string(const struct gsym *gsym, uint64_t offset, struct cairn_bytes *text);

/*
 * Read entry `index` of the file table. Return false if the entry does not exist or its strings lie
 * outside the string table.
 */
bool gsym_file(const struct gsym *gsym, uint64_t index, struct gsym_file *file);

/* Read the string offsets in entry `index` of the file table. The entry must exist. */
void gsym_file_offsets(const struct gsym *gsym, uint32_t index, uint64_t *directory,
                       uint64_t *name);

/*
 * Read the tables for function `index`: its start relative to the base (gsym_offset), the offset of
 * its record (gsym_info), or the file offset of the entry that stores this offset (gsym_info_at).
 */
static inline uint64_t gsym_offset(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->address_size;

	return bytes_unsigned(gsym->bytes.data + gsym->addresses_at + index * width, width,
	                      gsym->big);
}

uint64_t gsym_info(const struct gsym *gsym, uint32_t index);
size_t gsym_info_at(const struct gsym *gsym, uint32_t index);

enum cairn_status gsym_function(const struct gsym *gsym, uint32_t index,
                                struct gsym_function *function, struct cairn_fault *fault);

/*
 * Iterator over the blocks of a record. After the last block, blocks.in.fault is set if the record
 * was truncated.
 */
struct gsym_blocks {
	struct reader in;
	bool done;
};

struct gsym_blocks gsym_blocks(const struct gsym *gsym, const struct gsym_function *function);
bool gsym_next_block(struct gsym_blocks *blocks, struct gsym_block *block);

/* A row of a line table, valid up to the address of the next row. */
struct gsym_row {
	uint64_t va;
	uint32_t file, line;
};

struct gsym_rows {
	const uint8_t *next, *end;
	uint64_t va;
	/* number of line steps that special opcodes can express, minus 1 */
	uint64_t span;
	int64_t low;
	uint32_t file, line;
	/*
	 * 2^16 / (span + 1), rounded up, which replaces the division by a multiplication; 0 if
	 * special opcodes never advance the address
	 */
	uint32_t inverse;
	/* the upper bound of the line steps is below `low`, so special opcodes are invalid */
	bool backward;
	bool done;
	/*
	 * the table has cairn's flags for statements and prologues (see lines.c); otherwise
	 * statement, prologue_end and apart are always false
	 */
	bool marked;
	bool statement, prologue_end, apart;
	unsigned marks; /* number of marks since the last row; a mark is a line step of 0 */
	size_t data_at; /* file offset of the block data */
	size_t table_size;
	struct cairn_fault fault;
};

struct gsym_rows gsym_rows(const struct gsym_block *lines, uint64_t start);
bool gsym_next_row(struct gsym_rows *rows, struct gsym_row *row);

/*
 * Find the row that applies at `va`: the last one before the first row that starts after `va`.
 * Return false if no row applies.
 */
bool gsym_find_row(struct gsym_rows *rows, uint64_t va, struct gsym_row *row);

struct gsym_range {
	uint64_t start, size;
};

/*
 * A node of an inline tree. The root is the function itself.
 *
 * cairn writes a marker for debuggers, which lookups ignore: an empty range after the other ranges.
 * In an inlined call, the start of this range is the address where the call is entered, possibly in
 * another part of a split function. In the root, the marker means that the function is split. All
 * offsets are relative to the block data.
 */
struct gsym_inline {
	uint32_t at;    /* offset of the node */
	uint32_t depth; /* 0 for the root */
	uint64_t first;
	uint64_t ranges;
	uint32_t ranges_at; /* offset of the first range */
	/* offset of the first field after the ranges: has_children, then the name */
	uint32_t fixed_at;
	uint32_t end; /* offset of the node's end, where its children begin */
	/* start of the parent's first range; the ranges of this node are relative to it */
	uint64_t base;
	uint64_t name, file, line;
	bool has_children;
};

/* Inline tree of one function, and the first fault found in it. */
struct gsym_tree {
	struct cairn_bytes data;
	size_t data_at; /* file offset of the block data */
	uint64_t start;
	unsigned strp_size;
	bool big;
	struct cairn_fault fault;
};

struct gsym_tree gsym_tree(const struct gsym *gsym, const struct gsym_block *inlines,
                           uint64_t start);

/*
 * Read the node at offset `at`, whose ranges are relative to `base`. Return false at the end of a
 * list of siblings, or if the node is damaged.
 */
bool gsym_inline_at(struct gsym_tree *tree, uint32_t at, uint64_t base, struct gsym_inline *node);

bool gsym_next_range(const struct gsym_tree *tree, const struct gsym_inline *node, uint32_t *at,
                     uint64_t *left, struct gsym_range *range);

/*
 * Iterator over all nodes, parents before their children. Callers allocate it, because it is large.
 */
struct gsym_nodes {
	struct gsym_tree tree;
	uint32_t at, depth;
	bool started, done;
	uint64_t bases[GSYM_MAX_LEVELS + 1];
};

void gsym_nodes_begin(struct gsym_nodes *nodes, const struct gsym_tree *tree);
bool gsym_next_node(struct gsym_nodes *nodes, struct gsym_inline *node);

/*
 * Find the innermost inlined call that contains `va`. Store in levels[] the offsets of the nodes on
 * the path from the root (exclusive) to this call, and return the length of the path. Return 0 if
 * `va` is not in an inlined call. If the tree is damaged, also return 0, and set tree->fault.
 */
unsigned gsym_find_inlines(struct gsym_tree *tree, uint64_t va, uint32_t levels[GSYM_MAX_LEVELS],
                           struct gsym_inline *innermost);

/*
 * Iterator over functions that share another function's code, because the linker merged identical
 * code.
 */
struct gsym_merged {
	const struct gsym *gsym;
	struct reader in;
	uint64_t start;
	uint32_t index;
	uint32_t count, left;
};

struct gsym_merged gsym_merged(const struct gsym *gsym, const struct gsym_function *owner,
                               const struct gsym_block *merged);
bool gsym_next_merged(struct gsym_merged *merged, struct gsym_function *function);

struct gsym_call {
	uint64_t return_offset; /* return address relative to the start of the function */
	uint8_t flags;
	uint32_t names;
	size_t names_at; /* file offset of the callees' string offsets */
};

enum { GSYM_CALL_INTERNAL = 1, GSYM_CALL_EXTERNAL = 2 };

struct gsym_calls {
	const struct gsym *gsym;
	struct reader in;
	uint32_t count, left;
};

struct gsym_calls gsym_calls(const struct gsym *gsym, const struct gsym_block *calls);
bool gsym_next_call(struct gsym_calls *calls, struct gsym_call *call);

/* Return the string offset of possible callee `index`, which must be less than call->names. */
uint64_t gsym_call_name(const struct gsym *gsym, const struct gsym_call *call, uint32_t index);

/*
 * Highest function ends, which bound the search for an enclosing function when functions are
 * nested. Each element describes a group of GSYM_REACH_STEP functions: the highest last byte,
 * relative to the base, in this group (`own`), and in this and all earlier groups (`all`).
 * gsym_reach_fill() fills an array of gsym_reach_count() elements. Without the array, a lookup of
 * an address outside all functions would read every earlier function.
 */
enum { GSYM_REACH_STEP = 64 };

struct gsym_reach {
	uint64_t own, all;
};

static inline size_t gsym_reach_count(const struct gsym *gsym)
{
	return ((size_t)gsym->functions + GSYM_REACH_STEP - 1) / GSYM_REACH_STEP;
}

void gsym_reach_fill(const struct gsym *gsym, struct gsym_reach *reach);

/*
 * Find the function that contains `va`. Among the functions that share the highest start at or
 * below `va`, prefer the shortest one that contains `va`, then one of unknown size. If none
 * qualifies, use the nearest earlier function that contains `va`. `reach` may be NULL. Skip
 * unreadable records; report their fault only if no function is found.
 */
enum cairn_status gsym_find_function(const struct gsym *gsym, const struct gsym_reach *reach,
                                     uint64_t va, struct gsym_function *function,
                                     struct cairn_fault *fault);

/*
 * Like gsym_find_function(), but search only the functions that share the highest start at or below
 * `va`, which bounds the cost.
 */
enum cairn_status gsym_find_nearest(const struct gsym *gsym, uint64_t va,
                                    struct gsym_function *function, struct cairn_fault *fault);

/*
 * Return the index of the last function that starts at or below `va`, or gsym->functions if there
 * is no such function.
 */
uint32_t gsym_search(const struct gsym *gsym, uint64_t va);

/*
 * Like gsym_search(), but search only the `count` functions from index `first` on. Function `first`
 * must start at or below `va`.
 */
uint32_t gsym_search_among(const struct gsym *gsym, uint32_t first, uint32_t count, uint64_t va);

/* Result of a lookup: an iterator over the locations of one address, innermost first. */
struct gsym_lookup {
	const struct gsym *gsym;
	uint64_t va;
	struct gsym_function function;
	/* blocks of the function; type GSYM_END if absent */
	struct gsym_block inlines, merged, calls, columns;
	struct cairn_fault fault; /* first fault; locations returned before it remain valid */
	bool has_lines, has_row;
	struct gsym_row row;
	struct cairn_bytes name;
	/* source location of the next result; `place_file` is an index in the file table */
	uint64_t place_file, place_line;
	uint32_t place_column;
	size_t place_at; /* file offset of the source location of the next result */
	bool has_place, ended;
	struct gsym_tree tree;
	struct gsym_inline node;
	unsigned left; /* number of inlined calls that have not been returned yet */
	uint32_t levels[GSYM_MAX_LEVELS];
};

enum cairn_status gsym_find(const struct gsym *gsym, uint64_t va, struct gsym_lookup *lookup);

/* Like gsym_find(), for a function that is already known, for example a merged one. */
void gsym_lookup_in_function(const struct gsym *gsym, const struct gsym_function *function,
                             uint64_t va, struct gsym_lookup *lookup);

bool gsym_next_location(struct gsym_lookup *lookup, struct cairn_location *location);

/* Find only the function's name, which takes one search and reads only the start of a record. */
enum cairn_status gsym_find_name(const struct gsym *gsym, const struct gsym_reach *reach,
                                 uint64_t va, struct cairn_location *location,
                                 struct cairn_fault *fault);

/*
 * Return the source column at `offset` from the start of the function, or of the call site of
 * inlined call `call`. Return 0 if the column is unknown.
 */
uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset);
uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call);

/*
 * Iterator over a column block, which cairn writes only to its own cache. The block contains rows,
 * each with the offset from which its column applies, followed by the columns of the inlined calls.
 * Read all rows before the columns of the calls. The functions return false after the last element.
 * If the block is truncated, they also return false, and set `at` to NULL.
 */
struct gsym_columns {
	const uint8_t *at, *end;
	uint64_t rows, offset, column;
};
struct gsym_columns gsym_columns(const struct gsym_block *columns);
bool gsym_next_column_row(struct gsym_columns *columns);
bool gsym_next_call_column(struct gsym_columns *columns);

/*
 * Limits the cost of reading all functions in a file. In a malicious file, records can overlap such
 * that reading a megabyte takes more than a day. Because writers do not share bytes between
 * records, a record's size counts against the limit each time the record is read. The limit is
 * GSYM_WALK_TIMES bytes per byte of the file plus GSYM_WALK_LEAST, so that small files are not
 * rejected.
 */
enum {
	GSYM_WALK_TIMES = 2,
	GSYM_WALK_LEAST = 1 << 16,
};

struct gsym_walk {
	const struct gsym *gsym;
	struct allowance bytes;
};

struct gsym_walk gsym_walk(const struct gsym *gsym);

/*
 * Count the size of function `index` against the limit; call this before reading the function.
 * Return false and set *fault if the limit is exceeded; the caller must then skip the function.
 * Unreadable records cost nothing.
 */
bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault);

/*
 * Lists the structural flaws of a GSYM file that gsym_open() accepts: first those in the tables,
 * then those in each function. A read error in a block ends the check of that block only. Each call
 * lists at most GSYM_FLAWS_MAX flaws and counts the others.
 */
enum { GSYM_FLAWS_MAX = 64 };

struct gsym_flaws {
	struct cairn_fault list[GSYM_FLAWS_MAX];
	unsigned count, more;
};

/*
 * Check the tables. Set *next to 0 before the first call, and repeat the call until *next is 0
 * again, because the list of flaws may fill up.
 */
void gsym_check_tables(const struct gsym *gsym, uint32_t *next, struct gsym_flaws *flaws);
void gsym_check_function(const struct gsym *gsym, uint32_t index, struct gsym_nodes *scratch,
                         struct gsym_flaws *flaws);

#endif
