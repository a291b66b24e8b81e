/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: symbols as an object file, for a debugger that knows nothing of their format.
 */
#ifndef CAIRN_INCLUDE_OBJECT_H
#define CAIRN_INCLUDE_OBJECT_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A section that is loaded, as a module's file tells of it. */
enum { CAIRN_SECTION_NAME = 64, CAIRN_SECTIONS = 128 };

struct cairn_section {
	char name[CAIRN_SECTION_NAME];
	uint64_t flags;           /* as ELF has them */
	struct cairn_range range; /* va */
};

/*
 * The same symbols as a debugger takes them that knows nothing of their format: an ELF object with
 * a symbol table and DWARF, addresses as linked (GDB: add-symbol-file FILE -o BIAS).  It is sound
 * whatever the symbols hold; docs/formats/symbol-object.md describes it.
 */
struct cairn_object_options {
	uint16_t machine; /* as ELF numbers it: 62 amd64, 183 aarch64, 22 s390x, ... */
	bool big_endian;
	bool narrow;             /* a 32-bit program */
	uint64_t shift;          /* added to the addresses of the symbols, modulo 2^64 */
	struct cairn_range keep; /* va; functions outside are left out; empty: none are */
	struct cairn_bytes build_id;
	/* of the program, whose debug file the object becomes; 0 sections: made up around the code */
	const struct cairn_section *section;
	size_t sections; /* up to CAIRN_SECTIONS */
	uint64_t entry;  /* va */
	bool by_clang; /* a guess of statements follows clang, where symbols tell of none, not gcc */
	bool unwinds;  /* the program has tables of its frames: a debugger need not guess these */
	/*
	 * Called now and then while the object is made, if not NULL.  It may leave by an exception:
	 * then nothing is made, and no memory is lost.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

struct cairn_object {
	struct cairn_bytes bytes;
	uint64_t functions;       /* that the symbols hold */
	uint64_t damaged;         /* how many of them could not be read whole, */
	struct cairn_fault fault; /* and the first flaw; OK when there is none */
};

/*
 * Give the object back with cairn_object_free().  While it is made it takes about twice its size,
 * which is about that of the symbols; no section is larger than 1 GiB (NO_MEMORY).  NOT_FOUND:
 * there are no functions.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_object_make(
	const struct cairn_symbols *symbols, const struct cairn_object_options *options,
	struct cairn_object *object);
CAIRN_API void cairn_object_free(struct cairn_object *object);

#ifdef __cplusplus
}
#endif

#endif
