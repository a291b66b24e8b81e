/* SPDX-License-Identifier: MIT */
/* Where the files of a build are looked for, and whether they are the right ones. */
#include "markup.h"

#include "os/symbol_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 64 };

static const char system_directory[] = "/usr/lib/debug";

/* The programs of --exe that have no build ID are asked for by one that we make. */
static const uint8_t made_id[] = { 0, 'e', 'x', 'e' };

static bool has_id(const struct markup_file *f, const struct elf *elf)
{
	struct cairn_bytes id = elf_build_id(elf);

	return id.size == f->id_size && memcmp(id.data, f->id, id.size) == 0;
}

/* Opens an ELF file when it belongs to the build; false when it is of no use. */
static bool open_elf(const struct markup_symbols *s, struct markup_file *f, const char *path)
{
	struct cairn_fault fault;
	struct elf elf;
	const char *why;

	if (f->names || os_file_open_regular(path, &f->elf) != 0)
		return false;
	bool good = elf_open(f->elf.bytes, &elf, &fault) == CAIRN_OK;
	if (good && !s->any_build && !has_id(f, &elf)) {
		good = false;
		f->why = "the file that was found is of another build";
	}
	if (good)
		f->names = debuginfo_names_open(f->elf.bytes, &why);
	if (!f->names)
		os_file_close(&f->elf);
	return f->names != NULL;
}

static bool open_gsym(struct markup_file *f, const char *path)
{
	struct cairn_bytes id = { f->id, f->id_size };
	struct cairn_fault fault;

	if (f->gsym || os_file_open_regular(path, &f->gsym_file) != 0)
		return false;
	if (cairn_symbols_open(f->gsym_file.bytes, id, &f->gsym, &fault) == CAIRN_OK)
		return true;
	os_file_close(&f->gsym_file);
	return false;
}

static bool write_id(const struct markup_file *f, char hex[2 * ID_MAX + 1])
{
	if (f->id_size < 2 || f->id_size > ID_MAX)
		return false;
	for (size_t i = 0; i < f->id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", f->id[i]);
	return true;
}

/* DIRECTORY/.build-id/ab/cdef.debug, and without the ending. */
static bool search_tree(const struct markup_symbols *s, struct markup_file *f,
                        const char *directory, int length)
{
	char hex[2 * ID_MAX + 1], path[SYMBOL_PATH_MAX];

	if (!write_id(f, hex))
		return false;
	int size = snprintf(path, sizeof(path), "%.*s/.build-id/%.2s/%s.debug", length, directory,
	                    hex, hex + 2);
	if (size < 0 || (size_t)size >= sizeof(path))
		return false;
	if (open_elf(s, f, path))
		return true;
	path[(size_t)size - strlen(".debug")] = '\0';
	return !s->any_build && open_elf(s, f, path);
}

static bool search_debug(const struct markup_symbols *s, struct markup_file *f)
{
	for (size_t i = 0; i < s->debug_directories.count; i++) {
		const char *rest = s->debug_directories.word[i];
		while (*rest) {
			size_t size = strcspn(rest, ":");
			if (size > 0 && size < SYMBOL_PATH_MAX &&
			    search_tree(s, f, rest, (int)size))
				return true;
			rest += size + (rest[size] == ':');
		}
	}
	return s->debug_directories.count == 0 &&
	       search_tree(s, f, system_directory, (int)strlen(system_directory));
}

static bool search_symbols_in(struct markup_file *f, const char *directories, const char *extension)
{
	struct cairn_bytes id = { f->id, f->id_size };
	struct symbol_path search = symbol_path("/", id, directories, extension);
	char hex[2 * ID_MAX + 1], path[SYMBOL_PATH_MAX];

	while (symbol_path_next(&search))
		if (open_gsym(f, search.path))
			return true;
	if (!directories || !write_id(f, hex))
		return false;
	int size = snprintf(path, sizeof(path), "%s/%s.%s", directories, hex, extension);
	return size > 0 && (size_t)size < sizeof(path) && open_gsym(f, path);
}

/* GSYM, and Breakpad files, which tell their build, too. */
static bool search_gsym_in(struct markup_file *f, const char *directories)
{
	return search_symbols_in(f, directories, "gsym") ||
	       search_symbols_in(f, directories, "sym");
}

static bool search_gsym(const struct markup_symbols *s, struct markup_file *f)
{
	for (size_t i = 0; i < s->gsym_directories.count; i++)
		if (search_gsym_in(f, s->gsym_directories.word[i]))
			return true;
	return false;
}

/* FILE[@BASE]; the base is what stands behind the last @ when that is a number. */
static bool split_exe(const char *word, char path[SYMBOL_PATH_MAX], uint64_t *base)
{
	const char *at = strrchr(word, '@');
	size_t size = at && parse_number(at + 1, base) ? (size_t)(at - word) : strlen(word);

	if (size == strlen(word))
		*base = 0;
	if (size >= SYMBOL_PATH_MAX)
		return false;
	memcpy(path, word, size);
	path[size] = '\0';
	return true;
}

static bool search_exes(const struct markup_symbols *s, struct markup_file *f)
{
	char path[SYMBOL_PATH_MAX];
	uint64_t base;

	if (f->id_size == sizeof(made_id) + 1 && memcmp(f->id, made_id, sizeof(made_id)) == 0 &&
	    f->id[sizeof(made_id)] < s->exes.count) {
		struct markup_symbols any = { .any_build = true };
		return split_exe(s->exes.word[f->id[sizeof(made_id)]], path, &base) &&
		       open_elf(&any, f, path);
	}
	for (size_t i = 0; i < s->exes.count; i++)
		if (split_exe(s->exes.word[i], path, &base) && open_elf(s, f, path))
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
	return open_elf(s, f, path);
}

static bool search_debuginfod(const struct markup_symbols *s, struct markup_file *f)
{
	struct cairn_bytes id = { f->id, f->id_size };
	const char *why = NULL;

	if (!s->use_debuginfod || f->id_size < 2)
		return false;
	const char *path = markup_debuginfod(s->debuginfod_deadline, id, &why);
	if (why)
		f->why = why;
	return path && open_elf(s, f, path);
}

void markup_file_find(struct markup_symbols *s, struct markup_file *f,
                      const struct cairn_markup_module *module)
{
	const char *wrong = NULL;

	/* with directories of GSYM files these are meant to be asked */
	if (search_gsym(s, f))
		return;
	if (search_exes(s, f))
		return;
	f->why = "no file with symbols was found";
	if (search_debug(s, f) || s->any_build)
		return;
	wrong = f->why;
	if (search_path(s, f, module) || search_gsym_in(f, NULL))
		return;
	f->why = wrong;
	search_debuginfod(s, f);
}

void markup_file_find_data(struct markup_symbols *s, struct markup_file *f)
{
	if (!f->looked_for_data && !f->names && !search_exes(s, f))
		search_debug(s, f);
	f->looked_for_data = true;
}

static unsigned mode_of(const struct elf_segment *segment)
{
	return (segment->flags & ELF_PF_READ ? MARKUP_READ : 0u) |
	       (segment->flags & ELF_PF_WRITE ? MARKUP_WRITE : 0u) |
	       (segment->flags & ELF_PF_EXECUTE ? MARKUP_EXECUTE : 0u);
}

static bool lend_segments(struct cairn_markup *markup, const struct elf *elf,
                          const struct cairn_markup_module *module, uint64_t base)
{
	struct elf_segment segment;
	bool any = false;

	for (uint32_t i = 0; i < elf->segments; i++) {
		if (!elf_segment(elf, i, &segment) || segment.type != ELF_PT_LOAD ||
		    segment.memory_size == 0)
			continue;
		const struct cairn_range pcs = { segment.va + base,
			                         segment.va + base + segment.memory_size };
		if (!markup_lend(markup, module, &pcs, segment.va, mode_of(&segment)))
			return false;
		any = true;
	}
	return any;
}

static bool lend_exe(struct cairn_markup *markup, const char *word, size_t index)
{
	char path[SYMBOL_PATH_MAX];
	uint64_t base;
	struct os_file file;
	struct elf elf;

	if (!split_exe(word, path, &base) || !input_open_elf(path, &file, &elf))
		return false;
	const char *name = strrchr(path, '/');
	name = name ? name + 1 : path;
	struct cairn_markup_module module = { index,
		                              { (const uint8_t *)name, strlen(name) },
		                              elf_build_id(&elf) };
	uint8_t made[sizeof(made_id) + 1];
	if (module.build_id.size == 0) {
		memcpy(made, made_id, sizeof(made_id));
		made[sizeof(made_id)] = (uint8_t)index;
		module.build_id = (struct cairn_bytes){ made, sizeof(made) };
	}
	bool good = lend_segments(markup, &elf, &module, base);
	if (!good)
		complain(path,
		         "cannot be loaded at 0x%" PRIx64
		         ": it has no segments, or another --exe is there",
		         base);
	os_file_close(&file);
	return good;
}

bool markup_exes_lend(struct markup_symbols *s, struct cairn_markup *markup)
{
	for (size_t i = 0; i < s->exes.count; i++)
		if (!lend_exe(markup, s->exes.word[i], i))
			return false;
	return true;
}
