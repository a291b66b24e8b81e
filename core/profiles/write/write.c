/* SPDX-License-Identifier: MIT */
/* Writes a profile in any of the formats. */
#include "write.h"

#include "base/error.h"

static enum cairn_status explain_failure(enum cairn_status status, struct cairn_fault *fault)
{
	const char *what = cairn_status_text(status);

	if (status == CAIRN_UNREADABLE)
		what = "the output cannot be written";
	else if (status == CAIRN_UNSUPPORTED)
		what = "the output would be larger than the profile is worth";
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
		                 "a profile of pprof is not written as one of OpenTelemetry");
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
