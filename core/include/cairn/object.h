/* SPDX-License-Identifier: MIT */
/* Part of <cairn.h>: symbols as an ELF object, for a debugger that cannot read their format. */
#ifndef CAIRN_INCLUDE_OBJECT_H
#define CAIRN_INCLUDE_OBJECT_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A loaded section of a module, as its file describes it. Linkers create 30 to 40 sections with
 * short names; the limits allow several times that.
 */
enum { CAIRN_SECTION_NAME = 64, CAIRN_SECTIONS = 128 };

struct cairn_section {
	char name[CAIRN_SECTION_NAME];
	uint64_t flags;           /* sh_flags of ELF */
	uint64_t alignment;       /* sh_addralign of ELF */
	struct cairn_range range; /* va */
};

/*
 * Purpose of the object. The object is an ELF file with a symbol table and DWARF, with addresses as
 * linked (in GDB: add-symbol-file FILE -o BIAS), and it is valid whatever the symbols contain.
 * docs/formats/symbol-object.md describes it.
 */
struct cairn_object_options {
	uint16_t machine; /* e_machine of ELF: 62 amd64, 183 aarch64, 22 s390x, ... */
	bool big_endian;
	bool narrow;             /* a 32-bit program */
	uint64_t shift;          /* added to the addresses of the symbols, modulo 2^64 */
	struct cairn_range keep; /* va; functions outside are left out; an empty range keeps all */
	struct cairn_bytes build_id; /* written into the object; may be empty */
	/*
	 * sections of the program whose debug file the object becomes; if empty, cairn invents
	 * sections
	 */
	const struct cairn_section *section;
	size_t sections; /* at most CAIRN_SECTIONS */
	uint64_t entry;  /* va of the entry point */
	bool for_lldb;   /* names, sections and functions in the form that LLDB needs, not GDB */
	/*
	 * The whole ELF file of the program; may be empty. With for_lldb its .sframe becomes
	 * .debug_frame. The function table of a Go program on amd64 always becomes .debug_frame.
	 */
	struct cairn_bytes program;
	/*
	 * With for_lldb: a file that cairn_sframe_file_make() made for the program; may be empty.
	 * Its table is used if the program has neither .sframe nor .eh_frame. The caller compares
	 * the build IDs.
	 */
	struct cairn_bytes sframe_file;
	/*
	 * The jitdump or perf map that the symbols come from (CAIRN_SYMBOLS_JIT); may be empty. On
	 * amd64 its unwind records become .debug_frame, and so does the code's use of the frame
	 * pointer.
	 */
	struct cairn_bytes jit;
	/* va; functions that begin in one of these are left out */
	const struct cairn_range *excluded;
	size_t excluded_count;
	/*
	 * if the symbols do not record statements, guess them from clang's code layout, not gcc's
	 */
	bool by_clang;
	bool unwinds; /* the program has unwind tables, so a debugger does not have to guess */
	/*
	 * Called regularly while the object is made; may be NULL. The callback may throw an
	 * exception, which ends cairn_object_make() without an object and without a memory leak.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

struct cairn_object {
	struct cairn_bytes bytes; /* the ELF file */
	uint64_t functions;       /* number of functions in the symbols */
	uint64_t damaged;         /* number of functions that could not be read completely */
	struct cairn_fault fault; /* first fault in the symbols, or CAIRN_OK */
};

/*
 * Make an ELF object from symbols; the caller frees it with cairn_object_free(). The object is
 * about as large as the symbols, and making it takes about twice its size in memory. Damaged
 * functions do not make it fail; `damaged` counts them. Returns NOT_FOUND if there are no functions
 * to write, and NO_MEMORY if memory is short or a section would be larger than 1 GiB. If
 * options->program is set, `symbols` may be NULL, in which case the functions come from its .sframe
 * or from sframe_file.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_object_make(
	const struct cairn_symbols *symbols, const struct cairn_object_options *options,
	struct cairn_object *object);

/* Free the bytes of an object that cairn_object_make() filled. Calling it twice is harmless. */
CAIRN_API void cairn_object_free(struct cairn_object *object);

#ifdef __cplusplus
}
#endif

#endif
