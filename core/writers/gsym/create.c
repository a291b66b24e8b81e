/* SPDX-License-Identifier: MIT */
/*
 * Implements cairn_functions_write_gsym(), which writes a GSYM file, several files of limited size,
 * or a copy of the program with the file in a section. Files are streamed in pieces, by several
 * threads if the output can be written at any offset. A whole file is in memory only if it becomes
 * a section or if its lookups are first verified against the input.
 */
#include "create.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/threads.h"
#include "debuginfo/function_source.h"
#include "formats/elf/append.h"
#include "formats/gsym/gsym.h"
#include "os/write.h"
#include "symbols/function_table.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Verifies a GSYM file against its input. The input is read again, and the addresses of all its
 * rows and inlined calls are looked up in the GSYM file with the code that serves all lookups.
 *
 * A function in the input is skipped if the GSYM file contains another function with the same range
 * instead, or if the function was already found in an earlier unit. Addresses for which the file
 * has another function, such as a shorter one with the same start, are skipped as well.
 */
struct gsym_recheck {
	struct gsym_recheck_piece {
		struct cairn_symbols *symbols;
		uint64_t start;
		bool *done;
	} * piece;
	size_t pieces, capacity;

	uint64_t functions, addresses;
	uint64_t folded, hidden; /* number of skipped functions, and number of skipped addresses */
	uint64_t wrong;
	uint64_t first_wrong;

	struct function_table kept;
	struct call_index index;
	bool is_indexed;
	struct gsym_recheck_pair *pair;
};

/*
 * Read the input again, and count incorrect results. *error describes a failure to read the input.
 */
static CAIRN_MUST_USE enum cairn_status gsym_recheck(struct cairn_functions *origin,
                                                     struct gsym_recheck *check,
                                                     struct cairn_error *error);

enum {
	PAIRS = 1 << 12,
	PAIR_PLACES = 8,
	SHORT_TEXT = 64, /* maximum size of strings compared without the cache */
	/* maximum number of inlined calls in a function for lookups without a call_index */
	FEW_CALLS = 64,
};

/*
 * A string from the input and an equal string from the file. The pair is valid only for the current
 * function, because strings of later functions may be stored at the same addresses.
 */
struct gsym_recheck_pair {
	const uint8_t *got, *wanted;
	size_t size;
	uint64_t function;
};

static bool has_pair(const struct gsym_recheck *check, const struct gsym_recheck_pair *pair,
                     struct cairn_bytes got, struct cairn_bytes wanted)
{
	return pair->function == check->functions && pair->got == got.data &&
	       pair->wanted == wanted.data && pair->size == got.size;
}

static struct gsym_recheck_pair *find_pair(const struct gsym_recheck *check, struct cairn_bytes got,
                                           struct cairn_bytes wanted)
{
	const size_t first = hash_number((uintptr_t)wanted.data, check->pair) % PAIRS;
	struct gsym_recheck_pair *unused = NULL;

	for (size_t i = 0; i < PAIR_PLACES; i++) {
		struct gsym_recheck_pair *pair = &check->pair[(first + i) % PAIRS];
		if (has_pair(check, pair, got, wanted))
			return pair;
		if (!unused && pair->function != check->functions)
			unused = pair;
	}
	return unused ? unused : &check->pair[first];
}

/*
 * Compare two strings. Nested calls may share a long name, which would be compared at every address
 * of the function, so equal pairs are cached.
 */
static bool is_same_string(const struct gsym_recheck *check, struct cairn_bytes got,
                           struct cairn_bytes wanted)
{
	if (got.size != wanted.size || got.size <= SHORT_TEXT)
		return bytes_equal(got, wanted);
	struct gsym_recheck_pair *pair = find_pair(check, got, wanted);
	if (has_pair(check, pair, got, wanted))
		return true;
	if (!bytes_equal(got, wanted))
		return false;
	*pair = (struct gsym_recheck_pair){ got.data, wanted.data, got.size, check->functions };
	return true;
}

static bool is_right_name(const struct gsym_recheck *check, struct cairn_bytes got,
                          struct cairn_bytes name)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	return is_same_string(check, got, name.size ? name : unknown);
}

static bool is_right_location(const struct gsym_recheck *check, const struct cairn_location *got,
                              const struct cairn_location *wanted)
{
	return is_right_name(check, got->function, wanted->function) &&
	       got->inlined == wanted->inlined && got->line == wanted->line &&
	       is_same_string(check, got->file, wanted->file) &&
	       is_same_string(check, got->directory, wanted->directory);
}

/*
 * Return true if the lookup result equals the locations in the input. Sets *outer to the last
 * location in the result, which is the function itself.
 */
static bool is_right_answer(const struct gsym_recheck *check, uint64_t va,
                            struct cairn_lookup_result *answer, struct cairn_location *outer)
{
	struct cairn_location wanted;
	struct kept_lookup lookup;
	bool right = true;

	if (check->is_indexed)
		kept_lookup_begin_by(&lookup, &check->index, &check->kept, check->kept.function,
		                     va);
	else
		kept_lookup_begin(&lookup, &check->kept, check->kept.function, va);
	bool more = kept_lookup_next(&lookup, &wanted);
	while (cairn_lookup_result_next(answer, outer)) {
		right = right && (!more || is_right_location(check, outer, &wanted));
		more = more && kept_lookup_next(&lookup, &wanted);
	}
	return right && !more;
}

static struct gsym_recheck_piece *find_piece(const struct gsym_recheck *check, uint64_t va)
{
	const size_t low = SORTED_UP_TO(check->piece, check->pieces, start, va);

	return &check->piece[low > 0 ? low - 1 : 0];
}

enum standing {
	STANDS,
	/*
	 * the file has another function with the same range, or this function has been verified
	 * before
	 */
	FOLDED,
	MISSING,
};

static enum standing find_function(const struct gsym_recheck *check,
                                   const struct gsym_recheck_piece *piece, const struct function *f)
{
	const struct gsym *gsym = &piece->symbols->image.gsym;
	uint32_t index = gsym_search(gsym, f->start);
	struct gsym_function entry;
	struct cairn_fault fault;
	struct cairn_bytes name;

	if (index >= gsym->functions)
		return MISSING;
	for (index++; index > 0 && gsym->base + gsym_offset(gsym, index - 1) == f->start; index--) {
		if (gsym_function(gsym, index - 1, &entry, &fault) != CAIRN_OK ||
		    entry.size != f->size)
			continue;
		gsym_string(gsym, entry.name, &name);
		if (!is_right_name(check, name, f->name) || piece->done[index - 1])
			return FOLDED;
		piece->done[index - 1] = f->row_count > 0;
		return STANDS;
	}
	return MISSING;
}

/*
 * Return the end of the longest function in the file that has the same start as `f` but is shorter,
 * or f->start if the file has no such function. Such functions exist because units may describe two
 * copies of a function with different ends, although the linker kept only one copy.
 */
static uint64_t find_end_of_shorter(const struct gsym_recheck_piece *piece,
                                    const struct function *f)
{
	const struct gsym *gsym = &piece->symbols->image.gsym;
	uint32_t index = gsym_search(gsym, f->start);
	struct gsym_function entry;
	struct cairn_fault fault;
	uint64_t size = 0;

	if (index >= gsym->functions)
		return f->start;
	for (index++; index > 0 && gsym->base + gsym_offset(gsym, index - 1) == f->start; index--) {
		if (gsym_function(gsym, index - 1, &entry, &fault) == CAIRN_OK &&
		    entry.size < f->size && entry.size > size)
			size = entry.size;
	}
	return f->start + size;
}

struct checked {
	struct gsym_recheck *check;
	struct cairn_symbols *symbols;
	const struct function *function;
	uint64_t shorter;
};

enum finding { RIGHT, HIDDEN, WRONG };

/* Look up one address. The result is HIDDEN if another function covers the address instead. */
static enum finding look_address_up(const struct checked *checked, uint64_t va)
{
	const struct gsym_recheck *check = checked->check;
	const struct function *f = checked->function;
	struct cairn_lookup_result answer;
	struct cairn_location outer = { .start = 0 };
	const bool found = symbols_find(checked->symbols, va, true, &answer) == CAIRN_OK;
	const bool right = found && is_right_answer(check, va, &answer, &outer);

	if (found && (outer.start != f->start || !is_right_name(check, outer.function, f->name)))
		return HIDDEN;
	if (right)
		return RIGHT;
	return found && va < checked->shorter ? HIDDEN : WRONG;
}

/* The last lookup, kept because nested calls often share their first and last addresses. */
struct looked_up {
	uint64_t va;
	enum finding finding;
	bool is_known;
};

static void check_address(const struct checked *checked, uint64_t va, struct looked_up *last)
{
	struct gsym_recheck *check = checked->check;

	if (!last->is_known || last->va != va)
		*last = (struct looked_up){ va, look_address_up(checked, va), true };
	check->addresses++;
	check->hidden += last->finding == HIDDEN;
	check->wrong += last->finding == WRONG;
	if (last->finding != RIGHT && check->wrong == 1 && check->first_wrong == 0)
		check->first_wrong = va;
}

static bool keep_function(struct gsym_recheck *check, const struct function *f)
{
	const struct function_sink keeper = function_table_sink(&check->kept);

	function_table_clear(&check->kept);
	if (keeper.take(keeper.context, f) != CAIRN_OK)
		return false;
	check->is_indexed = f->inline_count > FEW_CALLS;
	return !check->is_indexed ||
	       call_index_make(&check->index, &check->kept, check->kept.function);
}

static void check_addresses(const struct checked *checked)
{
	const struct function *f = checked->function;
	struct looked_up row = { .va = 0 }, first = row, end = row;

	for (size_t i = 0; i < f->row_count; i++)
		check_address(checked, f->rows[i].va, &row);
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct cairn_range *range = &f->range[f->inlines[i].range];
		for (uint32_t j = 0; j < f->inlines[i].ranges; j++) {
			const uint64_t low = range[j].low, last = range[j].high - 1;
			check_address(checked, low, &first);
			check_address(checked, last, last == low ? &first : &end);
		}
	}
}

static enum cairn_status check_function(void *context, const struct function *f)
{
	struct gsym_recheck *check = context;
	struct gsym_recheck_piece *piece = find_piece(check, f->start);
	enum standing standing = find_function(check, piece, f);

	if (standing == FOLDED) {
		check->folded++;
		return CAIRN_OK;
	}
	check->functions++;
	check->wrong += standing == MISSING;
	if (standing == MISSING && check->first_wrong == 0)
		check->first_wrong = f->start;
	if (!keep_function(check, f))
		return CAIRN_NO_MEMORY;
	check_addresses(
		&(struct checked){ check, piece->symbols, f, find_end_of_shorter(piece, f) });
	return CAIRN_OK;
}

/*
 * Add a finished GSYM file, whose bytes are borrowed, to the verification. Returns false if the
 * file cannot be opened or allocation fails.
 */
static bool gsym_recheck_add(struct gsym_recheck *check, struct cairn_bytes bytes)
{
	struct gsym_recheck_piece piece = { .start = 0 };
	struct cairn_fault fault;

	if (!array_grow(&check->piece, &check->capacity, check->pieces + 1, sizeof(*check->piece)))
		return false;
	if (cairn_symbols_open_bytes(bytes, NULL, &piece.symbols, &fault) != CAIRN_OK)
		return false;
	const struct gsym *gsym = &piece.symbols->image.gsym;
	piece.start = gsym->base + gsym_offset(gsym, 0);
	piece.done = calloc(gsym->functions, sizeof(*piece.done));
	check->piece[check->pieces++] = piece;
	return piece.done != NULL;
}

static void gsym_recheck_finish(struct gsym_recheck *check)
{
	for (size_t i = 0; i < check->pieces; i++) {
		cairn_symbols_free(check->piece[i].symbols);
		free(check->piece[i].done);
	}
	free(check->piece);
	free(check->pair);
	function_table_close(&check->kept);
	call_index_free(&check->index);
}

static enum cairn_status gsym_recheck(struct cairn_functions *origin, struct gsym_recheck *check,
                                      struct cairn_error *error)
{
	const struct cairn_functions_options options = origin->options;

	check->pair = calloc(PAIRS, sizeof(*check->pair));
	if (!check->pair) {
		error_set_memory(error, NULL);
		return CAIRN_NO_MEMORY;
	}
	/* suppress messages, because the first read has already sent them */
	origin->options.message = NULL;
	const enum cairn_status status = function_source_read_serially(
		origin, (struct function_sink){ check_function, check }, error);
	origin->options = options;
	return status;
}

static bool lend_writer_sink(void *context, unsigned thread, struct function_sink *sink)
{
	struct gsym_shard *shard = gsym_writer_shard(context);

	(void)thread;
	if (shard)
		*sink = gsym_shard_sink(shard);
	return shard != NULL;
}

static void begin_writer_unit(void *context, unsigned thread, uint32_t unit)
{
	gsym_shard_unit(gsym_writer_thread(context, thread), unit);
}

/*
 * Read the input into a new writer and sort its functions. The caller frees the writer even on
 * failure. Damage in the input is not an error; the caller checks origin->damaged.
 */
static enum cairn_status build(struct cairn_functions *origin,
                               const struct cairn_gsym_options *asked, bool merged,
                               struct gsym_writer **writer, struct cairn_error *error)
{
	struct gsym_writer_options options = { .version = asked->version ? asked->version : 1,
		                               .big = origin->big,
		                               .merged = merged,
		                               .calls = origin->options.calls,
		                               .columns = origin->columns,
		                               .base = origin->base,
		                               .uuid = origin->build_id,
		                               .order = { function_source_compare_names, origin },
		                               .keep_order = origin->kind != CAIRN_SYMBOLS_ELF };

	if (asked->truncate_build_id && options.uuid.size > GSYM_UUID_MAX_V1)
		options.uuid.size = GSYM_UUID_MAX_V1;
	*writer = gsym_writer_new(&options);
	if (!*writer)
		return error_set_memory(error, origin->path);
	const struct function_source_sinks sinks = { lend_writer_sink, begin_writer_unit, *writer,
		                                     true };
	enum cairn_status status = function_source_read(origin, &sinks, error);
	if (status != CAIRN_OK)
		return status;
	status = gsym_writer_order(*writer);
	if (status == CAIRN_NOT_FOUND)
		return error_set(error, status, origin->path, "contains no functions");
	return status == CAIRN_OK ? CAIRN_OK : error_set_memory(error, origin->path);
}

enum cairn_status gsym_build_image(struct cairn_functions *origin, bool merged,
                                   struct gsym_output *output, struct cairn_error *error)
{
	const struct cairn_gsym_options usual = CAIRN_GSYM_OPTIONS;
	struct gsym_writer *writer = NULL;
	enum cairn_status status = build(origin, &usual, merged, &writer, error);

	if (status == CAIRN_OK && gsym_writer_image(writer, 0, UINT64_MAX, output) != CAIRN_OK)
		status = error_set_memory(error, origin->path);
	gsym_writer_free(writer);
	return status;
}

/*
 * Write a copy of the input, an ELF program, with an additional .gsym section. The output may
 * replace the input, and gets the input's permissions.
 */
static enum cairn_status gsym_embed(const struct cairn_functions *origin, struct cairn_bytes gsym,
                                    const struct functions_output *output)
{
	enum { PERMISSIONS = 0777 };
	const char *path = origin->options.bytes.size > 0 ? NULL : output->to.path;
	struct elf_append append;
	struct cairn_fault fault;
	struct stat about;
	struct elf elf;

	if (!elf_opens(origin->file.bytes, &elf) ||
	    (elf.type != ELF_TYPE_EXEC && elf.type != ELF_TYPE_DYN))
		return error_set(output->error, CAIRN_UNSUPPORTED, origin->path,
		                 "a symbol section can be added only to an ELF program or library");
	uint8_t *memory = malloc(elf_append_capacity(&elf, ".gsym"));
	if (!memory)
		return error_set_memory(output->error, origin->path);
	enum cairn_status status = elf_append_section(&elf, ".gsym", gsym, memory, &append, &fault);
	if (status != CAIRN_OK)
		error_set_fault(output->error, origin->path, NULL, &fault, "cannot add a section");
	else if (path && stat(origin->path, &about) != 0)
		status = error_set_system(output->error, errno, path, "cannot write");
	else
		status = functions_output_write(output, "", append.part, ELF_APPEND_PARTS);
	if (status == CAIRN_OK && path && chmod(path, about.st_mode & PERMISSIONS) != 0)
		status = error_set_system(output->error, errno, path, "cannot write");
	free(memory);
	return status;
}

struct stream {
	const struct gsym_outline *outline;
	size_t pieces, jobs;
	int fd;
	atomic_size_t next;
	atomic_int failed;
};

static size_t find_largest(const struct gsym_outline *outline)
{
	size_t largest = 0;

	for (size_t i = 0; i < gsym_outline_pieces(outline); i++)
		if (gsym_outline_piece(outline, i).size > largest)
			largest = gsym_outline_piece(outline, i).size;
	return largest;
}

static int write_in_order(const struct gsym_outline *outline,
                          int (*write)(void *context, const void *bytes, size_t size),
                          void *context)
{
	uint8_t *bytes = malloc(find_largest(outline));
	int error = bytes ? 0 : ENOMEM;

	for (size_t i = 0; error == 0 && i < gsym_outline_pieces(outline); i++) {
		gsym_outline_put(outline, i, bytes);
		error = write(context, bytes, gsym_outline_piece(outline, i).size);
	}
	free(bytes);
	return error;
}

static void *write_in_places(void *context)
{
	struct stream *s = context;
	uint8_t *bytes = malloc(find_largest(s->outline));

	if (!bytes)
		atomic_store(&s->failed, ENOMEM);
	for (size_t i; bytes && atomic_load(&s->failed) == 0 &&
	               (i = atomic_fetch_add(&s->next, 1)) < s->pieces;) {
		const struct gsym_piece piece = gsym_outline_piece(s->outline, i);
		gsym_outline_put(s->outline, i, bytes);
		const int error =
			os_write_all_at(s->fd, (struct cairn_bytes){ bytes, piece.size }, piece.at);
		if (error != 0)
			atomic_store(&s->failed, error);
	}
	free(bytes);
	return NULL;
}

static int fill_file(void *context, int fd)
{
	struct stream *s = context;

	s->fd = fd;
	if (s->jobs < 2 || !os_may_write_at(fd))
		return write_in_order(s->outline, os_write_piece, &fd);
	threads_run(s->jobs < s->pieces ? s->jobs : s->pieces, write_in_places, s);
	return atomic_load(&s->failed);
}

struct receiver {
	const struct cairn_output *to;
	const char *suffix;
};

static int give_to_host(void *context, const void *bytes, size_t size)
{
	const struct receiver *receiver = context;

	return receiver->to->write(receiver->to->context, receiver->suffix, bytes, size);
}

/*
 * Write a file. If the output is a path and `jobs` is greater than one, several threads write
 * it.
 */
static enum cairn_status gsym_stream(const struct gsym_outline *outline,
                                     const struct functions_output *output, const char *suffix,
                                     uint64_t jobs)
{
	struct receiver receiver = { &output->to, suffix };
	struct stream stream = { .outline = outline,
		                 .pieces = gsym_outline_pieces(outline),
		                 .jobs = (size_t)jobs };

	if (output->to.path)
		return functions_output_fill(output, suffix, fill_file, &stream);
	const int failed = write_in_order(outline, give_to_host, &receiver);
	return failed ? error_set_system(output->error, failed, output->input, "cannot write")
	              : CAIRN_OK;
}

enum { SUFFIX_SIZE = 32 };

struct writing {
	struct cairn_functions *origin;
	struct cairn_gsym_options options;
	struct cairn_gsym_summary summary;
	struct functions_output output;
	struct gsym_writer *writer;
	struct gsym_recheck check; /* used only with options.verify */
};

struct piece {
	struct gsym_output output;
	char suffix[SUFFIX_SIZE];
};

static struct cairn_bytes bytes_of(const struct piece *piece)
{
	return (struct cairn_bytes){ piece->output.data, piece->output.size };
}

static uint64_t find_limit(const struct writing *w)
{
	return w->options.segment_size ? w->options.segment_size : UINT64_MAX;
}

/*
 * Choose the suffix for the name of an output file, and add the file's statistics to the summary.
 * piece->output must be set.
 */
static void note_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	const struct gsym_output *made = &piece->output;
	struct cairn_gsym_summary *sum = &w->summary;

	/* if the size is limited, the name includes the address of the first function */
	piece->suffix[0] = '\0';
	if (w->options.segment_size > 0)
		snprintf(piece->suffix, SUFFIX_SIZE, "-0x%" PRIx64,
		         gsym_writer_start(w->writer, first));
	if (made->why && sum->version != made->version) {
		char path[ERROR_PATH];
		snprintf(path, sizeof(path), "%s%s", functions_output_path(&w->output),
		         piece->suffix);
		message_tell(w->origin, CAIRN_MESSAGE_NOTE, path, "written as version 2 because %s",
		             made->why);
	}
	sum->version = made->version;
	sum->bytes += made->size;
	sum->string_bytes += made->strings;
	sum->files += made->files;
	sum->pieces++;
}

static enum cairn_status make_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	if (gsym_writer_image(w->writer, first, find_limit(w), &piece->output) != CAIRN_OK)
		return error_set_memory(w->output.error, w->origin->path);
	note_piece(w, first, piece);
	return CAIRN_OK;
}

static enum cairn_status publish_piece(const struct writing *w, const struct piece *piece)
{
	const struct cairn_bytes bytes = bytes_of(piece);

	if (w->options.embed)
		return gsym_embed(w->origin, bytes, &w->output);
	return functions_output_write(&w->output, piece->suffix, &bytes, 1);
}

static enum cairn_status stream_piece(struct writing *w, uint32_t first, struct piece *piece)
{
	struct gsym_outline *outline = gsym_writer_outline(w->writer, first, find_limit(w));

	if (!outline)
		return error_set_memory(w->output.error, w->origin->path);
	piece->output = gsym_outline_facts(outline);
	note_piece(w, first, piece);
	const enum cairn_status status =
		gsym_stream(outline, &w->output, piece->suffix, w->origin->options.jobs);
	gsym_outline_free(outline);
	return status;
}

static enum cairn_status write_pieces(struct writing *w)
{
	const uint32_t all = gsym_writer_count(w->writer);
	enum cairn_status status = CAIRN_OK;
	struct piece piece;

	for (uint32_t first = 0; first < all && status == CAIRN_OK; first += piece.output.count) {
		if (!w->options.embed) {
			status = stream_piece(w, first, &piece);
			continue;
		}
		status = make_piece(w, first, &piece);
		if (status != CAIRN_OK)
			break;
		status = publish_piece(w, &piece);
		free(piece.output.data);
	}
	return status;
}

static enum cairn_status check_lookups(struct writing *w)
{
	struct gsym_recheck *check = &w->check;
	const enum cairn_status status = gsym_recheck(w->origin, check, w->output.error);

	w->summary.verified_functions = check->functions;
	w->summary.verified_addresses = check->addresses;
	w->summary.hidden_addresses = check->hidden;
	if (status != CAIRN_OK || check->wrong == 0)
		return status;
	return error_set(w->output.error, CAIRN_MALFORMED, functions_output_path(&w->output),
	                 "not written: %" PRIu64
	                 " lookups differ from the input, the first at 0x%" PRIx64,
	                 check->wrong, check->first_wrong);
}

/* Build all files, verify them against the input, and write them only if they are correct. */
static enum cairn_status write_checked(struct writing *w)
{
	uint32_t all = gsym_writer_count(w->writer), first = 0;
	enum cairn_status status = CAIRN_OK;
	struct piece *piece = NULL;
	size_t count = 0, capacity = 0;

	while (first < all && status == CAIRN_OK) {
		if (!array_grow(&piece, &capacity, count + 1, sizeof(*piece)))
			status = error_set_memory(w->output.error, w->origin->path);
		else
			status = make_piece(w, first, &piece[count]);
		if (status != CAIRN_OK)
			break;
		first += piece[count].output.count;
		if (!gsym_recheck_add(&w->check, bytes_of(&piece[count++])))
			status = error_set_memory(w->output.error, w->origin->path);
	}
	if (status == CAIRN_OK)
		status = check_lookups(w);
	for (size_t i = 0; i < count && status == CAIRN_OK; i++)
		status = publish_piece(w, &piece[i]);
	gsym_recheck_finish(&w->check);
	for (size_t i = 0; i < count; i++)
		free(piece[i].output.data);
	free(piece);
	return status;
}

enum cairn_status cairn_functions_write_gsym(struct cairn_functions *functions,
                                             const struct cairn_gsym_options *options,
                                             const struct cairn_output *output,
                                             struct cairn_gsym_summary *summary,
                                             struct cairn_error *error)
{
	struct writing w = { .origin = functions, .options = CAIRN_GSYM_OPTIONS };

	sized_take(&w.options, sizeof(w.options), options);
	w.output = functions_output_of(output, functions->path, error);
	enum cairn_status status =
		build(functions, &w.options, functions->options.merged, &w.writer, error);
	w.summary.refused = status == CAIRN_OK && functions->damaged && !w.options.keep_damaged;
	if (w.summary.refused) {
		status = error_set(error, CAIRN_MALFORMED, functions_output_path(&w.output),
		                   "not written because the input is partly damaged");
	} else if (status == CAIRN_OK) {
		gsym_writer_summary(w.writer, &w.summary);
		w.summary.repeated += functions->repeated;
		status = w.options.verify ? write_checked(&w) : write_pieces(&w);
	}
	gsym_writer_free(w.writer);
	sized_give(&w.summary, sizeof(w.summary), summary);
	return status;
}
