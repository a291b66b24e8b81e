/* SPDX-License-Identifier: MIT */
/* Finds the modules' files for a captured text. */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include "captured_files.h"

#include "base/path.h"
#include "formats/captured_text.h"
#include "formats/elf/elf.h"
#include "formats/minidump.h"
#include "locate.h"

#include <stdlib.h>
#include <string.h>

bool captured_files_is_text(struct cairn_bytes bytes)
{
	return !minidump_has_magic(bytes) && !elf_has_magic(bytes);
}

struct captured_files *captured_files_new(const char *folders, const char *sysroot)
{
	struct captured_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->folders = folders;
	files->sysroot = sysroot;
	return files;
}

void captured_files_free(struct captured_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++) {
		os_file_close(&files->opened[i]);
		free((char *)(uintptr_t)files->file[i].path);
	}
	free(files);
}

struct cairn_captured_file *captured_files_keep(struct captured_files *files, const char *path,
                                                const struct os_file *opened)
{
	char *whole = files->count < CAPTURED_FILES_MAX ? realpath(path, NULL) : NULL;

	if (!whole)
		return NULL;
	files->opened[files->count] = *opened;
	struct cairn_captured_file *file = &files->file[files->count++];
	*file = (struct cairn_captured_file){ .path = whole, .bytes = opened->bytes };
	return file;
}

/* A module without a build ID is accepted by its path alone. */
bool captured_files_find(void *context, struct cairn_bytes name, struct cairn_bytes build_id,
                         struct cairn_captured_file *found)
{
	static const enum locate_place order[] = { LOCATE_PATH, LOCATE_LIBRARY, LOCATE_TREES,
		                                   LOCATE_END };
	struct captured_files *files = context;
	const struct locate_search search = { .order = order,
		                              .path = name,
		                              .build_id = build_id,
		                              .sysroot = files->sysroot,
		                              .directories = files->folders };
	struct located located;

	if (!locate_file(&search, &located))
		return false;
	const struct cairn_captured_file *kept =
		captured_files_keep(files, located.path, &located.file);
	if (!kept) {
		located_close(&located);
		return false;
	}
	files->unchecked += build_id.size == 0;
	if (build_id.size == 0 && files->tell_unchecked)
		files->tell_unchecked(located.path);
	free(located.path);
	*found = *kept;
	return true;
}

void captured_files_infer(struct captured_files *files, struct cairn_bytes text,
                          void (*tell)(const char *path, const struct load_base *base))
{
	struct captured_returns *returns = calloc(1, sizeof(*returns));
	struct load_base base;
	struct elf elf;

	for (size_t i = 0; returns && i < files->count; i++) {
		struct cairn_captured_file *file = &files->file[i];
		const struct cairn_bytes path = { (const uint8_t *)file->path, strlen(file->path) };
		struct cairn_bytes lines = text;
		*returns = (struct captured_returns){ .count = 0 };
		if (file->has_base || !elf_opens(file->bytes, &elf) ||
		    !captured_returns_read(returns, &lines, base_name(path)) ||
		    !elf_find_load_base(&elf, returns->address, &returns->count, &base))
			continue;
		file->has_base = true;
		file->base = base.first;
		if (tell)
			tell(file->path, &base);
	}
	free(returns);
}
