/* SPDX-License-Identifier: MIT */
/*
 * `cairn symbfile lookup --explain`: prints the records that contain an address, or why no record
 * contains it.
 */
#include "session.h"

#include "cli/front/printed.h"
#include "output/escape.h"
#include "symbols/index/scan.h"

#include <inttypes.h>

static void print_file(bool is_there, struct cairn_bytes file)
{
	if (!is_there)
		fputs("no file", stdout);
	else if (file.size == 0)
		fputs("an empty file", stdout);
	else
		print_text(stdout, file);
}

static void print_record(const struct symbfile_found *f, uint64_t va, struct allowance *printed)
{
	printf("    depth %" PRIu32 " [0x%" PRIx64 ", 0x%" PRIx64 ") at byte %" PRIu64 ": ",
	       f->depth, f->start, symbfile_range_end(f->start, f->length), f->offset);
	print_text_between(stdout, "", printed_text(printed, f->function), ", ");
	print_file(f->has_file, printed_text(printed, f->file));
	if (f->has_lines && f->line)
		printf(" line %" PRIu32, f->line);
	else if (f->has_lines)
		printf(", no line at +0x%" PRIx64, va - f->start);
	else
		fputs(", no lines", stdout);
	if (f->depth > 0) {
		fputs("; called from ", stdout);
		if (f->has_call_file)
			print_file(true, printed_text(printed, f->call_file));
		else
			fputs("the file of the frame around it", stdout);
		printf(" line %" PRIu32, f->call_line);
	}
	puts(f->counts ? ""
	               : "; does not count: another one of its depth begins later or is shorter");
}

static void print_none(const struct symbfile_scan *scan)
{
	if (scan->ranges == 0 && scan->pads > 0) {
		puts("    this file has return pads only, no ranges: use --return");
		return;
	}
	fputs("    no range holds it", stdout);
	if (scan->has_below)
		printf("; the nearest before it ends at 0x%" PRIx64, scan->below);
	if (scan->has_above)
		printf("; the next begins at 0x%" PRIx64, scan->above);
	putchar('\n');
}

static void print_scan(const char *path, const struct symbfile_scan *scan, uint64_t va,
                       struct allowance *printed)
{
	print_string_between(stdout, "  ", path, "");
	printf(": %" PRIu64 " ranges, %" PRIu64 " return pads\n", scan->ranges, scan->pads);
	for (size_t i = 0; i < scan->count; i++)
		print_record(&scan->found[i], va, printed);
	if (scan->more)
		printf("    and %zu more\n", scan->more);
	if (scan->count == 0)
		print_none(scan);
	if (scan->fault.status != CAIRN_OK)
		printf("    the file is damaged at byte %" PRIu64 ": %s; records after it are not "
		       "read\n",
		       scan->fault.offset, scan->fault.what);
}

void symbfile_explain(const struct symbfile_session *session, uint64_t va,
                      struct allowance *printed)
{
	struct symbfile_scan scan;

	for (size_t i = 0; i < session->count; i++) {
		if (symbfile_scan(session->file[i].bytes, va, &scan) != CAIRN_OK) {
			print_diagnostic(session->path[i], "out of memory");
			return;
		}
		print_scan(session->path[i], &scan, va, printed);
		symbfile_scan_finish(&scan);
	}
}
