/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: symbol files and program files, and the paths under which they are found.
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
 * An open symbol file. The library copies the file into memory, or maps it in a program that guards
 * mapped files, as `cairn` does, so no change to the file can crash the host.
 */
struct cairn_symbol_file;

/*
 * Open the file at `path`; options and statuses are as in cairn_symbols_open(). The caller closes
 * *file. Returns UNREADABLE if the file cannot be opened or is not a regular file. *error, which
 * may be NULL, has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open(
	const char *path, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Search for the symbols of a module, by the path of its file and options->build_id, and open the
 * first file that belongs to it. The options `format` and `pid` are ignored. cairn looks in this
 * order:
 *   1. in the file at `binary`, if it belongs to that build, for a section .gsym;
 *   2. beside the binary, for BINARY.gsym;
 *   3. in each of `directories` ("DIR:DIR", may be NULL), for NAME.gsym, ab/cdef.gsym in .build-id
 *      and buildid/abcdef/gsym;
 *   4. in /usr/lib/debug/.build-id, for ab/cdef.gsym;
 *   5. in $XDG_CACHE_HOME/cairn or ~/.cache/cairn, for abcdef.debuginfod.gsym, which `cairn gsym
 *      fetch` puts there, then for abcdef.gsym;
 *   6. in the locations of steps 2 to 5 with .sym instead of .gsym, for a Breakpad file;
 *   7. in the cache of step 5, for FILEID.symbfile, which `cairn symbfile fetch` puts there. This
 *      needs the file at `binary`, and that file must have the build ID;
 *   8. in the file at `binary`, if it belongs to that build, for the function table of a Go program.
 *      Without a build ID, which Go programs may lack, only steps 1 and 8 are tried;
 *   9. in the directory of the binary and in each of `directories`, for a GSYM file of the build
 *      with any name: 64 files are opened, those whose names end in .gsym first, and a directory is
 *      read again only when it has changed.
 * Files of another build are skipped. The caller closes *file. Returns NOT_FOUND if there is no
 * such file; if error->status has another value then, *error describes the last file that was found
 * and rejected. `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find(
	const char *binary, const char *directories, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Write the path of a build's file in a build-ID tree: FOLDER/.build-id/ab/cdef.EXTENSION, or
 * without the dot if `extension` is empty. Debug files have the extension "debug". Returns false if
 * the build ID has less than 2 or more than 64 bytes, or the path does not fit into `size` bytes.
 */
CAIRN_API bool cairn_build_id_path(struct cairn_bytes build_id, const char *folder,
                                   const char *extension, char *path, size_t size);

/* Close the file and free its symbols. NULL is allowed. */
CAIRN_API void cairn_symbol_file_close(struct cairn_symbol_file *file);

/* Return the path by which the file was opened; it lives as long as `file`. */
CAIRN_API const char *cairn_symbol_file_path(const struct cairn_symbol_file *file);

/* Return the symbols of the file; they belong to `file`, so do not free them. */
CAIRN_API struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file);

/* A module for which no symbols were found. */
struct cairn_missing_module {
	struct cairn_bytes name;     /* if empty, the module is identified by `low` */
	uint64_t low;                /* pc of its first byte */
	struct cairn_bytes build_id; /* empty if the module does not have a build ID */
};

/*
 * Contents of a host's message about modules without symbols. Begin with CAIRN_MISSING_SYMBOLS;
 * everything is borrowed during the call.
 */
struct cairn_missing_symbols {
	size_t size; /* sizeof(struct cairn_missing_symbols) */
	/* the first of these modules, which the message names */
	const struct cairn_missing_module *modules;
	size_t module_count;
	size_t count; /* number of all such modules; at least module_count */
	/*
	 * the host's term for directories given by the user; NULL if the user gave no directories
	 */
	const char *folders;
	/* Advice in the host's words: */
	const char *without_id; /* for a module without a build ID */
	/* if DEBUGINFOD_URLS names servers; NULL if they were queried already */
	const char *by_servers;
	const char *by_hand; /* in all other cases */
	/*
	 * Write the next piece of the line. `is_name` is true for bytes of a module's name, which
	 * may be anything.
	 */
	void (*write)(void *context, const char *bytes, size_t size, bool is_name);
	void *context;
};
#define CAIRN_MISSING_SYMBOLS                                                                    \
	{                                                                                        \
		sizeof(struct cairn_missing_symbols), NULL, 0, 0, NULL, "", NULL, "", NULL, NULL \
	}

/*
 * Write a message about modules without symbols, without a line feed: "no symbols for NAME (build
 * ID ab12) and 3 more: none beside them, in FOLDERS, in /usr/lib/debug or in the cache; ADVICE".
 * The directories are the ones that cairn_symbol_file_find() searches.
 */
CAIRN_API void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing);

/*
 * Return the advice that ends the message about a module with this build ID: one of the host's
 * strings.
 */
CAIRN_API const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                                 struct cairn_bytes build_id);

/*
 * A process's record of its JIT code: its jitdump or its perf map. Any user may place such files
 * where cairn looks for them, so cairn checks them. For a running process they must be regular
 * files of its user or root, written since it began: the jitdump that it has mapped, or else the
 * perf map in its own /tmp. For a core, jit-PID.dump and perf-PID.map are looked for in the
 * directories and beside the core; there they must belong to the core's owner or root, and not be
 * newer than the core, because a later process may have had the same pid.
 */
enum { CAIRN_MADE_CODE_PATH = 4096 + 64 };
struct cairn_made_code_process {
	uint64_t pid; /* pid on this machine; for a core, the pid in the core */
	bool running;
	const char *directories; /* for a core: "DIR:DIR"; may be NULL */
	const char *core;        /* path of the core; may be NULL */
};

struct cairn_made_code {
	/* contents of the file: at most 64 MiB of a map, and 512 MiB of a jitdump */
	struct cairn_bytes bytes;
	char path[CAIRN_MADE_CODE_PATH];
	uint64_t pid; /* pid as the process itself sees it: options->pid of cairn_symbols_open() */
};

/*
 * Read a process's record of its JIT code; the caller frees it with cairn_made_code_free(). Returns
 * NOT_FOUND if there is no acceptable file; file->path is then the path that the perf map of a
 * running process would have. Returns UNREADABLE if the file cannot be read or memory is short.
 * `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_made_code_read(
	const struct cairn_made_code_process *process, struct cairn_made_code *file,
	struct cairn_error *error);

/* Free the bytes of a file that cairn_made_code_read() filled. Calling it twice is harmless. */
CAIRN_API void cairn_made_code_free(struct cairn_made_code *file);

/*
 * Description of a program read from its file, for a host that has no process yet. Borrows nothing
 * from the file.
 */
struct cairn_program {
	enum cairn_machine machine;
	bool big_endian;
	bool debug_info;         /* the file contains DWARF */
	bool by_clang;           /* clang compiled some of its code */
	bool unwinds;            /* it has unwind tables */
	uint64_t entry;          /* va of the entry point, or 0 */
	struct cairn_range span; /* va; covers all loaded segments */
	uint8_t build_id[64];
	size_t build_id_size;
	bool build_id_hidden; /* no program header leads to it, so a process does not show it */
	struct cairn_section section[CAIRN_SECTIONS]; /* in file order */
	size_t sections;
};

/*
 * Fill *program from the bytes of an ELF file: the whole file, or the parts that
 * cairn_program_next_part() names. Returns NOT_FOUND if there are no loaded sections; UNSUPPORTED
 * if there are more than CAIRN_SECTIONS sections, or a name or a build ID does not fit; TRUNCATED
 * or MALFORMED if it is damaged or not an ELF file. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_parse(struct cairn_bytes file,
                                                               struct cairn_program *program,
                                                               struct cairn_fault *fault);

/*
 * Name the parts of a file that cairn needs, for a host that wants to avoid reading the whole file.
 * `file` has the size of the file and consists of zeros at first, and so does *parts. While a call
 * returns true, *part is a range of offsets in the file, and the caller reads these bytes to the
 * same offsets in `file` before the next call. When it returns false, cairn_program_parse() and
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
 * Fill *program from the file at `path`, reading only the parts that are needed. Returns UNREADABLE
 * if the file cannot be opened or is not a regular file; otherwise as cairn_program_parse().
 * `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_read(const char *path,
                                                              struct cairn_program *program,
                                                              struct cairn_error *error);

/*
 * Open a file for reading whose name comes from a core, a program or a directory. Only regular
 * files are opened, because opening a device may have side effects and opening a pipe blocks. cairn
 * opens such files in this way everywhere. Returns a file descriptor, which the caller closes, or
 * -1 with errno set; EINVAL if it is not a regular file.
 */
CAIRN_MUST_USE CAIRN_API int cairn_regular_file_open(const char *path);

/*
 * The FileID of an executable: the name by which symbol servers know its symbfile, because a
 * symbfile does not record its executable. Elastic's profiler defines it as a hash of the first and
 * last 4 KiB and the size of the executable (docs/formats/symbfile.md).
 */
struct cairn_file_id {
	uint8_t bytes[16];
	char text[33]; /* 32 hexadecimal digits and a NUL */
};

/*
 * Parse a FileID: 32 hexadecimal digits, possibly with dashes, or base64. Returns false if `word`
 * is not a FileID.
 */
CAIRN_API bool cairn_file_id_parse(const char *word, struct cairn_file_id *id);

/*
 * Compute the FileID of a file, from its whole bytes or from the parts that
 * cairn_program_next_part() names. Returns false if it is not an ELF file with this build ID; an
 * empty build ID accepts every file.
 */
CAIRN_API bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                                     struct cairn_file_id *id);

/*
 * Compute the FileID of the file at `path`. Returns MISMATCH if it has another build ID, and
 * UNREADABLE if it cannot be opened or is not a regular file; *error, which may be NULL, has the
 * details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_file_id_read(const char *path,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_file_id *id,
                                                              struct cairn_error *error);

/*
 * Write the path where `cairn symbfile fetch` puts the symbols of this executable to `path`, which
 * has a capacity of `size` bytes with the NUL. Does not check whether the file exists. Returns
 * false if there is no cache directory (neither $XDG_CACHE_HOME nor $HOME is set), or the path does
 * not fit.
 */
CAIRN_API bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
