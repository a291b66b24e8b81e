/* SPDX-License-Identifier: MIT */
/* The state that the module keeps between calls of GDB. */
#ifndef CAIRN_GDB_QUERIES_SESSION_H
#define CAIRN_GDB_QUERIES_SESSION_H

#include "common/session/session.h"
#include "debug_file_directory.h"
#include "protocol/gdb_call.h"
#include "unwinder/other_readers.h"
#include "unwinder/unwinder.h"

/* State of the linker's list when GDB was last queried for all modules; see follow.c. */
struct linker_list {
	bool found; /* the list's address is known */
	bool alone; /* there is no list, because the program is static */
	bool known; /* the contents of the list are known */
	int inferior;
	bool big_endian;
	uint64_t program; /* address of the program's ELF header */
	uint64_t slot;    /* address of the word that holds the address of the list */
	uint64_t hash;
};

/* Symbols that GDB finds when it loads a library; see gdb_loader.c. */
enum { PREPARED_LIBRARIES_MAX = 64 };

struct prepared_libraries {
	struct prepared_library {
		struct source_id id;
		int fd;
		char *library, *symbols;
	} of[PREPARED_LIBRARIES_MAX];
	size_t count;
	bool named;    /* GDB searches the directory of the prepared objects */
	bool searched; /* the directories for libraries that may be loaded have been searched */
};

/* The record that the process writes of its JIT code; see jit_code.c. */
struct jit_watch {
	int inferior; /* inferior of the process, or 0 */
	uint64_t pid;
	char path[CAIRN_MADE_CODE_PATH]; /* file that was read or may appear */
	bool present;
	bool running;
	uint64_t pages; /* size of a running process when its mappings were last read */
	struct source_fingerprint print;
	struct cairn_symbols *symbols; /* symbols for the unwinder, or NULL */
};

struct gdb_session {
	struct session shared; /* the part that commands see; must be first */
	struct unwinder unwinder;
	struct other_readers others;
	struct debug_file_directory directory;
	unsigned inherited_pipes; /* number of pipes to other processes at startup */
	struct linker_list linker_list;
	struct prepared_libraries prepared;
	struct jit_watch jit;
	/* file of a Go program while an object is made from it; then freed */
	struct cairn_bytes go_program;
	struct exchange exchange;
	struct gdb_state *state; /* GDB's state for the command in progress, or NULL */
};

/* Return the only session, which is in reader.c. */
static inline struct gdb_session *gdb_session(struct command_call *call)
{
	return (struct gdb_session *)call->session;
}

#endif
