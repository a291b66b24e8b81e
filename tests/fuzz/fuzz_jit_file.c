/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what lies where a process's record of the code that it makes (JIT) is looked for. The first byte is the kind of
 * place (a folder that is named, or beside the core) and of file (a jitdump, a perf map); the next four are the number
 * of the process, which the name of the file has; a byte is the length of the core's name, which follows.  Always:
 *   - a file that is read is the one that was laid there, whole, and its path is where it lies;
 *   - what is not read has a reason, and no bytes;
 *   - what is read opens, or has a reason why not, and has functions whose names can be read.
 */
#include "folder.h"
#include "held.h"

#include <cairn.h>

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IS_MAP = 1, BESIDE = 2, HEAD = 6, NAME_MAX_SIZE = 64, PATH_SIZE = 256 };

static char directory[DIRECTORY_SIZE], laid[PATH_SIZE], core[PATH_SIZE];

static void remove_files(void)
{
	if (laid[0])
		unlink(laid);
	if (core[0])
		unlink(core);
	laid[0] = core[0] = '\0';
}

static void remove_directory(void)
{
	remove_files();
	rmdir(directory);
}

static bool write_file(const char *path, struct cairn_bytes bytes)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	ALWAYS(write(fd, bytes.data, bytes.size) == (ssize_t)bytes.size);
	close(fd);
	return true;
}

/* A name that a core could have in this folder: without a slash, because the folder is the only one that is ours. */
static void name_core(struct cairn_bytes name)
{
	size_t at = (size_t)snprintf(core, sizeof(core), "%s/c", directory);

	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] != '/' && name.data[i] != '\0')
			core[at++] = (char)name.data[i];
	core[at] = '\0';
}

static void check_symbols(const struct cairn_made_code *file)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbols *symbols;
	struct cairn_location location;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	options.format = CAIRN_SYMBOLS_JIT;
	options.pid = file->pid;
	if (cairn_symbols_open_bytes(file->bytes, &options, &symbols, &fault) != CAIRN_OK) {
		ALWAYS(fault.what);
		return;
	}
	for (uint64_t va = 0x1000; va < 0x2000; va += 0x80)
		if (cairn_symbols_find_function(symbols, va, &location, &fault) == CAIRN_OK)
			ALWAYS(location.function.data && location.start <= va);
	cairn_symbols_free(symbols);
}

static void check_read(const struct cairn_made_code_process *process, struct cairn_bytes bytes)
{
	static struct cairn_made_code file;
	struct cairn_error error = { .status = CAIRN_OK };
	const enum cairn_status status = cairn_made_code_read(process, &file, &error);

	if (status == CAIRN_OK) {
		ALWAYS(file.bytes.size == bytes.size &&
		       memcmp(file.bytes.data, bytes.data, bytes.size) == 0);
		ALWAYS(file.pid == process->pid && strcmp(file.path, laid) == 0);
		check_symbols(&file);
	} else {
		ALWAYS(error.text[0] && error.status == status && !file.bytes.data &&
		       file.bytes.size == 0);
		ALWAYS(bytes.size == 0);
	}
	cairn_made_code_free(&file);
	cairn_made_code_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD || data[5] > NAME_MAX_SIZE || data[5] > size - HEAD)
		return 0;
	const uint64_t pid = (uint64_t)data[1] | (uint64_t)data[2] << 8 | (uint64_t)data[3] << 16 |
	                     (uint64_t)data[4] << 24;
	const bool map = data[0] & IS_MAP, beside = data[0] & BESIDE;
	const struct cairn_bytes bytes = { data + HEAD + data[5], size - HEAD - data[5] };

	directory_make(directory, remove_directory);
	name_core((struct cairn_bytes){ data + HEAD, data[5] });
	const struct cairn_made_code_process process = { .pid = pid,
		                                         .directories = beside ? NULL : directory,
		                                         .core = beside ? core : NULL };
	snprintf(laid, sizeof(laid), "%s/%s%" PRIu64 "%s", directory, map ? "perf-" : "jit-", pid,
	         map ? ".map" : ".dump");
	if (write_file(laid, bytes) && (!beside || write_file(core, bytes))) {
		held_begin();
		check_read(&process, bytes);
		held_end(size, HELD_PLAIN);
	}
	remove_files();
	return 0;
}
