/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the files of a program: its ELF file, and the file in which it describes its
 * JIT code.
 *
 *	struct cairn_program program;
 *	if (cairn_program_read("/usr/bin/true", &program, &error) != CAIRN_OK)
 *		printf("%s: %s\n", error.path, error.text);
 *	else if (program.debug_info)
 *		...            the file contains DWARF
 */
#ifndef CAIRN_INCLUDE_PROGRAM_H
#define CAIRN_INCLUDE_PROGRAM_H

#include <cairn/base.h>
#include <cairn/object.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Write the path of a file in a build-ID tree to `path`: DIRECTORY/.build-id/ab/cdef.EXTENSION, or
 * without the dot if `extension` is empty. Debug files have the extension "debug". Returns false if
 * the build ID has fewer than 2 or more than 64 bytes, or if the path does not fit into `size`
 * bytes.
 */
CAIRN_API bool cairn_build_id_path(struct cairn_bytes build_id, const char *directory,
                                   const char *extension, char *path, size_t size);

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
	/*
	 * process ID in the process's own namespace, for the option `pid` of
	 * cairn_symbols_open_bytes()
	 */
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

/* State of cairn_program_next_part(). Initialize with zeros; the members are private to cairn. */
struct cairn_program_parts {
	unsigned step;
	uint32_t index;
	unsigned runs;
	bool comment;
};

/*
 * Select the next part of a file that cairn needs, so that the host does not have to read the whole
 * file. Before the first call, *parts is zeroed, and `file` has the size of the file and is filled
 * with zeros. While the function returns true, *part is a range of offsets in the file, and the
 * caller reads these bytes into the same offsets in `file` before the next call. Once it returns
 * false, cairn_program_parse() and cairn_file_id_compute() return the same results for `file` as
 * for the complete file.
 */
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
