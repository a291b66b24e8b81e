/* SPDX-License-Identifier: MIT */
/*
 * Reads the list of GDB's JIT interface from a program's memory. The list's entries are ELF objects
 * with the symbols, lines and unwind tables of JIT code.
 *
 *	descriptor = version:4 (1) action:4 relevant:8 first:8       __jit_debug_descriptor
 *	entry      = next:8 previous:8 object:8 size:8
 *
 * The list is converted to a jitdump, so that one reader handles both (jit_code.h). The memory is
 * not trusted, and the program may modify it while it is read.
 *
 *	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
 *	status = jit_list_read(&target, descriptor, false, &dump, &fault);
 */
#ifndef CAIRN_SYMBOLS_JIT_LIST_H
#define CAIRN_SYMBOLS_JIT_LIST_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

#include <cairn.h>

enum {
	JIT_LIST_VERSION = 1,
	JIT_LIST_DESCRIPTOR = 24,
	JIT_LIST_ENTRY = 32,
	JIT_LIST_ENTRIES = 1 << 16, /* maximum number of entries; longer lists are truncated */
	JIT_LIST_OBJECT = 1 << 26,
	/* maximum value of dump->limit, which limits the total size of all objects */
	JIT_LIST_MAX = 1 << 28,
	JIT_LIST_SCAN = 1 << 26,
};

/*
 * Convert the list at `descriptor` and append the jitdump to `dump`, which must be empty. Returns
 * NOT_FOUND if the list is empty, UNSUPPORTED if its version is unknown, UNREADABLE if the
 * descriptor cannot be read. If the list is damaged, cyclic or too long, the entries up to that
 * point are converted and the result is CAIRN_OK; fault->what has the reason (otherwise NULL) and
 * fault->offset the address of the entry.
 */
CAIRN_MUST_USE enum cairn_status jit_list_read(const struct cairn_target *target,
                                               uint64_t descriptor, bool big,
                                               struct byte_buffer *dump, struct cairn_fault *fault);

/* Entries of a list, newest first. */
struct jit_list {
	struct jit_list_entry {
		uint64_t at, next, object, size;
		uint64_t bytes; /* size, or 0 if the object cannot be read */
	} * entry;
	size_t count, capacity;
	uint64_t bytes;
	uint64_t limit; /* maximum of `bytes`, set by the caller */
};

/*
 * Read the entries. Returns the same statuses as jit_list_read(). Even on failure,
 * jit_list_finish() must be called.
 */
CAIRN_MUST_USE enum cairn_status jit_list_open(struct jit_list *list,
                                               const struct cairn_target *target,
                                               uint64_t descriptor, bool big,
                                               struct cairn_fault *fault);
void jit_list_finish(struct jit_list *list);

void jit_list_begin(struct byte_buffer *dump);

bool jit_list_read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                          struct byte_buffer *bytes);

/*
 * Find the variable __jit_debug_descriptor in a file's symbol table `section`, and set *va to its
 * link-time address.
 */
bool jit_list_find_descriptor(struct cairn_bytes file, const char *section, uint64_t *va);

/*
 * Find the descriptor of a non-empty list by scanning memory, for modules whose file or symbols are
 * missing. A list is accepted only if its first entry refers to an ELF object.
 */
bool jit_list_scan(const struct cairn_target *target, struct cairn_range range, bool big,
                   uint64_t *descriptor);

bool jit_list_read_memory(const struct cairn_target *target, uint64_t address, void *buffer,
                          size_t size);

enum {
	JIT_OBJECT_ROWS = 1 << 20,
	JIT_OBJECT_FRAMES = 1 << 20,
	JIT_OBJECT_RELOCATIONS = 1 << 20,
	JIT_OBJECT_FILE = 1 << 12,
};

/*
 * Apply the relocations of the line and unwind tables if the image is a relocatable file. Applies
 * at most JIT_OBJECT_RELOCATIONS per table.
 */
void jit_object_relocate(uint8_t *image, size_t size);

/*
 * Append the functions with their lines and unwind tables, in the byte order of the buffer.
 * Addresses must be final: either as the program has registered them or after
 * jit_object_relocate(). Returns false if the image is not an ELF object with code. dump->failed is
 * set if allocation fails or the limit is reached.
 */
bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump);

#endif
