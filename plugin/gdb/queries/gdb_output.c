/* SPDX-License-Identifier: MIT */
/* Parses the lists of inferiors, memory and modules that GDB prints. */
#define _GNU_SOURCE /* memmem */
#include "gdb_output.h"

#include <stdlib.h>
#include <string.h>

enum { HEX_DIGITS = 16 };

static struct cairn_bytes printed_from(struct cairn_bytes bytes, size_t start)
{
	return (struct cairn_bytes){ bytes.data + start, bytes.size - start };
}

/* Return the index of the word's first occurrence, or the number of bytes if it does not occur. */
static size_t printed_find(struct cairn_bytes bytes, const char *word)
{
	const uint8_t *found =
		bytes.size > 0 ? memmem(bytes.data, bytes.size, word, strlen(word)) : NULL;

	return found ? (size_t)(found - bytes.data) : bytes.size;
}

static struct cairn_bytes printed_take_line(struct cairn_bytes *text)
{
	const struct cairn_bytes line = { text->data, printed_find(*text, "\n") };

	*text = printed_from(*text, line.size + (line.size < text->size));
	return line;
}

static bool printed_accept(struct cairn_bytes *bytes, const char *word)
{
	size_t length = strlen(word);

	if (bytes->size < length || memcmp(bytes->data, word, length) != 0)
		return false;
	*bytes = printed_from(*bytes, length);
	return true;
}

static int hex_digit(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static bool printed_address(struct cairn_bytes *bytes, uint64_t *address)
{
	size_t digits = 0;

	*address = 0;
	if (!printed_accept(bytes, "0x"))
		return false;
	while (digits < bytes->size && hex_digit(bytes->data[digits]) >= 0) {
		if (digits == HEX_DIGITS)
			return false;
		*address = *address << 4 | (unsigned)hex_digit(bytes->data[digits]);
		digits++;
	}
	*bytes = printed_from(*bytes, digits);
	return digits > 0;
}

/* Return true if "(core)" precedes the program's path, which may itself contain that word. */
static bool has_core(const char *line, size_t size)
{
	static const char word[] = "(core)";
	const char *path = memchr(line, '/', size);
	const size_t before = path ? (size_t)(path - line) : size;

	for (size_t i = 0; i + sizeof(word) - 1 <= before; i++)
		if (memcmp(line + i, word, sizeof(word) - 1) == 0)
			return true;
	return false;
}

/* Parse a row: a star or a space, then the inferior's number. */
static bool read_row(const char *line, size_t size, struct inferior_row *row)
{
	static const char process[] = "process ";
	char *end;
	size_t at = 1;

	if (size == 0 || (*line != ' ' && *line != '*'))
		return false;
	while (at < size && line[at] == ' ')
		at++;
	if (at == size || line[at] < '0' || line[at] > '9')
		return false;
	row->number = strtoull(line + at, &end, 10);
	row->is_current = *line == '*';
	row->is_core = has_core(line, size);
	const char *what = end + strspn(end, " ");
	const bool is_process = strncmp(what, process, sizeof(process) - 1) == 0;
	row->process = is_process ? strtoull(what + sizeof(process) - 1, NULL, 10) : 0;
	return *end == ' ' || *end == '\n' || *end == '\0';
}

bool inferiors_next(const char **at, struct inferior_row *row)
{
	while (**at) {
		const char *line = *at;
		const size_t size = strcspn(line, "\n");
		*at = line + size + (line[size] == '\n');
		if (read_row(line, size, row))
			return true;
	}
	return false;
}

/*
 * Parses memory maps as GDB 13 to 18 print them, with spaces between the words:
 *
 *	mapping = START END SIZE OFFSET PERMISSIONS [PATH]     "rw-p"
 *	core    = "Core file: `" PATH "', file type " FORMAT
 *	section = "[" NUMBER "]" START "->" END " at " OFFSET ": " NAME FLAG*
 *
 * A core's segments are named "load1" or "load1a". A segment without contents in the core lacks the
 * flag HAS_CONTENTS, and a segment that is not writable has READONLY.
 */

static void skip_blanks(struct cairn_bytes *bytes)
{
	while (printed_accept(bytes, " ") || printed_accept(bytes, "\t"))
		continue;
}

static bool accept_permissions(struct cairn_bytes *bytes, enum memory_access access, bool *wanted)
{
	static const char letters[] = "rwx";
	const uint8_t *p = bytes->data;

	if (bytes->size < 4 || (p[3] != 'p' && p[3] != 's'))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (p[i] != '-' && p[i] != letters[i])
			return false;
	*wanted = p[0] == 'r' && (access == MEMORY_READABLE || p[1] == 'w');
	*bytes = printed_from(*bytes, 4);
	return true;
}

/* Return true for device memory, because reading it may have side effects. */
static bool is_device(struct cairn_bytes path)
{
	return printed_accept(&path, "/dev/") && !printed_accept(&path, "shm/") &&
	       !printed_accept(&path, "zero");
}

static bool read_mapping(struct cairn_bytes line, enum memory_access access,
                         struct cairn_range *range, bool *wanted)
{
	uint64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		skip_blanks(&line);
		if (!printed_address(&line, &numbers[i]))
			return false;
	}
	skip_blanks(&line);
	if (!accept_permissions(&line, access, wanted))
		return false;
	skip_blanks(&line);
	*wanted &= !is_device(line);
	*range = (struct cairn_range){ numbers[0], numbers[1] };
	return numbers[0] < numbers[1];
}

/* Parse a section. Sets *has_bytes if the core file contains the section's bytes. */
static bool read_section(struct cairn_bytes line, struct cairn_range *range, uint64_t *offset,
                         bool *has_bytes, bool *writable)
{
	skip_blanks(&line);
	if (!printed_accept(&line, "["))
		return false;
	line = printed_from(line, printed_find(line, "]"));
	if (!printed_accept(&line, "]"))
		return false;
	skip_blanks(&line);
	if (!printed_address(&line, &range->low) || !printed_accept(&line, "->") ||
	    !printed_address(&line, &range->high) || !printed_accept(&line, " at ") ||
	    !printed_address(&line, offset) || !printed_accept(&line, ": load") || line.size == 0 ||
	    line.data[0] < '0' || line.data[0] > '9')
		return false;
	*has_bytes = printed_find(line, " HAS_CONTENTS") < line.size;
	*writable = *has_bytes && printed_find(line, " READONLY") == line.size;
	return range->low < range->high;
}

static void read_core(struct cairn_bytes line, struct cairn_bytes *core)
{
	static const char end[] = "', file type ";

	if (!printed_accept(&line, "Core file: `"))
		return;
	*core = (struct cairn_bytes){ line.data, 0 };
	for (size_t i = 0; i + sizeof(end) - 1 <= line.size; i++)
		if (memcmp(line.data + i, end, sizeof(end) - 1) == 0)
			core->size = i;
}

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access)
{
	struct memory_ranges ranges = { .text = text,
		                        .access = access,
		                        .core_size = MEMORY_CORE_UNKNOWN };
	struct cairn_range range;
	bool wanted;

	while (text.size > 0 && !ranges.live) {
		struct cairn_bytes line = printed_take_line(&text);
		ranges.live = read_mapping(line, access, &range, &wanted);
		read_core(line, &ranges.core);
	}
	return ranges;
}

/*
 * Truncate a segment to the bytes that the core file can contain. Returns false if no bytes remain.
 */
static bool cut_segment(struct memory_ranges *ranges, uint64_t offset, struct cairn_range *range)
{
	uint64_t behind = offset < ranges->core_size ? ranges->core_size - offset : 0;
	uint64_t left = ranges->core_size - ranges->listed;
	uint64_t most = behind < left ? behind : left;

	if (range->high - range->low > most)
		range->high = range->low + most;
	ranges->listed += range->high - range->low;
	return most > 0;
}

/* Parse a core segment. Returns false if the caller has not asked for such memory. */
static bool take_segment(struct memory_ranges *ranges, struct cairn_bytes line,
                         struct cairn_range *range)
{
	bool has_bytes, writable;
	uint64_t offset;

	if (!read_section(line, range, &offset, &has_bytes, &writable))
		return false;
	if (ranges->access == MEMORY_READABLE && !has_bytes)
		return true;
	return (writable || ranges->access == MEMORY_READABLE) &&
	       cut_segment(ranges, offset, range);
}

bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range)
{
	bool wanted = false;

	while (ranges->text.size > 0) {
		struct cairn_bytes line = printed_take_line(&ranges->text);
		if (ranges->live ? read_mapping(line, ranges->access, range, &wanted) && wanted
		                 : take_segment(ranges, line, range))
			return true;
	}
	return false;
}

/*
 * Parses `info files` as GDB 13 to 18 print it:
 *
 *	block   = TAB "`" NAME "', file type " TYPE "." NEWLINE line*
 *	line    = TAB RANGE [" @ " OFFSET] " is " SECTION [" in " NAME] NEWLINE
 *	RANGE   = "0x" HEX " - 0x" HEX
 *
 * Everything else is skipped: headings, the entry point, GDB's own questions. The words around the
 * file type may be translated, but the words in a line are not. The offset is printed with `set
 * verbose on`. Lines without a name belong to the program, except in a core's block, where they are
 * the core's segments ("load1" or "load1a").
 *
 * The lines of one module are adjacent. For a remote target GDB prints the whole list twice.
 */

struct line {
	struct cairn_range range;
	struct cairn_bytes section;
	struct cairn_bytes name; /* module name; empty for the program */
};

/* the module whose lines are being read */
struct run {
	struct info_files_module module;
	struct cairn_bytes first;
	struct cairn_bytes name;
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

/* Parse the first line of a block. The file type is its last word in any translation. */
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
 * Return true for GDB's name for a core segment: "load" and a number, optionally followed by "a" or
 * "b".
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

/* Compare a file type, ignoring a trailing system name, as in "elf64-x86-64-freebsd". */
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

/*
 * Return true if the modules have the same name and overlapping addresses, and if both or neither
 * are the program.
 */
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
 * Add the line to its module. If a file has been loaded twice (dlmopen), the lines of both copies
 * may be adjacent: the second copy begins where the first section's name occurs again.
 */
static void add_line(struct info_files *files, struct run *run, const struct block *block,
                     const struct line *line)
{
	struct cairn_bytes name = line->name;

	if (printed_accept(&name, "/proc/self/fd/")) /* symbols from cairn, not a module */
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
