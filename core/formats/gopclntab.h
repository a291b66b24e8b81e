/* SPDX-License-Identifier: MIT */
/*
 * Reads .gopclntab, the function table that every Go program keeps in memory, in the layouts of Go
 * 1.2, 1.16, 1.18 and 1.20: functions, files, lines, inlined calls, and frame sizes. Nothing is
 * copied. Opening reads only the header, so its cost does not depend on the size of the program.
 *
 *	struct gopclntab table;
 *	struct gopclntab_function function;
 *	uint64_t index;
 *	if (gopclntab_open(bytes, va, &memory, &table, &fault) == CAIRN_OK &&
 *	    gopclntab_find(&table, pc, &index) && gopclntab_read_function(&table, index, &function))
 *		... function.name; gopclntab_values(&table, &function, function.line) has its lines
 *
 * symbols/go_program.h finds the table in a program. docs/formats/gopclntab.md describes
 * the format.
 */
#ifndef CAIRN_FORMATS_GOPCLNTAB_H
#define CAIRN_FORMATS_GOPCLNTAB_H

#include <cairn.h>

enum gopclntab_layout {
	GOPCLNTAB_1_2,
	GOPCLNTAB_1_16,
	GOPCLNTAB_1_18,
	GOPCLNTAB_1_20,
};

/*
 * Access to the memory of the linked program outside the table. `read_word` reads a pointer with
 * dynamic relocations applied; if the callback is NULL, pointers are read as stored in the file.
 * `lend` returns all available bytes from an address on. Both return false if the address is not in
 * memory.
 */
struct gopclntab_memory {
	bool (*read_word)(void *context, uint64_t va, uint64_t *word);
	bool (*lend)(void *context, uint64_t va, struct cairn_bytes *bytes);
	void *context;
};

struct gopclntab {
	struct cairn_bytes bytes; /* starts with the header */
	uint64_t va;              /* address of the header */
	const struct gopclntab_memory *memory;
	enum gopclntab_layout layout;
	bool big;
	uint8_t word;    /* size of a pointer: 4 or 8 bytes */
	uint8_t quantum; /* instruction alignment in bytes */
	uint64_t functions;
	uint64_t files;
	uint64_t text;         /* base of function starts; 0 before Go 1.18 */
	uint64_t inline_trees; /* base address of inline tree offsets; 0 before Go 1.18 */
	/*
	 * set by the caller if the program stores inline trees where this layout usually does;
	 * otherwise inline trees are not read
	 */
	bool has_inline_trees;
	struct cairn_bytes names, units, file_names, values, index;
};

struct gopclntab_function {
	/* `end` is the start of the next function, so the range includes padding */
	uint64_t start, end;
	struct cairn_bytes name; /* empty if the name is damaged */
	uint32_t stack, file, line, inlined;
	uint32_t unit; /* index of the compilation unit's first entry in the file number table */
	/* `id` identifies special runtime functions; `flags` exist since Go 1.17 */
	uint8_t id, flags;
	uint64_t tree; /* address of the inline tree, 0 if absent */
};

/* Function flags, as in Go's runtime/symtab.go and internal/abi/symtab.go. */
enum {
	GOPCLNTAB_TOP_FRAME = 1,
	/*
	 * the function sets the stack pointer directly, so the table of stack sizes does not cover
	 * it
	 */
	GOPCLNTAB_WRITES_SP = 2,
	GOPCLNTAB_NO_FILE = -1,
};

/*
 * Open a table. `bytes` starts with the header, and `va` is its address. `*memory` is borrowed.
 * Return CAIRN_UNSUPPORTED for an unknown magic number. For CAIRN_TRUNCATED and CAIRN_MALFORMED,
 * fault->offset is relative to the header.
 */
CAIRN_MUST_USE enum cairn_status gopclntab_open(struct cairn_bytes bytes, uint64_t va,
                                                const struct gopclntab_memory *memory,
                                                struct gopclntab *table, struct cairn_fault *fault);

/* Return true if the first 8 bytes may be the start of a table. */
bool gopclntab_has_magic(struct cairn_bytes bytes);

bool gopclntab_read_function(const struct gopclntab *table, uint64_t index,
                             struct gopclntab_function *function);

bool gopclntab_find(const struct gopclntab *table, uint64_t va, uint64_t *index);

/*
 * Return true if the function is the outermost one on its stack. Go versions before 1.17 do not
 * mark such functions, so recognize these by name.
 */
bool gopclntab_is_outermost(const struct gopclntab *table,
                            const struct gopclntab_function *function);

struct gopclntab_run {
	uint64_t low, high;
	int32_t value;
};

/*
 * Iterator over the runs in a value table, which are ranges of code with the same value. Runs are
 * adjacent, and the first one begins at the function's start.
 */
struct gopclntab_values {
	struct cairn_bytes in;
	size_t at;
	uint64_t va, end;
	int32_t value;
	uint8_t quantum;
	bool first;
	bool damaged; /* the table ended prematurely */
};

/*
 * Start an iteration over the value table at `offset`, one of the table offsets in *function. If
 * `offset` is 0, there are no runs.
 */
struct gopclntab_values gopclntab_values(const struct gopclntab *table,
                                         const struct gopclntab_function *function,
                                         uint32_t offset);
bool gopclntab_next_run(struct gopclntab_values *values, struct gopclntab_run *run);

/*
 * Return the path for a file number from the function's table, or an empty string if there is no
 * such file. The path points into table->file_names, so different files have different pointers.
 */
struct cairn_bytes gopclntab_file(const struct gopclntab *table,
                                  const struct gopclntab_function *function, int32_t value);

/*
 * Read the next path in the list of all files. *at must be 0 before the first call. Return false at
 * the end. Paths may be empty, for example in a damaged table.
 */
bool gopclntab_next_file(const struct gopclntab *table, uint64_t *at, struct cairn_bytes *path);

struct gopclntab_call {
	struct cairn_bytes name; /* name of the inlined function; empty if damaged */
	uint64_t place;          /* pc of an instruction at the call site */
	/*
	 * true before Go 1.20: `parent`, `file` and `line` are valid; from 1.20 on, use the value
	 * tables of the function at `place` instead
	 */
	bool has_parent;
	/* index of the enclosing call; negative if the call is directly in the function */
	int32_t parent;
	int32_t file, line; /* call site; pass `file` to gopclntab_file() */
};

/*
 * Read an entry of the inline tree. `index` is a value in the table at function->inlined. Return
 * false if there is no such entry.
 */
bool gopclntab_read_call(const struct gopclntab *table, const struct gopclntab_function *function,
                         int32_t index, struct gopclntab_call *call);

/*
 * Return true if Go's moduledata for this table is at `va`, and set *text and *inline_trees from
 * it. Both are 0 in layouts without these fields.
 */
bool gopclntab_read_module(const struct gopclntab *table, uint64_t va, uint64_t *text,
                           uint64_t *inline_trees);

#endif
