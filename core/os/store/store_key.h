/* SPDX-License-Identifier: MIT */
/*
 * The names that a file of symbols has in a store: those that clients of debuginfod and of Breakpad ask for, so that any web server or object
 * store that has the folder serves them. They come from the file itself, which is checked: a name by which it is found must be true.
 *
 *	buildid/ID/debuginfo    an ELF file with DWARF
 *	buildid/ID/executable   an ELF file with its code; one that has both has both names
 *	buildid/ID/sframe       an ELF file that has .sframe and no code
 *	buildid/ID/gsym         a GSYM file
 *	NAME/DEBUGID/NAME.sym   a Breakpad file; NAME.pdb is NAME.sym
 *
 *	struct store_keys keys;
 *	if (store_keys_read(bytes, &keys, &fault) == CAIRN_OK)
 *		... keys.key[0] to keys.key[keys.count - 1]
 */
#ifndef CAIRN_OS_STORE_STORE_KEY_H
#define CAIRN_OS_STORE_STORE_KEY_H

#include <cairn.h>

enum {
	STORE_KEYS_MAX = 2,   /* of a file */
	STORE_KEY_ROOM = 640, /* bytes, with the NUL: a module's name comes twice */
	STORE_NAME_MAX = 255, /* bytes of a part of a key, as file systems have it */
};

struct store_keys {
	char key[STORE_KEYS_MAX][STORE_KEY_ROOM];
	size_t count;
};

/* MALFORMED, TRUNCATED or UNSUPPORTED with a fault: what is wrong with the file; NOT_FOUND: it does not say of which build it is. */
enum cairn_status store_keys_read(struct cairn_bytes file, struct store_keys *keys,
                                  struct cairn_fault *fault);

/* Follows the name of an ELF file for its package of split DWARF. */
#define STORE_PACKAGE ".dwp"

bool store_is_package(struct cairn_bytes file);

#endif
