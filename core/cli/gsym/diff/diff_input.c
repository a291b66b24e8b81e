/* SPDX-License-Identifier: MIT */
/* Opens a file that is compared: GSYM, or what becomes GSYM in memory. */
#include "diff.h"

#include "formats/elf/elf.h"

#include <string.h>

static bool make_gsym(struct diff *diff, const char *path, struct diff_file *file)
{
	struct gsym_output output;
	struct cairn_fault fault;

	file->functions = functions_input_open(&diff->input, path);
	if (!file->functions)
		return false;
	if (gsym_build_image(&file->functions->origin, diff->compare.merged, &output,
	                     &diff->input.error) != CAIRN_OK) {
		functions_input_fail(&diff->input);
		return false;
	}
	progress_end(&diff->input.line);
	file->input.file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	if (cairn_symbols_open(file->input.file.bytes, NULL, &file->input.symbols, &fault) !=
	    CAIRN_OK) {
		print_fault_diagnostic(path, NULL, &fault, NULL);
		return false;
	}
	file->gsym = &file->input.symbols->image.gsym;
	return true;
}

/* A file in which no GSYM is to be looked for: Breakpad symbols, a symbfile, or a packed one of them. */
static bool is_other_format(const char *path)
{
	struct os_file file;

	if (!input_open(path, &file))
		return false;
	bool other = !gsym_has_magic(file.bytes) && !elf_has_magic(file.bytes);
	os_file_close(&file);
	return other;
}

bool diff_file_open(struct diff *diff, const char *path, struct diff_file *file)
{
	struct cairn_fault fault;
	int status;

	*file = (struct diff_file){ .functions = NULL };
	if (gsym_input_try(path, &file->input, &fault, &status)) {
		file->gsym = file->input.gsym;
		return true;
	}
	if (fault.status == CAIRN_OK) /* it was reported */
		return false;
	file->input = (struct gsym_input){ .path = path };
	if (fault.status == CAIRN_NOT_FOUND || fault.status == CAIRN_UNSUPPORTED ||
	    is_other_format(path)) {
		if (make_gsym(diff, path, file))
			return true;
		diff_file_close(file);
		return false;
	}
	print_fault_diagnostic(path, NULL, &fault, NULL);
	return false;
}

void diff_file_close(struct diff_file *file)
{
	gsym_input_close(&file->input);
	cairn_functions_close(file->functions);
	*file = (struct diff_file){ .functions = NULL };
}
