/* SPDX-License-Identifier: MIT */
/* Searches for debug, dwz and split DWARF files by build ID, debug link and path. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "separate_debug_files.h"

#include "build_id_path.h"
#include "crc32.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "base/reader.h"
#include "formats/elf/elf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a candidate must be. */
struct proof {
	bool any;                    /* it need not prove anything */
	struct cairn_bytes build_id; /* empty: there is none to compare with */
	bool has_crc;
	uint32_t crc;
};

static struct cairn_bytes read_section_bytes(struct cairn_bytes file, const char *name)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct elf_section section;
	struct elf elf;

	if (!elf_opens(file, &elf) || !elf_find_section(&elf, name, &section))
		return none;
	return elf_section_bytes(&elf, &section);
}

bool separate_debug_files_alt_is_harmless(struct cairn_bytes file)
{
	struct reader in = reader_open(read_section_bytes(file, ".gnu_debugaltlink"), false);
	struct cairn_bytes name = reader_string(&in);
	struct os_file alt;

	if (!reader_ok(&in) || name.size == 0 || name.data[0] != '/')
		return true;
	const int error = os_file_open_regular((const char *)name.data, &alt);
	if (error == 0)
		os_file_close(&alt);
	return error != EINVAL;
}

static bool has_dwarf(struct cairn_bytes file)
{
	return read_section_bytes(file, ".debug_info").size > 0 ||
	       read_section_bytes(file, ".zdebug_info").size > 0;
}

static struct cairn_bytes read_build_id(struct cairn_bytes file)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct elf elf;

	return elf_opens(file, &elf) ? elf_build_id(&elf) : none;
}

static bool matches_proof(const struct proof *proof, struct cairn_bytes file)
{
	struct cairn_bytes id = read_build_id(file);
	struct elf elf;

	if (proof->any)
		return elf_opens(file, &elf);
	if (proof->build_id.size && id.size)
		return bytes_equal(proof->build_id, id);
	return proof->has_crc && crc32_of(file) == proof->crc;
}

/* Keep the path for messages.  Later paths are only counted once one does not fit. */
static void note_absent(struct separate_debug_files *h, const char *path)
{
	const size_t used = strlen(h->absent), size = strlen(path);

	if (h->absent_more > 0 || used + size + 2 > sizeof(h->absent))
		h->absent_more++;
	else
		snprintf(h->absent + used, sizeof(h->absent) - used, "%s\n", path);
}

/* Takes the file of this name when it is there and belongs. */
static bool open_matching_file(struct separate_debug_files *h, struct separate_debug_file *half,
                               const char *path, const struct proof *proof)
{
	struct os_file file;

	if (strcmp(path, h->path) == 0)
		return false;
	if (os_file_open_by(h->rules.access, path, &file) != 0) {
		if (half == &h->debug)
			note_absent(h, path);
		return false;
	}
	if (matches_proof(proof, file.bytes)) {
		half->file = file;
		snprintf(half->path, sizeof(half->path), "%s", path);
		return true;
	}
	snprintf(h->refused, sizeof(h->refused), "%s", path);
	os_file_close(&file);
	return false;
}

static bool fits_path_buffer(int size)
{
	return size > 0 && size < SEPARATE_DEBUG_FILES_PATH_MAX;
}

/* The folder of a path, without links, with "/" at its end; empty for the current one. */
static void find_real_folder(const char *path, char folder[SEPARATE_DEBUG_FILES_PATH_MAX])
{
	char *real = realpath(path, NULL);
	const char *known = real ? real : path;
	const char *slash = strrchr(known, '/');
	int length = slash ? (int)(slash - known) + 1 : 0;

	snprintf(folder, SEPARATE_DEBUG_FILES_PATH_MAX, "%.*s", length, known);
	free(real);
}

/*
 * Return false if a name in a file leads out of the given directories and may not: a request can carry such a file, or come for a
 * module whose files somebody else has written. A link made by dwz has "..", but stays within a tree of debugging information.
 */
static bool may_follow(const struct separate_debug_files *h, const char *path)
{
	if (!h->rules.only_folders || (!strstr(path, "/../") && strncmp(path, "../", 3) != 0))
		return true;
	char *real = realpath(path, NULL);
	bool inside = false;
	for (const char *rest = h->rules.folders; real && !inside && rest && *rest;
	     rest += *rest == ':') {
		const size_t length = strcspn(rest, ":");
		char *folder = strndup(rest, length),
		     *real_folder = folder ? realpath(folder, NULL) : NULL;
		const size_t prefix = real_folder ? strlen(real_folder) : 0;
		inside = prefix > 0 && strncmp(real, real_folder, prefix) == 0 &&
		         (real[prefix] == '/' || prefix == 1);
		free(real_folder);
		free(folder);
		rest += length;
	}
	free(real);
	return inside;
}

/* DEBUG/INNER, for each folder of debugging information that was given. */
static bool open_in_given_folders(struct separate_debug_files *h, struct separate_debug_file *half,
                                  const char *inner, const struct proof *proof)
{
	char path[2 * SEPARATE_DEBUG_FILES_PATH_MAX];

	for (const char *rest = h->rules.folders; rest && *rest; rest += *rest == ':') {
		int length = (int)strcspn(rest, ":");
		if (fits_path_buffer(snprintf(path, sizeof(path), "%.*s%s", length, rest, inner)) &&
		    open_matching_file(h, half, path, proof))
			return true;
		rest += length;
	}
	return false;
}

/* The same, and in that of the system. */
static bool open_in_debug_folders(struct separate_debug_files *h, struct separate_debug_file *half,
                                  const char *inner, const struct proof *proof)
{
	char path[2 * SEPARATE_DEBUG_FILES_PATH_MAX];

	if (open_in_given_folders(h, half, inner, proof))
		return true;
	return !h->rules.no_system_folders &&
	       fits_path_buffer(snprintf(path, sizeof(path), SYSTEM_DEBUG_FOLDER "%s", inner)) &&
	       open_matching_file(h, half, path, proof);
}

/* FOLDER/NAME, FOLDER/.debug/NAME, DEBUG/NAME, DEBUG/FOLDER/NAME */
static bool open_by_debuglink(struct separate_debug_files *h, struct separate_debug_file *half,
                              const char *name, const struct proof *proof)
{
	static const char *const inner[] = { "", ".debug/" };
	char folder[SEPARATE_DEBUG_FILES_PATH_MAX], path[2 * SEPARATE_DEBUG_FILES_PATH_MAX];

	find_real_folder(h->path, folder);
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (fits_path_buffer(
			    snprintf(path, sizeof(path), "%s%s%s", folder, inner[i], name)) &&
		    open_matching_file(h, half, path, proof))
			return true;
	snprintf(path, sizeof(path), "/%s", name);
	if (open_in_given_folders(h, half, path, proof))
		return true;
	snprintf(path, sizeof(path), "%s%s", folder, name);
	return open_in_debug_folders(h, half, path, proof);
}

static bool open_by_build_id_anywhere(struct separate_debug_files *h,
                                      struct separate_debug_file *half, const struct proof *proof)
{
	struct build_id_trees trees = build_id_trees(h->rules.folders, proof->build_id, "debug");

	trees.is_last = h->rules.no_system_folders;
	while (build_id_trees_next(&trees))
		if (open_matching_file(h, half, trees.path, proof))
			return true;
	return false;
}

/* link = name NUL padding-to-4 crc:4, in the file's order */
static bool read_debuglink(struct cairn_bytes file, const char **name, uint32_t *crc)
{
	struct cairn_bytes link = read_section_bytes(file, ".gnu_debuglink");
	struct elf elf;

	if (!elf_opens(file, &elf))
		return false;
	struct reader in = reader_open(link, elf.big);
	struct cairn_bytes text = reader_string(&in);
	reader_seek(&in, (in.at + 3) & ~(size_t)3);
	*crc = reader_u32(&in);
	*name = (const char *)text.data;
	/* a name of a file, no path */
	return reader_ok(&in) && text.size > 0 && !memchr(text.data, '/', text.size);
}

/* DEBUG/NAME.debug, as files are called without a link, for a module of that name and build ID. */
static void open_by_name(struct separate_debug_files *h, const struct proof *proof)
{
	char inner[SEPARATE_DEBUG_FILES_PATH_MAX];

	if (proof->build_id.size > 0 && !proof->any &&
	    fits_path_buffer(snprintf(inner, sizeof(inner), "/%s.debug", base_name_text(h->path))))
		open_in_given_folders(h, &h->debug, inner, proof);
}

static void find_debug(struct separate_debug_files *h, struct cairn_bytes bytes)
{
	struct proof proof = { h->rules.any_build, .build_id = read_build_id(bytes) };
	const char *name;

	h->has_dwarf = has_dwarf(bytes);
	if (h->has_dwarf)
		return;
	bool has_link = read_debuglink(bytes, &name, &proof.crc);
	h->debug_name = has_link ? name : NULL;
	if (open_by_build_id_anywhere(h, &h->debug, &proof))
		return;
	proof.has_crc = has_link;
	if (has_link)
		open_by_debuglink(h, &h->debug, name, &proof);
	else
		open_by_name(h, &proof);
}

/* altlink = name NUL build-ID.  The name counts from the folder of the file that has it. */
static void find_alt(struct separate_debug_files *h, const char *path, struct cairn_bytes bytes)
{
	struct cairn_bytes link = read_section_bytes(bytes, ".gnu_debugaltlink");
	struct reader in = reader_open(link, false);
	struct cairn_bytes name = reader_string(&in);
	char folder[SEPARATE_DEBUG_FILES_PATH_MAX], joined[2 * SEPARATE_DEBUG_FILES_PATH_MAX];

	if (!reader_ok(&in) || name.size == 0)
		return;
	struct proof proof = { .build_id = { link.data + in.at, link.size - in.at } };
	h->wants_alt = true;
	h->alt_name = name;
	h->alt_id = proof.build_id;
	find_real_folder(path, folder);
	bool absolute = name.data[0] == '/';
	if (!(absolute && h->rules.only_folders) &&
	    fits_path_buffer(snprintf(joined, sizeof(joined), "%s%s", absolute ? "" : folder,
	                              (const char *)name.data)) &&
	    may_follow(h, joined) && open_matching_file(h, &h->alt, joined, &proof))
		return;
	if (open_by_build_id_anywhere(h, &h->alt, &proof))
		return;
	/* trees of debugging information are unpacked elsewhere than in /usr/lib/debug, or any other folder before .dwz */
	const char *inner = strstr((const char *)name.data, "/.dwz/");
	if (inner && open_in_debug_folders(h, &h->alt, inner, &proof))
		return;
	const char *last = strrchr((const char *)name.data, '/');
	snprintf(joined, sizeof(joined), "/%s", last ? last + 1 : (const char *)name.data);
	open_in_given_folders(h, &h->alt, joined, &proof);
}

/* PATH.dwp proves nothing; its units are found by their own IDs. */
static void find_package(struct separate_debug_files *h, const char *path)
{
	char name[SEPARATE_DEBUG_FILES_PATH_MAX];

	if (h->package.path[0] || !fits_path_buffer(snprintf(name, sizeof(name), "%s.dwp", path)))
		return;
	if (os_file_open_by(h->rules.access, name, &h->package.file) == 0)
		snprintf(h->package.path, sizeof(h->package.path), "%s", name);
}

void separate_debug_files_find_by(struct separate_debug_files *h, const char *path,
                                  struct cairn_bytes bytes,
                                  const struct separate_debug_rules *rules)
{
	*h = (struct separate_debug_files){ .path = path, .rules = *rules };
	pthread_mutex_init(&h->lock, NULL);
	find_debug(h, bytes);
	if (h->debug.path[0]) {
		find_alt(h, h->debug.path, h->debug.file.bytes);
		find_package(h, h->debug.path);
	} else {
		find_alt(h, path, bytes);
	}
	find_package(h, path);
}

void separate_debug_files_find_by_id(struct separate_debug_files *h, const char *path,
                                     struct cairn_bytes build_id,
                                     const struct separate_debug_rules *rules)
{
	const struct proof proof = { rules->any_build, .build_id = build_id };

	*h = (struct separate_debug_files){ .path = path, .rules = *rules };
	pthread_mutex_init(&h->lock, NULL);
	if (!open_by_build_id_anywhere(h, &h->debug, &proof))
		open_by_name(h, &proof);
	if (!h->debug.path[0])
		return;
	find_alt(h, h->debug.path, h->debug.file.bytes);
	/* split units lie beside a file that was found, not where the module's name says */
	if (rules->only_folders)
		h->path = h->debug.path;
}

void separate_debug_files_list_absent(const struct separate_debug_files *h,
                                      char text[SEPARATE_DEBUG_FILES_LIST_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (const char *path = h->absent; *path; path += strcspn(path, "\n") + 1)
		used += (size_t)snprintf(text + used, SEPARATE_DEBUG_FILES_LIST_MAX - used,
		                         "%s%.*s", used ? ", " : "", (int)strcspn(path, "\n"),
		                         path);
	if (h->absent_more > 0)
		snprintf(text + used, SEPARATE_DEBUG_FILES_LIST_MAX - used, " and %u more",
		         h->absent_more);
}

bool separate_debug_files_give(struct separate_debug_files *h, const char *path,
                               struct cairn_bytes build_id)
{
	const struct proof proof = { .build_id = build_id };

	if (h->debug.path[0] || !open_matching_file(h, &h->debug, path, &proof))
		return false;
	if (!h->alt.path[0])
		find_alt(h, h->debug.path, h->debug.file.bytes);
	return true;
}

static void close_half_file(struct separate_debug_file *half)
{
	if (half->path[0])
		os_file_close(&half->file);
}

void separate_debug_files_finish(struct separate_debug_files *h)
{
	while (h->splits) {
		struct separate_debug_files_dwo *split = h->splits;
		h->splits = split->next;
		close_half_file(&split->file);
		free(split);
	}
	close_half_file(&h->debug);
	close_half_file(&h->alt);
	close_half_file(&h->package);
	pthread_mutex_destroy(&h->lock);
}

static bool open_split(const struct separate_debug_files *h, struct separate_debug_files_dwo *split,
                       const char *format_folder, int length, const char *name, size_t size)
{
	const char *slash = length > 0 && format_folder[length - 1] != '/' ? "/" : "";
	struct separate_debug_file *half = &split->file;

	if (!fits_path_buffer(snprintf(half->path, sizeof(half->path), "%.*s%s%.*s", length,
	                               format_folder, slash, (int)size, name)) ||
	    !may_follow(h, half->path) ||
	    os_file_open_by(h->rules.access, half->path, &half->file) != 0)
		half->path[0] = '\0';
	return half->path[0] != '\0';
}

/* DIRECTORY/NAME; beside the program, whole or its last part; DEBUG/LAST-PART. */
static void find_split(struct separate_debug_files *h, struct separate_debug_files_dwo *split)
{
	const char *name = (const char *)split->name.data;
	size_t size = split->name.size, last = size;
	char folder[SEPARATE_DEBUG_FILES_PATH_MAX];

	if (size == 0 || size >= SEPARATE_DEBUG_FILES_PATH_MAX ||
	    split->directory.size >= SEPARATE_DEBUG_FILES_PATH_MAX)
		return;
	bool absolute = name[0] == '/';
	if (!h->rules.only_folders &&
	    open_split(h, split, (const char *)split->directory.data,
	               absolute ? 0 : (int)split->directory.size, name, size))
		return;
	find_real_folder(h->path, folder);
	while (last > 0 && name[last - 1] != '/')
		last--;
	if ((!absolute && open_split(h, split, folder, (int)strlen(folder), name, size)) ||
	    open_split(h, split, folder, (int)strlen(folder), name + last, size - last))
		return;
	for (const char *rest = h->rules.folders; rest && *rest; rest += *rest == ':') {
		const int length = (int)strcspn(rest, ":");
		if (length > 0 && open_split(h, split, rest, length, name + last, size - last))
			return;
		rest += length;
	}
}

struct cairn_bytes separate_debug_files_dwo(struct separate_debug_files *h,
                                            struct cairn_bytes directory, struct cairn_bytes name)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct separate_debug_files_dwo *split;

	pthread_mutex_lock(&h->lock);
	for (split = h->splits; split; split = split->next)
		if (bytes_equal(split->name, name) && bytes_equal(split->directory, directory))
			break;
	if (!split && (split = calloc(1, sizeof(*split))) != NULL) {
		split->directory = directory;
		split->name = name;
		split->next = h->splits;
		h->splits = split;
		find_split(h, split);
	}
	struct cairn_bytes bytes = split && split->file.path[0] ? split->file.file.bytes : none;
	pthread_mutex_unlock(&h->lock);
	return bytes;
}
