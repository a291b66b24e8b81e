/* SPDX-License-Identifier: MIT */
/* Converts a file with several OpenTelemetry messages, each of which is a profile of its own. */
#include "profile.h"

/* Count the bytes, because each message is preceded by its length. */
static int count_bytes(void *context, const void *bytes, size_t size)
{
	(void)bytes;
	*(uint64_t *)context += size;
	return 0;
}

static enum cairn_status write_length(const struct cairn_profile *profile,
                                      struct profile_output *output, struct cairn_fault *fault)
{
	uint64_t size = 0;
	const struct cairn_profile_output counted = { count_bytes, &size, NULL };
	enum cairn_status status =
		cairn_profile_write(profile, CAIRN_PROFILE_OTLP, &counted, fault);
	const uint8_t length[] = { (uint8_t)(size >> 24), (uint8_t)(size >> 16),
		                   (uint8_t)(size >> 8), (uint8_t)size };

	if (status == CAIRN_OK && size > UINT32_MAX) {
		*fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, 0,
			                       "a message is larger than 4 GiB" };
		status = CAIRN_UNSUPPORTED;
	}
	if (status == CAIRN_OK && profile_output_write(output, length, sizeof(length)) != 0)
		status = CAIRN_UNREADABLE;
	return status;
}

static bool write_message(const struct convert *convert, const struct cairn_profile *profile,
                          enum cairn_profile_format format, struct profile_output *output)
{
	struct cairn_fault fault = { .what = "" };
	enum cairn_status status = CAIRN_OK;

	if (format == CAIRN_PROFILE_OTLP)
		status = write_length(profile, output, &fault);
	if (status == CAIRN_OK)
		status = cairn_profile_write(profile, format,
		                             &(struct cairn_profile_output){ profile_output_write,
		                                                             output,
		                                                             convert->sample_type },
		                             &fault);
	if (status != CAIRN_OK && output->error == 0)
		print_diagnostic(convert->input, "%s", fault.what);
	return status == CAIRN_OK;
}

static bool convert_message(struct convert *convert, struct cairn_bytes input,
                            struct cairn_bytes message, enum cairn_profile_version version,
                            enum cairn_profile_format format, struct profile_output *output)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;
	bool good;

	if (cairn_profile_open(message, version, &profile, &fault) != CAIRN_OK) {
		profile_print_fault(convert, input, message, &fault);
		return false;
	}
	good = (convert->no_symbolize || profile_give_names(convert, profile)) &&
	       write_message(convert, profile, format, output);
	if (good && !convert->quiet)
		profile_report(convert->input, profile, !convert->no_symbolize);
	profile_count_left_out(convert, profile, format);
	cairn_profile_close(profile);
	return good;
}

void profile_count_left_out(struct convert *convert, const struct cairn_profile *profile,
                            enum cairn_profile_format written)
{
	convert->left_out += cairn_profile_left_out(profile);
	if (written == CAIRN_PROFILE_OTLP_JSON)
		convert->unknown_fields += cairn_profile_unknown_fields(profile);
}

bool profile_convert_stream(struct convert *convert, struct cairn_bytes stream,
                            enum cairn_profile_version version, enum cairn_profile_format format,
                            struct profile_output *output)
{
	const struct cairn_bytes input = stream;
	struct cairn_bytes message;

	while (cairn_profile_next_message(&stream, &message))
		if (message.size > 0 &&
		    !convert_message(convert, input, message, version, format, output))
			return false;
	if (stream.size > 0)
		print_diagnostic(convert->input, "the last message is cut off");
	return stream.size == 0;
}
