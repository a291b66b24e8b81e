/* SPDX-License-Identifier: MIT */
/*
 * Keeps the symbol files that the user has specified, searches for other symbol files, and records
 * the objects that have been handed to the debugger.
 *
 * Files are read as a whole and never mapped, because truncating a mapped file would crash the
 * debugger. Since reading takes time, files are cached in memory and reread only when they have
 * changed. Large GSYM files are not cached, because they would occupy memory until the debugger
 * exits, which may be days later.
 */
#ifndef CAIRN_COMMON_SESSION_SOURCES_H
#define CAIRN_COMMON_SESSION_SOURCES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SOURCES_ID = 64,
	/*
	 * maximum number of files specified by the user, and maximum number of objects in the
	 * debugger, each of which uses a descriptor
	 */
	SOURCES_MAX = 256,
	SOURCES_OPEN = 40,
	SOURCES_CACHED = 8,
	SOURCES_CACHED_GSYM =
		16 << 20, /* largest GSYM file to cache; copying it takes a few milliseconds */
};

struct source_id {
	uint8_t data[SOURCES_ID];
	size_t size;
};

struct source {
	char *path;
	struct source_id id;
	uint64_t offset; /* offset to add to the addresses in the file */
};

/*
 * An ELF object in memory with symbols. The debugger has loaded the object through a descriptor of
 * the debugger's own process.
 */
struct source_object {
	int fd, inferior;
	char *path; /* symbol file from which the object was created */
	char *module;
	struct source_id id;
	uint64_t offset, bias, functions;
	/* the debugger relocates the object with the program; otherwise it is loaded at `bias` */
	bool program;
	bool present; /* the debugger had the object when it was last queried */
	/* the object's call frame information was generated from a separate SFrame file */
	bool made;
};

struct source_fingerprint {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds;
};

bool source_fingerprint_read(const char *path, struct source_fingerprint *print);

bool source_fingerprint_holds(const char *path, const struct source_fingerprint *print);

struct source_cached_file {
	struct cairn_symbols *file;
	struct source_fingerprint print;
	/* build ID for which the file was found; empty if it was opened by path */
	struct source_id id;
	unsigned uses;
};

struct sources {
	struct source given[SOURCES_MAX];
	size_t given_count;
	struct source_object object[SOURCES_MAX];
	size_t objects;
	struct source_cached_file kept[SOURCES_CACHED];
	struct cairn_symbols *open[SOURCES_OPEN]; /* files opened by the current command */
	size_t open_count;
	size_t next_kept;  /* index in `kept` of the entry to try first for replacement */
	char *directories; /* directories to search, as "DIR:DIR"; may be NULL */
	struct cairn_poll poll;
	/* called before an object's descriptor is closed; may be NULL */
	void (*release)(void *context, int fd);
	void *release_context;
	bool follow; /* automatically load symbols for modules without symbols at each stop */
	/*
	 * the user has specified a file for a module that is not loaded; load it when the module
	 * appears
	 */
	bool waits;
};

struct source_hit {
	struct cairn_symbols *file;
	uint64_t offset;
};

struct source_id source_id(struct cairn_bytes build_id);
bool source_is(const struct source_id *id, struct cairn_bytes build_id);

/*
 * Describe a loaded module from its file, adding `bias` to the addresses. The result has an empty
 * name and points into *program.
 */
struct cairn_module source_program_module(const struct cairn_program *program, uint64_t bias);

/*
 * Add a file, replacing an earlier file for the same build ID. Returns false if allocation fails or
 * there are too many files.
 */
bool sources_add(struct sources *sources, const char *path, struct cairn_bytes build_id,
                 uint64_t offset);

/* Return the file that the user has specified for the module, or NULL. */
const struct source *sources_given(const struct sources *sources, struct cairn_bytes build_id);

/*
 * Open a module's symbols: the file that the user has specified, without checking its build ID, or
 * else a file found by searching. `error` may be NULL in this and the next function.
 */
enum cairn_status sources_open(struct sources *sources, const struct cairn_module *module,
                               struct source_hit *hit, struct cairn_error *error);

enum cairn_status sources_open_path(struct sources *sources, const char *path,
                                    struct source_hit *hit, struct cairn_error *error);
void sources_close(struct sources *sources, struct source_hit *hit);

/* Clear the cache, because newly downloaded files may be better. */
void sources_forget(struct sources *sources);

/* Close the files that an interrupted command left open. */
void sources_recover(struct sources *sources);

/* Return the object for a module in an inferior, or NULL. Modules are identified by build ID. */
struct source_object *sources_object(struct sources *sources, int inferior,
                                     const struct cairn_module *module);

/* Remove an object from the list, and close its descriptor if no other inferior uses it. */
void sources_drop(struct sources *sources, size_t index);

/* Close the descriptor of an object that the debugger does not use. */
void sources_release(struct sources *sources, int fd);

/*
 * Separate SFrame files for modules (`cairn sframe create`). Files that the user has specified take
 * precedence over files that are found.
 */
enum { SIDE_FILES_MAX = 64 };

struct side_files {
	char *path[SIDE_FILES_MAX];
	unsigned count;
};

bool side_files_add(struct side_files *files, const char *path);

/*
 * If the module at `pc` has no unwind table, add the table from its SFrame file. Each module is
 * looked up only once. `directories` is "DIR:DIR" or NULL. Returns false if no file is found, or if
 * the module has been looked up before.
 */
bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories);

/*
 * Find the SFrame file for a program by build ID, and store its path. Returns false if no file is
 * found.
 */
bool side_files_find(const struct side_files *files, const char *binary,
                     struct cairn_bytes build_id, const char *directories, char *path, size_t size);

bool side_files_has_named(const struct side_files *files, struct cairn_bytes build_id);

void side_files_finish(struct side_files *files);

#ifdef __cplusplus
}
#endif

#endif
