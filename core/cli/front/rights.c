/* SPDX-License-Identifier: MIT */
/* Confines the process to the files and system calls that its command line needs. */
#include "rights.h"

#include "cli.h"

#include "os/cache.h"
#include "os/debuginfod.h"
#include "os/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* files that the C library and libcurl read to reach a server */
static const char *const network_files[] = {
	"/etc/hosts",       "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf",
	"/etc/gai.conf",    "/etc/services",  "/etc/protocols",   "/etc/ssl",
	"/etc/localtime",   "/run/systemd",   "/usr/lib",         "/usr/share",
	"/etc/ld.so.cache", "/lib",           "/lib64",           "/dev/urandom",
};

static bool keeps_all;

/* State of the second phase of confinement, when the process gives up the right to open files. */
static struct {
	bool is_due; /* true if the process is confined, but can still open files */
	bool finds;
	unsigned expected;
} phase;

void rights_keep_all(void)
{
	keeps_all = true;
}

bool rights_are_kept(void)
{
	return keeps_all;
}

struct rights rights_of(unsigned kept)
{
	return (struct rights){ .kept = keeps_all ? RIGHT_ALL : kept };
}

static void take_read(struct rights *rights, const char *path)
{
	/*
	 * do not use Landlock for paths in /proc, because it would refuse files of other processes
	 */
	if (strncmp(path, "/proc/", 6) == 0)
		rights->kept |= RIGHT_TRACE;
	if (rights->paths < RIGHTS_PATHS_MAX)
		rights->path[rights->paths++] = path;
	else
		rights->kept |= RIGHT_FINDS;
}

void rights_take_operand(struct rights *rights, const char *word)
{
	if (!rights->operand)
		rights->operand = word;
	take_read(rights, word);
}

void rights_take_option(struct rights *rights, unsigned kept, const char *value)
{
	rights->kept |= kept & ~(unsigned)(RIGHT_OUTPUT | RIGHT_STORE | RIGHT_DIRECTORY);
	if (value && (kept & RIGHT_STORE)) {
		rights->directory = value;
	} else if (value && !(kept & RIGHT_OUTPUT)) {
		take_read(rights, value);
	} else if (value) {
		if (strcmp(value, "-") != 0 && rights->writes < COUNT(rights->written))
			rights->written[rights->writes++] = value;
		rights->kept &= ~(unsigned)RIGHT_BESIDE;
	}
}

void rights_enter(struct rights *rights)
{
	struct sandbox sandbox;
	unsigned keep = (rights->kept & RIGHT_FINDS ? SANDBOX_READ_ALL : 0) |
	                (rights->kept & RIGHT_NETWORK ? SANDBOX_NETWORK : 0) |
	                (rights->kept & RIGHT_TRACE ? SANDBOX_TRACE : 0);

	if ((rights->kept & RIGHT_ALL) || !sandbox_is_possible())
		return;
	sandbox_begin(&sandbox, keep);
	if ((rights->kept & RIGHT_BESIDE) && rights->operand)
		sandbox_allow_write(&sandbox, rights->operand);
	for (unsigned i = 0; i < rights->paths; i++)
		sandbox_allow_read(&sandbox, rights->path[i]);
	for (unsigned i = 0; i < rights->writes; i++) {
		/*
		 * Allow writing the output. If its path is an existing directory, also allow
		 * writing to the parent directory, because some verbs append a suffix to the path
		 * and create that file.
		 */
		const char *path = rights->written[i];
		char other[OS_CACHE_PATH];
		struct stat about;
		size_t size = strlen(path);
		while (size > 1 && path[size - 1] == '/')
			size--;
		sandbox_allow_write(&sandbox, path);
		if (snprintf(other, sizeof(other), "%.*s.new", (int)size, path) < OS_CACHE_PATH &&
		    stat(path, &about) == 0 && S_ISDIR(about.st_mode))
			sandbox_allow_write(&sandbox, other);
	}
	if (rights->socket)
		sandbox_allow_socket(&sandbox, rights->socket);
	if (rights->directory)
		sandbox_allow_write(&sandbox, rights->directory);
	for (size_t i = 0; (rights->kept & RIGHT_NETWORK) && i < COUNT(network_files); i++)
		sandbox_allow_read(&sandbox, network_files[i]);
	char directory[OS_CACHE_PATH];
	if ((rights->kept & RIGHT_CACHE) && os_cache_directory(directory))
		sandbox_allow_write(&sandbox, directory);
	/* libdebuginfod also creates the parent directories of its cache */
	if ((rights->kept & RIGHT_FETCHES) &&
	    debuginfod_cache_directory(directory, sizeof(directory)))
		sandbox_allow_write(&sandbox, directory);
	/* ignore failures, because the output must be the same on a kernel without Landlock */
	(void)sandbox_enter(&sandbox);
	phase.is_due = true;
	phase.finds = rights->kept & RIGHT_FINDS;
}

void rights_enter_server(const char *path, const char *directory)
{
	struct rights rights = { .kept = keeps_all ? RIGHT_ALL : RIGHT_NETWORK,
		                 .socket = path,
		                 .directory = directory };

	rights_enter(&rights);
}

static void end_first_phase(void)
{
	if (phase.is_due)
		(void)sandbox_refuse_paths();
	phase.is_due = false;
}

void rights_expect_files(unsigned count)
{
	phase.expected = count;
	if (count == 0 && !phase.finds)
		end_first_phase();
}

void rights_count_file(void)
{
	if (phase.expected > 0 && !phase.finds && --phase.expected == 0)
		end_first_phase();
}

void rights_end_search(void)
{
	if (phase.expected <= 1)
		end_first_phase();
}
