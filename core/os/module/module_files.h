/* SPDX-License-Identifier: MIT */
/*
 * Where the files of a module may be, seen from a debugger: paths of files that this process has open
 * or mapped, that a process it debugs has mapped, and that debug information was moved to.
 */
#ifndef CAIRN_OS_MODULE_MODULE_FILES_H
#define CAIRN_OS_MODULE_MODULE_FILES_H

#include <cairn.h>

enum {
	MODULE_PATH_MAX = 4096,
	MODULE_MAPS_MAX = 1 << 22, /* bytes of a list of mappings; 65,530 mappings at most */
};

/* Called for each path; true: go on. */
typedef void module_path_visit(void *context, const char *path);

/* Visits regular files, not empty, that this process has open. */
void module_paths_open(module_path_visit *visit, void *context);

/* Visits files that this process has mapped. */
void module_paths_mapped(module_path_visit *visit, void *context);

/* Visits what is mapped at `low` in the processes whose memory this process has open. */
void module_paths_traced(uint64_t low, module_path_visit *visit, void *context);

/* Visits separate debug files: by the build ID, or by `link` (.gnu_debuglink; "" for none) of `program`. */
void module_paths_apart(struct cairn_bytes build_id, const char *program, const char *link,
                        module_path_visit *visit, void *context);

#endif
