/* SPDX-License-Identifier: MIT */
/* Derives the keys of a symbol file from its contents, and adds the file to a store. */
#define _XOPEN_SOURCE 700 /* fdatasync() */
#include "store.h"

#include "symbol_path.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "formats/breakpad.h"
#include "formats/elf/elf.h"
#include "formats/gsym/gsym.h"
#include "os/atomic_file.h"
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool add_build_key(struct store_keys *keys, struct cairn_bytes id, const char *kind)
{
	char text[BUILD_ID_TEXT_MAX];

	if (!build_id_text(id, text))
		return false;
	snprintf(keys->key[keys->count++], STORE_KEY_CAPACITY, "buildid/%s/%s", text, kind);
	return true;
}

struct elf_contents {
	bool has_code, has_dwarf, has_symbols, has_sframe;
};

static void look_at_section(const struct elf_section *section, struct elf_contents *has)
{
	if (section->type == ELF_SHT_NOBITS || section->size == 0)
		return;
	has->has_code = has->has_code || (section->flags & ELF_SHF_EXECUTE);
	has->has_dwarf = has->has_dwarf || bytes_are(section->name, ".debug_info") ||
	                 bytes_are(section->name, ".zdebug_info");
	has->has_symbols = has->has_symbols || section->type == ELF_SHT_SYMTAB;
	has->has_sframe = has->has_sframe || bytes_are(section->name, ".sframe");
}

/*
 * Record which kinds of sections the file has. Returns false if a section lies outside the file,
 * which means that the file is truncated.
 */
static bool look_at_sections(const struct elf *elf, struct elf_contents *has)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections; i++) {
		if (!elf_section(elf, i, &section))
			return false;
		if (section.type != ELF_SHT_NOBITS && section.size > 0 &&
		    elf_section_bytes(elf, &section).size == 0)
			return false;
		look_at_section(&section, has);
	}
	return true;
}

bool store_is_package(struct cairn_bytes file)
{
	struct elf_section section;
	struct elf elf;

	return elf_opens(file, &elf) && elf_find_section(&elf, ".debug_cu_index", &section) &&
	       elf_section_bytes(&elf, &section).size > 0;
}

static enum cairn_status read_elf_keys(struct cairn_bytes file, struct store_keys *keys,
                                       struct cairn_fault *fault)
{
	struct elf_contents has = { false, false, false, false };
	struct elf elf;
	const enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	const struct cairn_bytes id = elf_build_id(&elf);
	char text[BUILD_ID_TEXT_MAX];
	if (!build_id_text(id, text))
		return fault_set(fault, CAIRN_NOT_FOUND, "no build ID");
	if (elf.sections == 0)
		return fault_set(fault, CAIRN_UNSUPPORTED, "no sections");
	if (!look_at_sections(&elf, &has))
		return fault_set_at(fault, CAIRN_TRUNCATED, file.size, "a section is truncated");
	if (has.has_code)
		add_build_key(keys, id, "executable");
	if (has.has_dwarf || (has.has_symbols && !has.has_code))
		add_build_key(keys, id, "debuginfo");
	if (keys->count == 0 && has.has_sframe)
		add_build_key(keys, id, "sframe");
	return keys->count > 0 ? CAIRN_OK
	                       : fault_set(fault, CAIRN_NOT_FOUND,
	                                   "neither code, DWARF, symbols nor .sframe");
}

static bool take_first_flaw(const struct gsym_flaws *flaws, struct cairn_fault *fault)
{
	if (flaws->count > 0)
		*fault = flaws->list[0];
	return flaws->count > 0;
}

static enum cairn_status check_gsym(const struct gsym *gsym, struct cairn_fault *fault)
{
	struct gsym_nodes *scratch = malloc(sizeof(*scratch));
	struct gsym_flaws *flaws = calloc(1, sizeof(*flaws));
	bool flawed = false;
	uint32_t next = 0;

	if (scratch && flaws) {
		do {
			flaws->count = 0;
			gsym_check_tables(gsym, &next, flaws);
			flawed = take_first_flaw(flaws, fault);
		} while (!flawed && next != 0);
		for (uint32_t i = 0; i < gsym->functions && !flawed; i++) {
			flaws->count = 0;
			gsym_check_function(gsym, i, scratch, flaws);
			flawed = take_first_flaw(flaws, fault);
		}
	}
	const bool has_memory = scratch && flaws;
	free(scratch);
	free(flaws);
	if (!has_memory)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	return flawed ? fault->status : CAIRN_OK;
}

static enum cairn_status read_gsym_keys(struct cairn_bytes file, struct store_keys *keys,
                                        struct cairn_fault *fault)
{
	struct gsym gsym;
	enum cairn_status status = gsym_open(file, &gsym, fault);

	if (status == CAIRN_OK)
		status = check_gsym(&gsym, fault);
	if (status == CAIRN_OK && !add_build_key(keys, gsym.uuid, "gsym"))
		status = fault_set(fault, CAIRN_NOT_FOUND, "no build ID");
	return status;
}

/*
 * Return true if the name is safe as a path component, because it is printable, contains no
 * separator, and does not start with a dot.
 */
static bool is_plain_name(struct cairn_bytes name)
{
	if (name.size == 0 || name.size > STORE_NAME_MAX - 4 || name.data[0] == '.')
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] <= ' ' || name.data[i] >= 0x7f || name.data[i] == '/' ||
		    name.data[i] == '\\' || name.data[i] == '%' || name.data[i] == ':')
			return false;
	return true;
}

static bool is_plain_id(struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		if (hex_digit(id.data[i]) == HEX_NO_DIGIT)
			return false;
	return id.size > 0 && id.size <= 48;
}

static bool add_breakpad_key(struct store_keys *keys, struct cairn_bytes name,
                             struct cairn_bytes id)
{
	size_t stem = name.size;
	char text[STORE_NAME_MAX + 1];

	if (!is_plain_name(name) || !is_plain_id(id))
		return false;
	for (size_t i = 0; i < id.size; i++)
		text[i] = (char)(id.data[i] >= 'a' && id.data[i] <= 'f' ? id.data[i] - 'a' + 'A'
		                                                        : id.data[i]);
	text[id.size] = '\0';
	if (stem > 4 && memcmp(name.data + stem - 4, ".pdb", 4) == 0)
		stem -= 4;
	snprintf(keys->key[keys->count++], STORE_KEY_CAPACITY, "%.*s/%s/%.*s.sym", (int)name.size,
	         (const char *)name.data, text, (int)stem, (const char *)name.data);
	return true;
}

/*
 * Read the keys from the first record, which must be a MODULE record. All other lines must be valid
 * records.
 */
static enum cairn_status read_breakpad_keys(struct cairn_bytes file, struct store_keys *keys,
                                            struct cairn_fault *fault)
{
	struct breakpad in = breakpad_open(file);
	struct breakpad_record record;
	uint64_t records = 0;

	while (breakpad_next(&in, &record)) {
		if (record.kind == BREAKPAD_BAD)
			return fault_set_at(fault, CAIRN_MALFORMED, record.line_number,
			                    "a line that is not a record, of this number");
		if (records++ == 0 && (record.kind != BREAKPAD_MODULE ||
		                       !add_breakpad_key(keys, record.name, record.id)))
			return fault_set(fault, CAIRN_NOT_FOUND,
			                 "no module with a plain name and an ID");
	}
	if (file.data[file.size - 1] != '\n')
		return fault_set_at(fault, CAIRN_TRUNCATED, file.size,
		                    "the last line has no newline");
	return CAIRN_OK;
}

static enum cairn_status read_keys(struct cairn_bytes file, struct store_keys *keys,
                                   struct cairn_fault *fault)
{
	if (elf_has_magic(file))
		return read_elf_keys(file, keys, fault);
	if (breakpad_is_likely(file))
		return read_breakpad_keys(file, keys, fault);
	if (file.size >= 4 &&
	    (memcmp(file.data, "GSYM", 4) == 0 || memcmp(file.data, "MYSG", 4) == 0))
		return read_gsym_keys(file, keys, fault);
	return fault_set(fault, CAIRN_UNSUPPORTED,
	                 "neither ELF, GSYM nor Breakpad: a store has no name for it");
}

enum cairn_status store_keys_read(struct cairn_bytes file, struct store_keys *keys,
                                  struct cairn_fault *fault)
{
	keys->count = 0;
	const enum cairn_status status = read_keys(file, keys, fault);
	if (status != CAIRN_OK)
		keys->count = 0;
	return status;
}

enum {
	PATH_CAPACITY = 4096,
	DEPTH = 3,
	DIRECTORY_MODE = 0777,
};

static int join_names(const char *directory, const char *rest, char path[PATH_CAPACITY])
{
	return snprintf(path, PATH_CAPACITY, "%s/%s", directory, rest) < PATH_CAPACITY
	               ? 0
	               : ENAMETOOLONG;
}

/* Create a key's directories, with a mode that gives all readers of the store access. */
static int make_key_directories(const char *directory, char path[PATH_CAPACITY])
{
	if (mkdir(directory, DIRECTORY_MODE) != 0 && errno != EEXIST)
		return errno;
	for (char *slash = path + strlen(directory) + 1; (slash = strchr(slash, '/'));
	     *slash++ = '/') {
		*slash = '\0';
		if (mkdir(path, DIRECTORY_MODE) != 0 && errno != EEXIST) {
			const int error = errno;
			*slash = '/';
			return error;
		}
	}
	return 0;
}

static int fill_file(void *context, int fd)
{
	const struct cairn_bytes *bytes = context;
	const int error = os_write_all(fd, *bytes);

	if (error)
		return error;
	return fdatasync(fd) == 0 ? 0 : errno;
}

static bool look_at_file(const char *path, struct cairn_bytes bytes, bool *same)
{
	struct os_file file;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	*same = file.bytes.size == bytes.size &&
	        (bytes.size == 0 || memcmp(file.bytes.data, bytes.data, bytes.size) == 0);
	os_file_close(&file);
	return true;
}

int store_put(const char *directory, const char *key, struct cairn_bytes bytes, bool replace,
              enum store_outcome *outcome)
{
	char path[PATH_CAPACITY];
	bool same = false;
	int error = join_names(directory, key, path);

	if (error)
		return error;
	const bool is_there = look_at_file(path, bytes, &same);
	*outcome = same ? STORE_SAME : is_there ? STORE_DIFFERS : STORE_ADDED;
	if (same || (is_there && !replace))
		return 0;
	*outcome = is_there ? STORE_REPLACED : STORE_ADDED;
	error = make_key_directories(directory, path);
	return error ? error : os_atomic_file_fill(path, fill_file, &bytes);
}

struct store_walk {
	const char *directory;
	void (*visit)(void *context, const char *path);
	void *context;
	DIR *open[DEPTH];
	size_t length[DEPTH];
	char path
		[PATH_CAPACITY]; /* path relative to the store, with a slash after each directory */
	unsigned depth;
};

static DIR *open_below(const struct store_walk *walk)
{
	char path[PATH_CAPACITY];

	return join_names(walk->directory, walk->path, path) == 0 ? opendir(path) : NULL;
}

/*
 * Visit a file or enter a directory. Symbolic links, and directories too deep for a key, are
 * visited like files.
 */
static void visit_entry(struct store_walk *walk, const char *name)
{
	const size_t at = walk->length[walk->depth - 1];
	char whole[PATH_CAPACITY];
	struct stat about;

	if (snprintf(walk->path + at, PATH_CAPACITY - at, "%s", name) >=
	            (int)(PATH_CAPACITY - at) ||
	    join_names(walk->directory, walk->path, whole) != 0 || lstat(whole, &about) != 0)
		return;
	if (!S_ISDIR(about.st_mode) || walk->depth == DEPTH) {
		walk->visit(walk->context, walk->path);
		return;
	}
	DIR *below = open_below(walk);
	const size_t length = strlen(walk->path);
	if (!below || length + 1 >= PATH_CAPACITY) {
		walk->visit(walk->context, walk->path);
		if (below)
			closedir(below);
		return;
	}
	walk->path[length] = '/';
	walk->path[length + 1] = '\0';
	walk->length[walk->depth] = length + 1;
	walk->open[walk->depth++] = below;
}

int store_walk(const char *directory, void (*visit)(void *context, const char *path), void *context)
{
	struct store_walk walk = { .directory = directory, .visit = visit, .context = context };
	const struct dirent *entry;

	walk.open[0] = opendir(directory);
	if (!walk.open[0])
		return errno;
	walk.depth = 1;
	while (walk.depth > 0) {
		entry = readdir(walk.open[walk.depth - 1]);
		if (!entry)
			closedir(walk.open[--walk.depth]);
		else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			visit_entry(&walk, entry->d_name);
	}
	return 0;
}
