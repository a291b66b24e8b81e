/* SPDX-License-Identifier: MIT */
/* Prints lists of images, and implements `cairn cbf decode --image-map`. */
#include "cbf.h"

#include "base/utf8.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdio.h>

/* bit 0 is set in this file, the others correspond to enum imagemap_warning */
static const char *const warning_names[] = {
	"bad-utf8", "empty-text", "long-path", "trailing", "unknown-prefix", NULL,
};

/* Print a string or null, and the bytes of a string that is not valid UTF-8. */
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

static void print_image_json(struct json *json, const struct imagemap_image *image)
{
	json_object(json, NULL);
	json_address(json, "base", image->base);
	json_address(json, "end", image->end);
	json_hex(json, "id", image->build_id);
	print_path_json(json, "path", "path_hex", image->path.size > 0, image->path);
	json_end(json);
}

static void print_image(enum form form, const struct imagemap_image *image)
{
	bool text = form == FORM_TEXT;

	printf(text ? "0x%016" PRIx64 "-0x%016" PRIx64 "\t" : "I 0x%" PRIx64 " 0x%" PRIx64 " ",
	       image->base, image->end);
	print_hex_word(stdout, image->build_id);
	putchar(text ? '\t' : ' ');
	if (text && image->path.size > 0)
		print_text(stdout, image->path);
	else
		print_word(stdout, image->path);
	putchar('\n');
}

/* Charge an image's strings and the characters printed around them. */
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
		if (form == FORM_JSON)
			print_image_json(json, &images->item[i].image);
		else
			print_image(form, &images->item[i].image);
	if (form == FORM_JSON)
		json_end(json);
}

struct map {
	struct loaded_images images;
	struct loaded_images_end end;
	unsigned warnings; /* bits of warning_names */
};

static void print_map_json(const struct map *map, struct allowance *printed)
{
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_string(&json, "status", imagemap_outcome_name(map->end.outcome));
	json_number(&json, "offset", map->end.at);
	if (map->end.word)
		json_number(&json, "word_bits", 8 * map->end.word);
	else
		json_null(&json, "word_bits");
	print_path_json(&json, "platform", "platform_hex", map->images.has_platform,
	                map->images.platform);
	cbf_print_images(&json, FORM_JSON, &map->images, printed);
	cbf_json_set(&json, "warnings", warning_names, map->warnings);
	json_end(&json);
}

static void print_map_text(const struct map *map, struct allowance *printed)
{
	if (map->end.word)
		printf("%u-bit", 8 * map->end.word);
	if (map->images.platform.size > 0)
		print_text_between(stdout, ", ", map->images.platform, "");
	printf(", %zu images\n", map->images.count);
	cbf_print_images(NULL, FORM_TEXT, &map->images, printed);
}

static void print_map_lines(const struct map *map, struct allowance *printed)
{
	printf("M %u ", 8 * map->end.word);
	print_word(stdout, map->images.platform);
	printf(" %s %zu ", imagemap_outcome_name(map->end.outcome), map->end.at);
	cbf_print_set(warning_names, map->warnings);
	putchar('\n');
	cbf_print_images(NULL, FORM_LINES, &map->images, printed);
}

static void print_map(const struct map *map, enum form form, struct allowance *printed)
{
	if (form == FORM_JSON)
		print_map_json(map, printed);
	else if (form == FORM_LINES)
		print_map_lines(map, printed);
	else
		print_map_text(map, printed);
}

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
		print_map(&map, form, record->printed);
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
