/* SPDX-License-Identifier: MIT */
/*
 * Restricts a process to the rights of its verb plus the rights that its options and operands
 * imply. options_parse() enters the sandbox before any input is read, because input may be hostile.
 * docs/SECURITY.md lists each verb's rights, and tests/cli/front/sandbox.sh verifies that list.
 *
 *	struct rights rights = rights_of(RIGHT_FINDS | RIGHT_BESIDE);
 *	rights_take_option(&rights, RIGHT_OUTPUT, "a.gsym");
 *	rights_take_operand(&rights, "a.elf");
 *	rights_enter(&rights);
 */
#ifndef CAIRN_CLI_FRONT_RIGHTS_H
#define CAIRN_CLI_FRONT_RIGHTS_H

#include <stdbool.h>

/*
 * Rights that a process keeps in its sandbox. Without any of them, a verb may only read the files
 * on its command line.
 */
enum right {
	/* no sandbox, for verbs that need everything or confine their own children */
	RIGHT_ALL = 1 << 0,
	RIGHT_FINDS = 1 << 1, /* read any file, because the input may refer to further files */
	RIGHT_CACHE = 1 << 2, /* write to cairn's cache */
	/* connect to servers, and read the configuration of the resolver and of TLS */
	RIGHT_NETWORK = 1 << 3,
	RIGHT_TRACE = 1 << 4,
	RIGHT_FETCHES = 1 << 5, /* write to libdebuginfod's cache */
	/* write files beside the first operand unless an option specifies the output */
	RIGHT_BESIDE = 1 << 6,

	RIGHT_OUTPUT = 1 << 7,    /* options only: write to the file named by the value */
	RIGHT_STORE = 1 << 8,     /* options only: write below the directory named by the value */
	RIGHT_DIRECTORY = 1 << 9, /* options only: warn if the value is not a directory */
};

/*
 * Maximum number of paths remembered until the options are parsed. If there are more, the verb may
 * read any file.
 */
enum { RIGHTS_PATHS_MAX = 1024 };

struct rights {
	unsigned kept;
	const char *path[RIGHTS_PATHS_MAX];
	unsigned paths;
	const char *directory; /* directory below which a verb or server may write; may be NULL */
	const char *operand;
	const char *socket; /* path of the server's local socket; may be NULL */
	const char *written[4];
	unsigned writes;
};

#define RIGHTS_KEPT "--no-sandbox"

void rights_keep_all(void);
bool rights_are_kept(void);

/* Return a verb's initial rights, a combination of enum right, or RIGHT_ALL with --no-sandbox. */
struct rights rights_of(unsigned kept);

/* Add the rights implied by an option with this value, which may be NULL. */
void rights_take_option(struct rights *rights, unsigned kept, const char *value);

void rights_take_operand(struct rights *rights, const char *word);
void rights_enter(struct rights *rights);

/*
 * Confine a server or a process that fetches files. It keeps network access, may create and remove
 * its socket at `path`, and may write below `directory`; both may be NULL. A server must call this
 * after starting its worker processes, while it has only one thread.
 */
void rights_enter_server(const char *path, const char *directory);

/*
 * Announce how many more files the verb will open. input_open() counts them, and the process gives
 * up the right to open files after the last one. If `count` is 0, it gives up this right
 * immediately. Verbs that open only files from the command line call this after options_parse().
 */
void rights_expect_files(unsigned count);
void rights_count_file(void);

/*
 * Announce the end of the search in a verb that searches for further files. The process then gives
 * up the right to open files, unless rights_expect_files() has announced more than one.
 */
void rights_end_search(void);

#endif
