/* SPDX-License-Identifier: MIT */
/* Shared by the parts of `cairn profile convert`. */
#ifndef CAIRN_CLI_PROFILE_PROFILE_H
#define CAIRN_CLI_PROFILE_PROFILE_H

#include "cli/front/cli.h"

#include "base/byte_buffer.h"
#include "os/debuginfod/debuginfod.h"

enum {
	KEPT_FILES_SIZE = 2 << 12,
	PROFILE_DIRECTORY_FILES_MAX = 1 << 12, /* files with records, one per thread of perf */
};

struct profile_directory {
	struct os_file *files;
	struct cairn_bytes *bytes;
	size_t count;
};

bool profile_is_directory(const char *path);

/*
 * Open DIRECTORY/data and the files DIRECTORY/data.NUMBER. On failure print a diagnostic and return
 * false.
 */
bool profile_open_directory(const char *path, struct os_file *head,
                            struct profile_directory *directory);
void profile_close_directory(struct profile_directory *directory);

struct convert {
	const char *input, *output, *to, *sample_type;
	const char *otlp_version;
	const char *folders, *sysroot, *kallsyms;
	char kept_files[KEPT_FILES_SIZE]; /* the given directories, followed by perf's own */
	bool no_symbolize, no_inline, symbolize_all, use_debuginfod, quiet;
	struct debuginfod debuginfod;
	uint64_t left_out;       /* unknown JSON members that were left out, in all messages */
	uint64_t unknown_fields; /* fields left out because JSON output has no member for them */
	struct cairn_symbolizer *symbolizer;
	struct profile_directory directory; /* empty if the input is a file */
};

/*
 * Output for a profile: a file that appears complete or not at all, or standard output, optionally
 * compressed.
 */
struct profile_output {
	const char *path; /* NULL for standard output */
	int fd;           /* standard output, or the file while it is written */
	void *packer;     /* compressor; NULL if the output is not compressed */
	struct byte_buffer bytes;
	bool is_written; /* writing the file was attempted */
	int error;       /* errno value */
};

struct profile_written {
	const struct cairn_profile *profile;
	enum cairn_profile_format format;
	const char *sample_type; /* may be NULL */
};

/*
 * Begin the output. Compressed data and formats with `binary` set are not written to a terminal. On
 * failure print a diagnostic and return false.
 */
bool profile_output_begin(struct profile_output *output, const char *path, bool binary,
                          bool packed);

/*
 * Write bytes of the profile. The write function of struct cairn_profile_output; `context` is a
 * struct profile_output.
 */
int profile_output_write(void *context, const void *bytes, size_t size);

/*
 * Write a profile in pieces, so that a large one is not in memory twice. On failure return false;
 * *fault or output->error has the reason.
 */
bool profile_output_profile(struct profile_output *output, const struct profile_written *what,
                            struct cairn_fault *fault);

/*
 * Finish the output. The file appears if `keep` is set. If it cannot be written, print a diagnostic
 * and return false.
 */
bool profile_output_end(struct profile_output *output, bool keep);

/*
 * Print statistics of a recording on standard error and, with `names`, how many locations of each
 * module have names.
 */
void profile_report(const char *input, const struct cairn_profile *profile, bool names);

/* Context of the callbacks in struct cairn_recording_options. */
struct profile_recording {
	const struct os_file *file;
	const struct profile_directory *directory;
	uint64_t worth;
	struct cairn_recorded_search search;
};

/* Decompress records. The unpack function of struct cairn_recording_options. */
enum cairn_status profile_unpack(void *context, struct cairn_bytes (*next)(void *pieces),
                                 void *pieces, void **memory, size_t *size);

/*
 * Report why the input, or one of its messages, cannot be read. For JSON the line is printed as
 * well.
 */
void profile_print_fault(const struct convert *convert, struct cairn_bytes input,
                         struct cairn_bytes message, const struct cairn_fault *fault);

void profile_count_left_out(struct convert *convert, const struct cairn_profile *profile,
                            enum cairn_profile_format written);

/* Look up names as the options specify. If memory is short, print a diagnostic and return false. */
bool profile_give_names(struct convert *convert, struct cairn_profile *profile);

/*
 * Convert each message of a file with several messages, to OpenTelemetry's formats or folded text.
 * On failure print a diagnostic and return false.
 */
bool profile_convert_stream(struct convert *convert, struct cairn_bytes stream,
                            enum cairn_profile_version version, enum cairn_profile_format format,
                            struct profile_output *output);

/*
 * Create the symbolizer for the input, with DWARF. If memory is short, print a diagnostic and
 * return NULL.
 */
struct cairn_symbolizer *profile_symbolizer(struct convert *convert, struct cairn_bytes input);

#endif
