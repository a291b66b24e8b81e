/* SPDX-License-Identifier: MIT */
/* What the verbs of `cairn cbf` share: their input, and how backtraces and images are printed. */
#ifndef CAIRN_CLI_CBF_CBF_H
#define CAIRN_CLI_CBF_CBF_H

#include "symbols.h"

#include "formats/cbf/cbf.h"
#include "formats/codable/codable.h"
#include "output/json.h"
#include "traces/loaded_images.h"
#include "traces/swift_backtrace_scan.h"

/* What may be odd about the text around a backtrace.  A set of bits. */
enum cbf_problem {
	CBF_PROBLEM_ARCHITECTURE = 1, /* an object without one */
	CBF_PROBLEM_BASE64 = 2,
	CBF_PROBLEM_IMAGE_MAP = 4, /* damaged; the images before the damage are there */
	CBF_PROBLEM_WHITESPACE = 8,
};

/* How bytes are written in the input. */
enum cbf_encoding {
	CBF_ENCODING_AUTO,
	CBF_ENCODING_RAW,
	CBF_ENCODING_HEX,
	CBF_ENCODING_BASE64,
	CBF_ENCODING_JSON, /* as Swift's Codable writes a Backtrace */
};

/* Where bytes come from, as the options say. */
struct cbf_source {
	const char *text; /* in place of a file */
	const char *encoding;
	bool each; /* every line by itself */
};

#define CBF_OPTIONS_TEXT(source)                                                            \
	OPTION_TEXT("text", "TEXT", "read the input from TEXT instead of a FILE",           \
	            &(source)->text),                                                       \
		OPTION_FLAG("each", "treat every line of the input as an input of its own", \
	                    &(source)->each)
#define CBF_OPTIONS_SOURCE(source)                                                                \
	CBF_OPTIONS_TEXT(source),                                                                 \
		OPTION_TEXT("from", "FORM", "raw, hex, base64 or json; without it cairn guesses", \
	                    &(source)->encoding)

bool cbf_parse_encoding(const char *name, enum cbf_encoding *encoding);
enum cbf_encoding cbf_guess_encoding(struct cairn_bytes text);

/* Bytes that were written as text, and for messages where they were. */
struct cbf_decoded {
	const char *path, *what; /* the file, and "backtrace" or "image map" */
	size_t number;           /* of the record; 0: the only one */
	struct cairn_bytes bytes;
	uint8_t *owned; /* to be freed; NULL when the bytes are those of the input */
	unsigned problems;
};

/* False after a complaint. */
bool cbf_decode_bytes(struct cbf_decoded *decoded, struct cairn_bytes text,
                      enum cbf_encoding encoding);

enum { CBF_PART_MAX = 40 };

/* "backtrace 3", as messages have it. */
const char *cbf_part(const struct cbf_decoded *decoded, char part[CBF_PART_MAX]);
void cbf_print_problem(const struct cbf_decoded *decoded, const char *what);

/*
 * The images of a map, sorted, after a complaint about what is wrong with it; false when memory is
 * short.
 */
bool cbf_read_images(struct cbf_decoded *map, struct loaded_images *images);

/* One backtrace or image map of the input; what it owns is valid until it is closed. */
struct cbf_record {
	size_t number; /* from 1 on */
	bool from_json;
	struct cairn_bytes architecture; /* with JSON's escapes; size 0 when there is none */
	struct cbf_decoded trace;        /* the backtrace, or with --image-map the map */
	struct cbf_decoded map;          /* the image map that came with it */
	bool has_images;
	struct loaded_images images;
	bool images_lent;                     /* they belong to somebody else */
	struct allowance *printed;            /* what may still be printed of names */
	const struct swift_scan_trace *found; /* where in memory it was; NULL for input */
	struct cbf_symbols *symbols;          /* NULL when they are not wanted */
};

struct cbf_input {
	const char *path; /* for messages */
	struct os_file file;
	struct cairn_bytes rest; /* of the input, in lines */
	struct cbf_source source;
	enum cbf_encoding encoding;
	size_t number;
	struct codable *json;
	int status; /* the worst so far */
};

/* False with what to return in input->status. */
bool cbf_input_open(struct cbf_input *input, const char *path, const struct cbf_source *source,
                    const struct command *command);
bool cbf_input_next(struct cbf_input *input, struct cbf_record *record);
void cbf_record_close(struct cbf_record *record);
void cbf_input_close(struct cbf_input *input);

/* One sequence while it is printed. */
struct cbf_print {
	struct json json;
	enum form form;
	const struct cbf_record *record;
	bool stream;    /* other sequences may follow */
	size_t start;   /* of this sequence, in the record's bytes */
	uint64_t frame; /* the number of the next frame */
	const struct cbf *cbf;
};

/* The images of a backtrace, or a list that was found. */
void cbf_print_images(struct json *json, enum form form, const struct loaded_images *images,
                      struct allowance *printed);

/* Complains when something was left out, because names take too many bytes; then EXIT_BROKEN. */
int cbf_report_printed(const char *path, const struct allowance *printed);

/* Prints one sequence after the other; returns the exit status. */
int cbf_print_record(const struct cbf_record *record, enum form form, bool stream);

/* The names of warnings and problems, ',' between them; "-" when there are none. */
void cbf_print_set(const char *const *names, unsigned set);
void cbf_json_set(struct json *json, const char *key, const char *const *names, unsigned set);

/* "value", "damaged" or "array". */
const char *cbf_found_name(enum swift_scan_kind kind);

/* `cairn cbf decode --image-map`: image maps in place of backtraces. */
int cbf_decode_maps(struct cbf_input *input, enum form form, struct allowance *printed);

/* What `cairn cbf encode` shall write. */
struct cbf_target {
	uint64_t bits; /* of a machine word */
	bool swift;    /* byte for byte as Swift 6.2.3 */
	enum cbf_encoding encoding;
	enum form form;
};

/* One result of encoding. */
void cbf_print_encoded(const struct cbf_target *target, size_t number, struct cairn_bytes bytes);

/* `cairn cbf encode --image-map`: an image a line, as decode --image-map --lines prints them. */
int cbf_encode_map(struct cbf_input *input, const struct cbf_target *target);

/* The next word of a line, without the blanks before it; empty at the end. */
struct cairn_bytes cbf_next_word(struct cairn_bytes *line);

/* A whole number in a word, of base 10 or 16. */
bool cbf_word_number(struct cairn_bytes word, unsigned base, uint64_t *value);

int cbf_decode(int argc, char **argv);
int cbf_encode(int argc, char **argv);
int cbf_find(int argc, char **argv);

#endif
