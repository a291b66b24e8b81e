/* SPDX-License-Identifier: MIT */
/*
 * Searches for a module's file in the order that the caller specifies, and verifies each candidate.
 * Reads only the parts of a program that identify it. Reports modules without symbols.
 */
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS and MAP_NORESERVE */
#include "locate.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/fileid.h"
#include "base/memory.h"
#include "base/path.h"
#include "formats/breakpad.h"
#include "formats/elf/elf.h"
#include "os/file.h"
#include "os/symbol_path.h"

#include <cairn.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file)
{
	size_t size = (size_t)about->st_size;

	if ((uintmax_t)about->st_size > PTRDIFF_MAX)
		return EFBIG;
	if (size == 0)
		return OS_FILE_TRUNCATED;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	*file = (struct os_sparse){ { memory, size } };
	struct cairn_program_parts parts = { .step = 0 };
	struct cairn_range part;
	int error = 0;
	while (error == 0 && cairn_program_next_part(file->bytes, &parts, &part))
		error = os_sparse_read(file, fd, part);
	if (error)
		os_sparse_close(file);
	return error;
}

int os_sparse_open(const char *path, struct os_sparse *file)
{
	struct stat about;
	int fd = -1;
	int error = os_file_regular(path, &about, &fd);

	if (error)
		return error;
	error = os_sparse_fill(fd, &about, file);
	close(fd);
	return error;
}

int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part)
{
	if (part.low > part.high || part.high > file->bytes.size)
		return EINVAL;
	return os_file_read(fd, part.low, (uint8_t *)(uintptr_t)file->bytes.data + part.low,
	                    (size_t)(part.high - part.low));
}

void os_sparse_close(struct os_sparse *file)
{
	munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
}

enum cairn_status cairn_program_read(const char *path, struct cairn_program *program,
                                     struct cairn_error *error)
{
	struct os_sparse file;
	struct cairn_fault fault;
	const int system = os_sparse_open(path, &file);

	if (system)
		return error_set_unreadable(error, system, path);
	enum cairn_status status = cairn_program_parse(file.bytes, program, &fault);
	os_sparse_close(&file);
	return status == CAIRN_OK ? status : error_set_fault(error, path, NULL, &fault, NULL);
}

enum cairn_status cairn_file_id_read(const char *path, struct cairn_bytes build_id,
                                     struct cairn_file_id *id, struct cairn_error *error)
{
	struct os_sparse file;
	const int system = os_sparse_open(path, &file);

	if (system)
		return error_set_unreadable(error, system, path);
	const bool good = build_id.size == 0 || elf_is_of_build(file.bytes, build_id);
	const struct fileid made = fileid_of(file.bytes);
	memcpy(id->bytes, made.bytes, sizeof(id->bytes));
	fileid_to_hex(&made, id->text);
	os_sparse_close(&file);
	return good ? CAIRN_OK : error_set(error, CAIRN_MISMATCH, path, "belongs to another build");
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

static bool set_path(struct located *found, const char *path)
{
	char *copy = copy_text(path);

	if (!copy)
		return false;
	free(found->path);
	found->path = copy;
	return true;
}

/*
 * Take ownership of an open file and accept it if it belongs to the module. Set `named` for a file
 * that the module's path or name identifies; such a file is accepted if the module has no build ID.
 */
static bool accept_file(const struct locate_search *search, struct located *found,
                        struct os_file file, const char *path, bool named)
{
	struct elf elf;

	if (search->judge) {
		found->refused = search->judge(search->context, file.bytes);
	} else if (!elf_opens(file.bytes, &elf)) {
		found->refused = "its file is not an ELF file";
	} else if (search->any_build || (search->build_id.size == 0 && named) ||
	           (search->build_id.size > 0 &&
	            bytes_equal(elf_build_id(&elf), search->build_id))) {
		found->refused = NULL;
	} else {
		found->refused = "its file has another build ID";
		found->other_build = true;
	}
	if (!found->refused && set_path(found, path)) {
		found->file = file;
		return true;
	}
	if (!found->refused)
		found->refused = "out of memory";
	os_file_close(&file);
	return false;
}

static bool try_path(const struct locate_search *search, struct located *found, const char *path,
                     bool named)
{
	struct os_file file;

	return os_file_open_by(search->access, path, &file) == 0 &&
	       accept_file(search, found, file, path, named);
}

__attribute__((format(printf, 4, 5))) static bool try_format(const struct locate_search *search,
                                                             struct located *found, bool named,
                                                             const char *format, ...)
{
	char path[LOCATE_PATH_MAX];
	va_list parts;

	va_start(parts, format);
	const int size = vsnprintf(path, sizeof(path), format, parts);
	va_end(parts);
	return size > 0 && size < LOCATE_PATH_MAX && try_path(search, found, path, named);
}

/* Try the files that the user specified. A module without a build ID is matched by file name. */
static bool try_given(const struct locate_search *search, struct located *found)
{
	const struct cairn_bytes name = base_name(search->path);

	for (size_t i = 0; i < search->given_count; i++) {
		const char *path = search->given[i];
		if (try_path(search, found, path,
		             name.size > 0 && bytes_are(name, base_name_text(path))))
			return true;
	}
	found->refused = NULL;
	found->other_build = false;
	return false;
}

static bool try_kept(const struct locate_search *search, struct located *found)
{
	char path[LOCATE_PATH_MAX];
	struct os_file file;

	if (!search->kept || !locate_path(search->sysroot, search->path, path))
		return false;
	const int fd = search->kept(search->context);
	if (fd < 0)
		return false;
	const bool open = os_file_open_descriptor(fd, "a mapped file", &file) == 0;
	close(fd);
	return open && accept_file(search, found, file, path, true);
}

/*
 * Try the file that a process has mapped. The link in map_files leads to the right file even if it
 * has been deleted or replaced. However, symbol files and separate debug files are beside the path
 * that the process uses, so prefer this path if it leads to the same file. Open it below
 * /proc/PID/root, because the process may be in a container.
 */
static bool try_mapped(const struct locate_search *search, struct located *found)
{
	char root[sizeof("/proc/18446744073709551615/root")], mapped[128], path[LOCATE_PATH_MAX];
	struct stat about, seen;

	if (search->pid == 0)
		return false;
	const unsigned long long pid = search->pid, low = search->low, high = search->high;
	(void)snprintf(root, sizeof(root), "/proc/%llu/root", pid);
	(void)snprintf(mapped, sizeof(mapped), "/proc/%llu/map_files/%llx-%llx", pid, low, high);
	const bool has_path = locate_path(root, search->path, path);
	if (!try_path(search, found, mapped, true))
		return has_path && try_path(search, found, path, true);
	if (has_path && stat(mapped, &about) == 0 && stat(path, &seen) == 0 &&
	    about.st_dev == seen.st_dev && about.st_ino == seen.st_ino)
		(void)!set_path(found, path);
	return true;
}

bool locate_path(const char *sysroot, struct cairn_bytes path, char out[LOCATE_PATH_MAX])
{
	const char *root = sysroot ? sysroot : "";
	size_t length = strlen(root);

	while (length > 0 && root[length - 1] == '/')
		length--;
	/* from outside a root, the kernel and GDB see the root's own path before the module's */
	if (length < path.size && path.data[length] == '/' && memcmp(path.data, root, length) == 0)
		length = 0;
	if (path.size == 0 || path.data[0] != '/' || memchr(path.data, 0, path.size) ||
	    length >= LOCATE_PATH_MAX || path.size >= LOCATE_PATH_MAX - length)
		return false;
	memcpy(out, root, length);
	memcpy(out + length, path.data, path.size);
	out[length + path.size] = '\0';
	return true;
}

/*
 * Try a bare library name. Crashpad and systemd record the SONAME of a library, so only the build
 * ID can prove that this is the right file.
 */
static bool try_library(const struct locate_search *search, struct located *found)
{
	/*
	 * Debian's directories for each machine, and the directories of other systems. Libraries
	 * for other machines fail the build-ID check.
	 */
	static const char *const directories[] = {
		"/usr/lib/x86_64-linux-gnu",
		"/lib/x86_64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
		"/lib/aarch64-linux-gnu",
		"/usr/lib/i386-linux-gnu",
		"/lib/i386-linux-gnu",
		"/usr/lib/arm-linux-gnueabihf",
		"/lib/arm-linux-gnueabihf",
		"/usr/lib/riscv64-linux-gnu",
		"/lib/riscv64-linux-gnu",
		"/usr/lib/powerpc64le-linux-gnu",
		"/lib/powerpc64le-linux-gnu",
		"/usr/lib/s390x-linux-gnu",
		"/lib/s390x-linux-gnu",
		"/usr/lib64",
		"/lib64",
		"/usr/lib",
		"/lib",
		"/usr/local/lib64",
		"/usr/local/lib",
	};
	const struct cairn_bytes name = search->path;
	const char *root = search->sysroot ? search->sysroot : "", *rest = search->directories;
	struct cairn_bytes directory;

	if (search->build_id.size == 0 || name.size == 0 || name.size >= LOCATE_PATH_MAX ||
	    memchr(name.data, '/', name.size) || memchr(name.data, '\0', name.size))
		return false;
	while (directory_list_next(&rest, &directory))
		if (try_format(search, found, false, "%.*s/%.*s", (int)directory.size,
		               (const char *)directory.data, (int)name.size,
		               (const char *)name.data))
			return true;
	for (size_t i = 0; !search->no_system && i < sizeof(directories) / sizeof(*directories);
	     i++)
		if (try_format(search, found, false, "%s%s/%.*s", root, directories[i],
		               (int)name.size, (const char *)name.data))
			return true;
	return false;
}

/*
 * Try the build-ID trees, which contain programs as well as debug files. perf stores a program as
 * "elf" in the directory of its build ID.
 */
static bool try_trees(const struct locate_search *search, struct located *found)
{
	struct symbol_path trees = build_id_trees(search->directories, search->build_id, "");

	trees.no_system = search->no_system;
	while (symbol_path_next(&trees))
		if (try_path(search, found, trees.path, false) ||
		    (!trees.is_system && try_format(search, found, false, "%s/elf", trees.path)))
			return true;
	return false;
}

static bool try_place(const struct locate_search *search, enum locate_place place,
                      struct located *found)
{
	char path[LOCATE_PATH_MAX];

	switch (place) {
	case LOCATE_END:
		break;
	case LOCATE_GIVEN:
		return try_given(search, found);
	case LOCATE_KEPT:
		return try_kept(search, found);
	case LOCATE_MAPPED:
		return try_mapped(search, found);
	case LOCATE_PATH:
		return locate_path(search->sysroot, search->path, path) &&
		       try_path(search, found, path, true);
	case LOCATE_NAME:
		return search->path.size > 0 && search->path.size < LOCATE_PATH_MAX &&
		       try_format(search, found, true, "%s%.*s",
		                  search->sysroot ? search->sysroot : "", (int)search->path.size,
		                  (const char *)search->path.data);
	case LOCATE_LIBRARY:
		return try_library(search, found);
	case LOCATE_TREES:
		return try_trees(search, found);
	case LOCATE_FETCHED:
		return search->fetch && search->fetch(search->context, path, sizeof(path)) &&
		       try_path(search, found, path, false);
	}
	return false;
}

bool locate_file(const struct locate_search *search, struct located *found)
{
	*found = (struct located){ .path = NULL };
	for (const enum locate_place *place = search->order; *place != LOCATE_END; place++)
		if (try_place(search, *place, found))
			return true;
	return false;
}

/* Return true if the name is a single path component other than "." and "..". */
static bool is_path_step(struct cairn_bytes name)
{
	return name.size > 0 && name.size < LOCATE_PATH_MAX && !memchr(name.data, '/', name.size) &&
	       !memchr(name.data, 0, name.size) && !bytes_are(name, ".") && !bytes_are(name, "..");
}

/* Return true if the MODULE record at the start of the file has this ID. Ignores case. */
static bool has_breakpad_id(struct cairn_bytes file, struct cairn_bytes id)
{
	struct breakpad in = breakpad_open(file);
	struct breakpad_record record;
	size_t same = 0;

	if (!breakpad_next(&in, &record) || record.kind != BREAKPAD_MODULE ||
	    record.id.size != id.size)
		return false;
	while (same < id.size && (record.id.data[same] | 0x20) == (id.data[same] | 0x20))
		same++;
	return same == id.size;
}

bool locate_breakpad(const char *directories, const struct cairn_file_access *access,
                     struct cairn_bytes name, struct cairn_bytes id, struct located *found)
{
	struct cairn_bytes stem = name, directory;
	char path[LOCATE_PATH_MAX];
	struct os_file file;

	*found = (struct located){ .path = NULL };
	if (!is_path_step(name) || !is_path_step(id))
		return false;
	if (name.size > 4 && (memcmp(name.data + name.size - 4, ".pdb", 4) == 0 ||
	                      memcmp(name.data + name.size - 4, ".PDB", 4) == 0))
		stem.size -= 4;
	while (directory_list_next(&directories, &directory)) {
		const int size =
			snprintf(path, sizeof(path), "%.*s/%.*s/%.*s/%.*s.sym", (int)directory.size,
		                 (const char *)directory.data, (int)name.size,
		                 (const char *)name.data, (int)id.size, (const char *)id.data,
		                 (int)stem.size, (const char *)stem.data);
		if (size < 0 || size >= LOCATE_PATH_MAX ||
		    os_file_open_by(access, path, &file) != 0)
			continue;
		if (has_breakpad_id(file.bytes, id) && set_path(found, path)) {
			found->file = file;
			return true;
		}
		os_file_close(&file);
	}
	return false;
}

void located_close(struct located *found)
{
	os_file_close(&found->file);
	free(found->path);
	*found = (struct located){ .path = NULL };
}

/*
 * Writes the message about modules without symbols: their names, where symbols were searched for,
 * and what the user can do.
 */

enum { NUMBER_CAPACITY = 48 };

static void write_text(const struct cairn_missing_symbols *missing, const char *text)
{
	missing->write(missing->context, text, strlen(text), false);
}

static void write_missing_module(const struct cairn_missing_symbols *missing,
                                 const struct cairn_missing_module *module)
{
	char text[NUMBER_CAPACITY];

	snprintf(text, sizeof(text), "the module at 0x%" PRIx64, module->low);
	if (module->name.size > 0)
		missing->write(missing->context, (const char *)module->name.data, module->name.size,
		               true);
	else
		write_text(missing, text);
	write_text(missing, module->build_id.size > 0 ? " (build ID " : " (no build ID");
	for (size_t i = 0; i < module->build_id.size; i++) {
		hex_encode((struct cairn_bytes){ module->build_id.data + i, 1 }, text);
		write_text(missing, text);
	}
	write_text(missing, ")");
}

const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                       struct cairn_bytes build_id)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (build_id.size == 0)
		return missing->without_id ? missing->without_id : "";
	if (servers && *servers && missing->by_servers)
		return missing->by_servers;
	return missing->by_hand ? missing->by_hand : "";
}

void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing)
{
	char text[NUMBER_CAPACITY];

	write_text(missing, "no symbols for ");
	for (size_t i = 0; i < missing->module_count; i++) {
		write_text(missing, i > 0 ? ", " : "");
		write_missing_module(missing, &missing->modules[i]);
	}
	snprintf(text, sizeof(text), " and %zu more", missing->count - missing->module_count);
	if (missing->count > missing->module_count)
		write_text(missing, text);
	write_text(missing,
	           missing->count == 1 ? ": none beside it, in " : ": none beside them, in ");
	write_text(missing, missing->directories ? missing->directories : "");
	write_text(missing, missing->directories ? ", in /usr/lib/debug or in the cache; "
	                                         : "/usr/lib/debug or in the cache; ");
	write_text(missing,
	           missing->module_count > 0
	                   ? cairn_missing_symbols_help(missing, missing->modules[0].build_id)
	           : missing->by_hand ? missing->by_hand
	                              : "");
}
