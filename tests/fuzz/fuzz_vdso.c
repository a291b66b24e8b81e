/* SPDX-License-Identifier: MIT */
/*
 * The vDSO of a core is what the core holds: any bytes, in which names are looked up.
 * Always:
 *   - there are no more locations than asked for, and the last one is not inlined;
 *   - a function begins at or below the address, and texts have a place;
 *   - after all was given back, and read again, the answers are the same.
 */
#include "fuzz.h"

#include "base/target_memory.h"
#include "debuginfo/address_functions.h"
#include "process/snapshot/snapshot_modules.h"

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

struct answer {
	uint64_t va;
	size_t sum;
};

static void check_answer(void *context, size_t index, const struct cairn_symbol_found *found)
{
	struct answer *answer = context;

	ALWAYS(index == 0 && found->count > 0 && found->count <= found->all);
	for (size_t i = 0; i < found->count; i++) {
		const struct cairn_location *l = &found->locations[i];
		ALWAYS(l->function.data && l->file.data && l->directory.data);
		ALWAYS(l->start + l->offset == answer->va && l->start <= answer->va);
		ALWAYS(l->inlined == (i + 1 < found->count));
		for (size_t k = 0; k < l->function.size; k++)
			answer->sum = 31 * answer->sum + l->function.data[k];
		answer->sum = 31 * answer->sum + l->line;
	}
}

static size_t find_names(struct address_functions *names, uint64_t va)
{
	struct answer answer = { va, 0 };
	const struct cairn_symbol_taker sink = { check_answer, &answer };

	address_functions_find(names, &va, 1, &sink);
	return answer.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sums[ADDRESSES];
	uint8_t *image = copy_image((struct cairn_bytes){ data, size }, &size);

	if (!image)
		return 0;
	const struct cairn_bytes bytes = { image, size }, none = { data, 0 };
	const struct address_files files = {
		.own = bytes, .debug = bytes, .alt = none, .split = { .package = none }
	};
	for (unsigned round = 0; round < 2; round++) {
		struct address_functions *names = address_functions_open(&files);
		ALWAYS(names);
		for (size_t i = 0; i < ADDRESSES; i++) {
			const size_t sum = find_names(names, i * (size / ADDRESSES + 1));
			ALWAYS(round == 0 || sum == sums[i] || address_functions_flaw(names));
			sums[i] = sum;
		}
		address_functions_close(names);
	}
	free(image);
	return 0;
}
