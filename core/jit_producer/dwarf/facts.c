/* SPDX-License-Identifier: MIT */
/* Validates a function and converts its description to DWARF. */
#include "facts.h"

#include "lines.h"
#include "rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool check_description(const struct cairn_jit_function *function)
{
	const uint64_t start = (uint64_t)(uintptr_t)function->code;

	return start != 0 && function->size != 0 && function->size <= UINT32_MAX &&
	       start + function->size > start && (function->lines || function->line_count == 0);
}

static const char *choose_name(struct cairn_jit_scratch *scratch,
                               const struct cairn_jit_function *function)
{
	if (function->name && *function->name)
		return function->name;
	snprintf(scratch->name, sizeof(scratch->name), "jit_%" PRIxPTR, (uintptr_t)function->code);
	return scratch->name;
}

CAIRN_JIT_INTERNAL bool cairn_jit_make_facts(struct cairn_jit_scratch *scratch,
                                             const struct cairn_jit_function *function,
                                             struct cairn_jit_facts *facts)
{
	scratch->frame.size = scratch->lines.size = 0;
	scratch->frame.failed = scratch->lines.failed = false;
	if (!check_description(function) || !cairn_jit_write_rule(&scratch->frame, function) ||
	    !cairn_jit_write_lines(&scratch->lines, function) || scratch->frame.failed ||
	    scratch->lines.failed)
		return false;
	*facts = (struct cairn_jit_facts){
		.start = (uint64_t)(uintptr_t)function->code,
		.size = (uint32_t)function->size,
		.first_line = function->line_count ? function->lines[0].line : 0,
		.name = choose_name(scratch, function),
		.frame = scratch->frame.data,
		.frame_size = (uint32_t)scratch->frame.size,
		.lines = scratch->lines.data,
		.lines_size = (uint32_t)scratch->lines.size,
		.framed = function->frame.kind != CAIRN_JIT_UNKNOWN_FRAME,
	};
	const size_t name_size = strlen(facts->name) + 1;
	const size_t file_size = function->file && *function->file ? strlen(function->file) + 1 : 0;
	facts->name_size = (uint32_t)name_size;
	facts->file = function->file;
	facts->file_size = (uint32_t)file_size;
	return name_size < INT32_MAX && file_size < INT32_MAX;
}
