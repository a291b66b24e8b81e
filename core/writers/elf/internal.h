/* SPDX-License-Identifier: MIT */
/*
 * Private definitions of the symbol object writer: its state, its records of functions, and helpers
 * shared by its source files.
 */
#ifndef CAIRN_WRITERS_ELF_INTERNAL_H
#define CAIRN_WRITERS_ELF_INTERNAL_H

#include "object_writer.h"

#include "base/function.h"
#include "base/range.h"
#include "base/table.h"

enum {
	/*
	 * Number of functions per compilation unit. Debuggers read whole units, so large units make
	 * GDB read more than it needs, but each unit adds a header.
	 */
	ELF_WRITER_UNIT_FUNCTIONS = 8,
	/* maximum depth of inlined calls; compilers stay below 100, and readers recurse */
	ELF_WRITER_LEVELS = 256,
	ELF_WRITER_CODE_SECTIONS = 64,
	/* maximum number of scopes around a function; functions with more get no scopes */
	ELF_WRITER_SCOPES = 16,
	/* parts of .gdb_index: header, units, addresses, slots, vectors and strings */
	ELF_WRITER_INDEX_PARTS = 6,
};

struct elf_writer_function {
	uint64_t start, end; /* `end` may be 0 (unknown) until elf_writer_assign_code() */
	size_t record;
	size_t calls_at;
	/* range of elements in `own` that were assigned to the function */
	size_t first, pieces;
	uint32_t order;
	uint32_t name;
	uint32_t rows, calls;
	size_t ranges;
	bool statements;
	/*
	 * The function is the hot or the cold part of a split function, so an inlined call that
	 * continues in the other part may have its entry in that part.
	 */
	bool is_parted;
	/*
	 * gcc may have optimized the function: the symbols have statement flags, and rows or
	 * inlined calls that gcc writes only for optimized code
	 */
	bool is_marked;
	bool ends_prologue;
	/* at least one row has `apart` set and is a separate breakpoint location */
	bool has_apart;
	/* has the same range as the previous function, so it gets a symbol but no DWARF */
	bool is_twin;
	/* has no lines although other functions in its unit do, so it gets a symbol but no DWARF */
	bool is_bare;
	/*
	 * index, plus 1, of the cold part split off from this function; 0 if there is no cold part
	 */
	uint32_t cold;
	/*
	 * index, plus 1, of the function that this cold part was split off from; 0 for other
	 * functions
	 */
	uint32_t parent;
};

struct elf_writer_file {
	uint32_t path;
	uint32_t name; /* offset of the file name after the last slash in the path */
	uint32_t directory;
	/*
	 * index, plus 1, of the file in the unit being written; 0 if the unit does not use the file
	 */
	uint32_t local;
};

struct elf_writer_piece {
	struct cairn_range range;
	size_t function;
};

struct elf_writer_unit {
	size_t first, count;
	size_t ranges_at;
	size_t ranges;
};

struct elf_writer_code_section {
	struct cairn_range range;
};

struct elf_writer {
	struct cairn_object_options options;
	const struct frame_table *frames;
	size_t limit;
	unsigned word;
	bool failed;
	bool entries; /* at least one call is not entered at the start of its first range */
	struct byte_buffer records;
	struct elf_writer_function *function;
	size_t functions, function_capacity;
	struct interner names, paths;
	uint32_t here;
	struct elf_writer_file *file;
	size_t file_capacity;
	/*
	 * total number of bytes by which demangled names exceed USUAL_RATIO times the size of their
	 * mangled names (names.c)
	 */
	size_t text_beyond;
	char *path;
	size_t path_capacity;
	/* for each name number, index in `parts` plus 1; 0 if the name has not been parsed */
	uint32_t *parts_at;
	size_t parts_at_capacity;
	/*
	 * for each parsed name: number of the last component, number of scopes, and numbers of the
	 * scopes
	 */
	uint32_t *parts;
	size_t parts_count, parts_capacity;
	char *clean;
	size_t clean_capacity;
	struct file_map map;
	struct elf_writer_piece *piece;
	struct cairn_range *own; /* copy of the ranges in `piece`, grouped by function */
	size_t pieces;
	struct elf_writer_unit *unit;
	struct cairn_range *unit_ranges;
	size_t units;
	struct elf_writer_code_section text[ELF_WRITER_CODE_SECTIONS];
	size_t texts;
	struct byte_buffer info, abbrev, lines, ranges, aranges, locations;
	/* little-endian parts of .gdb_index; empty if no index is written */
	struct byte_buffer index[ELF_WRITER_INDEX_PARTS];
};

/* value of elf_writer_call.name that marks a lexical scope, which is stored like an inlined call */
#define ELF_WRITER_NO_CALL UINT32_MAX

/* Inlined call to be written. Its ranges are in elf_writer_calls.ranges. */
struct elf_writer_call {
	uint32_t depth, name, file, line;
	uint64_t entry;
	size_t range, ranges;
};

struct elf_writer_calls {
	struct elf_writer_call *call;
	size_t count, call_capacity;
	struct nested_ranges ranges;
	struct elf_writer_call_level *level;
	uint32_t deepest;
};

/*
 * Add a name component to the name table and return its number, or 0 if it is too long or
 * allocation fails. The string may be inside the name table itself.
 */
uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part);

/*
 * Add a name to the name table and return its number. If its demangled form would be too large, a
 * '?' is prepended. `moves` means that the string may be freed and must be copied.
 */
uint32_t elf_writer_bounded_name(struct elf_writer *w, struct cairn_bytes name, bool moves);

/*
 * Names longer than ELF_WRITER_NAME_MAX bytes are truncated. Names longer than
 * ELF_WRITER_READABLE_MAX bytes are not parsed, because the cost of parsing grows with the length
 * and a file can use the same long name for every function.
 */
enum { ELF_WRITER_NAME_MAX = 1 << 16, ELF_WRITER_READABLE_MAX = 4096 };

/*
 * Escape an input name, remove the return type of a demangled name, add the result to the name
 * table and return its number.
 */
uint32_t elf_writer_clean_name(struct elf_writer *w, struct cairn_bytes name);

/*
 * Return true if a breakpoint on the function at `va`, which has no statement flags, belongs on its
 * first instruction. Returns false if the program's code is not available.
 */
bool object_stops_at_start(const struct elf_writer *w, uint64_t va);

/*
 * Return a name without the suffixes of compiler-generated clones: "yy_reduce" for
 * "yy_reduce.constprop.0".
 */
struct cairn_bytes elf_writer_source_name(struct cairn_bytes name);

uint32_t elf_writer_source_name_number(struct elf_writer *w, uint32_t name);

/*
 * Return true if compilers emit a local symbol for this name. This applies to clones, and to
 * entities declared inside a function ("_ZZ"). If such a symbol is global in C++, for example
 * `f().cold` or `f()::walker::step()`, GDB takes it for another location of the function f().
 */
bool elf_writer_has_local_symbol(const struct elf_writer *w, uint32_t name);

/*
 * Set part[] to the hot and cold parts of a function, in address order. Returns the number of
 * parts, 1 or 2.
 */
static inline unsigned elf_writer_function_parts(const struct elf_writer *w,
                                                 const struct elf_writer_function *f,
                                                 const struct elf_writer_function *part[2])
{
	const struct elf_writer_function *cold = f->cold ? &w->function[f->cold - 1] : NULL;

	part[0] = cold && cold->start < f->start ? cold : f;
	part[1] = part[0] == f ? cold : f;
	return cold ? 2 : 1;
}

/* Sort the functions, assign each code byte to one function, and form units and code sections. */
bool elf_writer_assign_code(struct elf_writer *w);

/*
 * The functions below read records without checking bounds, because this writer wrote them. Rows
 * are read through struct elf_writer_rows, calls through a plain pointer.
 */
static inline const uint8_t *elf_writer_calls(const struct elf_writer *w,
                                              const struct elf_writer_function *f)
{
	return w->records.data + f->calls_at;
}

static inline uint64_t elf_writer_uleb(const uint8_t **p)
{
	uint64_t value = *(*p)++;

	if (value < 0x80)
		return value;
	value &= 0x7f;
	for (unsigned shift = 7;; shift += 7) {
		uint64_t byte = *(*p)++;
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

/* Read a signed LEB128 number. Line differences fit into 34 bits, so the shift is always valid. */
static inline int64_t elf_writer_sleb(const uint8_t **p)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = *(*p)++;
		value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte >= 0x80);
	uint64_t sign = (uint64_t)1 << (shift - 1);
	return (int64_t)((value ^ sign) - sign);
}

/* Flags in the low bits of a row's path number in a record. */
enum {
	ELF_WRITER_STATEMENT = 1,
	ELF_WRITER_PROLOGUE_END = 2,
	ELF_WRITER_BREAKPOINT_ROW = 4,
	ELF_WRITER_ROW_BITS = 3,
};

/*
 * Cursor over the rows of a function; the fields describe the current row. `path` is 0 if
 * unknown.
 */
struct elf_writer_rows {
	const uint8_t *record;
	uint32_t left;
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end, apart; /* valid only if the function has statement flags */
};

static inline struct elf_writer_rows elf_writer_rows(const struct elf_writer *w,
                                                     const struct elf_writer_function *f)
{
	return (struct elf_writer_rows){ .record = w->records.data + f->record,
		                         .left = f->rows,
		                         .va = f->start };
}

static inline bool elf_writer_next_row(struct elf_writer_rows *rows)
{
	if (rows->left == 0)
		return false;
	rows->left--;
	rows->va += elf_writer_uleb(&rows->record);
	uint64_t path = elf_writer_uleb(&rows->record);
	rows->path = path >> ELF_WRITER_ROW_BITS;
	rows->statement = path & ELF_WRITER_STATEMENT;
	rows->prologue_end = path & ELF_WRITER_PROLOGUE_END;
	rows->apart = path & ELF_WRITER_BREAKPOINT_ROW;
	rows->line += elf_writer_sleb(&rows->record);
	return true;
}

bool elf_writer_calls_init(struct elf_writer_calls *calls);

void elf_writer_calls_finish(struct elf_writer_calls *calls);

/*
 * Read the calls of a function, clip them to the code assigned to the function, and remove
 * overlaps.
 */
bool elf_writer_calls_read(struct elf_writer_calls *calls, const struct elf_writer *w,
                           const struct elf_writer_function *f);

/*
 * Add a one-byte innermost scope at each row with `apart` set, so that debuggers treat the row as a
 * separate breakpoint location.
 */
bool elf_writer_calls_add_scopes(struct elf_writer_calls *calls, const struct elf_writer *w,
                                 const struct elf_writer_function *f);

/*
 * Files of the unit being written. elf_writer_local_file() adds a path if it is new and sets *local
 * to its index.
 */
struct elf_writer_local_files {
	uint32_t *file;
	size_t count, capacity;
};

bool elf_writer_local_file(struct elf_writer *w, struct elf_writer_local_files *locals,
                           uint32_t path, uint32_t *local);

/* Append the line table of a unit to w->lines. `locals` must contain all files of the unit. */
bool elf_writer_write_lines(struct elf_writer *w, const struct elf_writer_unit *unit,
                            const struct elf_writer_local_files *locals);

struct elf_writer_demangled {
	struct cairn_bytes whole, last;
};

bool elf_writer_demangled(struct cairn_bytes text, struct elf_writer_demangled *parts);

/* Write a C++ name in GDB's canonical form: "f<X const&>" for "f<const X&>". */
void elf_writer_append_canonical(struct byte_buffer *out, struct cairn_bytes name);

/* Return a name without parameters and qualifiers: "go" for "go(long) const". */
struct cairn_bytes elf_writer_without_parameters(struct cairn_bytes part);

/*
 * Return the name number of the unqualified form by which debuggers find a mangled or demangled
 * name.
 */
uint32_t elf_writer_unqualified_name(struct elf_writer *w, uint32_t name);

bool elf_writer_is_swift(const struct elf_writer *w, uint32_t name);

/* Name numbers for a DIE; `linkage` is 0 if the DIE gets no linkage name. */
struct elf_writer_debug_name {
	uint32_t name, linkage;
};

struct elf_writer_debug_name elf_writer_lldb_name(struct elf_writer *w, uint32_t name);

uint32_t elf_writer_symbol_name(struct elf_writer *w, uint32_t name);

/* Add the functions that are only in the frame table. Returns false if allocation fails. */
bool elf_writer_add_frame_functions(struct elf_writer *w);

/*
 * Names of the namespaces and classes that enclose a function, outermost first, as numbers in
 * elf_writer.names.
 */
struct elf_writer_scopes {
	uint32_t name[ELF_WRITER_SCOPES];
	size_t count;
};

bool elf_writer_is_demangled(const struct elf_writer *w, uint32_t name);

/* Let debuggers find a Rust function by `path`. The function's `name` may be mangled or plain. */
void elf_writer_set_path(struct elf_writer *w, uint32_t name, struct cairn_bytes path);

/*
 * Set `scopes` to the scopes around a function, or to an empty list if the name is unscoped or
 * allocation fails.
 */
void elf_writer_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes);

/*
 * Return the DW_LANG_* code of the language of most functions in the unit. If the functions' names
 * do not reveal a language, for example because there is only `main`, use the language of the first
 * inlined call whose name reveals one. `calls` contains the name numbers of inlined calls. Sets
 * *mangles if the language mangles names.
 */
unsigned elf_writer_language(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             const uint32_t *calls, size_t count, bool *mangles);

enum { ELF_WRITER_RUST = 0x1c, ELF_WRITER_D = 0x13 };

bool elf_writer_build_dwarf(struct elf_writer *w);

enum { ELF_WRITER_ESCAPE = 4 };

/*
 * Escape a string that must not be sent to a terminal unchanged, and set *text to the escaped
 * string, which is in w->clean until the next call. A harmless string is left as it is. Returns
 * false if allocation fails.
 */
bool elf_writer_clean_text(struct elf_writer *w, struct cairn_bytes *text);

#endif
