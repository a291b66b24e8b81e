/* SPDX-License-Identifier: MIT */
/* What the module keeps between two calls of GDB. */
#ifndef CAIRN_GDB_SESSION_SESSION_H
#define CAIRN_GDB_SESSION_SESSION_H

#include "common/session/session.h"
#include "protocol/gdb_call.h"
#include "symbols/debug_file_directory.h"
#include "unwinder/other_readers.h"
#include "unwinder/unwinder.h"

/* What was loaded when GDB was last asked for all modules; loading/linker_list.h. */
struct linker_list {
	bool found; /* the place of the list */
	bool alone; /* there can be none, because the program is static */
	bool known; /* and what is in it */
	int inferior;
	bool big_endian;
	uint64_t program; /* where its headers are */
	uint64_t slot;    /* where the address of the dynamic linker's list stands */
	uint64_t hash;
};

/* Symbols that GDB finds when it loads a library; loading/prepared_libraries.h. */
enum { PREPARED_LIBRARIES_MAX = 64 };

struct prepared_libraries {
	struct prepared_library {
		struct source_id id;
		int fd;
		char *library, *symbols; /* paths */
	} of[PREPARED_LIBRARIES_MAX];
	size_t count;
	bool named;    /* GDB looks into their folder */
	bool searched; /* the folders of the setting directory, for libraries that may come */
};

/* Code that the process has made, and what it records of it; loading/jit_code.h. */
struct jit_watch {
	int inferior; /* of the process; 0: none */
	uint64_t pid;
	char path[CAIRN_MADE_CODE_PATH]; /* of the file that was read, or may come */
	bool present;              /* it was there */
	bool running;
	uint64_t pages; /* of a running process, when its mappings were looked at last */
	struct source_fingerprint print;
	struct cairn_symbols *symbols; /* for the unwinder; NULL: none */
};

struct gdb_session {
	struct session shared; /* what commands see; the first member */
	struct unwinder unwinder;
	struct other_readers others;
	struct debug_file_directory directory;
	unsigned inherited_pipes; /* to others, that GDB was started with */
	struct linker_list linker_list;
	struct prepared_libraries prepared;
	struct jit_watch jit;
	struct cairn_bytes
		go_program; /* its file, while an object is made of it; freed after that */
	struct exchange exchange;
	struct gdb_state *state; /* that GDB has given to the command in progress; NULL: none */
};

/* There is one, in reader.c. */
static inline struct gdb_session *gdb_session(struct command_call *call)
{
	return (struct gdb_session *)call->session;
}

#endif
