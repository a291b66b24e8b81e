/* SPDX-License-Identifier: MIT */
/*
 * Stacks of a program at one moment, as cairn/stacks.h opens them: the snapshot, the files of its modules, what
 * the unwinder is given of them, and one walk at a time.
 */
#ifndef CAIRN_PROCESS_STACKS_STACKS_H
#define CAIRN_PROCESS_STACKS_STACKS_H

#include "base/table/number_map.h"
#include "locate/locate.h"
#include "model/snapshot.h"
#include "process/registered/registered_code.h"
#include "process/snapshot/abort_message.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/walk/stack_walk.h"
#include "symbols/sources/go.h"
#include "unwind/modules/modules.h"

/*
 * Frames of all stacks together: a small core may claim as many threads with one deep stack as it likes.
 */
enum {
	STACKS_FRAMES_MAX = 1 << 21,
	STACKS_FRAMES_LEAST = 1 << 18,
	STACKS_FRAME_BYTES = 16, /* of the input, for one more than the least */
};

/* The files that know one module. */
struct stacks_module {
	bool looked;                 /* for its own file */
	struct located found;        /* its program or library */
	bool breakpad_looked;        /* for its Breakpad file in trees of such files */
	struct located breakpad;     /* that file */
	struct stack_cfi *stack_cfi; /* the rules in it */
	struct cairn_symbol_file *breakpad_symbols; /* the names in it */
	bool go_looked;                             /* for its table of functions as a Go program */
	struct go_program *go;                      /* that; owned; NULL: it has none */
	struct go_functions *go_functions; /* made when the first name is asked for; owned */
	bool gave_tables;                  /* its .debug_frame was looked for */
	void *unpacked_frames;             /* the section, where it was compressed; owned */
	void *unpacked_symbols;            /* what .gnu_debugdata holds; owned */
	bool copied;                       /* its image was copied of memory */
	void *image;                       /* of the vDSO, which has no file; owned */
	size_t image_size;
};

/* Which locations an address has: a part of names.locations. */
struct stacks_answer {
	uint32_t first, count;
};

struct stacks_names {
	struct number_map numbers; /* of the answers, by the addresses that were looked up, + 1 */
	struct stacks_answer *answers;
	size_t answer_count, answer_room;
	struct cairn_location *locations;
	size_t location_count, location_room;
};

/* Code that the program has made, as the list in its memory, its jitdump and its perf map have it. */
struct stacks_jit {
	bool looked;
	struct registered_code list;
	uint64_t descriptor; /* where the list is, if it has functions */
	bool searched;       /* no symbol led there */
	bool *entered;       /* of each function of the list: frames are in it; NULL: none are */
	struct registered_code dump, map;
	bool hotspot_looked;
	struct hotspot *hotspot; /* the code cache of the JVM; NULL: there is none; owned */
};

struct cairn_stacks {
	struct cairn_stacks_options options;
	struct cairn_symbolizer_options search;
	/* the host's, which `search` has in a form for the symbolizer */
	bool (*fetch)(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
	              char *path, size_t size);
	void *fetch_context;
	struct cairn_symbolizer *symbolizer;
	uint64_t size; /* bytes of the source, or what a source without a size counts for */
	struct snapshot snapshot;
	struct os_file file; /* of a minidump that was copied */
	struct snapshot_memory memory;
	struct cairn_space *space;
	struct stacks_module *modules; /* as many as the snapshot has */
	size_t asked;                  /* the module whose names are being asked for */
	struct stacks_names names;
	struct stacks_jit jit;
	uint64_t frames_left;
	bool prepared;   /* the headers of modules were looked at */
	uint32_t *spent; /* frames of each thread's latest walk */
	size_t thread;   /* of the walk */
	struct stack_walk walk;
	char *function; /* the text of cairn_stacks_function(); owned */
};

/* A file that was found before there was a struct stacks_module for it. */
struct stacks_unlisted_file {
	struct located found;
	uint64_t low; /* address of the module */
};

/* The search for modules whose headers are not in the core. */
struct stacks_unlisted {
	struct cairn_stacks *stacks;
	struct stacks_unlisted_file *files;
	size_t count, room;
	unsigned tries;   /* files that were opened */
	uint64_t dynamic; /* address of the program's dynamic section; 0: not known */
};

/*
 * Open stacks of a snapshot that is filled already, and take it over, also on failure; the options name no source then. A
 * NULL snapshot opens what the options name, as cairn_stacks_open() does.
 */
CAIRN_MUST_USE enum cairn_status stacks_open_snapshot(const struct cairn_stacks_options *options,
                                                      struct snapshot *snapshot,
                                                      struct cairn_stacks **stacks,
                                                      struct cairn_error *error);

/*
 * Adds the modules whose headers are not in the core, by their files. Numbers of modules change; once
 * stacks->modules is made (or could not be), stacks_adopt_unlisted() gives it the files.
 */
void stacks_find_unlisted(struct cairn_stacks *stacks, struct stacks_unlisted *unlisted);

void stacks_adopt_unlisted(struct stacks_unlisted *unlisted);

/* The module of an address, with its file looked for; NULL for none. *index: its number. */
const struct snapshot_module *stacks_find_module(struct cairn_stacks *stacks, uint64_t pc,
                                                 size_t *index);

/* Looks for the file of a module, once; `context` is a struct cairn_stacks. */
void stacks_find_file(void *context, size_t index);

/* The separate debug file of a module, looked for once; empty: there is none. */
struct cairn_bytes stacks_find_debug_file(struct cairn_stacks *stacks, size_t index);

/* The module as the symbolizer knows it; `path` is room for its path. */
struct cairn_symbol_module stacks_symbol_module(struct cairn_stacks *stacks, size_t index);

/* Has the host a file of a module? Then its path is written, for which there is room for `size` bytes. */
bool stacks_fetch_file(struct cairn_stacks *stacks, size_t index, enum cairn_module_file wanted,
                       char *path, size_t size);

/* Makes the symbolizer, with the sources of the options and those below. False: memory is short. */
bool stacks_open_symbolizer(struct cairn_stacks *stacks);

/* Gives the space the .debug_frame of the module at `pc`, once; `context` is a struct cairn_stacks. */
bool stacks_give_tables(void *context, uint64_t pc);

/*
 * Tells the space of the modules of a minidump, whose headers were mostly not captured, and where their
 * Breakpad files are. False: more than the space keeps.
 */
bool stacks_report_modules(struct cairn_stacks *stacks);

/* Tells the space where the tables of Go programs are. */
void stacks_set_go(struct cairn_stacks *stacks);

/* Close what the sources of names that only stacks have know of a module. */
void stacks_close_sources(struct stacks_module *module);

void stacks_close_names(struct stacks_names *names);

/* Where the message of the C library that aborted the program is in its memory: how many places. */
size_t stacks_find_abort_message(struct cairn_stacks *stacks, struct cairn_range places[2]);

/* What the program has recorded of the code at `pc` that it has made; false: nothing. */
bool stacks_find_jit_code(struct cairn_stacks *stacks, uint64_t pc,
                          struct cairn_location *location);

void stacks_close_jit(struct stacks_jit *jit);

struct stacks_memory_taker {
	bool (*take)(void *context, uint64_t address, struct cairn_bytes bytes); /* false: stop */
	void *context;
};

/* A frame is at `pc`, which may be in a function of the list.  False: memory is short. */
bool stacks_note_made_frame(struct cairn_stacks *stacks, uint64_t pc);

/*
 * Gives the memory of the list, at most so many bytes, if frames were noted in one of its functions: the list, then the objects of these functions, and
 * of the others those that there is room for, the newest first.  False: memory is short.
 */
bool stacks_give_made_code(struct cairn_stacks *stacks, uint64_t most,
                           const struct stacks_memory_taker *taker);

/* Rules for unwinding, of a jitdump, from now on. */
void stacks_set_jit_rules(struct cairn_stacks *stacks);

/* Is told of a further file that serves: its bytes are worth their names. */
static inline void stacks_report_opened(const struct cairn_stacks *stacks, uint64_t size)
{
	if (stacks->options.opened)
		stacks->options.opened(stacks->options.context, size);
}

#endif
