/* SPDX-License-Identifier: MIT */
/* `cairn profile convert`: reads a profile, names its locations, and writes it. */
#include "profiles/profile.h"
#include "base/byte_buffer.h"
#include "base/memory.h"
#include "cli/front/cli.h"
#include "os/atomic_file.h"
#include "os/debuginfod.h"
#include "output/escape.h"
#include "unpack/gzip_write.h"
#include "unpack/unpack.h"

#include <cairn/dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEPT_FILES_SIZE = 2 << 12,
	/*
	 * maximum number of record files in a recording that is a directory; perf writes one per
	 * thread
	 */
	PROFILE_DIRECTORY_FILES_MAX = 1 << 12,
};

struct profile_directory {
	struct os_file *files;
	struct cairn_bytes *bytes;
	size_t count;
};

struct convert {
	const char *input, *output, *to, *sample_type;
	const char *otlp_version;
	const char *directories, *sysroot, *kallsyms;
	char kept_files[KEPT_FILES_SIZE]; /* the user's directories, followed by ~/.debug */
	bool no_symbolize, no_inline, symbolize_all, use_debuginfod, quiet;
	struct debuginfod debuginfod;
	uint64_t left_out; /* number of unknown JSON members that were dropped from all messages */
	/* number of fields that were dropped because JSON has no member for them */
	uint64_t unknown_fields;
	struct cairn_symbolizer *symbolizer;
	/* record files; empty unless the input is a directory */
	struct profile_directory directory;
};

/*
 * Output for a profile: standard output, or a file that is created atomically. May be compressed.
 */
struct profile_output {
	const char *path;
	int fd;       /* descriptor of standard output or the output file, or WAITING */
	void *packer; /* compressor; NULL if the output is not compressed */
	struct byte_buffer bytes;
	bool is_written; /* the output file has been created, or creating it has failed */
	int error;
};

struct profile_written {
	const struct cairn_profile *profile;
	enum cairn_profile_format format;
	const char *sample_type;
};

struct profile_recording {
	const struct os_file *file;
	const struct profile_directory *directory;
	uint64_t worth;
	struct cairn_recorded_search search;
};

/* Decompress records. This is cairn_recording_options.unpack. */
enum cairn_status profile_unpack(void *context, struct cairn_bytes (*next)(void *pieces),
                                 void *pieces, void **memory, size_t *size);

static void profile_close_directory(struct profile_directory *directory);
static void profile_count_left_out(struct convert *convert, const struct cairn_profile *profile,
                                   enum cairn_profile_format written);

/*
 * Opens a recording that is a directory, as written by `perf record --threads`: a file with the
 * header, and one file of records per perf thread.
 */

enum { DIRECTORY_PATH = 4096 };

static bool add_records(struct profile_directory *d, const struct os_file *file, size_t *capacity)
{
	size_t bytes_capacity = *capacity;

	if (!array_grow(&d->files, capacity, d->count + 1, sizeof(*d->files)) ||
	    !array_grow(&d->bytes, &bytes_capacity, d->count + 1, sizeof(*d->bytes)))
		return false;
	d->files[d->count] = *file;
	d->bytes[d->count++] = file->bytes;
	return true;
}

static int open_records(const char *directory, struct profile_directory *d)
{
	char path[DIRECTORY_PATH];
	struct os_file file;
	size_t capacity = 0;
	int error = 0;

	while (error == 0) {
		const int size = snprintf(path, sizeof(path), "%s/data.%zu", directory, d->count);
		if (size < 0 || (size_t)size >= sizeof(path))
			return ENAMETOOLONG;
		error = os_file_open_regular(path, &file);
		if (error == 0 && d->count == PROFILE_DIRECTORY_FILES_MAX) {
			os_file_close(&file);
			return EMFILE;
		}
		if (error == 0 && !add_records(d, &file, &capacity)) {
			os_file_close(&file);
			return ENOMEM;
		}
	}
	return error == ENOENT ? 0 : error;
}

/*
 * Open DIRECTORY/data and the files DIRECTORY/data.NUMBER. On failure, print a diagnostic and
 * return false.
 */
static bool profile_open_directory(const char *path, struct os_file *head,
                                   struct profile_directory *d)
{
	char name[DIRECTORY_PATH];
	const int size = snprintf(name, sizeof(name), "%s/data", path);
	int error = size < 0 || (size_t)size >= sizeof(name) ? ENAMETOOLONG : 0;

	if (error == 0)
		error = os_file_open_regular(name, head);
	if (error == 0) {
		error = open_records(path, d);
		if (error == 0)
			return true;
		profile_close_directory(d);
		os_file_close(head);
	}
	return refuse_with(path, "cannot read a recording in this directory: %s", strerror(error));
}

static void profile_close_directory(struct profile_directory *d)
{
	for (size_t i = 0; i < d->count; i++)
		os_file_close(&d->files[i]);
	free(d->files);
	free(d->bytes);
	*d = (struct profile_directory){ .count = 0 };
}

/* Decompresses the records of a recording, which form a single stream without an end mark. */

enum { PIECE = 1 << 20 };

static enum cairn_status read_stream(struct unpack_pieces *pieces, uint64_t limit,
                                     struct byte_buffer *out)
{
	size_t got = PIECE;

	while (got == PIECE) {
		uint8_t *buffer = byte_buffer_extend(out, PIECE);
		if (!buffer)
			return out->size >= limit - PIECE ? CAIRN_UNSUPPORTED : CAIRN_NO_MEMORY;
		got = unpack_pieces_read(pieces, buffer, PIECE);
		out->size -= PIECE - got;
	}
	return out->size > 0 || pieces->end.status == CAIRN_OK ? CAIRN_OK : pieces->end.status;
}

enum cairn_status profile_unpack(void *context, struct cairn_bytes (*next)(void *pieces),
                                 void *pieces, void **memory, size_t *size)
{
	const struct profile_recording *recording = context;
	const uint64_t limit = unpack_allowed(recording->worth);
	struct byte_buffer out = { .limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit };
	struct unpack_pieces stream;
	struct cairn_fault fault;
	enum cairn_status status = unpack_zstd.absent ? CAIRN_UNSUPPORTED : CAIRN_OK;

	if (status == CAIRN_OK)
		status = unpack_pieces_open(&stream, &unpack_zstd, next, pieces, &fault);
	if (status != CAIRN_OK)
		return status;
	status = read_stream(&stream, limit, &out);
	unpack_pieces_close(&stream);
	if (status != CAIRN_OK) {
		byte_buffer_finish(&out);
		return status;
	}
	*memory = out.data;
	*size = out.size;
	return CAIRN_OK;
}

enum {
	/*
	 * maximum number of modules whose files stay open; locations are looked up module by module
	 */
	MODULES_MAX = 1 << 12,
	/* rank that places DWARF after the symbol tables, which have rank 400 */
	AFTER_TABLES = 450,
};

static bool fetch_file(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                       char *path, size_t size)
{
	struct convert *convert = context;
	enum debuginfod_answer answer;
	const bool found =
		debuginfod_fetch(&convert->debuginfod, wanted, build_id, path, size, &answer);

	print_debuginfod_diagnostic(convert->input, &convert->debuginfod, answer);
	return found;
}

/*
 * Create the symbolizer for the input, with DWARF as one of its sources. If allocation fails, print
 * a diagnostic and return NULL.
 */
static struct cairn_symbolizer *profile_symbolizer(struct convert *convert,
                                                   struct cairn_bytes input)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbol_source dwarf = *cairn_dwarf_source();
	struct cairn_symbolizer *symbolizer;

	if (convert->no_inline) /* use DWARF only for functions that no other source contains */
		dwarf.rank = AFTER_TABLES;
	if (cairn_recording_recognize(input)) {
		/*
		 * Also search ~/.debug, where perf keeps the files of its recordings and where
		 * users unpack the output of `perf archive`.
		 */
		const char *home = getenv("HOME"), *directories = convert->directories;
		const int size = snprintf(convert->kept_files, sizeof(convert->kept_files),
		                          "%s%s%s/.debug", directories ? directories : "",
		                          directories ? ":" : "", home ? home : "");
		if (home && size > 0 && (size_t)size < sizeof(convert->kept_files))
			convert->directories = convert->kept_files;
	}
	options.directories = convert->directories;
	options.sysroot = convert->sysroot;
	options.modules_max = MODULES_MAX;
	options.in_order = !cairn_profile_is_stream(input);
	options.ranking = convert->no_inline ? CAIRN_RANK_FIRST : CAIRN_RANK_LINES;
	if (convert->use_debuginfod) {
		options.fetch = fetch_file;
		options.fetch_context = convert;
	}
	symbolizer = cairn_symbolizer_new(&options);
	if (symbolizer && cairn_symbolizer_add(symbolizer, &dwarf) == CAIRN_OK)
		return symbolizer;
	cairn_symbolizer_free(symbolizer);
	print_diagnostic(NULL, "out of memory");
	return NULL;
}

static bool profile_give_names(struct convert *convert, struct cairn_profile *profile)
{
	const enum cairn_status status = cairn_profile_symbolize(
		profile, convert->symbolizer,
		(convert->symbolize_all ? CAIRN_PROFILE_AGAIN : 0u) |
			(convert->no_inline ? CAIRN_PROFILE_FUNCTIONS : 0u));

	if (status != CAIRN_OK)
		print_diagnostic(convert->input, "%s", cairn_status_text(status));
	return status == CAIRN_OK;
}

enum { LINE_TEXT = 32 };

static uint64_t count_lines(struct cairn_bytes text, uint64_t end)
{
	uint64_t line = 1;

	for (size_t i = 0; i < text.size && i < end; i++)
		line += text.data[i] == '\n';
	return line;
}

/*
 * Report why the input, or one of its messages, cannot be read. For JSON, also print the line
 * number.
 */
static void profile_print_fault(const struct convert *convert, struct cairn_bytes input,
                                struct cairn_bytes message, const struct cairn_fault *fault)
{
	const bool is_alone = message.size == input.size,
		   is_json = input.size > 0 && input.data[0] == '{';
	struct cairn_fault placed = *fault;
	char line[LINE_TEXT];

	if (is_json) {
		placed.offset += (uint64_t)(message.data - input.data);
		(void)snprintf(line, sizeof(line), "line %" PRIu64,
		               count_lines(input, placed.offset));
	}
	print_fault_diagnostic(
		convert->input,
		is_json    ? line
		: is_alone ? NULL
			   : "a message",
		&placed,
		is_alone && fault->status == CAIRN_UNSUPPORTED
			? "expected a pprof or OpenTelemetry profile, or a perf recording"
			: NULL);
}

/* maximum number of modules to list, because a profile may have one per sample */
enum { MODULES_LISTED = 20 };

static uint64_t count_unnamed(const struct cairn_profiled_module *module)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAIRN_PROFILE_REASONS; i++)
		sum += module->unnamed[i];
	return sum;
}

static void report_recording(const char *input, const struct cairn_profile *profile)
{
	struct cairn_recording_counts counts = { .size = sizeof(counts) };

	if (!cairn_profile_recording(profile, &counts))
		return;
	print_diagnostic(input, "%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " damaged",
	                 counts.samples, counts.lost, counts.damaged);
	if (profile->without_user > 0)
		print_diagnostic(input, "the user stacks of %" PRIu64 " samples were lost",
		                 profile->without_user);
	if (counts.dumps > 0)
		print_diagnostic(input,
		                 "of %" PRIu64 " copied stacks, %" PRIu64
		                 " are complete and %" PRIu64 " are truncated",
		                 counts.dumps, counts.whole, counts.dumps - counts.whole);
	if (counts.is_cut)
		print_diagnostic(input,
		                 "the recording is truncated or damaged; using only the part "
		                 "before the damage");
}

static void report_names(const char *input, const struct cairn_profile *profile)
{
	struct cairn_profiled_module module = { .size = sizeof(module) };
	uint64_t named = 0, before = 0, unnamed = 0;
	size_t without = 0, listed = 0;

	for (size_t i = 0; cairn_profile_module(profile, i, &module); i++) {
		named += module.named;
		before += module.named_before;
		unnamed += count_unnamed(&module);
		without += count_unnamed(&module) > 0;
	}
	print_diagnostic(input,
	                 "%s: %" PRIu64 " locations were named, %" PRIu64
	                 " already had names, %" PRIu64 " remain unnamed%s",
	                 cairn_profile_format_text(profile), named, before, unnamed,
	                 without > 0 ? ":" : "");
	for (size_t i = 0; listed < MODULES_LISTED && cairn_profile_module(profile, i, &module);
	     i++)
		if (count_unnamed(&module) > 0) {
			fputs("  ", stderr);
			if (module.path.size > 0)
				print_text(stderr, module.path);
			else
				fputs(module.build_id.size > 0 ? "a module without a name"
				                               : "no module",
				      stderr);
			if (module.build_id.size > 0)
				print_text_between(stderr, " [", module.build_id, "]");
			fputc('\n', stderr);
			for (unsigned k = 0; k < CAIRN_PROFILE_REASONS; k++)
				if (module.unnamed[k] > 0)
					fprintf(stderr, "    %" PRIu64 " location%s: %s\n",
					        module.unnamed[k],
					        module.unnamed[k] == 1 ? "" : "s",
					        cairn_profile_reason_text(
							(enum cairn_profile_reason)k));
			listed++;
		}
	if (without > listed)
		fprintf(stderr, "  and %zu more modules\n", without - listed);
}

/*
 * Print statistics about a recording on standard error. If `names` is set, also print how many
 * locations of each module have names.
 */
static void profile_report(const char *input, const struct cairn_profile *profile, bool names)
{
	report_recording(input, profile);
	if (names)
		report_names(input, profile);
}

/* value of `fd` until the output file is opened; meanwhile, output is buffered in memory */
enum { WAITING = -1 };

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

/*
 * Write bytes of the profile. This is cairn_profile_output.write with a struct profile_output as
 * its context.
 */
static int profile_output_write(void *context, const void *bytes, size_t size)
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

/*
 * Write a profile in pieces, so that a large one is not in memory twice. Return false on failure,
 * with the reason in *fault or output->error.
 */
static bool profile_output_profile(struct profile_output *output,
                                   const struct profile_written *what, struct cairn_fault *fault)
{
	struct filling filling = { output, what, fault, CAIRN_OK };
	const int error = output->path ? os_atomic_file_fill(output->path, fill_output, &filling)
	                               : fill_output(&filling, STDOUT_FILENO);

	if (filling.status == CAIRN_OK && output->error == 0)
		output->error = error;
	output->is_written = true;
	return error == 0;
}

/*
 * Finish the output. The file appears at its path only if `keep` is set. If it cannot be written,
 * print a diagnostic and return false.
 */
static bool profile_output_end(struct profile_output *output, bool keep)
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

/*
 * Write callback that only counts bytes. A message is preceded by its length, so it is first
 * written with this callback to measure it.
 */
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

static void profile_count_left_out(struct convert *convert, const struct cairn_profile *profile,
                                   enum cairn_profile_format written)
{
	convert->left_out += cairn_profile_left_out(profile);
	if (written == CAIRN_PROFILE_OTLP_JSON)
		convert->unknown_fields += cairn_profile_unknown_fields(profile);
}

/*
 * Convert each message in a file with several messages, to an OpenTelemetry format or to folded
 * text. On failure, print a diagnostic and return false.
 */
static bool profile_convert_stream(struct convert *convert, struct cairn_bytes stream,
                                   enum cairn_profile_version version,
                                   enum cairn_profile_format format, struct profile_output *output)
{
	const struct cairn_bytes input = stream;
	struct cairn_bytes message;

	while (cairn_profile_next_message(&stream, &message))
		if (message.size > 0 &&
		    !convert_message(convert, input, message, version, format, output))
			return false;
	if (stream.size > 0)
		print_diagnostic(convert->input, "the last message is truncated");
	return stream.size == 0;
}

static const char about[] =
	"Add names, files, lines and inlined calls to the locations of a profile, and write\n"
	"it in its own format or another one. INPUT is a pprof profile, an OpenTelemetry\n"
	"message or its JSON, packed or not, or a recording of perf; '-' is standard input.\n"
	"Files are found by build ID as by 'cairn bt'. Everything else in the profile is\n"
	"kept, except members of JSON that cairn does not know and fields without a JSON\n"
	"member. Locations without names, and the reasons, are reported on standard error.\n"
	"Exit status 0: the profile was written, with or without names; 3: it was not.";
static bool ends_with(const char *text, const char *end)
{
	const size_t size = strlen(text), wanted = strlen(end);

	return size >= wanted && strcmp(text + size - wanted, end) == 0;
}

/* Requested output format. Without a request, the output has the input's format. */
struct choice {
	bool chosen;
	bool by_name; /* the suffix of the output path determined the format */
	enum cairn_profile_format format;
	enum cairn_profile_version version;
};

/*
 * Choose the format by --to or, without it, by the suffix of the output path. Return false if --to
 * is invalid.
 */
static bool choose_format(const struct convert *convert, struct choice *choice)
{
	static const struct {
		const char *word, *suffix;
		enum cairn_profile_format format;
	} formats[] = { { "pprof", ".pb.gz", CAIRN_PROFILE_PPROF },
		        { "otlp", ".otlp", CAIRN_PROFILE_OTLP },
		        { "otlp", ".otlp.gz", CAIRN_PROFILE_OTLP },
		        { "otlp-json", ".jsonl", CAIRN_PROFILE_OTLP_JSON },
		        { "otlp-json", ".jsonl.gz", CAIRN_PROFILE_OTLP_JSON },
		        { "firefox", ".json", CAIRN_PROFILE_FIREFOX },
		        { "firefox", ".json.gz", CAIRN_PROFILE_FIREFOX },
		        { "folded", ".folded", CAIRN_PROFILE_FOLDED },
		        { "folded", ".folded.gz", CAIRN_PROFILE_FOLDED } };

	choice->by_name = !convert->to;
	for (size_t i = 0; !choice->chosen && i < COUNT(formats); i++) {
		choice->chosen = convert->to ? strcmp(convert->to, formats[i].word) == 0
		                             : convert->output && ends_with(convert->output,
		                                                            formats[i].suffix);
		choice->format = formats[i].format;
	}
	return choice->chosen || !convert->to;
}

/*
 * Return true if the path ends in the suffix of another file type. Such a name would not identify
 * the output as a profile, so the user must choose a format.
 */
static bool has_other_ending(const char *output)
{
	static const char *const endings[] = { ".svg", ".html", ".htm", ".txt",
		                               ".csv", ".png",  ".pdf" };

	for (size_t i = 0; output && i < COUNT(endings); i++)
		if (ends_with(output, endings[i]))
			return true;
	return false;
}

static bool begin_output(const struct convert *convert, enum cairn_profile_format format,
                         struct profile_output *output)
{
	const bool is_stdout = !convert->output || strcmp(convert->output, "-") == 0;
	const bool packed =
		format == CAIRN_PROFILE_PPROF || (!is_stdout && ends_with(convert->output, ".gz"));

	/* refuse to write compressed data or a binary format to a terminal */
	const char *path = is_stdout ? NULL : convert->output;
	*output = (struct profile_output){ .path = path,
		                           .fd = path ? WAITING : STDOUT_FILENO,
		                           .bytes = { .limit = SIZE_MAX } };
	if (!path && ((format == CAIRN_PROFILE_PPROF || format == CAIRN_PROFILE_OTLP) || packed) &&
	    isatty(STDOUT_FILENO))
		return refuse_with(NULL,
		                   "refusing to write this format to a terminal; use -o FILE");
	if (!packed)
		return true;
	output->packer = gzip_pack_open();
	if (!output->packer)
		print_diagnostic(NULL, "%s",
		                 gzip_pack_absent() ? gzip_pack_absent() : "out of memory");
	return output->packer != NULL;
}

static int write_profile(const struct convert *convert, const struct cairn_profile *profile,
                         enum cairn_profile_format format)
{
	struct cairn_fault fault = { .status = CAIRN_OK };
	struct profile_output output;
	bool good;

	if (!begin_output(convert, format, &output))
		return EXIT_BROKEN;
	good = profile_output_profile(
		&output, &(struct profile_written){ profile, format, convert->sample_type },
		&fault);
	if (!good && output.error == 0)
		print_diagnostic(convert->input, "%s", fault.what);
	good = profile_output_end(&output, good) && good;
	return good ? EXIT_CLEAN : EXIT_BROKEN;
}

static bool read_recorded(void *context, const struct cairn_recorded_request *request,
                          struct cairn_bytes *bytes)
{
	const struct profile_recording *recording = context;

	return cairn_recorded_read(&recording->search, request, bytes);
}

static void release_mapped(const struct os_file *file, struct cairn_bytes bytes)
{
	if (file->mapped && file->bytes.data == bytes.data)
		os_file_release_pages(bytes);
}

static void release_pages(void *context, struct cairn_bytes bytes)
{
	const struct profile_recording *recording = context;

	release_mapped(recording->file, bytes);
	for (size_t i = 0; i < recording->directory->count; i++)
		release_mapped(&recording->directory->files[i], bytes);
}

static uint64_t count_recorded(const struct convert *convert, const struct os_file *file)
{
	uint64_t size = file->bytes.size;

	for (size_t i = 0; i < convert->directory.count; i++)
		size += convert->directory.bytes[i].size;
	return size;
}

/* Open the profile. Unwinding the stacks in a perf recording may read the files of its modules. */
static enum cairn_status open_profile(struct convert *convert, const struct os_file *file,
                                      const struct choice *choice, struct cairn_profile **profile,
                                      struct cairn_fault *fault)
{
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct profile_recording recording = { file,
		                               &convert->directory,
		                               count_recorded(convert, file),
		                               { sizeof(recording.search),
		                                 strcmp(convert->input, "-") == 0 ? NULL
		                                                                  : convert->input,
		                                 convert->directories, convert->kallsyms } };

	if (!cairn_recording_recognize(file->bytes))
		return cairn_profile_open(file->bytes, choice->version, profile, fault);
	options.symbolizer = convert->symbolizer;
	options.unpack = profile_unpack;
	options.context = &recording;
	options.read = convert->no_symbolize ? NULL : read_recorded;
	options.parts = convert->directory.bytes;
	options.part_count = convert->directory.count;
	options.done_with = release_pages;
	return cairn_profile_open_recording(file->bytes, &options, profile, fault);
}

/*
 * Return the requested format, or `own` if there is no request. The suffix .json requests Firefox's
 * JSON unless the input is OpenTelemetry's JSON, whose format is then kept.
 */
static enum cairn_profile_format settle_format(const struct choice *choice,
                                               enum cairn_profile_format own)
{
	const bool is_json = choice->format == CAIRN_PROFILE_FIREFOX && choice->by_name &&
	                     own == CAIRN_PROFILE_OTLP_JSON;

	return choice->chosen && !is_json ? choice->format : own;
}

/* Choose the output format. The default is the input's format, or pprof for a perf recording. */
static enum cairn_profile_format find_format(const struct choice *choice,
                                             const struct cairn_profile *profile)
{
	struct cairn_recording_counts counts = { .size = sizeof(counts) };

	return settle_format(choice, cairn_profile_recording(profile, &counts)
	                                     ? CAIRN_PROFILE_PPROF
	                                     : cairn_profile_format(profile));
}

static int convert_profile(struct convert *convert, const struct os_file *file,
                           const struct choice *choice)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;
	int status = EXIT_BROKEN;

	if (open_profile(convert, file, choice, &profile, &fault) != CAIRN_OK) {
		profile_print_fault(convert, file->bytes, file->bytes, &fault);
		return EXIT_BROKEN;
	}
	if (convert->no_symbolize || profile_give_names(convert, profile))
		status = write_profile(convert, profile, find_format(choice, profile));
	if (status == EXIT_CLEAN && !convert->quiet)
		profile_report(convert->input, profile, !convert->no_symbolize);
	profile_count_left_out(convert, profile, find_format(choice, profile));
	cairn_profile_close(profile);
	return status;
}

/*
 * Convert a stream of OpenTelemetry messages one by one. Fail for output formats with one profile
 * per file.
 */
static int convert_stream(struct convert *convert, struct cairn_bytes stream,
                          const struct choice *choice)
{
	const enum cairn_profile_format format = settle_format(
		choice, stream.data[0] == '{' ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP);
	struct profile_output output;
	bool good;

	if (format != CAIRN_PROFILE_OTLP && format != CAIRN_PROFILE_OTLP_JSON &&
	    format != CAIRN_PROFILE_FOLDED)
		return fail_with(convert->input, "a file with several messages can only be "
		                                 "converted to otlp, otlp-json or folded");
	if (!begin_output(convert, format, &output))
		return EXIT_BROKEN;
	good = profile_convert_stream(convert, stream, choice->version, format, &output);
	good = profile_output_end(&output, good) && good;
	return good ? EXIT_CLEAN : EXIT_BROKEN;
}

static int run_convert(struct convert *convert, const struct command *command)
{
	struct choice choice = { .chosen = false };
	struct os_file file;
	int status;

	if (!choose_format(convert, &choice))
		return usage_error(command,
		                   "--to must be pprof, otlp, otlp-json, firefox or folded");
	if (!choice.chosen && has_other_ending(convert->output))
		return usage_error(
			command,
			"--output %s: unknown file name extension; choose a format with --to",
			convert->output);
	static const struct {
		const char *word;
		enum cairn_profile_version version;
	} versions[] = { { "1.8", CAIRN_PROFILE_1_8 },
		         { "1.9", CAIRN_PROFILE_1_9 },
		         { "1.10", CAIRN_PROFILE_1_10 },
		         { "1.11", CAIRN_PROFILE_1_10 } };
	choice.version = CAIRN_PROFILE_GUESSED;
	for (size_t i = 0; convert->otlp_version && i < COUNT(versions); i++)
		if (strcmp(convert->otlp_version, versions[i].word) == 0)
			choice.version = versions[i].version;
	if (!(!convert->otlp_version || choice.version != CAIRN_PROFILE_GUESSED))
		return usage_error(command, "--otlp-version must be from 1.8 to 1.11");
	struct stat found;
	if (strcmp(convert->input, "-") != 0 && stat(convert->input, &found) == 0 &&
	                    S_ISDIR(found.st_mode)
	            ? !profile_open_directory(convert->input, &file, &convert->directory)
	            : !input_open_unpacked(convert->input, &file))
		return EXIT_BROKEN;
	convert->symbolizer = profile_symbolizer(convert, file.bytes);
	status = convert->symbolizer ? (cairn_profile_is_stream(file.bytes)
	                                        ? convert_stream(convert, file.bytes, &choice)
	                                        : convert_profile(convert, &file, &choice))
	                             : EXIT_BROKEN;
	if (status == EXIT_CLEAN) {
		if (convert->left_out > 0)
			print_diagnostic(convert->input, "unknown JSON members omitted: %" PRIu64,
			                 convert->left_out);
		if (convert->unknown_fields > 0)
			print_diagnostic(
				convert->input,
				"unknown fields omitted because they have no JSON name: %" PRIu64,
				convert->unknown_fields);
	}
	cairn_symbolizer_free(convert->symbolizer);
	os_file_close(&file);
	profile_close_directory(&convert->directory);
	debuginfod_close(&convert->debuginfod);
	return status;
}

static int profile_convert(int argc, char **argv)
{
	struct convert convert = { .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	const struct option options[] = {
		OPTION_TEXT("to", "FORMAT",
		            "pprof, otlp, otlp-json, firefox or folded; default: by the name of "
		            "OUT, else the format of INPUT",
		            &convert.to),
		OPTION_TEXT(
			"otlp-version", "VERSION",
			"read OpenTelemetry as version 1.8, 1.9, 1.10 or 1.11 instead of guessing",
			&convert.otlp_version),
		OPTION_OUTPUT('o', "output", "OUT",
		              "write to OUT; '-' is standard output; *.gz and pprof are packed",
		              &convert.output),
		OPTION_FLAG("no-symbolize", "look up no names", &convert.no_symbolize),
		OPTION_FLAG("no-inline",
		            "name functions only, from symbol tables if possible, without inlined "
		            "calls",
		            &convert.no_inline),
		OPTION_FLAG("symbolize-all", "also look up locations that already have names",
		            &convert.symbolize_all),
		OPTION_TEXT("sample-type", "TYPE", "value that 'folded' and 'firefox' count",
		            &convert.sample_type),
		OPTION_SYSROOT("find module files at their paths below DIR", &convert.sysroot),
		OPTION_TEXT("kallsyms", "FILE",
		            "symbols of the recording's kernel, in the form of /proc/kallsyms",
		            &convert.kallsyms),
		OPTIONS_DIRECTORIES(&convert.directories),
		OPTION_DEBUGINFOD(
			"also ask the servers in DEBUGINFOD_URLS for programs and debug files",
			&convert.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&convert.debuginfod.deadline),
		OPTION_FLAG("quiet", "do not report which locations have names", &convert.quiet),
	};
	const struct command command =
		COMMAND("cairn profile convert [OPTION...] INPUT", about, options,
	                OPERANDS(1, 1, "INPUT"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	convert.input = argv[0];
	return run_convert(&convert, &command);
}

int verb_profile(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "convert", "name the locations of a profile, and write it for another tool",
		  profile_convert },
	};

	return verbs_run("cairn profile", "Convert profiles, and name their locations.", verbs,
	                 COUNT(verbs), argc, argv);
}
