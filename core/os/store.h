/* SPDX-License-Identifier: MIT */
/*
 * Manages stores of symbol files: determines the names under which a store provides a file, and
 * adds files atomically.
 */
#ifndef CAIRN_OS_STORE_H
#define CAIRN_OS_STORE_H

#include <cairn.h>

/*
 * The keys under which a symbol file is stored. A key is the path that debuginfod or Breakpad
 * clients request, so any web server or object store can serve the directory. The keys are derived
 * from the contents, which are validated first, so that no file is provided under a wrong key.
 *
 *	buildid/ID/debuginfo    an ELF file with DWARF
 *	buildid/ID/executable   an ELF file with code; a file with code and DWARF has both keys
 *	buildid/ID/sframe       an ELF file that has .sframe and no code
 *	buildid/ID/gsym         a GSYM file
 *	NAME/DEBUGID/NAME.sym   a Breakpad file; the file name omits .pdb if NAME ends in it
 *
 *	struct store_keys keys;
 *	if (store_keys_read(bytes, &keys, &fault) == CAIRN_OK)
 *		... keys.key[0] to keys.key[keys.count - 1]
 */

enum {
	STORE_KEYS_MAX = 2,
	/* capacity for a key, including the NUL; a key contains the module name twice */
	STORE_KEY_CAPACITY = 640,
	STORE_NAME_MAX = 255, /* maximum size of a component in a key, the limit of file systems */
};

struct store_keys {
	char key[STORE_KEYS_MAX][STORE_KEY_CAPACITY];
	size_t count;
};

/*
 * Read the keys of a file. Returns NOT_FOUND if the file does not identify its build, and
 * MALFORMED, TRUNCATED or UNSUPPORTED with a description in *fault if the file is invalid.
 */
enum cairn_status store_keys_read(struct cairn_bytes file, struct store_keys *keys,
                                  struct cairn_fault *fault);

/* suffix that turns an ELF file's name into the name of its split-DWARF package */
#define STORE_PACKAGE ".dwp"

bool store_is_package(struct cairn_bytes file);

/*
 * A store in a directory. Files appear in it atomically, its contents can be enumerated, and
 * several processes may add files concurrently.
 *
 *	int error = store_put(directory, key, bytes, false, &outcome);
 *	error = store_walk(directory, visit, context);
 */

enum store_outcome {
	STORE_ADDED,
	STORE_SAME, /* a file with the same bytes exists */
	STORE_REPLACED,
	STORE_DIFFERS, /* a file with different bytes exists and has been kept */
};

/*
 * Add a file. Replaces an existing file with different bytes only if `replace` is set. Returns 0 or
 * an errno value.
 */
CAIRN_MUST_USE int store_put(const char *directory, const char *key, struct cairn_bytes bytes,
                             bool replace, enum store_outcome *outcome);

/*
 * Call visit() for each file with its path relative to the directory. The path is the file's key
 * unless the file is not exactly three levels deep. Returns 0 or the errno value from opening
 * `directory`.
 */
CAIRN_MUST_USE int store_walk(const char *directory, void (*visit)(void *context, const char *path),
                              void *context);

#endif
