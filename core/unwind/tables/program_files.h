/* SPDX-License-Identifier: MIT */
/* Stores facts about a module that are in its files but not in memory; see <cairn.h>. */
#ifndef CAIRN_UNWIND_TABLES_PROGRAM_FILES_H
#define CAIRN_UNWIND_TABLES_PROGRAM_FILES_H

#include <cairn.h>

#include "formats/elf/elf.h"

enum {
	/* maximum number of FDEs, and of symbols, in all files of a module */
	FILES_RANGES = 1 << 22,
	FILES_SECTION = 1 << 28,
	FILES_LINK = 256,
	/* maximum number of programs from other builds whose .sframe is recorded */
	FILES_OTHERS = 64,
	FILES_OTHER = 4096, /* maximum number of leading bytes of a .sframe section to compare */
};

enum files_async {
	FILES_NO_NAME, /* no symbol covers the address */
	FILES_NOT_ASYNC,
	FILES_ASYNC,
	FILES_AWAITED, /* a part of an async function that resumes after an awaited call */
};

struct files_async_function {
	uint64_t va;
	enum files_async kind;
};

/*
 * Hashes of the names of functions with an async function pointer, which only async functions of
 * Swift have. A collision with another function is harmless, because that function's frame has no
 * context that belongs to a task.
 */
struct async_names {
	struct async_name {
		uint64_t hash;
	} * name;
	size_t count, capacity;
};

struct files_list {
	struct cairn_range *range;
	size_t count, capacity;
	/* some data was unreadable or did not fit, so any address may be covered */
	bool everywhere;
};

struct cairn_files {
	struct files_list frames;    /* ranges of FDEs, disjoint */
	struct files_list functions; /* symbols in code; a symbol without size has an empty range */
	bool wants_symbols, wants_async;
	/* async functions, sorted by address */
	struct files_async_function *async;
	size_t async_count, async_capacity;
	bool program;
	char link[FILES_LINK];

	/*
	 * The .sframe sections of other programs that the host has open. A debugger reads memory
	 * that a core lacks from the program file that the user has loaded. A table that equals one
	 * of these sections therefore describes the code of a different build.
	 */
	struct files_other {
		uint64_t va, size, hash; /* `hash` covers the first FILES_OTHER bytes */
	} others[FILES_OTHERS];
	size_t other_count;
};

/* Add a .debug_frame section or a symbol table, which is borrowed only during the call. */
void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big,
                      uint8_t word);

/*
 * Return whether the function at `va` is async, and set *start to the va of its first byte unless
 * it has no name.
 */
enum files_async files_find_async(const struct cairn_files *files, uint64_t va, uint64_t *start);

/*
 * Add the names in a symbol table. Each symbol read reduces *left by 1; reading stops when *left is
 * 0.
 */
void async_names_add(struct async_names *names, const struct elf *elf,
                     const struct elf_section *table, uint64_t *left);

bool async_names_has(const struct async_names *names, struct cairn_bytes function);

bool files_have_cfi(const struct cairn_files *files, uint64_t va);

#endif
