/* SPDX-License-Identifier: MIT */
/* Searches for debug, dwz and split DWARF files by build ID, debug link and path. */
#define _XOPEN_SOURCE 700 /* for realpath() */
#include "separate_debug_files.h"

#include "base/bytes.h"
#include "base/path.h"
#include "base/reader.h"
#include "formats/elf/elf.h"
#include "os/symbol_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct proof {
	bool any;
	struct cairn_bytes build_id;
	bool has_crc;
	uint32_t crc;
};

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static struct cairn_bytes read_section_bytes(struct cairn_bytes file, const char *name)
{
	struct elf_section section;
	struct elf elf;

	if (!elf_opens(file, &elf) || !elf_find_section(&elf, name, &section))
		return none;
	return elf_section_bytes(&elf, &section);
}

enum { TABLES = 8, BITS = 8, POLYNOMIAL_LOW = 0x8320, POLYNOMIAL_HIGH = 0xedb8 };

/*
 * Compute the checksum for .gnu_debuglink (the CRC-32 of Ethernet and zlib). Processes eight bytes
 * at a time because debug files are large.
 */
static uint32_t crc32_of(struct cairn_bytes bytes)
{
	uint32_t t[TABLES][256]; /* t[k][b] is the checksum of byte b followed by k zero bytes */
	const uint32_t polynomial = (uint32_t)POLYNOMIAL_HIGH << 16 | POLYNOMIAL_LOW;
	uint32_t sum = ~(uint32_t)0;
	const uint8_t *p = bytes.data;
	size_t left = bytes.size;

	for (uint32_t byte = 0; byte < 256; byte++) {
		t[0][byte] = byte;
		for (int bit = 0; bit < BITS; bit++)
			t[0][byte] = t[0][byte] >> 1 ^ (t[0][byte] & 1 ? polynomial : 0);
	}
	for (uint32_t byte = 0; byte < 256; byte++)
		for (int k = 1; k < TABLES; k++)
			t[k][byte] = t[k - 1][byte] >> 8 ^ t[0][t[k - 1][byte] & 0xff];
	for (; left >= TABLES; p += TABLES, left -= TABLES) {
		uint32_t low = bytes_u32(p, false) ^ sum, high = bytes_u32(p + 4, false);
		sum = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^
		      t[4][low >> 24] ^ t[3][high & 0xff] ^ t[2][high >> 8 & 0xff] ^
		      t[1][high >> 16 & 0xff] ^ t[0][high >> 24];
	}
	for (; left > 0; p++, left--)
		sum = sum >> 8 ^ t[0][(sum ^ *p) & 0xff];
	return ~sum;
}

static bool matches_proof(const struct proof *proof, struct cairn_bytes file)
{
	struct elf elf;
	const bool is_elf = elf_opens(file, &elf);
	const struct cairn_bytes id = is_elf ? elf_build_id(&elf) : none;

	if (proof->any)
		return is_elf;
	if (proof->build_id.size && id.size)
		return bytes_equal(proof->build_id, id);
	return proof->has_crc && crc32_of(file) == proof->crc;
}

/* Record the path for messages. After the first path that does not fit, paths are only counted. */
static void note_absent(struct separate_debug_files *h, const char *path)
{
	const size_t used = strlen(h->absent), size = strlen(path);

	if (h->absent_more > 0 || used + size + 2 > sizeof(h->absent))
		h->absent_more++;
	else
		snprintf(h->absent + used, sizeof(h->absent) - used, "%s\n", path);
}

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

__attribute__((format(printf, 4, 5))) static bool open_matching_format(
	struct separate_debug_files *h, struct separate_debug_file *half, const struct proof *proof,
	const char *format, ...)
{
	char path[SEPARATE_DEBUG_FILES_PATH_MAX];
	va_list parts;

	va_start(parts, format);
	const int size = vsnprintf(path, sizeof(path), format, parts);
	va_end(parts);
	return fits_path_buffer(size) && open_matching_file(h, half, path, proof);
}

/*
 * Return the directory of a path with symbolic links resolved and a trailing "/", or an empty
 * string for the current directory.
 */
static void find_real_directory(const char *path, char directory[SEPARATE_DEBUG_FILES_PATH_MAX])
{
	char *real = realpath(path, NULL);
	const char *known = real ? real : path;
	const char *slash = strrchr(known, '/');
	int length = slash ? (int)(slash - known) + 1 : 0;

	snprintf(directory, SEPARATE_DEBUG_FILES_PATH_MAX, "%.*s", length, known);
	free(real);
}

/*
 * Return false if `only_directories` is set and a path recorded in a file leads out of the given
 * directories. Such a path is untrusted, because the file may be part of a request or was written
 * by someone else. A dwz link contains "..", but stays within a debug tree.
 */
static bool may_follow(const struct separate_debug_files *h, const char *path)
{
	if (!h->rules.only_directories || (!strstr(path, "/../") && strncmp(path, "../", 3) != 0))
		return true;
	char *real = realpath(path, NULL);
	const char *rest = h->rules.directories;
	struct cairn_bytes name;
	bool inside = false;
	while (real && !inside && directory_list_next(&rest, &name)) {
		char *directory = strndup((const char *)name.data, name.size),
		     *real_directory = directory ? realpath(directory, NULL) : NULL;
		const size_t prefix = real_directory ? strlen(real_directory) : 0;
		inside = prefix > 0 && strncmp(real, real_directory, prefix) == 0 &&
		         (real[prefix] == '/' || prefix == 1);
		free(real_directory);
		free(directory);
	}
	free(real);
	return inside;
}

static bool open_in_given_directories(struct separate_debug_files *h,
                                      struct separate_debug_file *half, const char *inner,
                                      const struct proof *proof)
{
	const char *rest = h->rules.directories;
	struct cairn_bytes directory;

	while (directory_list_next(&rest, &directory))
		if (open_matching_format(h, half, proof, "%.*s%s", (int)directory.size,
		                         (const char *)directory.data, inner))
			return true;
	return false;
}

/*
 * Try `inner`, which begins with a slash, below each directory that the user specified, then below
 * the system's debug directory.
 */
static bool open_in_debug_directories(struct separate_debug_files *h,
                                      struct separate_debug_file *half, const char *inner,
                                      const struct proof *proof)
{
	return open_in_given_directories(h, half, inner, proof) ||
	       (!h->rules.no_system_folders &&
	        open_matching_format(h, half, proof, SYSTEM_DEBUG_DIRECTORY "%s", inner));
}

static bool open_by_id(struct separate_debug_files *h, struct separate_debug_file *half,
                       const struct proof *proof)
{
	struct symbol_path trees = build_id_trees(h->rules.directories, proof->build_id, "debug");

	trees.no_system = h->rules.no_system_folders;
	while (symbol_path_next(&trees))
		if (open_matching_file(h, half, trees.path, proof))
			return true;
	return false;
}

/* Try DEBUG/NAME.debug, the usual name of a debug file if the program has no .gnu_debuglink. */
static void open_by_name(struct separate_debug_files *h, const struct proof *proof)
{
	char inner[SEPARATE_DEBUG_FILES_PATH_MAX];

	if (proof->build_id.size > 0 && !proof->any &&
	    fits_path_buffer(snprintf(inner, sizeof(inner), "/%s.debug", base_name_text(h->path))))
		open_in_given_directories(h, &h->debug, inner, proof);
}

/*
 * Find the debug file. The contents of .gnu_debuglink are: name NUL padding-to-4 crc:4, in the
 * file's byte order, where the name is a bare file name. Tries the build-ID trees, then
 * FOLDER/NAME, FOLDER/.debug/NAME, DEBUG/NAME and DEBUG/FOLDER/NAME, where FOLDER is the directory
 * of the ELF file and DEBUG is each debug directory.
 */
static void find_debug(struct separate_debug_files *h, struct cairn_bytes bytes)
{
	struct proof proof = { h->rules.any_build, .build_id = none };
	char directory[SEPARATE_DEBUG_FILES_PATH_MAX], inner[2 * SEPARATE_DEBUG_FILES_PATH_MAX];
	struct elf elf;

	h->has_dwarf = read_section_bytes(bytes, ".debug_info").size > 0 ||
	               read_section_bytes(bytes, ".zdebug_info").size > 0;
	if (h->has_dwarf || !elf_opens(bytes, &elf))
		return;
	proof.build_id = elf_build_id(&elf);
	struct reader in = reader_open(read_section_bytes(bytes, ".gnu_debuglink"), elf.big);
	const struct cairn_bytes link = reader_string(&in);
	const char *name = (const char *)link.data;
	reader_seek(&in, (in.at + 3) & ~(size_t)3);
	proof.crc = reader_u32(&in);
	const bool has_link = reader_ok(&in) && link.size > 0 && !memchr(name, '/', link.size);
	h->debug_name = has_link ? name : NULL;
	if (open_by_id(h, &h->debug, &proof))
		return;
	proof.has_crc = has_link;
	if (!has_link) {
		open_by_name(h, &proof);
		return;
	}
	find_real_directory(h->path, directory);
	if (open_matching_format(h, &h->debug, &proof, "%s%s", directory, name) ||
	    open_matching_format(h, &h->debug, &proof, "%s.debug/%s", directory, name))
		return;
	snprintf(inner, sizeof(inner), "/%s", name);
	if (open_in_given_directories(h, &h->debug, inner, &proof))
		return;
	snprintf(inner, sizeof(inner), "%s%s", directory, name);
	open_in_debug_directories(h, &h->debug, inner, &proof);
}

/*
 * Find the dwz file. The contents of .gnu_debugaltlink are: name NUL build-ID. The name is relative
 * to the directory of the file that contains the link.
 */
static void find_alt(struct separate_debug_files *h, const char *path, struct cairn_bytes bytes)
{
	struct cairn_bytes link = read_section_bytes(bytes, ".gnu_debugaltlink");
	struct reader in = reader_open(link, false);
	struct cairn_bytes name = reader_string(&in);
	char directory[SEPARATE_DEBUG_FILES_PATH_MAX], joined[2 * SEPARATE_DEBUG_FILES_PATH_MAX];

	if (!reader_ok(&in) || name.size == 0)
		return;
	struct proof proof = { .build_id = { link.data + in.at, link.size - in.at } };
	h->wants_alt = true;
	h->alt_name = name;
	h->alt_id = proof.build_id;
	find_real_directory(path, directory);
	bool absolute = name.data[0] == '/';
	if (!(absolute && h->rules.only_directories) &&
	    fits_path_buffer(snprintf(joined, sizeof(joined), "%s%s", absolute ? "" : directory,
	                              (const char *)name.data)) &&
	    may_follow(h, joined) && open_matching_file(h, &h->alt, joined, &proof))
		return;
	if (open_by_id(h, &h->alt, &proof))
		return;
	/*
	 * the name usually begins with /usr/lib/debug, but the debug tree may have been unpacked in
	 * another directory
	 */
	const char *inner = strstr((const char *)name.data, "/.dwz/");
	if (inner && open_in_debug_directories(h, &h->alt, inner, &proof))
		return;
	const char *last = strrchr((const char *)name.data, '/');
	snprintf(joined, sizeof(joined), "/%s", last ? last + 1 : (const char *)name.data);
	open_in_given_directories(h, &h->alt, joined, &proof);
}

/* Open PATH.dwp. Its build is not verified, because its units are found by their own IDs. */
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
	if (!open_by_id(h, &h->debug, &proof))
		open_by_name(h, &proof);
	if (!h->debug.path[0])
		return;
	find_alt(h, h->debug.path, h->debug.file.bytes);
	/*
	 * `only_directories` forbids the module's own path, so search for split DWARF beside the debug
	 * file
	 */
	if (rules->only_directories)
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

void separate_debug_files_finish(struct separate_debug_files *h)
{
	while (h->splits) {
		struct separate_debug_files_dwo *split = h->splits;
		h->splits = split->next;
		os_file_close(&split->file.file);
		free(split);
	}
	os_file_close(&h->debug.file);
	os_file_close(&h->alt.file);
	os_file_close(&h->package.file);
	pthread_mutex_destroy(&h->lock);
}

static bool open_split(const struct separate_debug_files *h, struct separate_debug_files_dwo *split,
                       const char *format_directory, int length, const char *name, size_t size)
{
	const char *slash = length > 0 && format_directory[length - 1] != '/' ? "/" : "";
	struct separate_debug_file *half = &split->file;

	if (!fits_path_buffer(snprintf(half->path, sizeof(half->path), "%.*s%s%.*s", length,
	                               format_directory, slash, (int)size, name)) ||
	    !may_follow(h, half->path) ||
	    os_file_open_by(h->rules.access, half->path, &half->file) != 0)
		half->path[0] = '\0';
	return half->path[0] != '\0';
}

/*
 * Find a split DWARF file. Tries DIRECTORY/NAME, then NAME and its last component beside the
 * program, then the last component in each debug directory.
 */
static void find_split(struct separate_debug_files *h, struct separate_debug_files_dwo *split)
{
	const char *name = (const char *)split->name.data;
	const char *rest = h->rules.directories;
	size_t size = split->name.size, last = size;
	char directory[SEPARATE_DEBUG_FILES_PATH_MAX];
	struct cairn_bytes given;

	if (size == 0 || size >= SEPARATE_DEBUG_FILES_PATH_MAX ||
	    split->directory.size >= SEPARATE_DEBUG_FILES_PATH_MAX)
		return;
	bool absolute = name[0] == '/';
	if (!h->rules.only_directories &&
	    open_split(h, split, (const char *)split->directory.data,
	               absolute ? 0 : (int)split->directory.size, name, size))
		return;
	find_real_directory(h->path, directory);
	while (last > 0 && name[last - 1] != '/')
		last--;
	if ((!absolute && open_split(h, split, directory, (int)strlen(directory), name, size)) ||
	    open_split(h, split, directory, (int)strlen(directory), name + last, size - last))
		return;
	while (directory_list_next(&rest, &given))
		if (open_split(h, split, (const char *)given.data, (int)given.size, name + last,
		               size - last))
			return;
}

struct cairn_bytes separate_debug_files_dwo(struct separate_debug_files *h,
                                            struct cairn_bytes directory, struct cairn_bytes name)
{
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
