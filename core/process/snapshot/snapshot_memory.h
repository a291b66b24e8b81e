/* SPDX-License-Identifier: MIT */
/*
 * The memory of a snapshot combined with the files of its modules: dumped memory takes precedence
 * over the file, whose build ID must have been checked.
 *
 *	struct snapshot_memory memory;
 *	snapshot_memory_open(&memory, &snapshot);
 *	... memory.target, as long as both live; the modules of the snapshot stay where they are
 *
 * If a module has neither a file nor a reason why not (file_why), want_file is called with its
 * index before its file is needed, and sets the file or the reason.
 *
 * Only parts of files that are mapped read-only stand for memory: the program may have changed
 * others.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"

enum { SNAPSHOT_FILE_PARTS = 64 };

/* A part of a module's file that is mapped at `at`; empty if size is 0. */
struct snapshot_file_part {
	uint64_t at;
	struct cairn_bytes bytes;
};

struct snapshot_memory {
	const struct snapshot *snapshot;
	struct cairn_target target; /* its context is this struct, which must not be copied */
	void (*want_file)(void *context, size_t module); /* see above; may be NULL */
	void *context;
	/* Cached parts of files, indexed by the last address read from them. */
	struct snapshot_file_part parts[SNAPSHOT_FILE_PARTS];
	uint64_t bytes_from_files;
};

/* Return true for a debug file, which has the sections of its program but no code. */
bool snapshot_is_debug_file(struct cairn_bytes file);

void snapshot_memory_open(struct snapshot_memory *memory, const struct snapshot *snapshot);

/*
 * The message that the C library wrote before it ended the program, such as a failed assertion or a
 * damaged heap. glibc keeps it for debuggers.
 *
 *	__abort_msg = address:W       variable of libc or of a static program; 0 without a message
 *	message     = size:4 text NUL
 */

/*
 * Find the linked address of the variable by a symbol table of the file; `word` is the size of an
 * address there.
 */
bool abort_message_find_variable(const struct elf *elf, const char *section, unsigned word,
                                 uint64_t *va);

/*
 * Read the message that the variable at this address points to, without newlines at its end. It may
 * contain any byte but NUL, and is empty if there is no message.
 */
struct cairn_bytes abort_message_read(const struct snapshot *snapshot, uint64_t variable,
                                      uint8_t text[CAIRN_ABORT_MESSAGE]);

#endif
