/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: profiles, which are stacks of addresses that a profiler has recorded and
 * counted. The functions here add names to them and write them in the format of another tool.
 */
#ifndef CAIRN_INCLUDE_PROFILES_H
#define CAIRN_INCLUDE_PROFILES_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A profile in memory. To add the names of a symbolizer:
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
 * Fields of a profile that cairn does not know are copied to the output unchanged. Memory is
 * proportional to the input: some 20 bytes for each input byte, plus the new names.
 */
struct cairn_profile;

enum cairn_profile_format {
	/* pprof's message, uncompressed; pprof files are usually compressed with gzip */
	CAIRN_PROFILE_PPROF,
	/* OpenTelemetry's message: read from version 1.5 on, and written as 1.11 */
	CAIRN_PROFILE_OTLP,
	/* output only: JSON of the Firefox Profiler, with all names, uncompressed */
	CAIRN_PROFILE_FIREFOX,
	/* output only: one line of text for each stack, as flame graph tools read it */
	CAIRN_PROFILE_FOLDED,
	/* OpenTelemetry's message as JSON, written as 1.11: one object per line */
	CAIRN_PROFILE_OTLP_JSON,
};

/*
 * Version of OpenTelemetry's message, which the message does not record. CAIRN_PROFILE_GUESSED
 * derives it from the types of fields and from the objects that their numbers refer to.
 */
enum cairn_profile_version {
	CAIRN_PROFILE_GUESSED,
	CAIRN_PROFILE_1_8,
	CAIRN_PROFILE_1_9,
	CAIRN_PROFILE_1_10, /* also for 1.11, which has the same format */
	CAIRN_PROFILE_1_5,  /* also 1.6 */
	CAIRN_PROFILE_1_7,
};

/*
 * Open a profile. `bytes` must be uncompressed and is borrowed until the profile is closed; the
 * caller closes *profile. JSON starts with its brace and is a single object; its members have
 * names, so `version` does not matter. Returns UNSUPPORTED if cairn does not read the format;
 * MALFORMED if it is damaged; TRUNCATED if JSON is truncated; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open(struct cairn_bytes bytes,
                                                              enum cairn_profile_version version,
                                                              struct cairn_profile **profile,
                                                              struct cairn_fault *fault);

/*
 * Read the next message of a file of length-prefixed messages or of consecutive JSON objects, as
 * the file exporter of OpenTelemetry's collector writes both. *rest is the unread part of the file;
 * set it to the whole file at first. Returns false at the end of the file, and also at a truncated
 * message, in which case *rest is not empty. A truncated or damaged object is returned with
 * everything that follows it.
 */
CAIRN_API bool cairn_profile_next_message(struct cairn_bytes *rest, struct cairn_bytes *message);

/*
 * Return true if the bytes are a file of messages for cairn_profile_next_message(). Each message is
 * a profile for cairn_profile_open().
 */
CAIRN_API bool cairn_profile_is_stream(struct cairn_bytes bytes);

/* Kind of a file that a perf recording refers to but does not contain. */
enum cairn_recorded_kind {
	CAIRN_RECORDED_KALLSYMS, /* kernel symbols in the format of /proc/kallsyms */
	CAIRN_RECORDED_JITDUMP,  /* jit-PID.dump, which a process had mapped */
	CAIRN_RECORDED_PERF_MAP, /* perf-PID.map, which a process may have written */
};
struct cairn_recorded_request {
	enum cairn_recorded_kind kind;
	uint64_t pid;                /* process as perf numbers it */
	struct cairn_bytes path;     /* jitdump as the process had mapped it */
	struct cairn_bytes build_id; /* build ID of the kernel, as bytes; empty if unknown */
	/* name and kernel release of the recorded machine, from uname(2); empty if unknown */
	struct cairn_bytes host, release;
};

/*
 * Locations of such files: beside the recording, whose path is NULL if it came through a pipe; in
 * directories ("DIR:DIR"; may be NULL); and a list of kernel symbols that is known to match, or
 * NULL to search for one.
 */
struct cairn_recorded_search {
	size_t size; /* sizeof(struct cairn_recorded_search) */
	const char *recording, *directories, *kallsyms;
};

/*
 * Read a file that a perf recording refers to into *bytes, which the caller frees with free().
 * Returns false if there is no acceptable file. Any user may place such files where cairn looks for
 * them, so cairn checks most files. A perf map or a jitdump is accepted in the directories. Beside
 * the recording, and in /tmp or at the path where it was mapped, it must belong to the recording's
 * owner or root, and must not be newer than the recording unless its process is still running and
 * began before the recording ended. The list of kernel symbols is the one in `search`; otherwise
 * the list that perf has kept in the directories, which are then build-ID trees; otherwise the list
 * of the running kernel, if it has this build ID and shows its addresses. Compressed recordings,
 * and recordings from a pipe, do not contain a build ID: then the machine and the kernel release
 * must match the recording, and the recording file must not be older than the machine's last start.
 */
CAIRN_API bool cairn_recorded_read(const struct cairn_recorded_search *search,
                                   const struct cairn_recorded_request *request,
                                   struct cairn_bytes *bytes);

/*
 * Options for opening a perf recording. Begin with CAIRN_RECORDING_OPTIONS. If the kernel copied
 * part of the stack, the stack is unwound with tables from the modules' files, which the symbolizer
 * finds; without a symbolizer such a stack consists of its leaf alone.
 */
struct cairn_recording_options {
	size_t size; /* sizeof(struct cairn_recording_options) */
	struct cairn_symbolizer *symbolizer;
	/*
	 * Decompress a zstd stream to *size bytes allocated with malloc(). next() returns its
	 * pieces, then an empty one. The stream has no end mark. Returns UNSUPPORTED if it cannot
	 * be decompressed, or if the result would exceed the size limit for its input. If NULL,
	 * compressed recordings are not read.
	 */
	enum cairn_status (*unpack)(void *context, struct cairn_bytes (*next)(void *pieces),
	                            void *pieces, void **memory, size_t *size);
	void *context;
	/*
	 * Read a file that the recording refers to into *bytes allocated with malloc(), which cairn
	 * frees. Returns false if there is no such file. A host without rules of its own calls
	 * cairn_recorded_read(). If NULL, the kernel and JIT code do not get names.
	 */
	bool (*read)(void *context, const struct cairn_recorded_request *request,
	             struct cairn_bytes *bytes);
	/*
	 * Called repeatedly with bytes of the recording that will not be read for a while, so that
	 * a host that has mapped a file can give back its pages. NULL disables the callback.
	 */
	void (*done_with)(void *context, struct cairn_bytes bytes);
	/*
	 * More files of a recording that is a directory (`perf record --threads`), or NULL if it is
	 * a file. The header is in the file `data`, and more records are in data.0, data.1 and so
	 * on, which are borrowed like the first file.
	 */
	const struct cairn_bytes *parts;
	size_t part_count;
};
#define CAIRN_RECORDING_OPTIONS                                                               \
	{                                                                                     \
		sizeof(struct cairn_recording_options), NULL, NULL, NULL, NULL, NULL, NULL, 0 \
	}

/* Return true if the bytes begin as a perf recording (perf.data). */
CAIRN_API bool cairn_recording_recognize(struct cairn_bytes bytes);

/*
 * Open a recording from a file or from a pipe as cairn_profile_open() opens a profile. `bytes` and
 * *options are borrowed only during the call. Return addresses are stored minus one, so that they
 * lie within the call. The profile has the format OTLP; the sample types are "samples" and the
 * types of the events.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_open_recording(
	struct cairn_bytes bytes, const struct cairn_recording_options *options,
	struct cairn_profile **profile, struct cairn_fault *fault);

/* Contents of a recording. */
struct cairn_recording_counts {
	size_t size; /* sizeof(struct cairn_recording_counts), set by the caller */
	uint64_t samples, lost, damaged; /* `lost` counts samples that the kernel dropped */
	uint64_t dumps;                  /* samples whose stack was copied */
	uint64_t whole; /* copied stacks that were unwound to their outermost frame */
	bool is_cut;    /* the recording ends within a record, or is damaged from some record on */
};

/*
 * Describe the contents of a recording in *counts. Returns false if the profile is not a recording.
 */
CAIRN_API bool cairn_profile_recording(const struct cairn_profile *profile,
                                       struct cairn_recording_counts *counts);

/*
 * Return the format of the input, as a value or as a phrase with the version that it was read as;
 * the string is a constant.
 */
CAIRN_API enum cairn_profile_format cairn_profile_format(const struct cairn_profile *profile);
CAIRN_API const char *cairn_profile_format_text(const struct cairn_profile *profile);

/*
 * Return how many members of a JSON profile were left out, with everything in them, because cairn
 * does not know them.
 */
CAIRN_API uint64_t cairn_profile_left_out(const struct cairn_profile *profile);

/*
 * Return how many fields of the message CAIRN_PROFILE_OTLP_JSON leaves out because JSON does not
 * have a member for them; 0 for a pprof profile.
 */
CAIRN_API uint64_t cairn_profile_unknown_fields(const struct cairn_profile *profile);

/* Free the profile. NULL is allowed. */
CAIRN_API void cairn_profile_close(struct cairn_profile *profile);

/* Flags for cairn_profile_symbolize(). */
enum cairn_profile_naming {
	CAIRN_PROFILE_AGAIN = 1,     /* also look up locations that have names */
	CAIRN_PROFILE_FUNCTIONS = 2, /* functions only, without inlined calls */
};

/*
 * Look up the names of all locations that do not have one. `naming` is a sum of CAIRN_PROFILE_...
 * values, or 0. Call it once for each profile. A file is used for a mapping if their build IDs are
 * equal; for a mapping without a build ID, the file at its path is used. Addresses are looked up as
 * they are in the profile. Returns NO_MEMORY if memory is short, and OK otherwise;
 * cairn_profile_module() reports the results.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_symbolize(
	struct cairn_profile *profile, struct cairn_symbolizer *symbolizer, unsigned naming);

/* Reason why a location does not have a name. */
enum cairn_profile_reason {
	CAIRN_PROFILE_UNMAPPED,    /* no mapping contains it */
	CAIRN_PROFILE_FILELESS,    /* in the kernel, the vDSO, or memory without a file */
	CAIRN_PROFILE_OUTSIDE,     /* address outside of its mapping or of the file */
	CAIRN_PROFILE_NO_FILE,     /* no file of the module was found */
	CAIRN_PROFILE_OTHER_BUILD, /* the file that was found belongs to another build */
	CAIRN_PROFILE_OTHER_ID,    /* the build ID has a form that cannot be compared with files */
	CAIRN_PROFILE_NO_HEADERS,  /* symbols were found, but no program with its load address */
	CAIRN_PROFILE_NO_SYMBOL,   /* no symbol covers the address */
	CAIRN_PROFILE_NOT_ASKED,   /* cairn_profile_symbolize() was not called */
	CAIRN_PROFILE_OTHER_CODE,  /* in an interpreter or in JIT code */
	CAIRN_PROFILE_TOO_MANY,    /* the names of this profile exceed the limit for its size */
};
enum { CAIRN_PROFILE_REASONS = 11 };

/* Return a lower-case phrase for the reason; the string is a constant. */
CAIRN_API const char *cairn_profile_reason_text(enum cairn_profile_reason reason);

/* Results for the locations of a module: all mappings with the same path and build ID. */
struct cairn_profiled_module {
	size_t size; /* sizeof(struct cairn_profiled_module), set by the caller */
	struct cairn_bytes path, build_id; /* bytes of the profile; may be empty */
	/* locations with names in the input, and locations that the symbolizer named */
	uint64_t named_before, named;
	uint64_t unnamed[CAIRN_PROFILE_REASONS];
};

/*
 * Fill *module with the module at `index`, from 0 on. Returns false if there are no more. Strings
 * live as long as the profile.
 */
CAIRN_API bool cairn_profile_module(const struct cairn_profile *profile, size_t index,
                                    struct cairn_profiled_module *module);

/*
 * Destination of cairn_profile_write(). write() receives the next bytes and returns 0, or an errno
 * value to end the call.
 */
struct cairn_profile_output {
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	/*
	 * Name of the value type that CAIRN_PROFILE_FOLDED and _FIREFOX count if a profile has
	 * several values for each sample. NULL selects the profile's default, or the last one if it
	 * does not name a default.
	 */
	const char *sample_type;
};

/*
 * Write the profile. Returns UNREADABLE if output->write() failed; NOT_FOUND if no sample type has
 * the requested name; UNSUPPORTED if the output would exceed the limit for the profile's size, if a
 * pprof profile is to be written as OTLP, or if its values are nested too deeply for JSON;
 * NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_profile_write(
	const struct cairn_profile *profile, enum cairn_profile_format format,
	const struct cairn_profile_output *output, struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
