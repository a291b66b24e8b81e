/* SPDX-License-Identifier: MIT */
/*
 * Parses `info files` as GDB 13 to 18 print it:
 *
 *	block   = TAB "`" NAME "', file type " TYPE "." NEWLINE line*
 *	line    = TAB RANGE [" @ " OFFSET] " is " SECTION [" in " NAME] NEWLINE
 *	RANGE   = "0x" HEX " - 0x" HEX
 *
 * Everything else is skipped: headings, the entry point, GDB's own questions. The words around the
 * file type may be translated; the words of a line are not. The offset is present with `set verbose
 * on`. Lines without a name belong to the program; in the block of a core they are its segments,
 * "load1" or "load1a", and not sections of a module.
 *
 * Lines of one module follow each other. For a remote target the whole list is printed twice.
 */
#include "info_files.h"

#include "printed.h"

#include <string.h>

struct line {
	struct cairn_range range;
	struct cairn_bytes section;
	struct cairn_bytes name; /* name of the module; empty for the program */
};

/* The module whose lines are being read. */
struct run {
	struct info_files_module module;
	struct cairn_bytes first;
	struct cairn_bytes name; /* module name as in its lines */
	bool open;
};

struct block {
	struct cairn_bytes name, type;
};

static struct cairn_bytes slice_prefix(struct cairn_bytes bytes, size_t end)
{
	return (struct cairn_bytes){ bytes.data, end };
}

static bool is_same_text(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool is_word(struct cairn_bytes bytes, const char *word)
{
	return printed_accept(&bytes, word) && bytes.size == 0;
}

static bool parse_section_line(struct cairn_bytes text, struct line *line)
{
	uint64_t offset;

	if (!printed_accept(&text, "\t") || !printed_address(&text, &line->range.low) ||
	    !printed_accept(&text, " - ") || !printed_address(&text, &line->range.high))
		return false;
	if (printed_accept(&text, " @ ") && !printed_address(&text, &offset))
		return false;
	if (!printed_accept(&text, " is "))
		return false;
	size_t end = printed_find(text, " in ");
	line->section = slice_prefix(text, end);
	text = printed_from(text, end);
	line->name = printed_accept(&text, " in ") ? text : printed_from(text, text.size);
	return line->range.low < line->range.high;
}

/*
 * Parse the head of a block. The type is the last word, whatever the language of the words before
 * it.
 */
static bool parse_block_head(struct cairn_bytes text, struct block *block)
{
	if (!printed_accept(&text, "\t`"))
		return false;
	size_t end = printed_find(text, "', ");
	if (end == text.size || text.data[text.size - 1] != '.')
		return false;
	size_t type = text.size - 1;
	while (text.data[type - 1] != ' ')
		type--;
	*block = (struct block){ slice_prefix(text, end),
		                 slice_prefix(printed_from(text, type), text.size - 1 - type) };
	return true;
}

/*
 * Return true if the section is GDB's name for a segment of a core: "load" and a number, possibly
 * followed by a letter.
 */
static bool is_core_segment(struct cairn_bytes section)
{
	size_t at = 0;

	if (!printed_accept(&section, "load"))
		return false;
	while (at < section.size && section.data[at] >= '0' && section.data[at] <= '9')
		at++;
	section = printed_from(section, at);
	return at > 0 && (section.size == 0 || is_word(section, "a") || is_word(section, "b"));
}

/* Compare a type, ignoring the name of a system at its end: "elf64-x86-64-freebsd". */
static bool is_type(struct cairn_bytes type, const char *name)
{
	return printed_accept(&type, name) && (type.size == 0 || type.data[0] == '-');
}

static void set_machine(struct info_files_module *module)
{
	static const struct {
		const char *type;
		enum cairn_machine machine;
		bool big;
	} known[] = {
		{ "elf64-x86-64", CAIRN_MACHINE_AMD64, false },
		{ "elf64-littleaarch64", CAIRN_MACHINE_AARCH64, false },
		{ "elf64-bigaarch64", CAIRN_MACHINE_AARCH64, true },
		{ "elf64-s390", CAIRN_MACHINE_S390X, true },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_type(module->type, known[i].type)) {
			module->host.machine = known[i].machine;
			module->host.big_endian = known[i].big;
		}
}

static struct info_files_module start_module(const struct block *block, const struct line *line)
{
	struct info_files_module module = {
		.host = { .name = line->name, .low = line->range.low, .high = line->range.high },
		.type = block->type
	};

	module.program = line->name.size == 0;
	if (module.program)
		module.host.name = block->name;
	module.on_target = printed_accept(&module.host.name, "target:");
	set_machine(&module);
	return module;
}

static void widen_module(struct cairn_host_module *module, struct cairn_range range)
{
	module->low = range.low < module->low ? range.low : module->low;
	module->high = range.high > module->high ? range.high : module->high;
}

static void add_section(struct cairn_host_module *module, const struct line *line)
{
	widen_module(module, line->range);
	if (is_word(line->section, ".text"))
		module->text = line->range;
	else if (is_word(line->section, ".sframe"))
		module->sframe = line->range;
	else if (is_word(line->section, ".eh_frame_hdr"))
		module->eh_frame_hdr = line->range;
	else if (is_word(line->section, ".eh_frame"))
		module->eh_frame = line->range;
}

/* Return true if both are the same module: equal names and overlapping addresses. */
static bool is_same_module(const struct info_files_module *old,
                           const struct info_files_module *module)
{
	return old->host.low < module->host.high && module->host.low < old->host.high &&
	       old->program == module->program && is_same_text(old->host.name, module->host.name);
}

static void fill_empty_range(struct cairn_range *old, struct cairn_range range)
{
	if (old->low == old->high)
		*old = range;
}

static void merge_module(struct cairn_host_module *old, const struct cairn_host_module *module)
{
	widen_module(old, (struct cairn_range){ module->low, module->high });
	fill_empty_range(&old->text, module->text);
	fill_empty_range(&old->sframe, module->sframe);
	fill_empty_range(&old->eh_frame_hdr, module->eh_frame_hdr);
	fill_empty_range(&old->eh_frame, module->eh_frame);
}

static void end_run(struct info_files *files, struct run *run)
{
	if (!run->open)
		return;
	run->open = false;
	for (size_t i = 0; i < files->count; i++)
		if (is_same_module(&files->modules[i], &run->module)) {
			merge_module(&files->modules[i].host, &run->module.host);
			return;
		}
	if (files->count == INFO_FILES_MODULES)
		files->cut = true;
	else
		files->modules[files->count++] = run->module;
}

/*
 * Add the line to its module. A file that is loaded twice (dlmopen) may have its lines one after
 * the other: the second list begins when the first section is repeated.
 */
static void add_line(struct info_files *files, struct run *run, const struct block *block,
                     const struct line *line)
{
	struct cairn_bytes name = line->name;

	if (printed_accept(&name,
	                   "/proc/self/fd/")) /* symbols that were handed to GDB, not a module */
		return;
	if (line->name.size == 0 && (block->name.size == 0 || is_core_segment(line->section)))
		return;
	if (!run->open || !is_same_text(run->name, line->name) ||
	    is_same_text(run->first, line->section)) {
		end_run(files, run);
		*run = (struct run){ start_module(block, line), line->section, line->name, true };
	}
	add_section(&run->module.host, line);
}

void info_files_read(struct cairn_bytes text, struct info_files *files)
{
	static const uint8_t nothing[1];
	struct block block = { { nothing, 0 }, { nothing, 0 } };
	struct run run = { .open = false };

	files->count = 0;
	files->cut = false;
	while (text.size > 0) {
		struct cairn_bytes bytes = printed_take_line(&text);
		struct line line;
		if (parse_section_line(bytes, &line))
			add_line(files, &run, &block, &line);
		else if (parse_block_head(bytes, &block))
			end_run(files, &run);
	}
	end_run(files, &run);
}

size_t info_files_report(const struct info_files *files, struct cairn_space *space)
{
	size_t added = 0;

	cairn_space_begin_modules(space);
	for (size_t i = 0; i < files->count; i++)
		added += cairn_space_add_module(space, &files->modules[i].host) == CAIRN_OK;
	cairn_space_end_modules(space);
	return added;
}
