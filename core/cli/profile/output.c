/* SPDX-License-Identifier: MIT */
/* Writes a profile to a file that is there whole or not at all, or to standard output, packed or not. */
#include "profile.h"

#include "os/file/atomic_file.h"
#include "unpack/gzip/gzip_write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool profile_output_begin(struct profile_output *output, const char *path, bool binary, bool packed)
{
	*output = (struct profile_output){ .path = path, .bytes = { .limit = SIZE_MAX } };
	if (!path && (binary || packed) && isatty(STDOUT_FILENO)) {
		print_diagnostic(NULL,
		                 "a profile of this format is not for a terminal; -o names a file");
		return false;
	}
	if (!packed)
		return true;
	output->packer = gzip_pack_open();
	if (!output->packer)
		print_diagnostic(NULL, "%s",
		                 gzip_pack_absent() ? gzip_pack_absent() : "out of memory");
	return output->packer != NULL;
}

/* Standard output takes what there is; a file waits for all of it. */
static int pass_on(struct profile_output *output)
{
	const struct cairn_bytes bytes = { output->bytes.data ? output->bytes.data
		                                              : (const uint8_t *)"",
		                           output->bytes.size };

	if (output->bytes.failed)
		output->error = ENOMEM;
	else if (!output->path) {
		output->error = os_write_all(STDOUT_FILENO, bytes);
		output->bytes.size = 0;
	}
	return output->error;
}

int profile_output_write(void *context, const void *bytes, size_t size)
{
	struct profile_output *output = context;

	if (output->packer) {
		if (!gzip_pack(output->packer, (struct cairn_bytes){ bytes, size }, false,
		               &output->bytes))
			output->error = ENOMEM;
	} else {
		byte_buffer_bytes(&output->bytes, bytes, size);
	}
	return output->error ? output->error : pass_on(output);
}

static void finish_file(struct profile_output *output)
{
	const struct cairn_bytes nothing = { (const uint8_t *)"", 0 };

	if (output->packer && !gzip_pack(output->packer, nothing, true, &output->bytes))
		output->error = ENOMEM;
	if (output->error == 0)
		(void)pass_on(output);
	const struct cairn_bytes all = { output->bytes.data ? output->bytes.data : nothing.data,
		                         output->bytes.size };
	if (output->error == 0 && output->path)
		output->error = os_atomic_file_write(output->path, &all, 1);
}

bool profile_output_end(struct profile_output *output, bool keep)
{
	if (keep)
		finish_file(output);
	gzip_pack_close(output->packer);
	byte_buffer_finish(&output->bytes);
	if (output->error)
		print_diagnostic(output->path, "cannot write%s: %s",
		                 output->path ? "" : " to standard output",
		                 strerror(output->error));
	return output->error == 0;
}
