/* SPDX-License-Identifier: MIT */
/* Shared by the verbs of `cairn cbf`: reading the input, and printing backtraces and images. */
#ifndef CAIRN_CLI_CBF_CBF_H
#define CAIRN_CLI_CBF_CBF_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "formats/cbf.h"
#include "formats/codable.h"
#include "output/json.h"
#include "process/capture/backtraces.h"
#include "traces/loaded_images.h"
#include "traces/swift_backtrace_scan.h"

/* Problems with a backtrace's encoding, image map or JSON object, as bits of a set. */
enum cbf_problem {
	CBF_PROBLEM_ARCHITECTURE = 1, /* the JSON object does not state an architecture */
	CBF_PROBLEM_BASE64 = 2,
	CBF_PROBLEM_IMAGE_MAP = 4, /* the image map is damaged; images before the damage are used */
	CBF_PROBLEM_WHITESPACE = 8,
};

enum cbf_encoding {
	CBF_ENCODING_AUTO,
	CBF_ENCODING_RAW,
	CBF_ENCODING_HEX,
	CBF_ENCODING_BASE64,
	CBF_ENCODING_JSON,   /* a Backtrace in the JSON form of Swift's Codable */
	CBF_ENCODING_REPORT, /* crash report of Swift, as text or JSON */
};

struct cbf_source {
	const char *text; /* input given on the command line instead of a file; may be NULL */
	const char *encoding;
	bool each;
};

#define CBF_OPTIONS_TEXT(source)                                                  \
	OPTION_TEXT("text", "TEXT", "read the input from TEXT instead of a FILE", \
	            &(source)->text),                                             \
		OPTION_FLAG("each", "treat every input line as a separate input", &(source)->each)
#define CBF_OPTIONS_SOURCE(source)                                                        \
	CBF_OPTIONS_TEXT(source),                                                         \
		OPTION_TEXT("from", "FORM",                                               \
	                    "raw, hex, base64, json or report; without it cairn guesses", \
	                    &(source)->encoding)

/* Decoded bytes, and their origin for messages. */
struct cbf_decoded {
	/* path of the input file, and type of the data ("backtrace" or "image map") */
	const char *path, *what;
	size_t number; /* index of the record, counted from 1; 0 if the input has only one record */
	struct cairn_bytes bytes;
	/* memory to free; NULL if `bytes` points into the input */
	uint8_t *owned;
	unsigned problems;
};

/*
 * Decode `text`, which is in the given encoding. On failure, print a diagnostic and return false.
 */
bool cbf_decode_bytes(struct cbf_decoded *decoded, struct cairn_bytes text,
                      enum cbf_encoding encoding);

enum { CBF_PART_MAX = 40 };

/* Format the record's name for messages, such as "backtrace 3". */
const char *cbf_part(const struct cbf_decoded *decoded, char part[CBF_PART_MAX]);
void cbf_print_problem(const struct cbf_decoded *decoded, const char *what);

/*
 * Read and sort the images in an image map. If it is damaged, print a diagnostic and keep the
 * images before the damage. Return false if allocation fails.
 */
bool cbf_read_images(struct cbf_decoded *map, struct loaded_images *images);

/* A backtrace or image map from the input. Its memory is valid until cbf_record_close(). */
struct cbf_record {
	size_t number;
	bool from_json;
	struct cairn_bytes architecture; /* may contain JSON escapes; empty if unknown */
	struct cbf_decoded trace;        /* the backtrace, or the image map with --image-map */
	struct cbf_decoded map;
	bool has_images;
	struct loaded_images images;
	bool images_lent; /* true if `images` belongs to another record */
	struct allowance *printed;
	/* with `cairn cbf find`: location of the backtrace in memory; otherwise NULL */
	const struct swift_scan_trace *found;
	struct cbf_symbols *symbols; /* NULL if symbols were not requested */
};

struct cbf_input {
	const char *path;
	struct os_file file;
	struct cairn_bytes rest;
	struct cbf_source source;
	enum cbf_encoding encoding;
	size_t number;
	struct codable *json;
	/* threads of a report, encoded one by one; NULL until the first is read */
	struct captured *report;
	struct cairn_captured_options report_options;
	size_t thread;
	int status;
};

/* Open the input. Return false on failure, with the exit status in input->status. */
bool cbf_input_open(struct cbf_input *input, const char *path, const struct cbf_source *source,
                    const struct command *command);
bool cbf_input_next(struct cbf_input *input, struct cbf_record *record);
void cbf_record_close(struct cbf_record *record);
void cbf_input_close(struct cbf_input *input);

struct cbf_print {
	struct json json;
	enum form form;
	const struct cbf_record *record;
	bool stream;  /* true if more sequences may follow */
	size_t start; /* offset of the sequence in the record's bytes */
	uint64_t frame;
	const struct cbf *cbf;
};

void cbf_print_images(struct json *json, enum form form, const struct loaded_images *images,
                      struct allowance *printed);

/*
 * Report strings that were omitted because of the print limit. Return EXIT_BROKEN if there are any,
 * otherwise EXIT_CLEAN.
 */
int cbf_report_printed(const char *path, const struct allowance *printed);

int cbf_print_record(const struct cbf_record *record, enum form form, bool stream);

/* Print the names of the bits in `set`, separated by ',', or "-" if `set` is 0. */
void cbf_print_set(const char *const *names, unsigned set);
void cbf_json_set(struct json *json, const char *key, const char *const *names, unsigned set);

const char *cbf_found_name(enum swift_scan_kind kind);

int cbf_decode_maps(struct cbf_input *input, enum form form, struct allowance *printed);

struct cbf_target {
	uint64_t bits;
	bool swift; /* encode exactly like Swift 6.2.3 */
	enum cbf_encoding encoding;
	enum form form;
};

int cbf_decode(int argc, char **argv);
int cbf_encode(int argc, char **argv);

/*
 * Symbolizes the addresses in a backtrace with the files of its images.
 *
 *	struct cbf_symbols symbols = { .exes = exes };   from the options
 *	if (!cbf_symbols_open(&symbols))
 *		...
 *	count = cbf_symbols_find(&symbols, image, address, &locations);
 *	cbf_symbols_close(&symbols);
 *
 * The file of an image is found by build ID. An image without a build ID is matched by name, but
 * only with programs given by the user.
 */

enum { CBF_PROGRAMS_MAX = 1 << 14 }; /* maximum number of images whose files are kept open */

struct cbf_symbols {
	bool wanted; /* search for symbols in the default locations, too */
	struct option_words exes;
	const char *directories; /* DIR:DIR... with symbol and debug files; may be NULL */
	const char *swift_core;  /* ignored */
	/* print limit, raised by the size of each opened file; may be NULL */
	struct allowance *printed;
	struct cairn_symbolizer *symbolizer;
	/* why the debug information of an image was ignored, or NULL */
	const char *flaw;
	char *path;
	size_t path_capacity;
};

#define CBF_OPTIONS_SYMBOLS(symbols)                                                               \
	OPTION_WITH(RIGHT_FINDS, flag, 0, "symbols", NULL,                                         \
	            "print functions and lines, from symbols on this system", &(symbols)->wanted), \
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE",                                  \
	                    "program or library of the process; may be repeated",                  \
	                    &(symbols)->exes),                                                     \
		OPTIONS_DIRECTORIES(&(symbols)->directories),                                      \
		OPTION_TEXT("swift-core", "FILE", "ignored: Swift names are demangled without it", \
	                    &(symbols)->swift_core)

/*
 * Open the symbolizer. If a program given by the user cannot be read, print a diagnostic and return
 * false.
 */
bool cbf_symbols_open(struct cbf_symbols *symbols);
void cbf_symbols_close(struct cbf_symbols *symbols);

bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols);

/*
 * Look up an address. Set *locations to its locations, innermost first, and return their number.
 * They are valid until the next call.
 */
size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, const struct cairn_location **locations);

struct cbf_names {
	struct cbf_symbols *symbols;
	struct allowance *printed;
	size_t count;
	const struct cairn_location *locations;
};

void cbf_names_text(const struct cbf_names *names);
void cbf_names_lines(const struct cbf_names *names, uint64_t frame);
void cbf_names_json(struct json *json, const struct cbf_names *names);

#endif
