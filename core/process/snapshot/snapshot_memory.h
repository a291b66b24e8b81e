/* SPDX-License-Identifier: MIT */
/*
 * Combines a snapshot's memory with the files of its modules. Dumped memory takes precedence over a
 * file. The build IDs of files must have been verified.
 *
 *	struct snapshot_memory memory;
 *	snapshot_memory_open(&memory, &snapshot);
 *	... memory.target; snapshot.modules must not move
 *
 * If neither a module's file nor the reason for its absence (file_why) is known, want_file is
 * called with the module's index before the file is needed, and sets one of the two.
 *
 * Only ranges of files that are mapped read-only are used, because the program may have modified
 * other ranges.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H
#define CAIRN_PROCESS_SNAPSHOT_SNAPSHOT_MEMORY_H

#include "base/snapshot.h"
#include "formats/elf/elf.h"

enum { SNAPSHOT_FILE_PARTS = 64 };

/* Range of a module's file that is mapped at `at`; unused if `bytes` is empty. */
struct snapshot_file_part {
	uint64_t at;
	struct cairn_bytes bytes;
};

struct snapshot_memory {
	const struct snapshot *snapshot;
	/* Its context is this struct, which must therefore not be copied. */
	struct cairn_target target;
	void (*want_file)(void *context, size_t module);
	void *context;
	/* Cache of file ranges. A hash of the address to read selects the element. */
	struct snapshot_file_part parts[SNAPSHOT_FILE_PARTS];
	uint64_t bytes_from_files;
};

/* Return true for a debug file, which has the section headers of its program but no code. */
bool snapshot_is_debug_file(struct cairn_bytes file);

void snapshot_memory_open(struct snapshot_memory *memory, const struct snapshot *snapshot);

/*
 * Reads the message that a library printed before it ended the program, for example because of a
 * failed assertion or a corrupted heap. glibc and Swift store the message for debuggers:
 *
 *	__abort_msg = address:W       variable of libc or of a static program; 0 without a message
 *	message     = size:4 text NUL
 *
 *	buffer      = address:8       variable of libswiftCore without a symbol; 0 without a message
 *	message     = text NUL
 */

enum { ABORT_MESSAGE_HEAD = 4 }; /* offset of the text in glibc's message */

/*
 * Find the link-time address of glibc's __abort_msg in the symbol table `section` of the file.
 * `word` is the address size of the program.
 */
bool abort_message_find_variable(const struct elf *elf, const char *section, unsigned word,
                                 uint64_t *va);

/*
 * Find the link-time address of Swift's variable, on amd64 and aarch64. The function
 * swift_getFatalErrorMessageBuffer(), which must be in the symbol table, returns this address, so
 * we decode the instructions that compute it.
 */
bool abort_message_find_swift(const struct elf *elf, const char *section, uint64_t *va);

/*
 * Read the message that the variable at this address points to, without trailing newlines. The text
 * begins `head` bytes after the start of the message. It may contain any byte except NUL, and is
 * empty if there is no message.
 */
struct cairn_bytes abort_message_read(const struct snapshot *snapshot, uint64_t variable,
                                      unsigned head, uint8_t text[CAIRN_ABORT_MESSAGE]);

#endif
