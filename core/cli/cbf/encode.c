/* SPDX-License-Identifier: MIT */
/* `cairn cbf encode`: writes encoded backtraces or, with --image-map, encoded image maps. */
#include "cbf.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/memory.h"
#include "cli/front/rights.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_separator(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Take the next word from a line. The word is empty at the end of the line. */
static struct cairn_bytes cbf_next_word(struct cairn_bytes *line)
{
	while (line->size > 0 && is_word_separator(line->data[0])) {
		line->data++;
		line->size--;
	}
	struct cairn_bytes word = { line->data, 0 };
	while (word.size < line->size && !is_word_separator(word.data[word.size]))
		word.size++;
	line->data += word.size;
	line->size -= word.size;
	return word;
}

static bool cbf_word_number(struct cairn_bytes word, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	if (base == 16 && word.size > 2 && word.data[0] == '0' && word.data[1] == 'x') {
		word.data += 2;
		word.size -= 2;
	}
	for (size_t i = 0; i < word.size; i++) {
		unsigned d = hex_digit(word.data[i]);
		if (d >= base || sum > (UINT64_MAX - d) / base)
			return false;
		sum = sum * base + d;
	}
	*value = sum;
	return word.size > 0;
}

static void cbf_print_encoded(const struct cbf_target *target, size_t number,
                              struct cairn_bytes bytes)
{
	if (target->form == FORM_JSON) {
		struct json json = json_to(stdout);
		json_object(&json, NULL);
		json_number(&json, "record", number);
		json_string(&json, "profile", target->swift ? "swift" : "specification");
		json_number(&json, "word_bits", target->bits);
		json_number(&json, "size", bytes.size);
		json_hex(&json, "bytes", bytes);
		json_end(&json);
		return;
	}
	if (target->encoding == CBF_ENCODING_RAW) {
		fwrite(bytes.data, 1, bytes.size, stdout);
		return;
	}
	if (target->encoding == CBF_ENCODING_BASE64) {
		char text[4];
		for (size_t at = 0; at < bytes.size; at += 3) {
			const size_t left = bytes.size - at < 3 ? bytes.size - at : 3;
			base64_encode_group((struct cairn_bytes){ bytes.data + at, left }, text);
			fwrite(text, 1, left + 1, stdout); /* without the padding */
		}
	} else
		print_hex_word(stdout, bytes);
	putchar('\n');
}

struct list {
	const char *path;
	struct loaded_images images;
	uint8_t platform[IMAGEMAP_PLATFORM_MAX + 1];
	size_t platform_size;
	unsigned word;
	size_t line, written;
	bool begun;
	bool bad; /* true if a line is invalid, so that the map will not be written */
	uint8_t *scratch;
	const struct cbf_target *target;
	int status;
};

/* Undo the escapes of print_word(): \\ and \xNN. "-" stands for an empty string. */
static bool unescape_word(struct cairn_bytes word, uint8_t *out, size_t *size)
{
	*size = 0;
	if (bytes_are(word, "-"))
		return true;
	for (size_t i = 0; i < word.size; i++) {
		uint8_t c = word.data[i];
		if (c == '\\' && word.size - i >= 2 && word.data[i + 1] == '\\') {
			i++;
		} else if (c == '\\') {
			if (word.size - i < 4 || word.data[i + 1] != 'x')
				return false;
			unsigned high = hex_digit(word.data[i + 2]);
			unsigned low = hex_digit(word.data[i + 3]);
			if (high == HEX_NO_DIGIT || low == HEX_NO_DIGIT)
				return false;
			c = (uint8_t)(high << 4 | low);
			i += 3;
		}
		out[(*size)++] = c;
	}
	return true;
}

static enum cairn_status run_map_encoder(const struct list *list, struct sink out,
                                         struct imagemap_slots slots, size_t *size)
{
	enum imagemap_profile profile =
		list->target->swift ? IMAGEMAP_PROFILE_SWIFT : IMAGEMAP_PROFILE_MINIMAL;
	struct imagemap_header header = { list->word,
		                          { list->platform, list->platform_size },
		                          list->images.count };

	memset(slots.slot, 0, slots.count * sizeof(*slots.slot));
	struct imagemap_encoder e = imagemap_encoder(out, profile, &header, slots);
	for (size_t i = 0; i < list->images.count; i++)
		imagemap_put(&e, &list->images.item[i].image);
	return imagemap_finish(&e, size);
}

/* Encode twice: first to measure the size, then into memory of this size. */
static enum cairn_status encode_map(const struct list *list, uint8_t **bytes, size_t *size)
{
	struct imagemap_slots slots;
	size_t separators = 0;
	uint8_t none;

	for (size_t i = 0; i < list->images.count; i++)
		separators += imagemap_separators(list->images.item[i].image.path);
	slots.count = imagemap_slot_count(separators);
	slots.slot = calloc(slots.count, sizeof(*slots.slot));
	if (!slots.slot)
		return CAIRN_NO_MEMORY;
	enum cairn_status status = run_map_encoder(list, sink_open(&none, 0), slots, size);
	if (status != CAIRN_MALFORMED)
		*bytes = malloc(*size);
	if (*bytes)
		status = run_map_encoder(list, sink_open(*bytes, *size), slots, size);
	free(slots.slot);
	return status;
}

static void finish_map(struct list *list)
{
	list->written++;
	if (list->bad)
		list->status = fail_with(list->path,
		                         "image map %zu: not written because of the errors above",
		                         list->written);
	else {
		uint8_t *bytes = NULL;
		size_t size = 0;
		enum cairn_status status = encode_map(list, &bytes, &size);
		if (status == CAIRN_OK) {
			cbf_print_encoded(list->target, list->written,
			                  (struct cairn_bytes){ bytes, size });
		} else if (status == CAIRN_MALFORMED) {
			list->status = fail_with(
				list->path, "image map %zu: an address does not fit in %u bits",
				list->written, 8 * list->word);
		} else {
			list->status = fail_with(list->path, "image map %zu: %s", list->written,
			                         cairn_status_text(status));
		}
		free(bytes);
	}
	loaded_images_finish(&list->images);
	list->platform_size = 0;
	list->begun = list->bad = false;
}

static const char *read_map_line(struct list *list, struct cairn_bytes line)
{
	struct cairn_bytes first = cbf_next_word(&line);

	list->line++;
	if (first.size == 0 || first.data[0] == '#')
		return NULL;
	if (bytes_are(first, "I")) {
		/* parse "I BASE END ID PATH" */
		struct imagemap_image image = { 0 };
		size_t id_size = 0, path_size, at;
		if (!cbf_word_number(cbf_next_word(&line), 16, &image.base) ||
		    !cbf_word_number(cbf_next_word(&line), 16, &image.end))
			return "no addresses";
		struct cairn_bytes id = cbf_next_word(&line);
		if (!bytes_are(id, "-") && !hex_decode(id, list->scratch, &id_size, &at))
			return "no build ID";
		uint8_t *path = list->scratch + id_size;
		if (!unescape_word(cbf_next_word(&line), path, &path_size))
			return "no path";
		image.build_id = (struct cairn_bytes){ list->scratch, id_size };
		image.path = (struct cairn_bytes){ path, path_size };
		list->begun = true;
		return loaded_images_add(&list->images, &image) == CAIRN_OK ? NULL
		                                                            : "too many images";
	}
	if (!bytes_are(first, "M"))
		return "neither M nor I";
	if (list->begun)
		finish_map(list);
	/* parse "M BITS PLATFORM ..." */
	uint64_t bits;
	if (!cbf_word_number(cbf_next_word(&line), 10, &bits) ||
	    (bits != 16 && bits != 32 && bits != 64))
		return "16, 32 or 64 bits are expected";
	if (!unescape_word(cbf_next_word(&line), list->scratch, &list->platform_size) ||
	    list->platform_size > IMAGEMAP_PLATFORM_MAX)
		return "the platform is missing or too long";
	memcpy(list->platform, list->scratch, list->platform_size);
	list->word = (unsigned)bits / 8;
	list->begun = true;
	return NULL;
}

/*
 * Run `cairn cbf encode --image-map`. Each input line describes one image, in the format of `cairn
 * cbf decode --image-map --lines`.
 */
static int cbf_encode_map(struct cbf_input *input, const struct cbf_target *target)
{
	struct list list = { .path = input->path,
		             .word = (unsigned)target->bits / 8,
		             .target = target };

	list.scratch = malloc(input->rest.size + 1);
	if (!list.scratch)
		return fail_with(input->path, "%s", cairn_status_text(CAIRN_NO_MEMORY));
	loaded_images_init(&list.images);
	struct cairn_bytes text = input->rest;
	while (text.size > 0) {
		const char *wrong = read_map_line(&list, bytes_take_part(&text, '\n'));
		if (wrong) {
			print_diagnostic(list.path, "line %zu: %s", list.line, wrong);
			list.begun = list.bad = true;
		}
	}
	if (list.begun || list.written == 0)
		finish_map(&list);
	loaded_images_finish(&list.images);
	free(list.scratch);
	return list.status;
}

static const char encode_about[] =
	"Write backtraces in Compact Backtrace Format. The input has one frame per line,\n"
	"innermost first: p, r or a (pc, return address, async) and the hexadecimal address,\n"
	"o and the number of omitted frames, or t where the backtrace is truncated; *N\n"
	"repeats a frame. The output of decode, with or without --lines, is accepted too.\n"
	"With --each, a line is a backtrace.";
struct trace {
	struct cairn_frame *runs;
	size_t count, capacity;
	bool cut;
	bool begun;
	bool bad; /* true if a line is invalid, so that the backtrace will not be written */
};

static bool trace_add(struct trace *t, struct cairn_frame run)
{
	t->begun = true;
	if (!array_grow(&t->runs, &t->capacity, t->count + 1, sizeof(*t->runs)))
		return false;
	if (!t->cut)
		t->runs[t->count++] = run;
	return true;
}

struct encoding {
	const char *path;
	struct cbf_target target;
	struct trace trace;
	size_t line, written;
	int status;
};

static void reject_frame_line(struct encoding *e, struct cairn_bytes line)
{
	fflush(stdout);
	fprintf(stderr, "cairn: ");
	print_string(stderr, e->path);
	fprintf(stderr, ": line %zu: not a frame: '", e->line);
	print_text_between(stderr, "", line, "'\n");
	e->trace.begun = e->trace.bad = true;
}

static size_t run_encoder(const struct encoding *e, void *buffer, size_t capacity, int *status)
{
	enum cbf_profile profile = e->target.swift ? CBF_PROFILE_SWIFT : CBF_PROFILE_SPECIFICATION;
	struct cbf_encoder out =
		cbf_encoder(buffer, capacity, (unsigned)e->target.bits / 8, profile);
	size_t size = 0;

	for (size_t i = 0; i < e->trace.count; i++)
		cbf_put(&out, &e->trace.runs[i]);
	if (e->trace.cut)
		cbf_truncate(&out);
	if (cbf_finish(&out, &size) == CAIRN_MALFORMED)
		*status = fail_with(e->path,
		                    "backtrace %zu: an address does not fit in %" PRIu64 " bits",
		                    e->written, e->target.bits);
	return size;
}

static int write_trace(const struct encoding *e)
{
	int status = EXIT_CLEAN;
	uint8_t none;

	size_t size = run_encoder(e, &none, 0, &status);
	if (status != EXIT_CLEAN)
		return status;
	uint8_t *bytes = malloc(size);
	if (!bytes)
		return fail_with(e->path, "%s", cairn_status_text(CAIRN_NO_MEMORY));
	run_encoder(e, bytes, size, &status);
	cbf_print_encoded(&e->target, e->written, (struct cairn_bytes){ bytes, size });
	free(bytes);
	return EXIT_CLEAN;
}

static void finish_backtrace(struct encoding *e)
{
	e->written++;
	if (e->trace.bad)
		e->status =
			fail_with(e->path, "backtrace %zu: not written because of the errors above",
		                  e->written);
	else
		e->status = choose_worse(e->status, write_trace(e));
	e->trace.count = 0;
	e->trace.cut = e->trace.begun = e->trace.bad = false;
}

static void mark_trace_cut(struct encoding *e)
{
	e->trace.cut = e->trace.begun = true;
}

static void add_frame_run(struct encoding *e, struct cairn_frame run)
{
	if (!trace_add(&e->trace, run))
		e->status = fail_with(e->path, "out of memory");
}

/* Cut the repeat count "*N" off the end of a word and store it in *times. The default is 1. */
static bool split_times(struct cairn_bytes *word, uint64_t *times)
{
	const uint8_t *star = memchr(word->data, '*', word->size);

	*times = 1;
	if (!star)
		return true;
	size_t before = (size_t)(star - word->data);
	struct cairn_bytes number = { star + 1, word->size - before - 1 };
	word->size = before;
	return cbf_word_number(number, 10, times);
}

static bool add_word(struct encoding *e, struct cairn_bytes word)
{
	static const char kinds[] = "prao";
	struct cairn_frame run;

	if (!split_times(&word, &run.times) || word.size == 0)
		return false;
	if (bytes_are(word, "t")) {
		mark_trace_cut(e);
		return true;
	}
	const char *kind = memchr(kinds, word.data[0], sizeof(kinds) - 1);
	if (!kind)
		return false;
	run.kind = (enum cairn_frame_kind)(CAIRN_FRAME_PC + (kind - kinds));
	struct cairn_bytes number = { word.data + 1, word.size - 1 };
	if (!cbf_word_number(number, run.kind == CAIRN_FRAME_OMITTED ? 10 : 16, &run.value))
		return false;
	add_frame_run(e, run);
	return true;
}

static void add_words(struct encoding *e, struct cairn_bytes line)
{
	struct cairn_bytes word;

	while ((word = cbf_next_word(&line)).size > 0)
		if (!bytes_are(word, "-") && !add_word(e, word))
			reject_frame_line(e, word);
}

/* Parse the words after "...": "N frames omitted", or nothing if the backtrace was truncated. */
static bool parse_omitted_count(struct cairn_bytes line, struct cairn_frame *run, bool *is_cut)
{
	struct cairn_bytes number = cbf_next_word(&line);

	*is_cut = number.size == 0;
	run->kind = CAIRN_FRAME_OMITTED;
	if (*is_cut)
		return true;
	return cbf_word_number(number, 10, &run->value) &&
	       bytes_are(cbf_next_word(&line), "frames") &&
	       bytes_are(cbf_next_word(&line), "omitted");
}

static bool parse_frame_marks(struct cairn_bytes line, struct cairn_frame *run)
{
	struct cairn_bytes word;

	while ((word = cbf_next_word(&line)).size > 0) {
		struct cairn_bytes number = { word.data + 1, word.size - 1 };
		if (bytes_are(word, "[ra]"))
			run->kind = CAIRN_FRAME_RETURN;
		else if (bytes_are(word, "[async]"))
			run->kind = CAIRN_FRAME_ASYNC;
		else if (word.data[0] == 'x' && !cbf_word_number(number, 10, &run->times))
			return false;
	}
	return true;
}

static bool add_text_frame(struct encoding *e, struct cairn_bytes line)
{
	struct cairn_frame run = { CAIRN_FRAME_PC, 0, 1 };
	const uint8_t *tab = memchr(line.data, '\t', line.size);
	bool is_cut = false;

	if (tab)
		line.size = (size_t)(tab - line.data);
	struct cairn_bytes word = cbf_next_word(&line);
	if (bytes_are(word, "...")) {
		if (!parse_omitted_count(line, &run, &is_cut))
			return false;
	} else if (!cbf_word_number(word, 16, &run.value)) {
		return false;
	}
	if (is_cut) {
		mark_trace_cut(e);
		return true;
	}
	if (!parse_frame_marks(line, &run))
		return false;
	add_frame_run(e, run);
	return true;
}

/*
 * Parse a frame from the output of `cairn cbf decode`: with --lines "F NUMBER FRAME ...", otherwise
 * a number, a tab and the frame.
 */
static bool add_printed(struct encoding *e, struct cairn_bytes first, struct cairn_bytes line)
{
	if (bytes_are(first, "F")) {
		cbf_next_word(&line);
		return add_word(e, cbf_next_word(&line));
	}
	return add_text_frame(e, (struct cairn_bytes){ line.data + 1, line.size - 1 });
}

static void read_backtrace_line(struct encoding *e, struct cairn_bytes line)
{
	struct cairn_bytes all = line, first = cbf_next_word(&line);
	uint64_t number;

	e->line++;
	if (first.size == 0 || first.data[0] == '#' || all.data[0] == '\t' ||
	    bytes_are(first, "A") || bytes_are(first, "I") || bytes_are(first, "S"))
		/*
		 * a line that starts with a tab names a function that the previous frame was
		 * inlined into
		 */
		return;
	bool tab = line.size > 0 && line.data[0] == '\t';
	if (bytes_are(first, "F") || (tab && cbf_word_number(first, 10, &number))) {
		if (!add_printed(e, first, line))
			reject_frame_line(e, all);
	} else if (bytes_are(first, "E")) {
		/* parse the end of a sequence with --lines: "E RECORD START OUTCOME ..." */
		cbf_next_word(&line);
		cbf_next_word(&line);
		if (bytes_are(cbf_next_word(&line), "trunc"))
			mark_trace_cut(e);
		finish_backtrace(e);
	} else if (!bytes_are(first, "backtrace")) {
		add_words(e, all);
	} else if (e->trace.begun) {
		finish_backtrace(e);
	}
}

static int encode_input(struct cbf_input *input, const struct cbf_target *target)
{
	struct encoding e = { .path = input->path, .target = *target };

	struct cairn_bytes text = input->rest;
	while (text.size > 0) {
		const struct cairn_bytes line = bytes_take_part(&text, '\n');
		if (input->source.each) {
			e.line++;
			add_words(&e, line);
			finish_backtrace(&e);
		} else {
			read_backtrace_line(&e, line);
		}
	}
	if (!input->source.each && (e.trace.begun || e.written == 0))
		finish_backtrace(&e);
	free(e.trace.runs);
	return e.status;
}

static bool parse_target(const char *to, struct cbf_target *target)
{
	target->encoding = CBF_ENCODING_HEX;
	if (!to || strcmp(to, "hex") == 0)
		return true;
	target->encoding = strcmp(to, "raw") == 0 ? CBF_ENCODING_RAW : CBF_ENCODING_BASE64;
	return target->encoding == CBF_ENCODING_RAW || strcmp(to, "base64") == 0;
}

int cbf_encode(int argc, char **argv)
{
	struct cbf_target target = { .bits = 64 };
	struct cbf_source source = { 0 };
	const char *to = NULL;
	bool image_map = false;
	const struct option options[] = {
		OPTION_JSON(&target.form),
		OPTION_NUMBER("bits", "N", "size of a machine word: 16, 32 or 64", &target.bits),
		OPTION_FLAG("swift", "write the same bytes as Swift 6.2.3", &target.swift),
		OPTION_TEXT("to", "FORM", "hex, base64 or raw", &to),
		CBF_OPTIONS_TEXT(&source),
		OPTION_FLAG("image-map", "encode images, as decode --image-map --lines prints them",
		            &image_map),
	};
	const struct command command = COMMAND("cairn cbf encode [OPTION...] FILE|--text TEXT",
	                                       encode_about, options, OPERANDS(0, 1, "FILE"));
	struct cbf_input input;
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if ((argc == 0) == (source.text == NULL))
		return usage_error(&command, "either FILE or --text is required, but not both");
	if (target.bits != 16 && target.bits != 32 && target.bits != 64)
		return usage_error(&command, "--bits must be 16, 32 or 64");
	if (!parse_target(to, &target))
		return usage_error(&command, "--to must be hex, base64 or raw");
	rights_expect_files((unsigned)argc);
	if (!cbf_input_open(&input, argv[0], &source, &command))
		return input.status;
	status = image_map ? cbf_encode_map(&input, &target) : encode_input(&input, &target);
	cbf_input_close(&input);
	return status;
}
