/* SPDX-License-Identifier: MIT */
/*
 * The message that the C library wrote before it ended the program, such as a failed assertion or a
 * damaged heap. glibc keeps it for debuggers.
 *
 *	__abort_msg = address:W       variable of libc or of a static program; 0 without a message
 *	message     = size:4 text NUL
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_ABORT_MESSAGE_H
#define CAIRN_PROCESS_SNAPSHOT_ABORT_MESSAGE_H

#include "formats/elf/elf.h"
#include "model/snapshot.h"

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
