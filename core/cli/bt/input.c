/* SPDX-License-Identifier: MIT */
/*
 * Opens the input of `cairn bt`: a file, a stream or a process, compressed or not. Passes the
 * options to the functions of cairn/stacks.h, and prints problems with the input.
 */
#include "bt.h"

#include "base/memory.h"
#include "cli/front/progress.h"
#include "debuginfo/unpack.h"
#include "os/stream.h"
#include "process/stacks/stacks.h"
#include "unpack/unpack.h"

#include <cairn/dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_progress(struct bt *bt)
{
	if (bt->reading)
		progress_end(bt->reading);
}

static int bt_reject_input(struct bt *bt, const struct cairn_fault *fault, const char *next)
{
	end_progress(bt);
	print_fault_diagnostic(bt->path, NULL, fault, next);
	os_file_close(&bt->file);
	return EXIT_BROKEN;
}

static bool fetch_file(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                       char *path, size_t size)
{
	struct bt *bt = context;
	enum debuginfod_answer answer;

	if (bt->find_given && wanted == CAIRN_FILE_PROGRAM &&
	    bt->find_given(bt->context, build_id, path, size))
		return true;
	if (!bt->options.use_debuginfod)
		return false;
	if (debuginfod_fetch(&bt->debuginfod, wanted, build_id, path, size, &answer))
		return true;
	end_progress(bt);
	print_debuginfod_diagnostic(bt->path, &bt->debuginfod, answer);
	return false;
}

static enum cairn_status unpack_section(struct cairn_bytes file, const char *section, void **memory,
                                        size_t *size)
{
	struct cairn_fault fault;

	return strcmp(section, ".gnu_debugdata") == 0
	               ? minidebug_read(file, memory, size, &fault)
	               : debuginfo_decompress(file, section, memory, size);
}

/* Report that the core lacks a module's ELF headers. An empty name means the program. */
static void report_missing(void *context, struct cairn_bytes name)
{
	struct bt *bt = context;
	char path[SYMBOL_PATH_MAX];

	end_progress(bt);
	if (name.size == 0) {
		print_diagnostic(
			bt->path,
			bt->options.program
				? "the core does not contain the program's headers, so the load "
				  "address of PROGRAM is unknown; PROGRAM may be packed with UPX"
				: "the core does not contain the program's headers, and the "
				  "program's file was not found; specify the file as PROGRAM");
		return;
	}
	if (!printed_take(&bt->printed, escaped_size(name)))
		return;
	snprintf(path, sizeof(path), "%.*s", (int)name.size, (const char *)name.data);
	print_word_diagnostic(bt->path, path,
	                      "the core does not contain this library's headers, and the library's "
	                      "file was not found");
}

static void credit_file(void *context, uint64_t size)
{
	bt_credit_file(context, size);
}

int bt_check_program(struct bt *bt)
{
	struct cairn_error error;

	if (cairn_stacks_check_program(bt->opened, &error) == CAIRN_OK)
		return EXIT_CLEAN;
	end_progress(bt);
	print_diagnostic(bt->options.program, "%s; continuing without PROGRAM%s",
	                 error.system ? strerror(error.system) : error.text,
	                 error.status == CAIRN_MISMATCH
	                         ? "; run 'cairn bt --list-modules' to see the build IDs"
	                         : "");
	return EXIT_MISSING;
}

int bt_open_stacks(struct bt *bt, struct cairn_stacks_options *options, struct snapshot *snapshot,
                   uint64_t worth)
{
	const struct cairn_symbol_source *const sources[] = { cairn_dwarf_source() };
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_error error;

	search.directories = bt->options.directories;
	search.sysroot = bt->options.sysroot;
	search.skip = bt->options.only_directories ? CAIRN_SKIP_SYSTEM | CAIRN_SKIP_CACHE : 0;
	search.fetch = bt->options.use_debuginfod || bt->find_given ? fetch_file : NULL;
	search.fetch_context = bt;
	options->program = bt->options.program;
	options->frames = bt->options.count;
	options->search = &search;
	options->sources = sources;
	options->source_count = COUNT(sources);
	options->unpack = unpack_section;
	options->open_module = bt->open_module;
	options->open_jit = bt->open_jit;
	options->name_thread = bt->name_thread;
	options->missing = report_missing;
	options->opened = credit_file;
	options->context = bt;
	options->keep_registers = bt->keep_registers;
	bt->printed = printed_of(worth);
	if (stacks_open_snapshot(options, snapshot, &bt->opened, &error) == CAIRN_OK) {
		bt->process.size = sizeof(bt->process);
		cairn_stacks_process(bt->opened, &bt->process);
		return EXIT_CLEAN;
	}
	const struct cairn_fault fault = { error.status, error.offset, error.text };
	if (options->pid) {
		if (error.system == EPERM || error.system == EACCES)
			print_diagnostic(bt->path,
			                 "cannot be traced: permission denied; the process "
			                 "may belong to another user or already have a "
			                 "tracer, kernel.yama.ptrace_scope may forbid it, or "
			                 "CAP_SYS_PTRACE may be required");
		else
			print_diagnostic(bt->path, "%s", strerror(error.system));
		return EXIT_BROKEN;
	}
	/* suggest the right order, because the user may have swapped CORE and PROGRAM */
	return bt_reject_input(bt, &fault,
	                       bt->options.program && strcmp(fault.what, "not a core file") == 0
	                               ? "the core comes before the program: cairn bt CORE PROGRAM"
	                               : "expected a core file or a minidump");
}

enum {
	PIECE = 1 << 20,       /* bytes to read at a time when unpacking a file into memory */
	SKIP_PIECE = 64 << 20, /* bytes to skip at a time, between updates of the progress line */
};

static const char *name_foreign(struct cairn_bytes bytes)
{
	static const struct {
		const char *magic;
		size_t size;
		const char *what;
	} kinds[] = {
		{ "KDUMP   ", 8, "a kernel dump by kdump, which cairn does not unwind" },
		{ "DISKDUMP", 8, "a kernel dump, which cairn does not unwind" },
		{ "makedumpfile", 12,
		  "a kernel dump by makedumpfile, which cairn does not unwind" },
		{ "PAGEDU64", 8, "a Windows kernel dump, which cairn does not unwind" },
		{ "PAGEDUMP", 8, "a Windows kernel dump, which cairn does not unwind" },
		{ "\xcf\xfa\xed\xfe", 4, "a Mach-O file; macOS cores are not supported" },
		{ "\xce\xfa\xed\xfe", 4, "a Mach-O file; macOS cores are not supported" },
		{ "ProblemType:", 12, "an apport report; apport-unpack extracts the core" },
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (bytes.size >= kinds[i].size &&
		    memcmp(bytes.data, kinds[i].magic, kinds[i].size) == 0)
			return kinds[i].what;
	return NULL;
}

static bool begins_like_json(struct cairn_bytes bytes)
{
	size_t at = 0;

	while (at < bytes.size && memchr(" \t\r\n", bytes.data[at], 4))
		at++;
	return at < bytes.size && bytes.data[at] == '{';
}

static int open_bytes(struct bt *bt)
{
	const struct cairn_fault nothing = { CAIRN_NOT_FOUND, 0, "the file is empty" };
	const char *foreign = name_foreign(bt->file.bytes);
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	/* reject an empty file here, because the library treats an empty source as an unset one */
	if (bt->file.bytes.size == 0)
		return bt_reject_input(bt, &nothing, "expected a core file or a minidump");
	if (bt->takes_report && begins_like_json(bt->file.bytes)) {
		bt->is_report = true;
		return EXIT_CLEAN;
	}
	if (foreign) {
		print_diagnostic(bt->path, "%s", foreign);
		os_file_close(&bt->file);
		return EXIT_BROKEN;
	}
	options.bytes = bt->file.bytes;
	options.path = bt->path;
	if (bt->options.tasks && bt->file.mapped && !bt->descriptor) {
		options.fd = open(bt->path, O_RDONLY | O_CLOEXEC);
		options.has_fd = options.fd >= 0;
		bt->descriptor = options.fd + 1;
	}
	return bt_open_stacks(bt, &options, NULL, bt->file.bytes.size);
}

static int open_process(struct bt *bt)
{
	static char name[32];
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	snprintf(name, sizeof(name), "process %llu", (unsigned long long)bt->options.pid);
	bt->path = name;
	options.pid = bt->options.pid;
	return bt_open_stacks(bt, &options, NULL, CAIRN_STACKS_INPUT_WORTH);
}

/*
 * A core that is read from a stream. Its total size is unknown, so the progress line shows the
 * number of bytes read so far.
 */
struct counted_input {
	struct os_stream *stream;
	/* decompressor; NULL if the stream is not compressed */
	struct unpack_pieces *pieces;
	struct progress progress;
	uint64_t count;
};

static size_t read_counted(void *context, void *buffer, size_t size)
{
	struct counted_input *input = context;
	const size_t got = input->pieces ? unpack_pieces_read(input->pieces, buffer, size)
	                                 : os_stream_read(input->stream, buffer, size);

	input->count += got;
	progress_count(&input->progress, input->count);
	return got;
}

static uint64_t skip_counted(void *context, uint64_t size)
{
	struct counted_input *input = context;
	uint64_t skipped = 0, got = 1;

	while (skipped < size && got > 0) {
		const uint64_t left = size - skipped, piece = left < SKIP_PIECE ? left : SKIP_PIECE;
		got = input->pieces ? unpack_pieces_skip(input->pieces, piece)
		                    : os_stream_skip(input->stream, piece);
		skipped += got;
		progress_count(&input->progress, input->count + skipped);
	}
	input->count += skipped;
	return skipped;
}

static uint64_t allow_unpacked(void *context)
{
	const struct counted_input *input = context;

	return unpack_allowed(input->pieces->taken);
}

static int stream_core(struct bt *bt, struct os_stream *stream, struct unpack_pieces *pieces)
{
	struct counted_input input = { stream, pieces,
		                       progress_begin(bt->path, "bytes", bt->options.quiet), 0 };
	const struct cairn_stacks_stream source = { read_counted, skip_counted,
		                                    pieces ? allow_unpacked : NULL, &input,
		                                    pieces != NULL };
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;

	options.stream = &source;
	options.path = bt->path;
	bt->reading = &input.progress;
	int status = bt_open_stacks(bt, &options, NULL, CAIRN_STACKS_INPUT_WORTH);
	progress_end(&input.progress);
	bt->reading = NULL;
	return status;
}

static struct cairn_bytes take_packed(void *context)
{
	return os_stream_take(context);
}

static bool has_elf_magic(struct cairn_bytes bytes)
{
	return bytes.size == 4 && memcmp(bytes.data, "\177ELF", 4) == 0;
}

/* Report damage in the compressed data. The data before the damage is used. */
static void report_pieces(const struct bt *bt, const struct unpack_pieces *pieces)
{
	if (pieces->end.status != CAIRN_OK)
		print_fault_diagnostic(bt->path, NULL, &pieces->end,
		                       "printing the parts that could be read");
}

/*
 * Decompress input other than a core, such as a minidump, into memory. Fail if it exceeds the
 * limits.
 */
static int collect_pieces(struct bt *bt, struct unpack_pieces *pieces)
{
	size_t size = 0, capacity = 0;
	uint8_t *memory = NULL;

	for (;;) {
		if (size >= OS_FILE_READ_MAX || size > unpack_allowed(pieces->taken) ||
		    !array_grow(&memory, &capacity, size + PIECE, 1)) {
			free(memory);
			return fail_with(bt->path, "too large to decompress in memory (limit: 32 "
			                           "MiB plus 32 times the compressed size, at most "
			                           "1 GiB); decompress it to a file first");
		}
		const size_t got = unpack_pieces_read(pieces, memory + size, PIECE);
		size += got;
		if (got < PIECE)
			break;
	}
	report_pieces(bt, pieces);
	bt->file = (struct os_file){ .bytes = { memory, size }, .memory = memory };
	return open_bytes(bt);
}

static int open_packed(struct bt *bt, struct os_stream *stream, const struct unpack_method *method)
{
	struct unpack_pieces pieces;
	struct cairn_fault fault;
	int status;

	if (unpack_pieces_open(&pieces, method, take_packed, stream, &fault) != CAIRN_OK)
		return bt_reject_input(bt, &fault, NULL);
	const bool core = has_elf_magic(unpack_pieces_peek(&pieces, 4));
	if (!core && pieces.end.status != CAIRN_OK) {
		status = bt_reject_input(bt, &pieces.end, NULL);
	} else if (core) {
		status = stream_core(bt, stream, &pieces);
		report_pieces(bt, &pieces);
	} else {
		status = collect_pieces(bt, &pieces);
	}
	unpack_pieces_close(&pieces);
	return status;
}

bool bt_input_is_packed(struct cairn_bytes bytes)
{
	return unpack_find_method(bytes) != NULL;
}

/*
 * Read the input from a stream, compressed or not. A core is read incrementally; any other format
 * is read into memory first.
 */
static int open_stream(struct bt *bt, struct os_stream *stream)
{
	const struct unpack_method *method =
		unpack_find_method(os_stream_peek(stream, UNPACK_MAGIC_MAX));
	int status;

	if (method)
		status = open_packed(bt, stream, method);
	else if (has_elf_magic(os_stream_peek(stream, 4)))
		status = stream_core(bt, stream, NULL);
	else {
		int error = os_stream_rest(stream, &bt->file);
		if (error)
			return fail_with(bt->path, "cannot read: %s", strerror(error));
		return open_bytes(bt);
	}
	if (stream->error)
		print_diagnostic(bt->path, "cannot read: %s", strerror(stream->error));
	return status;
}

int bt_input_descriptor(struct bt *bt, int fd)
{
	struct os_stream stream;
	int error = os_stream_open(&stream, fd);

	if (error)
		return fail_with(bt->path, "cannot read: %s", strerror(error));
	int status = open_stream(bt, &stream);
	os_stream_close(&stream);
	return status;
}

static int open_file(struct bt *bt)
{
	if (strcmp(bt->path, "-") == 0)
		return bt_input_descriptor(bt, STDIN_FILENO);
	if (!input_open(bt->path, &bt->file))
		return EXIT_BROKEN;
	if (!bt_input_is_packed(bt->file.bytes)) {
		os_file_read_apart(&bt->file);
		return open_bytes(bt);
	}
	os_file_close(&bt->file);
	int fd = open(bt->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_with(bt->path, "cannot read: %s", strerror(errno));
	int status = bt_input_descriptor(bt, fd);
	close(fd);
	return status;
}

int bt_input_open(struct bt *bt)
{
	return bt->options.pid ? open_process(bt) : open_file(bt);
}

void bt_close(struct bt *bt)
{
	for (size_t i = 0; i < bt->stack_count; i++) {
		free(bt->stacks[i].frames);
		free(bt->stacks[i].rules);
	}
	free(bt->stacks);
	free(bt->nameless.module);
	cairn_stacks_close(bt->opened);
	debuginfod_close(&bt->debuginfod);
	if (bt->descriptor > 0)
		close(bt->descriptor - 1);
	os_file_close(&bt->file);
}
