/* SPDX-License-Identifier: MIT */
/*
 * Keeps what `cairn where` made of a program.  A file of the cache ends with a trailer, past all that GSYM knows, which
 * names the files that it was made of (os/cache/cache_origin.h): the program and its separate debug files.  So another program
 * with that build ID makes it anew, and so does debugging information that is installed later.
 */
#include "where.h"

#include "convert/gsym/build.h"
#include "convert/source/elf_source.h"
#include "os/background.h"
#include "os/cache/cache_origin.h"
#include "os/file/atomic_file.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
	/* A file of debug information that is smaller is converted before one notices. */
	LARGE = 1 << 20,
};

/* The answer does not need a cache that can be written to. */
static void write_to_cache(const struct where *where, struct cairn_bytes bytes,
                           const struct os_cache_origin *made)
{
	char folder[OS_CACHE_PATH];
	uint8_t trailer[OS_CACHE_ORIGIN_SIZE];
	const struct cairn_bytes parts[] = { bytes, { trailer, OS_CACHE_ORIGIN_SIZE } };

	os_cache_origin_write(made, trailer);
	int error = os_cache_folder(folder) ? os_make_folders(folder) : ENOENT;
	if (error == 0)
		error = os_atomic_file_replace(where->cached, parts, COUNT(parts));
	if (error)
		print_diagnostic(where->cached, "not kept in the cache: %s", strerror(error));
}

/* Nothing in the cache is trusted: it must be whole, of these files, and made by this converter. */
static bool is_fresh(struct where *where, struct cairn_bytes bytes)
{
	static const enum cairn_module_file wanted[OS_CACHE_ORIGIN_FILES] = {
		CAIRN_FILE_PROGRAM, CAIRN_FILE_DEBUG, CAIRN_FILE_ALTERNATE, CAIRN_FILE_PACKAGE
	};
	struct os_cache_origin made;
	bool stamped = false;

	if (os_cache_origin_read(bytes, &made) != CAIRN_OK)
		return false;
	for (unsigned i = 0; i < OS_CACHE_ORIGIN_FILES; i++) {
		const struct os_file *file = where_file(where, wanted[i]);
		if (!os_cache_origin_matches(&made.file[i], file))
			return false;
		stamped |= os_cache_origin_stamp(&made.file[i], file);
	}
	bytes.size -= OS_CACHE_ORIGIN_SIZE;
	if (stamped) /* so that the next question need not read all of them */
		write_to_cache(where, bytes, &made);
	return true;
}

void where_cache_begin(struct where *where, struct cairn_bytes build_id)
{
	char folder[OS_CACHE_PATH];

	if (where->no_cache || !os_cache_folder(folder) ||
	    !os_cache_path(folder, build_id, "gsym", where->cached))
		where->cached[0] = '\0';
}

/* Opens the file in the cache, if it was made of the program's files as they are.  False: there is none. */
static bool open_cached_image(struct where *where, struct gsym_input *image)
{
	if (!where->cached[0] || os_file_open_regular(where->cached, &image->file) != 0)
		return false;
	if (is_fresh(where, image->file.bytes) &&
	    where_open_image(image->file.bytes, where->build_id, image))
		return true;
	os_file_close(&image->file);
	return false;
}

void where_cache_check(struct where *where)
{
	struct os_file file;

	if (!where->cached[0] || os_file_open_regular(where->cached, &file) != 0)
		return;
	if (!is_fresh(where, file.bytes))
		(void)!unlink(where->cached);
	os_file_close(&file);
}

/* The program and its halves, as they were read, in the order of the trailer. */
static struct os_cache_origin describe_files(const struct function_source *origin)
{
	const struct separate_debug_files *halves = &origin->elf->halves;

	return (struct os_cache_origin){ .file = {
						 os_cache_origin_of_file(&origin->file),
						 os_cache_origin_of_file(&halves->debug.file),
						 os_cache_origin_of_file(&halves->alt.file),
						 os_cache_origin_of_file(&halves->package.file),
					 } };
}

static int convert_input(struct where *where, struct function_source *origin,
                         struct gsym_input *image)
{
	struct gsym_output output;

	if (gsym_build_image(origin, false, &output, &where->told.error) != CAIRN_OK)
		return functions_input_fail(&where->told);
	progress_end(&where->told.line);
	if (origin->no_split > 0)
		print_diagnostic(
			origin->path,
			"the split halves (.dwo, .dwp) of %" PRIu64
			" units were not found; calls that were inlined there are missing, and "
			"lines may be theirs; --directory names further folders",
			origin->no_split);
	image->file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	/* what is damaged or missing may be whole the next time */
	if (where->cached[0] && !origin->damaged && origin->no_split == 0) {
		const struct os_cache_origin made = describe_files(origin);
		write_to_cache(where, image->file.bytes, &made);
	}
	if (where_open_image(image->file.bytes, origin->build_id, image))
		return EXIT_CLEAN;
	os_file_close(&image->file);
	return fail_with(origin->path, "the GSYM data made from it cannot be read");
}

int where_convert(struct where *where, struct gsym_input *image)
{
	struct function_source origin;

	if (function_source_open(image->path, &where->input, &origin, &where->told.error) !=
	    CAIRN_OK) {
		functions_input_fail(&where->told);
		return EXIT_BROKEN;
	}
	origin.columns = true;
	const int status = convert_input(where, &origin, image);
	function_source_close(&origin);
	return status;
}

static void fill_cache(struct where *where)
{
	struct gsym_input image = { .path = where->lookup.input.path };

	if (open_cached_image(where, &image) || where_convert(where, &image) == EXIT_CLEAN)
		gsym_input_close(&image);
}

void where_cache_fill(struct where *where)
{
	char folder[OS_CACHE_PATH];

	fflush(stdout);
	if (where_debug_size(where) < LARGE) {
		fill_cache(where);
	} else if (os_cache_folder(folder) && os_make_folders(folder) == 0 &&
	           os_background_begin(folder)) {
		fill_cache(where);
		os_background_end();
	}
}
