/* SPDX-License-Identifier: MIT */
#include "gsym.h"

#include "os/symbol_path.h"
#include "output/escape.h"

#include <errno.h>
#include <string.h>

/* A build ID that files are held against, and the file it is in. */
struct wanted {
	struct os_file file;
	struct cairn_bytes build_id;
};

static enum cairn_status open_symbols(struct gsym_input *input, struct cairn_bytes build_id,
                                      struct cairn_fault *fault)
{
	enum cairn_status status =
		cairn_symbols_open(input->file.bytes, build_id, &input->symbols, fault);

	if (status == CAIRN_OK)
		input->gsym = &input->symbols->image.gsym;
	return status;
}

/* The build ID of --binary; false, with a message, when there is none to be had. */
static bool open_wanted(const struct gsym_source *source, struct wanted *wanted, int *status)
{
	struct elf elf;

	*wanted = (struct wanted){ .build_id = { (const uint8_t *)"", 0 } };
	if (!source->binary)
		return true;
	if (!input_open_elf(source->binary, &wanted->file, &elf)) {
		*status = EXIT_BROKEN;
		return false;
	}
	wanted->build_id = elf_build_id(&elf);
	if (wanted->build_id.size || source->force)
		return true;
	complain(source->binary, "no build ID to hold the symbols against; --force takes them");
	os_file_close(&wanted->file);
	*status = EXIT_MISSING;
	return false;
}

/* Says why a file must not or cannot serve. */
static int refuse(const char *path, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_MISMATCH) {
		complain(path, "%s; --force takes it", fault->what);
		return EXIT_MISSING;
	}
	if (fault->status == CAIRN_NOT_FOUND) {
		complain(path, "%s", fault->what);
		return EXIT_MISSING;
	}
	complain_fault(path, NULL, fault, NULL);
	return EXIT_BROKEN;
}

/* One candidate for a program's symbols: true when it serves. */
static bool try_candidate(struct gsym_input *input, const struct symbol_path *search, bool force)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct os_file program = input->file;
	struct cairn_fault fault;
	int error = os_file_open(search->path, &input->file);

	if (error == 0) {
		if (open_symbols(input, force ? any : search->build_id, &fault) == CAIRN_OK) {
			snprintf(input->found, sizeof(input->found), "%s", search->path);
			return true;
		}
		refuse(search->path, &fault);
		os_file_close(&input->file);
	} else if (error != ENOENT && error != ENOTDIR) {
		complain(search->path, "cannot read: %s", strerror(error));
	}
	input->file = program;
	return false;
}

/* FILE is a program without GSYM in it: looks for its file where such files are. */
static bool search(struct gsym_input *input, const struct gsym_source *source, int *status)
{
	struct os_file program = input->file;
	struct cairn_fault fault;
	struct elf elf;
	bool found = false;

	*status = EXIT_MISSING;
	if (elf_open(program.bytes, &elf, &fault) != CAIRN_OK) {
		complain(input->path, "no GSYM in this file");
		return false;
	}
	struct cairn_bytes id = elf_build_id(&elf);
	if (id.size == 0 && !source->force) {
		complain(input->path, "no GSYM in this file, and no build ID to hold a file beside "
		                      "it against; --force takes one");
		return false;
	}
	struct symbol_path paths = symbol_path(input->path, id, source->directories, "gsym");
	while (!found && symbol_path_next(&paths))
		found = try_candidate(input, &paths, source->force);
	if (!found)
		complain(input->path, "no GSYM in this file, and no file of its build ID beside "
		                      "it, in --directory, in the build-ID trees or in the cache");
	else
		os_file_close(&program);
	return found;
}

static bool open_for(const struct gsym_source *source, const struct wanted *wanted,
                     struct gsym_input *input, int *status)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };
	struct cairn_fault fault;

	if (!input_open(input->path, &input->file)) {
		*status = EXIT_BROKEN;
		return false;
	}
	enum cairn_status opened =
		open_symbols(input, source->force ? any : wanted->build_id, &fault);
	if (opened == CAIRN_OK)
		return true;
	if (opened == CAIRN_NOT_FOUND && !source->binary) {
		if (search(input, source, status))
			return true;
	} else {
		*status = refuse(input->path, &fault);
	}
	os_file_close(&input->file);
	return false;
}

bool gsym_input_open(const char *path, const struct gsym_source *source, struct gsym_input *input,
                     int *status)
{
	struct wanted wanted;

	*input = (struct gsym_input){ .path = path };
	*status = EXIT_CLEAN;
	if (!open_wanted(source, &wanted, status))
		return false;
	bool opened = open_for(source, &wanted, input, status);
	os_file_close(&wanted.file);
	return opened;
}

bool gsym_input_try(const char *path, struct gsym_input *input, struct cairn_fault *fault,
                    int *status)
{
	struct cairn_bytes any = { (const uint8_t *)"", 0 };

	*input = (struct gsym_input){ .path = path };
	*status = EXIT_BROKEN;
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	if (!input_open(path, &input->file))
		return false;
	if (open_symbols(input, any, fault) == CAIRN_OK) {
		*status = EXIT_CLEAN;
		return true;
	}
	os_file_close(&input->file);
	return false;
}

void gsym_input_close(struct gsym_input *input)
{
	cairn_symbols_free(input->symbols);
	os_file_close(&input->file);
}

void gsym_print_name(FILE *out, const char *path)
{
	fputs("# ", out);
	print_string(out, path);
	fputc('\n', out);
}

struct cairn_bytes gsym_text(const struct gsym *gsym, uint64_t offset)
{
	struct cairn_bytes text;

	gsym_string(gsym, offset, &text);
	return text;
}
