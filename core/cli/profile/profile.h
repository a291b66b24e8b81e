/* SPDX-License-Identifier: MIT */
/* What the parts of `cairn profile convert` share. */
#ifndef CAIRN_CLI_PROFILE_PROFILE_H
#define CAIRN_CLI_PROFILE_PROFILE_H

#include "cli/front/cli.h"

#include "base/byte_buffer.h"
#include "os/debuginfod/debuginfod.h"

enum {
	KEPT_FILES_SIZE = 2 << 12,
	PROFILE_DIRECTORY_FILES_MAX = 1 << 12, /* of records, one for each thread of perf */
};

/* The files of records in a directory. */
struct profile_directory {
	struct os_file *files;
	struct cairn_bytes *bytes; /* of each */
	size_t count;
};

bool profile_is_directory(const char *path);

/* Opens DIRECTORY/data and DIRECTORY/data.NUMBER; false, after a complaint, if there is none. */
bool profile_open_directory(const char *path, struct os_file *head,
                            struct profile_directory *directory);
void profile_close_directory(struct profile_directory *directory);

struct convert {
	const char *input, *output, *to, *sample_type;
	const char *otlp_version;
	const char *folders, *sysroot, *kallsyms;
	char kept_files[KEPT_FILES_SIZE]; /* the folders, and after them that of perf */
	bool no_symbolize, no_inline, symbolize_all, use_debuginfod, quiet;
	struct debuginfod debuginfod;
	uint64_t left_out;       /* members of JSON, of all messages */
	uint64_t unknown_fields; /* of messages that were written as JSON */
	struct cairn_symbolizer *symbolizer;
	struct profile_directory directory; /* empty, if the input is a file */
};

/* Where a profile goes: to a file that appears whole, or to standard output; packed or not. */
struct profile_output {
	const char *path; /* NULL: standard output */
	int fd;           /* standard output, or the file while it is being filled */
	void *packer;     /* NULL: it is not packed */
	struct byte_buffer bytes;
	bool is_written; /* the file is there, or could not be */
	int error;       /* an errno value */
};

/* What is written of a profile. */
struct profile_written {
	const struct cairn_profile *profile;
	enum cairn_profile_format format;
	const char *sample_type; /* may be NULL */
};

/* What is packed or else `binary` does not go to a terminal. False, after a complaint, if it cannot be. */
bool profile_output_begin(struct profile_output *output, const char *path, bool binary,
                          bool packed);

/* The function of struct cairn_profile_output, whose context is the output. */
int profile_output_write(void *context, const void *bytes, size_t size);

/* Writes a profile piece by piece, so that a large one is not in memory twice.  False: *fault or output->error has the reason. */
bool profile_output_profile(struct profile_output *output, const struct profile_written *what,
                            struct cairn_fault *fault);

/* Ends the output, which appears if `keep`; false, after a complaint, if it cannot be written. */
bool profile_output_end(struct profile_output *output, bool keep);

/* Prints what was in a recording and, with `names`, what became of the locations of each module, on standard error. */
void profile_report(const char *input, const struct cairn_profile *profile, bool names);

/* The context of the functions of struct cairn_recording_options. */
struct profile_recording {
	const struct os_file *file;
	const struct profile_directory *directory;
	uint64_t worth; /* bytes of the recording */
	struct cairn_recorded_search search;
};

/* The function of struct cairn_recording_options that unpacks. */
enum cairn_status profile_unpack(void *context, struct cairn_bytes (*next)(void *pieces),
                                 void *pieces, void **memory, size_t *size);

/* Tells why a message of the input, or all of it, is not read: of JSON with its line, and the place in the input. */
void profile_print_fault(const struct convert *convert, struct cairn_bytes input,
                         struct cairn_bytes message, const struct cairn_fault *fault);

/* Counts what is not in the output that was written of a profile. */
void profile_count_left_out(struct convert *convert, const struct cairn_profile *profile,
                            enum cairn_profile_format written);

/* Looks up names as the options want it; false, after a complaint, if memory is short. */
bool profile_give_names(struct convert *convert, struct cairn_profile *profile);

/* Converts each message of a file that has several, as OpenTelemetry's or as folded text; false, after a complaint. */
bool profile_convert_stream(struct convert *convert, struct cairn_bytes stream,
                            enum cairn_profile_version version, enum cairn_profile_format format,
                            struct profile_output *output);

/* A symbolizer for the input, by the options, with DWARF; NULL, after a complaint, if memory is short. */
struct cairn_symbolizer *profile_symbolizer(struct convert *convert, struct cairn_bytes input);

#endif
