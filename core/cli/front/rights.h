/* SPDX-License-Identifier: MIT */
/*
 * Restricts a process to the rights of its verb plus the rights that its options and operands
 * imply. options_parse() enters the sandbox before any input is read, because input may be hostile.
 * docs/SECURITY.md lists the rights, and tests/cli/front/sandbox.sh compares that list with what
 * each verb can do.
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
 * Rights that a process keeps when it confines itself. A verb without any may only read the files
 * that its command line names.
 */
enum right {
	RIGHT_ALL = 1 << 0,   /* not confined, or confines its own children */
	RIGHT_FINDS = 1 << 1, /* read any file, because input names further files */
	RIGHT_CACHE = 1 << 2, /* write to cairn's cache */
	/* connect to servers, and read the resolver and TLS configuration */
	RIGHT_NETWORK = 1 << 3,
	RIGHT_TRACE = 1 << 4,   /* inspect other processes */
	RIGHT_FETCHES = 1 << 5, /* write to libdebuginfod's cache */
	RIGHT_BESIDE = 1 << 6,  /* write beside the first operand if no option names the output */

	RIGHT_OUTPUT = 1 << 7,    /* option: write to the file that is its value */
	RIGHT_STORE = 1 << 8,     /* option: write below the directory that is its value */
	RIGHT_DIRECTORY = 1 << 9, /* option: warn if its value is not a directory */
};

/* Paths remembered until the options are parsed. If there are more, the verb may read any file. */
enum { RIGHTS_PATHS_MAX = 1024 };

struct rights {
	unsigned kept;
	const char *path[RIGHTS_PATHS_MAX];
	unsigned paths;
	const char *folder; /* directory a verb or server may write below; may be NULL */
	const char *operand;
	const char *socket; /* path of the server's local socket; may be NULL */
	const char *written[4];
	unsigned writes;
};

/* Option before the verb that disables the sandbox. */
#define RIGHTS_KEPT "--no-sandbox"

void rights_keep_all(void);
bool rights_are_kept(void);

/* Return the initial rights of a verb (enum right), or RIGHT_ALL if RIGHTS_KEPT was given. */
struct rights rights_of(unsigned kept);

/* Add the rights of an option and of its value, which may be NULL. */
void rights_take_option(struct rights *rights, unsigned kept, const char *value);

void rights_take_operand(struct rights *rights, const char *word);
void rights_enter(struct rights *rights);

/*
 * Confine a server or a process that fetches files. It keeps the network, may create and remove its
 * socket at `path`, and may write below `folder`; both may be NULL. A server calls this after
 * starting its worker processes and while it still has a single thread.
 */
void rights_enter_server(const char *path, const char *folder);

/*
 * Announce how many more files the verb will open. input_open() counts them, and after the last one
 * the process gives up the right to open any file. A verb that opens the files of its command line
 * calls this after options_parse(); 0 means that no more files will be opened.
 */
void rights_expect_files(unsigned count);
void rights_count_file(void);

/*
 * End the search of a verb that looks for further files. It opens no more files, unless
 * rights_expect_files() announced more than one.
 */
void rights_end_search(void);

#endif
