/* SPDX-License-Identifier: MIT */
/*
 * dump_by_libdw [--calls] [--statements] [--no-symbols] [--alt FILE] FILE: what `cairn dwarf dump` prints, with entries that
 * libdw has read in place of our own decoder.
 */
#include "libdw_walk.h"

#include "cli/dwarf.h"
#include "debuginfo/program_state.h"
#include "os/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t nothing[1];

static void fail(const char *what)
{
	fprintf(stderr, "dump_by_libdw: %s\n", what);
	exit(3);
}

static struct cairn_bytes open_bytes(const char *path)
{
	static struct os_file files[2];
	static size_t count;

	if (os_file_open(path, &files[count]) != 0)
		fail(path);
	return files[count++].bytes;
}

static enum cairn_status print(void *printed, const struct function *function)
{
	dwarf_print_function(printed, function);
	return CAIRN_OK;
}

static void read_lines(struct program_reader *reader, struct libdw_reader *libdw,
                       const struct dwarf_unit *unit)
{
	struct dwarf_bases bases = { .addr = 0 };
	struct lines_source source = { .sections = &reader->program->main.sections,
		                       .unit = unit,
		                       .bases = &bases,
		                       .text = &reader->program->text,
		                       .comp_dir = { nothing, 0 },
		                       .texts = &reader->texts };
	uint64_t offset = 0;

	if (!libdw_find_lines(libdw, unit, &offset, &source.comp_dir))
		lines_clear(&reader->lines);
	else if (!lines_read(&reader->lines, &source, offset))
		fail("no memory for lines");
}

/* False: something is wrong in the unit. */
static bool read_unit(struct program_reader *reader, struct libdw_reader *libdw, size_t number,
                      const struct function_sink *sink)
{
	const struct dwarf_unit *unit = &reader->program->main.units.unit[number];
	const struct libdw_unit given = { .sections = &reader->program->main.sections,
		                          .unit = unit,
		                          .builder = &reader->builder,
		                          .lines = &reader->lines,
		                          .texts = &reader->texts,
		                          .call_sites = reader->program->input.call_sites };
	struct cairn_fault fault;

	if (!program_may_hold_code(unit))
		return unit->version != 0;
	read_lines(reader, libdw, unit);
	reader->builder.unit = number;
	reader->builder.status = CAIRN_OK;
	function_builder_begin(&reader->builder, unit, sink);
	reader->builder.earlier = NULL;
	return libdw_read_unit(libdw, &given, &fault) == CAIRN_OK &&
	       reader->lines.fault.status == CAIRN_OK;
}

static bool dump(const struct program_input *input)
{
	struct allowance printed = allowance_of(UINT64_MAX, 0, 0);
	const struct function_sink sink = { print, &printed };
	struct program_damage damage;
	struct program *program;
	bool good = true;

	if (program_open(input, &program, &damage) != CAIRN_OK)
		fail("no DWARF");
	struct program_reader *reader = program_reader_new(program);
	struct libdw_reader *libdw =
		!reader ? NULL
			: libdw_open(&program->plain, program->has_alt ? &program->alt_plain : NULL,
	                             &reader->budget);
	if (!libdw)
		fail("libdw cannot read the file");
	for (size_t i = 0; i < program_units(program); i++)
		good = read_unit(reader, libdw, i, &sink) && good;
	libdw_close(libdw);
	program_reader_free(reader);
	program_close(program);
	return good;
}

int main(int argc, char **argv)
{
	struct aliases aliases = { .entry = NULL };
	struct program_input input = { .aliases = &aliases, .alt = { nothing, 0 } };
	struct cairn_fault fault;
	bool symbols = true;

	input.split.package = input.alt;
	for (int i = 1; i + 1 < argc; i++) {
		input.call_sites |= strcmp(argv[i], "--calls") == 0;
		input.every_row |= strcmp(argv[i], "--statements") == 0;
		symbols = symbols && strcmp(argv[i], "--no-symbols") != 0;
		if (strcmp(argv[i], "--alt") == 0)
			input.alt = open_bytes(argv[++i]);
	}
	input.debug = open_bytes(argv[argc - 1]);
	if (symbols &&
	    aliases_read(&aliases, input.debug, ALIASES_SYMTAB, &fault) == CAIRN_NOT_FOUND)
		(void)!aliases_read(&aliases, input.debug, ALIASES_DYNSYM, &fault);
	aliases_sort(&aliases);
	const bool good = dump(&input);
	aliases_finish(&aliases);
	return good ? 0 : 1;
}
