/* SPDX-License-Identifier: MIT */
/*
 * files FILE: the modules that are found in what GDB's `info files` has printed, a line each, with
 * a tab between the fields:
 *
 *	program|library NAME TYPE MACHINE low-high .text .sframe .eh_frame_hdr .eh_frame
 *
 * A section that is not there is "-".
 */
#include "queries/gdb_output.h"

#include <inttypes.h>
#include <stdio.h>

enum { INPUT_MAX = 1 << 24 };

static const char *machine_name(const struct info_files_module *m)
{
	switch (m->host.machine) {
	case CAIRN_MACHINE_AMD64:
		return "amd64";
	case CAIRN_MACHINE_AARCH64:
		return m->host.big_endian ? "aarch64_be" : "aarch64";
	case CAIRN_MACHINE_S390X:
		return "s390x";
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_RISCV64:
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_PPC:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return "-";
}

static void show_range(struct cairn_range range)
{
	if (range.low == range.high)
		printf("\t-");
	else
		printf("\t%#" PRIx64 "-%#" PRIx64, range.low, range.high);
}

static void show(const struct info_files_module *m)
{
	printf("%s\t%.*s\t%.*s\t%s", m->program ? "program" : "library", (int)m->host.name.size,
	       (const char *)m->host.name.data, (int)m->type.size, (const char *)m->type.data,
	       machine_name(m));
	show_range((struct cairn_range){ m->host.low, m->host.high });
	show_range(m->host.text);
	show_range(m->host.sframe);
	show_range(m->host.eh_frame_hdr);
	show_range(m->host.eh_frame);
	printf("\n");
}

int main(int argc, char **argv)
{
	static uint8_t text[INPUT_MAX];
	static struct info_files files;
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!in) {
		fprintf(stderr, "usage: files FILE\n");
		return 2;
	}
	size_t size = fread(text, 1, sizeof(text), in);
	fclose(in);
	info_files_read((struct cairn_bytes){ text, size }, &files);
	for (size_t i = 0; i < files.count; i++)
		show(&files.modules[i]);
	return 0;
}
