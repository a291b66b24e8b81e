/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: files of symbols and of programs, and the names by which they are found.
 * Apart from cairn_files_find(), only the functions of this part open files.
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
 * An open file of symbols.  The library copies the file into memory, or maps it in a program that
 * guards mapped files, as `cairn` does.  So nothing that happens to the file meanwhile can crash
 * the host.
 */
struct cairn_symbol_file;

/*
 * Opens the file at `path`; options and outcomes are those of cairn_symbols_open().  The caller closes *file.  Returns
 * UNREADABLE if the file cannot be opened or is not a regular file.  *error, which may be NULL, has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open(
	const char *path, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Searches for the symbols of a module, by the path of its file and options->build_id, and opens the
 * first file that belongs to it.  Of the options, `format` and `pid` mean nothing here.  cairn looks in this order:
 *   1. in the file at `binary` itself, of that build, for a section .gsym.  This needs the file at `binary`;
 *   2. beside the binary, for BINARY.gsym;
 *   3. in each of `directories` ("DIR:DIR", may be NULL), for NAME.gsym, ab/cdef.gsym in .build-id and buildid/abcdef/gsym;
 *   4. in /usr/lib/debug/.build-id, for ab/cdef.gsym;
 *   5. in $XDG_CACHE_HOME/cairn or ~/.cache/cairn, for abcdef.debuginfod.gsym, which `cairn gsym fetch` puts
 *      there, then for abcdef.gsym;
 *   6. in the places of 2 to 5 with .sym instead of .gsym, for a Breakpad file;
 *   7. in the cache of step 5, for FILEID.symbfile, which `cairn symbfile fetch` puts there.  This
 *      needs the file at `binary`, and that file must have the build ID;
 *   8. in the file at `binary` itself, of that build, for the table of a Go program.  Without
 *      a build ID, which Go programs may lack, only steps 1 and 8 are tried;
 *   9. in the folder of the binary and in each of `directories`, for a GSYM file of the build whatever it is called: 64
 *      files are opened, those whose names end in .gsym first, and the folder is read again only when it has changed.
 * Files of another build are skipped.  The caller closes *file.  Returns NOT_FOUND if there is no
 * such file; if error->status has another value then, *error describes the last file that was there
 * and was not accepted.  `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find(
	const char *binary, const char *directories, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Writes the path that a build's file has in a tree of build IDs: FOLDER/.build-id/ab/cdef.EXTENSION, or without the dot
 * if `extension` is empty.  Debug files have the extension "debug".  Returns false if the build ID has less than 2 or
 * more than 64 bytes, or the path does not fit into `size` bytes.
 */
CAIRN_API bool cairn_build_id_path(struct cairn_bytes build_id, const char *folder,
                                   const char *extension, char *path, size_t size);

/* Closes the file and frees its symbols.  NULL is allowed. */
CAIRN_API void cairn_symbol_file_close(struct cairn_symbol_file *file);

/* Returns the path by which the file was opened; it lives as long as `file`. */
CAIRN_API const char *cairn_symbol_file_path(const struct cairn_symbol_file *file);

/* Returns the symbols of the file; they belong to `file`, so do not free them. */
CAIRN_API struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file);

/* A module for which no symbols were found. */
struct cairn_missing_module {
	struct cairn_bytes name;     /* empty: the module is called by `low` */
	uint64_t low;                /* pc of its first byte */
	struct cairn_bytes build_id; /* empty: it has none */
};

/* What a host says about such modules.  Begin with CAIRN_MISSING_SYMBOLS; everything is borrowed during the call. */
struct cairn_missing_symbols {
	size_t size;                                /* sizeof(struct cairn_missing_symbols) */
	const struct cairn_missing_module *modules; /* those that are named, the first ones */
	size_t module_count;
	size_t count; /* of all such modules: at least module_count */
	const char
		*folders; /* what the host calls folders that the user gave; NULL: there are none */
	/* The host says in its words what helps: */
	const char *without_id; /* for a module without a build ID */
	const char *by_servers; /* where DEBUGINFOD_URLS names servers; NULL: they were asked */
	const char *by_hand;    /* elsewhere */
	/* Takes the next piece of the line.  `is_name`: these are bytes of a module's name, which may be anything. */
	void (*write)(void *context, const char *bytes, size_t size, bool is_name);
	void *context;
};
#define CAIRN_MISSING_SYMBOLS                                                                    \
	{                                                                                        \
		sizeof(struct cairn_missing_symbols), NULL, 0, 0, NULL, "", NULL, "", NULL, NULL \
	}

/*
 * Writes "no symbols for NAME (build ID ab12) and 3 more: none beside them, in FOLDERS, in /usr/lib/debug or in the
 * cache; WHAT HELPS", without a line feed: the places are those of cairn_symbol_file_find().
 */
CAIRN_API void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing);

/* Returns the one of the host's texts that the line about a module with this build ID ends with. */
CAIRN_API const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                                 struct cairn_bytes build_id);

/*
 * What a process records of code that it makes at run time (JIT): its jitdump, or its perf map.  Anybody may put such
 * files where they are looked for.  Of a running process they count when they are regular files of its user or root,
 * written since it began: the jitdump that it has mapped, or else the perf map in its own /tmp.  Of a core
 * jit-PID.dump and perf-PID.map are looked for in the directories, and beside the core: there they must belong to the
 * core's owner or root, and not be newer than the core, because a later process may have had the number.
 */
enum { CAIRN_MADE_CODE_PATH = 4096 + 64 };
struct cairn_made_code_process {
	uint64_t pid; /* its number on this machine; for a core, the number that the core has */
	bool running;
	const char *directories; /* of a core: "DIR:DIR"; may be NULL */
	const char *core;        /* its path; may be NULL */
};

struct cairn_made_code {
	struct cairn_bytes
		bytes; /* of the file: at most 64 MiB of a map, and 512 MiB of a jitdump */
	char path[CAIRN_MADE_CODE_PATH];
	uint64_t pid; /* as the process knows itself: options->pid of cairn_symbols_open() */
};

/*
 * Reads the file; the caller frees it with cairn_made_code_free().  Returns NOT_FOUND if there is none that counts: then
 * file->path is where the perf map of a running process would be.  Returns UNREADABLE if it cannot be read, or memory is short.
 * `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_made_code_read(
	const struct cairn_made_code_process *process, struct cairn_made_code *file,
	struct cairn_error *error);

/* Frees the bytes.  Only for a file that cairn_made_code_read() filled; twice is harmless. */
CAIRN_API void cairn_made_code_free(struct cairn_made_code *file);

/*
 * What the file of a program records about it, for a host that has no process yet.  It borrows
 * nothing from the file.
 */
struct cairn_program {
	enum cairn_machine machine;
	bool big_endian;
	bool debug_info;         /* it contains DWARF */
	bool by_clang;           /* clang compiled some of it */
	bool unwinds;            /* it has unwind tables */
	uint64_t entry;          /* va of the entry point; 0: none */
	struct cairn_range span; /* va; covers all loaded segments */
	uint8_t build_id[64];
	size_t build_id_size;
	bool build_id_hidden; /* no program header leads to it: a process does not show it */
	struct cairn_section section[CAIRN_SECTIONS]; /* in the order of the file */
	size_t sections;
};

/*
 * Fills *program from the bytes of an ELF file: the whole file, or the parts that
 * cairn_program_next_part() names.  Returns NOT_FOUND if it has no loaded section; UNSUPPORTED if
 * it has more than CAIRN_SECTIONS of them, or a name or a build ID that does not fit; TRUNCATED or
 * MALFORMED if it is damaged or not an ELF file.  *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_parse(struct cairn_bytes file,
                                                               struct cairn_program *program,
                                                               struct cairn_fault *fault);

/*
 * Names the parts of a file that cairn needs, for a host that does not want to read all of it.
 * `file` has the size of the file and consists of zeros at first, and so does *parts.  While a call
 * returns true, *part is a range of offsets in the file, and the caller reads these bytes into
 * their place in `file` before the next call.  When it returns false, cairn_program_parse() and
 * cairn_file_id_compute() give the same results for `file` as for the whole file.
 */
struct cairn_program_parts {
	unsigned step;
	uint32_t index;
	unsigned runs;
	bool comment;
};
CAIRN_API bool cairn_program_next_part(struct cairn_bytes file, struct cairn_program_parts *parts,
                                       struct cairn_range *part);

/*
 * Does the same for the file at `path`, and reads only the parts that it needs.  Returns UNREADABLE
 * if the file cannot be opened or is not a regular file.  `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_read(const char *path,
                                                              struct cairn_program *program,
                                                              struct cairn_error *error);

/*
 * Opens a file to be read whose name comes from a core, a program or a folder: nothing but a regular
 * file, because a device may do something when it is opened, and a pipe waits.  cairn opens such
 * files in this way everywhere.  Returns a file descriptor, which the caller closes, or -1 with errno set:
 * EINVAL: it is something else.
 */
CAIRN_MUST_USE CAIRN_API int cairn_regular_file_open(const char *path);

/*
 * The FileID of an executable: the name by which symbol servers know its symbfile, because a
 * symbfile does not record its executable.  Elastic's profiler defines it as a hash of the first
 * and last 4 KiB and the size of the executable (docs/formats/symbfile.md).
 */
struct cairn_file_id {
	uint8_t bytes[16];
	char text[33]; /* 32 hexadecimal digits and a NUL */
};

/*
 * Parses a FileID: 32 hexadecimal digits, perhaps with dashes, or base64.  Returns false if it is
 * not one.
 */
CAIRN_API bool cairn_file_id_parse(const char *word, struct cairn_file_id *id);

/*
 * Computes the FileID of a file, from its whole bytes or from the parts that
 * cairn_program_next_part() names.  Returns false if it is not an ELF file with this build ID; an
 * empty build ID accepts every file.
 */
CAIRN_API bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                                     struct cairn_file_id *id);

/*
 * Does the same for the file at `path`.  Returns MISMATCH if it has another build ID, and
 * UNREADABLE if it cannot be opened or is not a regular file; *error, which may be NULL, has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_file_id_read(const char *path,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_file_id *id,
                                                              struct cairn_error *error);

/*
 * Writes the path where `cairn symbfile fetch` puts the symbols of this executable to `path`, which
 * has room for `size` bytes with the NUL.  It does not check whether the file exists.  Returns
 * false if there is no cache directory (neither $XDG_CACHE_HOME nor $HOME is set), or the path does
 * not fit.
 */
CAIRN_API bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
