/* SPDX-License-Identifier: MIT */
/* Part of <cairn.h>: finds and opens symbol files and program files. */
#ifndef CAIRN_INCLUDE_SYMBOL_FILE_H
#define CAIRN_INCLUDE_SYMBOL_FILE_H

#include <cairn/base.h>
#include <cairn/object.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An open symbol file. The library copies the file into memory, so that changes to the file cannot
 * crash the host. The file is mapped only in a program that handles faults in mapped files, such as
 * `cairn`.
 */
struct cairn_symbol_file;

/*
 * Open the file at `path`. Options and statuses are the same as for cairn_symbols_open(). The
 * caller closes *file. Returns UNREADABLE if the file cannot be opened or is not a regular file.
 * *error, which may be NULL, has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_open(
	const char *path, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Search for a module's symbols, by the path of its file and options->build_id, and open the first
 * symbol file that belongs to the module. The options `format` and `pid` are ignored. cairn looks
 * in this order:
 *   1. in the file at `binary`, if it belongs to that build, for a section .gsym;
 *   2. beside the binary, for BINARY.gsym;
 *   3. in each of `directories` ("DIR:DIR", may be NULL), for NAME.gsym, ab/cdef.gsym in .build-id,
 *      buildid/abcdef/gsym, and abcdef.gsym;
 *   4. in /usr/lib/debug/.build-id, for ab/cdef.gsym;
 *   5. in $XDG_CACHE_HOME/cairn or ~/.cache/cairn, for abcdef.debuginfod.gsym, which `cairn gsym
 *      fetch` puts there, then for abcdef.gsym;
 *   6. in the locations of steps 2 to 5 with .sym instead of .gsym, for a Breakpad file;
 *   7. at the paths of steps 3 to 5 that contain the build ID, with .symbfile or .ranges instead of
 *      .gsym, for a symbfile;
 *   8. at the same paths with the FileID instead of the build ID, for a symbfile such as
 *      FILEID.symbfile, which `cairn symbfile fetch` puts into the cache of step 5. This needs the
 *      file at `binary`, and that file must have the build ID;
 *   9. in the file at `binary`, if it belongs to that build, for a Go program's function table.
 *      If no build ID is given (Go programs may lack one), only steps 1 and 9 are tried;
 *   10. in the directory of the binary and in each of `directories`, for a GSYM file of the build
 *      with any name: 64 files are opened, those whose names end in .gsym first, and a directory is
 *      read again only when it has changed.
 * Files from a different build are skipped. The caller closes *file. Returns NOT_FOUND if no file
 * is acceptable. If a file was found and rejected, *error describes the last one, and error->status
 * is its status instead of NOT_FOUND. `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbol_file_find(
	const char *binary, const char *directories, const struct cairn_symbols_options *options,
	struct cairn_symbol_file **file, struct cairn_error *error);

/*
 * Write the path of a file in a build-ID tree to `path`: FOLDER/.build-id/ab/cdef.EXTENSION, or
 * without the dot if `extension` is empty. Debug files have the extension "debug". Returns false if
 * the build ID has fewer than 2 or more than 64 bytes, or if the path does not fit into `size`
 * bytes.
 */
CAIRN_API bool cairn_build_id_path(struct cairn_bytes build_id, const char *folder,
                                   const char *extension, char *path, size_t size);

/* Close the file and free its symbols. NULL is allowed. */
CAIRN_API void cairn_symbol_file_close(struct cairn_symbol_file *file);

/* Return the path that was passed when the file was opened. It lives as long as `file`. */
CAIRN_API const char *cairn_symbol_file_path(const struct cairn_symbol_file *file);

/* Return the file's symbols. They belong to `file`, so do not free them. */
CAIRN_API struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file);

/* A module for which no symbols have been found. */
struct cairn_missing_module {
	struct cairn_bytes name;     /* module name; if empty, `low` identifies the module */
	uint64_t low;                /* pc of its first byte */
	struct cairn_bytes build_id; /* empty if the module has no build ID */
};

/*
 * Contents of a message about modules without symbols, for the host's user. Initialize with
 * CAIRN_MISSING_SYMBOLS; everything is borrowed during the call.
 */
struct cairn_missing_symbols {
	size_t size;
	/* modules without symbols; the message mentions the first one */
	const struct cairn_missing_module *modules;
	size_t module_count;
	size_t count; /* total number of modules without symbols, at least module_count */
	/* the host's term for directories set by the user; NULL if the user has not set any */
	const char *folders;
	const char *without_id; /* advice for a module without a build ID */
	/*
	 * advice if DEBUGINFOD_URLS lists servers; NULL if these servers have already been queried
	 */
	const char *by_servers;
	const char *by_hand; /* advice in all other cases */
	/*
	 * Write the next piece of the message. `is_name` is true for bytes of a module's name,
	 * which are arbitrary and may need escaping.
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
 * ID HEX) and 3 more: none beside them, in FOLDERS, in /usr/lib/debug or in the cache; ADVICE". The
 * message lists the directories that cairn_symbol_file_find() searches.
 */
CAIRN_API void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing);

/* Return the host's advice string that ends the message about a module with this build ID. */
CAIRN_API const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                                 struct cairn_bytes build_id);

/*
 * The jitdump or perf map in which a process describes its JIT code. Any user can create such files
 * in the searched locations, so cairn checks them. For a running process, the jitdump that the
 * process has mapped is used, otherwise the perf map in /tmp in the process's mount namespace. The
 * file must be a regular file that belongs to the process's user or root and was written after the
 * process started. For a core, jit-PID.dump and perf-PID.map are searched for in `directories` and
 * beside the core. They must belong to the core's owner or root, and must not be newer than the
 * core, because a later process may have had the same pid.
 */
enum { CAIRN_MADE_CODE_PATH = 4096 + 64 };
struct cairn_made_code_process {
	uint64_t pid; /* process ID on this machine; for a core, the process ID in the core */
	bool running;
	const char *directories; /* for a core: "DIR:DIR"; may be NULL */
	const char *core;        /* path of the core; may be NULL */
};

struct cairn_made_code {
	/* contents of the file: at most 64 MiB of a perf map, and 512 MiB of a jitdump */
	struct cairn_bytes bytes;
	char path[CAIRN_MADE_CODE_PATH];
	/* process ID in the process's own namespace; options->pid for cairn_symbols_open() */
	uint64_t pid;
};

/*
 * Read a process's jitdump or perf map; the caller frees it with cairn_made_code_free(). Returns
 * NOT_FOUND if there is no acceptable file. In that case, for a running process, file->path is the
 * expected path of its perf map. Returns UNREADABLE if the file cannot be read or allocation fails.
 * `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_made_code_read(
	const struct cairn_made_code_process *process, struct cairn_made_code *file,
	struct cairn_error *error);

/* Free the bytes of a file from cairn_made_code_read(). Calling this twice is harmless. */
CAIRN_API void cairn_made_code_free(struct cairn_made_code *file);

/*
 * A program as described by its file, for hosts that have no process yet. Borrows nothing from the
 * file.
 */
struct cairn_program {
	enum cairn_machine machine;
	bool big_endian;
	bool debug_info; /* the file contains DWARF */
	bool by_clang;   /* clang compiled some of the program's code */
	bool unwinds;
	uint64_t entry;
	struct cairn_range span; /* va range that covers all loaded segments */
	uint8_t build_id[64];
	size_t build_id_size;
	/* no program header refers to the build ID, so it cannot be found in memory */
	bool build_id_hidden;
	struct cairn_section section[CAIRN_SECTIONS]; /* in file order */
	size_t sections;
};

/*
 * Fill *program from the bytes of an ELF file: the whole file, or the parts requested by
 * cairn_program_next_part(). Returns NOT_FOUND if there are no loaded sections; UNSUPPORTED if
 * there are more than CAIRN_SECTIONS sections, or a name or a build ID does not fit; TRUNCATED or
 * MALFORMED if the file is damaged or not an ELF file. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_parse(struct cairn_bytes file,
                                                               struct cairn_program *program,
                                                               struct cairn_fault *fault);

/*
 * Selects the parts of a file that cairn needs, so that the host does not have to read the whole
 * file. Initially *parts is zeroed, and `file` has the size of the file and is filled with zeros.
 * While cairn_program_next_part() returns true, *part is a range of offsets in the file, and the
 * caller reads these bytes into the same offsets in `file` before the next call. Once it returns
 * false, cairn_program_parse() and cairn_file_id_compute() return the same results for `file` as
 * for the complete file.
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
 * if the file cannot be opened or is not a regular file; all other statuses are the same as for
 * cairn_program_parse(). `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_program_read(const char *path,
                                                              struct cairn_program *program,
                                                              struct cairn_error *error);

/*
 * Open a file for reading. Only regular files are opened, because opening a device may have side
 * effects and opening a pipe blocks. cairn uses this function for all files whose names come from a
 * core, a program or a directory. Returns a file descriptor, which the caller closes, or -1 with
 * errno set (EINVAL if the file is not a regular file).
 */
CAIRN_MUST_USE CAIRN_API int cairn_regular_file_open(const char *path);

/*
 * The FileID of an executable. Symbol servers use it as the name of the executable's symbfile,
 * which itself does not record the executable. Elastic's profiler defines the FileID as a hash of
 * the executable's first and last 4 KiB and its size (docs/formats/symbfile.md).
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
 * Compute a file's FileID from its complete bytes or from the parts requested by
 * cairn_program_next_part(). Returns false if the file is not an ELF file with this build ID; if
 * `build_id` is empty, every build ID is accepted.
 */
CAIRN_API bool cairn_file_id_compute(struct cairn_bytes file, struct cairn_bytes build_id,
                                     struct cairn_file_id *id);

/*
 * Compute the FileID of the file at `path`. Returns MISMATCH if the file has a different build ID,
 * and UNREADABLE if it cannot be opened or is not a regular file; *error, which may be NULL, has
 * the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_file_id_read(const char *path,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_file_id *id,
                                                              struct cairn_error *error);

/*
 * Write the path at which `cairn symbfile fetch` stores this executable's symbols to `path`, whose
 * capacity including the NUL is `size` bytes. Does not check whether the file exists. Returns false
 * if there is no cache directory because neither $XDG_CACHE_HOME nor $HOME is set, or if the path
 * does not fit.
 */
CAIRN_API bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
