/* SPDX-License-Identifier: MIT */
/*
 * The vDSO of a core is what the core holds: any bytes, in which names are looked up by libelf and libdw.
 * Always:
 *   - there are no more locations than asked for, and the last one is not inlined;
 *   - a function begins at or below the address, and texts have a place;
 *   - after all was given back, and read again, the answers are the same.
 */
#include "fuzz.h"

#include "debuginfo/lookup/names.h"
#include "process/snapshot/vdso_image.h"
#include "unwind/target/memory.h"

#include <string.h>

enum { LOW = 0x70000, ADDRESSES = 32 };

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *bytes = context;
	uint64_t at = address - LOW;

	if (at > bytes->size || size > bytes->size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, bytes->data + at, size);
	return CAIRN_OK;
}

/* The same copy of the image that `cairn bt` makes; NULL: it takes none. */
static uint8_t *copy_image(struct cairn_bytes bytes, size_t *size)
{
	struct snapshot_mapping mapping = { .low = LOW, .high = LOW + bytes.size };
	struct snapshot_module module = { .path = { (const uint8_t *)"[vdso]", 6 },
		                          .low = LOW,
		                          .high = LOW + bytes.size };
	struct snapshot snapshot = { .mappings = &mapping,
		                     .mapping_count = bytes.size > 0,
		                     .memory = { .context = &bytes, .read_memory = read_memory } };

	*size = vdso_image_size(&snapshot, &module);
	ALWAYS(*size == (bytes.size <= VDSO_IMAGE_MAX ? bytes.size : 0));
	uint8_t *copy = *size ? malloc(*size) : NULL;
	if (copy)
		ALWAYS(memory_read(&snapshot.memory, LOW, copy, *size));
	return copy;
}

static size_t find_names(struct debuginfo_names *names, uint64_t va)
{
	static struct cairn_location found[DEBUGINFO_LOCATIONS];
	size_t count = debuginfo_names_find(names, va, found), sum = 0;
	struct cairn_location symbol;

	ALWAYS(count <= DEBUGINFO_LOCATIONS);
	for (size_t i = 0; i < count; i++) {
		ALWAYS(found[i].function.data && found[i].file.data && found[i].directory.data);
		ALWAYS(found[i].start + found[i].offset == va && found[i].start <= va);
		ALWAYS(found[i].inlined == (i + 1 < count));
		for (size_t k = 0; k < found[i].function.size; k++)
			sum = 31 * sum + found[i].function.data[k];
		sum = 31 * sum + found[i].line;
	}
	if (debuginfo_names_symbol(names, va, &symbol))
		ALWAYS(symbol.start <= va && symbol.function.size > 0);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sums[ADDRESSES];
	const char *why = NULL;
	uint8_t *image = copy_image((struct cairn_bytes){ data, size }, &size);
	struct debuginfo_names *names =
		image ? debuginfo_names_open((struct cairn_bytes){ image, size }, &why) : NULL;

	ALWAYS(names || !image || why);
	for (size_t i = 0; names && i < ADDRESSES; i++)
		sums[i] = find_names(names, i * (size / ADDRESSES + 1));
	bool whole = names && !debuginfo_names_cut(names);
	if (names)
		debuginfo_names_release(names);
	for (size_t i = 0; whole && i < ADDRESSES; i++)
		ALWAYS(find_names(names, i * (size / ADDRESSES + 1)) == sums[i]);
	debuginfo_names_close(names);
	free(image);
	return 0;
}
