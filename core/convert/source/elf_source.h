/* SPDX-License-Identifier: MIT */
/* ELF files as an origin of functions: DWARF, read by several threads, then symbols. */
#ifndef CAIRN_CONVERT_SOURCE_ELF_SOURCE_H
#define CAIRN_CONVERT_SOURCE_ELF_SOURCE_H

#include "function_source.h"

#include "debuginfo/elf/aliases.h"
#include "debuginfo/program/program.h"
#include "os/module/separate_debug_files.h"
#include "symbols/sources/go/go.h"

struct elf_source {
	struct separate_debug_files halves;
	bool prepared; /* what follows has been opened */
	struct aliases aliases;
	struct os_file symbols;         /* options.symbols, if it is given */
	void *minidebug;                /* unpacked, because the names of symbols are in it */
	struct program *program;        /* NULL: there is no DWARF */
	struct program_reader **reader; /* of the last reading, because they hold its texts */
	size_t readers;
	struct go_program go; /* of a Go program */
	bool has_go;
	struct go_functions *go_functions; /* of the last reading */
};

/*
 * Sets ->elf, which belongs to the origin from then on, whatever the outcome.  False: its error says
 * why.
 */
bool elf_source_open(struct function_source *origin);
/* Frees ->elf, if it is there, and forgets it. */
void elf_source_close(struct function_source *origin);

/*
 * Opens symbols and DWARF, when they are read: whoever has the result already needs neither.
 * False: its error says why.
 */
bool elf_source_prepare(struct function_source *origin);
void elf_source_free_readers(struct elf_source *elf);

/* Opens the table of a Go program, if it is one.  False: its error says why. */
bool elf_go_open(struct function_source *origin);
void elf_go_close(struct elf_source *elf);

/*
 * Functions of that table whose code none of the first `count` ranges holds.  These are put in order, and the sink may
 * add others after them, so that the array may move.
 */
CAIRN_MUST_USE enum cairn_status elf_go_read(struct function_source *origin,
                                             struct cairn_range *const *known, size_t count,
                                             const struct function_sink *sink);

/*
 * The first checks that no section of an ELF file was cut off, because nothing is made of such a file; the second that the file is
 * linked, or has a single section of code.  False: *error says why not.
 */
bool elf_source_check_whole(const char *path, struct cairn_bytes bytes, struct cairn_error *error);
bool elf_source_check_linked(const char *path, const struct elf *elf, struct cairn_error *error);

/* The file with the DWARF. */
const char *elf_source_debug_path(const struct function_source *origin);

CAIRN_MUST_USE enum cairn_status elf_source_read(struct function_source *origin,
                                                 const struct function_source_sinks *takers);

/* Units beside those of DWARF, and after them, that functions are given of. */
enum {
	ELF_SOURCE_GO_UNIT = INT32_MAX - 1,
	ELF_SOURCE_SYMBOLS_UNIT = INT32_MAX,
};

#endif
