/* SPDX-License-Identifier: MIT */
/* Presents the segments of an ELF file as the memory of a target with a single module. */
#include "program_code.h"

#include "frame_writer.h"

#include "base/memory.h"
#include "base/sort.h"
#include "unwind/tables/sframe_rules.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/*
 * Return the number of bytes from `address` to the end of the segment's contents in the file or,
 * with `whole_pages`, to the end of their last page.
 */
static uint64_t bytes_from(const struct elf_segment *s, uint64_t address, bool whole_pages)
{
	uint64_t lead = whole_pages ? s->va % PAGE : 0;
	uint64_t size = s->file_size, at = address - (s->va - lead);

	if (s->type != ELF_PT_LOAD || s->file_size > UINT64_MAX - 2 * (uint64_t)PAGE ||
	    s->offset < lead)
		return 0;
	if (whole_pages)
		size = (lead + size + PAGE - 1) / PAGE * PAGE;
	return at < size ? size - at : 0;
}

/*
 * Return true if the bytes lie within the size of the file, rounded up to whole pages. A process
 * cannot read mapped memory past the file's last page, whatever the program headers say.
 */
static bool is_in_file_pages(const struct elf *elf, uint64_t offset, size_t size)
{
	const uint64_t end = ((uint64_t)elf->bytes.size + PAGE - 1) / PAGE * PAGE;

	return offset <= end && size <= end - offset;
}

/* Copy bytes from the file. Bytes past its end, in the last page, are zero. */
static void copy_file_bytes(const struct elf *elf, uint64_t offset, void *buffer, size_t size)
{
	size_t there = 0;

	if (offset < elf->bytes.size) {
		there = elf->bytes.size - (size_t)offset;
		there = there < size ? there : size;
		memcpy(buffer, elf->bytes.data + offset, there);
	}
	memset((uint8_t *)buffer + there, 0, size - there);
}

/*
 * Read memory from the segment that contains the address or, if there is none, from a segment that
 * shares a page with it.
 */
static enum cairn_status read_program_file(void *context, uint64_t address, void *buffer,
                                           size_t size)
{
	const struct elf *elf = context;
	struct elf_segment s;

	for (int whole_pages = 0; whole_pages <= 1; whole_pages++)
		for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
			if (bytes_from(&s, address, whole_pages) >= size &&
			    is_in_file_pages(elf, s.offset + (address - s.va), size)) {
				copy_file_bytes(elf, s.offset + (address - s.va), buffer, size);
				return CAIRN_OK;
			}
	return CAIRN_UNREADABLE;
}

static struct cairn_range section_range(const struct elf *elf, const char *name)
{
	struct elf_section s;

	if (!elf_find_section(elf, name, &s) || !(s.flags & ELF_SHF_ALLOC) ||
	    s.size > UINT64_MAX - s.va)
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ s.va, s.va + s.size };
}

static struct cairn_range sframe_range(const struct elf *elf)
{
	struct sframe_section found;

	if (sframe_section_find(elf, &found) != CAIRN_OK ||
	    found.bytes.size > UINT64_MAX - found.address)
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ found.address, found.address + found.bytes.size };
}

/*
 * Return the range of .eh_frame_hdr. The program header takes precedence over the section header,
 * because processes use it.
 */
static struct cairn_range eh_frame_hdr_range(const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_GNU_EH_FRAME && s.file_size <= UINT64_MAX - s.va)
			return (struct cairn_range){ s.va, s.va + s.file_size };
	return section_range(elf, ".eh_frame_hdr");
}

static enum cairn_status report_module(struct program_image *image)
{
	const struct elf *elf = &image->elf;
	struct cairn_range span;
	const bool is_loaded = elf_load_span(elf, &span);
	const struct cairn_host_module told = { .name = { elf->bytes.data, 0 },
		                                .low = span.low,
		                                .high = span.high,
		                                .machine = elf_machine(elf),
		                                .big_endian = elf->big,
		                                .sframe = sframe_range(elf),
		                                .eh_frame_hdr = eh_frame_hdr_range(elf),
		                                .eh_frame = section_range(elf, ".eh_frame") };

	if (!is_loaded || told.machine == CAIRN_MACHINE_NONE)
		return CAIRN_NOT_FOUND;
	cairn_space_begin_modules(image->space);
	enum cairn_status status = cairn_space_add_module(image->space, &told);
	cairn_space_end_modules(image->space);
	if (status != CAIRN_OK)
		return status;
	cairn_space_begin_query(image->space);
	image->module = space_find(image->space, span.low);
	return image->module ? CAIRN_OK : CAIRN_NOT_FOUND;
}

enum cairn_status program_image_open(struct cairn_bytes file, struct program_image *image)
{
	struct cairn_fault fault;
	enum cairn_status status = elf_open(file, &image->elf, &fault);
	const struct cairn_target target = { read_program_file, &image->elf };

	if (status != CAIRN_OK)
		return status;
	if (image->elf.type != ELF_TYPE_EXEC && image->elf.type != ELF_TYPE_DYN)
		return CAIRN_NOT_FOUND;
	image->space = cairn_space_new(&target);
	return image->space ? report_module(image) : CAIRN_NO_MEMORY;
}

void program_image_close(struct program_image *image)
{
	if (image->space)
		cairn_space_free(image->space);
	*image = (struct program_image){ .space = NULL };
}

uint64_t program_image_code_size(const struct program_image *image, uint64_t va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(&image->elf, i, &s); i++) {
		uint64_t size = s.flags & ELF_PF_EXECUTE ? bytes_from(&s, va, false) : 0;
		if (size > 0 && s.offset <= image->elf.bytes.size &&
		    s.file_size <= image->elf.bytes.size - s.offset)
			return size;
	}
	return 0;
}

/*
 * Analyzes all functions of a program and records where they save registers.
 *
 * A part is code that was split off from a function and that the function jumps to. Functions are
 * analyzed first, together with the parts that they reach, and then the remaining parts.
 */
enum { CALL_HEIGHT = 8 }; /* bytes from the stack pointer to the CFA at function entry */

const uint8_t saved_register_numbers[FLOW_SAVED_REGISTERS] = { AMD64_RBX, 12, 13, 14, 15 };

struct pass {
	struct program_image *image;
	struct cairn_rules *rules;
	struct saved_registers *saved;
};

void saved_registers_free(struct saved_registers *saved)
{
	if (!saved)
		return;
	free(saved->function);
	free(saved->fact);
	free(saved);
}

static void free_saved_registers(struct saved_registers **saved)
{
	saved_registers_free(*saved);
}

/*
 * Return the index of the last function that begins at `start`, or the number of functions if there
 * is no such function.
 */
static size_t function_number(const struct cairn_rules *rules, uint64_t start)
{
	const size_t next = SORTED_UP_TO(rules->functions, rules->function_count, start, start);

	return next > 0 && rules->functions[next - 1].start == start ? next - 1
	                                                             : rules->function_count;
}

/*
 * Return true if the code at `start` is entered by a call. Otherwise it is part of another
 * function.
 */
static bool begins_by_call(const struct pass *pass, uint64_t start)
{
	const struct cairn_rule *rule;

	return cairn_rules_find(pass->rules, start, &rule, NULL) == CAIRN_OK &&
	       rule->cfa.kind == CAIRN_REGISTER_VALUE && rule->cfa.base == AMD64_RSP &&
	       rule->cfa.offset == CALL_HEIGHT;
}

static bool same_facts(const struct saved_registers *saved, const struct saved_function *function,
                       const struct flow_fact *facts, uint32_t count)
{
	if (function->facts != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct flow_fact *kept = &saved->fact[function->first + i];
		if (kept->start != facts[i].start ||
		    memcmp(kept->where, facts[i].where, sizeof(kept->where)) != 0)
			return false;
	}
	return true;
}

static bool append_facts(struct saved_registers *saved, struct saved_function *function,
                         const struct flow_fact *facts, uint32_t count)
{
	if (count == 0)
		return true;
	if (!array_grow(&saved->fact, &saved->capacity, saved->facts + count, sizeof(*facts)))
		return false;
	memcpy(saved->fact + saved->facts, facts, count * sizeof(*facts));
	function->first = saved->facts;
	function->facts = count;
	saved->facts += count;
	return true;
}

/*
 * Store the flow facts about a function or part. If two functions reach a part with different
 * facts, the part is treated as unknown.
 */
static bool keep_facts(struct pass *pass, uint64_t start, const struct flow_fact *facts,
                       uint32_t count)
{
	size_t number = function_number(pass->rules, start);

	if (number == pass->rules->function_count)
		return true;
	struct saved_function *function = &pass->saved->function[number];
	if (function->facts > 0)
		function->disputed |= !same_facts(pass->saved, function, facts, count);
	else
		return append_facts(pass->saved, function, facts, count);
	return true;
}

static bool keep_pieces(struct pass *pass, uint64_t asked)
{
	const struct flow *flow = pass->image->space->flow;

	for (uint32_t p = 0; p < flow->pieces; p++) {
		const uint64_t start = flow->piece[p].va;
		uint32_t count;
		const struct flow_fact *facts = flow_facts(flow, p, &count);
		if ((start == asked || !begins_by_call(pass, start)) &&
		    !keep_facts(pass, start, facts, count))
			return false;
	}
	return true;
}

static void spend_steps(struct saved_registers *saved, uint64_t steps)
{
	saved->steps -= saved->steps < steps ? saved->steps : steps;
}

static bool learn_function(struct pass *pass, uint64_t start)
{
	static const struct flow_fact untouched = {
		0, { FLOW_SAME, FLOW_SAME, FLOW_SAME, FLOW_SAME, FLOW_SAME }
	};
	struct program_image *image = pass->image;

	switch (function_code_analyze(image->space, image->module, &pass->saved->work, start)) {
	case FUNCTION_CODE_UNTOUCHED:
		return keep_facts(pass, start, &untouched, 1);
	case FUNCTION_CODE_ANALYZED:
		spend_steps(pass->saved, image->space->flow->steps);
		return keep_pieces(pass, start);
	case FUNCTION_CODE_UNKNOWN:
		spend_steps(pass->saved, FLOW_STEPS / 64);
		break;
	}
	return true;
}

/*
 * Analyze all functions that are entered by a call or, with `parts`, the parts that are still
 * unknown.
 */
static bool learn_functions(struct pass *pass, bool parts, void (*poll)(void *), void *context)
{
	const struct cairn_rules *rules = pass->rules;

	for (size_t i = 0; i < rules->function_count && pass->saved->steps > 0; i++) {
		const uint64_t start = rules->functions[i].start;
		bool shadowed =
			i + 1 < rules->function_count && rules->functions[i + 1].start == start;
		if (poll)
			poll(context);
		if (shadowed || pass->saved->function[i].facts > 0 ||
		    begins_by_call(pass, start) == parts)
			continue;
		if (!learn_function(pass, start))
			return false;
	}
	return true;
}

static bool allocate_work(const struct pass *pass)
{
	struct cairn_space *space = pass->image->space;
	size_t count = pass->rules->function_count;

	pass->saved->function = calloc(count ? count : 1, sizeof(*pass->saved->function));
	if (!space->flow)
		space->flow = malloc(sizeof(*space->flow));
	return pass->saved->function && space->flow;
}

struct saved_registers *saved_registers_new(struct program_image *image, void (*poll)(void *),
                                            void *poll_context)
{
	WITH_CLEANUP(free_saved_registers)
	struct saved_registers *saved = calloc(1, sizeof(*saved));
	struct pass pass = { image, image->module->rules, saved };

	if (!saved || !allocate_work(&pass))
		return NULL;
	saved->steps = FLOW_STEPS;
	for (size_t i = 0; i < pass.rules->function_count; i++)
		saved->steps += (uint64_t)FRAME_WRITER_STEPS * pass.rules->functions[i].size;
	if (image->module->machine == CAIRN_MACHINE_AMD64 &&
	    (!learn_functions(&pass, false, poll, poll_context) ||
	     !learn_functions(&pass, true, poll, poll_context)))
		return NULL;
	struct saved_registers *made = saved;
	saved = NULL;
	return made;
}

const struct flow_fact *saved_registers_find(const struct saved_registers *saved, size_t function,
                                             uint64_t offset, uint64_t *until)
{
	const struct saved_function *f = &saved->function[function];
	const struct flow_fact *base;

	*until = UINT64_MAX;
	if (f->facts == 0 || f->disputed)
		return NULL;
	/*
	 * compute this after the check above, because saved->fact is NULL if no function has facts
	 */
	base = saved->fact + f->first;
	for (uint32_t left = f->facts; left > 1;) {
		uint32_t half = left / 2;
		if (base[half].start <= offset)
			base += half;
		left -= half;
	}
	if (base + 1 < saved->fact + f->first + f->facts)
		*until = base[1].start;
	return base;
}
