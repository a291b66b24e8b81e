/* SPDX-License-Identifier: MIT */
/*
 * Any text as the output of `info files`.  Always:
 *   - a module has some addresses, its sections lie within them, its texts in the input;
 *   - a module costs the bytes of its shortest line;
 *   - a module printed anew, by itself, is read as the same module.
 */
#include "fuzz.h"

#include "queries/gdb_output.h"

#include <inttypes.h>
#include <string.h>

enum {
	SHORTEST = 15, /* "TAB 0x0 - 0x1 is " and its end, or the end of the text */
	ROUND_TRIPS = 64,
};

static bool inside(struct cairn_bytes text, struct cairn_bytes part)
{
	return part.data >= text.data && part.data <= text.data + text.size &&
	       part.size <= text.size - (size_t)(part.data - text.data);
}

static void check_range(const struct info_files_module *m, struct cairn_range range)
{
	ALWAYS(range.low == range.high || range.low < range.high);
	ALWAYS(range.low == range.high || (range.low >= m->host.low && range.high <= m->host.high));
}

static void put_line(FILE *out, const struct info_files_module *m, const char *section,
                     struct cairn_range range)
{
	if (range.low == range.high)
		return;
	fprintf(out, "\t0x%016" PRIx64 " - 0x%016" PRIx64 " is %s", range.low, range.high, section);
	if (!m->program) {
		fprintf(out, " in %s", m->on_target ? "target:" : "");
		fwrite(m->host.name.data, 1, m->host.name.size, out);
	}
	fputc('\n', out);
}

static void print(FILE *out, const struct info_files_module *m)
{
	fprintf(out, "\t`%s", m->on_target && m->program ? "target:" : "");
	if (m->program)
		fwrite(m->host.name.data, 1, m->host.name.size, out);
	else
		fputs("program", out);
	fputs("', file type ", out);
	fwrite(m->type.data, 1, m->type.size, out);
	fputs(".\n", out);
	put_line(out, m, ".all", (struct cairn_range){ m->host.low, m->host.high });
	put_line(out, m, ".text", m->host.text);
	put_line(out, m, ".sframe", m->host.sframe);
	put_line(out, m, ".eh_frame_hdr", m->host.eh_frame_hdr);
	put_line(out, m, ".eh_frame", m->host.eh_frame);
}

static bool same_bytes(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool same_range(struct cairn_range a, struct cairn_range b)
{
	return (a.low == a.high && b.low == b.high) || (a.low == b.low && a.high == b.high);
}

static void check_round_trip(const struct info_files_module *m)
{
	static struct info_files again;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ALWAYS(out != NULL);
	print(out, m);
	fclose(out);
	info_files_read((struct cairn_bytes){ (const uint8_t *)text, size }, &again);
	const struct info_files_module *n = &again.modules[0];
	ALWAYS(again.count == 1 && n->host.low == m->host.low && n->host.high == m->host.high);
	ALWAYS(same_bytes(n->host.name, m->host.name));
	ALWAYS(n->program == m->program && n->on_target == m->on_target);
	ALWAYS(m->type.size == 0 || same_bytes(n->type, m->type));
	ALWAYS(n->host.machine == m->host.machine && n->host.big_endian == m->host.big_endian);
	ALWAYS(same_range(n->host.text, m->host.text) &&
	       same_range(n->host.sframe, m->host.sframe));
	ALWAYS(same_range(n->host.eh_frame_hdr, m->host.eh_frame_hdr) &&
	       same_range(n->host.eh_frame, m->host.eh_frame));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct info_files files;
	struct cairn_bytes text = { data ? data : (const uint8_t *)"", size };

	info_files_read(text, &files);
	ALWAYS(files.count <= INFO_FILES_MODULES && files.count <= size / SHORTEST);
	for (size_t i = 0; i < files.count; i++) {
		const struct info_files_module *m = &files.modules[i];
		ALWAYS(m->host.low < m->host.high && inside(text, m->host.name));
		ALWAYS(m->type.size == 0 || inside(text, m->type));
		check_range(m, m->host.text);
		check_range(m, m->host.sframe);
		check_range(m, m->host.eh_frame_hdr);
		check_range(m, m->host.eh_frame);
		if (i < ROUND_TRIPS)
			check_round_trip(m);
	}
	return 0;
}
