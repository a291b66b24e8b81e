/* SPDX-License-Identifier: MIT */
/* The file of a module of a snapshot, for who shows stacks: the command line and the library. */
#ifndef CAIRN_PROCESS_STACKS_MODULE_FILE_H
#define CAIRN_PROCESS_STACKS_MODULE_FILE_H

#include "model/snapshot.h"
#include "os/file/file.h"
#include "os/module/symbol_path.h"

struct module_file_search {
	struct snapshot *snapshot;
	const char *program; /* given by the user; NULL for none */
	const char *sysroot; /* before the paths of modules; NULL for none */
	const char *folders; /* with trees of build IDs, DIR:DIR...; NULL for none */
	bool no_system_folders; /* trees are looked for in `folders` alone */
	const struct cairn_file_access *access; /* opens files; may be NULL */
	/*
	 * Opens what somebody kept of the module that begins at `low` while the process was still there, to be read and closed; -1: nothing.
	 * NULL: nobody did.
	 */
	int (*open)(void *context, uint64_t low, struct cairn_bytes path);
	void *context;
};

struct module_file {
	struct os_file file;
	char *path; /* of that file, to be freed; NULL: there is none, and the module has the reason */
};

/* The path of a module below the sysroot (NULL: none); false when it is not absolute, or too long. */
bool module_file_path(const char *sysroot, struct cairn_bytes path, char out[SYMBOL_PATH_MAX]);

/* Sets where a module of a minidump was linked, by the headers of its file or of its debug file. */
void module_file_set_bias(struct snapshot *snapshot, size_t index, struct cairn_bytes file);

/* Is the file the module's, by its build ID, or without one by its headers in memory? */
bool module_file_is_own(const struct module_file_search *search,
                        const struct snapshot_module *module, struct cairn_bytes file);

/* Puts the bytes of a file that is the module's into the module. */
void module_file_give(struct snapshot *snapshot, size_t index, const struct module_file *found);

/* Takes the file at `path` if it is the module's; otherwise the reason is recorded in the module. */
bool module_file_try(const struct module_file_search *search, size_t index,
                     struct module_file *found, const char *path);

/* Opens the file, and puts its bytes into the module; the caller closes found->file. */
void module_file_find(const struct module_file_search *search, size_t index,
                      struct module_file *found);

#endif
