/* SPDX-License-Identifier: MIT */
/* Files of symbols for hosts that have nothing but cairn.h: see there. */
#include "file.h"
#include "symbol_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_symbol_file {
	char *path;
	struct os_file file;
	struct cairn_symbols *symbols;
};

static const char *reason(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "no such file";
	case EACCES:
	case EPERM:
		return "permission denied";
	case EISDIR:
		return "a directory";
	case EINVAL:
		return "not a regular file";
	}
	return "cannot be read";
}

static enum cairn_status refuse(struct cairn_fault *fault, enum cairn_status status,
                                const char *what)
{
	*fault = (struct cairn_fault){ status, 0, what };
	return status;
}

enum cairn_status cairn_symbol_file_open(const char *path, struct cairn_bytes build_id,
                                         struct cairn_symbol_file **file, struct cairn_fault *fault)
{
	size_t size = strlen(path) + 1;
	struct cairn_symbol_file *f = calloc(1, sizeof(*f));

	if (f)
		f->path = malloc(size);
	if (!f || !f->path) {
		free(f);
		return refuse(fault, CAIRN_NO_MEMORY, "out of memory");
	}
	memcpy(f->path, path, size);
	int error = os_file_open_regular(path, &f->file);
	enum cairn_status status =
		error ? refuse(fault, CAIRN_UNREADABLE, reason(error))
		      : cairn_symbols_open(f->file.bytes, build_id, &f->symbols, fault);
	if (status == CAIRN_OK) {
		*file = f;
		return CAIRN_OK;
	}
	if (!error)
		os_file_close(&f->file);
	free(f->path);
	free(f);
	return status;
}

enum cairn_status cairn_symbol_file_find(const char *binary, struct cairn_bytes build_id,
                                         const char *directories, struct cairn_symbol_file **file,
                                         struct cairn_fault *fault)
{
	struct symbol_path search = symbol_path(binary, build_id, directories, "gsym");
	struct cairn_fault refused = { CAIRN_NOT_FOUND, 0, "no file of symbols found" }, one;

	if (build_id.size == 0)
		return refuse(fault, CAIRN_NOT_FOUND, "no build ID to find symbols by");
	while (symbol_path_next(&search)) {
		enum cairn_status status =
			cairn_symbol_file_open(search.path, build_id, file, &one);
		if (status == CAIRN_OK || status == CAIRN_NO_MEMORY) {
			*fault = one;
			return status;
		}
		if (status != CAIRN_UNREADABLE)
			refused = one;
	}
	*fault = refused;
	return CAIRN_NOT_FOUND;
}

void cairn_symbol_file_close(struct cairn_symbol_file *file)
{
	if (!file)
		return;
	cairn_symbols_free(file->symbols);
	os_file_close(&file->file);
	free(file->path);
	free(file);
}

const char *cairn_symbol_file_path(const struct cairn_symbol_file *file)
{
	return file->path;
}

struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file)
{
	return file->symbols;
}
