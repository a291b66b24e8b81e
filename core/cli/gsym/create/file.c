/* SPDX-License-Identifier: MIT */
/* Makes one GSYM file of one input, or its pieces, and says what became of it. */
#include "create.h"

#include <errno.h>
#include <string.h>

/* INPUT.gsym, in the folder of the input; with --embed the input itself. */
static bool name_output(struct create *create, const char *input)
{
	size_t room = sizeof(create->path);
	int size;

	if (create->out)
		size = snprintf(create->path, room, "%s", create->out);
	else if (strcmp(input, "-") == 0 || create->gsym.embed)
		size = snprintf(create->path, room, "%s", input);
	else
		size = snprintf(create->path, room, "%s.gsym", input);
	if ((size_t)size < room)
		return true;
	return refuse_with(input, "the name of the output is too long");
}

static int write_to_stdout(void *context, const char *suffix, const void *bytes, size_t size)
{
	struct create *create = context;

	(void)suffix;
	errno = 0;
	if (fwrite(bytes, 1, size, stdout) == size && !fflush(stdout))
		return 0;
	create->is_stdout_broken = true;
	return errno ? errno : EIO;
}

static int report_failure(struct create *create)
{
	if (!create->is_stdout_broken && !create->summary.refused)
		return functions_input_fail(&create->input);
	progress_end(&create->input.line);
	return create->is_stdout_broken
	               ? fail_with(NULL, "cannot write to standard output")
	               : fail_with(create->path,
	                           "not written; --keep-going writes the undamaged part");
}

static int write_gsym(struct create *create)
{
	const bool is_stdout = strcmp(create->path, "-") == 0;
	const struct cairn_output output = { sizeof(output), is_stdout ? NULL : create->path,
		                             write_to_stdout, create };

	create->summary.size = sizeof(create->summary);
	if (cairn_functions_write_gsym(create->functions, &create->gsym, &output, &create->summary,
	                               &create->input.error) != CAIRN_OK)
		return report_failure(create);
	progress_end(&create->input.line);
	if (create->json)
		create_print_json(create);
	else if (!create->input.quiet)
		create_print_summary(create);
	return EXIT_CLEAN;
}

int create_file(struct create *create, const char *input)
{
	create->from = input;
	if (!name_output(create, input))
		return EXIT_BROKEN;
	create->functions = functions_input_open(&create->input, input);
	const int status = create->functions ? write_gsym(create) : EXIT_BROKEN;
	functions_input_close(&create->input, create->functions);
	return status;
}
