/* SPDX-License-Identifier: MIT */
/* Appends a section .gsym to a program and writes the result with the program's permissions. */
#include "build.h"

#include "base/error.h"
#include "formats/elf/append.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PERMISSIONS = 0777 };

/* A copy may be run by whoever may run the program. */
static enum cairn_status write_program(const struct function_source *origin,
                                       const struct elf_append *append,
                                       const struct functions_output *output)
{
	const char *path = output->to.path;
	const bool is_lent = origin->options.bytes.size > 0;
	struct stat about;

	if (path && !is_lent && stat(origin->path, &about) != 0)
		return error_set_system(output->error, errno, path, "cannot write");
	const enum cairn_status status =
		functions_output_write(output, "", append->part, ELF_APPEND_PARTS);
	if (status == CAIRN_OK && path && !is_lent && chmod(path, about.st_mode & PERMISSIONS) != 0)
		return error_set_system(output->error, errno, path, "cannot write");
	return status;
}

static bool is_program(struct cairn_bytes bytes, struct elf *elf)
{

	return elf_opens(bytes, elf) && (elf->type == ELF_TYPE_EXEC || elf->type == ELF_TYPE_DYN);
}

enum cairn_status gsym_embed(const struct function_source *origin, struct cairn_bytes gsym,
                             const struct functions_output *output)
{
	struct elf_append append;
	struct cairn_fault fault;
	struct elf elf;

	if (!is_program(origin->file.bytes, &elf))
		return error_set(output->error, CAIRN_UNSUPPORTED, origin->path,
		                 "only an ELF program or library can have a section of symbols");
	uint8_t *memory = malloc(elf_append_room(&elf, ".gsym"));
	if (!memory)
		return error_set_memory(output->error, origin->path);
	enum cairn_status status = elf_append_section(&elf, ".gsym", gsym, memory, &append, &fault);
	if (status == CAIRN_OK)
		status = write_program(origin, &append, output);
	else
		error_set_fault(output->error, origin->path, NULL, &fault, "it gets no section");
	free(memory);
	return status;
}
