/* SPDX-License-Identifier: MIT */
/* Gives frames the module that the host knows to be at their address. */
#include "captured_stacks.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "base/hex.h"

#include <stdlib.h>

enum { ID_MAX = 64, DIGITS = 2 * ID_MAX + 1 };

/* The build ID as digits, as texts have it; empty: it is too long. */
static struct cairn_bytes write_digits(char *digits, struct cairn_bytes id)
{
	if (id.size > ID_MAX)
		id.size = 0;
	hex_encode(id, digits);
	return (struct cairn_bytes){ (const uint8_t *)digits, 2 * id.size };
}

/* A frame that names a module is in it; what the host has told is its whole path and its build. */
static bool may_be_in(const struct captured_frame *frame,
                      const struct cairn_captured_module *module)
{
	return module->path.size > 0 &&
	       (frame->module.size == 0 ||
	        (frame->id.size == 0 &&
	         bytes_equal(base_name(frame->module), base_name(module->path))));
}

static void place_frame(struct captured *c, struct captured_frame *frame)
{
	const struct cairn_captured_options *options = c->options;
	const uint64_t lookup = frame->address - (frame->pc == CAPTURED_PC_RETURN);

	for (size_t i = 0; i < options->module_count; i++) {
		const struct cairn_captured_module *module = &options->modules[i];
		if (lookup < module->pcs.low || lookup >= module->pcs.high ||
		    !may_be_in(frame, module))
			continue;
		frame->module = module->path;
		frame->id = write_digits(&c->ids[i * DIGITS], module->build_id);
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address - module->bias;
		return;
	}
}

void captured_place_in_modules(struct captured *c)
{
	const size_t count = c->options->module_count;

	if (count == 0)
		return;
	c->ids = calloc(count, DIGITS);
	c->scarce = c->scarce || !c->ids;
	for (size_t i = 0; i < c->step_count && c->ids; i++)
		if (c->steps[i].frame.has_address)
			place_frame(c, &c->steps[i].frame);
}
