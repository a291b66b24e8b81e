/* SPDX-License-Identifier: MIT */
/* Checks that GDB and LLDB are installed, and that they load cairn. */
#include "doctor.h"

#include "os/children.h"
#include "os/file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 4096, GDB_OLDEST = 13 };

/* Return the major version in "GNU gdb (Debian 13.1-3) 13.1", from the last word, or 0. */
static unsigned long parse_version(const char *line)
{
	const char *last = strrchr(line, ' ');

	return last ? strtoul(last + 1, NULL, 10) : 0;
}

void doctor_gdb(struct finding *finding)
{
	const char *const argv[] = { "gdb", "-nx", "--version", NULL };
	char said[SAID];
	int error = os_run(argv, said, sizeof(said));

	said[strcspn(said, "\n")] = '\0';
	if (error != 0) {
		find_what(finding, FINDING_NOTE, "gdb does not run: %s", strerror(error));
		find_advice(finding, "install GDB %d or newer; the command line works without it",
		            GDB_OLDEST);
		return;
	}
	find_what(finding, FINDING_OK, "%s", said);
	if (parse_version(said) >= GDB_OLDEST)
		return;
	finding->state = FINDING_NOTE;
	find_advice(finding, "GDB %d and newer are tried; older ones may do", GDB_OLDEST);
}

/* Find the file that a debugger loads. If it is missing, set the finding and return false. */
static bool find_part(struct finding *finding, const char *name, char path[SETUP_PATH])
{
	const struct setup_debugger *debugger = setup_debugger_find(name);

	if (!setup_debugger_file(debugger, path))
		find_what(finding, FINDING_FAULT,
		          "the folder of this program is not known, or its name has characters "
		          "that a "
		          "debugger cannot be given");
	else if (access(path, R_OK) != 0)
		find_what(finding, FINDING_NOTE, "%s: %s", path, strerror(errno));
	else
		return true;
	find_advice(finding,
	            "this cairn was built or installed without its part for %s; the summary of "
	            "'meson setup' has the reason",
	            name);
	return false;
}

/* Check the version in the first line, "# cairn 0.1.0 for GDB. ...". */
static bool has_our_version(const char *path)
{
	static const char expected[] = "# cairn " CAIRN_VERSION " ";
	char begin[sizeof(expected)] = "";
	struct stat about;
	int fd;

	if (os_file_regular(path, &about, &fd) != 0)
		return false;
	int error = os_file_read(fd, 0, begin, sizeof(expected) - 1);
	close(fd);
	return error == 0 && strcmp(begin, expected) == 0;
}

void doctor_gdb_script(struct finding *finding)
{
	char path[SETUP_PATH];

	if (!find_part(finding, "gdb", path))
		return;
	if (has_our_version(path)) {
		find_what(finding, FINDING_OK, "%s", path);
		return;
	}
	find_what(finding, FINDING_FAULT, "%s is not of version %s, as this program is", path,
	          cairn_version());
	find_advice(finding, "install both from the same build");
}

/*
 * Return true if the output contains a line that `cairn status` prints when the plugin has this
 * version.
 */
static bool tells_our_version(const char *said)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "cairn %s", cairn_version());
	const char *line = strstr(said, expected);
	return line && (line == said || line[-1] == '\n');
}

/* Return the last non-empty line, which usually contains the error. Trims `said`. */
static const char *last_line(char *said)
{
	size_t size = strlen(said);

	while (size > 0 && said[size - 1] == '\n')
		said[--size] = '\0';
	const char *newline = strrchr(said, '\n');
	return newline ? newline + 1 : said;
}

/*
 * Run the debugger with the plugin and set the finding. Return false if the program does not exist.
 */
static bool run_debugger(struct finding *finding, const char *const argv[], const char *path)
{
	char said[SAID];
	int error = os_run(argv, said, sizeof(said));

	if (error == ENOENT) {
		find_what(finding, FINDING_NOTE, "not tried: there is no %s", argv[0]);
		return false;
	}
	if (error != 0) {
		find_what(finding, FINDING_FAULT, "%s does not run: %s", argv[0], strerror(error));
	} else if (tells_our_version(said)) {
		find_what(finding, FINDING_OK, "%s loads %s", argv[0], path);
	} else {
		find_what(finding, FINDING_FAULT, "%s does not load %s: %s", argv[0], path,
		          last_line(said));
		find_advice(finding, "install the debugger's part and this program from the same "
		                     "build, for this machine");
	}
	return true;
}

void doctor_gdb_module(struct finding *finding)
{
	char path[SETUP_PATH], command[SETUP_PATH + 8];

	if (!find_part(finding, "gdb", path))
		return;
	snprintf(command, sizeof(command), "source %s", path);
	run_debugger(finding,
	             (const char *const[]){ "gdb", "-nx", "-q", "-batch", "-iex",
	                                    "set debuginfod enabled off", "-ex", command, "-ex",
	                                    "cairn status", NULL },
	             path);
}

/*
 * Check that LLDB loads the plugin. Debian packages have the version in the program's name; plain
 * "lldb" is a separate package.
 */
void doctor_lldb(struct finding *finding)
{
	static const char *const names[] = { "lldb-19", "lldb-20", "lldb-21", "lldb-22",
		                             "lldb-23", "lldb-18", "lldb-17", "lldb-16",
		                             "lldb-15", "lldb-14", "lldb-13", "lldb" };
	char path[SETUP_PATH], command[SETUP_PATH + 16];
	const char *name = "lldb";
	size_t next = 0;

	if (!find_part(finding, "lldb", path))
		return;
	snprintf(command, sizeof(command), "plugin load \"%s\"", path);
	while (!run_debugger(finding,
	                     (const char *const[]){ name, "--no-lldbinit", "--batch", "-o", command,
	                                            "-o", "cairn status", NULL },
	                     path) &&
	       next < sizeof(names) / sizeof(*names))
		name = names[next++];
}

static void check_start_file(struct finding *finding, const char *name)
{
	const struct setup_debugger *debugger = setup_debugger_find(name);
	char path[SETUP_PATH];

	if (!setup_debugger_start_file(debugger, path)) {
		find_what(finding, FINDING_NOTE, "your folder is not known: HOME is not set");
		return;
	}
	bool loads = false;
	int error = setup_start_file_loads(debugger, path, &loads);
	if (error != 0 && error != ENOENT) {
		find_what(finding, FINDING_NOTE, "%s: %s", path, strerror(error));
	} else if (loads) {
		find_what(finding, FINDING_OK, "%s loads cairn", path);
	} else {
		find_what(finding, FINDING_NOTE, "%s does not load cairn", path);
		find_advice(finding, "'cairn setup --write %s' puts the line there", name);
	}
}

void doctor_gdb_start(struct finding *finding)
{
	check_start_file(finding, "gdb");
}

void doctor_lldb_start(struct finding *finding)
{
	check_start_file(finding, "lldb");
}
