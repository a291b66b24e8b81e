/* SPDX-License-Identifier: MIT */
/*
 * Opens the stacks through the library: passes the verb's options and the DWARF source, and prints
 * problems.
 */
#include "bt.h"

#include "cli/front/debuginfod_diagnostic.h"
#include "debuginfo/elf/minidebug.h"
#include "debuginfo/elf/section.h"
#include "process/stacks/stacks.h"

#include <cairn/dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void end_progress(struct bt *bt)
{
	if (bt->reading)
		progress_end(bt->reading);
}

int bt_reject_input(struct bt *bt, const struct cairn_fault *fault, const char *next)
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

/* Report a module whose headers are missing. An empty name stands for the program. */
static void report_missing(void *context, struct cairn_bytes name)
{
	struct bt *bt = context;
	char path[SYMBOL_PATH_MAX];

	end_progress(bt);
	if (name.size == 0) {
		print_diagnostic(
			bt->path,
			bt->options.program
				? "the program's headers are not in the core, so that PROGRAM "
				  "cannot be placed; a packed program (UPX) is not where its file "
				  "says"
				: "the program's headers are not in the core, and its file was not "
				  "found: give it as PROGRAM");
		return;
	}
	if (!printed_take(&bt->printed, escaped_size(name)))
		return;
	snprintf(path, sizeof(path), "%.*s", (int)name.size, (const char *)name.data);
	print_word_diagnostic(
		bt->path, path,
		"the headers of this library are not in the core, and its file was not found");
}

static void credit_file(void *context, uint64_t size)
{
	bt_credit_file(context, size);
}

static void explain_process(struct bt *bt, const struct cairn_error *error)
{
	if (error->system == EPERM || error->system == EACCES)
		print_diagnostic(bt->path, "it may not be traced: it is somebody else's, is traced "
		                           "already, or kernel.yama.ptrace_scope forbids it");
	else
		print_diagnostic(bt->path, "%s", strerror(error->system));
}

int bt_check_program(struct bt *bt)
{
	struct cairn_error error;

	if (cairn_stacks_check_program(bt->opened, &error) == CAIRN_OK)
		return EXIT_CLEAN;
	end_progress(bt);
	print_diagnostic(bt->options.program, "%s; the stacks are printed without it%s",
	                 error.system ? strerror(error.system) : error.text,
	                 error.status == CAIRN_MISMATCH
	                         ? ", and 'cairn bt --list-modules' shows the build IDs"
	                         : "");
	return EXIT_MISSING;
}

int bt_open_stacks(struct bt *bt, struct cairn_stacks_options *options, struct snapshot *snapshot,
                   uint64_t worth)
{
	const struct cairn_symbol_source *const sources[] = { cairn_dwarf_source() };
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_error error;

	search.folders = bt->options.folders;
	search.sysroot = bt->options.sysroot;
	search.no_system_folders = search.no_cache = bt->options.only_folders;
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
		cairn_stacks_process(bt->opened, &bt->process);
		return EXIT_CLEAN;
	}
	const struct cairn_fault fault = { error.status, error.offset, error.text };
	if (options->pid) {
		explain_process(bt, &error);
		return EXIT_BROKEN;
	}
	/* the user may have given the program before its core */
	return bt_reject_input(bt, &fault,
	                       bt->options.program && strcmp(fault.what, "not a core file") == 0
	                               ? "the core goes before the program: cairn bt CORE PROGRAM"
	                               : "a core file or a minidump is expected");
}
