/* SPDX-License-Identifier: MIT */
/* Opens the .dwo files that skeleton units name, and keeps them open until reading ends. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

struct dwo_file {
	struct dwo_file *next;
	struct os_file file;
};

static bool open_split_file(const struct dwo_files *files, struct cairn_bytes directory,
                            struct cairn_bytes name, struct os_file *file)
{
	struct cairn_location whole = { .directory = directory, .file = name };
	char path[4096];

	if (files->directory) /* the user's directory overrides the compiler's */
		whole.directory = (struct cairn_bytes){ (const uint8_t *)files->directory,
			                                strlen(files->directory) };
	if (name.size > 0 && name.data[0] == '/')
		whole.directory.size = 0;
	if (cairn_location_path(&whole, path, sizeof(path)) >= sizeof(path))
		return false;
	return os_file_open_regular(path, file) == 0;
}

struct cairn_bytes dwo_files_find(void *context, struct cairn_bytes directory,
                                  struct cairn_bytes name, uint64_t id)
{
	struct dwo_files *files = context;
	struct dwo_file *found = calloc(1, sizeof(*found));

	(void)id;
	if (!found || !open_split_file(files, directory, name, &found->file)) {
		free(found);
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	}
	printed_credit(files->printed, found->file.bytes.size);
	found->next = files->first;
	files->first = found;
	return found->file.bytes;
}

void dwo_files_close(struct dwo_files *files)
{
	while (files->first) {
		struct dwo_file *next = files->first->next;
		os_file_close(&files->first->file);
		free(files->first);
		files->first = next;
	}
}
