/* SPDX-License-Identifier: MIT */
/*
 * What each verb keeps of the rights of its process: a table in rights.c, and the options and operands
 * that were given.  options_parse() calls this, after which input may be hostile.
 *
 *	struct rights rights = rights_of("cairn gsym create [OPTION...] INPUT");
 *	rights_take_option(&rights, "output", "a.gsym");
 *	rights_take_operand(&rights, "a.elf");
 *	rights_enter(&rights);
 */
#ifndef CAIRN_CLI_FRONT_RIGHTS_H
#define CAIRN_CLI_FRONT_RIGHTS_H

#include <stdbool.h>

/* Words that are kept until the last option is known; more of them are too many to name, and then the
   verb may read any file. */
enum { RIGHTS_PATHS_MAX = 1024 };

struct rights {
	unsigned kept; /* enum verb_right of rights.c */
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

/* `usage` begins with the words of the verb. */
struct rights rights_of(const char *usage);

/* `value` may be NULL. */
void rights_take_option(struct rights *rights, const char *name, const char *value);

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
