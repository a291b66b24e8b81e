/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file of symbols that a program with the library opens, or that lies where it looks for one. The first byte
 * tells where: 0 at the path that the host names, 1 in the program itself, 2 as NAME.gsym and 3 as NAME.sym in a folder; its
 * sixth bit that nothing is known of the build; then the host ends the work, at the call of poll() that the upper two bits
 * count.  The second byte is the length of the build ID, which follows.  Always:
 *   - what is not opened has a reason, and NOT_FOUND alone may come without one;
 *   - the symbols have the path that they were opened by and a format, and a build ID that was asked for is theirs;
 *   - answers end, their texts can be read, and each way to look up finds the same function;
 *   - nothing is left when the file is closed, or when the host has ended the work.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "folder.h"
#include "held.h"

#include <cairn.h>

#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAMED,
	IN_PROGRAM,
	AS_GSYM,
	AS_BREAKPAD,
	PLACES,
	UNKNOWN_BUILD = 0x20,
	ADDRESSES = 32,
	ID_MAX = 64
};

static const char name[] = "/nowhere/sample";
static char directory[DIRECTORY_SIZE], as_gsym[96], as_breakpad[96];
static unsigned text_sum, polls_left;
static jmp_buf out;

static void remove_directory(void)
{
	unlink(as_gsym);
	unlink(as_breakpad);
	rmdir(directory);
}

static void make_directory(void)
{
	if (!directory_make(directory, remove_directory))
		return;
	snprintf(as_gsym, sizeof(as_gsym), "%s/sample.gsym", directory);
	snprintf(as_breakpad, sizeof(as_breakpad), "%s/sample.sym", directory);
	setenv("XDG_CACHE_HOME", directory, 1);
}

static void poll_host(void *context)
{
	(void)context;
	if (polls_left > 0 && --polls_left == 0)
		longjmp(out, 1);
}

static void read_text(struct cairn_bytes text)
{
	ALWAYS(text.data || text.size == 0);
	for (size_t i = 0; i < text.size; i++)
		text_sum += text.data[i];
}

static void check_answer(struct cairn_symbols *symbols, uint64_t va)
{
	struct cairn_lookup_result answer;
	struct cairn_location location, function;
	struct cairn_fault fault;
	const enum cairn_status status = cairn_symbols_find(symbols, va, &answer);
	const enum cairn_status alone = cairn_symbols_find_function(symbols, va, &function, &fault);
	const bool found = status == CAIRN_OK;

	ALWAYS(status != CAIRN_OK || answer.va == va);
	ALWAYS((status == CAIRN_NOT_FOUND) == (alone == CAIRN_NOT_FOUND) || fault.what ||
	       answer.fault.what);
	if (alone == CAIRN_OK)
		read_text(function.function);
	while (found && cairn_lookup_result_next(&answer, &location)) {
		read_text(location.function);
		read_text(location.directory);
		read_text(location.file);
	}
}

static void check_file(struct cairn_symbols *file, struct cairn_bytes id, const uint8_t *data,
                       size_t size)
{
	struct cairn_symbols *symbols = file;

	ALWAYS(symbols && cairn_symbols_path(file)[0] == '/');
	ALWAYS(cairn_symbols_format(symbols) <= CAIRN_SYMBOLS_JIT);
	read_text(cairn_symbols_build_id(symbols));
	if (id.size > 0 && cairn_symbols_format(symbols) == CAIRN_SYMBOLS_GSYM)
		ALWAYS(cairn_symbols_build_id(symbols).size > 0);
	for (uint64_t i = 0; i < ADDRESSES; i++)
		check_answer(symbols, 0x1000 + 0x10 * i);
	for (size_t i = 0; i + 8 <= size && i < ADDRESSES; i += 8) {
		uint64_t va;
		memcpy(&va, data + i, sizeof(va));
		check_answer(symbols, va);
	}
}

static void write_file(int fd, const uint8_t *data, size_t size)
{
	ALWAYS(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
}

/* Puts the bytes where they are looked for; other files of earlier inputs are away. */
static void lay_file(unsigned place, int fd, const uint8_t *data, size_t size)
{
	unlink(as_gsym);
	unlink(as_breakpad);
	if (place == NAMED || place == IN_PROGRAM) {
		write_file(fd, data, size);
		return;
	}
	int laid =
		open(place == AS_GSYM ? as_gsym : as_breakpad, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	write_file(laid, data, size);
	close(laid);
}

static enum cairn_status open_file(unsigned place, const char *path, struct cairn_bytes id,
                                   struct cairn_symbols **file, struct cairn_error *error)
{
	const struct cairn_poll poll = { poll_host, NULL };
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;

	options.build_id = id;
	options.poll = &poll;
	if (place == NAMED)
		return cairn_symbols_open(path, &options, file, error);
	return cairn_symbols_search(place == IN_PROGRAM ? path : name, directory, &options, file,
	                              error);
}

static void take_file(unsigned place, const char *path, struct cairn_bytes id, const uint8_t *data,
                      size_t size)
{
	struct cairn_symbols *file = NULL;
	struct cairn_error error = { .status = CAIRN_OK };

	if (setjmp(out))
		return;
	const enum cairn_status status = open_file(place, path, id, &file, &error);
	polls_left = 0;
	if (status != CAIRN_OK) {
		ALWAYS(error.text[0] && (status == CAIRN_NOT_FOUND || error.status == status));
		ALWAYS(error.status == CAIRN_NOT_FOUND || error.path[0] == '/');
		return;
	}
	check_file(file, id, data, size);
	cairn_symbols_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[32];

	make_directory();
	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (size < 2 || data[1] > ID_MAX || data[1] > size - 2)
		return 0;
	const struct cairn_bytes id = { data + 2, data[0] & UNKNOWN_BUILD ? 0 : data[1] };
	const size_t before = 2u + data[1];
	const unsigned place = data[0] % PLACES;
	lay_file(place, fd, data + before, size - before);
	polls_left = data[0] >> 6;
	held_begin();
	take_file(place, path, id, data + before, size - before);
	held_end(size, HELD_PLAIN);
	return 0;
}
