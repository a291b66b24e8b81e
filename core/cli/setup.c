/* SPDX-License-Identifier: MIT */
/*
 * `cairn setup`: prints, adds or removes the line that makes a debugger load cairn when it starts.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "setup.h"

#include "base/byte_buffer.h"
#include "base/bytes.h"
#include "cli/front/cli.h"
#include "os/atomic_file.h"
#include "output/escape.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Edits a debugger's start-up file so that exactly one line loads cairn. Such a line is recognized
 * by its command and the base name of the loaded file, whatever the directory, so that a line from
 * an older installation is replaced instead of duplicated.
 */

/* Return true if the line loads cairn. The file name may be quoted, and may be in any directory. */
static bool loads_cairn(struct cairn_bytes text, const struct start_line *line)
{
	size_t command = strlen(line->command), name = strlen(line->file_name);

	text = bytes_trim(text, " \t", " \t\r");
	if (text.size <= command || memcmp(text.data, line->command, command) != 0 ||
	    !strchr(" \t", text.data[command]))
		return false;
	text.data += command;
	text.size -= command;
	if (text.data[text.size - 1] == '"' || text.data[text.size - 1] == '\'')
		text.size--;
	size_t size = strlen(line->file_name);
	if (!(text.size >= size &&
	      memcmp(text.data + text.size - size, line->file_name, size) == 0))
		return false;
	return strchr(" \t/\"'", text.data[text.size - name - 1]) != NULL;
}

static void print_change(FILE *out, char sign, struct cairn_bytes text)
{
	if (!out)
		return;
	putc(sign, out);
	print_text(out, text);
	putc('\n', out);
}

static void append_line(struct byte_buffer *after, struct cairn_bytes text)
{
	byte_buffer_bytes(after, text.data, text.size);
	byte_buffer_u8(after, '\n');
}

/*
 * Append `before` to *after, with `wanted` as the only line that loads cairn: it replaces the first
 * such line, or is appended if no line loads cairn; other such lines are removed. If `wanted` is
 * NULL, all such lines are removed. Print each changed line on `out`, which may be NULL, with a
 * prefix of "-" or "+". Return the number of changed lines.
 */
static size_t start_file_edit(struct cairn_bytes before, const struct start_line *line,
                              const char *wanted, struct byte_buffer *after, FILE *out)
{
	struct cairn_bytes ours = { (const uint8_t *)wanted, wanted ? strlen(wanted) : 0 };
	bool placed = wanted == NULL;
	size_t changes = 0;

	while (before.size) {
		struct cairn_bytes text = bytes_take_part(&before, '\n');
		bool same = !placed && bytes_equal(text, ours);
		if (same || !loads_cairn(text, line)) {
			append_line(after, text);
			placed |= same;
			continue;
		}
		print_change(out, '-', text);
		changes++;
		if (!placed) {
			print_change(out, '+', ours);
			append_line(after, ours);
			placed = true;
		}
	}
	if (!placed) {
		print_change(out, '+', ours);
		append_line(after, ours);
		changes++;
	}
	return changes;
}

static bool start_file_loads(struct cairn_bytes text, const struct start_line *line)
{
	while (text.size)
		if (loads_cairn(bytes_take_part(&text, '\n'), line))
			return true;
	return false;
}

/*
 * GDB 11 and newer read the file in $XDG_CONFIG_HOME or, if it does not exist, the one in $HOME.
 * Similarly, LLDB reads .lldbinit only if the file named after the program (.lldbinit-lldb) does
 * not exist.
 */
static const struct setup_debugger debuggers[] = {
	{ .name = "gdb",
	  .line = { "source", "cairn.gdb" },
	  .installed = CAIRN_DATADIR "/cairn/cairn.gdb",
	  .built = "scripts/cairn.gdb",
	  .start_files = { { "XDG_CONFIG_HOME", "gdb/gdbinit" },
	                   { "HOME", ".config/gdb/gdbinit" },
	                   { "HOME", ".gdbinit" } } },
	{ .name = "lldb",
	  .line = { "plugin load", "cairn-lldb.so" },
	  .installed = CAIRN_LIBDIR "/cairn/cairn-lldb.so",
	  .built = "plugin/lldb/cairn-lldb.so",
	  .start_files = { { "HOME", ".lldbinit-lldb" }, { "HOME", ".lldbinit" }, { NULL, NULL } },
	  .quoted = true },
};

const struct setup_debugger *setup_debugger_find(const char *name)
{
	for (size_t i = 0; i < sizeof(debuggers) / sizeof(debuggers[0]); i++)
		if (strcmp(debuggers[i].name, name) == 0)
			return &debuggers[i];
	return NULL;
}

bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH])
{
	/* reject paths with characters that would end the debugger's command or its argument */
	return own_file_path(debugger->installed, debugger->built, path) &&
	       !path[strcspn(path, "\n\r\"\\")];
}

/* Resolve symbolic links, because replacing a link with a file would detach it from its target. */
static bool follow_links(char path[SETUP_PATH])
{
	char *real = realpath(path, NULL);
	bool fits = real && strlen(real) < SETUP_PATH;

	if (fits)
		strcpy(path, real);
	free(real);
	return fits;
}

bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH])
{
	bool named = false;

	for (size_t i = 0; i < 3 && debugger->start_files[i][0]; i++) {
		const char *directory = getenv(debugger->start_files[i][0]);
		if (!directory || directory[0] != '/')
			continue;
		named = snprintf(path, SETUP_PATH, "%s/%s", directory,
		                 debugger->start_files[i][1]) < SETUP_PATH;
		if (named && follow_links(path))
			return true;
	}
	return named;
}

int setup_start_file_open(const char *path, struct os_file *file)
{
	int error = os_file_open_regular(path, file);

	if (error == 0 && file->bytes.size > SETUP_START_FILE_MAX) {
		os_file_close(file);
		error = EFBIG;
	}
	return error;
}

int setup_start_file_loads(const struct setup_debugger *debugger, const char *path, bool *loads)
{
	struct os_file file;
	int error = setup_start_file_open(path, &file);

	if (error != 0)
		return error;
	*loads = start_file_loads(file.bytes, &debugger->line);
	os_file_close(&file);
	return 0;
}

/*
 * Format the line for the debugger's startup file, such as "source /usr/share/cairn/cairn.gdb". On
 * failure, print a diagnostic and return false.
 */
static bool name_line(const struct setup_debugger *debugger, char line[2 * SETUP_PATH])
{
	char path[SETUP_PATH];
	const char *quote = debugger->quoted ? "\"" : "";

	if (!setup_debugger_file(debugger, path))
		return refuse_with(NULL, "the directory of this program is unknown, or its path "
		                         "contains characters that debuggers do not accept");
	if (access(path, R_OK) != 0)
		return refuse_with(path,
		                   "not installed: cairn was built without its plugin for %s; "
		                   "'meson setup' reports the missing dependency",
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
 * Undo --write: restore the backup if the user has not changed the file since. If there is no
 * backup, delete a file that contains only our line. Return false if our line must be removed from
 * the current file instead.
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
		if (*status == EXIT_CLEAN)
			puts("removed, because it contained nothing else");
		else
			printf("cannot be removed: %s\n", strerror(errno));
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
		return fail_with(NULL, "unknown home directory: set HOME");
	int error = setup_start_file_open(path, &file);
	if (error != 0 && error != ENOENT)
		return fail_with(path, "%s; the file was not changed", strerror(error));
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
		OPTION_FLAG("write", "add it to the start-up file", &write),
		OPTION_FLAG("remove", "remove it from the start-up file", &remove),
	};
	const struct command command =
		COMMAND("cairn setup [OPTION...] gdb|lldb",
	                "Print the line that makes a debugger load cairn. --write adds it to the "
	                "start-up file, prints\n"
	                "the change, and keeps a copy of the file with the suffix .before-cairn. "
	                "--remove restores the\n"
	                "copy, or removes only the line if the file has changed since.",
	                options, OPERANDS(1, 1, "gdb|lldb"), .rights = RIGHT_ALL);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const struct setup_debugger *debugger = argc == 1 ? setup_debugger_find(argv[0]) : NULL;
	if (!debugger)
		return usage_error(&command, "expected one operand: gdb or lldb");
	if (write && remove)
		return usage_error(&command, "--write and --remove are mutually exclusive");
	if (remove)
		return set_up(debugger, NULL);
	if (!name_line(debugger, line))
		return EXIT_MISSING;
	if (write)
		return set_up(debugger, line);
	print_string_between(stdout, "", line, "\n");
	return EXIT_CLEAN;
}
