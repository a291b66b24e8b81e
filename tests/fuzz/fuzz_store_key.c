/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file that is put into a store.  Always:
 *   - what has names is of a kind that has, and each name is three parts of a path, none of which is hidden, empty, or leads up;
 *   - what has none has a fault;
 *   - the same file has the same names again.
 */
#include "fuzz.h"

#include "os/store.h"

#include <string.h>

static void check_key(const char *key)
{
	unsigned parts = 0;

	for (const char *at = key; at; parts++) {
		const size_t size = strcspn(at, "/");
		ALWAYS(size > 0 && size <= STORE_NAME_MAX && at[0] != '.');
		at = at[size] == '/' ? at + size + 1 : NULL;
	}
	ALWAYS(parts == 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes file = { data ? data : (const uint8_t *)"", size };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct store_keys keys, again;
	const enum cairn_status status = store_keys_read(file, &keys, &fault);

	ALWAYS((status == CAIRN_OK) == (keys.count > 0) && keys.count <= STORE_KEYS_MAX);
	ALWAYS(status == CAIRN_OK || fault.what != NULL);
	ALWAYS(store_keys_read(file, &again, &fault) == status && again.count == keys.count);
	for (size_t i = 0; i < keys.count; i++) {
		check_key(keys.key[i]);
		ALWAYS(strcmp(keys.key[i], again.key[i]) == 0);
	}
	return 0;
}
