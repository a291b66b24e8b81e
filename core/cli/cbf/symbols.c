/* SPDX-License-Identifier: MIT */
/*
 * Opens the ELF and GSYM files that match the build IDs of a backtrace's images and looks up frame
 * addresses in them.
 */
#include "symbols.h"

#include "base/array_grow.h"
#include "os/cache/cache_origin.h"
#include "os/module/symbol_path.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PROGRAMS_MAX = 1 << 14 };

static bool has_same_bytes(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols)
{
	return symbols->wanted || symbols->exes.count > 0 || symbols->directories ||
	       symbols->debug_directories || symbols->demangler.path;
}

static struct cairn_bytes extract_file_name(const char *path)
{
	struct cairn_bytes text = { (const uint8_t *)path, strlen(path) };
	return imagemap_name(text);
}

/* Where the first loaded byte of the file was linked to be. */
static uint64_t find_lowest_va(const struct elf *elf)
{
	struct elf_segment segment;
	uint64_t low = UINT64_MAX;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++)
		if (segment.type == ELF_PT_LOAD && segment.va < low)
			low = segment.va;
	return low == UINT64_MAX ? 0 : low & -(uint64_t)PAGE;
}

bool cbf_symbols_open(struct cbf_symbols *symbols)
{
	bool good = true;

	for (size_t i = 0; i < symbols->exes.count; i++) {
		struct os_file file;
		struct elf elf;
		if (!input_open_elf(symbols->exes.word[i], &file, &elf)) {
			good = false;
			continue;
		}
		os_file_close(&file);
	}
	if (symbols->demangler.path && !os_swift_demangler_works(&symbols->demangler)) {
		print_diagnostic(symbols->demangler.path, "this library has no swift_demangle");
		good = false;
	}
	return good;
}

static void close_source(struct cbf_symbol_source *source)
{
	const char *cut = source->names ? debuginfo_names_cut(source->names) : NULL;

	if (cut)
		print_diagnostic("debug information", "%s that was asked for", cut);
	debuginfo_names_close(source->names);
	cairn_symbols_free(source->gsym);
	os_file_close(&source->file);
}

void cbf_symbols_close(struct cbf_symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++) {
		struct cbf_program *program = &symbols->programs[i];
		for (size_t k = 0; k < program->count; k++)
			close_source(&program->sources[k]);
		free(program->path);
		free((void *)(uintptr_t)program->build_id.data);
	}
	free(symbols->programs);
	os_swift_demangler_close(&symbols->demangler);
}

/* What was opened is part of what names may be printed of. */
static void add_source(const struct cbf_symbols *symbols, struct cbf_program *program,
                       const struct cbf_symbol_source *source)
{
	program->sources[program->count++] = *source;
	if (symbols->printed)
		printed_credit(symbols->printed, source->file.bytes.size);
}

/* An ELF file, when it belongs to the image.  False: it does not, or cannot be read. */
static bool open_elf_source(const struct cbf_symbols *symbols, struct cbf_program *program,
                            const char *path, bool by_name)
{
	struct cbf_symbol_source source = { .low = 0 };
	struct cairn_fault fault;
	struct elf elf;
	const char *why;

	if (program->count == CBF_PROGRAM_SOURCES || os_file_open_regular(path, &source.file) != 0)
		return false;
	bool good = elf_open(source.file.bytes, &elf, &fault) == CAIRN_OK;
	if (good && program->build_id.size > 0)
		good = has_same_bytes(elf_build_id(&elf), program->build_id);
	else if (good)
		good = by_name &&
		       has_same_bytes(extract_file_name(path), extract_file_name(program->path));
	if (good) {
		source.low = find_lowest_va(&elf);
		source.names = debuginfo_names_open(source.file.bytes, &why);
	}
	if (!source.names) {
		os_file_close(&source.file);
		return false;
	}
	add_source(symbols, program, &source);
	return true;
}

static bool open_gsym_source(const struct cbf_symbols *symbols, struct cbf_program *program,
                             const char *path, const char *binary)
{
	struct cbf_symbol_source source = { .low = 0 };
	struct cairn_fault fault;

	if (program->count == CBF_PROGRAM_SOURCES || os_file_open_regular(path, &source.file) != 0)
		return false;
	if (os_cache_origin_check(source.file.bytes, binary, &fault) != CAIRN_OK ||
	    cairn_symbols_open(source.file.bytes, program->build_id, &source.gsym, &fault) !=
	            CAIRN_OK) {
		os_file_close(&source.file);
		return false;
	}
	if (program->count > 0) /* an ELF file of the same build */
		source.low = program->sources[0].low;
	add_source(symbols, program, &source);
	return true;
}

static void open_sources(const struct cbf_symbols *symbols, struct cbf_program *program)
{
	const char *binary = *program->path ? program->path : "/";
	struct symbol_path search =
		symbol_path(binary, program->build_id, symbols->debug_directories, "debug");

	for (size_t i = 0; i < symbols->exes.count; i++)
		open_elf_source(symbols, program, symbols->exes.word[i], true);
	if (program->build_id.size == 0)
		return;
	while (symbol_path_next(&search))
		if (open_elf_source(symbols, program, search.path, false))
			break;
	open_elf_source(symbols, program, binary, false);
	search = symbol_path(binary, program->build_id, symbols->directories, "gsym");
	while (symbol_path_next(&search))
		if (open_gsym_source(symbols, program, search.path, binary))
			break;
}

static struct cbf_program *find_known_program(const struct cbf_symbols *symbols,
                                              const struct imagemap_image *i)
{
	for (size_t k = 0; k < symbols->count; k++) {
		struct cbf_program *program = &symbols->programs[k];
		struct cairn_bytes path = { (const uint8_t *)program->path, strlen(program->path) };
		if (has_same_bytes(program->build_id, i->build_id) && has_same_bytes(path, i->path))
			return program;
	}
	return NULL;
}

/* A copy that ends with a NUL; a path with one inside is not a path. */
static char *copy_as_string(struct cairn_bytes bytes)
{
	char *text = malloc(bytes.size + 1);

	if (text) {
		memcpy(text, bytes.data, bytes.size);
		text[bytes.size] = '\0';
	}
	return text;
}

/* The image, with what is known of it; NULL when memory is short or there are too many. */
static struct cbf_program *find_or_add_program(struct cbf_symbols *symbols,
                                               const struct imagemap_image *image)
{
	struct cbf_program *program = find_known_program(symbols, image);

	if (program || symbols->count == PROGRAMS_MAX)
		return program;
	if (!array_grow(&symbols->programs, &symbols->room, symbols->count + 1,
	                sizeof(*symbols->programs)))
		return NULL;
	char *path = copy_as_string(image->path), *id = copy_as_string(image->build_id);
	if (!path || !id) {
		free(path);
		free(id);
		return NULL;
	}
	program = &symbols->programs[symbols->count++];
	*program = (struct cbf_program){ .build_id = { (const uint8_t *)id, image->build_id.size },
		                         .path = path };
	open_sources(symbols, program);
	return program;
}

static size_t ask_gsym(struct cairn_symbols *gsym, uint64_t va,
                       struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	struct cairn_lookup_result answer;
	size_t count = 0;

	if (cairn_symbols_find(gsym, va, &answer) != CAIRN_OK)
		return 0;
	while (count < DEBUGINFO_LOCATIONS && cairn_lookup_result_next(&answer, &locations[count]))
		count++;
	return count;
}

size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	struct cbf_program *program = find_or_add_program(symbols, image);
	struct cairn_location other[DEBUGINFO_LOCATIONS];
	size_t count = 0;

	for (size_t i = 0; program && i < program->count; i++) {
		struct cbf_symbol_source *source = &program->sources[i];
		uint64_t va = address - image->base + source->low;
		size_t got = source->names ? debuginfo_names_find(source->names, va, other)
		                           : ask_gsym(source->gsym, va, other);
		if (got > 0 && (count == 0 || other[0].file.size > 0)) {
			memcpy(locations, other, got * sizeof(*other));
			count = got;
		}
		if (count > 0 && locations[0].file.size > 0)
			break;
	}
	return count;
}
