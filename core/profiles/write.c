/* SPDX-License-Identifier: MIT */
/* Writes a profile in any of the formats, through a buffer. */
#include "write.h"

#include "base/error.h"

void writer_begin(struct profile_writer *w, const struct cairn_profile *profile,
                  const struct cairn_profile_output *output)
{
	*w = (struct profile_writer){
		.profile = profile,
		.output = output,
		.buffer = { .limit = SIZE_MAX },
		.left = allowance_of(WRITE_LEAST, WRITE_TIMES, profile->bytes.size),
	};
}

static void pass_on(struct profile_writer *w)
{
	if (w->buffer.failed)
		w->status = CAIRN_NO_MEMORY;
	else if (!allowance_draw(&w->left, w->buffer.size))
		w->status = CAIRN_UNSUPPORTED;
	if (w->status == CAIRN_OK && w->buffer.size > 0 &&
	    w->output->write(w->output->context, w->buffer.data, w->buffer.size) != 0)
		w->status = CAIRN_UNREADABLE;
	w->buffer.size = 0;
}

uint8_t *writer_reserve(struct profile_writer *w, size_t size)
{
	if (w->buffer.size >= WRITE_PIECE)
		pass_on(w);
	return w->status == CAIRN_OK ? byte_buffer_extend(&w->buffer, size) : NULL;
}

void writer_bytes(struct profile_writer *w, const void *bytes, size_t size)
{
	uint8_t *buffer = writer_reserve(w, size);

	if (buffer && size > 0)
		memcpy(buffer, bytes, size);
}

/*
 * Return true for a real path. perf names anonymous memory "//anon" and the kernel
 * "[kernel.kallsyms]".
 */
static bool is_path_of_file(struct cairn_bytes path)
{
	return path.size > 1 && path.data[0] == '/' && path.data[1] != '/';
}

uint64_t writer_shown_address(const struct profile_writer *writer,
                              const struct profile_location *location)
{
	const uint64_t address = location->address;

	if (location->mapping == 0)
		return address;
	const struct profile_mapping *mapping = &writer->profile->mappings[location->mapping - 1];
	const struct pprof_mapping *m = &mapping->stored;
	return is_path_of_file(mapping->path) && address >= m->start && address < m->limit
	               ? address - m->start + m->offset
	               : address;
}

enum cairn_status writer_end(struct profile_writer *w)
{
	if (w->status == CAIRN_OK)
		pass_on(w);
	byte_buffer_finish(&w->buffer);
	return w->status;
}

static enum cairn_status explain_failure(enum cairn_status status, struct cairn_fault *fault)
{
	const char *what = cairn_status_text(status);

	if (status == CAIRN_UNREADABLE)
		what = "the output cannot be written";
	else if (status == CAIRN_UNSUPPORTED)
		what = "the output would be larger than the limit for this profile";
	if (status != CAIRN_OK)
		*fault = (struct cairn_fault){ status, 0, what };
	return status;
}

enum cairn_status cairn_profile_write(const struct cairn_profile *profile,
                                      enum cairn_profile_format format,
                                      const struct cairn_profile_output *output,
                                      struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct profile_writer writer;

	if ((format == CAIRN_PROFILE_OTLP || format == CAIRN_PROFILE_OTLP_JSON) &&
	    profile->otlp == OTLP_UNKNOWN) {
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a pprof profile cannot be written as OpenTelemetry");
	}
	writer_begin(&writer, profile, output);
	switch (format) {
	case CAIRN_PROFILE_PPROF:
		if (profile->otlp == OTLP_UNKNOWN)
			profile_write_pprof(&writer);
		else
			profile_write_as_pprof(&writer);
		break;
	case CAIRN_PROFILE_OTLP:
		profile_write_otlp(&writer);
		break;
	case CAIRN_PROFILE_OTLP_JSON:
		status = profile_write_otlp_json(&writer, fault);
		break;
	case CAIRN_PROFILE_FIREFOX:
		status = profile_write_firefox(&writer, fault);
		break;
	case CAIRN_PROFILE_FOLDED:
		status = profile_write_folded(&writer, fault);
		break;
	}
	const enum cairn_status written = explain_failure(writer_end(&writer), fault);
	return status == CAIRN_OK ? written : status;
}
