/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe create --tree`: creates a store of tables for all programs and debug files below a
 * directory.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "made.h"

#include "cli/tree/tree.h"
#include "formats/rowtable.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* Sums over all files, in memory shared by the worker processes. */
struct tree_sums {
	_Atomic uint64_t functions, rows, table, cfi, code, described, written;
	_Atomic uint64_t left_out[CAIRN_SFRAME_LOSSES];
};

struct making_of_tree {
	const struct sframe_making *making;
	struct tree_sums *sums; /* NULL disables counting */
};

uint8_t sframe_rate_frames(const struct elf *elf)
{
	struct elf_section section;

	if (elf_find_section(elf, ".eh_frame", &section) &&
	    elf_section_bytes(elf, &section).size > 0)
		return 2;
	return elf_find_section(elf, ".debug_frame", &section);
}

/*
 * Return true if the store has this build. Files of both kinds appear complete or not at all, so
 * comparing the build ID is enough.
 */
static bool is_stored(const char *path, const struct tree_file *file)
{
	struct cairn_fault fault;
	struct rowtable table;
	struct os_file stored;
	struct cairn_bytes id;
	struct elf elf;

	if (os_file_open_regular(path, &stored) != 0)
		return false;
	if (rowtable_open(stored.bytes, &table, &fault) == CAIRN_OK)
		id = table.build_id;
	else if (elf_open(stored.bytes, &elf, &fault) == CAIRN_OK)
		id = elf_build_id(&elf);
	else
		id = (struct cairn_bytes){ file->build_id, 0 };
	const bool whole = id.size == file->size && memcmp(id.data, file->build_id, id.size) == 0;
	os_file_close(&stored);
	return whole;
}

static void add_sums(struct tree_sums *sums, const struct cairn_sframe_file *made)
{
	sums->functions += made->functions;
	sums->rows += made->rows;
	sums->table += made->table;
	sums->cfi += made->cfi;
	sums->code += made->code;
	sums->described += made->described;
	sums->written += made->written;
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		sums->left_out[i] += made->left_out[i];
}

static int make_stored_table(const void *context, const char *input, const char *path)
{
	const struct making_of_tree *m = context;
	struct sframe_making making = *m->making;
	struct cairn_sframe_file made;

	making.quiet = true;
	making.form = FORM_TEXT;
	const int status = sframe_create_file(&making, input, path, &made);
	if (status == EXIT_CLEAN && m->sums)
		add_sums(m->sums, &made);
	return status;
}

static void print_sums(const struct sframe_making *making, const char *store,
                       const struct tree_sums *sums)
{
	struct cairn_sframe_file all = { .table = sums->table,
		                         .cfi = sums->cfi,
		                         .functions = sums->functions,
		                         .rows = sums->rows,
		                         .code = sums->code,
		                         .described = sums->described,
		                         .written = sums->written };

	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		all.left_out[i] = sums->left_out[i];
	sframe_print_made(making, store, store, &all);
}

int sframe_create_tree(const struct sframe_creation *creation)
{
	const struct sframe_making *making = &creation->making;
	struct making_of_tree context = { .making = making };
	const struct tree_verb verb = { .ending = making->as ? "rows" : "sframe",
		                        .empty = "without call frame information",
		                        .empty_key = "no_call_frame_information",
		                        .nothing = "no file in it has call frame information and "
		                                   "a build ID",
		                        .rate = sframe_rate_frames,
		                        .is_stored = is_stored,
		                        .make = make_stored_table,
		                        .context = &context };
	struct tree tree = { .folder = creation->tree,
		             .store = making->out,
		             .verb = &verb,
		             .jobs = (unsigned)creation->jobs,
		             .quiet = making->quiet,
		             .as_json = making->form == FORM_JSON };
	void *shared = mmap(NULL, sizeof(struct tree_sums), PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	context.sums = shared != MAP_FAILED ? shared : NULL;
	const int status = tree_run(&tree);
	if (context.sums && tree.count[TREE_MADE] > 0)
		print_sums(making, making->out, context.sums);
	return status;
}
