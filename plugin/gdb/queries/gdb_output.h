/* SPDX-License-Identifier: MIT */
/* Parsers for what GDB prints, from left to right. Nothing is allocated. */
#ifndef CAIRN_GDB_QUERIES_GDB_OUTPUT_H
#define CAIRN_GDB_QUERIES_GDB_OUTPUT_H

#include "common/session/debugger.h"

#include <cairn.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * GDB's inferiors, as it lists them:
 *
 *	  Num  Description       Connection           Executable
 *	* 1    process 24457     1 (native)           /srv/app
 *	  2    process 1         2 (core)             /srv/app
 */
struct inferior_row {
	uint64_t number;
	bool is_current;
	bool is_core;
	uint64_t process; /* pid of its process, or 0 */
};

/* The command whose output is parsed here. */
#define INFERIORS_QUESTION "info inferiors\n"

/* Read the next row; *at begins at the output. Returns false at the end. */
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
enum { MEMORY_CORE_UNKNOWN = 1 << 30 }; /* bytes searched in a core whose file is not found */

/*
 * State of the parser. A core has no more bytes than its file, whatever its segments claim, because
 * GDB reads the rest as zeros; the caller therefore sets core_size to the size of the file if it is
 * known. Memory that is left out of a core counts as readable, because GDB reads it from the files
 * of modules.
 */
struct memory_ranges {
	struct cairn_bytes text;
	enum memory_access access;
	bool live; /* the text lists mappings with permissions */
	/* path of the core file; empty without a core or if unknown */
	struct cairn_bytes core;
	uint64_t core_size; /* size of the core file; initially MEMORY_CORE_UNKNOWN */
	uint64_t listed;    /* total bytes of the segments returned so far */
};

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access);
bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range);

/*
 * A parser for the output of GDB's `info files`: the names and address ranges of the modules, and
 * the addresses of their unwind tables. Nothing is allocated, and the strings are borrowed from the
 * output.
 *
 *	static struct info_files files;
 *	info_files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++)
 *		... files.modules[i].host
 */
enum { INFO_FILES_MODULES = 2048 }; /* further modules are left out */

struct info_files_module {
	struct cairn_host_module host; /* the name does not include "target:" */
	struct cairn_bytes type;       /* BFD's name of the program's file type: "elf64-x86-64" */
	bool on_target;                /* the name is a path on the remote system */
	bool program;
};

struct info_files {
	struct info_files_module modules[INFO_FILES_MODULES];
	size_t count;
	bool cut; /* GDB listed more modules than fit */
};

void info_files_read(struct cairn_bytes text, struct info_files *files);

/* Report the modules to the space. Returns the number of modules that it accepted. */
size_t info_files_report(const struct info_files *files, struct cairn_space *space);

/* Return the lowest address of the module's code, or of the module if its code is unknown. */
static inline uint64_t info_files_pc(const struct info_files_module *module)
{
	const struct cairn_host_module *host = &module->host;

	return host->text.low < host->text.high ? host->text.low : host->low;
}

#endif
