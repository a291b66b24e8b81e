/* SPDX-License-Identifier: MIT */
/* `cairn gsym dump`: all that a file holds, in the form of llvm-gsymutil's own dump. */
#include "cli/gsym/gsym.h"

#include "cli/front/rights.h"

#include "cli/front/progress.h"
#include "output/digits.h"
#include "output/location.h"

#include <inttypes.h>

static const char about[] = "Prints everything in each FILE: header, tables, files, strings, and "
			    "the lines, inlined\ncalls, call sites and merged functions of each "
			    "function.  The text is that of\nllvm-gsymutil.  Exit status 3: a part "
			    "could not be read; 'cairn gsym verify' shows which.";

static void print_bytes(struct cairn_bytes bytes)
{
	print_hex(stdout, bytes);
	putchar('\n');
}

static void print_header_v1(const struct gsym *g)
{
	printf("Header:\n"
	       "  Magic        = 0x%08x\n"
	       "  Version      = 0x%04x\n"
	       "  AddrOffSize  = 0x%02x\n"
	       "  UUIDSize     = 0x%02zx\n"
	       "  BaseAddress  = 0x%016" PRIx64 "\n"
	       "  NumAddresses = 0x%08" PRIx32 "\n"
	       "  StrtabOffset = 0x%08" PRIx64 "\n"
	       "  StrtabSize   = 0x%08zx\n"
	       "  UUID         = ",
	       (unsigned)GSYM_MAGIC, (unsigned)g->version, (unsigned)g->address_size, g->uuid.size,
	       g->base, g->functions, g->strings_at, g->strings.size);
	print_bytes(g->uuid);
}

static const char *section_name(uint32_t type)
{
	static const char *const names[GSYM_SECTIONS] = {
		[GSYM_SECTION_END] = "EndOfList",
		[GSYM_SECTION_ADDRESSES] = "AddrOffsets",
		[GSYM_SECTION_INFOS] = "AddrInfoOffsets",
		[GSYM_SECTION_STRINGS] = "StringTable",
		[GSYM_SECTION_FILES] = "FileTable",
		[GSYM_SECTION_RECORDS] = "FunctionInfo",
		[GSYM_SECTION_UUID] = "UUID",
	};
	return type < GSYM_SECTIONS ? names[type] : "unknown";
}

static void print_header_v2(const struct gsym *g)
{
	struct gsym_entry e;
	size_t at = 0;

	printf("Header:\n"
	       "  Magic          = 0x%08x\n"
	       "  Version        = 0x%04x\n"
	       "  AddrOffSize    = 0x%02x\n"
	       "  StrTableEnc    = 0x00\n"
	       "  BaseAddress    = 0x%016" PRIx64 "\n"
	       "  NumAddresses   = 0x%08" PRIx32 "\n\n"
	       "Global Data Sections:\n"
	       "TYPE            FILE OFFSET         FILE SIZE\n"
	       "=============== ==================  ==================\n",
	       (unsigned)GSYM_MAGIC, (unsigned)g->version, (unsigned)g->address_size, g->base,
	       g->functions);
	while (gsym_next_entry(g, &at, &e))
		printf("%-15s 0x%016" PRIx64 "  0x%016" PRIx64 "\n", section_name(e.type), e.offset,
		       e.size);
	if (g->uuid.size) {
		puts("\nUUID:");
		print_bytes(g->uuid);
	}
}

static void print_addresses(const struct gsym *g)
{
	unsigned bits = g->address_size * 8u, digits = g->address_size == 8 ? 8 : bits / 4;

	if (g->version == 1)
		printf("\nAddress Table:\nINDEX  OFFSET%-2u (ADDRESS)\n"
		       "====== =============================== \n",
		       bits);
	else
		printf("\nAddress Table:\nINDEX  OFFSET %-2u (ADDRESS 64)\n"
		       "====== ========================================\n",
		       bits);
	for (uint32_t i = 0; i < g->functions; i++) {
		uint64_t offset = gsym_offset(g, i);
		printf("[%4" PRIu32 "] 0x%0*" PRIx64 " (0x%016" PRIx64 ")\n", i, (int)digits,
		       offset, g->base + offset);
	}
}

static void print_infos(const struct gsym *g)
{
	fputs(g->version == 1 ? "\nAddress Info Offsets:\nINDEX  Offset\n====== ==========\n"
	                      : "\nAddress Info Offsets:\nINDEX  OFFSET 64 (FILE OFFSET 64)\n"
	                        "====== ========================================\n",
	      stdout);
	for (uint32_t i = 0; i < g->functions; i++) {
		uint64_t info = gsym_info(g, i);
		if (g->version == 1)
			printf("[%4" PRIu32 "] 0x%08" PRIx64 "\n", i, info);
		else
			printf("[%4" PRIu32 "] 0x%016" PRIx64 " (0x%016" PRIx64 ")\n", i, info,
			       info + g->records_at);
	}
}

static void print_files(struct gsym_dump *dump)
{
	const struct gsym *g = dump->gsym;
	struct location_path path;

	printf("\nFiles:\nINDEX  DIRECTORY  BASENAME   PATH\n"
	       "====== ========== ========== %s\n",
	       g->version == 1 ? "=============================="
	                       : "========================================");
	for (uint32_t i = 0; i < g->files && !dump->printed.over; i++) {
		uint64_t directory, name;
		gsym_file_offsets(g, i, &directory, &name);
		printf("[%4" PRIu32 "] 0x%08" PRIx64 " 0x%08" PRIx64 " ", i, directory, name);
		print_plain_location(stdout, gsym_dump_path(dump, i, &path));
		putchar('\n');
	}
}

static void print_strings(const struct gsym *g)
{
	struct cairn_bytes text;

	puts("\nString table:");
	for (uint64_t at = 0; at < g->strings.size; at += text.size + 1) {
		gsym_string(g, at, &text);
		printf("0x%0*" PRIx64 ": \"", g->version == 1 ? 8 : 16, at);
		print_plain_location(stdout, text);
		puts("\"");
	}
	putchar('\n');
}

static int dump_text(struct gsym_dump *dump, struct progress *progress)
{
	const struct gsym *g = dump->gsym;
	int status = EXIT_CLEAN;

	if (g->version == 1)
		print_header_v1(g);
	else
		print_header_v2(g);
	print_addresses(g);
	print_infos(g);
	print_files(dump);
	print_strings(g);
	for (uint32_t i = 0; i < g->functions && !dump->printed.over; i++) {
		progress_update(progress, i, g->functions);
		if (!gsym_dump_function(dump, i))
			status = EXIT_BROKEN;
	}
	return status;
}

static int dump_json(const struct gsym_input *input, struct gsym_dump *dump,
                     struct progress *progress)
{
	struct json json = json_to(stdout);
	int status = EXIT_CLEAN;

	gsym_json_file(&json, input);
	for (uint32_t i = 0; i < dump->gsym->functions && !dump->printed.over; i++) {
		progress_update(progress, i, dump->gsym->functions);
		if (!gsym_json_function(&json, dump, i))
			status = EXIT_BROKEN;
	}
	return status;
}

struct settings {
	struct gsym_source source;
	enum form form;
	bool quiet;
};

static int dump_gsym_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct gsym_input input;
	int status;

	if (!gsym_input_open(path, &s->source, &input, &status))
		return status;
	rights_end_search();
	const struct gsym *g = input.gsym;
	struct gsym_dump dump = { g, gsym_walk(g), gsym_printed(g) };
	struct progress progress = progress_begin_aside(path, "functions", s->quiet);
	status = s->form == FORM_JSON ? dump_json(&input, &dump, &progress)
	                              : dump_text(&dump, &progress);
	progress_end(&progress);
	if (dump.printed.over)
		status = fail_with(path,
		                   "functions share too many bytes of names; the rest is left out");
	else if (status != EXIT_CLEAN)
		print_diagnostic(path, "part of it is damaged; 'cairn gsym verify' shows what");
	gsym_input_close(&input);
	return status;
}

int gsym_dump(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = dump_gsym_file, .context = &s };
	const struct option options[] = { OPTION_JSON(&s.form), OPTIONS_GSYM_SOURCE(&s.source),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = { "cairn gsym dump [OPTION...] FILE...", about, options,
		                         COUNT(options) };

	return for_each_file(&command, argc, argv, &each);
}
