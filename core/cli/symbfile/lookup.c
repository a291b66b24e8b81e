/* SPDX-License-Identifier: MIT */
/* `cairn symbfile lookup`: opens symbfiles, builds or loads their index, and looks up addresses. */
#include "symbfile.h"

#include "base/allowance.h"
#include "base/fileid.h"
#include "base/memory.h"
#include "cli/front/printed.h"
#include "cli/front/rights.h"
#include "os/atomic_file.h"
#include "os/cache.h"
#include "output/escape.h"
#include "output/location.h"
#include "symbols/index.h"
#include "symbols/index_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Symbfiles opened for lookups. Their index is read from the cache if it was built from exactly
 * these files; otherwise it is built, and stored in the cache ($XDG_CACHE_HOME/cairn or
 * ~/.cache/cairn). Without a writable cache, the index is built each time.
 */

struct symbfile_session {
	const char *path[SYMBFILE_FILES_MAX];
	struct os_file file[SYMBFILE_FILES_MAX];
	struct symbfile_source source[SYMBFILE_FILES_MAX];
	size_t count;
	bool use_cache;
	char cache_path[4096];
	struct os_file cache;
	struct symbfile_built built;
	struct symbfile_index index;
	bool from_cache;
};

static void symbfile_session_close(struct symbfile_session *session);

static bool open_files(struct symbfile_session *s, const struct option_words *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		const char *path = paths->word[i];
		if (!input_open_unpacked(path, &s->file[i]))
			return false;
		s->path[i] = path;
		s->count++;
		s->source[i] = symbfile_source_of(s->file[i].bytes);
		/*
		 * record the modification time, because it reveals changes that affect neither the
		 * size nor the start or end of the file
		 */
		struct stat status;
		if (stat(path, &status) == 0) {
			s->source[i].mtime_seconds = (uint64_t)status.st_mtim.tv_sec;
			s->source[i].mtime_nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
		}
		s->use_cache &= strcmp(path, "-") != 0;
		struct symbfile file = symbfile_open(s->file[i].bytes);
		if (file.code != SYMBFILE_VALID) {
			struct cairn_fault fault = symbfile_fault(&file);
			print_fault_diagnostic(path, NULL, &fault, NULL);
			return false;
		}
	}
	return true;
}

/*
 * Derive the name of the cached index from the IDs of the symbfiles. Whether the index is up to
 * date is decided later, from the source records stored in it.
 */
static bool name_cache(struct symbfile_session *s)
{
	char directory[OS_CACHE_PATH], hex[FILEID_HEX_SIZE];
	uint8_t ids[SYMBFILE_FILES_MAX * sizeof(s->source[0].id)];

	if (!os_cache_directory(directory))
		return false;
	for (size_t i = 0; i < s->count; i++)
		memcpy(ids + i * sizeof(s->source[i].id), s->source[i].id, sizeof(s->source[i].id));
	struct fileid id =
		fileid_of((struct cairn_bytes){ ids, s->count * sizeof(s->source[0].id) });
	fileid_to_hex(&id, hex);
	int size = snprintf(s->cache_path, sizeof(s->cache_path), "%s/%s.symindex", directory, hex);
	return size > 0 && (size_t)size < sizeof(s->cache_path);
}

static bool open_cache(struct symbfile_session *s)
{
	if (os_file_open_regular(s->cache_path, &s->cache) != 0)
		return false;
	s->from_cache =
		symbfile_index_open(s->cache.bytes, s->source, s->count, &s->index) == CAIRN_OK;
	if (!s->from_cache) {
		os_file_close(&s->cache);
		s->cache = (struct os_file){ .memory = NULL };
	}
	return s->from_cache;
}

/* Write the index to the cache. A failure is not reported, because it only costs time. */
static void write_index_cache(const struct symbfile_session *s)
{
	static const uint8_t zeros[8];
	struct symbfile_index_parts parts;
	struct cairn_bytes part[1 + 2 * SYMBFILE_INDEX_SECTIONS];
	char directory[OS_CACHE_PATH];
	size_t count = 0;

	if (!os_cache_directory(directory) || os_make_directories(directory) != 0)
		return;
	symbfile_index_layout(&s->index, s->source, s->count, &parts);
	part[count++] = (struct cairn_bytes){ (const uint8_t *)&parts.head, sizeof(parts.head) };
	for (size_t i = 0; i < SYMBFILE_INDEX_SECTIONS; i++) {
		part[count++] = parts.part[i];
		part[count++] = (struct cairn_bytes){ zeros, (8 - parts.part[i].size % 8) % 8 };
	}
	if (os_atomic_file_replace(s->cache_path, part, count) != 0)
		return;
}

/* Report damaged files. Records before the damage are used. Return true if all files are intact. */
static bool report_session_faults(const struct symbfile_session *s)
{
	bool sound = true;

	for (size_t i = 0; i < s->count; i++)
		if (s->built.fault[i].status != CAIRN_OK) {
			print_fault_diagnostic(s->path[i], NULL, &s->built.fault[i],
			                       "using the part before the damage");
			sound = false;
		}
	return sound;
}

static bool make_index(struct symbfile_session *s, int *status)
{
	struct cairn_bytes files[SYMBFILE_FILES_MAX];

	for (size_t i = 0; i < s->count; i++)
		files[i] = s->file[i].bytes;
	enum cairn_status built = symbfile_build(files, s->count, NULL, &s->built);
	if (built != CAIRN_OK) {
		*status = fail_with(s->path[0],
		                    built == CAIRN_NO_MEMORY
		                            ? "out of memory"
		                            : "the ranges overlap too much to be indexed");
		return false;
	}
	s->index = s->built.index;
	bool sound = report_session_faults(s);
	if (sound && s->use_cache)
		write_index_cache(s);
	if (!sound)
		*status = EXIT_BROKEN;
	return true;
}

/*
 * Open the files. If one cannot be read or indexed, print a diagnostic, set *status and return
 * false.
 */
static bool symbfile_session_open(const struct option_words *paths, bool use_cache,
                                  struct symbfile_session *s, int *status)
{
	memset(s, 0, sizeof(*s));
	s->use_cache = use_cache;
	*status = EXIT_CLEAN;
	if (!open_files(s, paths)) {
		*status = EXIT_BROKEN;
		symbfile_session_close(s);
		return false;
	}
	s->use_cache = s->use_cache && name_cache(s);
	if (s->use_cache && open_cache(s))
		return true;
	if (make_index(s, status))
		return true;
	symbfile_session_close(s);
	return false;
}

static void symbfile_session_close(struct symbfile_session *s)
{
	symbfile_built_free(&s->built);
	os_file_close(&s->cache);
	for (size_t i = 0; i < s->count; i++)
		os_file_close(&s->file[i]);
}

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
	puts(f->counts ? "" : "; not used: another one at its depth begins later or is shorter");
}

static void print_none(const struct symbfile_scan *scan)
{
	if (scan->ranges == 0 && scan->pads > 0) {
		puts("    this file has return pads only, no ranges: use --return");
		return;
	}
	fputs("    no range contains it", stdout);
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
		printf("    the file is damaged at byte %" PRIu64
		       ": %s; records after it are not read\n",
		       scan->fault.offset, scan->fault.what);
}

static void symbfile_explain(const struct symbfile_session *session, uint64_t va,
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

static const char about[] =
	"Print function, file and line of each ADDRESS, or of each address on standard input.\n"
	"Inlined calls come first, then their function. Addresses are as linked, decimal or\n"
	"0x and hexadecimal. With --return they are return addresses: the answer comes from\n"
	"the return pad of the call, otherwise from the range one byte before. --with adds\n"
	"another file of ranges or return pads.";
enum { LINE_MAX_BYTES = 4096 };

struct lookup {
	struct symbfile_session session;
	enum form form;
	bool is_return, explain;
	struct json json;
	struct allowance printed;
	struct cairn_location *frame; /* frames to print, innermost first */
	size_t frames, capacity;
	int status;
};

/*
 * Collect the frames at an address before printing, because the output formats order them
 * differently.
 */
static bool collect_frames(struct lookup *l, uint64_t va)
{
	struct symbfile_chain chain;
	struct cairn_location location;

	l->frames = 0;
	if (!symbfile_index_answer(&l->session.index, va, l->is_return, &chain))
		return true;
	while (symbfile_chain_next(&chain, &location)) {
		if (!ARRAY_APPEND(l->frame, l->frames, l->capacity,
		                  printed_location(&l->printed, &location)))
			return false;
	}
	return true;
}

static void print_frames_text(const struct lookup *l, uint64_t va)
{
	printf("0x%" PRIx64 ": ", va);
	if (l->frames == 0)
		puts("no function covers it");
	for (size_t i = 0; i < l->frames; i++) {
		const struct cairn_location *f = &l->frame[i];
		if (i > 0)
			fputs("  inlined into ", stdout);
		if (f->function.size)
			print_text(stdout, f->function);
		else
			fputs("??", stdout);
		if (f->offset)
			printf("+0x%" PRIx64, f->offset);
		if (f->file.size || f->line) {
			fputs(" at ", stdout);
			print_source_location(stdout, f);
		}
		putchar('\n');
	}
}

static void end_answer(struct lookup *l, uint64_t va)
{
	if (!l->printed.over)
		return;
	l->status = fail_with(l->session.path[0],
	                      "0x%" PRIx64 ": names of inlined functions exceed the size limit; "
	                      "the remaining names are omitted",
	                      va);
}

static void answer_address(struct lookup *l, uint64_t va)
{
	printed_begin_answer(&l->printed);
	if (!collect_frames(l, va)) {
		l->status = fail_with(l->session.path[0], "out of memory");
		return;
	}
	if (l->form == FORM_JSON) {
		struct json *j = &l->json;
		json_object(j, NULL);
		json_address(j, "address", va);
		json_string(j, "outcome",
		            cairn_status_name(l->frames ? CAIRN_OK : CAIRN_NOT_FOUND));
		json_array(j, "frames");
		for (size_t i = 0; i < l->frames; i++)
			json_location(j, &l->frame[i]);
		json_end(j);
		json_end(j);
	} else if (l->form == FORM_LINES) {
		printf("Q\t0x%" PRIx64 "\t%zu", va, l->frames);
		for (size_t i = l->frames; i-- > 0;) {
			const struct cairn_location *f = &l->frame[i];
			symbfile_print_field(true, f->function);
			symbfile_print_field(f->file.size > 0, f->file);
			printf("\t%" PRIu32, f->line);
		}
		putchar('\n');
	} else
		print_frames_text(l, va);
	if (l->explain)
		symbfile_explain(&l->session, l->is_return ? va - 1 : va, &l->printed);
	if (l->frames == 0)
		l->status = choose_worse(l->status, EXIT_MISSING);
	end_answer(l, va);
}

static void answer_word(struct lookup *l, const char *word)
{
	uint64_t va;

	if (parse_number(word, &va)) {
		answer_address(l, va);
	} else {
		print_word_diagnostic(NULL, word,
		                      "expected an address (decimal, or hexadecimal with 0x)");
		l->status = choose_worse(l->status, EXIT_USAGE);
	}
}

int symbfile_lookup_verb(int argc, char **argv)
{
	static struct lookup l;
	struct option_words paths = { .count = 1 };
	bool no_cache = false;
	const struct option options[] = {
		OPTION_LINES(&l.form),
		OPTION_JSON(&l.form),
		OPTION_WORDS("with", "FILE", "use this symbfile too", &paths),
		OPTION_FLAG("return", "look up return addresses", &l.is_return),
		OPTION_FLAG("explain", "print which records contain the address", &l.explain),
		OPTION_FLAG("no-cache", "build the index again", &no_cache),
	};
	const struct command command =
		COMMAND("cairn symbfile lookup [OPTION...] FILE [ADDRESS...]", about, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE", "ADDRESS"), .rights = RIGHT_CACHE);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (paths.count > SYMBFILE_FILES_MAX)
		return usage_error(&command, "too many files (limit: %d)", SYMBFILE_FILES_MAX);
	paths.word[0] = argv[0];
	if (!symbfile_session_open(&paths, !no_cache, &l.session, &l.status))
		return l.status;
	rights_end_search();
	l.json = json_to(stdout);
	/* limit the printed strings, because frames and records may share a name of any size */
	l.printed = printed_of(0);
	for (size_t i = 0; i < l.session.count; i++)
		printed_credit(&l.printed, l.session.file[i].bytes.size);
	for (int i = 1; i < argc; i++)
		answer_word(&l, argv[i]);
	if (argc == 1) {
		char line[LINE_MAX_BYTES];
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\r\n")] = '\0';
			answer_word(&l, line);
		}
	}
	free(l.frame);
	symbfile_session_close(&l.session);
	return l.status;
}
