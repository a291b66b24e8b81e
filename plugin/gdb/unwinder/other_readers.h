/* SPDX-License-Identifier: MIT */
/*
 * Other JIT readers.  GDB has room for one; cairn loads the user's others itself and asks them in
 * turn where it has no answer of its own.
 */
#ifndef CAIRN_GDB_UNWINDER_OTHER_READERS_H
#define CAIRN_GDB_UNWINDER_OTHER_READERS_H

#include <gdb/jit-reader.h>

#include <stdbool.h>

enum { READERS_MAX = 8 };

struct readers {
	struct {
		struct gdb_reader_funcs *funcs;
		char *path;
	} list[READERS_MAX];
	unsigned count;
	struct gdb_reader_funcs *claimed; /* who unwound last: GDB then asks for that frame's id */
};

/* Load one more; NULL, or why not. */
const char *readers_load(struct readers *readers, const char *path);

enum gdb_status readers_read(struct readers *readers, struct gdb_symbol_callbacks *cb, void *memory,
                             long size);
enum gdb_status readers_unwind(struct readers *readers, struct gdb_unwind_callbacks *cb);
struct gdb_frame_id readers_frame_id(struct readers *readers, struct gdb_unwind_callbacks *cb);

#endif
