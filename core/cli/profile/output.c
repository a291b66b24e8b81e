/* SPDX-License-Identifier: MIT */
/*
 * Writes a profile to a file that appears complete or not at all, or to standard output, optionally
 * compressed.
 */
#include "profile.h"

#include "os/file/atomic_file.h"
#include "unpack/gzip_write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { WAITING = -1 }; /* no file is open yet, so output stays in memory */

bool profile_output_begin(struct profile_output *output, const char *path, bool binary, bool packed)
{
	*output = (struct profile_output){ .path = path,
		                           .fd = path ? WAITING : STDOUT_FILENO,
		                           .bytes = { .limit = SIZE_MAX } };
	if (!path && (binary || packed) && isatty(STDOUT_FILENO))
		return refuse_with(
			NULL, "a profile of this format is not for a terminal; -o names a file");
	if (!packed)
		return true;
	output->packer = gzip_pack_open();
	if (!output->packer)
		print_diagnostic(NULL, "%s",
		                 gzip_pack_absent() ? gzip_pack_absent() : "out of memory");
	return output->packer != NULL;
}

static struct cairn_bytes list_bytes(const struct profile_output *output)
{
	return (struct cairn_bytes){ output->bytes.data ? output->bytes.data : (const uint8_t *)"",
		                     output->bytes.size };
}

static int pass_on(struct profile_output *output)
{
	if (output->bytes.failed)
		output->error = ENOMEM;
	else if (output->fd != WAITING) {
		output->error = os_write_all(output->fd, list_bytes(output));
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

static int finish_bytes(struct profile_output *output)
{
	const struct cairn_bytes nothing = { (const uint8_t *)"", 0 };

	if (output->error == 0 && output->packer &&
	    !gzip_pack(output->packer, nothing, true, &output->bytes))
		output->error = ENOMEM;
	return output->error ? output->error : pass_on(output);
}

struct filling {
	struct profile_output *output;
	const struct profile_written *what;
	struct cairn_fault *fault;
	enum cairn_status status;
};

static int fill_output(void *context, int fd)
{
	struct filling *f = context;
	const struct cairn_profile_output pieces = { profile_output_write, f->output,
		                                     f->what->sample_type };

	f->output->fd = fd;
	f->status = cairn_profile_write(f->what->profile, f->what->format, &pieces, f->fault);
	if (f->status == CAIRN_OK)
		return finish_bytes(f->output);
	return f->output->error ? f->output->error : ECANCELED;
}

bool profile_output_profile(struct profile_output *output, const struct profile_written *what,
                            struct cairn_fault *fault)
{
	struct filling filling = { output, what, fault, CAIRN_OK };
	const int error = output->path ? os_atomic_file_fill(output->path, fill_output, &filling)
	                               : fill_output(&filling, STDOUT_FILENO);

	if (filling.status == CAIRN_OK && output->error == 0)
		output->error = error;
	output->is_written = true;
	return error == 0;
}

bool profile_output_end(struct profile_output *output, bool keep)
{
	if (keep && !output->is_written && finish_bytes(output) == 0 && output->path) {
		const struct cairn_bytes all = list_bytes(output);
		output->error = os_atomic_file_write(output->path, &all, 1);
	}
	gzip_pack_close(output->packer);
	byte_buffer_finish(&output->bytes);
	if (output->error)
		print_diagnostic(output->path, "cannot write%s: %s",
		                 output->path ? "" : " to standard output",
		                 strerror(output->error));
	return output->error == 0;
}
