/* SPDX-License-Identifier: MIT */
/* `cairn cbf encode --image-map`: encodes image maps from lines of text. */
#include "cbf.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct list {
	const char *path;
	struct loaded_images images;
	uint8_t platform[IMAGEMAP_PLATFORM_MAX + 1];
	size_t platform_size;
	unsigned word;
	size_t line, written;
	bool begun;
	bool bad; /* a line could not be read, so the map is not written */
	uint8_t *scratch;
	const struct cbf_target *target;
	int status;
};

/* Undo the escapes of print_word(), \\ and \xNN. "-" stands for an empty string. */
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

/* Read a line "M bits platform ...". */
static const char *read_header(struct list *list, struct cairn_bytes line)
{
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

/* Read a line "I base end id path". */
static const char *read_image_line(struct list *list, struct cairn_bytes line)
{
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
	return loaded_images_add(&list->images, &image) == CAIRN_OK ? NULL : "too many images";
}

static enum cairn_status run_encoder(const struct list *list, struct sink out,
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

/* Encode twice: first to get the size, then into memory of that size. */
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
	enum cairn_status status = run_encoder(list, sink_open(&none, 0), slots, size);
	if (status != CAIRN_MALFORMED)
		*bytes = malloc(*size);
	if (*bytes)
		status = run_encoder(list, sink_open(*bytes, *size), slots, size);
	free(slots.slot);
	return status;
}

static void write_map(struct list *list)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum cairn_status status = encode_map(list, &bytes, &size);

	if (status == CAIRN_OK) {
		cbf_print_encoded(list->target, list->written, (struct cairn_bytes){ bytes, size });
	} else {
		list->status = fail_with(list->path, "image map %zu: %s", list->written,
		                         status == CAIRN_MALFORMED
		                                 ? "an address does not fit the machine word"
		                                 : cairn_status_text(status));
	}
	free(bytes);
}

static void finish_map(struct list *list)
{
	list->written++;
	if (list->bad)
		list->status = fail_with(list->path, "image map %zu: not written", list->written);
	else
		write_map(list);
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
	if (bytes_are(first, "I"))
		return read_image_line(list, line);
	if (!bytes_are(first, "M"))
		return "neither M nor I";
	if (list->begun)
		finish_map(list);
	return read_header(list, line);
}

static void read_map_lines(struct list *list, struct cairn_bytes text)
{
	while (text.size > 0) {
		const char *wrong = read_map_line(list, bytes_take_part(&text, '\n'));
		if (wrong) {
			print_diagnostic(list->path, "line %zu: %s", list->line, wrong);
			list->begun = list->bad = true;
		}
	}
	if (list->begun || list->written == 0)
		finish_map(list);
}

int cbf_encode_map(struct cbf_input *input, const struct cbf_target *target)
{
	struct list list = { .path = input->path,
		             .word = (unsigned)target->bits / 8,
		             .target = target };

	list.scratch = malloc(input->rest.size + 1);
	if (!list.scratch)
		return fail_with(input->path, "%s", cairn_status_text(CAIRN_NO_MEMORY));
	loaded_images_init(&list.images);
	read_map_lines(&list, input->rest);
	loaded_images_finish(&list.images);
	free(list.scratch);
	return list.status;
}
