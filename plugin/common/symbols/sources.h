/* SPDX-License-Identifier: MIT */
/*
 * Files of symbols: which ones the user gave, where others are looked for, and which were handed to
 * the debugger.  Files are read as a whole when they are opened, never mapped: one that is cut short while it
 * is mapped would end the debugger.  What was read is kept, for reading takes time; a file that has
 * changed is read anew, and a large GSYM file at each command, because a debugger runs for days.
 */
#ifndef CAIRN_COMMON_SYMBOLS_SOURCES_H
#define CAIRN_COMMON_SYMBOLS_SOURCES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SOURCES_ID = 64,    /* bytes of a build ID that are kept */
	SOURCES_MAX = 256,  /* files given, and objects in the debugger: each takes a descriptor */
	SOURCES_OPEN = 40,  /* files that one command has open at a time, at most */
	SOURCES_CACHED = 8, /* files that were read as a whole, each about as large as its GSYM */
	SOURCES_CACHED_GSYM =
		16 << 20, /* bytes of a GSYM file that is kept; copying it takes some ms */
};

struct source_id {
	uint8_t data[SOURCES_ID];
	size_t size;
};

/* A file that the user gave. */
struct source {
	char *path;
	struct source_id id; /* of the module that it is for */
	uint64_t offset;     /* added to its addresses */
};

/* Symbols that the debugger holds, as an object in memory at a descriptor of ours. */
struct source_object {
	int fd, inferior;
	char *path;   /* of the file that they came from */
	char *module; /* its name */
	struct source_id id;
	uint64_t offset, bias, functions;
	bool program; /* the debugger moves it with the program; else it is where the bias puts it */
	bool present; /* in the debugger, as of the last survey */
	bool made;    /* its frames are those of a table that was made for the module */
};

/* What a file was when it was read. */
struct source_fingerprint {
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds; /* when it was written */
};

/* Returns false if the file does not exist. */
bool source_fingerprint_read(const char *path, struct source_fingerprint *print);

/* Is the file as it was? */
bool source_fingerprint_holds(const char *path, const struct source_fingerprint *print);

struct source_cached_file {
	struct cairn_symbol_file *file; /* NULL: a free place */
	struct source_fingerprint print;
	struct source_id id; /* of the module that it was found for; empty: a path was asked for */
	unsigned uses;
};

struct sources {
	struct source given[SOURCES_MAX];
	size_t given_count;
	struct source_object object[SOURCES_MAX];
	size_t objects;
	struct source_cached_file kept[SOURCES_CACHED];
	struct cairn_symbol_file *open[SOURCES_OPEN]; /* by the command in progress */
	size_t open_count;
	size_t next_kept;       /* the place among `kept` that is looked at first */
	char *directories;      /* "DIR:DIR"; NULL: none */
	struct cairn_poll poll; /* while a file is read */
	/* called before the descriptor of an object is closed; may be NULL */
	void (*release)(void *context, int fd);
	void *release_context;
	bool follow; /* modules without symbols get theirs at each stop */
	bool waits;  /* those that a file was given for do, when they come */
};

/* What serves a module: an open file, and what is to be added to its addresses. */
struct source_hit {
	struct cairn_symbol_file *file;
	uint64_t offset;
};

struct source_id source_id(struct cairn_bytes build_id);
bool source_is(const struct source_id *id, struct cairn_bytes build_id);

/* A module as its file tells, moved by the bias and without a name.  It points into *program. */
struct cairn_module source_program_module(const struct cairn_program *program, uint64_t bias);

/* False when memory is short, or there are too many.  A file given again replaces itself. */
bool sources_add(struct sources *sources, const char *path, struct cairn_bytes build_id,
                 uint64_t offset);

/* The file that was given for the module; NULL: none. */
const struct source *sources_given(const struct sources *sources, struct cairn_bytes build_id);

/* The symbols of a module: a file that was given, else one that is found.  `error` may be NULL, here and below. */
enum cairn_status sources_open(struct sources *sources, const struct cairn_module *module,
                               struct source_hit *hit, struct cairn_error *error);

/* Opens the symbols of a file, whatever it is for. */
enum cairn_status sources_open_path(struct sources *sources, const char *path,
                                    struct source_hit *hit, struct cairn_error *error);
void sources_close(struct sources *sources, struct source_hit *hit);

/* Files are looked for anew: the cache may have better ones now. */
void sources_forget(struct sources *sources);

/* Closes what an interrupted command has left open. */
void sources_recover(struct sources *sources);

/* The object of this module in this inferior, by its build ID, or by its name if it has none; NULL when there is none. */
struct source_object *sources_object(struct sources *sources, int inferior,
                                     const struct cairn_module *module);

/* Let go of one; its descriptor is closed when no other inferior uses it. */
void sources_drop(struct sources *sources, size_t index);

/* Closes the descriptor of an object that no debugger holds. */
void sources_release(struct sources *sources, int fd);

#ifdef __cplusplus
}
#endif

#endif
