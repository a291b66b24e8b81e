/* SPDX-License-Identifier: MIT */
/*
 * The table of functions that every Go program has in memory (.gopclntab), in the layouts of Go 1.2,
 * 1.16, 1.18 and 1.20: functions, files, lines, inlined calls, and the size of frames.  Nothing is copied,
 * and opening looks at the header alone, so that a large program costs no more than a small one.
 *
 *	struct gopclntab table;
 *	struct gopclntab_function function;
 *	uint64_t index;
 *	if (gopclntab_open(bytes, va, &memory, &table, &fault) == CAIRN_OK &&
 *	    gopclntab_find(&table, pc, &index) && gopclntab_read_function(&table, index, &function))
 *		... function.name; gopclntab_values(&table, &function, function.line) has its lines
 *
 * Where the table is in a program, and what surrounds it, is for symbols/sources/go_program.h.  The format is described in
 * docs/formats/gopclntab.md.
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
 * The program's memory as linked, beyond the table itself.  `read_word` gives the pointer at an address, as
 * the dynamic linker leaves it; NULL: as the bytes are.  `lend` gives the bytes from an address on, as many
 * as there are.  Both return false where nothing is.
 */
struct gopclntab_memory {
	bool (*read_word)(void *context, uint64_t va, uint64_t *word);
	bool (*lend)(void *context, uint64_t va, struct cairn_bytes *bytes);
	void *context;
};

struct gopclntab {
	struct cairn_bytes bytes; /* from the header on */
	uint64_t va;              /* of the header */
	const struct gopclntab_memory *memory;
	enum gopclntab_layout layout;
	bool big;
	uint8_t word;    /* bytes of a pointer, 4 or 8 */
	uint8_t quantum; /* bytes by which instructions are aligned */
	uint64_t functions;
	uint64_t files;
	uint64_t text;         /* what the starts of functions count from; 0 before 1.18 */
	uint64_t inline_trees; /* what the addresses of inline trees count from; 0 before 1.18 */
	bool has_inline_trees; /* they are where this layout has them; set by the caller */
	struct cairn_bytes names, units, file_names, values, index; /* parts of the bytes */
};

/* Offsets are those of tables of values; 0: there is none. */
struct gopclntab_function {
	uint64_t start, end;     /* up to the next function, with the padding between them */
	struct cairn_bytes name; /* empty when it is damaged */
	uint32_t stack, file, line, inlined;
	uint32_t unit;     /* of compilation, from which numbers of files count */
	uint8_t id, flags; /* special functions of the runtime; flags since 1.17 */
	uint64_t tree;     /* va of its inline tree; 0: there is none */
};

/* Flags of functions; see runtime/symtab.go and internal/abi/symtab.go of Go. */
enum {
	GOPCLNTAB_TOP_FRAME = 1, /* the outermost one of a stack */
	GOPCLNTAB_WRITES_SP =
		2, /* moves the stack pointer itself, so that the values are not all */
	GOPCLNTAB_NO_FILE = -1,
};

/*
 * Bytes from a header on.  `va` is where they are in memory.  `*memory` is borrowed.  UNSUPPORTED: it has
 * another magic number; TRUNCATED or MALFORMED: fault->offset counts from the header.
 */
CAIRN_MUST_USE enum cairn_status gopclntab_open(struct cairn_bytes bytes, uint64_t va,
                                                const struct gopclntab_memory *memory,
                                                struct gopclntab *table, struct cairn_fault *fault);

/* Could a table begin here?  It looks at 8 bytes. */
bool gopclntab_has_magic(struct cairn_bytes bytes);

/* Function number `index`; false when its entry is damaged. */
bool gopclntab_read_function(const struct gopclntab *table, uint64_t index,
                             struct gopclntab_function *function);

/* The function that `va` is in; false when there is none. */
bool gopclntab_find(const struct gopclntab *table, uint64_t va, uint64_t *index);

/* Is it the outermost function of stacks?  Before Go 1.17 such functions carry no mark. */
bool gopclntab_is_outermost(const struct gopclntab *table,
                            const struct gopclntab_function *function);

/* A run of code for which a table has one value. */
struct gopclntab_run {
	uint64_t low, high;
	int32_t value;
};

/* Run after run of a table, which ascend and touch each other, from the function's start. */
struct gopclntab_values {
	struct cairn_bytes in;
	size_t at;
	uint64_t va, end;
	int32_t value;
	uint8_t quantum;
	bool first;
	bool damaged; /* it did not end where it should */
};

/* `offset` is one of the function's; without a table there are no runs. */
struct gopclntab_values gopclntab_values(const struct gopclntab *table,
                                         const struct gopclntab_function *function,
                                         uint32_t offset);
bool gopclntab_next_run(struct gopclntab_values *values, struct gopclntab_run *run);

/*
 * The path of a file, by the value in the function's table of files.  Empty when there is none.  Paths
 * lie in table->file_names, and different files have different pointers.
 */
struct cairn_bytes gopclntab_file(const struct gopclntab *table,
                                  const struct gopclntab_function *function, int32_t value);

/*
 * Path after path of all files: *at begins with 0.  False at the end.  A path may be empty, and one of a
 * damaged table is.
 */
bool gopclntab_next_file(const struct gopclntab *table, uint64_t *at, struct cairn_bytes *path);

/* An inlined call: entry of a function's inline tree. */
struct gopclntab_call {
	struct cairn_bytes name; /* of the function called; empty when it is damaged */
	uint64_t place;          /* va of an instruction that belongs to the call's place */
	bool has_parent;    /* the next are known, as before 1.20; else ask for them at `place` */
	int32_t parent;     /* the call around it; negative: it is in the function itself */
	int32_t file, line; /* of the call; see gopclntab_file() */
};

/* `index` is a value of function->inlined; false: there is no such entry. */
bool gopclntab_read_call(const struct gopclntab *table, const struct gopclntab_function *function,
                         int32_t index, struct gopclntab_call *call);

/*
 * Does Go's moduledata of this table begin at `va`?  Then *text and *inline_trees are what it knows; those
 * of layouts that have no such field are 0.
 */
bool gopclntab_read_module(const struct gopclntab *table, uint64_t va, uint64_t *text,
                           uint64_t *inline_trees);

#endif
