/* SPDX-License-Identifier: MIT */
/* The files of a module, and what they hold that memory does not: see cairn.h. */
#include "module_files.h"

#include "os/file/file.h"
#include "os/file/sparse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAKEN_MAX = 16 }; /* files of one module; the rest are copies of these */

/* The search for the files of one module. */
struct search {
	const struct cairn_module *module;
	struct cairn_files *files;
	struct {
		dev_t device;
		ino_t inode;
	} taken[TAKEN_MAX];
	unsigned count;
	bool named;                    /* what is visited was named by the program */
	char program[MODULE_PATH_MAX]; /* "" until it is found */
};

static bool is_taken(const struct search *s, const struct stat *about)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->taken[i].device == about->st_dev && s->taken[i].inode == about->st_ino)
			return true;
	return s->count == TAKEN_MAX;
}

static void add_module_file(struct search *s, const char *path, int fd,
                            const struct os_sparse *file)
{
	bool had_program = cairn_files_have_program(s->files), unread = false;
	struct cairn_range part;
	unsigned step = 0;

	while (cairn_files_part(s->files, file->bytes, &step, unread, &part))
		unread = os_sparse_read(file, fd, part) != 0;
	if (!had_program && cairn_files_have_program(s->files))
		memcpy(s->program, path, strlen(path) + 1);
}

/* The file is read as far as it takes to see what it is, and read by sections when it is one of ours. */
static void look_at(struct search *s, const char *path, int fd, const struct stat *about)
{
	struct os_sparse file;

	if (os_sparse_fill(fd, about, &file) != 0)
		return;
	if (cairn_files_are_of(s->module, file.bytes, s->named)) {
		s->taken[s->count].device = about->st_dev;
		s->taken[s->count++].inode = about->st_ino;
		add_module_file(s, path, fd, &file);
	} else if (!s->named && s->module->build_id.size > 0) {
		struct cairn_range part;
		if (cairn_files_other_part(s->files, file.bytes, false, &part) &&
		    os_sparse_read(&file, fd, part) == 0)
			(void)cairn_files_other_part(s->files, file.bytes, true, &part);
	}
	os_sparse_close(&file);
}

static void try_module_path(void *context, const char *path)
{
	struct search *s = context;
	struct stat about;
	int fd;

	if (strlen(path) >= MODULE_PATH_MAX || os_file_regular(path, &about, &fd) != 0)
		return;
	if (!is_taken(s, &about))
		look_at(s, path, fd, &about);
	close(fd);
}

void cairn_files_find(struct cairn_files *files, const struct cairn_module *module)
{
	struct search *s = calloc(1, sizeof(*s));

	if (!s)
		return;
	s->module = module;
	s->files = files;
	if (module->name && module->name[0] == '/')
		try_module_path(s, module->name);
	module_paths_open(try_module_path, s);
	module_paths_traced(module->low, try_module_path, s);
	module_paths_mapped(try_module_path, s);
	s->named = true;
	module_paths_apart(module->build_id, s->program, cairn_files_link(files), try_module_path,
	                   s);
	free(s);
}
