/* SPDX-License-Identifier: MIT */
/*
 * Creates the files that are kept of a crash. The packer writes the core under a temporary name,
 * which crash_finish_core() replaces when the core is complete. Other files are copies of the
 * reader's output.
 */
#include "children.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MEBIBYTE = 1 << 20,
	ERRORS_MAX = 125 /* larger exit statuses of the packer are not errno values */
};

static void give_up(struct crash *crash, struct crash_core *core, const char *why)
{
	snprintf(core->why, sizeof(core->why), "%s", why);
	if (core->temporary[0])
		crash_store_drop(crash->store.cores, core->temporary);
	core->temporary[0] = '\0';
}

static void start_packer(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS],
                         int *mine)
{
	const uint64_t before = crash->limits.file;
	int in = crash_open_pipe(mine);

	if (in < 0)
		return;
	crash->limits.file = crash->options.space * MEBIBYTE;
	core->packer = crash_start_packer(crash, in, out);
	crash->limits.file = before;
	close(in);
}

void crash_begin_core(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS])
{
	int *mine = &out[CRASH_OUT_PACKER];
	int error = crash_store_file(&crash->store, crash->store.cores, core->temporary,
	                             &crash->core_file);

	core->wanted = true;
	if (error != 0) {
		core->temporary[0] = '\0';
		crash->core_file = -1;
		give_up(crash, core, strerror(error));
		return;
	}
	start_packer(crash, core, out, mine);
	if (core->packer.pid <= 0)
		give_up(crash, core, "it could not be packed");
}

/* Return why the core has no file, or NULL on success. */
static const char *name_core(struct crash *crash, struct crash_core *core, bool whole,
                             uint64_t until)
{
	bool packed = crash_wait_child(&core->packer, until);
	const int status = core->packer.status;
	struct stat about = { .st_size = 0 };

	if (!whole)
		return "the stream of the core did not end in time";
	if (!packed && !core->packer.late && WIFEXITED(status) && WEXITSTATUS(status) <= ERRORS_MAX)
		return strerror(WEXITSTATUS(status));
	if (!packed)
		return core->packer.why;
	if (fstat(crash->core_file, &about) != 0 || about.st_size == 0)
		return "it is empty";
	core->size = (uint64_t)about.st_size;
	int error = crash_store_keep(&crash->store, crash->store.cores, core->temporary,
	                             crash_core_ending(), core->name);
	return error == 0 ? NULL : strerror(error);
}

void crash_finish_core(struct crash *crash, struct crash_core *core, bool whole, uint64_t until)
{
	const char *why = core->packer.pid > 0 ? name_core(crash, core, whole, until) : NULL;

	if (why)
		give_up(crash, core, why);
	core->kept = core->packer.pid > 0 && !why;
	if (crash->core_file >= 0)
		close(crash->core_file);
	crash->core_file = -1;
}

int crash_keep_map(const struct crash *crash, const struct crash_core *core,
                   struct crash_kept *kept)
{
	/* cairn ignores a perf map that is newer than its core */
	const int error = crash_store_copy(&crash->store, crash->store.cores, crash->map,
	                                   ".perf-map", core->name, kept->map);

	if (error != 0)
		kept->map[0] = '\0';
	return error == ENODATA ? 0 : error;
}

void crash_keep_minidump(const struct crash *crash, bool made, struct crash_kept *kept)
{
	const int error = made ? crash_store_copy(&crash->store, crash->store.dumps, crash->dump,
	                                          ".dmp", NULL, kept->dump)
	                       : ENODATA;

	if (error == 0)
		return;
	kept->dump[0] = '\0';
	kept->dump_missing = error == ENODATA ? "none could be made of the core" : strerror(error);
}
