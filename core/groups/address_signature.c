/* SPDX-License-Identifier: MIT */
/* Makes the signature of a stack's addresses, by the rules for stacks without names. */
#include "address_signature.h"

#include "signature.h"

#include "base/base_name.h"
#include "base/hex.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_SIZE = 64,      /* bytes of a build ID; longer ones are cut */
	NULL_PAGE = 0x1000 /* addresses below it are those of null pointers */
};

/* What is being made, too large for a stack. */
struct address_making {
	struct signature_builder builder;
	struct signature signature;
};

/* The first frame that counts. */
static size_t find_first_address(address_frame_getter *get, void *context, size_t count)
{
	struct address_frame frame;
	size_t first = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		get(context, i, &frame);
		if (frame.is_trampoline)
			first = i + 1;
	}
	return first;
}

static void add_address(struct signature_builder *builder, const struct address_frame *frame)
{
	char offset[SIGNATURE_PLACE_MAX], digits[2 * ID_SIZE + 1] = "";
	struct cairn_bytes id = frame->build_id;
	struct signature_frame step = { .is_null = !frame->has_module && frame->pc < NULL_PAGE };

	id.size = id.size < ID_SIZE ? id.size : ID_SIZE;
	hex_encode(id, digits);
	snprintf(offset, sizeof(offset), "0x%" PRIx64, frame->offset);
	step.function = (struct cairn_bytes){ (const uint8_t *)"", 0 };
	step.module = frame->has_module ? base_name(frame->module) : step.function;
	step.build_id = (struct cairn_bytes){ (const uint8_t *)digits, strlen(digits) };
	step.offset = (struct cairn_bytes){ (const uint8_t *)offset,
		                            frame->has_module ? strlen(offset) : 0 };
	signature_add(builder, &step);
}

/* Returns whether any frame is in a module. */
static bool add_addresses(struct signature_builder *builder, address_frame_getter *get,
                          void *context, size_t first, size_t end)
{
	struct address_frame frame;
	bool any = false;

	signature_begin(builder);
	for (size_t i = first; i < end; i++) {
		get(context, i, &frame);
		add_address(builder, &frame);
		any = any || frame.has_module;
	}
	return any;
}

bool address_signature_make(address_frame_getter *get, void *context, size_t count, bool is_cut,
                            struct cairn_bytes program, struct cairn_bytes signal,
                            uint8_t digest[SHA256_SIZE])
{
	const size_t first = find_first_address(get, context, count);
	struct address_making *making = NULL;
	bool made = false;

	if (is_cut && count - first < SIGNATURE_ADDRESSES)
		return false;
	making = calloc(1, sizeof(*making));
	if (!making)
		return false;
	const size_t end =
		count - first < SIGNATURE_ADDRESSES ? count : first + SIGNATURE_ADDRESSES;
	if (add_addresses(&making->builder, get, context, first, end) &&
	    signature_make(&making->builder, base_name(program), signal, &making->signature)) {
		signature_digest(NULL, SIGNATURE_NONE,
		                 (struct cairn_bytes){ (const uint8_t *)making->signature.text,
		                                       making->signature.size },
		                 digest);
		made = true;
	}
	signature_finish(&making->builder);
	free(making);
	return made;
}
