/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: converts symbols to an ELF object, for debuggers that cannot read the symbols'
 * format.
 *
 *	struct cairn_object_options options = CAIRN_OBJECT_OPTIONS;
 *	struct cairn_object object;
 *	options.machine = 62;
 *	if (cairn_object_make(symbols, &options, &object) == CAIRN_OK) {
 *		fwrite(object.bytes.data, 1, object.bytes.size, out);
 *		cairn_object_free(&object);
 *	}
 */
#ifndef CAIRN_INCLUDE_OBJECT_H
#define CAIRN_INCLUDE_OBJECT_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A module's loaded section, from the section headers in the module's file. Linkers create 30 to 40
 * sections with short names; CAIRN_SECTIONS allows several times as many.
 */
enum { CAIRN_SECTION_NAME = 64, CAIRN_SECTIONS = 128 };

struct cairn_section {
	char name[CAIRN_SECTION_NAME];
	uint64_t flags;
	uint64_t alignment;
	struct cairn_range range; /* va */
};

/*
 * Options for an object; initialize with CAIRN_OBJECT_OPTIONS. The object is an ELF file with a
 * symbol table and DWARF whose addresses are va (in GDB: add-symbol-file FILE -o BIAS). The object
 * is well-formed whatever the symbols contain. docs/formats/symbol-object.md describes it.
 */
struct cairn_object_options {
	size_t size;
	uint16_t machine; /* e_machine of the ELF header: 62 amd64, 183 aarch64, 22 s390x, ... */
	bool big_endian;
	bool narrow;    /* true for a 32-bit program */
	uint64_t shift; /* number added to all symbol addresses, modulo 2^64 */
	/* va range; functions outside it are skipped; an empty range keeps all functions */
	struct cairn_range keep;
	struct cairn_bytes build_id; /* build ID for the object; may be empty */
	/*
	 * sections of the program for which the object is a debug file; if empty, cairn invents
	 * sections
	 */
	const struct cairn_section *section;
	size_t sections; /* number of sections, at most CAIRN_SECTIONS */
	uint64_t entry;
	/* use the names, sections and functions that LLDB expects instead of GDB's */
	bool for_lldb;
	/*
	 * The program's complete ELF file; may be empty. If `for_lldb` is set, its .sframe is
	 * converted to .debug_frame. The function table of a Go program on amd64 is always
	 * converted to .debug_frame.
	 */
	struct cairn_bytes program;
	/*
	 * Used with `for_lldb`: a file that cairn_sframe_file_make() has created for the program;
	 * may be empty. Its table replaces the program's if the program has neither .sframe nor
	 * .eh_frame. The caller compares the build IDs.
	 */
	struct cairn_bytes sframe_file;
	/*
	 * The jitdump or perf map from which the symbols come (CAIRN_SYMBOLS_JIT); may be empty. On
	 * amd64, .debug_frame then describes the frames, using unwind records of a jitdump and the
	 * frame-pointer chains of the code.
	 */
	struct cairn_bytes jit;
	/* va ranges; functions that begin in one of these ranges are skipped */
	const struct cairn_range *excluded;
	size_t excluded_count;
	/*
	 * clang compiled the program. cairn guesses statements that the symbols do not record, and
	 * then assumes clang's code layout instead of gcc's.
	 */
	bool by_clang;
	/*
	 * the program has unwind tables; without them, the object never names gcc as its producer,
	 * because GDB would then rely on unwind tables in epilogues
	 */
	bool unwinds;
	/*
	 * Called regularly while the object is created; may be NULL. It may throw an exception,
	 * which ends cairn_object_make() without an object and without leaking memory.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

#define CAIRN_OBJECT_OPTIONS CAIRN_SIZED(struct cairn_object_options)

struct cairn_object {
	struct cairn_bytes bytes;
	uint64_t functions;
	uint64_t damaged;         /* number of functions that could not be read completely */
	struct cairn_fault fault; /* first fault in the symbols, or CAIRN_OK */
};

/*
 * Create an ELF object from symbols; the caller frees it with cairn_object_free(). The object is
 * about as large as the symbols, and creating it takes about twice its size in memory. Damaged
 * functions are counted in `damaged` but do not cause a failure. Returns NOT_FOUND if there are no
 * functions to write, LIMIT if a section would exceed 1 GiB, and NO_MEMORY. If
 * options->program is set, `symbols` may be NULL; the functions then come from the program's
 * .sframe or from options->sframe_file.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_object_make(
	const struct cairn_symbols *symbols, const struct cairn_object_options *options,
	struct cairn_object *object);

/* Free the bytes of an object from cairn_object_make(). Calling this twice is harmless. */
CAIRN_API void cairn_object_free(struct cairn_object *object);

#ifdef __cplusplus
}
#endif

#endif
