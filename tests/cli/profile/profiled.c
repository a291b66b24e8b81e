/* SPDX-License-Identifier: MIT */
/*
 * A program that makes a profile of itself: profiled OUT [WAY...] writes the message of pprof, not packed, with one stack
 * of known functions. WAY is one of
 *
 *	linked     addresses as the file has them, as profilers in the kernel write them
 *	zeros      a build ID of zeros
 *	no-id      no build ID
 *	other      the build ID of another build
 *	loose      lists of numbers that are not packed
 *	odd        fields and texts that nobody knows, and labels
 *	last       texts come first, samples last
 *	otlp       the message of OpenTelemetry in place of that of pprof, and linked addresses
 *	json       the same, and in OUT.json the same as JSON
 */
#define _GNU_SOURCE
#include "formats/otlp/otlp.h"
#include "formats/pprof.h"

#include <execinfo.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_MAX = 64, TEXTS_MAX = 128, MAPPINGS_MAX = 64, CAPACITY = 1 << 20, ID_TEXT = 128 };

static void *stack[STACK_MAX];
static int depth;

static struct {
	char *text[TEXTS_MAX];
	size_t count;
} texts;

static struct map {
	struct pprof_mapping stored;
	char path[4096];
} maps[MAPPINGS_MAX];
static size_t map_count;
static char build_id[ID_TEXT];
static uint64_t bias;
static bool linked, loose, odd, last, otlp, json;
static const char *id_way = "";

static inline __attribute__((always_inline)) int innermost_inlined(int n)
{
	depth = backtrace(stack, STACK_MAX);
	return n + depth;
}

static __attribute__((noinline)) int hot_function(int n)
{
	return innermost_inlined(n) * 3;
}

static __attribute__((noinline)) int outer_function(int n)
{
	return hot_function(n) + 1;
}

static uint64_t number_text(const char *text)
{
	for (size_t i = 0; i < texts.count; i++)
		if (strcmp(texts.text[i], text) == 0)
			return i;
	texts.text[texts.count] = strdup(text);
	return texts.count++;
}

/* Looks for the build ID among the notes of a segment. */
static void take_notes(const uint8_t *note, size_t size)
{
	ElfW(Nhdr) head;

	while (size >= sizeof(head)) {
		memcpy(&head, note, sizeof(head));
		const size_t name = (head.n_namesz + 3u) & ~3u, id = (head.n_descsz + 3u) & ~3u;
		const uint8_t *bytes = note + sizeof(head) + name;
		if (size - sizeof(head) < name + id)
			return;
		for (size_t i = 0; head.n_type == 3 && head.n_namesz == 4 && i < head.n_descsz; i++)
			snprintf(build_id + 2 * i, 3, "%02x", bytes[i]);
		note = bytes + id;
		size -= sizeof(head) + name + id;
	}
}

static int find_own_id(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	bias = info->dlpi_addr;
	for (unsigned i = 0; i < info->dlpi_phnum && !build_id[0]; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			take_notes((const uint8_t *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			           info->dlpi_phdr[i].p_filesz);
	return 1; /* the program is the first one */
}

static void read_maps(const char *self)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[8192], rights[8];

	while (file && fgets(line, sizeof(line), file) && map_count < MAPPINGS_MAX) {
		struct map *m = &maps[map_count];
		m->path[0] = '\0';
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]",
		       &m->stored.start, &m->stored.limit, rights, &m->stored.offset, m->path);
		if (rights[2] != 'x')
			continue;
		m->stored.id = ++map_count * 7;
		m->stored.path = number_text(m->path);
		if (strcmp(m->path, self) != 0)
			continue;
		m->stored.build_id = number_text(strcmp(id_way, "zeros") == 0   ? "00000000"
		                                 : strcmp(id_way, "other") == 0 ? "0102030405060708"
		                                 : strcmp(id_way, "no-id") == 0 ? ""
		                                                                : build_id);
		m->stored.start -= linked ? bias : 0;
		m->stored.limit -= linked ? bias : 0;
	}
	if (file)
		fclose(file);
}

/* The place of an address, as it is written; calls are one byte before their return address. */
static void put_location(struct sink *out, uint64_t id, uint64_t pc)
{
	uint8_t memory[128];
	struct sink body = sink_open(memory, sizeof(memory));
	uint64_t mapping = 0;

	for (size_t i = 0; i < map_count; i++) {
		const uint64_t shift = linked && maps[i].stored.build_id ? bias : 0;
		if (pc - shift >= maps[i].stored.start && pc - shift < maps[i].stored.limit) {
			mapping = maps[i].stored.id;
			pc -= shift;
			break;
		}
	}
	wire_put_number(&body, 1, id);
	if (mapping)
		wire_put_number(&body, 2, mapping);
	wire_put_number(&body, 3, pc);
	if (odd)
		wire_put_bytes(&body, 77, (struct cairn_bytes){ (const uint8_t *)"kept", 4 });
	wire_put_bytes(out, PPROF_LOCATION, (struct cairn_bytes){ memory, body.size });
}

static void put_list(struct sink *body, uint32_t field, const uint64_t *number, size_t count)
{
	uint8_t memory[STACK_MAX * 10];
	struct sink list = sink_open(memory, sizeof(memory));

	for (size_t i = 0; i < count; i++) {
		if (loose)
			wire_put_number(body, field, number[i]);
		else
			wire_put_varint(&list, number[i]);
	}
	if (!loose)
		wire_put_bytes(body, field, (struct cairn_bytes){ memory, list.size });
}

static void put_label(struct sink *body)
{
	uint8_t memory[64];
	struct sink label = sink_open(memory, sizeof(memory));

	wire_put_number(&label, 1, number_text("thread;\n"));
	wire_put_number(&label, 2, number_text("worker 7"));
	wire_put_bytes(body, 3, (struct cairn_bytes){ memory, label.size });
}

static void put_sample(struct sink *out)
{
	static uint8_t memory[CAPACITY];
	struct sink body = sink_open(memory, sizeof(memory));
	const uint64_t values[] = { 3, 30000000 };
	uint64_t ids[STACK_MAX];

	for (int i = 0; i < depth; i++)
		ids[i] = 1000 + (uint64_t)i;
	put_list(&body, 1, ids, (size_t)depth);
	put_list(&body, 2, values, 2);
	if (odd)
		put_label(&body);
	wire_put_bytes(out, PPROF_SAMPLE, (struct cairn_bytes){ memory, body.size });
}

static void put_types(struct sink *out)
{
	pprof_put_type(out, PPROF_SAMPLE_TYPE,
	               &(struct pprof_type){ number_text("samples"), number_text("count") });
	pprof_put_type(out, PPROF_SAMPLE_TYPE,
	               &(struct pprof_type){ number_text("cpu"), number_text("nanoseconds") });
	pprof_put_type(out, PPROF_PERIOD_TYPE,
	               &(struct pprof_type){ number_text("cpu"), number_text("nanoseconds") });
	wire_put_number(out, PPROF_PERIOD, 10000000);
	if (!odd)
		return;
	wire_put_number(out, PPROF_COMMENT, number_text("a comment"));
	wire_put_number(out, PPROF_DEFAULT_TYPE, number_text("samples"));
	wire_put_bytes(out, 99, (struct cairn_bytes){ (const uint8_t *)"unknown", 7 });
}

static void put_tables(struct sink *out)
{
	for (size_t i = 0; i < map_count; i++)
		pprof_put_mapping(out, &maps[i].stored);
	for (int i = 0; i < depth; i++)
		put_location(out, 1000 + (uint64_t)i, (uint64_t)(uintptr_t)stack[i] - 1);
}

static void put_texts(struct sink *out)
{
	for (size_t i = 0; i < texts.count; i++)
		pprof_put_text(out, (struct cairn_bytes){ (const uint8_t *)texts.text[i],
		                                          strlen(texts.text[i]) });
}

static void put_otlp(struct sink *out);

static void put_profile(struct sink *out)
{
	if (otlp) {
		put_otlp(out);
		return;
	}
	if (last)
		put_texts(out);
	put_types(out);
	if (!last)
		put_sample(out);
	put_tables(out);
	if (last)
		put_sample(out);
	else
		put_texts(out);
}

/* A message in a field, whose bytes are in `message`. */
static void put_part(struct sink *out, uint32_t field, const struct sink *message)
{
	wire_put_bytes(out, field, (struct cairn_bytes){ message->data, message->size });
}

/* Mapping 1 is the program; the others have no build ID, and end before the attribute. */
static void put_otlp_mappings(struct sink *out)
{
	uint8_t memory[128];

	wire_put_head(out, OTLP_MAPPING, 0);
	for (size_t i = 0; i < map_count; i++) {
		struct sink body = sink_open(memory, sizeof(memory));
		wire_put_number(&body, 1, maps[i].stored.start);
		wire_put_number(&body, 2, maps[i].stored.limit);
		wire_put_number(&body, 3, maps[i].stored.offset);
		wire_put_number(&body, 4, maps[i].stored.path);
		if (maps[i].stored.build_id)
			wire_put_number(&body, 5, 1);
		put_part(out, OTLP_MAPPING, &body);
	}
}

/* The mapping of a call, from 1 on, and its address as it is written; 0: none. */
static size_t place_call(int i, uint64_t *pc)
{
	*pc = (uint64_t)(uintptr_t)stack[i] - 1;
	for (size_t k = 0; k < map_count; k++) {
		const uint64_t shift = maps[k].stored.build_id ? bias : 0;
		if (*pc - shift >= maps[k].stored.start && *pc - shift < maps[k].stored.limit) {
			*pc -= shift;
			return k + 1;
		}
	}
	return 0;
}

static void put_otlp_locations(struct sink *out)
{
	uint8_t memory[128];

	wire_put_head(out, OTLP_LOCATION, 0);
	for (int i = 0; i < depth; i++) {
		struct sink body = sink_open(memory, sizeof(memory));
		uint64_t pc;
		const size_t mapping = place_call(i, &pc);
		if (mapping > 0)
			wire_put_number(&body, 1, mapping);
		wire_put_number(&body, 2, pc);
		put_part(out, OTLP_LOCATION, &body);
	}
}

static void put_otlp_dictionary(struct sink *out)
{
	uint8_t memory[512];
	struct sink body = sink_open(memory, sizeof(memory)), value = sink_open(memory + 256, 256);

	put_otlp_mappings(out);
	put_otlp_locations(out);
	wire_put_bytes(&value, 1, (struct cairn_bytes){ (uint8_t *)build_id, strlen(build_id) });
	wire_put_number(&body, 1, number_text("process.executable.build_id.gnu"));
	put_part(&body, 2, &value);
	wire_put_head(out, OTLP_ATTRIBUTE, 0);
	put_part(out, OTLP_ATTRIBUTE, &body);
	body = sink_open(memory, sizeof(memory));
	for (int i = 0; i < depth; i++)
		wire_put_number(&body, 1, (uint64_t)i + 1);
	wire_put_head(out, OTLP_STACK, 0);
	put_part(out, OTLP_STACK, &body);
	for (size_t i = 0; i < texts.count; i++)
		wire_put_bytes(
			out, OTLP_TEXT,
			(struct cairn_bytes){ (uint8_t *)texts.text[i], strlen(texts.text[i]) });
}

/* One sample of 1.10: stack 1, 30000000. */
static void put_otlp(struct sink *out)
{
	static uint8_t memory[CAPACITY];
	uint8_t parts[4][128];
	struct sink body = sink_open(memory, sizeof(memory)), level = sink_open(parts[0], 128);

	wire_put_number(&level, 1, 1);
	wire_put_head(&level, 4, wire_varint_size(30000000));
	wire_put_varint(&level, 30000000);
	for (unsigned i = 1; i < 4; i++) {
		struct sink around = sink_open(parts[i], 128);
		put_part(&around, 2, &level);
		level = around;
	}
	put_part(out, OTLP_RESOURCE, &level);
	put_otlp_dictionary(&body);
	put_part(out, OTLP_DICTIONARY, &body);
}

static void print_json_tables(FILE *file)
{
	fprintf(file, "\"mappingTable\":[{}");
	for (size_t i = 0; i < map_count; i++)
		fprintf(file,
		        ",{\"memoryStart\":\"%" PRIu64 "\",\"memoryLimit\":\"%" PRIu64
		        "\",\"fileOffset\":%" PRIu64 ",\"filenameStrindex\":%" PRIu64 "%s}",
		        maps[i].stored.start, maps[i].stored.limit, maps[i].stored.offset,
		        maps[i].stored.path,
		        maps[i].stored.build_id ? ",\"attributeIndices\":[1]" : "");
	fprintf(file, "],\"locationTable\":[{}");
	for (int i = 0; i < depth; i++) {
		uint64_t pc;
		const size_t mapping = place_call(i, &pc);
		fprintf(file, ",{\"mappingIndex\":%zu,\"address\":\"%" PRIu64 "\"}", mapping, pc);
	}
	fprintf(file,
	        "],\"attributeTable\":[{},{\"keyStrindex\":%" PRIu64
	        ",\"value\":{\"stringValue\":\"%s\"}}],\"stackTable\":[{},{\"locationIndices\":[",
	        number_text("process.executable.build_id.gnu"), build_id);
	for (int i = 0; i < depth; i++)
		fprintf(file, "%s%d", i > 0 ? "," : "", i + 1);
}

/* One line, as the collector writes it. */
static bool write_json(const char *path)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s.json", path);
	FILE *file = fopen(name, "wb");
	if (!file)
		return false;
	fprintf(file, "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"samples\":[{"
	              "\"stackIndex\":1,\"values\":[\"30000000\"]}]}]}]}],\"dictionary\":{");
	print_json_tables(file);
	fprintf(file, "]}],\"stringTable\":[");
	for (size_t i = 0; i < texts.count; i++)
		fprintf(file, "%s\"%s\"", i > 0 ? "," : "", texts.text[i]);
	fprintf(file, "]}}\n");
	return fclose(file) == 0;
}

int main(int argc, char **argv)
{
	static uint8_t memory[CAPACITY];
	static char self[4096];
	struct sink out;

	for (int i = 2; i < argc; i++) {
		linked |= strcmp(argv[i], "linked") == 0;
		loose |= strcmp(argv[i], "loose") == 0;
		odd |= strcmp(argv[i], "odd") == 0;
		last |= strcmp(argv[i], "last") == 0;
		json |= strcmp(argv[i], "json") == 0;
		otlp |= json || strcmp(argv[i], "otlp") == 0;
		id_way = strstr("zeros no-id other", argv[i]) ? argv[i] : id_way;
	}
	linked |= otlp;
	if (argc < 2 || !realpath("/proc/self/exe", self))
		return 2;
	number_text("");
	dl_iterate_phdr(find_own_id, NULL);
	if (outer_function(argc) == 0)
		return 2;
	read_maps(self);
	out = sink_open(memory, sizeof(memory));
	put_profile(&out); /* all texts are known after the first time */
	out = sink_open(memory, sizeof(memory));
	put_profile(&out);
	if (json && !write_json(argv[1]))
		return 2;
	FILE *file = fopen(argv[1], "wb");
	return !file || fwrite(memory, 1, out.size, file) != out.size || fclose(file) != 0;
}
