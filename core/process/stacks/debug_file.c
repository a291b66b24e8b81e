/* SPDX-License-Identifier: MIT */
/* Opens .build-id/ab/cdef0123.debug, and compares its build ID. */
#include "debug_file.h"

#include "formats/elf/elf.h"
#include "os/module/symbol_path.h"

#include <string.h>

static bool has_build_id(struct cairn_bytes file, struct cairn_bytes wanted)
{
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(file, &elf, &fault) != CAIRN_OK)
		return false;
	const struct cairn_bytes id = elf_build_id(&elf);
	return id.size == wanted.size && memcmp(id.data, wanted.data, id.size) == 0;
}

bool debug_file_find(struct cairn_bytes build_id, struct os_file *file)
{
	struct symbol_path places = symbol_path("/", build_id, NULL, "debug");

	if (build_id.size == 0)
		return false;
	while (symbol_path_next(&places)) {
		if (!strstr(places.path, "/.build-id/") ||
		    os_file_open_regular(places.path, file) != 0)
			continue;
		if (has_build_id(file->bytes, build_id))
			return true;
		os_file_close(file);
	}
	return false;
}
