/* SPDX-License-Identifier: MIT */
/*
 * Symbol files given by the user, the search for other symbol files, and the objects that were
 * handed to the debugger. Files are read as a whole and never mapped, because a file that is
 * truncated while it is mapped would crash the debugger. Since reading takes time, files are kept
 * in memory, and reread when they have changed; only large GSYM files are reread for each command,
 * because a debugger runs for days.
 */
#ifndef CAIRN_COMMON_SESSION_SOURCES_H
#define CAIRN_COMMON_SESSION_SOURCES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SOURCES_ID = 64,
	/* given files, and objects in the debugger, each of which takes a descriptor */
	SOURCES_MAX = 256,
	SOURCES_OPEN = 40,  /* files that one command may have open at a time */
	SOURCES_CACHED = 8, /* files kept in memory, each about as large as its GSYM file */
	SOURCES_CACHED_GSYM =
		16 << 20, /* largest GSYM file that is kept; copying it takes a few ms */
};

struct source_id {
	uint8_t data[SOURCES_ID];
	size_t size;
};

struct source {
	char *path;
	struct source_id id; /* build ID of the module that it is for */
	uint64_t offset;     /* added to the addresses of the file */
};

/* Symbols that the debugger holds, as an object in memory with a descriptor of this process. */
struct source_object {
	int fd, inferior;
	char *path; /* symbol file that it was made from */
	char *module;
	struct source_id id;
	uint64_t offset, bias, functions;
	bool program; /* the debugger moves it with the program; otherwise it is at `bias` */
	bool present; /* in the debugger, as of the last survey */
	bool made;    /* its frames come from a table that was made for the module */
};

struct source_fingerprint {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds;
};

/* Read the state of a file. Returns false if it does not exist. */
bool source_fingerprint_read(const char *path, struct source_fingerprint *print);

bool source_fingerprint_holds(const char *path, const struct source_fingerprint *print);

struct source_cached_file {
	struct cairn_symbol_file *file; /* NULL for a free entry */
	struct source_fingerprint print;
	struct source_id id; /* module that it was found for; empty if it was opened by path */
	unsigned uses;
};

struct sources {
	struct source given[SOURCES_MAX];
	size_t given_count;
	struct source_object object[SOURCES_MAX];
	size_t objects;
	struct source_cached_file kept[SOURCES_CACHED];
	struct cairn_symbol_file *open[SOURCES_OPEN]; /* opened by the command in progress */
	size_t open_count;
	size_t next_kept;  /* entry of `kept` to try first */
	char *directories; /* "DIR:DIR", or NULL */
	struct cairn_poll poll;
	/* called before the descriptor of an object is closed; may be NULL */
	void (*release)(void *context, int fd);
	void *release_context;
	bool follow; /* at each stop, load symbols for modules without symbols */
	/*
	 * the user gave a file for a module that was not loaded; load its symbols when the module
	 * appears
	 */
	bool waits;
};

/* The symbols for a module: an open file, and an offset to add to its addresses. */
struct source_hit {
	struct cairn_symbol_file *file;
	uint64_t offset;
};

struct source_id source_id(struct cairn_bytes build_id);
bool source_is(const struct source_id *id, struct cairn_bytes build_id);

/*
 * Return the module as its file describes it, moved by the bias, without a name. It points into
 * *program.
 */
struct cairn_module source_program_module(const struct cairn_program *program, uint64_t bias);

/*
 * Add a file, replacing one that was given for the same build. Returns false if memory is short or
 * there are too many.
 */
bool sources_add(struct sources *sources, const char *path, struct cairn_bytes build_id,
                 uint64_t offset);

/* Return the file that was given for the module, or NULL. */
const struct source *sources_given(const struct sources *sources, struct cairn_bytes build_id);

/*
 * Open the symbols of a module: the file that the user gave, otherwise a file found by searching.
 * `error` may be NULL in all of these functions.
 */
enum cairn_status sources_open(struct sources *sources, const struct cairn_module *module,
                               struct source_hit *hit, struct cairn_error *error);

enum cairn_status sources_open_path(struct sources *sources, const char *path,
                                    struct source_hit *hit, struct cairn_error *error);
void sources_close(struct sources *sources, struct source_hit *hit);

/* Forget the files in memory, because the cache may have better files now. */
void sources_forget(struct sources *sources);

/* Close the files that an interrupted command has left open. */
void sources_recover(struct sources *sources);

/* Return the object of this module in this inferior, or NULL. Modules are matched by build ID. */
struct source_object *sources_object(struct sources *sources, int inferior,
                                     const struct cairn_module *module);

/* Drop an object, and close its descriptor unless another inferior uses it. */
void sources_drop(struct sources *sources, size_t index);

/* Close the descriptor of an object that the debugger does not hold. */
void sources_release(struct sources *sources, int fd);

/*
 * Files with SFrame tables made for modules (`cairn sframe create`). Files that the user gave take
 * precedence over files that are found.
 */
enum { SIDE_FILES_MAX = 64 };

struct side_files {
	char *path[SIDE_FILES_MAX]; /* given by the user, owned */
	unsigned count;
};

/* Add a file given by the user. Returns false if there are too many, or memory is short. */
bool side_files_add(struct side_files *files, const char *path);

/*
 * Give the module at `pc` the table of a file if the module does not have one. A module is looked
 * up only once. `directories` is "DIR:DIR" or NULL. Returns false if there is no file, or the
 * module was looked up before.
 */
bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories);

/*
 * Find a file for a program with that build ID, and store its path. Returns false if no file is
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
