/* SPDX-License-Identifier: MIT */
/* What the files of the object writer share. */
#ifndef CAIRN_WRITERS_ELF_PARTS_H
#define CAIRN_WRITERS_ELF_PARTS_H

#include "writer.h"

#include "base/nested_ranges.h"
#include "base/table/interner.h"
#include "model/file_map.h"

enum {
	ELF_WRITER_UNIT_FUNCTIONS = 8, /* functions of one unit: what a debugger reads at once */
	ELF_WRITER_LEVELS = 256, /* of inlined calls; compilers stay below 100, readers recurse */
	ELF_WRITER_CODE_SECTIONS = 64, /* sections of code */
	ELF_WRITER_SCOPES = 16,        /* around a function; more are not written */
	ELF_WRITER_INDEX_PARTS = 6,    /* header, units, addresses, slots, vectors, texts */
};

/* A function as it is kept until all are known. */
struct elf_writer_function {
	uint64_t start, end;  /* end: 0 when not known, until elf_writer_assign_code() */
	size_t record;        /* offset of its rows in the records, */
	size_t calls_at;      /* and of its calls */
	size_t first, pieces; /* of the code that is its own */
	uint32_t order;       /* of coming */
	uint32_t name;        /* number among the names */
	uint32_t rows, calls;
	size_t ranges;      /* of all its calls */
	bool statements;    /* rows know where they begin */
	bool is_parted;     /* calls that go on in its other part have their entries there */
	bool is_marked;     /* the symbols mark them, */
	bool ends_prologue; /* and where a prologue ends */
	bool has_apart;     /* some row is a place of its own to stop at */
	bool is_twin;       /* of the function before it: a symbol, and no more */
	bool is_bare;    /* without lines, among functions that have some: a symbol, and no more */
	uint32_t cold;   /* index + 1 of the function that was split off from this one; 0: none */
	uint32_t parent; /* index + 1 of the function that this one was split off from; 0: none */
};

struct elf_writer_file {
	uint32_t path;      /* number among the paths */
	uint32_t name;      /* offset in it of what follows the last slash */
	uint32_t directory; /* number among the paths; 0: none */
	uint32_t local;     /* number in the unit being written + 1; 0: not there */
};

/* Code that belongs to one function. */
struct elf_writer_piece {
	struct cairn_range range;
	size_t function; /* index, by start */
};

struct elf_writer_unit {
	size_t first, count; /* functions */
	size_t ranges_at;    /* in object_writer.unit_ranges */
	size_t ranges;
};

struct elf_writer_code_section {
	struct cairn_range range;
};

struct elf_writer {
	struct cairn_object_options options;
	const struct frame_table *frames; /* of the program; NULL: none */
	size_t limit;                     /* of the bytes of any one section */
	unsigned word;                    /* bytes of an address */
	bool failed;                      /* memory is short */
	bool entries;                     /* some call is not entered where its first range is */
	struct byte_buffer records;
	struct elf_writer_function *function;
	size_t functions, function_room;
	struct interner names, paths;
	uint32_t here;                /* the path "." */
	struct elf_writer_file *file; /* by the number of its path: entry i belongs to path i */
	size_t file_room;
	size_t text_beyond; /* bytes of readable names, beyond what is usual */
	char *path;         /* scratch */
	size_t path_room;
	uint32_t *
		parts_at; /* by the number of a name: an index in `parts`, + 1; 0: it was not taken apart */
	size_t parts_at_room;
	uint32_t *parts; /* of each such name: its last part, how many scopes, and these */
	size_t parts_count, parts_room;
	char *clean; /* of elf_writer_clean_text() */
	size_t clean_room;
	struct file_map map; /* numbers of paths */
	/* made by elf_writer_assign_code() */
	struct elf_writer_piece *piece; /* ascending */
	struct cairn_range *own;        /* the same by function */
	size_t pieces;
	struct elf_writer_unit *unit;
	struct cairn_range *unit_ranges;
	size_t units;
	struct elf_writer_code_section text[ELF_WRITER_CODE_SECTIONS];
	size_t texts;
	/* made by elf_writer_build_dwarf() */
	struct byte_buffer info, abbrev, lines, ranges, aranges, locations;
	struct byte_buffer index[ELF_WRITER_INDEX_PARTS]; /* little-endian; empty: there is none */
};

#define ELF_WRITER_NO_CALL UINT32_MAX /* in place of a call's name: a scope */

/* One call of a function as it is written: ranges of its own, in scratch
 * memory. */
struct elf_writer_call {
	uint32_t depth, name, file, line;
	uint64_t entry;
	size_t range, ranges;
};

/* Holds the calls of one function while they are made sound.  The memory serves the next function, too. */
struct elf_writer_calls {
	struct elf_writer_call *call;
	size_t count, call_room;
	struct nested_ranges ranges;
	struct elf_writer_call_level *level; /* ELF_WRITER_LEVELS + 1 */
	uint32_t deepest;                    /* of these, used by the function */
};

/* The number of the first bytes of a name, which may be in the table itself; 0 when they are too
 * many, or memory is short. */
uint32_t elf_writer_add_name_part(struct elf_writer *w, struct cairn_bytes part);

/*
 * The number of a name, with '?' in front of one whose readable form has no bound;
 * `moves`: the text does not stay where it is. */
uint32_t elf_writer_bounded_name(struct elf_writer *w, struct cairn_bytes name, bool moves);

/*
 * A longer name is cut, and one that is longer than the other number is not taken apart: each function may have
 * the same name, and costs as much as all of it.
 */
enum { ELF_WRITER_NAME_MAX = 1 << 16, ELF_WRITER_READABLE_MAX = 4096 };

/* The number of a name of the input, made safe, and without the type that a demangled one returns. */
uint32_t elf_writer_clean_name(struct elf_writer *w, struct cairn_bytes name);

/*
 * Does a breakpoint on the function at `va`, which marks no statements, belong to its first instruction?
 * False when the program's code is not given.
 */
bool object_stops_at_start(const struct elf_writer *w, uint64_t va);

/* A name without the suffixes of clones: "yy_reduce" for "yy_reduce.constprop.0". */
struct cairn_bytes elf_writer_source_name(struct cairn_bytes name);

uint32_t elf_writer_source_name_number(struct elf_writer *w, uint32_t name);

/*
 * Return whether compilers make the symbol of that name local: one with such a suffix, or of what is declared inside
 * a function ("_ZZ").  GDB takes global symbols of C++ whose path begins with a name for places of it: `f().cold` and
 * `f()::walker::step()` would be second places of f().
 */
bool elf_writer_has_local_symbol(const struct elf_writer *w, uint32_t name);

/* The parts of a function by address: itself, and what was split off; returns how many. */
static inline unsigned elf_writer_function_parts(const struct elf_writer *w,
                                                 const struct elf_writer_function *f,
                                                 const struct elf_writer_function *part[2])
{
	const struct elf_writer_function *cold = f->cold ? &w->function[f->cold - 1] : NULL;

	part[0] = cold && cold->start < f->start ? cold : f;
	part[1] = part[0] == f ? cold : f;
	return cold ? 2 : 1;
}

/* Sorts the functions, gives each byte of code to one, and makes units and
 * sections of code. */
bool elf_writer_assign_code(struct elf_writer *w);

/*
 * Numbers of a record, which we have written ourselves: they are there.  A
 * cursor goes over the rows of a function, a pointer over its calls.
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

/* A step of lines fits 34 bits. */
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

/* Below the number of a row's file in a record. */
enum {
	ELF_WRITER_STATEMENT = 1,
	ELF_WRITER_PROLOGUE_END = 2,
	ELF_WRITER_BREAKPOINT_ROW = 4,
	ELF_WRITER_ROW_BITS = 3,
};

/* The row that a cursor is at.  `path` is the number of the file's; 0: not known. */
struct elf_writer_rows {
	const uint8_t *record;
	uint32_t left;
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end, apart; /* if the function knows */
};

/* Before the first row. */
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

/* The calls of the record, inside the function's own code and without overlaps.
 */
bool elf_writer_calls_read(struct elf_writer_calls *calls, const struct elf_writer *w,
                           const struct elf_writer_function *f);

/*
 * A scope of one byte at each row that is apart, innermost there: a debugger takes it for a place of
 * its own to stop at.
 */
bool elf_writer_calls_add_scopes(struct elf_writer_calls *calls, const struct elf_writer *w,
                                 const struct elf_writer_function *f);

/* The number in the unit of a file (of the number of its path), which is added
 * when it is new. */
struct elf_writer_local_files {
	uint32_t *file; /* numbers of paths */
	size_t count, room;
};

bool elf_writer_local_file(struct elf_writer *w, struct elf_writer_local_files *locals,
                           uint32_t path, uint32_t *local);

/* The line table of one unit, after what is in w->lines.  The unit's files are
 * known. */
bool elf_writer_write_lines(struct elf_writer *w, const struct elf_writer_unit *unit,
                            const struct elf_writer_local_files *locals);

/* A demangled name without the type that it returns, and the last part of its path. */
struct elf_writer_demangled {
	struct cairn_bytes whole, last;
};

/* False when it is not of that form. */
bool elf_writer_demangled(struct cairn_bytes text, struct elf_writer_demangled *parts);

/* Appends a name of C++ in GDB's spelling: "f<X const&>" of "f<const X&>". */
void elf_writer_append_canonical(struct byte_buffer *out, struct cairn_bytes name);

/* "go" of "go(long) const". */
struct cairn_bytes elf_writer_without_parameters(struct cairn_bytes part);

/* The name to be found by of a name that may be mangled, or have been. */
uint32_t elf_writer_unqualified_name(struct elf_writer *w, uint32_t name);

/* Names of a function in DWARF, by number; linkage 0: it has none. */
struct elf_writer_debug_name {
	uint32_t name, linkage;
};

struct elf_writer_debug_name elf_writer_lldb_name(struct elf_writer *w, uint32_t name);

/* The name of a function in the symbol table. */
uint32_t elf_writer_symbol_name(struct elf_writer *w, uint32_t name);

/* Adds what the frame table knows beside the symbols; false when memory is short. */
bool elf_writer_add_frame_functions(struct elf_writer *w);

/* The numbers of the names of namespaces and classes around a function, outermost first. */
struct elf_writer_scopes {
	uint32_t name[ELF_WRITER_SCOPES];
	size_t count;
};

/* Is it a demangled name? */
bool elf_writer_is_demangled(const struct elf_writer *w, uint32_t name);

/* Makes a name of Rust, mangled or plain, one that is found by this path. */
void elf_writer_set_path(struct elf_writer *w, uint32_t name, struct cairn_bytes path);

/* None for a mangled name, or when memory is short. */
void elf_writer_scopes(struct elf_writer *w, uint32_t name, struct elf_writer_scopes *scopes);

/*
 * What most functions of the unit are written in, as DWARF numbers it, or, where their names do not
 * show it, as with `main` alone, what the first of the calls inlined into them that shows it is;
 * does it mangle names?  `calls`: the numbers of their names.
 */
unsigned elf_writer_language(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             const uint32_t *calls, size_t count, bool *mangles);

enum { ELF_WRITER_RUST = 0x1c, ELF_WRITER_D = 0x13 };

/* Has gcc optimized code of the unit, which is in that language, and no other compiler made any? */
bool object_is_gcc_optimized(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             unsigned language);

/* What the entry of such a unit, or of one in Rust, names as the producer: the number of a name. */
uint32_t object_compiler_name(struct elf_writer *w, bool is_gcc);

/* The entry by which a debugger knows that; `name`: the number of any name. */
void object_write_location_list(struct elf_writer *w, uint32_t name);

/* All sections of DWARF. */
bool elf_writer_build_dwarf(struct elf_writer *w);

/* The file, once its sections are there. */
enum cairn_status elf_writer_build_elf(struct elf_writer *w, uint8_t **bytes, size_t *size);

enum { ELF_WRITER_ESCAPE = 4 }; /* bytes of "\x1b" */

/*
 * Makes the text one that may be printed; it is in w->clean then, until the next one, or was
 * harmless.  False when memory is short.
 */
bool elf_writer_clean_text(struct elf_writer *w, struct cairn_bytes *text);

#endif
