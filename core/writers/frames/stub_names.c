/* SPDX-License-Identifier: MIT */
/* Names PLT stubs after the functions that they call. */
#include "frame_writer.h"

#include "formats/elf/elf.h"
#include "program_image.h"

enum { STUB_CODE = 16 }; /* bytes of a stub to decode */

void frame_table_name_stubs(const struct program_image *image, struct frame_table *table)
{
	const struct cairn_target *target = &image->space->target;
	struct elf_stubs stubs;
	uint8_t code[STUB_CODE];

	if (!elf_stubs_open(&image->elf, &stubs))
		return;
	for (size_t i = 0; i < table->functions; i++) {
		struct frame_function *f = &table->function[i];
		uint64_t size = f->range.high - f->range.low;
		size = size < STUB_CODE ? size : STUB_CODE;
		if (f->kind == FRAME_FUNCTION_STUB && f->name.size == 0 &&
		    target->read_memory(target->context, f->range.low, code, (size_t)size) ==
		            CAIRN_OK)
			f->name = elf_stubs_name_code(&stubs, f->range.low,
			                              (struct cairn_bytes){ code, (size_t)size });
	}
}
