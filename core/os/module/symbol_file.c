/* SPDX-License-Identifier: MIT */
/* Opens symbol files for hosts that use only cairn.h. */
#include "os/file/file.h"

#include "os/cache/cache_origin.h"
#include "os/file/sparse.h"
#include "symbol_file.h"
#include "symbol_folder.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "formats/elf/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_symbol_file {
	char *path;
	struct os_file file; /* nothing after it was converted */
	struct cairn_symbols *symbols;
};

static const char *describe_read_error(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "no such file";
	case EACCES:
	case EPERM:
		return "permission denied";
	case EISDIR:
		return "a directory";
	case EINVAL:
		return "not a regular file";
	case OS_FILE_TRUNCATED:
		return "cut short while it was read";
	}
	return "cannot be read";
}

static enum cairn_status reject_unread_file(struct cairn_error *error, const char *path, int system)
{
	const struct cairn_fault fault = { CAIRN_UNREADABLE, 0, describe_read_error(system) };

	error_set_fault(error, path, NULL, &fault, NULL);
	if (error) {
		error->system = system;
		error->has_offset = false;
	}
	return CAIRN_UNREADABLE;
}

static struct cairn_symbol_file *new_file(const char *path)
{
	size_t size = strlen(path) + 1;
	struct cairn_symbol_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->path = malloc(size);
	if (!f->path) {
		free(f);
		return NULL;
	}
	memcpy(f->path, path, size);
	return f;
}

/* A file that was read whole is let go of at once. */
static enum cairn_status open_symbols(struct cairn_symbol_file *f,
                                      const struct cairn_symbols_options *options,
                                      struct cairn_error *error)
{
	struct os_file file;
	struct cairn_fault fault;
	const int system = os_file_open_regular(f->path, &file);

	if (system)
		return reject_unread_file(error, f->path, system);
	f->file = file;
	enum cairn_status status = cairn_symbols_open(file.bytes, options, &f->symbols, &fault);
	if (status != CAIRN_OK)
		return error_set_fault(error, f->path, NULL, &fault, NULL);
	if (cairn_symbols_format(f->symbols) != CAIRN_SYMBOLS_GSYM) {
		os_file_close(&f->file);
		f->file = (struct os_file){ .bytes = { NULL, 0 } };
	}
	return status;
}

static void close_file(struct cairn_symbol_file **file)
{
	cairn_symbol_file_close(*file);
}

enum cairn_status cairn_symbol_file_open(const char *path,
                                         const struct cairn_symbols_options *options,
                                         struct cairn_symbol_file **file, struct cairn_error *error)
{
	WITH_CLEANUP(close_file) struct cairn_symbol_file *f = new_file(path);

	if (!f)
		return error_set_memory(error, path);
	enum cairn_status status = open_symbols(f, options, error);
	if (status == CAIRN_OK) {
		*file = f;
		f = NULL;
	}
	return status;
}

/* The same for a program whose build ID somebody else may have written into his own. */
static enum cairn_status open_for(const char *path, const char *binary,
                                  const struct cairn_symbols_options *options,
                                  struct cairn_symbol_file **file, struct cairn_error *error)
{
	struct cairn_fault fault;
	enum cairn_status status = cairn_symbol_file_open(path, options, file, error);

	if (status != CAIRN_OK)
		return status;
	status = os_cache_origin_check((*file)->file.bytes, binary, &fault);
	if (status == CAIRN_OK)
		return status;
	cairn_symbol_file_close(*file);
	*file = NULL;
	return error_set_fault(error, path, NULL, &fault, NULL);
}

/* One of the files that may serve; *refused is about the last one that did not. NOT_FOUND: the search goes on. */
static enum cairn_status try_symbol_path(const char *path, const char *binary,
                                         const struct cairn_symbols_options *options,
                                         struct cairn_symbol_file **file,
                                         struct cairn_error *refused)
{
	struct cairn_error one;
	const enum cairn_status status = open_for(path, binary, options, file, &one);

	if (status != CAIRN_OK && status != CAIRN_UNREADABLE)
		*refused = one;
	return status == CAIRN_OK || status == CAIRN_NO_MEMORY ? status : CAIRN_NOT_FOUND;
}

static enum cairn_status search_symbol_paths(struct symbol_path *paths,
                                             const struct cairn_symbols_options *options,
                                             struct cairn_symbol_file **file,
                                             struct cairn_error *refused)
{
	enum cairn_status status = CAIRN_NOT_FOUND;

	while (status == CAIRN_NOT_FOUND && symbol_path_next(paths))
		status = try_symbol_path(paths->path, paths->binary, options, file, refused);
	return status;
}

/* Files of any name, by the build IDs in them. */
static enum cairn_status search_symbol_folders(const char *binary, const char *directories,
                                               const struct cairn_symbols_options *options,
                                               struct cairn_symbol_file **file,
                                               struct cairn_error *refused)
{
	struct symbol_folder_search search =
		symbol_folder_search(binary, options->build_id, directories);
	enum cairn_status status = CAIRN_NOT_FOUND;

	while (status == CAIRN_NOT_FOUND && symbol_folder_next(&search))
		status = try_symbol_path(search.path, binary, options, file, refused);
	return status;
}

enum cairn_status cairn_file_id_read(const char *path, struct cairn_bytes build_id,
                                     struct cairn_file_id *id, struct cairn_error *error)
{
	struct os_sparse file;
	const int system = os_sparse_open(path, &file);

	if (system)
		return reject_unread_file(error, path, system);
	bool good = cairn_file_id_compute(file.bytes, build_id, id);
	os_sparse_close(&file);
	return good ? CAIRN_OK
	            : error_set(error, CAIRN_MISMATCH, path, "the file belongs to another build");
}

enum cairn_status cairn_program_read(const char *path, struct cairn_program *program,
                                     struct cairn_error *error)
{
	struct os_sparse file;
	struct cairn_fault fault;
	const int system = os_sparse_open(path, &file);

	if (system)
		return reject_unread_file(error, path, system);
	enum cairn_status status = cairn_program_parse(file.bytes, program, &fault);
	os_sparse_close(&file);
	return status == CAIRN_OK ? status : error_set_fault(error, path, NULL, &fault, NULL);
}

bool cairn_file_id_path(const struct cairn_file_id *id, char *path, size_t size)
{
	struct symbol_path paths = symbol_path_cached(
		(struct cairn_bytes){ id->bytes, sizeof(id->bytes) }, "symbfile");

	if (!symbol_path_next(&paths) || strlen(paths.path) >= size)
		return false;
	memcpy(path, paths.path, strlen(paths.path) + 1);
	return true;
}

/* One search: where, for which build, and what is known of the program's own file. */
struct file_search {
	const char *binary;
	const struct symbol_file_rules *rules;
	struct cairn_symbols_options options, any; /* any: of whatever build */
	struct cairn_bytes
		bytes; /* of the program, as far as they identify it; empty: it is not there */
	struct elf elf;
	bool is_program; /* an ELF file of the build */
};

/* What was fetched from a symbol server, by the bytes of the module's file, because a symbfile does not name its program. */
static enum cairn_status search_fetched(const struct file_search *search,
                                        struct cairn_symbol_file **file,
                                        struct cairn_error *refused)
{
	struct cairn_file_id id;

	if ((search->rules->no_cache && !search->rules->directories) ||
	    search->options.build_id.size == 0 || search->bytes.size == 0 ||
	    !cairn_file_id_compute(search->bytes, search->options.build_id, &id))
		return CAIRN_NOT_FOUND;
	struct symbol_path paths = symbol_path_by_id(
		search->binary, (struct cairn_bytes){ id.bytes, sizeof(id.bytes) },
		search->rules->directories, "symbfile");
	paths.no_cache = search->rules->no_cache;
	paths.no_system = search->rules->no_system;
	return search_symbol_paths(&paths, &search->any, file, refused);
}

/* The section of the program itself; one that does not serve hides no other file. */
static enum cairn_status search_section(const struct file_search *search,
                                        struct cairn_symbol_file **file,
                                        struct cairn_error *refused)
{
	struct elf_section section;

	if (!search->is_program || !elf_find_section(&search->elf, ".gsym", &section))
		return CAIRN_NOT_FOUND;
	const enum cairn_status status =
		cairn_symbol_file_open(search->binary, &search->options, file, refused);
	return status == CAIRN_OK || status == CAIRN_NO_MEMORY ? status : CAIRN_NOT_FOUND;
}

static enum cairn_status search_go_table(const struct file_search *search,
                                         struct cairn_symbol_file **file,
                                         struct cairn_error *refused)
{
	struct cairn_symbols_options go = search->options;
	struct elf_section section;

	/* as Go's linker names it */
	if (!search->is_program ||
	    (!elf_find_section(&search->elf, ".gopclntab", &section) &&
	     !elf_find_section(&search->elf, ".data.rel.ro.gopclntab", &section)))
		return CAIRN_NOT_FOUND;
	go.format = CAIRN_SYMBOLS_GO;
	return cairn_symbol_file_open(search->binary, &go, file, refused);
}

/* Files that are named by the program or its build ID. */
static enum cairn_status search_named(const struct file_search *search,
                                      struct cairn_symbol_file **file, struct cairn_error *refused)
{
	/* a symbfile does not record which build it is for: its name must */
	static const struct {
		const char *name;
		bool tells_build;
	} kinds[] = {
		{ "gsym", true }, { "sym", true }, { "symbfile", false }, { "ranges", false }
	};
	enum cairn_status status = CAIRN_NOT_FOUND;

	for (size_t i = 0; status == CAIRN_NOT_FOUND && i < sizeof(kinds) / sizeof(*kinds); i++) {
		const bool tells = kinds[i].tells_build;
		struct symbol_path paths = (tells ? symbol_path : symbol_path_by_id)(
			search->binary, search->options.build_id, search->rules->directories,
			kinds[i].name);
		paths.no_cache = search->rules->no_cache;
		paths.no_system = search->rules->no_system;
		status = search_symbol_paths(&paths, tells ? &search->options : &search->any, file,
		                             refused);
	}
	return status;
}

static enum cairn_status search_places(const struct file_search *search,
                                       struct cairn_symbol_file **file, struct cairn_error *refused)
{
	const bool has_id = search->options.build_id.size > 0;
	enum cairn_status status = search_section(search, file, refused);

	if (status == CAIRN_NOT_FOUND && has_id)
		status = search_named(search, file, refused);
	if (status == CAIRN_NOT_FOUND)
		status = search_fetched(search, file, refused);
	if (status == CAIRN_NOT_FOUND)
		status = search_go_table(search, file, refused);
	if (status == CAIRN_NOT_FOUND && has_id)
		return search_symbol_folders(search->binary, search->rules->directories,
		                             &search->options, file, refused);
	return status == CAIRN_NOT_FOUND && refused->status == CAIRN_NOT_FOUND
	               ? error_set(refused, status, search->binary,
	                           "the program has no build ID to search for symbols with")
	               : status;
}

enum cairn_status symbol_file_search(const char *binary, const struct symbol_file_rules *rules,
                                     const struct cairn_symbols_options *options,
                                     struct cairn_symbol_file **file, struct cairn_error *refused)
{
	struct file_search search = { .binary = binary,
		                      .rules = rules,
		                      .options = CAIRN_SYMBOLS_OPTIONS };
	struct os_sparse program = { .bytes = { NULL, 0 } };

	if (options)
		search.options.build_id = options->build_id;
	if (options && options->size >= sizeof(search.options))
		search.options.poll = options->poll;
	search.any = search.options;
	search.any.build_id.size = 0;
	const bool is_open = rules->program.size == 0 && os_sparse_open(binary, &program) == 0;
	search.bytes = is_open ? program.bytes : rules->program;
	search.is_program = search.bytes.size > 0 && elf_opens(search.bytes, &search.elf) &&
	                    elf_build_id(&search.elf).size == search.options.build_id.size;
	error_set(refused, CAIRN_NOT_FOUND, NULL, "no file of symbols found");
	const enum cairn_status status = search_places(&search, file, refused);
	if (is_open)
		os_sparse_close(&program);
	return status;
}

enum cairn_status cairn_symbol_file_find(const char *binary, const char *directories,
                                         const struct cairn_symbols_options *options,
                                         struct cairn_symbol_file **file, struct cairn_error *error)
{
	const struct symbol_file_rules rules = { .directories = directories,
		                                 .program = CAIRN_NO_BYTES };
	struct cairn_error unwanted;

	return symbol_file_search(binary, &rules, options, file, error ? error : &unwanted);
}

bool symbol_file_is_conversion(const struct cairn_symbol_file *file)
{
	struct os_cache_origin made;

	return os_cache_origin_read(file->file.bytes, &made) == CAIRN_OK;
}

void cairn_symbol_file_close(struct cairn_symbol_file *file)
{
	if (!file)
		return;
	cairn_symbols_free(file->symbols);
	os_file_close(&file->file);
	free(file->path);
	free(file);
}

const char *cairn_symbol_file_path(const struct cairn_symbol_file *file)
{
	return file->path;
}

struct cairn_symbols *cairn_symbol_file_symbols(struct cairn_symbol_file *file)
{
	return file->symbols;
}
