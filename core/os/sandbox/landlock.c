/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Landlock by its three system calls: which files this process may still open, and how. */
#include "landlock.h"

#include "sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights of versions newer than the headers that cairn may be built with. */
#define ACCESS_REFER (1ULL << 13)    /* version 2: a file may change its folder */
#define ACCESS_TRUNCATE (1ULL << 14) /* version 3 */
#define ACCESS_VERSION_1 ((1ULL << 13) - 1)
#define ACCESS_TCP 3ULL /* version 4: bind and connect */

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE)
#define WRITE                                                                       \
	(WRITE_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |             \
	 LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_REFER)

#define SOCKET (LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE)

enum { PATH_ROOM = 4096 };

/* All that this version of Landlock can refuse. */
static uint64_t list_accesses(int version)
{
	uint64_t accesses = ACCESS_VERSION_1;

	if (version >= 2)
		accesses |= ACCESS_REFER;
	if (version >= 3)
		accesses |= ACCESS_TRUNCATE;
	return accesses;
}

int landlock_version(void)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

int landlock_begin(int version, bool network)
{
	const struct {
		uint64_t files, network; /* old headers do not know the second */
	} handled = { list_accesses(version), network ? 0 : ACCESS_TCP };
	size_t size = version >= 4 ? sizeof(handled) : sizeof(handled.files);

	return (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
}

/* The file or folder that `fd` refers to, and what is below it. */
static void add_rule(int rules, int version, int fd, uint64_t accesses)
{
	struct landlock_path_beneath_attr rule = { .allowed_access =
		                                           accesses & list_accesses(version),
		                                   .parent_fd = fd };
	struct stat about;

	if (fstat(fd, &about) == 0 && !S_ISDIR(about.st_mode))
		rule.allowed_access &= WRITE_FILE;
	/* pipes and sockets have no path, and Landlock does not check them */
	(void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static void allow_path(const struct sandbox *sandbox, const char *path, uint64_t accesses)
{
	int fd = sandbox->rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;

	if (fd >= 0) {
		add_rule(sandbox->rules, sandbox->version, fd, accesses);
		close(fd);
	}
}

void sandbox_allow_read(struct sandbox *sandbox, const char *path)
{
	allow_path(sandbox, path, READ);
}

/* The folder that `path` is in. */
static void cut_last_part(char path[PATH_ROOM])
{
	char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(path, ".");
	else
		slash[slash == path] = '\0';
}

/* Neither a file that is replaced by another of its folder, nor one that does not exist yet. */
static bool is_written_in_place(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

void sandbox_allow_write(struct sandbox *sandbox, const char *path)
{
	char place[PATH_ROOM];

	if (snprintf(place, sizeof(place), "%s", path) >= (int)sizeof(place))
		return;
	while (!is_written_in_place(place) && strcmp(place, "/") != 0 && strcmp(place, ".") != 0)
		cut_last_part(place);
	allow_path(sandbox, place, WRITE);
}

void sandbox_allow_socket(struct sandbox *sandbox, const char *path)
{
	char place[PATH_ROOM];

	if (snprintf(place, sizeof(place), "%s", path) >= (int)sizeof(place))
		return;
	cut_last_part(place);
	allow_path(sandbox, place, SOCKET);
}

bool landlock_enter(int rules)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}
