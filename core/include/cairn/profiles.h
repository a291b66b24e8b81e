/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: profiles, which are stacks of addresses recorded and counted by a profiler.
 * These functions add names to profiles and write profiles in other tools' formats.
 */
#ifndef CAIRN_INCLUDE_PROFILES_H
#define CAIRN_INCLUDE_PROFILES_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A profile in memory. To add names from a symbolizer:
 *
 *	struct cairn_profile *profile;
 *
 *	if (cairn_profile_open(bytes, CAIRN_PROFILE_GUESSED, &profile, &fault) != CAIRN_OK)
 *		...
 *	status = cairn_profile_symbolize(profile, symbolizer, 0);
 *	if (status == CAIRN_OK)
 *		status = cairn_profile_write(profile, CAIRN_PROFILE_PPROF, &output, &fault);
 *	cairn_profile_close(profile);
 *
 * Unknown fields are copied to the output unchanged. Memory is proportional to the input: about 20
 * bytes per input byte, plus the new names.
 */
struct cairn_profile;

enum cairn_profile_format {
	/* pprof's protobuf message, uncompressed; pprof files are usually compressed with gzip */
	CAIRN_PROFILE_PPROF,
	/*
	 * OpenTelemetry's profiles format (OTLP) in protobuf; version 1.5 and newer can be read,
	 * and version 1.11 is written
	 */
	CAIRN_PROFILE_OTLP,
	/* output only: uncompressed JSON for the Firefox Profiler, including all names */
	CAIRN_PROFILE_FIREFOX,
	/* output only: one line per stack, the input of flame graph tools */
	CAIRN_PROFILE_FOLDED,
	/* OTLP as JSON, one object per line; written as version 1.11 */
	CAIRN_PROFILE_OTLP_JSON,
};

/*
 * Version of the OpenTelemetry profiles format (OTLP). Messages do not record their version, so
 * CAIRN_PROFILE_GUESSED infers it from the field types and from the objects to which indices refer.
 */
enum cairn_profile_version {
	CAIRN_PROFILE_GUESSED,
	CAIRN_PROFILE_1_8,
	CAIRN_PROFILE_1_9,
	CAIRN_PROFILE_1_10, /* versions 1.10 and 1.11, which have the same format */
	CAIRN_PROFILE_1_5,  /* versions 1.5 and 1.6 */
	CAIRN_PROFILE_1_7,
};

/*
 * Open a profile. `bytes` must be uncompressed and is borrowed until the profile is closed; the
 * caller closes *profile. JSON must be a single object and start with its opening brace; it
 * identifies members by name, so `version` is ignored. Returns UNSUPPORTED if cairn does not read
 * the format; MALFORMED if the profile is damaged; TRUNCATED if JSON is truncated; NO_MEMORY.
 * *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open(struct cairn_bytes bytes,
                                                              enum cairn_profile_version version,
                                                              struct cairn_profile **profile,
                                                              struct cairn_fault *fault);

/*
 * Read the next message from a file of length-prefixed messages or of consecutive JSON objects. The
 * OpenTelemetry Collector's file exporter writes both kinds. *rest is the unread rest of the file;
 * set it to the whole file before the first call. Returns false at the end of the file, and also at
 * a truncated message, in which case *rest is not empty. A truncated or damaged JSON object is
 * returned with everything that follows it.
 */
CAIRN_API bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message);

/*
 * Return true if the bytes are a file with several messages for cairn_profile_next_message(). Each
 * message is a profile for cairn_profile_open().
 */
CAIRN_API bool cairn_profile_is_stream(struct cairn_bytes bytes);

/* Return the format of the input, as a value or as a constant phrase that includes the version. */
CAIRN_API enum cairn_profile_format cairn_profile_format(const struct cairn_profile *profile);
CAIRN_API const char *cairn_profile_format_text(const struct cairn_profile *profile);

/*
 * Return the number of unknown members that have been dropped from a JSON profile. A member counts
 * as one, whatever is nested in it.
 */
CAIRN_API uint64_t cairn_profile_left_out(const struct cairn_profile *profile);

/*
 * Return the number of fields in the message that cannot be written as CAIRN_PROFILE_OTLP_JSON
 * because JSON has no member for them; 0 for a pprof profile.
 */
CAIRN_API uint64_t cairn_profile_unknown_fields(const struct cairn_profile *profile);

/* Free the profile. NULL is allowed. */
CAIRN_API void cairn_profile_close(struct cairn_profile *profile);

enum cairn_profile_naming {
	CAIRN_PROFILE_AGAIN = 1,     /* also look up locations that have names */
	CAIRN_PROFILE_FUNCTIONS = 2, /* look up functions only, without inlined calls */
};

/*
 * Look up the names of all locations without a name. `naming` is a sum of CAIRN_PROFILE_... values,
 * or 0. Call this once for each profile. A file is used for a mapping if their build IDs are equal;
 * for a mapping without a build ID, the file at its path is used. Addresses are looked up exactly
 * as in the profile, without moving return addresses back. Returns NO_MEMORY or OK;
 * cairn_profile_module() reports the results.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_symbolize(
	struct cairn_profile *profile, struct cairn_symbolizer *symbolizer, unsigned naming);

/* reasons why a location has no name */
enum cairn_profile_reason {
	CAIRN_PROFILE_UNMAPPED, /* no mapping contains the location */
	/* the location is in the kernel, the vDSO, or anonymous memory */
	CAIRN_PROFILE_FILELESS,
	CAIRN_PROFILE_OUTSIDE,     /* the address is outside its mapping or the file */
	CAIRN_PROFILE_NO_FILE,     /* no file of the module has been found */
	CAIRN_PROFILE_OTHER_BUILD, /* a file has been found, but it belongs to a different build */
	/* the mapping's build ID is in a form that cannot be compared with files */
	CAIRN_PROFILE_OTHER_ID,
	/* symbols have been found, but no program file, which is needed to compute the load bias */
	CAIRN_PROFILE_NO_HEADERS,
	CAIRN_PROFILE_NO_SYMBOL,  /* no symbol covers the address */
	CAIRN_PROFILE_NOT_ASKED,  /* cairn_profile_symbolize() has not been called */
	CAIRN_PROFILE_OTHER_CODE, /* the location is in an interpreter or in JIT code */
	CAIRN_PROFILE_TOO_MANY,   /* the profile's limit for new names has been reached */
};
enum { CAIRN_PROFILE_REASONS = 11 };

/* Return a lower-case phrase for the reason; the string is a constant. */
CAIRN_API const char *cairn_profile_reason_text(enum cairn_profile_reason reason);

/*
 * Symbolization results for one module, which consists of all mappings with the same path and build
 * ID.
 */
struct cairn_profiled_module {
	size_t size; /* sizeof(struct cairn_profiled_module), set by the caller */
	/* path and build ID in the profile; either may be empty */
	struct cairn_bytes path, build_id;
	/*
	 * number of locations that had names in the input, and number of locations that the
	 * symbolizer has named
	 */
	uint64_t named_before, named;
	uint64_t unnamed[CAIRN_PROFILE_REASONS];
};

/*
 * Describe the module with this index in *module. Returns false if there is no such module. Strings
 * live as long as the profile.
 */
CAIRN_API bool cairn_profile_module(const struct cairn_profile *profile, size_t index,
                                    struct cairn_profiled_module *module);

/*
 * Destination for cairn_profile_write(). write() receives the next bytes of the output and returns
 * 0, or an errno value to end the call.
 */
struct cairn_profile_output {
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * Name of the value type for formats with one value per sample (CAIRN_PROFILE_FOLDED and
	 * _FIREFOX). NULL selects the profile's default type, or its last type if it declares no
	 * default.
	 */
	const char *sample_type;
};

/*
 * Write the profile. Returns UNREADABLE if output->write() fails; NOT_FOUND if no sample type has
 * the requested name; UNSUPPORTED if the output would exceed the limit for the profile's size, if
 * the format is OTLP and the input is pprof, or if the profile's values are nested too deeply for
 * JSON; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_write(
	const struct cairn_profile *profile, enum cairn_profile_format format,
	const struct cairn_profile_output *output, struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
