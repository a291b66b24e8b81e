/* SPDX-License-Identifier: MIT */
/* Appends a section .gsym to a program and writes the result with the program's permissions. */
#include "embed.h"

#include "formats/elf/append.h"
#include "os/file/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PERMISSIONS = 0777 };

static int write_to_output(const struct elf_append *append)
{
	for (size_t i = 0; i < ELF_APPEND_PARTS; i++)
		if (fwrite(append->part[i].data, 1, append->part[i].size, stdout) !=
		    append->part[i].size)
			return errno ? errno : EIO;
	return fflush(stdout) ? errno : 0;
}

/* A copy may be run by whoever may run the program. */
static int write_program(const char *input, const struct elf_append *append, const char *path)
{
	struct stat about;

	if (strcmp(path, "-") == 0)
		return write_to_output(append);
	if (stat(input, &about) != 0)
		return errno;
	int error = os_atomic_file_write(path, append->part, ELF_APPEND_PARTS);
	if (error == 0 && chmod(path, about.st_mode & PERMISSIONS) != 0)
		error = errno;
	return error;
}

static bool open_program(const char *input, struct cairn_bytes program, struct elf *elf)
{
	struct cairn_fault fault;

	if (elf_open(program, elf, &fault) == CAIRN_OK &&
	    (elf->type == ELF_TYPE_EXEC || elf->type == ELF_TYPE_DYN))
		return true;
	print_diagnostic(input, "only an ELF program or library can have a section of symbols");
	return false;
}

int gsym_embed(const char *input, struct cairn_bytes program, struct cairn_bytes gsym,
               const char *path)
{
	struct elf_append append;
	struct cairn_fault fault;
	struct elf elf;

	if (!open_program(input, program, &elf))
		return EXIT_BROKEN;
	uint8_t *memory = malloc(elf_append_room(&elf, ".gsym"));
	if (!memory) {
		print_diagnostic(input, "out of memory");
		return EXIT_BROKEN;
	}
	enum cairn_status status = elf_append_section(&elf, ".gsym", gsym, memory, &append, &fault);
	if (status != CAIRN_OK)
		print_fault_diagnostic(input, NULL, &fault, "it gets no section");
	int error = status == CAIRN_OK ? write_program(input, &append, path) : 0;
	if (error)
		print_diagnostic(path, "cannot write: %s", strerror(error));
	free(memory);
	return status == CAIRN_OK && error == 0 ? EXIT_CLEAN : EXIT_BROKEN;
}
