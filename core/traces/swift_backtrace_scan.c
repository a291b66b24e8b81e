/* SPDX-License-Identifier: MIT */
/*
 * Scans memory for Swift Backtrace values, validates the byte arrays that they refer to, and reads
 * their images.
 */
#include "swift_backtrace_scan.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "formats/cbf.h"
#include "formats/swift/swift.h"

#include <stdlib.h>
#include <string.h>

enum {
	INFO_64_BIT = 2, /* info byte of a backtrace from a 64-bit process */
	DECODES_PER_BYTE = 4,
};

void swift_scan_init(struct swift_scan *f, const struct cairn_target *target)
{
	*f = (struct swift_scan){ .target = target };
}

void swift_scan_finish(struct swift_scan *f)
{
	free(f->trace);
	slot_table_finish(&f->slots);
	free(f->scratch);
	swift_scan_init(f, f->target);
}

static uint64_t hash_array(uint64_t array, uint64_t key)
{
	if (key)
		return hash_text((struct cairn_bytes){ (const uint8_t *)&array, sizeof(array) },
		                 key);
	return (array >> 3) * 0x9e3779b97f4a7c15 >> 20;
}

static uint64_t hash_trace(const void *scan, uint32_t number)
{
	const struct swift_scan *f = scan;

	return hash_array(f->trace[number - 1].array, f->slots.key);
}

static bool has_array(const void *scan, uint32_t number, const void *array)
{
	return ((const struct swift_scan *)scan)->trace[number - 1].array ==
	       *(const uint64_t *)array;
}

static uint32_t *find_array_slot(struct swift_scan *f, uint64_t array)
{
	return slot_table_find(&f->slots, hash_array(array, f->slots.key), has_array, f, &array);
}

static struct swift_scan_trace *find_trace_by_array(struct swift_scan *f, uint64_t array)
{
	uint32_t number = f->count ? *find_array_slot(f, array) : 0;
	return number ? &f->trace[number - 1] : NULL;
}

static enum cairn_status add_trace(struct swift_scan *f, struct swift_scan_trace trace)
{
	if (f->count == SWIFT_SCAN_TRACES_MAX) {
		f->gave_up = true;
		return CAIRN_OK;
	}
	if (!array_grow(&f->trace, &f->capacity, f->count + 1, sizeof(*f->trace)) ||
	    !slot_table_reserve(&f->slots, f->count, hash_trace, f))
		return CAIRN_NO_MEMORY;
	f->trace[f->count++] = trace;
	*find_array_slot(f, trace.array) = (uint32_t)f->count;
	return CAIRN_OK;
}

static bool read_array(const struct swift_scan *f, uint64_t address, struct swift_array *array)
{
	uint8_t header[SWIFT_ARRAY_HEADER];

	return memory_read(f->target, address, header, sizeof(header)) &&
	       swift_array(header, array);
}

/*
 * Read the header of a byte array that may be a backtrace. Return false if it is unreadable, cannot
 * be a backtrace, or has an info byte below `lowest`.
 */
static bool read_candidate(const struct swift_scan *f, uint64_t address, uint8_t lowest,
                           struct swift_scan_trace *trace)
{
	struct swift_array array;
	uint8_t info;

	if (!read_array(f, address, &array) || array.count > SWIFT_SCAN_BYTES_MAX ||
	    !memory_read(f->target, address + SWIFT_ARRAY_HEADER, &info, 1) || info < lowest ||
	    info > INFO_64_BIT)
		return false;
	*trace = (struct swift_scan_trace){ .array = address,
		                            .size = array.count,
		                            .isa = array.isa };
	return true;
}

static bool may_read_image(struct swift_scan *f)
{
	if (f->images_decoded == SWIFT_SCAN_ALL_IMAGES_MAX) {
		f->gave_up = true;
		return false;
	}
	f->images_decoded++;
	return true;
}

/*
 * Return true if `address` is the address of an array of images in ascending order. Copies of a
 * Backtrace in freed memory may point to anything; the order distinguishes real arrays.
 */
static bool has_images(struct swift_scan *f, uint64_t address)
{
	uint8_t element[SWIFT_IMAGE_SIZE];
	struct swift_array array;
	struct swift_image image;
	uint64_t before = 0;

	if (address == 0 || !read_array(f, address, &array) || array.count > SWIFT_SCAN_IMAGES_MAX)
		return false;
	address += SWIFT_ARRAY_HEADER;
	for (uint64_t i = 0; i < array.count; i++, address += sizeof(element)) {
		if (!may_read_image(f) ||
		    !memory_read(f->target, address, element, sizeof(element)))
			return false;
		swift_image(element, &image);
		if (image.base < before || image.base >= image.end)
			return false;
		before = image.base;
	}
	return true;
}

static enum cairn_status record_swift_value(struct swift_scan *f, const struct swift_value *value)
{
	struct swift_scan_trace fresh, *trace = find_trace_by_array(f, value->array);

	if (!trace) {
		if (!read_candidate(f, value->array, INFO_64_BIT, &fresh))
			return CAIRN_OK;
		fresh.architecture = value->architecture;
		fresh.copies = 1;
		fresh.images = has_images(f, value->images) ? value->images : 0;
		return add_trace(f, fresh);
	}
	trace->copies++;
	if (!trace->images && has_images(f, value->images))
		trace->images = value->images;
	return CAIRN_OK;
}

enum cairn_status swift_scan_block(struct swift_scan *f, uint64_t address, struct cairn_bytes block)
{
	enum cairn_status status = CAIRN_OK;
	struct swift_value value;
	size_t at = (size_t)(-address % SWIFT_ALIGNMENT);

	f->scanned += block.size;
	if (at > block.size)
		return CAIRN_OK;
	while (status == CAIRN_OK && swift_next_value(block, &at, &value))
		status = record_swift_value(f, &value);
	return status;
}

enum cairn_status swift_scan_read_bytes(struct swift_scan *f, const struct swift_scan_trace *trace,
                                        struct cairn_bytes *bytes)
{
	if (trace->size > f->scratch_size) {
		free(f->scratch);
		f->scratch_size = 0;
		f->scratch = malloc((size_t)trace->size);
		if (!f->scratch)
			return CAIRN_NO_MEMORY;
		f->scratch_size = (size_t)trace->size;
	}
	if (!memory_read(f->target, trace->array + SWIFT_ARRAY_HEADER, f->scratch,
	                 (size_t)trace->size))
		return CAIRN_UNREADABLE;
	*bytes = (struct cairn_bytes){ f->scratch, (size_t)trace->size };
	return CAIRN_OK;
}

/*
 * Decode a candidate to find out whether it contains frames and is undamaged. With `stream`, decode
 * all sequences in the array instead of only the first.
 */
static void decode_candidate(struct swift_scan *f, struct swift_scan_trace *trace, bool stream)
{
	struct cairn_bytes bytes;
	struct cairn_frame run;

	if (f->decoded > f->scanned * DECODES_PER_BYTE + SWIFT_SCAN_DECODE_SLACK) {
		f->gave_up = true;
		return;
	}
	f->decoded += trace->size;
	if (swift_scan_read_bytes(f, trace, &bytes) != CAIRN_OK)
		return;
	struct cbf cbf = cbf_open(bytes);
	do {
		while (cbf_next(&cbf, &run))
			trace->has_frames = true;
		trace->sound = !cbf_is_error(cbf.outcome);
	} while (stream && cbf_next_sequence(&cbf, &cbf));
}

static int compare_traces_by_isa(const void *left, const void *right)
{
	const struct swift_scan_trace *a = left, *b = right;

	return ORDER_BY(a->isa, b->isa, 0);
}

static int compare_traces_by_array(const void *left, const void *right)
{
	const struct swift_scan_trace *a = left, *b = right;

	return ORDER_BY(a->array, b->array, 0);
}

static void sort_traces(struct swift_scan *f, int (*order)(const void *, const void *))
{
	if (f->count > 0)
		qsort(f->trace, f->count, sizeof(*f->trace), order);
	slot_table_refill(&f->slots, f->count, hash_trace, f);
}

/* A class object begins with the word 0 and a pointer to its superclass. */
static bool is_class(const struct swift_scan *f, uint64_t isa)
{
	uint64_t kind, above;

	return memory_word(f->target, isa, false, &kind) && kind == 0 &&
	       memory_word(f->target, isa + 8, false, &above) && above != 0;
}

/*
 * Return the most frequent class among undamaged candidates with frames. A class that is_class()
 * confirms takes precedence, however rare it is.
 */
static uint64_t learn_isa(const struct swift_scan *f)
{
	size_t best_votes = 0, next;
	bool best_is_class = false;
	uint64_t best = 0;

	for (size_t i = 0; i < f->count; i = next) {
		uint64_t isa = f->trace[i].isa;
		size_t votes = 0;
		for (next = i; next < f->count && f->trace[next].isa == isa; next++)
			votes += f->trace[next].sound && f->trace[next].has_frames;
		if (votes == 0)
			continue;
		bool is = is_class(f, isa);
		if (is > best_is_class || (is == best_is_class && votes > best_votes)) {
			best = isa;
			best_votes = votes;
			best_is_class = is;
		}
	}
	return best;
}

void swift_scan_resolve(struct swift_scan *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++)
		decode_candidate(f, &f->trace[i], false);
	sort_traces(f, compare_traces_by_isa);
	f->isa = learn_isa(f);
	for (size_t i = 0; i < f->count; i++) {
		struct swift_scan_trace trace = f->trace[i];
		trace.kind = trace.sound ? SWIFT_SCAN_VALUE : SWIFT_SCAN_DAMAGED;
		if (trace.isa == f->isa && (trace.sound || trace.has_frames))
			f->trace[kept++] = trace;
	}
	f->count = kept;
	sort_traces(f, compare_traces_by_array);
}

enum cairn_status swift_scan_block_arrays(struct swift_scan *f, uint64_t address,
                                          struct cairn_bytes block)
{
	enum cairn_status status = CAIRN_OK;
	size_t at = (size_t)(-address % SWIFT_ALIGNMENT), offset;

	if (f->isa == 0 || at > block.size)
		return CAIRN_OK;
	while (status == CAIRN_OK && swift_next_array(block, f->isa, &at, &offset)) {
		struct swift_scan_trace trace;
		if (find_trace_by_array(f, address + offset) ||
		    !read_candidate(f, address + offset, 0, &trace))
			continue;
		trace.kind = SWIFT_SCAN_ARRAY;
		decode_candidate(f, &trace, true);
		if (trace.sound && trace.has_frames)
			status = add_trace(f, trace);
	}
	return status;
}

static struct cairn_bytes read_path(const struct swift_scan *f, const struct swift_image *image,
                                    uint8_t *buffer)
{
	const struct swift_string *path = &image->path;
	struct cairn_bytes none = { buffer, 0 };

	if (!image->has_path || path->size == 0 || path->size > IMAGEMAP_PATH_MAX)
		return none;
	if (path->address == 0)
		memcpy(buffer, path->inlined, (size_t)path->size);
	else if (!memory_read(f->target, path->address, buffer, (size_t)path->size))
		return none;
	return (struct cairn_bytes){ buffer, (size_t)path->size };
}

static struct cairn_bytes read_build_id(const struct swift_scan *f, const struct swift_image *image,
                                        uint8_t *buffer)
{
	struct swift_array array;
	struct cairn_bytes none = { buffer, 0 };

	if (image->build_id == 0 || !read_array(f, image->build_id, &array) ||
	    array.count > SWIFT_SCAN_BUILD_ID_MAX ||
	    !memory_read(f->target, image->build_id + SWIFT_ARRAY_HEADER, buffer,
	                 (size_t)array.count))
		return none;
	return (struct cairn_bytes){ buffer, (size_t)array.count };
}

static enum cairn_status read_swift_image(const struct swift_scan *f, uint64_t address,
                                          struct loaded_images *images)
{
	uint8_t element[SWIFT_IMAGE_SIZE], path[IMAGEMAP_PATH_MAX],
		build_id[SWIFT_SCAN_BUILD_ID_MAX];
	struct swift_image image;

	if (!memory_read(f->target, address, element, sizeof(element)))
		return CAIRN_UNREADABLE;
	swift_image(element, &image);
	struct imagemap_image found = { image.base, image.end, read_build_id(f, &image, build_id),
		                        read_path(f, &image, path) };
	return loaded_images_add(images, &found);
}

enum cairn_status swift_scan_read_images(struct swift_scan *f, const struct swift_scan_trace *trace,
                                         struct loaded_images *images)
{
	enum cairn_status status = CAIRN_OK;
	struct swift_array array;

	if (trace->images == 0 || !read_array(f, trace->images, &array) ||
	    array.count > SWIFT_SCAN_IMAGES_MAX)
		return CAIRN_NOT_FOUND;
	uint64_t address = trace->images + SWIFT_ARRAY_HEADER;
	for (uint64_t i = 0; i < array.count && status == CAIRN_OK; i++) {
		if (may_read_image(f))
			status = read_swift_image(f, address + i * SWIFT_IMAGE_SIZE, images);
		else
			status = CAIRN_UNSUPPORTED;
	}
	loaded_images_sort(images);
	return status;
}
