/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the memory of a process.  Always:
 *   - each array is told once, ascending, and its bytes can be read;
 *   - a value of the learnt class decodes as its kind says, with a frame when it is damaged;
 *   - images are bounded, and sorted;
 *   - blocks that overlap by a value find what one block finds.
 */
#include "fuzz.h"

#include "formats/cbf.h"
#include "formats/swift/swift.h"
#include "traces/swift_backtrace_scan.h"

#include <string.h>

enum { BASE = 0x1000, STEP = 64 };

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *memory = context;
	uint64_t offset = address - BASE;

	ALWAYS(size > 0);
	if (offset > memory->size || size > memory->size - offset)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory->data + offset, size);
	return CAIRN_OK;
}

static void check_bytes(struct swift_scan *f, const struct swift_scan_trace *trace)
{
	struct cairn_bytes bytes;
	struct cairn_frame run;
	bool has_frames = false;

	ALWAYS(swift_scan_read_bytes(f, trace, &bytes) == CAIRN_OK && bytes.size == trace->size);
	struct cbf cbf = cbf_open(bytes);
	while (cbf_next(&cbf, &run))
		has_frames = true;
	bool sound = !cbf_is_error(cbf.outcome);
	switch (trace->kind) {
	case SWIFT_SCAN_VALUE:
		ALWAYS(sound && trace->architecture && trace->copies > 0);
		break;
	case SWIFT_SCAN_DAMAGED:
		ALWAYS(!sound && has_frames && trace->architecture && trace->copies > 0);
		break;
	case SWIFT_SCAN_ARRAY:
		ALWAYS(!trace->architecture && trace->copies == 0);
		break;
	}
}

static void check_images(struct swift_scan *f, const struct swift_scan_trace *trace)
{
	struct loaded_images images;

	loaded_images_init(&images);
	enum cairn_status status = swift_scan_read_images(f, trace, &images);
	ALWAYS((trace->images == 0) == (status == CAIRN_NOT_FOUND));
	ALWAYS(images.count <= SWIFT_SCAN_IMAGES_MAX);
	for (size_t i = 1; i < images.count; i++)
		ALWAYS(images.item[i - 1].image.base <= images.item[i].image.base);
	loaded_images_finish(&images);
}

static void check_traces(struct swift_scan *f, size_t from)
{
	for (size_t i = from; i < f->count; i++) {
		const struct swift_scan_trace *t = &f->trace[i];
		ALWAYS(t->isa == f->isa && f->isa != 0);
		ALWAYS(i == from || t->array > f->trace[i - 1].array);
		check_bytes(f, t);
		check_images(f, t);
	}
}

/* The same memory in blocks that overlap, each a copy of just its size. */
static void scan_in_blocks(struct swift_scan *f, struct cairn_bytes memory)
{
	for (size_t at = 0; at < memory.size; at += STEP) {
		size_t left = memory.size - at, size = STEP + SWIFT_VALUE_SIZE;
		size = left < size ? left : size;
		uint8_t *copy = malloc(size);
		ALWAYS(copy != NULL);
		memcpy(copy, memory.data + at, size);
		ALWAYS(swift_scan_block(f, BASE + at, (struct cairn_bytes){ copy, size }) ==
		       CAIRN_OK);
		free(copy);
	}
	swift_scan_resolve(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes memory = { data ? data : (const uint8_t *)"", size };
	struct cairn_target target = { read_memory, &memory };
	struct swift_scan whole, parts;

	swift_scan_init(&whole, &target);
	swift_scan_init(&parts, &target);
	ALWAYS(swift_scan_block(&whole, BASE, memory) == CAIRN_OK);
	swift_scan_resolve(&whole);
	check_traces(&whole, 0);
	scan_in_blocks(&parts, memory);
	ALWAYS(parts.count == whole.count && parts.isa == whole.isa);
	for (size_t i = 0; i < whole.count; i++)
		ALWAYS(parts.trace[i].array == whole.trace[i].array);
	size_t values = whole.count;
	ALWAYS(swift_scan_block_arrays(&whole, BASE, memory) == CAIRN_OK);
	check_traces(&whole, values);
	swift_scan_finish(&whole);
	swift_scan_finish(&parts);
	return 0;
}
