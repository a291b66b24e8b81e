/* SPDX-License-Identifier: MIT */
/*
 * The rights that a process keeps: those of its verb, and what the options and operands add that were
 * given.  options_parse() calls this, after which input may be hostile.  docs/SECURITY.md lists them, and tests/cli/front/sandbox.sh
 * compares the list with what each verb can do.
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
 * What a process keeps when its options are known and it confines itself, before it reads input. A verb without any reads what its
 * command line names, and nothing else; its options may add to that.
 */
enum right {
	RIGHT_ALL = 1 << 0,     /* not confined, or confines its children itself */
	RIGHT_FINDS = 1 << 1,   /* read any file, because input names further files */
	RIGHT_CACHE = 1 << 2,   /* write into the cache */
	RIGHT_NETWORK = 1 << 3, /* reach servers, and read what tells the C library about them */
	RIGHT_TRACE = 1 << 4,   /* look into processes */
	RIGHT_FETCHES = 1 << 5, /* write into the cache of libdebuginfod */
	RIGHT_BESIDE = 1 << 6,  /* write beside the first operand if no option names the output */

	RIGHT_OUTPUT = 1 << 7,    /* of an option: write to its value */
	RIGHT_STORE = 1 << 8,     /* of an option: write below its value */
	RIGHT_DIRECTORY = 1 << 9, /* of an option: warn if its value is no directory */
};

/* Words that are kept until the last option is known; more of them are too many to name, and then the
   verb may read any file. */
enum { RIGHTS_PATHS_MAX = 1024 };

struct rights {
	unsigned kept; /* enum right */
	const char *path[RIGHTS_PATHS_MAX];
	unsigned paths;
	const char *folder;     /* of a server */
	const char *operand;    /* the first one */
	const char *socket;     /* of the local kind, at which a server listens */
	const char *written[4]; /* what options name */
	unsigned writes;
};

/* The option before the verb after which nothing is taken. */
#define RIGHTS_KEPT "--no-sandbox"

void rights_keep_all(void);
bool rights_are_kept(void);

/* Begin with the rights of a verb, enum right; with RIGHTS_KEPT on the command line these are all. */
struct rights rights_of(unsigned kept);

/* Add the rights of an option, and its value, which may be NULL. */
void rights_take_option(struct rights *rights, unsigned kept, const char *value);

void rights_take_operand(struct rights *rights, const char *word);
void rights_enter(struct rights *rights);

/*
 * The same for a server that has started the processes which read files, and has one thread yet, or for a process that
 * fetches files: it keeps the network, and may make and remove its socket at `path`, and write below `folder`; both
 * may be NULL.
 */
void rights_enter_server(const char *path, const char *folder);

/*
 * The second phase: with its last file open a verb gives up opening any.  A verb that opens what its command line
 * names tells how many files that are, after options_parse(); input_open() counts them.  0: it opens none from now on.
 */
void rights_expect_files(unsigned count);
void rights_count_file(void);

/* The same for a verb that looks for further files: it has them all, unless rights_expect_files() announced more. */
void rights_end_search(void);

#endif
