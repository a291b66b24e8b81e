/* SPDX-License-Identifier: MIT */
/* `cairn profile convert`: reads a profile, names its locations, and writes it. */
#include "profile.h"

#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Gives the locations of a profile names, files, lines and inlined calls, and writes it in\n"
	"its own format or another one. INPUT is a profile of pprof, a message of OpenTelemetry\n"
	"or its JSON, packed or not, or a recording of perf; '-' is standard input. Files are\n"
	"found by build ID, as 'cairn bt' finds them. All that the profile has besides is kept,\n"
	"but for members of JSON that cairn does not know, and fields that JSON has no member\n"
	"for. How many locations have no name, and why, is on standard error. Exit status 0: the\n"
	"profile was written, whether or not all locations have names; 3: it was not.";

static bool ends_with(const char *text, const char *end)
{
	const size_t size = strlen(text), wanted = strlen(end);

	return size >= wanted && strcmp(text + size - wanted, end) == 0;
}

/* Requested format. If none is chosen, the input's format is used. */
struct wish {
	bool chosen;
	bool by_name; /* chosen by the name of the output */
	enum cairn_profile_format format;
	enum cairn_profile_version version;
};

/*
 * Choose the format by --to, otherwise by the name of the output. Return false if --to is invalid.
 */
static bool choose_format(const struct convert *convert, struct wish *wish)
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

	wish->by_name = !convert->to;
	for (size_t i = 0; !wish->chosen && i < COUNT(formats); i++) {
		wish->chosen = convert->to ? strcmp(convert->to, formats[i].word) == 0
		                           : convert->output &&
		                                     ends_with(convert->output, formats[i].suffix);
		wish->format = formats[i].format;
	}
	return wish->chosen || !convert->to;
}

/* Return true for names of other file types, which would hide that the output is a profile. */
static bool has_other_ending(const char *output)
{
	static const char *const endings[] = { ".svg", ".html", ".htm", ".txt",
		                               ".csv", ".png",  ".pdf" };

	for (size_t i = 0; output && i < COUNT(endings); i++)
		if (ends_with(output, endings[i]))
			return true;
	return false;
}

static bool choose_version(const struct convert *convert, struct wish *wish)
{
	static const struct {
		const char *word;
		enum cairn_profile_version version;
	} versions[] = { { "1.8", CAIRN_PROFILE_1_8 },
		         { "1.9", CAIRN_PROFILE_1_9 },
		         { "1.10", CAIRN_PROFILE_1_10 },
		         { "1.11", CAIRN_PROFILE_1_10 } };

	wish->version = CAIRN_PROFILE_GUESSED;
	for (size_t i = 0; convert->otlp_version && i < COUNT(versions); i++)
		if (strcmp(convert->otlp_version, versions[i].word) == 0)
			wish->version = versions[i].version;
	return !convert->otlp_version || wish->version != CAIRN_PROFILE_GUESSED;
}

static bool begin_output(const struct convert *convert, enum cairn_profile_format format,
                         struct profile_output *output)
{
	const bool is_stdout = !convert->output || strcmp(convert->output, "-") == 0;
	const bool packed =
		format == CAIRN_PROFILE_PPROF || (!is_stdout && ends_with(convert->output, ".gz"));

	return profile_output_begin(output, is_stdout ? NULL : convert->output,
	                            format == CAIRN_PROFILE_PPROF || format == CAIRN_PROFILE_OTLP,
	                            packed);
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

/* Open the profile. The stacks of a perf recording may need the files of its modules. */
static enum cairn_status open_profile(struct convert *convert, const struct os_file *file,
                                      const struct wish *wish, struct cairn_profile **profile,
                                      struct cairn_fault *fault)
{
	struct cairn_recording_options options = CAIRN_RECORDING_OPTIONS;
	struct profile_recording recording = { file,
		                               &convert->directory,
		                               count_recorded(convert, file),
		                               { sizeof(recording.search),
		                                 strcmp(convert->input, "-") == 0 ? NULL
		                                                                  : convert->input,
		                                 convert->folders, convert->kallsyms } };

	if (!cairn_recording_recognize(file->bytes))
		return cairn_profile_open(file->bytes, wish->version, profile, fault);
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
 * Return the requested format, or `own`. A name that ends in .json requests Firefox's JSON, unless
 * the input is OpenTelemetry's JSON.
 */
static enum cairn_profile_format settle_format(const struct wish *wish,
                                               enum cairn_profile_format own)
{
	const bool is_json = wish->format == CAIRN_PROFILE_FIREFOX && wish->by_name &&
	                     own == CAIRN_PROFILE_OTLP_JSON;

	return wish->chosen && !is_json ? wish->format : own;
}

/* Choose the output format. By default it is the input's own, and pprof for a recording. */
static enum cairn_profile_format find_format(const struct wish *wish,
                                             const struct cairn_profile *profile)
{
	struct cairn_recording_counts counts = { .size = sizeof(counts) };

	return settle_format(wish, cairn_profile_recording(profile, &counts)
	                                   ? CAIRN_PROFILE_PPROF
	                                   : cairn_profile_format(profile));
}

static int convert_profile(struct convert *convert, const struct os_file *file,
                           const struct wish *wish)
{
	struct cairn_profile *profile;
	struct cairn_fault fault;
	int status = EXIT_BROKEN;

	if (open_profile(convert, file, wish, &profile, &fault) != CAIRN_OK) {
		profile_print_fault(convert, file->bytes, file->bytes, &fault);
		return EXIT_BROKEN;
	}
	if (convert->no_symbolize || profile_give_names(convert, profile))
		status = write_profile(convert, profile, find_format(wish, profile));
	if (status == EXIT_CLEAN && !convert->quiet)
		profile_report(convert->input, profile, !convert->no_symbolize);
	profile_count_left_out(convert, profile, find_format(wish, profile));
	cairn_profile_close(profile);
	return status;
}

/*
 * Convert a stream of OpenTelemetry messages one by one. An output format with one profile per file
 * cannot hold several messages.
 */
static int convert_stream(struct convert *convert, struct cairn_bytes stream,
                          const struct wish *wish)
{
	const enum cairn_profile_format format = settle_format(
		wish, stream.data[0] == '{' ? CAIRN_PROFILE_OTLP_JSON : CAIRN_PROFILE_OTLP);
	struct profile_output output;
	bool good;

	if (format != CAIRN_PROFILE_OTLP && format != CAIRN_PROFILE_OTLP_JSON &&
	    format != CAIRN_PROFILE_FOLDED)
		return fail_with(convert->input,
		                 "a file of several messages becomes otlp, otlp-json or folded");
	if (!begin_output(convert, format, &output))
		return EXIT_BROKEN;
	good = profile_convert_stream(convert, stream, wish->version, format, &output);
	good = profile_output_end(&output, good) && good;
	return good ? EXIT_CLEAN : EXIT_BROKEN;
}

static int convert_input(struct convert *convert, const struct os_file *file,
                         const struct wish *wish)
{
	return cairn_profile_is_stream(file->bytes) ? convert_stream(convert, file->bytes, wish)
	                                            : convert_profile(convert, file, wish);
}

static void report_left_out(const struct convert *convert)
{
	if (convert->left_out > 0)
		print_diagnostic(convert->input,
		                 "members of JSON that cairn does not know were left out: %" PRIu64,
		                 convert->left_out);
	if (convert->unknown_fields > 0)
		print_diagnostic(convert->input,
		                 "fields that JSON has no member for were left out: %" PRIu64,
		                 convert->unknown_fields);
}

static int run_convert(struct convert *convert, const struct command *command)
{
	struct wish wish = { .chosen = false };
	struct os_file file;
	int status;

	if (!choose_format(convert, &wish))
		return usage_error(command, "--to is pprof, otlp, otlp-json, firefox or folded");
	if (!wish.chosen && has_other_ending(convert->output))
		return usage_error(command,
		                   "--output %s: this is the name of no format: choose one by --to",
		                   convert->output);
	if (!choose_version(convert, &wish))
		return usage_error(command, "--otlp-version is 1.8 to 1.11");
	if (profile_is_directory(convert->input)
	            ? !profile_open_directory(convert->input, &file, &convert->directory)
	            : !input_open_unpacked(convert->input, &file))
		return EXIT_BROKEN;
	convert->symbolizer = profile_symbolizer(convert, file.bytes);
	status = convert->symbolizer ? convert_input(convert, &file, &wish) : EXIT_BROKEN;
	if (status == EXIT_CLEAN)
		report_left_out(convert);
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
		            "pprof, otlp, otlp-json, firefox or folded; without it as the name of "
		            "the output "
		            "ends, else that of INPUT",
		            &convert.to),
		OPTION_TEXT("otlp-version", "VERSION",
		            "read OpenTelemetry's profile as 1.8, 1.9, 1.10 or 1.11, and do not "
		            "guess",
		            &convert.otlp_version),
		OPTION_OUTPUT('o', "output", "OUT",
		              "write there; - is standard output; *.gz is packed, and so is pprof",
		              &convert.output),
		OPTION_FLAG("no-symbolize", "look up no names", &convert.no_symbolize),
		OPTION_FLAG("no-inline",
		            "name functions alone, by symbol tables where there are some, without "
		            "inlined "
		            "calls",
		            &convert.no_inline),
		OPTION_FLAG("symbolize-all", "look up names for locations that have some, too",
		            &convert.symbolize_all),
		OPTION_TEXT("sample-type", "TYPE",
		            "of several values the one that 'folded' and 'firefox' count",
		            &convert.sample_type),
		OPTION_WITH(RIGHT_DIRECTORY, text, 0, "sysroot", "DIR",
		            "look for the files of modules below DIR", &convert.sysroot),
		OPTION_TEXT("kallsyms", "FILE",
		            "the symbols of a recording's kernel, as /proc/kallsyms had them",
		            &convert.kallsyms),
		OPTION_DIRECTORY(&convert.folders),
		OPTION_DEBUG_FILE_DIRECTORY(&convert.folders),
		OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL,
		            "also ask the servers in DEBUGINFOD_URLS, for programs too",
		            &convert.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&convert.debuginfod.deadline),
		OPTION_FLAG("quiet", "do not report which locations have names", &convert.quiet),
	};
	const struct command command = { "cairn profile convert [OPTION...] INPUT",
		                         about,
		                         options,
		                         COUNT(options),
		                         .operands = { 1, 1, { "INPUT" } },
		                         .rights = RIGHT_FINDS };
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

	return verbs_run("cairn profile", "Profiles: stacks that a profiler has counted.", verbs,
	                 COUNT(verbs), argc, argv);
}
