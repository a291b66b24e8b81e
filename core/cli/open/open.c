/* SPDX-License-Identifier: MIT */
/* `cairn open`: makes a core of a minidump or a log, and starts a debugger on it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "open.h"

#include "base/bytes.h"
#include "formats/elf/elf.h"
#include "os/file/file.h"
#include "os/file/temporary_folder.h"
#include "os/module/symbol_path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char about[] =
	"Opens a minidump, or the backtraces in a log, in GDB or LLDB: makes a core file, which\n"
	"both read, and starts the debugger with the program. '-' is standard input. ARGUMENTs "
	"are\n"
	"for the debugger. With -o the core is kept, and a debugger is started only if --gdb or\n"
	"--lldb is given; otherwise GDB is, and the core is removed when it ends. Exit status: "
	"that\n"
	"of the debugger; without one 0, 1 if files of modules were not found or a part of the\n"
	"input is lost, and 3 if there is no core.";

static const char *const folder_files[] = { "core", "script", "core.modules/", NULL };

/*
 * Set the directory of module files. The core refers to the files by absolute paths. If the core is
 * written to a device, no directory is used.
 */
static bool name_modules(struct open *open)
{
	const bool whole = open->core[0] == '/';
	char here[OPEN_PATH] = "";
	struct stat there;

	if (stat(open->core, &there) == 0 && !S_ISREG(there.st_mode))
		return true;

	if (!whole && !getcwd(here, sizeof(here)))
		return false;
	const int size = snprintf(open->modules, sizeof(open->modules), "%s%s%s.modules", here,
	                          whole ? "" : "/", open->core);
	return size > 0 && (size_t)size < sizeof(open->modules);
}

/*
 * Choose the names of the output files. If one is too long or the directory cannot be created,
 * print a diagnostic and return false.
 */
static bool prepare_files(struct open *open)
{
	const char *folder = getenv("TMPDIR");

	if (open->debugger != OPEN_NONE) {
		snprintf(open->folder, sizeof(open->folder) - 16, "%s/cairn-open.XXXXXX",
		         folder && *folder ? folder : "/tmp");
		const int error =
			os_temporary_folder_make(open->folder, folder_files, &open->folder_lock);
		if (error != 0)
			return refuse_with(open->folder, "cannot make it: %s", strerror(error));
		snprintf(open->script, sizeof(open->script), "%.4000s/script", open->folder);
	}
	const int size =
		open->out ? snprintf(open->core, sizeof(open->core), "%s", open->out)
			  : snprintf(open->core, sizeof(open->core), "%.4000s/core", open->folder);
	if (size > 0 && (size_t)size < sizeof(open->core) && name_modules(open))
		return true;
	return refuse_with(open->bt.path, "the name of the output is too long");
}

static int run_open(struct open *open)
{
	int status = EXIT_BROKEN;

	if (prepare_files(open))
		status = open_convert(open);
	if (status < EXIT_USAGE && open->debugger != OPEN_NONE)
		status = open_start_debugger(open);
	os_temporary_folder_remove(open->folder, folder_files, open->folder_lock);
	return status;
}

/*
 * Parse FILE[@BASE] and make the path absolute, because debuggers are started in another directory.
 * Return false if the path is too long.
 */
static bool read_given_path(const char *word, char path[SYMBOL_PATH_MAX])
{
	uint64_t base;

	if (!parse_placed_file(word, path, &base, NULL))
		return false;
	char *whole = realpath(path, NULL);
	if (whole && strlen(whole) < SYMBOL_PATH_MAX)
		memcpy(path, whole, strlen(whole) + 1);
	free(whole);
	return true;
}

/*
 * Use the first file as the program; it need not have a build ID. Bases are only used for logs,
 * because a minidump has its own.
 */
static bool take_program_file(struct open *open)
{
	static char path[SYMBOL_PATH_MAX];

	if (open->exes.count == 0)
		return true;
	if (!read_given_path(open->exes.word[0], path))
		return false;
	open->bt.options.program = path;
	return true;
}

static bool has_build_id(const char *path, struct cairn_bytes build_id)
{
	struct os_file file;
	struct elf elf;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	const bool same = elf_opens(file.bytes, &elf) && bytes_equal(elf_build_id(&elf), build_id);
	os_file_close(&file);
	return same;
}

/* Find a module's file among the further files, by build ID. */
static bool find_given(void *context, struct cairn_bytes build_id, char *path, size_t size)
{
	const struct open *open = context;
	char given[SYMBOL_PATH_MAX];

	for (size_t i = 1; i < open->exes.count; i++)
		if (read_given_path(open->exes.word[i], given) && has_build_id(given, build_id)) {
			snprintf(path, size, "%s", given);
			return true;
		}
	return false;
}

int verb_open(int argc, char **argv)
{
	struct open open = { .out = NULL, .folder_lock = -1 };
	bool gdb = false, lldb = false;
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "CORE", "keep the core file as CORE", &open.out),
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE[@BASE]",
		            "the program, or another of its modules, if it is not where it was",
		            &open.exes),
		OPTION_WITH(RIGHT_DIRECTORY, text, 0, "sysroot", "DIR",
		            "look for the program's files below DIR", &open.bt.options.sysroot),
		OPTION_DIRECTORY(&open.bt.options.folders),
		OPTION_DEBUG_FILE_DIRECTORY(&open.bt.options.folders),
		OPTION_FLAG("gdb", "start GDB", &gdb),
		OPTION_FLAG("lldb", "start LLDB", &lldb),
		OPTION_TEXT("debugger", "PROGRAM", "start PROGRAM as GDB or LLDB", &open.command),
		OPTION_NO_PROGRESS(&open.bt.options.quiet),
	};
	const struct command command = {
		"cairn open [OPTION...] MINIDUMP|LOG|- [-- ARGUMENT...]",
		about,
		options,
		COUNT(options),
		.operands = { 1, OPERANDS_MANY, { "MINIDUMP|LOG", "ARGUMENT" } },
		.rights = RIGHT_ALL
	};
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	argv[argc] = NULL; /* argv has space for this, because it held the verb before */
	open.bt.path = argv[0];
	if (!take_program_file(&open))
		return EXIT_BROKEN;
	open.bt.find_given = open.exes.count > 1 ? find_given : NULL;
	open.bt.context = &open;
	open.arguments = argv + 1;
	open.debugger = lldb ? OPEN_LLDB : gdb || !open.out ? OPEN_GDB : OPEN_NONE;
	return run_open(&open);
}
