/* SPDX-License-Identifier: MIT */
/*
 * A file of any bytes on the whole way through a verb of the command line, from the options to what is printed.
 * The first byte of the input chooses one of `rows`, the rest is FILE.  Always:
 *   - the status is one that docs/cli.md has, and never that of wrong usage;
 *   - no more memory is held at a time than the promise allows;
 *   - output and messages are within the promise, and no control character of the input is in them;
 *   - with --json each line is one document;
 *   - what a verb has made of the file, the verb that reads it finds sound.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "held.h"

#include "base/json_reader.h"
#include "cli/front/cli.h"
#include "cli/front/printed.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WORDS_MAX = 16,
	OUTPUT_LEAST = 4 * PRINTED_LEAST,
	OUTPUT_TIMES = PRINTED_TIMES + 400, /* a record or frame is a byte at least */
};

struct row {
	const char *words; /* FILE is the input */
	unsigned packed;   /* sections of it may be compressed */
	enum {
		ANY_TEXT,
		JSON,
		EQUAL_JSON,
		BYTES
	} prints;         /* EQUAL: the file compared with itself */
	const char *then; /* reads what was printed */
	int worst;        /* status of that; 1: the verb writes odd things that it is asked for */
};

static const struct row rows[] = {
	{ "sframe dump FILE", 0, ANY_TEXT, NULL, 0 },
	{ "sframe dump --json FILE", 0, JSON, NULL, 0 },
	{ "sframe dump --hex FILE", 0, ANY_TEXT, NULL, 0 },
	{ "sframe verify FILE", HELD_PACKED, ANY_TEXT, NULL, 0 },
	{ "sframe lookup FILE 0x1150 0x401136", 0, ANY_TEXT, NULL, 0 },
	{ "cbf decode FILE", 0, ANY_TEXT, NULL, 0 },
	{ "cbf decode --json --each FILE", 0, JSON, NULL, 0 },
	{ "cbf decode --image-map --json FILE", 0, JSON, NULL, 0 },
	{ "cbf encode --to raw FILE", 0, BYTES, "cbf decode --from raw FILE", EXIT_MISSING },
	{ "cbf encode --image-map --to raw FILE", 0, BYTES,
	  "cbf decode --image-map --from raw FILE", EXIT_MISSING },
	{ "gsym dump FILE", 0, ANY_TEXT, NULL, 0 },
	{ "gsym dump --json FILE", 0, JSON, NULL, 0 },
	{ "gsym lookup --json FILE 0x1000 0x1010 0x401136", HELD_PACKED, JSON, NULL, 0 },
	{ "gsym lookup --addr2line FILE 1000 1150", HELD_PACKED, ANY_TEXT, NULL, 0 },
	{ "symbfile dump --json FILE", 0, JSON, NULL, 0 },
	{ "symbfile lookup FILE 0x1000 0x1150", 0, ANY_TEXT, NULL, 0 },
	{ "symbfile id FILE", 0, ANY_TEXT, NULL, 0 },
	{ "gsym create -j 1 --quiet -o - FILE", HELD_PACKED, BYTES, "gsym verify FILE",
	  EXIT_CLEAN },
	{ "symbols write --quiet --force --machine amd64 -o - FILE", HELD_PACKED, BYTES,
	  "dwarf dump --summary FILE", EXIT_MISSING },
	{ "where --no-cache --json FILE 0x1150 0x401136", HELD_PACKED, JSON, NULL, 0 },
	{ "where --no-cache FILE 0x1150 0x401136", HELD_PACKED, ANY_TEXT, NULL, 0 },
	{ "dwarf dump FILE", HELD_PACKED, ANY_TEXT, NULL, 0 },
	{ "markup --json FILE", 0, JSON, NULL, 0 },
	{ "bt --json --sysroot /nonexistent FILE", 0, JSON, NULL, 0 },
	{ "bt --registers --explain --sysroot /nonexistent FILE", 0, ANY_TEXT, NULL, 0 },
	{ "cbf find FILE", 0, ANY_TEXT, NULL, 0 },
	{ "cbf find --arrays --json FILE", 0, JSON, NULL, 0 },
	{ "symbfile verify --json FILE", 0, JSON, NULL, 0 },
	{ "symbfile stats --json --keep-going FILE", 0, JSON, NULL, 0 },
	{ "symbfile dump --keep-going FILE", 0, ANY_TEXT, NULL, 0 },
	{ "gsym verify --lines FILE", 0, ANY_TEXT, NULL, 0 },
	{ "gsym stats --json FILE", HELD_PACKED, JSON, NULL, 0 },
	{ "gsym diff --json FILE FILE", HELD_PACKED, EQUAL_JSON, NULL, 0 },
	{ "gsym find --contains FILE f", HELD_PACKED, ANY_TEXT, NULL, 0 },
	{ "markup FILE", 0, BYTES, NULL, 0 }, /* a filter passes on the log's own text */
	{ "cbf decode --image-map FILE", 0, ANY_TEXT, NULL, 0 },
	{ "symbols write --quiet --force --debugger lldb --machine amd64 -o - FILE", HELD_PACKED,
	  BYTES, "dwarf dump --summary FILE", EXIT_MISSING },
};

static const struct verb verbs[] = {
	{ "bt", "", verb_bt },           { "cbf", "", verb_cbf },
	{ "dwarf", "", verb_dwarf },     { "gsym", "", verb_gsym },
	{ "markup", "", verb_markup },   { "sframe", "", verb_sframe },
	{ "symbols", "", verb_symbols }, { "symbfile", "", verb_symbfile },
	{ "where", "", verb_where },
};

/* Reports of sanitizers go where standard error was. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static struct {
	int input, output, errors; /* files without a name */
	int saved_output, saved_errors;
	char path[64]; /* of the input */
} files;

static int make_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	ALWAYS(fd >= 0);
	return fd;
}

static void prepare(void)
{
	if (files.path[0])
		return;
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	files.input = make_file("input");
	files.output = make_file("output");
	files.errors = make_file("errors");
	files.saved_output = dup(STDOUT_FILENO);
	files.saved_errors = dup(STDERR_FILENO);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)files.saved_errors);
	snprintf(files.path, sizeof(files.path), "/proc/self/fd/%d", files.input);
}

static void fill_file(int fd, struct cairn_bytes bytes)
{
	ALWAYS(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	while (bytes.size > 0) {
		ssize_t put = write(fd, bytes.data, bytes.size);
		ALWAYS(put > 0);
		bytes.data += put;
		bytes.size -= (size_t)put;
	}
}

/* All that is in it; not counted as held, and to be given back by give_back(). */
static struct cairn_bytes take_content(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *bytes = __real_malloc((size_t)size + 1);

	ALWAYS(size >= 0 && bytes && pread(fd, bytes, (size_t)size, 0) == (ssize_t)size);
	return (struct cairn_bytes){ bytes, (size_t)size };
}

static void give_back(struct cairn_bytes bytes)
{
	__real_free((void *)bytes.data);
}

/* Runs `words`, in which FILE is the input. */
static int run_verb(const char *words)
{
	static const struct cairn_bytes nothing;
	char text[256], *argv[WORDS_MAX] = { (char *)"cairn", (char *)"--no-sandbox" };
	int argc = 2;

	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		ALWAYS(argc < WORDS_MAX - 1);
		argv[argc++] = strcmp(word, "FILE") == 0 ? files.path : word;
	}
	fill_file(files.output, nothing);
	fill_file(files.errors, nothing);
	fflush(stdout);
	dup2(files.output, STDOUT_FILENO);
	dup2(files.errors, STDERR_FILENO);
	int status = program_run("cairn", "", verbs, COUNT(verbs), argc, argv);
	fflush(stderr);
	dup2(files.saved_output, STDOUT_FILENO);
	dup2(files.saved_errors, STDERR_FILENO);
	return status;
}

/* What a terminal obeys: C0 but for newlines and tabs, DEL, and C1 in UTF-8. */
static bool is_control(const uint8_t *at, size_t left)
{
	if (*at == 0xc2 && left > 1)
		return at[1] >= 0x80 && at[1] < 0xa0;
	return (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f;
}

static void check_clean(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		ALWAYS(!is_control(text.data + i, text.size - i));
}

static void check_documents(struct cairn_bytes text)
{
	struct json_reader_value top;
	struct cairn_fault fault;

	while (text.size > 0) {
		const uint8_t *end = memchr(text.data, '\n', text.size);
		ALWAYS(end);
		struct cairn_bytes line = { text.data, (size_t)(end - text.data) };
		ALWAYS(json_reader_open(line, &top, &fault) == CAIRN_OK);
		text.data = end + 1;
		text.size -= line.size + 1;
	}
}

static void check_printed(const struct row *row, struct cairn_bytes output, size_t size)
{
	struct cairn_bytes errors = take_content(files.errors);

	check_clean(errors);
	ALWAYS(errors.size <= OUTPUT_LEAST + (uint64_t)OUTPUT_TIMES * size);
	give_back(errors);
	if (row->prints == BYTES)
		return;
	ALWAYS(output.size <= OUTPUT_LEAST + (uint64_t)OUTPUT_TIMES * size);
	check_clean(output);
	if (row->prints == JSON || row->prints == EQUAL_JSON)
		check_documents(output);
}

static void check_status(const struct row *row, int status)
{
	enum { EXIT_UNREADABLE = 2 }; /* of diff(1) */

	if (row->prints == EQUAL_JSON)
		ALWAYS(status == EXIT_CLEAN || status == EXIT_UNREADABLE);
	else
		ALWAYS(status == EXIT_CLEAN || status == EXIT_MISSING || status == EXIT_BROKEN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	const struct row *row = &rows[data[0] % COUNT(rows)];
	prepare();
	fill_file(files.input, (struct cairn_bytes){ data + 1, size - 1 });
	held_begin();
	int status = run_verb(row->words);
	held_check(size, row->packed ? row->packed : HELD_PLAIN);
	check_status(row, status);
	struct cairn_bytes output = take_content(files.output);
	check_printed(row, output, size);
	if (row->then && status == EXIT_CLEAN && output.size > 0) {
		fill_file(files.input, output);
		ALWAYS(run_verb(row->then) <= row->worst);
	}
	give_back(output);
	return 0;
}
