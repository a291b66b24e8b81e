/* SPDX-License-Identifier: MIT */
/* Symbolizes the addresses in a backtrace, and prints names. */
#include "cbf.h"

#include "base/memory.h"
#include "output/escape.h"
#include "output/location.h"

#include <cairn/dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols)
{
	return symbols->wanted || symbols->exes.count > 0 || symbols->directories;
}

static void credit_opened(void *context, const char *path, uint64_t size)
{
	struct cbf_symbols *symbols = context;

	(void)path;
	if (symbols->printed)
		printed_credit(symbols->printed, size);
}

static bool open_symbolizer(struct cbf_symbols *symbols)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	options.directories = symbols->directories;
	options.programs = symbols->exes.word;
	options.program_count = symbols->exes.count;
	options.builds = CAIRN_BUILD_NAMED;
	options.modules_max = CBF_PROGRAMS_MAX;
	options.opened = credit_opened;
	options.opened_context = symbols;
	symbols->symbolizer = cairn_symbolizer_new(&options);
	if (symbols->symbolizer &&
	    cairn_symbolizer_add(symbols->symbolizer, cairn_dwarf_source()) == CAIRN_OK)
		return true;
	return refuse_with(NULL, "out of memory");
}

bool cbf_symbols_open(struct cbf_symbols *symbols)
{
	bool good = !cbf_symbols_are_wanted(symbols) || open_symbolizer(symbols);

	for (size_t i = 0; i < symbols->exes.count; i++) {
		struct os_file file;
		struct elf elf;
		if (!input_open_elf(symbols->exes.word[i], &file, &elf)) {
			good = false;
			continue;
		}
		os_file_close(&file);
	}
	if (symbols->swift_core)
		print_diagnostic(NULL, "--swift-core is ignored: cairn demangles Swift names "
		                       "without libswiftCore");
	return good;
}

void cbf_symbols_close(struct cbf_symbols *symbols)
{
	if (symbols->flaw)
		print_diagnostic("debug information", "%s requested", symbols->flaw);
	cairn_symbolizer_free(symbols->symbolizer);
	free(symbols->path);
}

/*
 * Return the image's path as a C string, valid until the next call. Return NULL if the path is
 * empty or allocation fails.
 */
static const char *find_path(struct cbf_symbols *symbols, struct cairn_bytes path)
{
	if (path.size == 0 ||
	    !array_grow(&symbols->path, &symbols->path_capacity, path.size + 1, 1))
		return NULL;
	memcpy(symbols->path, path.data, path.size);
	symbols->path[path.size] = '\0';
	return symbols->path;
}

size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, const struct cairn_location **locations)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	struct cairn_symbol_answer answer;
	const uint64_t offset = address - image->base;

	module.path = find_path(symbols, image->path);
	module.build_id = image->build_id;
	module.from_lowest = true;
	if (cairn_symbolizer_find(symbols->symbolizer, &module, &offset, 1, &answer,
	                          sizeof(answer)) != CAIRN_OK)
		return 0;
	symbols->flaw = answer.flaw ? answer.flaw : symbols->flaw;
	*locations = answer.locations;
	return answer.count;
}

/* Return the demangled name, or the linkage name if the print limit is reached. */
static struct cairn_bytes read_demangled_name(const struct cbf_names *names,
                                              struct cairn_bytes name)
{
	struct cairn_bytes readable = demangled_name(name);

	return readable.data == name.data || printed_take(names->printed, escaped_size(readable))
	               ? readable
	               : name;
}

/*
 * Print the innermost function on the frame's line, and each function that it was inlined into on a
 * line of its own.
 */
void cbf_names_text(const struct cbf_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		fputs(i ? "\n\t\t\t" : "\t", stdout);
		const struct cairn_location l =
			printed_location(names->printed, &names->locations[i]);
		print_text(stdout, read_demangled_name(names, l.function));
		printf(" + %" PRIu64, l.offset);
		if (l.file.size > 0 || l.line > 0) {
			fputs(" at ", stdout);
			print_source_location(stdout, &l);
		}
		if (l.inlined)
			fputs(" [inlined]", stdout);
	}
}

void cbf_names_lines(const struct cbf_names *names, uint64_t frame)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct cairn_location l =
			printed_location(names->printed, &names->locations[i]);
		struct cairn_bytes readable = read_demangled_name(names, l.function);
		printf("S %" PRIu64 " ", frame);
		print_word(stdout, l.function);
		printf(" %" PRIu64 " ", l.offset);
		print_source_location_word(stdout, &l);
		fputs(l.inlined ? " inlined " : " - ", stdout);
		readable.size = readable.data == l.function.data ? 0 : readable.size;
		print_word(stdout, readable);
		putchar('\n');
	}
}

void cbf_names_json(struct json *json, const struct cbf_names *names)
{
	static struct location_path path;

	json_array(json, "symbols");
	for (size_t i = 0; i < names->count; i++) {
		const struct cairn_location l =
			printed_location(names->printed, &names->locations[i]);
		json_object(json, NULL);
		const struct cairn_bytes readable = read_demangled_name(names, l.function);
		json_text(json, "function", l.function);
		if (readable.data != l.function.data)
			json_text(json, "demangled", readable);
		json_number(json, "offset", l.offset);
		location_path(&path, &l);
		if (path.text.size > 0) {
			json_text(json, "file", path.text);
			json_number(json, "line", l.line);
			if (l.column > 0)
				json_number(json, "column", l.column);
		}
		json_bool(json, "inlined", l.inlined);
		json_end(json);
	}
	json_end(json);
}

void cbf_print_set(const char *const *names, unsigned set)
{
	bool more = false;

	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1) {
			printf("%s%s", more ? "," : "", names[i]);
			more = true;
		}
	if (!more)
		putchar('-');
}

void cbf_json_set(struct json *json, const char *key, const char *const *names, unsigned set)
{
	json_array(json, key);
	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1)
			json_string(json, NULL, names[i]);
	json_end(json);
}
