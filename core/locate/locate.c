/* SPDX-License-Identifier: MIT */
/* Searches for a module's file in the caller's order of locations, and checks each candidate. */
#include "locate.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/path.h"
#include "formats/breakpad.h"
#include "formats/elf/elf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
 * Take ownership of an open file and accept it if it belongs to the module. `named` means that the
 * file is at the module's path, which is accepted as proof if the module has no build ID.
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

/* Try a formatted path. A path that is too long is skipped. */
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

/* Try the files that the user named. A module without a build ID is matched by file name. */
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
 * Try the file mapped by a process. The mapping refers to the very file even if it was deleted or
 * replaced. However, symbol files and separate debug files lie beside the path that the process
 * knows, so that path is preferred if it leads to the same file. The process may be in a container.
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
	const size_t length = strlen(root);

	if (path.size == 0 || path.data[0] != '/' || memchr(path.data, 0, path.size) ||
	    length >= LOCATE_PATH_MAX || path.size >= LOCATE_PATH_MAX - length)
		return false;
	memcpy(out, root, length);
	memcpy(out + length, path.data, path.size);
	out[length + path.size] = '\0';
	return true;
}

/*
 * Try a bare library name. Crashpad and systemd name a library by its SONAME, so only the build ID
 * can prove that the file is right.
 */
static bool try_library(const struct locate_search *search, struct located *found)
{
	/*
	 * Debian's directories for each machine, and other systems' directories. Libraries of other
	 * machines fail the build ID check.
	 */
	static const char *const folders[] = {
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
	for (size_t i = 0; !search->no_system && i < sizeof(folders) / sizeof(*folders); i++)
		if (try_format(search, found, false, "%s%s/%.*s", root, folders[i], (int)name.size,
		               (const char *)name.data))
			return true;
	return false;
}

/*
 * Try the build ID trees, which contain programs beside debug files. perf stores a program as "elf"
 * in the directory of its build.
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

/* Return true if the MODULE record at the start of the file has this ID, ignoring case. */
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
