/* SPDX-License-Identifier: MIT */
/*
 * Builds an index of the names in a symbol object, in the format of GDB's command `save gdb-index`
 * (.gdb_index, version 8). With the index, GDB reads DIEs only when they are needed.
 * docs/formats/symbol-object.md describes the layout.
 *
 * Each name is added when its DIE is written, and each unit when it is complete. If a limit is
 * reached, the index is omitted; the object is complete without it. If allocation fails, w->failed
 * is set.
 */
#ifndef CAIRN_WRITERS_ELF_NAME_INDEX_H
#define CAIRN_WRITERS_ELF_NAME_INDEX_H

#include "internal.h"

/* How GDB combines a name with its scopes, depending on the language of the unit. */
enum name_index_join {
	NAME_INDEX_PLAIN,     /* C: unqualified */
	NAME_INDEX_CPLUSPLUS, /* C++: joined with "::", and types in GDB's canonical form */
	NAME_INDEX_COLONS,    /* Rust: joined with "::" */
	NAME_INDEX_DOTS,      /* D: joined with "." */
	NAME_INDEX_JOINS,
};

/* Symbol kinds, as numbered by GDB. 8 is the flag for static symbols. */
enum name_index_kind {
	NAME_INDEX_SCOPE = 1,
	NAME_INDEX_FUNCTION = 3,
	NAME_INDEX_INLINED = 3 | 8,
};

struct name_index;

struct name_index *name_index_new(struct elf_writer *w);
void name_index_free(struct name_index *index);

/*
 * Add entries for `names`, which were derived from the name with this number. Returns the symbols
 * of the scopes that elf_writer_scopes() returns, outermost first, or NULL if there is no index.
 * The result is valid until the next call.
 */
const uint32_t *name_index_enter(struct name_index *index, uint32_t number,
                                 struct elf_writer_debug_name names, enum name_index_join join,
                                 enum name_index_kind kind);

/*
 * Add an entry for a symbol in the current unit. Like GDB, add a scope only for the first unit that
 * contains it.
 */
void name_index_add(struct name_index *index, uint32_t symbol, enum name_index_kind kind);

void name_index_end_unit(struct name_index *index, const struct elf_writer_unit *unit,
                         size_t unit_at);

/*
 * Move the index to w->index, which stays empty if the index is omitted. Returns false if
 * allocation fails.
 */
bool name_index_finish(struct name_index *index);

#endif
