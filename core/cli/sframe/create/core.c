/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe create --core`: creates a store of tables for the modules of a core, from the files
 * of their builds.
 */
#include "made.h"

#include "base/bytes.h"
#include "formats/elf/elf.h"
#include "os/file/atomic_file.h"
#include "os/module/symbol_path.h"

#include <stdio.h>
#include <string.h>

struct making_of_core {
	const struct sframe_creation *creation;
	struct cairn_bytes build_id;
	const char *output;
	uint64_t done, lost;
	int status;
};

static bool serves_build(const char *path, struct cairn_bytes build_id)
{
	struct os_file file;
	struct elf elf;

	if (os_file_open_regular(path, &file) != 0)
		return false;
	bool is = false;
	if (elf_opens(file.bytes, &elf)) {
		const struct cairn_bytes id = elf_build_id(&elf);
		is = bytes_equal(id, build_id) && sframe_rate_frames(&elf) > 0;
	}
	os_file_close(&file);
	return is;
}

static bool make_of_file(struct making_of_core *m, const char *input)
{
	struct cairn_sframe_file made;

	if (!serves_build(input, m->build_id))
		return false;
	m->status = sframe_create_file(&m->creation->making, input, m->output, &made);
	return true;
}

static bool make_of_trees(struct making_of_core *m, const char *extension)
{
	struct symbol_path places = build_id_trees(m->creation->directory, m->build_id, extension);

	while (symbol_path_next(&places))
		if (make_of_file(m, places.path))
			return true;
	return false;
}

static bool make_folder_of(const char *path)
{
	char folder[SFRAME_PATH];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	const int error = os_make_folders(folder);
	if (error != 0)
		print_diagnostic(folder, "cannot be made: %s", strerror(error));
	return error == 0;
}

/*
 * Create the table of one module. Modules without a file are skipped: they belong to the kernel, or
 * contain code that the process generated.
 */
static void make_of_module(struct making_of_core *m, const struct cairn_loaded_module *module)
{
	char output[SFRAME_PATH], input[SFRAME_PATH], id[BUILD_ID_TEXT_MAX];

	if (module->path.size == 0 || module->path.size >= sizeof(input) ||
	    module->path.data[0] != '/' ||
	    !cairn_build_id_path(module->build_id, m->creation->making.out, "sframe", output,
	                         sizeof(output)) ||
	    !build_id_text(module->build_id, id))
		return;
	snprintf(input, sizeof(input), "%.*s", (int)module->path.size,
	         (const char *)module->path.data);
	m->build_id = module->build_id;
	m->output = output;
	m->done++;
	if (cairn_sframe_file_belongs(output, module->build_id))
		return;
	if (!make_folder_of(output))
		m->status = EXIT_BROKEN;
	else if (!make_of_file(m, input) && !make_of_trees(m, "") && !make_of_trees(m, "debug")) {
		m->lost++;
		print_diagnostic(input,
		                 "no file of build ID %s that has call frame information; name a "
		                 "folder with .build-id by --directory",
		                 id);
	}
}

int sframe_create_core(const struct sframe_creation *creation)
{
	struct making_of_core m = { .creation = creation, .status = EXIT_CLEAN };
	struct cairn_loaded_module module;
	struct cairn_stacks *stacks;
	struct cairn_error error;

	if (cairn_stacks_open_file(creation->core, &stacks, &error) != CAIRN_OK) {
		print_error_diagnostic(&error);
		return EXIT_BROKEN;
	}
	for (size_t i = 0; m.status == EXIT_CLEAN && cairn_stacks_module(stacks, i, &module); i++)
		make_of_module(&m, &module);
	cairn_stacks_close(stacks);
	if (m.done == 0)
		print_diagnostic(creation->core, "no module in it has a file and a build ID");
	return m.status == EXIT_CLEAN && (m.done == 0 || m.lost > 0) ? EXIT_MISSING : m.status;
}
