/* SPDX-License-Identifier: MIT */
/* Where the files of a build are looked for, and whether they are the right ones. */
#include "markup.h"

#include "os/module/build_id_path.h"
#include "os/module/symbol_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char system_directory[] = "/usr/lib/debug";

static bool has_id(const struct markup_file *f, const struct elf *elf)
{
	struct cairn_bytes id = elf_build_id(elf);

	return id.size == f->id_size && memcmp(id.data, f->id, id.size) == 0;
}

static void close_spare(struct markup_file *f)
{
	if (f->spare)
		os_file_close(&f->spare_elf);
	debuginfo_names_close(f->spare);
	f->spare = NULL;
}

/* A program without debug information will do when there is nothing else. */
static bool keep_spare(struct markup_file *f)
{
	if (debuginfo_names_have_dwarf(f->names))
		return false;
	close_spare(f);
	f->spare = f->names;
	f->spare_elf = f->elf;
	f->names = NULL;
	return true;
}

static void use_spare(struct markup_file *f)
{
	if (!f->names && f->spare) {
		f->names = f->spare;
		f->elf = f->spare_elf;
		f->spare = NULL;
	}
	close_spare(f);
}

/* Opens an ELF file when it belongs to the build; false when it is of no use, or of little. */
static bool open_elf_of_build(const struct markup_symbols *s, struct markup_file *f,
                              const char *path)
{
	struct cairn_fault fault;
	struct elf elf;
	const char *why;

	if (f->names || os_file_open_regular(path, &f->elf) != 0)
		return false;
	bool good = elf_open(f->elf.bytes, &elf, &fault) == CAIRN_OK;
	if (good && !s->any_build && !has_id(f, &elf)) {
		good = false;
		f->why = "the file that was found belongs to another build";
	}
	if (good)
		f->names = debuginfo_names_open(f->elf.bytes, &why);
	if (!f->names)
		os_file_close(&f->elf);
	return f->names && (s->any_build || !keep_spare(f));
}

/* A symbfile does not record which build it is for: its name must, and `id` is empty. */
static bool open_symbols(struct markup_file *f, const char *path, struct cairn_bytes id)
{
	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_fault fault;
	enum cairn_status status = CAIRN_NOT_FOUND;

	options.build_id = id;
	if (!f->symbols)
		status = cairn_symbol_file_open(path, &options, &f->symbols, &fault);
	if (status == CAIRN_MISMATCH)
		f->why = "the file that was found belongs to another build";
	return status == CAIRN_OK;
}

/* The debug file in a tree of build IDs, or the program there. */
static bool search_tree(const struct markup_symbols *s, struct markup_file *f,
                        const char *directory, size_t length)
{
	const struct cairn_bytes id = { f->id, f->id_size };
	char path[SYMBOL_PATH_MAX];

	if (!build_id_path(path, sizeof(path), directory, length, id, "debug"))
		return false;
	if (open_elf_of_build(s, f, path))
		return true;
	return !s->any_build && build_id_path(path, sizeof(path), directory, length, id, "") &&
	       open_elf_of_build(s, f, path);
}

static bool search_debug(const struct markup_symbols *s, struct markup_file *f)
{
	for (size_t i = 0; i < s->debug_directories.count; i++) {
		const char *rest = s->debug_directories.word[i];
		while (*rest) {
			size_t size = strcspn(rest, ":");
			if (size > 0 && size < SYMBOL_PATH_MAX && search_tree(s, f, rest, size))
				return true;
			rest += size + (rest[size] == ':');
		}
	}
	return s->debug_directories.count == 0 &&
	       search_tree(s, f, system_directory, strlen(system_directory));
}

/* What symbols are kept in, best first; a symbfile does not record which build it is for. */
static const struct kind {
	const char *extension;
	bool tells_build;
} kinds[] = {
	{ "gsym", true },
	{ "sym", true }, /* Breakpad */
	{ "symbfile", false },
	{ "ranges", false },
};

/* In the tree of build IDs of a directory, or as DIRECTORY/abcdef.EXTENSION; NULL: where the system has it. */
static bool search_kind(struct markup_file *f, const char *directory, const struct kind *kind)
{
	struct cairn_bytes id = { f->id, f->id_size };
	struct cairn_bytes asked = { f->id, kind->tells_build ? f->id_size : 0 };
	struct symbol_path search = symbol_path("/", id, directory, kind->extension);
	char hex[BUILD_ID_TEXT_MAX], path[SYMBOL_PATH_MAX];

	if (!build_id_text(id, hex))
		return false;
	while (symbol_path_next(&search))
		if (open_symbols(f, search.path, asked))
			return true;
	if (!directory)
		return false;
	int size = snprintf(path, sizeof(path), "%s/%s.%s", directory, hex, kind->extension);
	return size > 0 && (size_t)size < sizeof(path) && open_symbols(f, path, asked);
}

/* Symbfiles of the program at `binary`, which are known by its FileID, not by the build's. */
static bool search_fetched(const struct markup_symbols *s, struct markup_file *f,
                           const char *binary)
{
	const struct cairn_bytes id = { f->id, f->id_size }, any = { f->id, 0 };
	char cached[SYMBOL_PATH_MAX], path[SYMBOL_PATH_MAX];
	struct cairn_file_id file_id;
	struct cairn_fault fault;

	if (cairn_file_id_read(binary, id, &file_id, &fault) != CAIRN_OK ||
	    !cairn_file_id_path(&file_id, cached, sizeof(cached)))
		return false;
	for (size_t i = 0; i < s->gsym_directories.count; i++) {
		int size = snprintf(path, sizeof(path), "%s%s", s->gsym_directories.word[i],
		                    strrchr(cached, '/'));
		if (size > 0 && (size_t)size < sizeof(path) && open_symbols(f, path, any))
			return true;
	}
	return open_symbols(f, cached, any);
}

static bool open_program(const struct markup_symbols *s, struct markup_file *f, const char *path)
{
	return open_elf_of_build(s, f, path) || (!s->any_build && search_fetched(s, f, path));
}

static bool search_exes(const struct markup_symbols *s, struct markup_file *f)
{
	char path[SYMBOL_PATH_MAX];
	uint64_t base;

	if (markup_exe_cached_path(s, f, path)) {
		struct markup_symbols any = { .any_build = true };
		return open_elf_of_build(&any, f, path);
	}
	for (size_t i = 0; i < s->exes.count; i++)
		if (markup_exe_parse(s->exes.word[i], path, &base) && open_program(s, f, path))
			return true;
	return false;
}

/* The module's own path, when the user allows it. */
static bool search_path(const struct markup_symbols *s, struct markup_file *f,
                        const struct cairn_markup_module *module)
{
	char path[SYMBOL_PATH_MAX];

	if (!s->by_path || module->name.size == 0 || module->name.data[0] != '/' ||
	    module->name.size >= sizeof(path) || memchr(module->name.data, '\0', module->name.size))
		return false;
	memcpy(path, module->name.data, module->name.size);
	path[module->name.size] = '\0';
	return open_program(s, f, path);
}

/* The lowest segment of a program of this build, or of its debug file, when one is at hand. */
static bool find_lowest_segment(const struct markup_file *f, struct cairn_bytes program,
                                uint64_t *va)
{
	struct elf_segment segment;
	struct cairn_fault fault;
	struct elf elf;
	bool any = false;

	if (elf_open(program, &elf, &fault) != CAIRN_OK || !has_id(f, &elf))
		return false;
	for (uint32_t i = 0; i < elf.segments; i++) {
		if (!elf_segment(&elf, i, &segment) || segment.type != ELF_PT_LOAD)
			continue;
		if (!any || segment.va < *va)
			*va = segment.va;
		any = true;
	}
	return any;
}

static bool ask_program(const struct markup_symbols *s, struct markup_file *f,
                        const struct cairn_markup_module *module)
{
	struct markup_file probe = { .id = f->id, .id_size = f->id_size };
	bool found = false;

	if (!search_exes(s, &probe) && !search_debug(s, &probe))
		search_path(s, &probe, module);
	if (probe.names)
		found = find_lowest_segment(f, probe.elf.bytes, &f->first);
	else if (probe.spare)
		found = find_lowest_segment(f, probe.spare_elf.bytes, &f->first);
	close_spare(&probe);
	debuginfo_names_close(probe.names);
	cairn_symbol_file_close(probe.symbols);
	if (probe.names)
		os_file_close(&probe.elf);
	return found;
}

/* Addresses of a Breakpad file count from the module's first byte: of no use when that may be anywhere. */
static bool place_symbols(const struct markup_symbols *s, struct markup_file *f,
                          const struct cairn_markup_module *module)
{
	const struct cairn_symbols *symbols = cairn_symbol_file_symbols(f->symbols);

	if (cairn_symbols_format(symbols) != CAIRN_SYMBOLS_BREAKPAD || ask_program(s, f, module))
		return true;
	const struct markup_places places = s->places(s->context, module);
	if (markup_first_byte(&places, symbols, &f->first))
		return true;
	cairn_symbol_file_close(f->symbols);
	f->symbols = NULL;
	f->why = "the log does not show where the addresses of the Breakpad file begin; --exe may";
	return false;
}

static bool search_kinds(const struct markup_symbols *s, struct markup_file *f,
                         const struct cairn_markup_module *module, const char *directory)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (search_kind(f, directory, &kinds[i]) && place_symbols(s, f, module))
			return true;
	return false;
}

static bool search_symbols(const struct markup_symbols *s, struct markup_file *f,
                           const struct cairn_markup_module *module)
{
	for (size_t i = 0; i < s->gsym_directories.count; i++)
		if (search_kinds(s, f, module, s->gsym_directories.word[i]))
			return true;
	return false;
}

/* Why debuginfod did not help. */
static const char *explain_answer(enum debuginfod_answer answer)
{
	switch (answer) {
	case DEBUGINFOD_FOUND:
	case DEBUGINFOD_NONE:
		break;
	case DEBUGINFOD_LATE:
		return "no file with symbols was found; debuginfod did not answer in time";
	case DEBUGINFOD_LATE_BEFORE:
		return "no file with symbols was found; debuginfod did not answer in time before";
	case DEBUGINFOD_NO_SERVER:
		return "no file with symbols was found; DEBUGINFOD_URLS names no server";
	case DEBUGINFOD_NO_LIBRARY:
		return "no file with symbols was found; libdebuginfod.so.1 cannot be opened";
	}
	return "no file with symbols was found, and debuginfod has none";
}

static bool search_debuginfod(struct markup_symbols *s, struct markup_file *f)
{
	const struct cairn_bytes id = { f->id, f->id_size };
	const char *path;

	if (!s->use_debuginfod || f->id_size < 2)
		return false;
	const enum debuginfod_answer answer =
		debuginfod_find(&s->debuginfod, DEBUGINFOD_DEBUG, id, &path);
	if (answer == DEBUGINFOD_FOUND)
		return open_elf_of_build(s, f, path);
	f->why = explain_answer(answer);
	return false;
}

static void search_all(struct markup_symbols *s, struct markup_file *f,
                       const struct cairn_markup_module *module)
{
	/* with directories of symbols these are meant to be asked */
	if (search_symbols(s, f, module))
		return;
	const char *wrong = f->why;
	if (search_exes(s, f))
		return;
	f->why = wrong; /* most modules are of another build than --exe */
	if (search_debug(s, f) || s->any_build)
		return;
	wrong = f->why;
	if (search_path(s, f, module) || search_kinds(s, f, module, NULL))
		return;
	f->why = wrong;
	search_debuginfod(s, f);
}

/* What the files that serve add to what may be printed, and to the work for that. */
static void credit_files(struct markup_symbols *s, const struct markup_file *f)
{
	struct stat about;

	if (f->symbols && stat(cairn_symbol_file_path(f->symbols), &about) == 0)
		markup_symbols_credit(s, (uint64_t)about.st_size);
	if (f->names)
		markup_symbols_credit(s, f->elf.bytes.size);
}

void markup_file_find(struct markup_symbols *s, struct markup_file *f,
                      const struct cairn_markup_module *module)
{
	search_all(s, f, module);
	if (f->symbols)
		close_spare(f);
	else
		use_spare(f);
	credit_files(s, f);
}

void markup_file_find_data(struct markup_symbols *s, struct markup_file *f)
{
	if (!f->looked_for_data && !f->names && !search_exes(s, f))
		search_debug(s, f);
	use_spare(f);
	f->looked_for_data = true;
}
