/* SPDX-License-Identifier: MIT */
/*
 * The list of GDB's JIT interface in a program's memory: ELF objects with the symbols, lines and frames of code that the program has made.
 *
 *	descriptor = version:4 (1) action:4 relevant:8 first:8       __jit_debug_descriptor
 *	entry      = next:8 previous:8 object:8 size:8
 *
 * It becomes a jitdump, so that one reader serves both (jit_code.h).  The program may have written anything there, and may be changing it.
 *
 *	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
 *	status = jit_list_read(&target, descriptor, false, &dump, &fault);
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_LIST_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_LIST_H

#include "base/byte_buffer.h"

#include <cairn.h>

enum {
	JIT_LIST_VERSION = 1,
	JIT_LIST_DESCRIPTOR = 24,   /* bytes */
	JIT_LIST_ENTRY = 32,        /* bytes */
	JIT_LIST_ENTRIES = 1 << 16, /* of a longer list the first ones are read */
	JIT_LIST_OBJECT = 1 << 26,  /* bytes of one object */
	JIT_LIST_MAX = 1 << 28,     /* the most that dump->limit is to be: bytes of all objects */
	JIT_LIST_SCAN = 1 << 26,    /* bytes of a program in which a list is looked for */
};

/*
 * Appends the jitdump of the list at `descriptor`, to a buffer that is empty.  NOT_FOUND: it is empty; UNSUPPORTED: it has another version; UNREADABLE: it cannot be
 * read.  Where the list is damaged, goes in a circle or has more than the limits, what came before counts: CAIRN_OK, with
 * the reason in fault->what (else NULL), and the address of the entry in fault->offset.
 */
CAIRN_MUST_USE enum cairn_status jit_list_read(const struct cairn_target *target,
                                               uint64_t descriptor, bool big,
                                               struct byte_buffer *dump, struct cairn_fault *fault);

/* The entries of a list, the newest one first. */
struct jit_list {
	struct jit_list_entry {
		uint64_t at, next, object, size;
		uint64_t bytes; /* that it counts for: the size, or 0 where it cannot be read */
	} * entry;
	size_t count, room;
	uint64_t bytes; /* that all entries count for */
	uint64_t limit; /* the most of that, which is set before */
};

/* Returns what jit_list_read() does; in any case the list is to be finished. */
CAIRN_MUST_USE enum cairn_status jit_list_open(struct jit_list *list,
                                               const struct cairn_target *target,
                                               uint64_t descriptor, bool big,
                                               struct cairn_fault *fault);
void jit_list_finish(struct jit_list *list);

/* Appends the head of a jitdump, which records of jit_object_append() follow. */
void jit_list_begin(struct byte_buffer *dump);

/* Appends the bytes of an entry's object; false: they cannot be read, or memory is short. */
bool jit_list_read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                          struct byte_buffer *bytes);

/* The address in a file, as linked, of the variable __jit_debug_descriptor, by one of its symbol tables. */
bool jit_list_find_descriptor(struct cairn_bytes file, const char *section, uint64_t *va);

/*
 * The address of a descriptor in memory, of a list that is not empty: for a module without its file, or without symbols.  Only what has an entry
 * with an ELF object counts.
 */
bool jit_list_scan(const struct cairn_target *target, struct cairn_range range, bool big,
                   uint64_t *descriptor);

/* Reads the program's memory; false: it cannot be read, or is past the end. */
bool jit_list_read_memory(const struct cairn_target *target, uint64_t address, void *buffer,
                          size_t size);

#endif
