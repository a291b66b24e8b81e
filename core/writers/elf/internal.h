/* SPDX-License-Identifier: MIT */
/* Internals of the symbol object writer. */
#ifndef CAIRN_WRITERS_ELF_INTERNAL_H
#define CAIRN_WRITERS_ELF_INTERNAL_H

#include "object_writer.h"

#include "base/range.h"
#include "base/table.h"
#include "model/function.h"

enum {
	/*
	 * Functions per unit. Debuggers read whole units, so with large ones GDB reads more than it
	 * needs; each unit also costs a header.
	 */
	ELF_WRITER_UNIT_FUNCTIONS = 8,
	/* Nesting of inlined calls; compilers stay below 100, and readers recurse. */
	ELF_WRITER_LEVELS = 256,
	ELF_WRITER_CODE_SECTIONS = 64,
	ELF_WRITER_SCOPES = 16,     /* scopes around a function; functions with more get none */
	ELF_WRITER_INDEX_PARTS = 6, /* header, units, addresses, slots, vectors, strings */
};

/* A function, as it is stored until all functions are known. */
struct elf_writer_function {
	uint64_t start, end;  /* `end` is 0 if unknown, until elf_writer_assign_code() */
	size_t record;        /* offset of the function's rows in `records` */
	size_t calls_at;      /* offset of the function's calls in `records` */
	size_t first, pieces; /* elements of `own` with the code assigned to the function */
	uint32_t order;
	uint32_t name; /* number in `names` */
	uint32_t rows, calls;
	size_t ranges; /* number of ranges of all calls */
	bool statements;
	/* A part of a function; calls that continue in the other part record their entry there. */
	bool is_parted;
	bool is_marked; /* has marks or inlined calls, which gcc only writes for optimized code */
	bool ends_prologue;
	/* Some row has `apart` set, which makes it a breakpoint location of its own. */
	bool has_apart;
	bool is_twin; /* same range as the previous function; only gets a symbol */
	bool is_bare; /* without lines among functions with lines; only gets a symbol */
	/* Index plus 1 of the part that was split off from this function; 0 if none. */
	uint32_t cold;
	/* Index plus 1 of the function that this part was split off from; 0 if none. */
	uint32_t parent;
};

struct elf_writer_file {
	uint32_t path;      /* number in `paths` */
	uint32_t name;      /* offset in the path after the last slash */
	uint32_t directory; /* number in `paths`; 0 if none */
	uint32_t local;     /* index plus 1 in the unit being written; 0 if not used there */
};

struct elf_writer_piece {
	struct cairn_range range;
	size_t function; /* index in `function`, sorted by start */
};

struct elf_writer_unit {
	size_t first, count;
	size_t ranges_at; /* offset in unit_ranges */
	size_t ranges;
};

struct elf_writer_code_section {
	struct cairn_range range;
};

struct elf_writer {
	struct cairn_object_options options;
	const struct frame_table *frames; /* frames of the program, or NULL */
	size_t limit;                     /* maximum size of any section in bytes */
	unsigned word;                    /* size of an address in bytes */
	bool failed;
	bool entries; /* some call has an entry other than the start of its first range */
	struct byte_buffer records;
	struct elf_writer_function *function;
	size_t functions, function_room;
	struct interner names, paths;
	uint32_t here;                /* number of the path "." */
	struct elf_writer_file *file; /* indexed by path number */
	size_t file_room;
	size_t text_beyond; /* bytes by which demangled names exceed the usual size */
	char *path;
	size_t path_room;
	/* Indexed by name number: index plus 1 in `parts`; 0 if the name was not parsed. */
	uint32_t *parts_at;
	size_t parts_at_room;
	/* For each parsed name: its last component, the number of scopes, and the scopes. */
	uint32_t *parts;
	size_t parts_count, parts_room;
	char *clean; /* result of elf_writer_clean_text() */
	size_t clean_room;
	struct file_map map; /* path numbers of the current unit's files */
	/* Results of elf_writer_assign_code(). */
	struct elf_writer_piece *piece; /* sorted by address */
	struct cairn_range *own;        /* ranges of `piece`, grouped by function */
	size_t pieces;
	struct elf_writer_unit *unit;
	struct cairn_range *unit_ranges;
	size_t units;
	struct elf_writer_code_section text[ELF_WRITER_CODE_SECTIONS];
	size_t texts;
	/* Results of elf_writer_build_dwarf(). */
	struct byte_buffer info, abbrev, lines, ranges, aranges, locations;
	/* Little-endian; empty if there is no index. */
	struct byte_buffer index[ELF_WRITER_INDEX_PARTS];
};

#define ELF_WRITER_NO_CALL UINT32_MAX /* name of a lexical scope, which is not a call */

/* An inlined call as it is written, with its ranges in scratch memory. */
struct elf_writer_call {
	uint32_t depth, name, file, line;
	uint64_t entry;
	size_t range, ranges;
};

/*
 * The calls of one function while they are normalized. The memory is reused for the next function.
 */
struct elf_writer_calls {
	struct elf_writer_call *call;
	size_t count, call_room;
	struct nested_ranges ranges;
	struct elf_writer_call_level *level; /* ELF_WRITER_LEVELS + 1 elements */
	uint32_t deepest;
};

/*
 * Return the number of a component of a name, which may point into the table itself. Return 0 if it
 * is too long or memory is short.
 */
uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part);

/*
 * Return the number of a name, with '?' in front if its demangled form would be too large. `moves`
 * means that the string is not persistent and must be copied.
 */
uint32_t elf_writer_bounded_name(struct elf_writer *w, struct cairn_bytes name, bool moves);

/*
 * Sizes in bytes. Names above ELF_WRITER_NAME_MAX are truncated, and names above
 * ELF_WRITER_READABLE_MAX are not parsed, because the cost of parsing grows with the length, and
 * a file can use the same long name for every function.
 */
enum { ELF_WRITER_NAME_MAX = 1 << 16, ELF_WRITER_READABLE_MAX = 4096 };

/*
 * Return the number of an input name after escaping it. The return type of a demangled name is
 * removed.
 */
uint32_t elf_writer_clean_name(struct elf_writer *w, struct cairn_bytes name);

/*
 * Return true if a breakpoint on the function at `va`, which has no statement marks, belongs on its
 * first instruction. Return false if the program's code is not available.
 */
bool object_stops_at_start(const struct elf_writer *w, uint64_t va);

/*
 * Return a name without the suffixes of compiler-generated clones: "yy_reduce" for
 * "yy_reduce.constprop.0".
 */
struct cairn_bytes elf_writer_source_name(struct cairn_bytes name);

uint32_t elf_writer_source_name_number(struct elf_writer *w, uint32_t name);

/*
 * Return true if compilers make the symbol of that name local. This applies to clones, and to
 * entities declared inside a function ("_ZZ"). GDB takes a global C++ symbol whose path begins with
 * a function's name for another location of that function: `f().cold` and `f()::walker::step()`
 * would become additional locations of f().
 */
bool elf_writer_has_local_symbol(const struct elf_writer *w, uint32_t name);

/*
 * Get the parts of a function, which are the function itself and the part that was split off, in
 * order of address. Return their number.
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

/*
 * Sort the functions, assign each byte of code to one function, and form units and code sections.
 */
bool elf_writer_assign_code(struct elf_writer *w);

/*
 * Readers of records. They do not check bounds because the records were written by this writer.
 * Rows are read through struct elf_writer_rows, calls through a plain pointer.
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

/* Read a signed LEB128 number. Line differences fit in 34 bits, so the shift is always valid. */
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

/* The current row of a cursor. `path` is a path number; 0 if unknown. */
struct elf_writer_rows {
	const uint8_t *record;
	uint32_t left;
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end, apart; /* only if the function has statement marks */
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

/* Read the calls of a function, clipped to its own code and without overlaps. */
bool elf_writer_calls_read(struct elf_writer_calls *calls, const struct elf_writer *w,
                           const struct elf_writer_function *f);

/*
 * Add a one-byte innermost scope at each row with `apart` set, so that debuggers treat it as a
 * breakpoint location of its own.
 */
bool elf_writer_calls_add_scopes(struct elf_writer_calls *calls, const struct elf_writer *w,
                                 const struct elf_writer_function *f);

/*
 * Files of the unit being written. elf_writer_local_file() sets *local to the index of a path in
 * it, and adds the path if it is new.
 */
struct elf_writer_local_files {
	uint32_t *file; /* path numbers */
	size_t count, room;
};

bool elf_writer_local_file(struct elf_writer *w, struct elf_writer_local_files *locals,
                           uint32_t path, uint32_t *local);

/* Append the line table of a unit to w->lines. `locals` must contain all files of the unit. */
bool elf_writer_write_lines(struct elf_writer *w, const struct elf_writer_unit *unit,
                            const struct elf_writer_local_files *locals);

/* A demangled name without its return type, and the last component of its path. */
struct elf_writer_demangled {
	struct cairn_bytes whole, last;
};

/* Parse a demangled name. Return false if it does not have that form. */
bool elf_writer_demangled(struct cairn_bytes text, struct elf_writer_demangled *parts);

/* Write a C++ name in GDB's spelling: "f<X const&>" for "f<const X&>". */
void elf_writer_append_canonical(struct byte_buffer *out, struct cairn_bytes name);

/* Return "go" for "go(long) const". */
struct cairn_bytes elf_writer_without_parameters(struct cairn_bytes part);

/* Return the number of the unqualified name by which debuggers find a mangled or demangled name. */
uint32_t elf_writer_unqualified_name(struct elf_writer *w, uint32_t name);

/* Name numbers of a DWARF entry; `linkage` is 0 if it does not have a linkage name. */
struct elf_writer_debug_name {
	uint32_t name, linkage;
};

struct elf_writer_debug_name elf_writer_lldb_name(struct elf_writer *w, uint32_t name);

uint32_t elf_writer_symbol_name(struct elf_writer *w, uint32_t name);

/* Add the functions that only the frame table contains. Return false if memory is short. */
bool elf_writer_add_frame_functions(struct elf_writer *w);

/* Name numbers of the namespaces and classes around a function, outermost first. */
struct elf_writer_scopes {
	uint32_t name[ELF_WRITER_SCOPES];
	size_t count;
};

bool elf_writer_is_demangled(const struct elf_writer *w, uint32_t name);

/* Let debuggers find a Rust function by `path`. Its `name` may be mangled or plain. */
void elf_writer_set_path(struct elf_writer *w, uint32_t name, struct cairn_bytes path);

/*
 * Get the scopes around a function. The result is empty if the name is unscoped or memory is short.
 */
void elf_writer_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes);

/*
 * Return the DWARF code of the language in which most functions of the unit are written. If their
 * names do not show it, for example if there is only `main`, use the language of the first inlined
 * call whose name does. `calls` holds the name numbers of inlined calls. Set *mangles if the
 * language mangles names.
 */
unsigned elf_writer_language(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             const uint32_t *calls, size_t count, bool *mangles);

enum { ELF_WRITER_RUST = 0x1c, ELF_WRITER_D = 0x13 };

bool elf_writer_build_dwarf(struct elf_writer *w);

enum { ELF_WRITER_ESCAPE = 4 }; /* size of "\x1b" */

/*
 * Escape a string that must not reach a terminal unchanged. The result is in w->clean until the
 * next call, or is `text` itself if that is harmless. Return false if memory is short.
 */
bool elf_writer_clean_text(struct elf_writer *w, struct cairn_bytes *text);

#endif
