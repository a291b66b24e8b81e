/* SPDX-License-Identifier: MIT */
/* `cairn setup`: prints, adds or removes the line that makes a debugger load cairn at start-up. */
#include "cli/front/cli.h"

#include "debuggers.h"
#include "os/file/atomic_file.h"
#include "output/escape.h"

#include <string.h>
#include <unistd.h>

/*
 * Format the line, such as "source /usr/share/cairn/cairn.gdb". On failure print a diagnostic and
 * return false.
 */
static bool name_line(const struct setup_debugger *debugger, char line[2 * SETUP_PATH])
{
	char path[SETUP_PATH];
	const char *quote = debugger->quoted ? "\"" : "";

	if (!setup_debugger_file(debugger, path))
		return refuse_with(NULL, "the folder of this program is not known, or its name has "
		                         "characters that a debugger cannot be given");
	if (access(path, R_OK) != 0)
		return refuse_with(path,
		                   "not there: this cairn was built without its part for %s; "
		                   "'meson setup' says what it lacks",
		                   debugger->name);
	snprintf(line, 2 * SETUP_PATH, "%s %s%s%s", debugger->line.command, quote, path, quote);
	return true;
}

static bool write_start_file(const char *path, struct cairn_bytes text)
{
	int error = os_atomic_file_write(path, &text, 1);

	if (error != 0)
		print_diagnostic(path, "cannot be written: %s", strerror(error));
	return error == 0;
}

static void name_copy(const char *path, char copy[SETUP_PATH + 16])
{
	snprintf(copy, SETUP_PATH + 16, "%s.before-cairn", path);
}

static bool keep_copy(const char *path, struct cairn_bytes text)
{
	char copy[SETUP_PATH + 16];

	name_copy(path, copy);
	if (!write_start_file(copy, text))
		return false;
	print_string_between(stdout, "as it was: ", copy, "\n");
	return true;
}

/* Return true if the files are equal except for lines that load cairn. */
static bool differ_by_cairn(const struct setup_debugger *debugger, struct cairn_bytes a,
                            struct cairn_bytes b)
{
	struct byte_buffer x = { .limit = 2 * SETUP_START_FILE_MAX }, y = x;

	start_file_edit(a, &debugger->line, NULL, &x, NULL);
	start_file_edit(b, &debugger->line, NULL, &y, NULL);
	const bool equal = !x.failed && !y.failed && x.size == y.size &&
	                   (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
	byte_buffer_finish(&x);
	byte_buffer_finish(&y);
	return equal;
}

/*
 * Undo --write. Restores the copy, unless the user has changed the file since. Without a copy,
 * removes a file that contains only our line. Return false if the line must be removed from the
 * present file instead.
 */
static bool undo_change(const struct setup_debugger *debugger, const char *path,
                        struct cairn_bytes before, struct cairn_bytes rest, int *status)
{
	char copy[SETUP_PATH + 16];
	struct os_file kept;

	name_copy(path, copy);
	if (setup_start_file_open(copy, &kept) != 0) {
		if (rest.size > 0 || before.size == 0)
			return false;
		*status = unlink(path) == 0 ? EXIT_CLEAN : EXIT_BROKEN;
		puts(*status == EXIT_CLEAN ? "removed, because nothing else is in it"
		                           : "it cannot be removed");
		return true;
	}
	const bool same = differ_by_cairn(debugger, before, kept.bytes);
	if (same && write_start_file(path, kept.bytes) && unlink(copy) == 0)
		puts("is as it was before cairn");
	else if (same)
		*status = EXIT_BROKEN;
	os_file_close(&kept);
	return same;
}

/* Change the start-up file. `wanted` is NULL to remove cairn. */
static int change_start_file(const struct setup_debugger *debugger, const char *path,
                             struct cairn_bytes before, bool existed, const char *wanted)
{
	struct byte_buffer after = { .limit = 2 * SETUP_START_FILE_MAX };
	int status = EXIT_CLEAN;

	print_string_between(stdout, "", path, ":\n");
	size_t changes = start_file_edit(before, &debugger->line, wanted, &after, stdout);
	struct cairn_bytes text = { after.data, after.size };
	if (changes == 0)
		puts(wanted ? "loads cairn already" : "does not load cairn");
	else if (!wanted && undo_change(debugger, path, before, text, &status))
		;
	else if (after.failed || (existed && !keep_copy(path, before)) ||
	         !write_start_file(path, text))
		status = EXIT_BROKEN;
	byte_buffer_finish(&after);
	return status;
}

static int set_up(const struct setup_debugger *debugger, const char *wanted)
{
	char path[SETUP_PATH];
	struct os_file file = { .memory = NULL };

	if (!setup_debugger_start_file(debugger, path))
		return fail_with(NULL, "your folder is not known: set HOME");
	int error = setup_start_file_open(path, &file);
	if (error != 0 && error != ENOENT)
		return fail_with(path, "%s; it was not changed", strerror(error));
	bool existed = error == 0;
	int status = change_start_file(debugger, path, file.bytes, existed, wanted);
	if (existed)
		os_file_close(&file);
	return status;
}

int verb_setup(int argc, char **argv)
{
	bool write = false, remove = false;
	char line[2 * SETUP_PATH];
	const struct option options[] = {
		OPTION_FLAG("write", "put it into the start-up file", &write),
		OPTION_FLAG("remove", "take it out of there", &remove),
	};
	const struct command command = {
		"cairn setup [OPTION...] gdb|lldb",
		"Prints the line that makes a debugger load cairn.  A start-up file is shown as "
		"it\n"
		"changes, and a copy of it is kept with the ending .before-cairn, which --remove "
		"puts back.",
		options,
		COUNT(options),
		.operands = { 1, 1, { "gdb|lldb" } },
		.rights = RIGHT_ALL
	};
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const struct setup_debugger *debugger = argc == 1 ? setup_debugger_find(argv[0]) : NULL;
	if (!debugger)
		return usage_error(&command, "it takes one operand, gdb or lldb");
	if (write && remove)
		return usage_error(&command, "--write and --remove exclude each other");
	if (remove)
		return set_up(debugger, NULL);
	if (!name_line(debugger, line))
		return EXIT_MISSING;
	if (write)
		return set_up(debugger, line);
	print_string_between(stdout, "", line, "\n");
	return EXIT_CLEAN;
}
