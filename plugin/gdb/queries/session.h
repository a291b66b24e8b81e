/* SPDX-License-Identifier: MIT */
/* The state that the module keeps between GDB's calls. */
#ifndef CAIRN_GDB_QUERIES_SESSION_H
#define CAIRN_GDB_QUERIES_SESSION_H

#include "common/session/session.h"
#include "debug_file_directory.h"
#include "protocol/gdb_call.h"
#include "unwinder/other_readers.h"
#include "unwinder/unwinder.h"

/*
 * State of the dynamic linker's list of modules when GDB was last queried for all modules; see
 * follow.c.
 */
struct linker_list {
	bool found; /* `slot` is valid */
	bool alone; /* the program is static, so there is no list */
	bool known; /* `hash` is valid */
	int inferior;
	bool big_endian;
	uint64_t program; /* address of the program's ELF header */
	uint64_t slot;    /* address of the word that contains the list's address */
	uint64_t hash;
};

/* Symbol objects prepared for libraries that GDB has not loaded yet; see gdb_loader.c. */
enum { PREPARED_LIBRARIES_MAX = 64 };

struct prepared_libraries {
	struct prepared_library {
		struct source_id id;
		int fd;
		char *library, *symbols;
	} of[PREPARED_LIBRARIES_MAX];
	size_t count;
	/* GDB's debug-file-directory setting includes the directory of prepared objects */
	bool named;
	bool searched; /* the program's directories have been searched for libraries */
};

/* State of the perf map or jitdump that the process writes; see jit_code.c. */
struct jit_watch {
	int inferior; /* inferior in which the process runs, or 0 if there is no process to watch */
	uint64_t pid;
	/* path of the perf map or jitdump that was read or is expected */
	char path[CAIRN_MADE_CODE_PATH];
	bool present;
	bool running;
	uint64_t pages; /* size of the process in pages when its mappings were last read */
	struct source_fingerprint print;
	struct cairn_symbols *symbols; /* symbols of JIT code for the unwinder, or NULL */
};

struct gdb_session {
	struct session shared; /* must be first; shared commands use only this member */
	struct unwinder unwinder;
	struct other_readers others;
	struct debug_file_directory directory;
	/* number of pipes to other processes that were open when the module was loaded */
	unsigned inherited_pipes;
	struct linker_list linker_list;
	struct prepared_libraries prepared;
	struct jit_watch jit;
	struct cairn_bytes go_program;
	struct exchange exchange;
	struct gdb_state *state;
};

/* Return the only session, a static object in reader.c. */
static inline struct gdb_session *gdb_session(struct command_call *call)
{
	return (struct gdb_session *)call->session;
}

#endif
