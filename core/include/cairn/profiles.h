/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: profiles, which are stacks of addresses that a profiler has recorded and counted. Functions here
 * give them names, and write them in the format of another tool.
 */
#ifndef CAIRN_INCLUDE_PROFILES_H
#define CAIRN_INCLUDE_PROFILES_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A profile in memory, whose names come from a symbolizer:
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
 * What cairn does not know of a profile is in the output as it was in the input. Memory is in proportion to the
 * input: some 20 bytes for each byte of it, and the new names.
 */
struct cairn_profile;

enum cairn_profile_format {
	CAIRN_PROFILE_PPROF, /* the message of pprof, not packed; files of it usually are, by gzip */
	CAIRN_PROFILE_OTLP, /* the message of OpenTelemetry: read from version 1.5 on, and written as 1.11 */
	CAIRN_PROFILE_FIREFOX, /* only written: JSON of the Firefox Profiler, with all names, not packed */
	CAIRN_PROFILE_FOLDED, /* only written: a line of text for each stack, as flame graphs want it */
	CAIRN_PROFILE_OTLP_JSON, /* the message of OpenTelemetry as JSON, of 1.11 when it is written: one object in a line */
};

/*
 * The version of OpenTelemetry's message, which does not tell it. Guessed, it comes from the types of fields and from what their
 * numbers refer to.
 */
enum cairn_profile_version {
	CAIRN_PROFILE_GUESSED,
	CAIRN_PROFILE_1_8,
	CAIRN_PROFILE_1_9,
	CAIRN_PROFILE_1_10, /* and 1.11, which is the same */
	CAIRN_PROFILE_1_5,  /* and 1.6 */
	CAIRN_PROFILE_1_7,
};

/*
 * Opens a profile. `bytes` is not packed, and borrowed until the profile is closed; the caller closes *profile. JSON begins with
 * its brace and is one object; its members have names, so that `version` does not matter. Returns
 * UNSUPPORTED if it is in no format that cairn reads; MALFORMED if it is damaged; TRUNCATED if JSON is cut off; NO_MEMORY.
 * *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open(struct cairn_bytes bytes,
                                                              enum cairn_profile_version version,
                                                              struct cairn_profile **profile,
                                                              struct cairn_fault *fault);

/*
 * Takes the next message of a file in which each has its length before it, or of objects of JSON one after the other, as the
 * file exporter of OpenTelemetry's collector writes both. *rest is what is left of the file, and all of it at first. Returns
 * false at its end, and where a message is cut off: *rest is not empty then. An object that is cut off or damaged is given
 * with all that follows.
 */
CAIRN_API bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message);

/* Is it such a file? Each of its messages is a profile, for cairn_profile_open(). */
CAIRN_API bool cairn_profile_is_stream(struct cairn_bytes bytes);

/* What a recording of perf refers to, and does not hold. */
enum cairn_recorded_kind {
	CAIRN_RECORDED_KALLSYMS, /* the kernel's list of its symbols, as /proc/kallsyms has it */
	CAIRN_RECORDED_JITDUMP,  /* jit-PID.dump, which a process had mapped */
	CAIRN_RECORDED_PERF_MAP, /* perf-PID.map, which a process may have written */
};
struct cairn_recorded_request {
	enum cairn_recorded_kind kind;
	uint64_t pid;                /* of the process, as perf numbers it */
	struct cairn_bytes path;     /* of the jitdump, as the process had mapped it */
	struct cairn_bytes build_id; /* of the kernel, as bytes; empty: not known */
	struct cairn_bytes host,
		release; /* of the machine that was recorded, as uname(2) tells them; empty: not known */
};

/*
 * Where such files are looked for: the path of the recording (NULL: it came through a pipe), folders ("DIR:DIR"; may be NULL), and a
 * list of the kernel's symbols that is the right one (NULL: it is looked for).
 */
struct cairn_recorded_search {
	size_t size; /* sizeof(struct cairn_recorded_search) */
	const char *recording, *directories, *kallsyms;
};

/*
 * Reads a file to *bytes, which the caller frees with free(); false: none counts. Anybody may have put such files there. A perf
 * map or a jitdump counts in the folders; beside the recording, and in /tmp or where it was mapped, when it belongs to the recording's owner
 * or root, and is not newer than the recording, unless its process still runs and began before the recording ended. A list of the
 * kernel's symbols is that of the search; else that which perf has kept in the folders, which are trees of build IDs then; else that of the
 * kernel that runs, if it has this build ID and shows its addresses. Compressed recordings, and those of a pipe, have no build ID: then
 * the machine and the kernel's release are those of the recording, and the file of the recording is not from before the machine's start.
 */
CAIRN_API bool cairn_recorded_read(const struct cairn_recorded_search *search,
                                   const struct cairn_recorded_request *request,
                                   struct cairn_bytes *bytes);

/*
 * What a recording of perf needs. Begin with CAIRN_RECORDING_OPTIONS. Where the kernel has copied a part of the stack, the stack
 * is found by tables of the files of modules, which the symbolizer finds; NULL: such a stack has its leaf alone.
 */
struct cairn_recording_options {
	size_t size; /* sizeof(struct cairn_recording_options) */
	struct cairn_symbolizer *symbolizer;
	/*
	 * Unpacks a stream of zstd, of which next() gives the pieces (an empty one after the last), to *size bytes of
	 * malloc(). The stream has no end. Returns UNSUPPORTED if it cannot be unpacked, or is larger than it is worth.
	 * NULL: packed recordings are not read.
	 */
	enum cairn_status (*unpack)(void *context, struct cairn_bytes (*next)(void *pieces),
	                            void *pieces, void **memory, size_t *size);
	void *context;
	/*
	 * Reads a file that the recording refers to, to *bytes of malloc(), which cairn frees; false: there is none. A host that has
	 * no rules of its own passes on to cairn_recorded_read(). NULL: the kernel and code that processes have made have no names.
	 */
	bool (*read)(void *context, const struct cairn_recorded_request *request,
	             struct cairn_bytes *bytes);
	/*
	 * Told again and again that the recording's bytes are not read for a while: a host that has mapped a file may give its
	 * pages back. NULL: nobody is told.
	 */
	void (*done_with)(void *context, struct cairn_bytes bytes);
	/*
	 * A recording that is a directory (`perf record --threads`) has its header in the file `data`, and more records in files named
	 * data.0, data.1 and so on, which are borrowed as the first one is. NULL: it is a file.
	 */
	const struct cairn_bytes *parts;
	size_t part_count;
};
#define CAIRN_RECORDING_OPTIONS                                                               \
	{                                                                                     \
		sizeof(struct cairn_recording_options), NULL, NULL, NULL, NULL, NULL, NULL, 0 \
	}

/* Do the bytes begin as a recording of perf does (perf.data)? */
CAIRN_API bool cairn_recording_recognize(struct cairn_bytes bytes);

/*
 * Opens such a recording, of a file or of what went to a pipe, as cairn_profile_open() opens a profile. `bytes` and *options
 * are borrowed during the call alone. Return addresses are stored less one, so that they lead into the call. The
 * profile has the format OTLP, and the sample types "samples" and those of the events.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open_recording(
	struct cairn_bytes bytes, const struct cairn_recording_options *options,
	struct cairn_profile **profile, struct cairn_fault *fault);

/* What was in a recording. */
struct cairn_recording_counts {
	size_t size; /* sizeof(struct cairn_recording_counts), set by the caller */
	uint64_t samples, lost, damaged; /* those lost were dropped by the kernel */
	uint64_t dumps;                  /* samples whose stack was copied */
	uint64_t whole; /* of these, stacks that were followed to their outermost frame */
	bool is_cut; /* the recording ends in the middle of a record, or is damaged from there on */
};

/* Fills *counts; false: the profile was no recording. */
CAIRN_API bool cairn_profile_recording(const struct cairn_profile *profile,
                                       struct cairn_recording_counts *counts);

/* Returns the format of the input, and its words with the version that it was read as; the text is a constant. */
CAIRN_API enum cairn_profile_format cairn_profile_format(const struct cairn_profile *profile);
CAIRN_API const char *cairn_profile_format_text(const struct cairn_profile *profile);

/* Returns how many members of a profile in JSON were left out, with all that is in them, because cairn does not know them. */
CAIRN_API uint64_t cairn_profile_left_out(const struct cairn_profile *profile);

/*
 * Returns how many fields of the message CAIRN_PROFILE_OTLP_JSON leaves out, because JSON has no member for them; 0 of a profile
 * of pprof.
 */
CAIRN_API uint64_t cairn_profile_unknown_fields(const struct cairn_profile *profile);

/* NULL is allowed. */
CAIRN_API void cairn_profile_close(struct cairn_profile *profile);

/* How names are looked up: the sum of these. */
enum cairn_profile_naming {
	CAIRN_PROFILE_AGAIN = 1, /* also of locations that have names */
	CAIRN_PROFILE_FUNCTIONS =
		2, /* the functions alone, without the calls that are inlined into them */
};

/*
 * Looks up the names of all locations that have none; `naming` is CAIRN_PROFILE_..., or 0; once for each profile. A
 * file serves a mapping if it has its build ID; a mapping without one is served by the file at its path. Addresses are looked up
 * as the profile has them. Returns NO_MEMORY if memory is short, and OK otherwise: cairn_profile_module() tells what was
 * found.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_symbolize(
	struct cairn_profile *profile, struct cairn_symbolizer *symbolizer, unsigned naming);

/* Why a location has no name. */
enum cairn_profile_reason {
	CAIRN_PROFILE_UNMAPPED,    /* it belongs to no mapping */
	CAIRN_PROFILE_FILELESS,    /* the kernel, the vDSO, or memory without a file */
	CAIRN_PROFILE_OUTSIDE,     /* its address is not in its mapping, or not in the file */
	CAIRN_PROFILE_NO_FILE,     /* no file of the module was found */
	CAIRN_PROFILE_OTHER_BUILD, /* the file that was found is of another build */
	CAIRN_PROFILE_OTHER_ID,    /* the build ID is none that files can be compared by */
	CAIRN_PROFILE_NO_HEADERS, /* symbols were found, but no program that tells where it is loaded */
	CAIRN_PROFILE_NO_SYMBOL,  /* no symbol covers the address */
	CAIRN_PROFILE_NOT_ASKED,  /* cairn_profile_symbolize() was not called */
	CAIRN_PROFILE_OTHER_CODE, /* it belongs to an interpreter, or to code that a run-time made */
	CAIRN_PROFILE_TOO_MANY,   /* the names of this profile are more than it is worth */
};
enum { CAIRN_PROFILE_REASONS = 11 };

/* Returns a lower-case phrase; the text is a constant. */
CAIRN_API const char *cairn_profile_reason_text(enum cairn_profile_reason reason);

/* What became of the locations of a module: all mappings with one path and one build ID. */
struct cairn_profiled_module {
	size_t size; /* sizeof(struct cairn_profiled_module), set by the caller */
	struct cairn_bytes path, build_id; /* texts of the profile; empty: it has none */
	uint64_t named_before,
		named; /* with names in the input, and with names from the symbolizer */
	uint64_t unnamed[CAIRN_PROFILE_REASONS];
};

/* Fills *module with the one at `index`, from 0 on; false if there are no more. Texts live as long as the profile. */
CAIRN_API bool cairn_profile_module(const struct cairn_profile *profile, size_t index,
                                    struct cairn_profiled_module *module);

/* Takes the next bytes of what is written; 0, or an errno value, which ends the writing. */
struct cairn_profile_output {
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * The type of value that CAIRN_PROFILE_FOLDED and _FIREFOX count, by its name, where a profile has several for each
	 * sample. NULL: the profile's default, or the last one if it names none.
	 */
	const char *sample_type;
};

/*
 * Writes the profile. Returns UNREADABLE if output->write() failed; NOT_FOUND if no sample type has the name that is
 * asked for; UNSUPPORTED if the output would be larger than the profile is worth, if a profile of pprof is to be
 * written as OTLP, or if its values are too deep in each other for JSON; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_write(
	const struct cairn_profile *profile, enum cairn_profile_format format,
	const struct cairn_profile_output *output, struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
