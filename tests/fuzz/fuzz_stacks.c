/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a core or minidump that a program opens by <cairn/stacks.h>, up to the names in all its stacks.
 * Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - what is not opened has a reason, and what is wrong with the rest has one, too;
 *   - one thread at most crashed;
 *   - a stack has frames in order and ends with a reason; texts of a frame can be read;
 *   - of the names at a pc all but the last are inlined calls, and there are no more than asked for.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "held.h"

#include <cairn.h>

#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES = 64, THREADS = 8, NAMES = 8 };

static unsigned text_sum;

static void read_text(struct cairn_bytes text)
{
	ALWAYS(text.data || text.size == 0);
	for (size_t i = 0; i < text.size; i++)
		text_sum += text.data[i];
}

static void check_names(struct cairn_stacks *stacks, uint64_t pc)
{
	struct cairn_location names[NAMES];
	const size_t count = cairn_stacks_names(stacks, pc, names, NAMES);

	ALWAYS(count <= NAMES);
	for (size_t i = 0; i < count; i++) {
		ALWAYS(names[i].inlined || i + 1 == count);
		read_text(names[i].function);
		read_text(names[i].directory);
		read_text(names[i].file);
	}
}

static void check_stack(struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	uint64_t level = 0, pcs[FRAMES];

	for (bool more = cairn_stacks_begin(stacks, number); more && level < FRAMES;
	     more = cairn_stacks_next(stacks)) {
		cairn_stacks_frame(stacks, &frame);
		ALWAYS(frame.level == level++ && frame.lookup <= frame.pc);
		read_text(frame.module);
		read_text(frame.build_id);
		pcs[level - 1] = frame.lookup;
		if (number % 2)
			check_names(stacks, frame.lookup);
	}
	cairn_stacks_end(stacks, &end);
	cairn_stacks_prepare_names(stacks, pcs, (size_t)level);
	for (uint64_t i = 0; i < level; i++)
		check_names(stacks, pcs[i]);
	ALWAYS(end.why && end.name && (end.kind != CAIRN_STACK_GOES_ON || level == FRAMES));
}

static void check_threads(struct cairn_stacks *stacks)
{
	const size_t count = cairn_stacks_threads(stacks);
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	unsigned crashed = 0;

	ALWAYS(!cairn_stacks_thread(stacks, count, &thread));
	for (size_t i = 0; i < count && i < THREADS; i++) {
		ALWAYS(cairn_stacks_thread(stacks, i, &thread));
		crashed += thread.crashed;
		read_text(thread.name);
		check_stack(stacks, i);
	}
	ALWAYS(crashed <= 1);
}

static void take_file(int fd)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct cairn_stacks *stacks;
	struct cairn_error error;

	if (cairn_stacks_open_descriptor(fd, &stacks, &error) != CAIRN_OK) {
		ALWAYS(error.text[0]);
		return;
	}
	ALWAYS(cairn_stacks_problems(stacks, &fault) == 0 || fault.what);
	check_threads(stacks);
	cairn_stacks_close(stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	ALWAYS(fd >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	ALWAYS(write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	held_begin();
	take_file(fd);
	held_end(size, HELD_PLAIN);
	return 0;
}
