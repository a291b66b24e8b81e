/* SPDX-License-Identifier: MIT */
/* The rights of verbs; docs/SECURITY.md has the same table, and tests/cli/front/sandbox.sh compares them. */
#include "rights.h"

#include "cli.h"

#include "os/cache/cache.h"
#include "os/debuginfod/debuginfod.h"
#include "os/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum verb_right {
	ALL = 1 << 0,     /* is not confined */
	FINDS = 1 << 1,   /* reads any file, because input names further files */
	CACHE = 1 << 2,   /* writes into the cache */
	NETWORK = 1 << 3, /* and the files that tell the C library about it */
	TRACE = 1 << 4,   /* looks into processes */
	FETCHES = 1 << 5, /* writes into the cache of libdebuginfod */
	BESIDE = 1 << 6,  /* writes beside its first operand when no option names the output */
};

struct verb_rights {
	const char *verb;
	unsigned kept;
};

/* A verb that is not listed reads what its command line names, and nothing else. */
static const struct verb_rights verbs[] = {
	{ "cairn addr2line", FINDS },
	{ "cairn bt", FINDS },
	{ "cairn cache", ALL },
	{ "cairn crash", ALL }, /* confines its children itself */
	{ "cairn doctor", ALL },
	{ "cairn dwarf dump", FINDS },
	{ "cairn gsym create", FINDS | BESIDE },
	{ "cairn gsym diff", FINDS },
	{ "cairn gsym dump", FINDS },
	{ "cairn gsym fetch", FINDS | CACHE | NETWORK | FETCHES },
	{ "cairn gsym find", FINDS },
	{ "cairn gsym lookup", FINDS },
	{ "cairn gsym stats", FINDS },
	{ "cairn markup", FINDS },
	{ "cairn minidump", FINDS | BESIDE },
	{ "cairn open", ALL }, /* confines the process that reads */
	{ "cairn profile convert", FINDS },
	{ "cairn serve", ALL }, /* confines its processes itself */
	{ "cairn setup", ALL },
	{ "cairn sframe convert", BESIDE },
	{ "cairn sframe create", BESIDE },
	{ "cairn sframe merge", BESIDE },
	{ "cairn symbfile create", FINDS | BESIDE },
	{ "cairn symbfile fetch", FINDS | CACHE | NETWORK },
	{ "cairn symbfile lookup", CACHE },
	{ "cairn symbfile push", FINDS | NETWORK },
	{ "cairn symbfile serve", NETWORK },
	{ "cairn symbols write", FINDS },
	{ "cairn where", FINDS | CACHE },
	{ "cairn work", ALL }, /* its child confines itself */
};

struct option_rights {
	const char *name;
	unsigned kept;
	bool writes; /* its value */
};

static const struct option_rights options[] = {
	{ "output", 0, true },
	{ "dumpfile-output", 0, true },
	{ "pid", TRACE, false },
	{ "debuginfod", NETWORK | FETCHES, false },
	{ "symbols", FINDS, false }, /* these make `cbf` look for files */
	{ "tree", FINDS, false },
	{ "core", FINDS, false },
	{ "exe", FINDS, false },
	{ "directory", FINDS, false },
	{ "debug-file-directory", FINDS, false },
	{ "swift-core", FINDS, false },
};

/* What the C library and libcurl read to reach a server. */
static const char *const network_files[] = {
	"/etc/hosts",       "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf",
	"/etc/gai.conf",    "/etc/services",  "/etc/protocols",   "/etc/ssl",
	"/etc/localtime",   "/run/systemd",   "/usr/lib",         "/usr/share",
	"/etc/ld.so.cache", "/lib",           "/lib64",           "/dev/urandom",
};

static bool keeps_all;

/* The second phase, which is to come. */
static struct {
	bool is_due; /* the process is confined, and still opens files */
	bool finds;
	unsigned expected; /* files */
} phase;

void rights_keep_all(void)
{
	keeps_all = true;
}

bool rights_are_kept(void)
{
	return keeps_all;
}

/* Does the usage begin with the words of `verb`, and not merely with the same letters? */
static bool begins_with_words(const char *usage, const char *verb)
{
	size_t size = strlen(verb);

	return strncmp(usage, verb, size) == 0 && (usage[size] == ' ' || usage[size] == '\0');
}

struct rights rights_of(const char *usage)
{
	struct rights rights = { .kept = keeps_all ? ALL : 0 };

	for (size_t i = 0; i < COUNT(verbs); i++)
		if (begins_with_words(usage, verbs[i].verb))
			rights.kept |= verbs[i].kept;
	return rights;
}

static void take_read(struct rights *rights, const char *path)
{
	/* Landlock refuses to look into another process in this way, too */
	if (strncmp(path, "/proc/", 6) == 0)
		rights->kept |= TRACE;
	if (rights->paths < RIGHTS_PATHS_MAX)
		rights->path[rights->paths++] = path;
	else
		rights->kept |= FINDS;
}

void rights_take_operand(struct rights *rights, const char *word)
{
	if (!rights->operand)
		rights->operand = word;
	take_read(rights, word);
}

void rights_take_option(struct rights *rights, const char *name, const char *value)
{
	bool writes = false;

	for (size_t i = 0; i < COUNT(options); i++)
		if (strcmp(options[i].name, name) == 0) {
			rights->kept |= options[i].kept;
			writes = options[i].writes;
		}
	if (value && strcmp(name, "store") == 0) {
		rights->folder = value;
	} else if (value && !writes) {
		take_read(rights, value);
	} else if (value) {
		if (strcmp(value, "-") != 0 && rights->writes < COUNT(rights->written))
			rights->written[rights->writes++] = value;
		rights->kept &= ~(unsigned)BESIDE;
	}
}

static void allow_caches(struct sandbox *sandbox, unsigned kept)
{
	char folder[OS_CACHE_PATH];

	if ((kept & CACHE) && os_cache_folder(folder))
		sandbox_allow_write(sandbox, folder);
	/* libdebuginfod makes the folders above its own, too */
	if ((kept & FETCHES) && debuginfod_cache_folder(folder, sizeof(folder)))
		sandbox_allow_write(sandbox, folder);
}

/* Where verbs give endings to the name of an output, a folder of that name does not count. */
static void allow_output(struct sandbox *sandbox, const char *path)
{
	char other[OS_CACHE_PATH];
	struct stat about;
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		size--;
	sandbox_allow_write(sandbox, path);
	if (snprintf(other, sizeof(other), "%.*s.new", (int)size, path) < OS_CACHE_PATH &&
	    stat(path, &about) == 0 && S_ISDIR(about.st_mode))
		sandbox_allow_write(sandbox, other);
}

void rights_enter(struct rights *rights)
{
	struct sandbox sandbox;
	unsigned keep = (rights->kept & FINDS ? SANDBOX_READ_ALL : 0) |
	                (rights->kept & NETWORK ? SANDBOX_NETWORK : 0) |
	                (rights->kept & TRACE ? SANDBOX_TRACE : 0);

	if ((rights->kept & ALL) || !sandbox_is_possible())
		return;
	sandbox_begin(&sandbox, keep);
	if ((rights->kept & BESIDE) && rights->operand)
		sandbox_allow_write(&sandbox, rights->operand);
	for (unsigned i = 0; i < rights->paths; i++)
		sandbox_allow_read(&sandbox, rights->path[i]);
	for (unsigned i = 0; i < rights->writes; i++)
		allow_output(&sandbox, rights->written[i]);
	if (rights->socket)
		sandbox_allow_socket(&sandbox, rights->socket);
	if (rights->folder)
		sandbox_allow_write(&sandbox, rights->folder);
	for (size_t i = 0; (rights->kept & NETWORK) && i < COUNT(network_files); i++)
		sandbox_allow_read(&sandbox, network_files[i]);
	allow_caches(&sandbox, rights->kept);
	(void)sandbox_enter(&sandbox); /* a kernel without it changes no answer */
	phase.is_due = true;
	phase.finds = rights->kept & FINDS;
}

void rights_enter_server(const char *path, const char *folder)
{
	struct rights rights = { .kept = keeps_all ? ALL : NETWORK,
		                 .socket = path,
		                 .folder = folder };

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
