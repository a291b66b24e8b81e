/* SPDX-License-Identifier: MIT */
/*
 * Parsers for GDB's output. They read forward only, allocate nothing, and borrow strings from the
 * output.
 */
#ifndef CAIRN_GDB_QUERIES_GDB_OUTPUT_H
#define CAIRN_GDB_QUERIES_GDB_OUTPUT_H

#include "common/session/debugger.h"

#include <cairn.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The output of `info inferiors`:
 *
 *	  Num  Description       Connection           Executable
 *	* 1    process 24457     1 (native)           /srv/app
 *	  2    process 1         2 (core)             /srv/app
 */
struct inferior_row {
	uint64_t number;
	bool is_current;
	bool is_core;
	uint64_t process; /* pid of the inferior's process, or 0 */
};

#define INFERIORS_QUESTION "info inferiors\n"

/* Read the next row. Initialize *at to the start of the output. Returns false at the end. */
bool inferiors_next(const char **at, struct inferior_row *row);

/*
 * The writable or readable memory of a process or core, parsed from the output of two GDB commands:
 * `info proc mappings`, which lists permissions only for a live process, and `maint info sections`,
 * which lists the segments of a core.
 *
 *	struct memory_ranges ranges = memory_ranges_open(text, MEMORY_WRITABLE);
 *	struct cairn_range range;
 *	while (memory_ranges_next(&ranges, &range))
 *		...
 */
enum { MEMORY_CORE_UNKNOWN = 1 << 30 }; /* assumed size of a core whose file is not found */

/*
 * State of the parser. A segment may claim more bytes than the core file contains, and GDB reads
 * the missing bytes as zeros. Therefore the caller sets core_size to the file's size if the file is
 * found. Memory that a core omits counts as readable, because GDB reads it from the modules' files.
 */
struct memory_ranges {
	struct cairn_bytes text;
	enum memory_access access;
	bool live; /* the output lists mappings with permissions, so there is a live process */
	/* path of the core file; empty if unknown or without a core */
	struct cairn_bytes core;
	uint64_t core_size; /* size of the core file; initially MEMORY_CORE_UNKNOWN */
	uint64_t listed;    /* total size in bytes of the segments returned so far */
};

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access);
bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range);

/*
 * Parses the output of GDB's `info files`: the names and address ranges of the modules, and the
 * addresses of their unwind tables.
 *
 *	static struct info_files files;
 *	info_files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++)
 *		... files.modules[i].host
 */
enum { INFO_FILES_MODULES = 2048 }; /* maximum number of modules; further modules are ignored */

struct info_files_module {
	struct cairn_host_module host; /* module, named without the prefix "target:" */
	/* BFD's name for the program's file type, such as "elf64-x86-64" */
	struct cairn_bytes type;
	bool on_target; /* the name is a path on the remote system */
	bool program;
};

struct info_files {
	struct info_files_module modules[INFO_FILES_MODULES];
	size_t count;
	bool cut; /* GDB listed more than INFO_FILES_MODULES modules */
};

void info_files_read(struct cairn_bytes text, struct info_files *files);

/* Add the modules to the space. Returns the number of modules that the space accepted. */
size_t info_files_report(const struct info_files *files, struct cairn_space *space);

/* Return the lowest address of the module's code or, if its code is unknown, of the module. */
static inline uint64_t info_files_pc(const struct info_files_module *module)
{
	const struct cairn_host_module *host = &module->host;

	return host->text.low < host->text.high ? host->text.low : host->low;
}

#endif
