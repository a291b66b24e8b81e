/* SPDX-License-Identifier: MIT */
/* Inputs as the host of cairn/functions.h has them, and where what is made of them goes. */
#include "functions.h"

#include "base/error.h"
#include "os/file/atomic_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void functions_take_options(void *own, size_t size, const void *given)
{
	size_t theirs = 0;

	if (!given)
		return;
	memcpy(&theirs, given, sizeof(theirs));
	memcpy(own, given, theirs < size ? theirs : size);
}

void functions_give_summary(const void *own, size_t size, void *wanted)
{
	size_t theirs = 0;

	if (!wanted)
		return;
	memcpy(&theirs, wanted, sizeof(theirs));
	if (theirs < sizeof(theirs))
		return;
	memcpy((uint8_t *)wanted + sizeof(theirs), (const uint8_t *)own + sizeof(theirs),
	       (theirs < size ? theirs : size) - sizeof(theirs));
}

enum cairn_status cairn_functions_open(const char *path,
                                       const struct cairn_functions_options *options,
                                       struct cairn_functions **functions,
                                       struct cairn_error *error)
{
	struct cairn_functions_options own = CAIRN_FUNCTIONS_OPTIONS;
	struct cairn_functions *opened = malloc(sizeof(*opened));

	if (!opened)
		return error_set_memory(error, path);
	functions_take_options(&own, sizeof(own), options);
	if (own.jobs == 0)
		own.jobs = function_source_default_jobs();
	if (own.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		own.jobs = CAIRN_FUNCTIONS_JOBS_MAX;
	enum cairn_status status = function_source_open(path, &own, &opened->origin, error);
	if (status == CAIRN_OK)
		*functions = opened;
	else
		free(opened);
	return status;
}

void cairn_functions_close(struct cairn_functions *functions)
{
	if (!functions)
		return;
	function_source_close(&functions->origin);
	free(functions);
}

enum cairn_functions_format cairn_functions_format(const struct cairn_functions *functions)
{
	return (enum cairn_functions_format)functions->origin.kind;
}

struct cairn_bytes cairn_functions_build_id(const struct cairn_functions *functions)
{
	return functions->origin.build_id;
}

bool cairn_functions_next_drop(const struct cairn_functions *functions, size_t *at,
                               struct cairn_functions_drop *drop)
{
	if (*at >= functions->origin.drops)
		return false;
	*drop = functions->origin.drop[(*at)++];
	return true;
}

struct functions_output functions_output_of(const struct cairn_output *output, const char *input,
                                            struct cairn_error *error)
{
	struct functions_output own = { .input = input, .error = error };

	functions_take_options(&own.to, sizeof(own.to), output);
	return own;
}

const char *functions_output_path(const struct functions_output *output)
{
	return output->to.path ? output->to.path : output->input;
}

enum cairn_status functions_output_fill(const struct functions_output *output, const char *suffix,
                                        int (*fill)(void *context, int fd), void *context)
{
	char path[CAIRN_ERROR_PATH];

	if (snprintf(path, sizeof(path), "%s%s", output->to.path, suffix) >= (int)sizeof(path))
		return error_set(output->error, CAIRN_UNREADABLE, output->input,
		                 "the name of the output is too long");
	const int failed = os_atomic_file_fill(path, fill, context);
	return failed ? error_set_system(output->error, failed, path, "cannot write") : CAIRN_OK;
}

struct part_list {
	const struct cairn_bytes *parts;
	size_t count;
};

static int write_part_list(void *context, int fd)
{
	const struct part_list *list = context;
	int failed = 0;

	for (size_t i = 0; i < list->count && failed == 0; i++)
		failed = os_write_all(fd, list->parts[i]);
	return failed;
}

enum cairn_status functions_output_write(const struct functions_output *output, const char *suffix,
                                         const struct cairn_bytes *parts, size_t count)
{
	if (output->to.path)
		return functions_output_fill(output, suffix, write_part_list,
		                             &(struct part_list){ parts, count });
	for (size_t i = 0; i < count; i++) {
		const int failed =
			output->to.write(output->to.context, suffix, parts[i].data, parts[i].size);
		if (failed)
			return error_set_system(output->error, failed, output->input,
			                        "cannot write");
	}
	return CAIRN_OK;
}
