/* SPDX-License-Identifier: MIT */
/*
 * Opens an ELF file and its separate debug files as a source of functions and tells the host of missing or
 * damaged ones.
 */
#include "elf_source.h"

#include "base/bytes_compare.h"

#include "messages.h"

#include "debuginfo/elf/minidebug.h"
#include "os/module/build_id_path.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cairn_bytes choose_debug_bytes(const struct function_source *origin)
{
	const struct separate_debug_files *halves = &origin->elf->halves;

	return halves->debug.path[0] ? halves->debug.file.bytes : origin->file.bytes;
}

const char *elf_source_debug_path(const struct function_source *origin)
{
	const struct separate_debug_files *halves = &origin->elf->halves;

	return halves->debug.path[0] ? halves->debug.path : origin->path;
}

/* The lowest address that is loaded; relocatable files begin with their first function. */
static uint64_t find_base(const struct elf *elf)
{
	struct elf_segment segment;
	uint64_t base = UINT64_MAX;

	for (uint32_t i = 0; i < elf->segments; i++)
		if (elf_segment(elf, i, &segment) && segment.type == ELF_PT_LOAD &&
		    segment.va < base)
			base = segment.va;
	return base;
}

/* A section's name as part of a message. */
static void format_section_name(struct cairn_bytes text, uint32_t index, char name[64])
{
	size_t size = text.size < 63 ? text.size : 63;

	if (size == 0)
		snprintf(name, 64, "section %" PRIu32, index);
	for (size_t i = 0; i < size; i++) {
		name[i] = (char)(text.data[i] > ' ' && text.data[i] < 0x7f ? text.data[i] : '?');
		name[i + 1] = '\0';
	}
}

static bool is_cut_off(const struct elf *elf, const struct elf_section *section)
{
	return section->type != ELF_SHT_NOBITS && section->index > 0 && section->size > 0 &&
	       elf_section_bytes(elf, section).size == 0;
}

bool elf_source_check_whole(const char *path, struct cairn_bytes bytes, struct cairn_error *error)
{
	struct cairn_fault fault;
	struct elf_section section;
	struct elf elf;
	char name[64];

	if (elf_open(bytes, &elf, &fault) != CAIRN_OK) {
		error_set_fault(error, path, NULL, &fault, NULL);
		return false;
	}
	for (uint32_t i = 0; i < elf.sections || (elf.sections == 0 && elf.sections_at); i++) {
		bool there = elf_section(&elf, i, &section);
		if (there && !is_cut_off(&elf, &section))
			continue;
		if (there)
			format_section_name(section.name, i, name);
		fault = (struct cairn_fault){ CAIRN_TRUNCATED,
			                      there ? section.offset : elf.sections_at,
			                      "it extends past the end of the file; it begins" };
		error_set_fault(error, path, there ? name : "section headers", &fault, NULL);
		return false;
	}
	return true;
}

/* Is it an ELF file?  False: the error says so. */
static bool parse_elf(const char *path, struct cairn_bytes bytes, struct elf *elf,
                      struct cairn_error *error)
{
	struct cairn_fault fault;

	if (elf_open(bytes, elf, &fault) == CAIRN_OK)
		return true;
	error_set_fault(error, path, NULL, &fault, "an ELF file is expected");
	return false;
}

bool elf_source_check_linked(const char *path, const struct elf *elf, struct cairn_error *error)
{
	if (elf->type != ELF_TYPE_REL || elf_has_one_text(elf))
		return true;
	error_set(error, CAIRN_UNSUPPORTED, path,
	          "a relocatable file with several sections of code, whose addresses would "
	          "collide; link it first");
	return false;
}

static bool read_elf_facts(struct function_source *origin)
{
	struct elf elf;

	if (!parse_elf(origin->path, origin->file.bytes, &elf, origin->error))
		return false;
	origin->kind = CAIRN_SYMBOLS_ELF;
	origin->build_id = elf_build_id(&elf);
	origin->big = elf.big;
	origin->base = find_base(&elf);
	return elf_source_check_linked(origin->path, &elf, origin->error);
}

/* Names that are in the alternate file are lost: which file, and where it would be looked for. */
static void report_missing_alt(const struct function_source *origin)
{
	const struct separate_debug_files *h = &origin->elf->halves;
	char hex[BUILD_ID_TEXT_MAX], where[BUILD_ID_PATH_MAX], why[BUILD_ID_PATH_MAX + 400];

	if (!build_id_text(h->alt_id, hex) ||
	    !build_id_path(where, sizeof(where), "DIR", 3, h->alt_id, "debug"))
		snprintf(why, sizeof(why),
		         "its alternate file (dwz) is missing: the names and lines in it are lost");
	else
		snprintf(why, sizeof(why),
		         "its alternate file (dwz), of build ID %s, is missing: the names and "
		         "lines in it are lost; \"gsym create\" and \"symbfile create\" take "
		         "%s with --directory DIR",
		         hex, where);
	message_tell_word(origin, CAIRN_MESSAGE_NOTE, elf_source_debug_path(origin),
	                  (const char *)h->alt_name.data, why);
}

static void report_debug_files(const struct function_source *origin)
{
	const struct separate_debug_files *h = &origin->elf->halves;

	if (h->refused[0] && !h->debug.path[0])
		message_tell(origin, CAIRN_MESSAGE_NOTE, h->refused,
		             "belongs to another build and is not used");
	if (h->debug_name && !h->debug.path[0]) {
		char paths[SEPARATE_DEBUG_FILES_LIST_MAX];
		separate_debug_files_list_absent(h, paths);
		message_tell_word(origin, CAIRN_MESSAGE_NOTE, origin->path, paths,
		                  SEPARATE_DEBUG_FILES_ABSENT);
	}
	if (h->wants_alt && !h->alt.path[0])
		report_missing_alt(origin);
	if (h->debug.path[0])
		message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path, "with %s", h->debug.path);
	if (h->alt.path[0])
		message_tell(origin, CAIRN_MESSAGE_DETAIL, origin->path, "with %s", h->alt.path);
}

/* Symbols that distributions leave in a stripped program, beside those of the dynamic linker. */
static enum cairn_status read_minidebug(struct elf_source *elf, struct cairn_bytes file,
                                        struct cairn_fault *fault)
{
	size_t size = 0;
	enum cairn_status status = minidebug_read(file, &elf->minidebug, &size, fault);

	if (status != CAIRN_OK)
		return status;
	return aliases_read(&elf->aliases, (struct cairn_bytes){ elf->minidebug, size },
	                    ALIASES_SYMTAB, fault);
}

static bool report_symbol_fault(const struct function_source *origin, const char *where,
                                enum cairn_status status, const struct cairn_fault *fault)
{
	if (status == CAIRN_NO_MEMORY)
		error_set_memory(origin->error, origin->path);
	else if (status != CAIRN_OK && status != CAIRN_NOT_FOUND)
		message_tell_fault(origin, CAIRN_MESSAGE_NOTE, origin->path, where, fault, NULL);
	return status != CAIRN_NO_MEMORY;
}

/* The file that the user names for symbols, of the same build; false: the error says why not. */
static bool open_given_symbols(struct function_source *origin)
{
	const char *path = origin->options.symbols;
	struct elf elf;

	if (!path)
		return true;
	if (function_source_open_file(&origin->options, path, &origin->elf->symbols,
	                              origin->error) != CAIRN_OK ||
	    !parse_elf(path, origin->elf->symbols.bytes, &elf, origin->error))
		return false;
	const struct cairn_bytes id = elf_build_id(&elf), own = origin->build_id;
	if (id.size == 0 || own.size == 0 || bytes_equal(id, own))
		return elf_source_check_whole(path, origin->elf->symbols.bytes, origin->error);
	error_set(origin->error, CAIRN_MISMATCH, path, "belongs to another build than %s",
	          origin->path);
	return false;
}

static bool read_given_symbols(struct function_source *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status =
		aliases_read(&elf->aliases, elf->symbols.bytes, ALIASES_SYMTAB, &fault);

	aliases_sort(&elf->aliases);
	if (status == CAIRN_NOT_FOUND)
		message_tell(origin, CAIRN_MESSAGE_NOTE, origin->options.symbols,
		             "no .symtab in it");
	return report_symbol_fault(origin, "symbols", status, &fault);
}

/* .symtab of either half, else what the dynamic linker has, and .gnu_debugdata. */
static bool read_aliases(struct function_source *origin)
{
	struct elf_source *elf = origin->elf;
	struct cairn_bytes own = origin->file.bytes, debug = choose_debug_bytes(origin);
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status;
	bool ok = true;

	if (origin->options.symbols)
		return read_given_symbols(origin);
	status = aliases_read(&elf->aliases, own, ALIASES_SYMTAB, &fault);
	if (elf->aliases.count == 0 && debug.data != own.data)
		status = aliases_read(&elf->aliases, debug, ALIASES_SYMTAB, &fault);
	if (elf->aliases.count == 0) {
		status = aliases_read(&elf->aliases, own, ALIASES_DYNSYM, &fault);
		struct cairn_fault mini = { CAIRN_OK, 0, NULL };
		enum cairn_status unpacked = read_minidebug(elf, own, &mini);
		ok = report_symbol_fault(origin, ".gnu_debugdata", unpacked, &mini);
	}
	aliases_sort(&elf->aliases);
	return report_symbol_fault(origin, "symbols", status, &fault) && ok;
}

static struct cairn_bytes find_split(void *context, struct cairn_bytes directory,
                                     struct cairn_bytes name, uint64_t id)
{
	(void)id;
	return separate_debug_files_dwo(context, directory, name);
}

/* The program while it is opened, maybe beside the symbols: it reports nothing before the end. */
struct opening {
	struct program_input input;
	struct program *program;
	struct program_damage damage;
	enum cairn_status status;
};

static void *run_opening(void *context)
{
	struct opening *opening = context;

	opening->status = program_open(&opening->input, &opening->program, &opening->damage);
	return NULL;
}

static struct opening begin_opening(struct function_source *origin)
{
	struct elf_source *elf = origin->elf;
	const struct program_input input = { .debug = choose_debug_bytes(origin),
		                             .alt = elf->halves.alt.file.bytes,
		                             .split = { find_split, &elf->halves,
		                                        elf->halves.package.file.bytes },
		                             .aliases = &elf->aliases,
		                             .call_sites = origin->options.calls,
		                             .every_row = origin->options.statements,
		                             .columns = origin->columns,
		                             .mapped = origin->file.mapped,
		                             .threads = origin->options.jobs };

	return (struct opening){ .input = input };
}

static bool check_opening(const struct function_source *origin, const struct opening *opening)
{
	if (opening->status == CAIRN_OK || opening->status == CAIRN_NOT_FOUND)
		return true;
	error_set_fault(origin->error, elf_source_debug_path(origin), opening->damage.section,
	                &opening->damage.fault, NULL);
	return false;
}

/* Symbols and DWARF are read at once where there are threads for that. */
static bool open_both(struct function_source *origin)
{
	struct opening opening = begin_opening(origin);
	pthread_t thread;
	const bool beside = origin->options.jobs > 1 &&
	                    pthread_create(&thread, NULL, run_opening, &opening) == 0;
	const bool has_aliases = read_aliases(origin);

	if (beside)
		pthread_join(thread, NULL);
	else if (has_aliases)
		run_opening(&opening);
	origin->elf->program = opening.program;
	return has_aliases && check_opening(origin, &opening);
}

/* Somebody else may have the file that is not here. */
static void fetch_debug_file(struct function_source *origin)
{
	const struct cairn_functions_options *options = &origin->options;
	struct separate_debug_files *halves = &origin->elf->halves;
	char path[SEPARATE_DEBUG_FILES_PATH_MAX];
	struct elf elf;

	if (!options->fetch || halves->debug.path[0] || !elf_opens(origin->file.bytes, &elf) ||
	    halves->has_dwarf)
		return;
	const struct cairn_bytes id = elf_build_id(&elf);
	if (id.size == 0 || !options->fetch(options->context, id, path, sizeof(path)))
		return;
	if (!separate_debug_files_give(halves, path, id))
		message_tell(origin, CAIRN_MESSAGE_DAMAGE, path,
		             "not used: it is of another build, or cannot be read");
}

bool elf_source_open(struct function_source *origin)
{
	struct elf_source *elf = calloc(1, sizeof(*elf));

	origin->elf = elf;
	if (!elf) {
		error_set_memory(origin->error, origin->path);
		return false;
	}
	const struct separate_debug_rules rules = { .folders = origin->options.folders,
		                                    .access = &origin->options.files };
	separate_debug_files_find_by(&elf->halves, origin->path, origin->file.bytes, &rules);
	fetch_debug_file(origin);
	const struct separate_debug_file *debug = &elf->halves.debug, *alt = &elf->halves.alt;
	if (elf_source_check_whole(origin->path, origin->file.bytes, origin->error) &&
	    read_elf_facts(origin) && open_given_symbols(origin) &&
	    (!debug->path[0] ||
	     elf_source_check_whole(debug->path, debug->file.bytes, origin->error)) &&
	    (!alt->path[0] || elf_source_check_whole(alt->path, alt->file.bytes, origin->error))) {
		report_debug_files(origin);
		return true;
	}
	return false;
}

void elf_source_free_readers(struct elf_source *elf)
{
	for (size_t i = 0; i < elf->readers; i++)
		program_reader_free(elf->reader[i]);
	free(elf->reader);
	elf->reader = NULL;
	elf->readers = 0;
}

void elf_source_close(struct function_source *origin)
{
	struct elf_source *elf = origin->elf;

	if (!elf)
		return;
	origin->elf = NULL;
	elf_source_free_readers(elf);
	elf_go_close(elf);
	program_close(elf->program);
	aliases_finish(&elf->aliases);
	free(elf->minidebug);
	os_file_close(&elf->symbols);
	separate_debug_files_finish(&elf->halves);
	free(elf);
}

bool elf_source_prepare(struct function_source *origin)
{
	if (!origin->elf->prepared)
		origin->elf->prepared = open_both(origin) && elf_go_open(origin);
	return origin->elf->prepared;
}
