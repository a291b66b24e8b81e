/* SPDX-License-Identifier: MIT */
/*
 * Reads the table of functions in the memory of every Go program (.gopclntab), in the layouts of Go
 * 1.2, 1.16, 1.18 and 1.20: functions, files, lines, inlined calls, and frame sizes. Nothing is
 * copied, and opening reads only the header, so its cost does not depend on the size of the
 * program.
 *
 *	struct gopclntab table;
 *	struct gopclntab_function function;
 *	uint64_t index;
 *	if (gopclntab_open(bytes, va, &memory, &table, &fault) == CAIRN_OK &&
 *	    gopclntab_find(&table, pc, &index) && gopclntab_read_function(&table, index, &function))
 *		... function.name; gopclntab_values(&table, &function, function.line) has its lines
 *
 * symbols/sources/go_program.h finds the table in a program. docs/formats/gopclntab.md describes
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
 * Access to the linked program's memory outside the table. `read_word` reads the pointer at an
 * address with dynamic relocations applied; if it is NULL, pointers are read as stored. `lend`
 * returns all available bytes from an address on. Both return false if there is no memory at the
 * address.
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
	uint64_t text;         /* base of the functions' starts; 0 before 1.18 */
	uint64_t inline_trees; /* base of the inline trees' addresses; 0 before 1.18 */
	/* set by the caller: inline trees are in the usual location for this layout */
	bool has_inline_trees;
	struct cairn_bytes names, units, file_names, values, index;
};

/* A function. Its tables of values are stored as offsets, 0 if absent. */
struct gopclntab_function {
	uint64_t start, end;     /* `end` is the start of the next function and includes padding */
	struct cairn_bytes name; /* empty if it is damaged */
	uint32_t stack, file, line, inlined;
	uint32_t unit;     /* offset of the compilation unit, the base of file numbers */
	uint8_t id, flags; /* id marks special functions of the runtime; flags since 1.17 */
	uint64_t tree;     /* address of the inline tree, 0 if absent */
};

/* Flags of functions; see runtime/symtab.go and internal/abi/symtab.go of Go. */
enum {
	GOPCLNTAB_TOP_FRAME = 1, /* outermost function of a stack */
	/* modifies the stack pointer directly, so the table of stack sizes is incomplete */
	GOPCLNTAB_WRITES_SP = 2,
	GOPCLNTAB_NO_FILE = -1,
};

/*
 * Open a table. `bytes` starts with a header, and `va` is its address. `*memory` is borrowed.
 * Return CAIRN_UNSUPPORTED for an unknown magic number. For CAIRN_TRUNCATED and CAIRN_MALFORMED,
 * fault->offset is relative to the header.
 */
CAIRN_MUST_USE enum cairn_status gopclntab_open(struct cairn_bytes bytes, uint64_t va,
                                                const struct gopclntab_memory *memory,
                                                struct gopclntab *table, struct cairn_fault *fault);

/* Return true if the bytes, of which 8 are examined, may be the start of a table. */
bool gopclntab_has_magic(struct cairn_bytes bytes);

/* Read function `index`. Return false if its entry is damaged. */
bool gopclntab_read_function(const struct gopclntab *table, uint64_t index,
                             struct gopclntab_function *function);

/* Find the function that contains `va`. Return false if not found. */
bool gopclntab_find(const struct gopclntab *table, uint64_t va, uint64_t *index);

/*
 * Return true if the function is the outermost one of a stack. Before Go 1.17 such functions are
 * not marked.
 */
bool gopclntab_is_outermost(const struct gopclntab *table,
                            const struct gopclntab_function *function);

/* A range of code with the same value. */
struct gopclntab_run {
	uint64_t low, high;
	int32_t value;
};

/* Iterator over the runs of a table. They are adjacent and start at the start of the function. */
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
 * Start an iteration. `offset` is one of the function's table offsets; without a table there are no
 * runs.
 */
struct gopclntab_values gopclntab_values(const struct gopclntab *table,
                                         const struct gopclntab_function *function,
                                         uint32_t offset);
bool gopclntab_next_run(struct gopclntab_values *values, struct gopclntab_run *run);

/*
 * Return the path for a value of the function's table of files, or an empty string if not found.
 * Paths point into table->file_names, and different files have different pointers.
 */
struct cairn_bytes gopclntab_file(const struct gopclntab *table,
                                  const struct gopclntab_function *function, int32_t value);

/*
 * Read the next path of all files. *at must be 0 for the first. Return false at the end. Paths may
 * be empty, for example in a damaged table.
 */
bool gopclntab_next_file(const struct gopclntab *table, uint64_t *at, struct cairn_bytes *path);

/* An inlined call, which is an entry of a function's inline tree. */
struct gopclntab_call {
	struct cairn_bytes name; /* name of the called function; empty if it is damaged */
	uint64_t place;          /* address of an instruction that belongs to the call site */
	bool has_parent;    /* before 1.20: the next fields are valid; otherwise look up `place` */
	int32_t parent;     /* enclosing call; negative if it is in the function itself */
	int32_t file, line; /* location of the call; see gopclntab_file() */
};

/*
 * Read an entry of the inline tree. `index` is a value of function->inlined. Return false if there
 * is no such entry.
 */
bool gopclntab_read_call(const struct gopclntab *table, const struct gopclntab_function *function,
                         int32_t index, struct gopclntab_call *call);

/*
 * Return true if Go's moduledata for this table starts at `va`, and set *text and *inline_trees
 * from it. They are 0 in layouts without these fields.
 */
bool gopclntab_read_module(const struct gopclntab *table, uint64_t va, uint64_t *text,
                           uint64_t *inline_trees);

#endif
