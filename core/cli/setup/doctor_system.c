/* SPDX-License-Identifier: MIT */
/* Checks the cache, and settings of the machine: debuginfod servers, ptrace, core files. */
#include "doctor.h"

#include "os/cache/cache.h"
#include "os/file/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SETTING = 256 };

void doctor_cache(struct finding *finding)
{
	char folder[OS_CACHE_PATH];

	if (!os_cache_folder(folder)) {
		find_what(finding, FINDING_NOTE,
		          "no folder: neither XDG_CACHE_HOME nor HOME is set");
		find_advice(finding, "without it each 'cairn where' converts its program again");
		return;
	}
	int error = os_make_folders(folder);
	if (error == 0 && access(folder, W_OK | X_OK) != 0)
		error = errno;
	if (error == 0) {
		find_what(finding, FINDING_OK, "%s", folder);
		return;
	}
	find_what(finding, FINDING_FAULT, "%s cannot be written: %s", folder, strerror(error));
	find_advice(finding, "give the folder to this user, or set XDG_CACHE_HOME to another");
}

void doctor_debuginfod(struct finding *finding)
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

void doctor_ptrace(struct finding *finding)
{
	static const char path[] = "/proc/sys/kernel/yama/ptrace_scope";
	char scope[SETTING];

	if (!read_setting(path, scope) || strcmp(scope, "0") == 0) {
		find_what(finding, FINDING_OK, "processes of this user can be attached to");
		return;
	}
	find_what(finding, geteuid() == 0 && strcmp(scope, "3") != 0 ? FINDING_OK : FINDING_NOTE,
	          "%s is %s: %s", path, scope,
	          strcmp(scope, "1") == 0   ? "only children can be attached to, but by root"
	          : strcmp(scope, "2") == 0 ? "only root can attach to processes"
	                                    : "nobody can attach to processes");
	if (finding->state == FINDING_NOTE)
		find_advice(finding, "for 'cairn bt --pid' and 'gdb -p': run them as root, or as "
		                     "root 'sysctl kernel.yama.ptrace_scope=0'");
}

static void describe_handler(struct finding *finding, const char *pattern)
{
	find_what(finding, FINDING_OK, "the kernel passes them to '%s'", pattern + 1);
	if (strstr(pattern, "systemd-coredump"))
		find_advice(finding,
		            "'coredumpctl dump PID | cairn bt -' prints the stacks of one");
	else if (strstr(pattern, "apport"))
		find_advice(finding, "apport keeps those of packages in /var/crash; the others are "
		                     "files when 'ulimit -c unlimited' is set");
}

void doctor_cores(struct finding *finding)
{
	static const char path[] = "/proc/sys/kernel/core_pattern";
	char pattern[SETTING];
	struct rlimit limit;

	if (!read_setting(path, pattern)) {
		find_what(finding, FINDING_NOTE, "%s cannot be read: %s", path, strerror(errno));
	} else if (pattern[0] == '|') {
		describe_handler(finding, pattern);
	} else if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0) {
		find_what(finding, FINDING_NOTE,
		          "programs of this shell leave none: their limit is 0");
		find_advice(finding, "'ulimit -c unlimited' before the program starts");
	} else {
		find_what(finding, FINDING_OK, "the kernel writes them to '%s'%s", pattern,
		          pattern[0] == '/' ? "" : ", in the program's folder");
	}
}
