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
 * async-signal-safe and thread-safe. symbols/lookup/gsym_cache.h caches decoded functions.
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
	/* maximum inlining depth at one address; compilers stay below 100 */
	GSYM_MAX_LEVELS = 1024,
};

/* Type of a block in a function record. */
enum gsym_type {
	GSYM_END = 0,
	GSYM_LINES = 1,
	GSYM_INLINES = 2,
	GSYM_MERGED = 3,
	GSYM_CALLS = 4,
	/* cairn's own block type, used only in its cache files; see lookup.c */
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
	/* file contents starting with the header; all offsets are relative to it */
	struct cairn_bytes bytes;
	struct cairn_bytes strings; /* string table, which may be outside `bytes` */
	struct cairn_bytes uuid;
	uint64_t strings_at;
	uint64_t base; /* base address of function starts */
	size_t addresses_at, infos_at, files_at;
	size_t records_at, records_size; /* base and limit of the record offsets in the file */
	uint32_t functions, files;
	uint8_t version, address_size;
	bool big;
};

struct gsym_function {
	uint64_t start;
	uint32_t size;  /* function size; if 0, the function extends to the start of the next one */
	uint32_t index; /* index in the address table */
	uint64_t name;  /* offset in the string table */
	size_t at;      /* file offset of the function record */
	size_t blocks;  /* file offset of the record's first block */
	size_t end;     /* upper limit for the end of the record */
	bool is_merged; /* the record comes from a GSYM_MERGED block */
};

struct gsym_block {
	uint32_t type;
	size_t at; /* file offset of the block header, which has 8 bytes and precedes the data */
	struct cairn_bytes data;
};

struct gsym_file {
	struct cairn_bytes directory, name;
	bool empty; /* entry {0, 0}, which means that there is no file */
};

/* Open a complete file, or a section that contains its own strings. */
enum cairn_status gsym_open(struct cairn_bytes bytes, struct gsym *gsym, struct cairn_fault *fault);

/*
 * Open a GSYM section whose string table is elsewhere in the containing file. gsym_strings_extent()
 * reads the table's location from the header; the caller then passes the table's contents to
 * gsym_open_with_strings().
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
 * Read the directory entry at *at and advance *at, which is 0 for the first. Return false at the
 * entry that ends the directory.
 */
bool gsym_next_entry(const struct gsym *gsym, size_t *at, struct gsym_entry *entry);

/*
 * Find the location of the build ID in the file. `head` contains its first bytes: the header of
 * version 1, or the header and directory of version 2. Return false if it is too short or there is
 * no build ID.
 */
bool gsym_find_uuid(struct cairn_bytes head, struct cairn_range *place);

/* Return true if the bytes start with the magic number, in either byte order. */
bool gsym_has_magic(struct cairn_bytes bytes);

/* Return the size of a string offset in records. */
static inline unsigned gsym_strp_size(const struct gsym *gsym)
{
	return gsym->version == 1 ? 4 : 8;
}

/*
 * Return true if the offset lies in the string table, or if the index lies in the file table and
 * the entry's strings are valid. These checks are cheaper than reading the string.
 */
static inline bool gsym_has_string(const struct gsym *gsym, uint64_t offset)
{
	return offset == 0 || offset < gsym->strings.size;
}

bool gsym_has_file(const struct gsym *gsym, uint64_t index);

/*
 * Get the string at an offset of the string table. Return false and an empty string if the offset
 * is past the end of the table.
 */
bool gsym_string(const struct gsym *gsym, uint64_t offset, struct cairn_bytes *text);

/*
 * Read entry `index` of the file table. Return false if there is no such entry or its strings are
 * outside the string table.
 */
bool gsym_file(const struct gsym *gsym, uint64_t index, struct gsym_file *file);

/*
 * Read the string offsets in entry `index` of the file table; `index` must be less than
 * gsym->files.
 */
void gsym_file_offsets(const struct gsym *gsym, uint32_t index, uint64_t *directory,
                       uint64_t *name);

/*
 * Return data of function `index`: its start relative to the base (gsym_offset), the offset of its
 * record (gsym_info), or the file offset of the table entry that contains the record offset
 * (gsym_info_at).
 */
static inline uint64_t gsym_offset(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->address_size;

	return bytes_unsigned(gsym->bytes.data + gsym->addresses_at + index * width, width,
	                      gsym->big);
}

uint64_t gsym_info(const struct gsym *gsym, uint32_t index);
size_t gsym_info_at(const struct gsym *gsym, uint32_t index);

/* Read the record of function `index`, which must be less than gsym->functions. */
enum cairn_status gsym_function(const struct gsym *gsym, uint32_t index,
                                struct gsym_function *function, struct cairn_fault *fault);

/*
 * Iterator over the blocks of a record. At the end, blocks.in.fault is set if the record was
 * truncated.
 */
struct gsym_blocks {
	struct reader in;
	bool done;
};

struct gsym_blocks gsym_blocks(const struct gsym *gsym, const struct gsym_function *function);
bool gsym_next_block(struct gsym_blocks *blocks, struct gsym_block *block);

/* A row of a line table. It applies up to the address of the next row. */
struct gsym_row {
	uint64_t va;
	uint32_t file, line;
};

struct gsym_rows {
	const uint8_t *next, *end;
	uint64_t va;
	/* number of line steps that a special opcode can express, minus 1 */
	uint64_t span;
	int64_t low;
	uint32_t file, line;
	/*
	 * 2^16 / (span + 1), rounded up, to divide by multiplication; 0 if special opcodes never
	 * advance the address
	 */
	uint32_t inverse;
	bool backward; /* the range of line steps is empty, so special opcodes are invalid */
	bool done;
	/*
	 * the table has cairn's flags for statements and prologues (see lines.c); without them,
	 * statement, prologue_end and apart are always false
	 */
	bool marked;
	bool statement, prologue_end, apart;
	unsigned marks; /* number of zero line steps ("marks") read since the last row */
	size_t data_at; /* file offset of the block's data */
	size_t table_size;
	struct cairn_fault fault;
};

/* Open a line table. `start` is the start of the function. */
struct gsym_rows gsym_rows(const struct gsym_block *lines, uint64_t start);
bool gsym_next_row(struct gsym_rows *rows, struct gsym_row *row);

/*
 * Find the row that applies at `va`: the last one before the first row that starts after `va`.
 * Return false if not found.
 */
bool gsym_find_row(struct gsym_rows *rows, uint64_t va, struct gsym_row *row);

/* A contiguous address range in the code of an inlined call. */
struct gsym_range {
	uint64_t start, size;
};

/*
 * A node of an inline tree. The root is the function itself. If the last of several ranges is
 * empty, it is not code but a marker that cairn writes for debuggers and that lookups ignore. In a
 * call, its start is the address at which the call is entered, possibly in another part of a split
 * function. In the root, it means that the function is split.
 */
struct gsym_inline {
	uint32_t at;    /* offset of the node in the block data */
	uint32_t depth; /* depth in the tree; 0 for the root */
	uint64_t first; /* start of the node's first range */
	uint64_t ranges;
	uint32_t ranges_at; /* offset of the first range in the block data */
	/* offset in the block data of the fields after the ranges: has_children, then the name */
	uint32_t fixed_at;
	uint32_t end;  /* end of the node without its children, as an offset in the block data */
	uint64_t base; /* address that the node's ranges are relative to */
	uint64_t name, file, line;
	bool has_children;
};

/* The inline tree of one function, and the first fault in it. */
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
 * Read the node at `at`, whose ranges are relative to `base`. Return false at the end of a list of
 * siblings or after damage.
 */
bool gsym_inline_at(struct gsym_tree *tree, uint32_t at, uint64_t base, struct gsym_inline *node);

bool gsym_next_range(const struct gsym_tree *tree, const struct gsym_inline *node, uint32_t *at,
                     uint64_t *left, struct gsym_range *range);

/* Iterator over all nodes, parents before their children. */
struct gsym_nodes {
	struct gsym_tree tree;
	uint32_t at, depth;
	bool started, done;
	uint64_t bases[GSYM_MAX_LEVELS + 1];
};

/* Start an iteration. `nodes` is large, so the caller supplies it. */
void gsym_nodes_begin(struct gsym_nodes *nodes, const struct gsym_tree *tree);
bool gsym_next_node(struct gsym_nodes *nodes, struct gsym_inline *node);

/*
 * Find the innermost node that contains `va`. Store in levels[] the offsets of the nodes on the
 * path from the root to that node, excluding the root. Return their number: 0 if there is no
 * inlined call, or if the tree is damaged, which sets tree->fault.
 */
unsigned gsym_find_inlines(struct gsym_tree *tree, uint64_t va, uint32_t levels[GSYM_MAX_LEVELS],
                           struct gsym_inline *innermost);

/*
 * Iterator over functions that share the code of another function, because the linker merged
 * identical code.
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

/* A call site: its return address and the names of its possible callees. */
struct gsym_call {
	uint64_t return_offset; /* offset from the start of the function */
	uint8_t flags;
	uint32_t names;
	size_t names_at; /* file offset of the string offset of the first name */
};

enum { GSYM_CALL_INTERNAL = 1, GSYM_CALL_EXTERNAL = 2 };

struct gsym_calls {
	const struct gsym *gsym;
	struct reader in;
	uint32_t count, left;
};

struct gsym_calls gsym_calls(const struct gsym *gsym, const struct gsym_block *calls);
bool gsym_next_call(struct gsym_calls *calls, struct gsym_call *call);

/*
 * Return name `index` of a call site as an offset in the string table; `index` must be less than
 * call->names.
 */
uint64_t gsym_call_name(const struct gsym *gsym, const struct gsym_call *call, uint32_t index);

/*
 * Highest function ends, which bound the search for an enclosing function when ranges are nested.
 * Each element describes a group of GSYM_REACH_STEP functions: the highest last byte, relative to
 * the base, in the group (`own`) and in all groups up to it (`all`). gsym_reach_fill() fills in an
 * array of gsym_reach_count() elements. Without the array, a lookup for an address outside all
 * functions reads every earlier function.
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
 * Find the function that contains `va`. Candidates are first the functions that share the highest
 * start at or before `va`: the shortest one that contains `va` wins, then one without size. If none
 * qualifies, use the nearest earlier function that contains `va`. `reach` may be NULL. A record
 * that cannot be read is skipped unless no function is found.
 */
enum cairn_status gsym_find_function(const struct gsym *gsym, const struct gsym_reach *reach,
                                     uint64_t va, struct gsym_function *function,
                                     struct cairn_fault *fault);

/*
 * Like gsym_find_function(), but consider only the functions that share the highest start at or
 * before `va`, so that the cost is bounded.
 */
enum cairn_status gsym_find_nearest(const struct gsym *gsym, uint64_t va,
                                    struct gsym_function *function, struct cairn_fault *fault);

/* Return the last function that starts at or before `va`, or gsym->functions if not found. */
uint32_t gsym_search(const struct gsym *gsym, uint64_t va);

/*
 * Like gsym_search(), but search only `count` functions from `first` on. Function `first` must
 * start at or before `va`.
 */
uint32_t gsym_search_among(const struct gsym *gsym, uint32_t first, uint32_t count, uint64_t va);

/* Result of a lookup: an iterator over the locations of one address, innermost first. */
struct gsym_lookup {
	const struct gsym *gsym;
	uint64_t va;
	struct gsym_function function;
	/* blocks of the function; type 0 if absent */
	struct gsym_block inlines, merged, calls, columns;
	struct cairn_fault fault; /* first fault found; locations returned before it remain valid */
	bool has_lines, has_row;
	struct gsym_row row;
	struct cairn_bytes name;
	/* source location of the next result: index in the file table, and line */
	uint64_t place_file, place_line;
	uint32_t place_column;
	size_t place_at; /* file offset from which that location was read */
	bool has_place, ended;
	struct gsym_tree tree;
	struct gsym_inline node;
	unsigned left; /* number of inlining levels not yet returned */
	uint32_t levels[GSYM_MAX_LEVELS];
};

enum cairn_status gsym_find(const struct gsym *gsym, uint64_t va, struct gsym_lookup *lookup);

/*
 * Like gsym_find(), but start with a known function, which was found earlier or is a merged
 * function.
 */
void gsym_lookup_in_function(const struct gsym *gsym, const struct gsym_function *function,
                             uint64_t va, struct gsym_lookup *lookup);

bool gsym_next_location(struct gsym_lookup *lookup, struct cairn_location *location);

/*
 * Find only the name of the function. This needs one search and reads only the start of a record.
 */
enum cairn_status gsym_find_name(const struct gsym *gsym, const struct gsym_reach *reach,
                                 uint64_t va, struct cairn_location *location,
                                 struct cairn_fault *fault);

/*
 * Return the source column of the code at `offset` from the function's start (gsym_row_column), or
 * of the call site of inlined call number `call` (gsym_call_column). Return 0 if it is unknown.
 */
uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset);
uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call);

/*
 * Iterator over a column block, which cairn writes only to its own cache. The block contains first
 * the rows, each with the offset from which it applies, and then, once `rows` is 0, the columns of
 * the inlined calls. The functions return false after the last element, or if the block is
 * truncated, which sets `at` to NULL.
 */
struct gsym_columns {
	const uint8_t *at, *end;
	uint64_t rows, offset, column;
};
struct gsym_columns gsym_columns(const struct gsym_block *columns);
bool gsym_next_column_row(struct gsym_columns *columns);
bool gsym_next_call_column(struct gsym_columns *columns);

/*
 * Limits the work of reading all functions in a file. A malicious file can contain overlapping
 * records, so that reading a megabyte takes more than a day. No writer does that, so the bytes of
 * each record are counted every time it is read, up to a multiple of the file size.
 */
enum {
	/* multiple of the file size; writers do not share bytes between records */
	GSYM_WALK_TIMES = 2,
	/* minimum limit in bytes, so that small files are not rejected */
	GSYM_WALK_LEAST = 1 << 16,
};

struct gsym_walk {
	const struct gsym *gsym;
	struct allowance bytes;
};

struct gsym_walk gsym_walk(const struct gsym *gsym);

/*
 * Call this before reading function `index`. Return false and set *fault if the limit is exceeded,
 * because the caller must then skip the function. An unreadable record is not charged; the result
 * is true.
 */
bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault);

/*
 * Lists the structural flaws of a GSYM file that gsym_open() accepts: first in the tables, then in
 * each function. A read error in a block ends the check of that block only.
 */
/* maximum number listed per function; further flaws are only counted */
enum { GSYM_FLAWS_MAX = 64 };

struct gsym_flaws {
	struct cairn_fault list[GSYM_FLAWS_MAX];
	unsigned count, more;
};

/*
 * Check the tables. The list may fill up, so start with *next = 0 and repeat the call until *next
 * is 0 again.
 */
void gsym_check_tables(const struct gsym *gsym, uint32_t *next, struct gsym_flaws *flaws);
void gsym_check_function(const struct gsym *gsym, uint32_t index, struct gsym_nodes *scratch,
                         struct gsym_flaws *flaws);

#endif
