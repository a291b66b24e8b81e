/* SPDX-License-Identifier: MIT */
/*
 * Other JIT readers. GDB loads only one reader, so cairn loads the user's other readers itself, and
 * calls them in turn for frames that cairn does not unwind.
 */
#ifndef CAIRN_GDB_UNWINDER_OTHER_READERS_H
#define CAIRN_GDB_UNWINDER_OTHER_READERS_H

#include <gdb/jit-reader.h>
#include <stdbool.h>

enum { OTHER_READERS_MAX = 8 };

struct other_readers {
	struct {
		struct gdb_reader_funcs *funcs;
		char *path;
	} list[OTHER_READERS_MAX];
	unsigned count;
	/* reader that unwound the last frame; GDB asks for this frame's id next */
	struct gdb_reader_funcs *claimed;
};

/* Load another reader. Returns NULL on success, otherwise the reason for the failure. */
const char *other_readers_load(struct other_readers *readers, const char *path);

enum gdb_status other_readers_read(struct other_readers *readers, struct gdb_symbol_callbacks *cb,
                                   void *memory, long size);
enum gdb_status other_readers_unwind(struct other_readers *readers,
                                     struct gdb_unwind_callbacks *cb);
struct gdb_frame_id other_readers_frame_id(struct other_readers *readers,
                                           struct gdb_unwind_callbacks *cb);

#endif
