/* SPDX-License-Identifier: MIT */
/* cairn setup: the line that makes a debugger load cairn whenever it starts. */
#include "cli/front/cli.h"

#include "debuggers.h"
#include "os/file/atomic_file.h"
#include "output/escape.h"

#include <string.h>
#include <unistd.h>

/* "source /usr/share/cairn/cairn.gdb", or the reason why there is none. */
static bool name_line(const struct setup_debugger *debugger, char line[2 * SETUP_PATH])
{
	char path[SETUP_PATH];
	const char *quote = debugger->quoted ? "\"" : "";

	if (!setup_debugger_file(debugger, path)) {
		print_diagnostic(NULL, "the folder of this program is not known, or its name has "
		                       "characters that a debugger cannot be given");
		return false;
	}
	if (access(path, R_OK) != 0) {
		print_diagnostic(path,
		                 "not there: this cairn was built without its part for %s; "
		                 "'meson setup' says what it lacks",
		                 debugger->name);
		return false;
	}
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

/* The start-up file as it was, beside it. */
static bool keep_copy(const char *path, struct cairn_bytes text)
{
	char copy[SETUP_PATH + 16];

	snprintf(copy, sizeof(copy), "%s.before-cairn", path);
	if (!write_start_file(copy, text))
		return false;
	printf("as it was: ");
	print_string(stdout, copy);
	putchar('\n');
	return true;
}

/* Brings the start-up file into the state that is wanted; `wanted` NULL: without cairn. */
static int change_start_file(const struct setup_debugger *debugger, const char *path,
                             struct cairn_bytes before, bool existed, const char *wanted)
{
	struct byte_buffer after = { .limit = 2 * SETUP_START_FILE_MAX };
	int status = EXIT_CLEAN;

	print_string(stdout, path);
	puts(":");
	size_t changes = start_file_edit(before, &debugger->line, wanted, &after, stdout);
	struct cairn_bytes text = { after.data, after.size };
	if (changes == 0)
		puts(wanted ? "loads cairn already" : "does not load cairn");
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

	if (!setup_debugger_start_file(debugger, path)) {
		print_diagnostic(NULL, "your folder is not known: set HOME");
		return EXIT_BROKEN;
	}
	int error = setup_start_file_open(path, &file);
	if (error != 0 && error != ENOENT) {
		print_diagnostic(path, "%s; it was not changed", strerror(error));
		return EXIT_BROKEN;
	}
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
		{ .name = "write", .help = "put it into the start-up file", .flag = &write },
		{ .name = "remove", .help = "take it out of there", .flag = &remove },
	};
	const struct command command = {
		"cairn setup [OPTION...] gdb|lldb",
		"Prints the line that makes a debugger load cairn.  A start-up file is shown as "
		"it\n"
		"changes, and a copy of it is kept with the ending .before-cairn.",
		options, COUNT(options)
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
	print_string(stdout, line);
	putchar('\n');
	return EXIT_CLEAN;
}
