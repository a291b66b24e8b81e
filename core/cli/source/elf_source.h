/* SPDX-License-Identifier: MIT */
/* ELF files as an origin of functions: DWARF, read by several threads, then symbols. */
#ifndef CAIRN_CLI_SOURCE_ELF_SOURCE_H
#define CAIRN_CLI_SOURCE_ELF_SOURCE_H

#include "function_source.h"

#include "debuginfo/elf/separate_debug_files.h"
#include "debuginfo/program/program.h"

struct origin_elf {
	struct halves halves;
	bool prepared; /* what follows has been opened */
	struct aliases aliases;
	void *minidebug;                /* unpacked, for the names of symbols are in it */
	struct program *program;        /* NULL: there is no DWARF */
	struct program_reader **reader; /* of the last reading, for they hold its texts */
	size_t readers;
};

/*
 * Sets ->elf, which belongs to the origin from then on, whatever the outcome.  False: a message was
 * printed.
 */
bool origin_elf_open(struct origin *origin);
/* Frees ->elf, if it is there, and forgets it. */
void origin_elf_close(struct origin *origin);

/*
 * Opens symbols and DWARF, when they are read: whoever has the result already needs neither.
 * False: a message was printed.
 */
bool origin_elf_prepare(struct origin *origin);
void origin_elf_free_readers(struct origin_elf *elf);

/* The file with the DWARF. */
const char *origin_elf_debug_path(const struct origin *origin);

CAIRN_MUST_USE enum cairn_status origin_elf_read(struct origin *origin,
                                                 const struct origin_takers *takers);

#endif
