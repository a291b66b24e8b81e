/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: files of symbols and of programs, and the names that they are found by.  The
 * only part whose functions open files.
 */
#ifndef CAIRN_INCLUDE_SYMBOL_FILE_H
#define CAIRN_INCLUDE_SYMBOL_FILE_H

#include <cairn/base.h>
#include <cairn/object.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Files of symbols, and the search for one: the only functions here that open files.  They are copied
 * into memory, or in a program that guards mapped files (`cairn` is one) mapped; so what somebody
 * does to the file meanwhile changes nothing here.
 */
struct cairn_symbol_file;

/*
 * The file at `path`, if it is a regular one, for the module of this build ID (see
 * cairn_symbols_open).  UNREADABLE: it cannot be opened, and fault->what says why.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open(const char *path,
                                                                  struct cairn_bytes build_id,
                                                                  struct cairn_symbol_file **file,
                                                                  struct cairn_fault *fault);

/* The same, and while a symbfile or a Breakpad file is read the host is called; `poll` may be NULL. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open_polled(
	const char *path, struct cairn_bytes build_id, const struct cairn_poll *poll,
	struct cairn_symbol_file **file, struct cairn_fault *fault);

/*
 * The first file that serves the module: beside the binary as BINARY.gsym; in each of `directories`
 * ("DIR:DIR", may be NULL) as NAME.gsym and as .build-id/ab/cdef.gsym; in /usr/lib/debug/.build-id;
 * in $XDG_CACHE_HOME/cairn or ~/.cache/cairn as abcdef.gsym.  Then the same with .sym, for Breakpad
 * files; then, where `binary` is there and of that build, what `cairn symbfile fetch` has put into
 * that cache: FILEID.symbfile.  Files of another build are passed over.  NOT_FOUND: there is none;
 * then *fault tells of the last file that was there and refused, if fault->status is not NOT_FOUND.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find(const char *binary,
                                                                  struct cairn_bytes build_id,
                                                                  const char *directories,
                                                                  struct cairn_symbol_file **file,
                                                                  struct cairn_fault *fault);
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find_polled(
	const char *binary, struct cairn_bytes build_id, const char *directories,
	const struct cairn_poll *poll, struct cairn_symbol_file **file, struct cairn_fault *fault);
CAIRN_API void cairn_symbol_file_close(struct cairn_symbol_file *file);

CAIRN_API const char *cairn_symbol_file_path(const struct cairn_symbol_file *file);
CAIRN_API struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file);

/*
 * What the file of a program tells of it, for a host that has no process yet.  Nothing of the file is
 * borrowed.
 */
struct cairn_program {
	enum cairn_machine machine;
	bool big_endian;
	bool debug_info;         /* DWARF of its own */
	bool by_clang;           /* clang made some of it */
	bool unwinds;            /* it has sections that tell of its frames */
	uint64_t entry;          /* va; 0: none */
	struct cairn_range span; /* va; of all that is loaded */
	uint8_t build_id[64];
	size_t build_id_size;
	struct cairn_section section[CAIRN_SECTIONS]; /* in the order of the file */
	size_t sections;
};

/*
 * Of a whole file, or of one that cairn_program_next_part() has filled in.  NOT_FOUND: it has no section that is loaded; UNSUPPORTED: more than
 * CAIRN_SECTIONS, or a name or a build ID that there is no room for.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_parse(struct cairn_bytes file,
                                                               struct cairn_program *program,
                                                               struct cairn_fault *fault);

/*
 * For a host that does not want to read all of a file.  `file` has the file's size and is zeros at
 * first; each call names a part by offsets in the file, which the caller reads into its place
 * before the next call.  Behind the last one, when it is false, cairn_program_parse() and
 * cairn_file_id_compute() answer as for the whole file.  *parts begins with zeros.
 */
struct cairn_program_parts {
	unsigned step;
	uint32_t index;
	unsigned runs;
	bool comment;
};
CAIRN_API bool cairn_program_next_part(struct cairn_bytes file, struct cairn_program_parts *parts,
                                       struct cairn_range *part);

/* The same of the file at `path`: UNREADABLE as above. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_read(const char *path,
                                                              struct cairn_program *program,
                                                              struct cairn_fault *fault);

/*
 * The name by which symbol servers know the symbfile of an executable, for that says not itself what
 * it is for: made of the beginning, the end and the size of the executable as it runs.
 */
struct cairn_file_id {
	uint8_t bytes[16];
	char text[33]; /* 32 digits */
};

/* Of a text: digits, perhaps with dashes, or base64.  False when it is none. */
CAIRN_API bool cairn_file_id_parse(const char *word, struct cairn_file_id *id);

/* Of a whole file.  False when it is no ELF file of that build; an empty one takes every file. */
CAIRN_API bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                                     struct cairn_file_id *id);

/* The same of the file at `path`: MISMATCH when it is another build, UNREADABLE as above. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_file_id_read(const char *path,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_file_id *id,
                                                              struct cairn_fault *fault);

/*
 * Where `cairn symbfile fetch` puts the symbols of this executable; whether it did is for the caller
 * to see.  False: there is no cache, or no room for the name.
 */
CAIRN_API bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
