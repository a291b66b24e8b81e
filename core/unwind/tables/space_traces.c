/* SPDX-License-Identifier: MIT */
/* Searches a space for Swift backtraces, and reads the backtraces and images found. */
#include "modules.h"

#include "base/memory.h"
#include "base/target_memory.h"
#include "formats/cbf.h"
#include "formats/swift/swift.h"

#include <stdlib.h>

enum {
	BLOCK = 1 << 18,
	PAGE = 4096,
	FIRST_READ = 4096, /* most backtraces are a few hundred bytes long */
	INSTRUCTION_MAX = 33,
};

static struct space_traces *traces_of(struct cairn_space *space)
{
	if (!space->traces) {
		struct space_traces *traces = calloc(1, sizeof(*traces));
		if (!traces)
			return NULL;
		swift_scan_init(&traces->finder, &space->target);
		loaded_images_init(&traces->images);
		space->traces = traces;
	}
	return space->traces;
}

void space_traces_free(struct space_traces *traces)
{
	if (!traces)
		return;
	swift_scan_finish(&traces->finder);
	loaded_images_finish(&traces->images);
	free(traces->block);
	free(traces->bytes);
	free(traces);
}

enum cairn_status cairn_trace_search_begin(struct cairn_space *space)
{
	struct space_traces *traces = traces_of(space);

	if (!traces)
		return CAIRN_NO_MEMORY;
	swift_scan_finish(&traces->finder);
	traces->holes = 0;
	if (!traces->block)
		traces->block = malloc(BLOCK);
	return traces->block ? CAIRN_OK : CAIRN_NO_MEMORY;
}

typedef enum cairn_status scan_block(struct swift_scan *finder, uint64_t address,
                                     struct cairn_bytes block);

/* Scan a range block by block. Blocks overlap so that every value is completely in one block. */
static enum cairn_status scan_range_in_blocks(struct cairn_space *space, struct cairn_range range,
                                              scan_block *take)
{
	struct space_traces *traces = space->traces;
	enum cairn_status status = CAIRN_OK;
	uint64_t at = range.low;

	while (status == CAIRN_OK && at < range.high &&
	       traces->holes < CAIRN_TRACE_SEARCH_HOLES_MAX) {
		uint64_t left = range.high - at;
		size_t want = left < BLOCK ? (size_t)left : BLOCK;
		size_t got = memory_read_some(&space->target, at, traces->block, want);
		if (got > 0)
			status = take(&traces->finder, at,
			              (struct cairn_bytes){ traces->block, got });
		if (got == want && want == left)
			break;
		if (got == want) {
			at += got - SWIFT_VALUE_SIZE;
			continue;
		}
		at = (at + got + PAGE) & -(uint64_t)PAGE;
		traces->holes++;
		if (at < PAGE)
			break;
	}
	return status == CAIRN_OK && traces->holes == CAIRN_TRACE_SEARCH_HOLES_MAX
	               ? CAIRN_UNSUPPORTED
	               : status;
}

enum cairn_status cairn_trace_search_scan(struct cairn_space *space, struct cairn_range range)
{
	return scan_range_in_blocks(space, range, swift_scan_block);
}

void cairn_trace_search_resolve(struct cairn_space *space)
{
	swift_scan_resolve(&space->traces->finder);
}

enum cairn_status cairn_trace_search_scan_arrays(struct cairn_space *space,
                                                 struct cairn_range range)
{
	return scan_range_in_blocks(space, range, swift_scan_block_arrays);
}

bool cairn_trace_search_is_incomplete(const struct cairn_space *space)
{
	return space->traces && space->traces->finder.gave_up;
}

static struct cairn_found_trace found_of(const struct swift_scan_trace *trace)
{
	static const enum cairn_found_trace_kind kinds[] = {
		[SWIFT_SCAN_VALUE] = CAIRN_FOUND_TRACE_VALUE,
		[SWIFT_SCAN_DAMAGED] = CAIRN_FOUND_TRACE_DAMAGED,
		[SWIFT_SCAN_ARRAY] = CAIRN_FOUND_TRACE_ARRAY,
	};

	return (struct cairn_found_trace){ kinds[trace->kind], trace->array,  trace->size,
		                           trace->isa,         trace->images, trace->copies,
		                           trace->architecture };
}

bool cairn_trace_search_next(struct cairn_space *space, size_t *at, struct cairn_found_trace *found)
{
	if (!space->traces || *at >= space->traces->finder.count)
		return false;
	*found = found_of(&space->traces->finder.trace[(*at)++]);
	return true;
}

enum cairn_status cairn_found_trace_at(struct cairn_space *space, uint64_t address,
                                       struct cairn_found_trace *found)
{
	uint8_t memory[SWIFT_VALUE_SIZE], header[SWIFT_ARRAY_HEADER];
	const struct cairn_bytes block = { memory, sizeof(memory) };
	struct swift_value value;
	struct swift_array array;
	size_t at = 0;

	if (!memory_read(&space->target, address, memory, sizeof(memory)))
		return CAIRN_UNREADABLE;
	if (!swift_next_value(block, &at, &value) || value.offset != 0)
		return CAIRN_NOT_FOUND;
	if (!memory_read(&space->target, value.array, header, sizeof(header)))
		return CAIRN_UNREADABLE;
	if (!swift_array(header, &array) || array.count > SWIFT_SCAN_BYTES_MAX)
		return CAIRN_NOT_FOUND;
	*found = (struct cairn_found_trace){
		CAIRN_FOUND_TRACE_VALUE, value.array, array.count, array.isa, value.images, 1,
		value.architecture
	};
	return CAIRN_OK;
}

static enum cairn_status read_trace_bytes(struct cairn_space *space, uint64_t address,
                                          uint64_t size, struct cairn_bytes *bytes)
{
	struct space_traces *traces = traces_of(space);

	if (size > CAIRN_TRACE_BYTES_MAX)
		return CAIRN_UNSUPPORTED;
	if (!traces || !array_grow(&traces->bytes, &traces->capacity, (size_t)size, 1))
		return CAIRN_NO_MEMORY;
	if (memory_read_some(&space->target, address, traces->bytes, (size_t)size) < size)
		return CAIRN_UNREADABLE;
	*bytes = (struct cairn_bytes){ traces->bytes, (size_t)size };
	return CAIRN_OK;
}

enum cairn_status cairn_found_trace_bytes(struct cairn_space *space,
                                          const struct cairn_found_trace *found,
                                          struct cairn_bytes *bytes)
{
	return read_trace_bytes(space, found->array + SWIFT_ARRAY_HEADER, found->size, bytes);
}

/* Return true if the backtrace ends within these bytes, and shorten *bytes to the backtrace. */
static bool trim_to_whole_trace(struct cairn_bytes *bytes)
{
	struct cbf cbf = cbf_open(*bytes);
	struct cairn_frame run;

	while (cbf_next(&cbf, &run))
		continue;
	if (cbf.outcome == CBF_EOF || cbf.outcome == CBF_SHORT)
		return false;
	size_t used = cbf_is_error(cbf.outcome) ? cbf.at + INSTRUCTION_MAX : cbf.at;
	bytes->size = used < bytes->size ? used : bytes->size;
	return true;
}

/* Double the number of bytes until the backtrace is complete or no more can be read. */
static enum cairn_status read_until_whole(struct cairn_space *space, uint64_t address,
                                          struct cairn_bytes *bytes)
{
	struct space_traces *traces = traces_of(space);
	size_t have = 0, want = FIRST_READ;
	bool done = false;

	while (!done) {
		if (!traces || !array_grow(&traces->bytes, &traces->capacity, want, 1))
			return CAIRN_NO_MEMORY;
		have += memory_read_some(&space->target, address + have, traces->bytes + have,
		                         want - have);
		if (have == 0)
			return CAIRN_UNREADABLE;
		*bytes = (struct cairn_bytes){ traces->bytes, have };
		done = trim_to_whole_trace(bytes) || have < want || want == CAIRN_TRACE_BYTES_MAX;
		want *= 2;
	}
	return CAIRN_OK;
}

enum cairn_status cairn_trace_read(struct cairn_space *space, uint64_t address, uint64_t size,
                                   struct cairn_bytes *bytes)
{
	return size ? read_trace_bytes(space, address, size, bytes)
	            : read_until_whole(space, address, bytes);
}

enum cairn_status cairn_found_trace_images(struct cairn_space *space,
                                           const struct cairn_found_trace *found, size_t *count)
{
	struct space_traces *traces = traces_of(space);
	const struct swift_scan_trace trace = { .array = found->array,
		                                .size = found->size,
		                                .images = found->images };

	if (!traces)
		return CAIRN_NO_MEMORY;
	loaded_images_finish(&traces->images);
	enum cairn_status status = swift_scan_read_images(&traces->finder, &trace, &traces->images);
	*count = traces->images.count;
	return status;
}

bool cairn_found_trace_image(const struct cairn_space *space, uint64_t pc,
                             struct cairn_image *image)
{
	const struct loaded_image *item =
		space->traces ? loaded_images_find(&space->traces->images, pc) : NULL;

	if (!item)
		return false;
	*image = (struct cairn_image){ item->image.base, item->image.end, item->image.build_id,
		                       item->image.path, imagemap_name(item->image.path) };
	return true;
}
