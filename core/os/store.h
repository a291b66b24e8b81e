/* SPDX-License-Identifier: MIT */
/*
 * Stores of symbol files: the names that a file has in a store, and putting it there completely
 * or not at all.
 */
#ifndef CAIRN_OS_STORE_H
#define CAIRN_OS_STORE_H

#include <cairn.h>

/*
 * The keys under which a symbol file is stored. They are the paths that debuginfod and Breakpad
 * clients request, so any web server or object store can serve the directory. They are derived from
 * the file's contents, which are validated so that a file is never found under a wrong key.
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

enum {
	STORE_KEYS_MAX = 2,
	STORE_KEY_ROOM = 640, /* bytes including the NUL; the module name occurs twice */
	STORE_NAME_MAX = 255, /* bytes in one part of a key, the limit of file systems */
};

struct store_keys {
	char key[STORE_KEYS_MAX][STORE_KEY_ROOM];
	size_t count;
};

/*
 * Read the keys of a file. Returns NOT_FOUND if it does not identify its build; MALFORMED,
 * TRUNCATED or UNSUPPORTED with a description in *fault.
 */
enum cairn_status store_keys_read(struct cairn_bytes file, struct store_keys *keys,
                                  struct cairn_fault *fault);

/* Suffix added to the name of an ELF file for its package of split DWARF. */
#define STORE_PACKAGE ".dwp"

bool store_is_package(struct cairn_bytes file);

/*
 * A store in a directory. Files appear in it atomically, and its contents can be enumerated. Two
 * processes may add files at a time.
 *
 *	int error = store_put(directory, key, bytes, false, &outcome);
 *	error = store_walk(directory, visit, context);
 */

enum store_outcome {
	STORE_ADDED,
	STORE_SAME, /* the same bytes exist */
	STORE_REPLACED,
	STORE_DIFFERS, /* other bytes exist and are kept */
};

/*
 * Add a file. Existing files with other bytes are replaced only if `replace` is set. Returns 0 or
 * an errno value.
 */
CAIRN_MUST_USE int store_put(const char *directory, const char *key, struct cairn_bytes bytes,
                             bool replace, enum store_outcome *outcome);

/*
 * Call visit() for each file with its path relative to the directory, such as a key. Files that are
 * not three names deep, and so have no key, are visited too. Returns 0 or the errno value of
 * opening `directory`.
 */
CAIRN_MUST_USE int store_walk(const char *directory, void (*visit)(void *context, const char *path),
                              void *context);

#endif
