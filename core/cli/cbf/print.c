/* SPDX-License-Identifier: MIT */
/* Prints backtraces and image maps as text, lines and JSON. */
#include "cbf.h"

#include "base/text_table.h"
#include "base/utf8.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdio.h>

/* bit 0 is set only in this file; the other bits are enum imagemap_warning shifted left by one */
static const char *const map_warning_names[] = {
	"bad-utf8", "empty-text", "long-path", "trailing", "unknown-prefix", NULL,
};

/*
 * Print a string, or null if it is missing or not valid UTF-8. In the latter case, also print its
 * bytes.
 */
static void print_path_json(struct json *json, const char *key, const char *hex_key, bool there,
                            struct cairn_bytes text)
{
	if (there && utf8_is_valid(text)) {
		json_text(json, key, text);
	} else {
		json_null(json, key);
		if (there)
			json_hex(json, hex_key, text);
	}
}

/* Count an image's strings, and the characters printed around them, against the print limit. */
static bool take_image(struct allowance *printed, const struct imagemap_image *image)
{
	enum { AROUND = 64 };

	return printed_take(printed, AROUND + escaped_size(image->path) +
	                                     2 * (uint64_t)image->build_id.size);
}

void cbf_print_images(struct json *json, enum form form, const struct loaded_images *images,
                      struct allowance *printed)
{
	if (form == FORM_JSON)
		json_array(json, "images");
	for (size_t i = 0; i < images->count && take_image(printed, &images->item[i].image); i++)
		if (form == FORM_JSON) {
			json_object(json, NULL);
			json_address(json, "base", images->item[i].image.base);
			json_address(json, "end", images->item[i].image.end);
			json_hex(json, "id", images->item[i].image.build_id);
			print_path_json(json, "path", "path_hex",
			                images->item[i].image.path.size > 0,
			                images->item[i].image.path);
			json_end(json);
		} else {
			bool text = form == FORM_TEXT;
			printf(text ? "0x%016" PRIx64 "-0x%016" PRIx64 "\t"
			            : "I 0x%" PRIx64 " 0x%" PRIx64 " ",
			       images->item[i].image.base, images->item[i].image.end);
			print_hex_word(stdout, images->item[i].image.build_id);
			putchar(text ? '\t' : ' ');
			if (text && images->item[i].image.path.size > 0)
				print_text(stdout, images->item[i].image.path);
			else
				print_word(stdout, images->item[i].image.path);
			putchar('\n');
		}
	if (form == FORM_JSON)
		json_end(json);
}

struct map {
	struct loaded_images images;
	struct loaded_images_end end;
	unsigned warnings; /* bits named by map_warning_names */
};

static int decode_map(const struct cbf_record *record, enum form form)
{
	char part[CBF_PART_MAX];
	struct map map;
	int status = EXIT_CLEAN;

	loaded_images_init(&map.images);
	if (loaded_images_read(&map.images, record->trace.bytes, &map.end) != CAIRN_OK) {
		cbf_print_problem(&record->trace, "out of memory: too many images");
		status = EXIT_BROKEN;
	} else {
		bool sound = utf8_is_valid(map.images.platform);
		for (size_t i = 0; i < map.images.count && sound; i++)
			sound = utf8_is_valid(map.images.item[i].image.path);
		map.warnings = map.end.warnings << 1 | !sound;
		if (form == FORM_JSON) {
			struct json json = json_to(stdout);
			json_object(&json, NULL);
			json_string(&json, "status", imagemap_outcome_name(map.end.outcome));
			json_number(&json, "offset", map.end.at);
			if (map.end.word)
				json_number(&json, "word_bits", 8 * map.end.word);
			else
				json_null(&json, "word_bits");
			print_path_json(&json, "platform", "platform_hex", map.images.has_platform,
			                map.images.platform);
			cbf_print_images(&json, FORM_JSON, &map.images, record->printed);
			cbf_json_set(&json, "warnings", map_warning_names, map.warnings);
			json_end(&json);
		} else if (form == FORM_LINES) {
			printf("M %u ", 8 * map.end.word);
			print_word(stdout, map.images.platform);
			printf(" %s %zu ", imagemap_outcome_name(map.end.outcome), map.end.at);
			cbf_print_set(map_warning_names, map.warnings);
			putchar('\n');
			cbf_print_images(NULL, FORM_LINES, &map.images, record->printed);
		} else {
			if (map.end.word)
				printf("%u-bit", 8 * map.end.word);
			if (map.images.platform.size > 0)
				print_text_between(stdout, ", ", map.images.platform, "");
			printf(", %zu images\n", map.images.count);
			cbf_print_images(NULL, FORM_TEXT, &map.images, record->printed);
		}
		if (map.warnings || record->trace.problems)
			status = EXIT_MISSING;
		if (imagemap_is_error(map.end.outcome)) {
			print_fault_diagnostic(record->trace.path, cbf_part(&record->trace, part),
			                       &map.end.fault, NULL);
			status = EXIT_BROKEN;
		}
	}
	loaded_images_finish(&map.images);
	return status;
}

int cbf_decode_maps(struct cbf_input *input, enum form form, struct allowance *printed)
{
	struct cbf_record record;
	int status = EXIT_CLEAN;

	while (cbf_input_next(input, &record)) {
		record.trace.what = "image map";
		record.printed = printed;
		status = choose_worse(status, decode_map(&record, form));
		cbf_record_close(&record);
	}
	return choose_worse(status, input->status);
}

static const char *const warning_names[] = { "trailing", "wide", "zero-rep", NULL };

static const char *const problem_names[] = { "architecture", "base64", "image-map", "whitespace",
	                                     NULL };

static const char *const kind_names[] = {
	[CAIRN_FRAME_PC] = "pc",
	[CAIRN_FRAME_RETURN] = "ra",
	[CAIRN_FRAME_ASYNC] = "async",
	[CAIRN_FRAME_OMITTED] = "omitted",
};

static const struct imagemap_image *find_frame_image(const struct cbf_print *p,
                                                     const struct cairn_frame *run)
{
	if (!p->record->has_images || run->kind == CAIRN_FRAME_OMITTED)
		return NULL;
	const struct loaded_image *item =
		loaded_images_find(&p->record->images, cairn_frame_lookup_address(run));
	return item ? &item->image : NULL;
}

static void find_frame_names(const struct cbf_print *p, const struct imagemap_image *image,
                             const struct cairn_frame *run, struct cbf_names *names)
{
	names->symbols = p->record->symbols;
	names->printed = p->record->printed;
	names->count = 0;
	if (names->symbols && image)
		names->count = cbf_symbols_find(names->symbols, image,
		                                cairn_frame_lookup_address(run), &names->locations);
}

/*
 * Count a string against the print limit each time it is printed, because frames may share the
 * strings of one image.
 */
static struct cairn_bytes bound_text(const struct cbf_print *p, struct cairn_bytes text)
{
	return printed_text(p->record->printed, text);
}

static void print_run_text(const struct cbf_print *p, const struct cairn_frame *run)
{
	static const char *const marks[] = {
		[CAIRN_FRAME_PC] = "",
		[CAIRN_FRAME_RETURN] = " [ra]",
		[CAIRN_FRAME_ASYNC] = " [async]",
		[CAIRN_FRAME_OMITTED] = " frames omitted",
	};
	const struct imagemap_image *image = find_frame_image(p, run);
	struct cbf_names names;

	find_frame_names(p, image, run, &names);
	if (run->kind == CAIRN_FRAME_OMITTED)
		printf("%" PRIu64 "\t... %" PRIu64, p->frame, run->value);
	else
		printf("%" PRIu64 "\t0x%016" PRIx64, p->frame, run->value);
	fputs(marks[run->kind], stdout);
	if (run->times != 1)
		printf(" x%" PRIu64, run->times);
	if (image) {
		putchar('\t');
		if (image->path.size == 0)
			putchar('?');
		print_text(stdout, bound_text(p, imagemap_name(image->path)));
		printf("+0x%" PRIx64, run->value - image->base);
	}
	cbf_names_text(&names);
	putchar('\n');
}

static void print_run_lines(const struct cbf_print *p, const struct cairn_frame *run)
{
	const struct imagemap_image *image = find_frame_image(p, run);
	struct cbf_names names;

	find_frame_names(p, image, run, &names);
	printf("F %" PRIu64 " ", p->frame);
	/*
	 * Print the frame as one word: p, r or a followed by the address, or o followed by the
	 * number of omitted frames. A repeat count is appended as *N.
	 */
	if (run->kind == CAIRN_FRAME_OMITTED)
		printf("o%" PRIu64, run->value);
	else
		printf("%c%" PRIx64, kind_names[run->kind][0], run->value);
	if (run->times != 1)
		printf("*%" PRIu64, run->times);
	if (image) {
		putchar(' ');
		print_word(stdout, bound_text(p, imagemap_name(image->path)));
		printf(" 0x%" PRIx64 " ", run->value - image->base);
		print_hex_word(stdout, bound_text(p, image->build_id));
		putchar('\n');
	} else {
		fputs(" - - -\n", stdout);
	}
	cbf_names_lines(&names, p->frame);
}

static void print_run_json(struct cbf_print *p, const struct cairn_frame *run)
{
	const struct imagemap_image *image = find_frame_image(p, run);
	struct cbf_names names;

	find_frame_names(p, image, run, &names);
	json_object(&p->json, NULL);
	json_number(&p->json, "number", p->frame);
	json_string(&p->json, "kind", kind_names[run->kind]);
	if (run->kind == CAIRN_FRAME_OMITTED) {
		json_number(&p->json, "count", run->value);
	} else {
		json_address(&p->json, "address", run->value);
		json_address(&p->json, "lookup", cairn_frame_lookup_address(run));
	}
	json_number(&p->json, "times", run->times);
	if (image) {
		json_text(&p->json, "module", bound_text(p, imagemap_name(image->path)));
		json_address(&p->json, "offset", run->value - image->base);
		json_hex(&p->json, "build_id", bound_text(p, image->build_id));
	}
	if (names.count > 0)
		cbf_names_json(&p->json, &names);
	json_end(&p->json);
}

/*
 * Print a heading that separates backtraces. The first backtrace of an input has no heading unless it
 * comes from JSON or from a core.
 */
static void print_title_text(const struct cbf_print *p)
{
	const struct cbf_record *r = p->record;

	if (r->number == 1 && p->start == 0 && !r->from_json && !r->found)
		return;
	printf("backtrace %zu", r->number);
	if (r->found)
		printf(" (%s at 0x%" PRIx64 ")", cbf_found_name(r->found->kind), r->found->array);
	if (p->start > 0)
		printf(" at byte %zu", p->start);
	if (r->architecture.size > 0)
		print_text_between(stdout, ", ", bound_text(p, r->architecture), "");
	if (r->has_images)
		printf(", %zu images", r->images.count);
	fputs(":\n", stdout);
}

const char *cbf_found_name(enum swift_scan_kind kind)
{
	static const char texts[][TEXT_CAPACITY] = {
		[SWIFT_SCAN_VALUE] = "value",
		[SWIFT_SCAN_DAMAGED] = "damaged",
		[SWIFT_SCAN_ARRAY] = "array",
	};

	return TEXT_AT(texts, kind, "?");
}

static unsigned collect_problems(const struct cbf_record *record)
{
	return record->trace.problems | record->map.problems;
}

static void end_sequence_json(struct cbf_print *p, struct cairn_bytes bytes)
{
	const struct cbf_record *r = p->record;
	struct json *json = &p->json;

	json_end(json);
	json_string(json, "status", cbf_outcome_name(p->cbf->outcome));
	json_number(json, "offset", p->start + p->cbf->at);
	if (p->cbf->word)
		json_number(json, "word_bits", 8 * p->cbf->word);
	else
		json_null(json, "word_bits");
	if (r->architecture.size > 0)
		json_text(json, "architecture", bound_text(p, r->architecture));
	cbf_json_set(json, "warnings", warning_names, p->cbf->warnings);
	cbf_json_set(json, "problems", problem_names, collect_problems(r));
	if (r->has_images)
		cbf_print_images(json, FORM_JSON, &r->images, r->printed);
	json_hex(json, "bytes", bytes);
	json_end(json);
}

static int report_sequence_faults(const struct cbf_print *p)
{
	static const char *const phrases[] = {
		"bytes after its end are not read",
		"an operand is longer than a machine word",
		"a repetition of nothing",
	};
	const struct cbf_record *r = p->record;
	struct cairn_fault fault = cbf_fault(p->cbf);
	char part[CBF_PART_MAX];

	for (unsigned i = 0; i < COUNT(phrases); i++)
		if (p->cbf->warnings >> i & 1)
			cbf_print_problem(&r->trace, phrases[i]);
	if (collect_problems(r) & CBF_PROBLEM_ARCHITECTURE && p->start == 0)
		cbf_print_problem(&r->trace, "the architecture is missing");
	if (fault.status != CAIRN_OK) {
		fault.offset += p->start;
		print_fault_diagnostic(r->trace.path, cbf_part(&r->trace, part), &fault, NULL);
		return EXIT_BROKEN;
	}
	return p->cbf->warnings || collect_problems(r) ? EXIT_MISSING : EXIT_CLEAN;
}

int cbf_print_record(const struct cbf_record *record, enum form form, bool stream)
{
	struct cbf cbf = cbf_open(record->trace.bytes);
	struct cbf_print print = { .form = form, .record = record, .cbf = &cbf, .stream = stream };
	struct cairn_frame run;
	int status = EXIT_CLEAN;

	do {
		print.start = (size_t)(cbf.in.data - record->trace.bytes.data);
		print.frame = 0;
		if (print.form == FORM_TEXT)
			print_title_text(&print);
		if (print.form == FORM_JSON) {
			const struct swift_scan_trace *found = print.record->found;
			print.json = json_to(stdout);
			json_object(&print.json, NULL);
			json_number(&print.json, "record", print.record->number);
			if (found) {
				json_string(&print.json, "found", cbf_found_name(found->kind));
				json_address(&print.json, "array", found->array);
				json_number(&print.json, "copies", found->copies);
				json_address(&print.json, "class", found->isa);
			}
			json_number(&print.json, "start", print.start);
			json_array(&print.json, "frames");
		}
		while (cbf_next(&cbf, &run)) {
			uint64_t count = cairn_frame_count(&run);
			if (print.form == FORM_JSON)
				print_run_json(&print, &run);
			else if (print.form == FORM_LINES)
				print_run_lines(&print, &run);
			else
				print_run_text(&print, &run);
			print.frame =
				count > UINT64_MAX - print.frame ? UINT64_MAX : print.frame + count;
		}
		if (stream)
			cbf.warnings &= ~(unsigned)CBF_WARNING_TRAILING;
		struct cairn_bytes bytes = print.cbf->in;
		if (print.stream && !cbf_is_error(print.cbf->outcome))
			bytes.size = print.cbf->at;
		if (print.form == FORM_JSON)
			end_sequence_json(&print, bytes);
		else if (print.form == FORM_LINES) {
			const struct cbf_record *r = print.record;
			printf("E %zu %zu %s %zu %u ", r->number, print.start,
			       cbf_outcome_name(print.cbf->outcome), print.start + print.cbf->at,
			       8 * print.cbf->word);
			cbf_print_set(warning_names, print.cbf->warnings);
			putchar(' ');
			cbf_print_set(problem_names, collect_problems(r));
			putchar(' ');
			if (r->has_images)
				printf("%zu ", r->images.count);
			else
				fputs("- ", stdout);
			print_hex_word(stdout, bytes);
			putchar('\n');
		} else if (print.cbf->outcome == CBF_TRUNC)
			printf("%" PRIu64 "\t...\n", print.frame);
		status = choose_worse(status, report_sequence_faults(&print));
	} while (stream && cbf_next_sequence(&cbf, &cbf));
	return status;
}

int cbf_report_printed(const char *path, const struct allowance *printed)
{
	if (!printed->over)
		return EXIT_CLEAN;
	return fail_with(path,
	                 "frame names exceed the size limit; the remaining names are omitted");
}
