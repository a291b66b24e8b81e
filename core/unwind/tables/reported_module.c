/* SPDX-License-Identifier: MIT */
/* Makes a module from the host's report alone: its range, machine and unwind tables. */
#include "reported_module.h"

#include "unwind/target/memory.h"

enum { FINGERPRINT_SIZE = 256 }; /* bytes of a table that identify a module without headers */

/*
 * Copy the first bytes of a table to recognize the module. Without a table there is nothing to
 * misread, so it needs none.
 */
static void read_fingerprint(struct module *module, const struct cairn_target *target)
{
	const struct cairn_host_module *told = &module->report->told;
	const struct cairn_range tables[] = { told->sframe, told->eh_frame_hdr, told->eh_frame };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t size = range_size(tables[i]);
		size = size < FINGERPRINT_SIZE ? size : FINGERPRINT_SIZE;
		if (size == 0 || !memory_read(target, tables[i].low, module->print, (size_t)size))
			continue;
		module->print_at = tables[i].low;
		module->print_size = (size_t)size;
		return;
	}
}

/* The report does not tell which parts are code, so all of the range counts as code. */
void reported_module_fill(struct module *module, const struct host_module *report,
                          const struct cairn_target *target)
{
	const struct cairn_host_module *told = &report->told;
	uint64_t header_size = range_size(told->eh_frame_hdr);

	*module = (struct module){ .low = told->low,
		                   .high = told->high,
		                   .machine = told->machine,
		                   .big = told->big_endian,
		                   .has_sections = true,
		                   .report = report,
		                   .sframe_va = told->sframe.low,
		                   .sframe_size = range_size(told->sframe) };
	module->segments[0] =
		(struct module_segment){ told->low, told->high - told->low, ELF_PF_EXECUTE };
	module->segment_count = 1;
	module->cfi.header = told->eh_frame_hdr.low;
	module->cfi.header_size = header_size < UINT32_MAX ? (uint32_t)header_size : UINT32_MAX;
	read_fingerprint(module, target);
}
