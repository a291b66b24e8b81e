/* SPDX-License-Identifier: MIT */
/*
 * Builds an index of the names in a symbol object, in the format of GDB's command `save gdb-index`
 * (.gdb_index, version 8). With it, GDB reads entries only when they are needed.
 * docs/formats/symbol-object.md describes the layout.
 *
 * Each name is added when its entry is written, and each unit when it is complete. If a limit is
 * reached, the index is omitted; the object is complete without it. If memory is short, w->failed
 * is set.
 */
#ifndef CAIRN_WRITERS_ELF_NAME_INDEX_H
#define CAIRN_WRITERS_ELF_NAME_INDEX_H

#include "internal.h"

/* How GDB combines a name with its scopes, depending on the language of the unit. */
enum name_index_join {
	NAME_INDEX_PLAIN,     /* C: without scopes */
	NAME_INDEX_CPLUSPLUS, /* with "::", and types in GDB's spelling */
	NAME_INDEX_COLONS,    /* Rust: with "::" */
	NAME_INDEX_DOTS,      /* D: with "." */
	NAME_INDEX_JOINS,
};

/* Kind of an entry, with GDB's numbers; 8 marks names that are not external. */
enum name_index_kind {
	NAME_INDEX_SCOPE = 1,
	NAME_INDEX_FUNCTION = 3,
	NAME_INDEX_INLINED = 3 | 8,
};

struct name_index; /* NULL if no index is wanted */

struct name_index *name_index_new(struct elf_writer *w);
void name_index_free(struct name_index *index);

/*
 * Add an entry with the given names, which were derived from name `number`. Return the symbols of
 * its scopes, outermost first; elf_writer_scopes() gives their number. They are valid until the
 * next call. Return NULL if there is no index.
 */
const uint32_t *name_index_enter(struct name_index *index, uint32_t number,
                                 struct elf_writer_debug_name names, enum name_index_join join,
                                 enum name_index_kind kind);

/*
 * Add an entry for a symbol in the current unit. For a scope, only the first unit is recorded, as
 * GDB does.
 */
void name_index_add(struct name_index *index, uint32_t symbol, enum name_index_kind kind);

void name_index_end_unit(struct name_index *index, const struct elf_writer_unit *unit,
                         size_t unit_at);

/*
 * Move the index to w->index, which stays empty if the index is omitted. Return false if memory is
 * short.
 */
bool name_index_finish(struct name_index *index);

#endif
