/* SPDX-License-Identifier: MIT */
/*
 * The index of a symbol object's names, as GDB's own command `save gdb-index` writes it (.gdb_index, version 8): with it
 * GDB reads no entry before it is asked for one. docs/formats/symbol-object.md has the layout.
 *
 * It holds what the units hold: each name is added when its entry is written, and each unit when it is complete.
 * It is left out where a limit is reached; the object is whole without it.  When memory is short, w->failed is set.
 */
#ifndef CAIRN_WRITERS_ELF_NAME_INDEX_H
#define CAIRN_WRITERS_ELF_NAME_INDEX_H

#include "writers/elf/parts.h"

/* How GDB joins a name with the scopes around it, by the language of the unit. */
enum name_index_join {
	NAME_INDEX_PLAIN,     /* C: it leaves the scopes out */
	NAME_INDEX_CPLUSPLUS, /* with colons, and its own spelling of types */
	NAME_INDEX_COLONS,    /* Rust */
	NAME_INDEX_DOTS,      /* D */
	NAME_INDEX_JOINS,
};

/* What an entry is, as GDB numbers it; 8: it is not external. */
enum name_index_kind {
	NAME_INDEX_SCOPE = 1,
	NAME_INDEX_FUNCTION = 3,
	NAME_INDEX_INLINED = 3 | 8,
};

struct name_index; /* NULL: none is wanted */

/* NULL when memory is short. */
struct name_index *name_index_new(struct elf_writer *w);
void name_index_free(struct name_index *index);

/*
 * Notes an entry that is written with these names, of the name with this number, and returns the symbols of the scopes
 * around it, outermost first, which elf_writer_scopes() counts; they stay until the next call.  NULL when there is no index.
 */
const uint32_t *name_index_enter(struct name_index *index, uint32_t number,
                                 struct elf_writer_debug_name names, enum name_index_join join,
                                 enum name_index_kind kind);

/*
 * Notes an entry with that name in the unit being written.  A scope has the first unit alone that it is in, as GDB
 * writes it.
 */
void name_index_add(struct name_index *index, uint32_t symbol, enum name_index_kind kind);

/* Ends a unit, which is at an offset of .debug_info. */
void name_index_end_unit(struct name_index *index, const struct elf_writer_unit *unit,
                         size_t unit_at);

/* Moves the index to w->index, which stays empty when it is left out; false when memory is short. */
bool name_index_finish(struct name_index *index);

#endif
