/* SPDX-License-Identifier: MIT */
/* `cairn doctor`: checks the installation and the settings of the machine. */
#include "setup.h"

#include "os/atomic_file.h"
#include "os/cache.h"
#include "os/children.h"
#include "os/file.h"
#include "output/escape.h"
#include "output/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

CLI_FORMAT(3)
static void find_what(struct finding *finding, enum finding_state state, const char *format, ...)
{
	va_list arguments;

	finding->state = state;
	va_start(arguments, format);
	vsnprintf(finding->seen, sizeof(finding->seen), format, arguments);
	va_end(arguments);
}

CLI_FORMAT(2)
static void find_advice(struct finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->advice, sizeof(finding->advice), format, arguments);
	va_end(arguments);
}

enum { SAID = 4096, GDB_OLDEST = 13 };

/* Return the major version at the end of "GNU gdb (Debian 13.1-3) 13.1", or 0. */
static unsigned long parse_version(const char *line)
{
	const char *last = strrchr(line, ' ');

	return last ? strtoul(last + 1, NULL, 10) : 0;
}

/* Each doctor_ function runs one check of `cairn doctor` and sets `seen`, `advice` and `state`. */
static void doctor_gdb(struct finding *finding)
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
	find_advice(finding, "GDB %d and newer are tested; older versions may work", GDB_OLDEST);
}

/*
 * Find the file that loads cairn's plugin into the debugger `name`, such as cairn.gdb. If it is
 * missing, return false and set *finding.
 */
static bool find_part(struct finding *finding, const char *name, char path[SETUP_PATH])
{
	const struct setup_debugger *debugger = setup_debugger_find(name);

	if (!setup_debugger_file(debugger, path))
		find_what(finding, FINDING_FAULT,
		          "the directory of this program is unknown, or its path contains "
		          "characters that debuggers do not accept");
	else if (access(path, R_OK) != 0)
		find_what(finding, FINDING_NOTE, "%s: %s", path, strerror(errno));
	else
		return true;
	find_advice(finding,
	            "this cairn was built or installed without its plugin for %s; the summary of "
	            "'meson setup' gives the reason",
	            name);
	return false;
}

/*
 * Return true if the first line of the file contains our version, as in "# cairn 0.1.0 for GDB.
 * ...".
 */
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

static void doctor_gdb_script(struct finding *finding)
{
	char path[SETUP_PATH];

	if (!find_part(finding, "gdb", path))
		return;
	if (has_our_version(path)) {
		find_what(finding, FINDING_OK, "%s", path);
		return;
	}
	find_what(finding, FINDING_FAULT, "%s is not version %s, unlike this program", path,
	          cairn_version());
	find_advice(finding, "install both from the same build");
}

/*
 * Return true if the output contains the line that `cairn status` prints for a plugin of our
 * version.
 */
static bool tells_our_version(const char *said)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "cairn %s", cairn_version());
	const char *line = strstr(said, expected);
	return line && (line == said || line[-1] == '\n');
}

/* Return the last non-empty line, which usually contains the error. Modifies `said`. */
static const char *last_line(char *said)
{
	size_t size = strlen(said);

	while (size > 0 && said[size - 1] == '\n')
		said[--size] = '\0';
	const char *newline = strrchr(said, '\n');
	return newline ? newline + 1 : said;
}

/* Run the debugger with the plugin and set *finding. Return false if there is no such debugger. */
static bool run_debugger(struct finding *finding, const char *const argv[], const char *path)
{
	char said[SAID];
	int error = os_run(argv, said, sizeof(said));

	if (error == ENOENT) {
		find_what(finding, FINDING_NOTE, "not tested: there is no %s", argv[0]);
		return false;
	}
	if (error != 0) {
		find_what(finding, FINDING_FAULT, "%s does not run: %s", argv[0], strerror(error));
	} else if (tells_our_version(said)) {
		find_what(finding, FINDING_OK, "%s loads %s", argv[0], path);
	} else {
		find_what(finding, FINDING_FAULT, "%s does not load %s: %s", argv[0], path,
		          last_line(said));
		find_advice(finding, "install the debugger plugin and this program from the same "
		                     "build, for this machine");
	}
	return true;
}

static void doctor_gdb_module(struct finding *finding)
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
 * Check that LLDB loads the plugin. Debian's packages append LLDB's version to the program's name;
 * the plain "lldb" is in a separate package.
 */
static void doctor_lldb(struct finding *finding)
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
		find_what(finding, FINDING_NOTE, "your home directory is unknown: HOME is not set");
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
		find_advice(finding, "'cairn setup --write %s' adds the line", name);
	}
}

static void doctor_gdb_start(struct finding *finding)
{
	check_start_file(finding, "gdb");
}

static void doctor_lldb_start(struct finding *finding)
{
	check_start_file(finding, "lldb");
}

/* State of an optional library in this build, as passed by meson.build. */
enum part_state {
	PART_ABSENT,
	PART_BUILT,
	PART_OFF,
};

static const struct part {
	const char *name;
	enum part_state state;
	const char *lost;    /* effect of building cairn without the library */
	const char *package; /* names of the development packages in Debian */
} parts[] = {
	{ "libdw", CAIRN_PART_LIBDW, "'cairn sframe verify' has nothing to compare with",
	  "libelf-dev libdw-dev" },
	{ "zlib", CAIRN_PART_ZLIB, "sections and files compressed with zlib are not read",
	  "zlib1g-dev" },
	{ "libdeflate", CAIRN_PART_LIBDEFLATE, "zlib data is decompressed more slowly",
	  "libdeflate-dev" },
	{ "libzstd", CAIRN_PART_ZSTD, "sections and files compressed with zstd are not read",
	  "libzstd-dev" },
	{ "liblzma", CAIRN_PART_LZMA, ".gnu_debugdata and files compressed with xz are not read",
	  "liblzma-dev" },
	{ "liblz4", CAIRN_PART_LZ4, "files compressed with lz4 are not read", "liblz4-dev" },
	{ "libcurl", CAIRN_PART_NET, "'cairn symbfile' cannot serve, fetch or push",
	  "libcurl4-openssl-dev libmicrohttpd-dev libzstd-dev" },
	{ "librabbitmq", CAIRN_PART_AMQP, "'cairn work' cannot read from a queue",
	  "librabbitmq-dev" },
};

static void append_text(char *list, size_t size, const char *separator, const char *text)
{
	size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used > 0 ? separator : "", text);
}

void doctor_parts(struct finding *finding)
{
	char built[FINDING_TEXT / 4] = "", lacking[FINDING_TEXT / 2] = "",
				  packages[FINDING_TEXT / 4] = "", text[FINDING_TEXT / 8];

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (parts[i].state == PART_BUILT) {
			append_text(built, sizeof(built), ", ", parts[i].name);
			continue;
		}
		snprintf(text, sizeof(text), "%s (%s): %s", parts[i].name,
		         parts[i].state == PART_OFF ? "disabled" : "not found", parts[i].lost);
		append_text(lacking, sizeof(lacking), "; ", text);
		append_text(packages, sizeof(packages), " ", parts[i].package);
	}
	if (!lacking[0]) {
		find_what(finding, FINDING_OK, "built with %s", built);
		return;
	}
	find_what(finding, FINDING_NOTE, "built without %s", lacking);
	find_advice(finding,
	            "'apt-get install %s' on Debian, then rebuild cairn without options that "
	            "disable parts",
	            packages);
}

enum { SETTING = 256 };

static void doctor_cache(struct finding *finding)
{
	char directory[OS_CACHE_PATH];

	if (!os_cache_directory(directory)) {
		find_what(finding, FINDING_NOTE,
		          "no directory: neither XDG_CACHE_HOME nor HOME is set");
		find_advice(finding,
		            "without it each run of 'cairn where' converts its program again");
		return;
	}
	int error = os_make_directories(directory);
	if (error == 0 && access(directory, W_OK | X_OK) != 0)
		error = errno;
	if (error == 0) {
		find_what(finding, FINDING_OK, "%s", directory);
		return;
	}
	find_what(finding, FINDING_FAULT, "%s cannot be written: %s", directory, strerror(error));
	find_advice(finding, "make the directory writable for this user, or set XDG_CACHE_HOME");
}

static void doctor_debuginfod(struct finding *finding)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls && urls[0])
		find_what(finding, FINDING_OK, "DEBUGINFOD_URLS is %s", urls);
	else
		find_what(finding, FINDING_NOTE,
		          "DEBUGINFOD_URLS is not set: GDB fetches no debug files by itself");
}

static bool read_setting(const char *path, char text[SETTING])
{
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	size_t size = fread(text, 1, SETTING - 1, file);
	fclose(file);
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static void doctor_ptrace(struct finding *finding)
{
	static const char path[] = "/proc/sys/kernel/yama/ptrace_scope";
	char scope[SETTING];

	if (!read_setting(path, scope) || strcmp(scope, "0") == 0) {
		find_what(finding, FINDING_OK, "processes of this user can be attached to");
		return;
	}
	find_what(finding, geteuid() == 0 && strcmp(scope, "3") != 0 ? FINDING_OK : FINDING_NOTE,
	          "%s is %s: %s", path, scope,
	          strcmp(scope, "1") == 0   ? "only children can be attached to, except by root"
	          : strcmp(scope, "2") == 0 ? "only root can attach to processes"
	                                    : "no user can attach to processes");
	if (finding->state == FINDING_NOTE)
		find_advice(finding, "for 'cairn bt --pid' and 'gdb -p': run them as root, or as "
		                     "root 'sysctl kernel.yama.ptrace_scope=0'");
}

static void doctor_cores(struct finding *finding)
{
	static const char path[] = "/proc/sys/kernel/core_pattern";
	char pattern[SETTING];
	struct rlimit limit;

	if (!read_setting(path, pattern)) {
		find_what(finding, FINDING_NOTE, "%s cannot be read: %s", path, strerror(errno));
	} else if (pattern[0] == '|') {
		find_what(finding, FINDING_OK, "the kernel passes them to '%s'", pattern + 1);
		if (strstr(pattern, "systemd-coredump"))
			find_advice(finding,
			            "'coredumpctl dump PID | cairn bt -' prints the stacks of one");
		else if (strstr(pattern, "apport"))
			find_advice(finding,
			            "apport keeps those of packaged programs in /var/crash; the "
			            "others are written if 'ulimit -c unlimited' is set");
	} else if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0) {
		find_what(finding, FINDING_NOTE,
		          "programs started in this shell write none: the size limit is 0");
		find_advice(finding, "run 'ulimit -c unlimited' before the program starts");
	} else {
		find_what(finding, FINDING_OK, "the kernel writes them to '%s'%s", pattern,
		          pattern[0] == '/' ? "" : ", in the program's working directory");
	}
}

static const char *const states[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_FAULT] = "fault",
};

static const struct {
	const char *name;
	void (*run)(struct finding *finding);
} checks[] = {
	{ "gdb", doctor_gdb },
	{ "gdb script", doctor_gdb_script },
	{ "gdb module", doctor_gdb_module },
	{ "gdb start-up", doctor_gdb_start },
	{ "lldb plugin", doctor_lldb },
	{ "lldb start-up", doctor_lldb_start },
	{ "libraries", doctor_parts },
	{ "cache", doctor_cache },
	{ "debuginfod", doctor_debuginfod },
	{ "ptrace", doctor_ptrace },
	{ "core files", doctor_cores },
};

int verb_doctor(int argc, char **argv)
{
	enum form form = FORM_TEXT;
	const struct option options[] = { OPTION_JSON(&form) };
	const struct command command =
		COMMAND("cairn doctor [OPTION...]",
	                "Check whether GDB and LLDB find and load this cairn, how it was built, "
	                "and what the\n"
	                "machine allows. Exit status 1: the installation has a fault.",
	                options, .rights = RIGHT_ALL);
	struct json json = json_to(stdout);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	for (size_t i = 0; i < COUNT(checks); i++) {
		struct finding finding = { .check = checks[i].name };
		checks[i].run(&finding);
		if (form == FORM_JSON) {
			json_object(&json, NULL);
			json_string(&json, "check", finding.check);
			json_string(&json, "state", states[finding.state]);
			json_string(&json, "seen", finding.seen);
			json_string(&json, "advice", finding.advice);
			json_end(&json);
		} else {
			printf("%-5s  %-13s  ", states[finding.state], finding.check);
			print_string(stdout, finding.seen);
			if (finding.advice[0]) {
				printf("\n%22s", "");
				print_string(stdout, finding.advice);
			}
			putchar('\n');
		}
		if (finding.state == FINDING_FAULT)
			status = EXIT_MISSING;
	}
	return status;
}
