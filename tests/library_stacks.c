/* SPDX-License-Identifier: MIT */
/*
 * Prints the stacks of a core, a minidump or a process by the library alone: a line for each frame, and the
 * reason of the end.
 *
 *	library_stacks FILE|--pid PID
 */
#include <cairn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_stack(struct cairn_stacks *stacks, size_t number)
{
	struct cairn_stack_frame frame;
	struct cairn_thread thread;

	if (!cairn_stacks_thread(stacks, number, &thread))
		exit(EXIT_FAILURE);
	printf("thread %" PRIu64 "%s%s\n", thread.tid, thread.crashed ? " crashed" : "",
	       thread.stack_cut ? " cut" : "");
	for (bool more = cairn_stacks_begin(stacks, number); more;
	     more = cairn_stacks_next(stacks)) {
		cairn_stacks_frame(stacks, &frame);
		printf("0x%016" PRIx64 "\n", frame.pc);
	}
	printf("end %s%s\n", cairn_stacks_complete(stacks) ? "complete: " : "",
	       cairn_stacks_end(stacks));
}

int main(int argc, char **argv)
{
	struct cairn_stacks *stacks;
	struct cairn_thread thread;
	struct cairn_fault fault;
	enum cairn_status status;

	if (argc < 2)
		return EXIT_FAILURE;
	status = argc > 2 ? cairn_stacks_open_process(strtoull(argv[2], NULL, 10), &stacks, &fault)
	         : strcmp(argv[1], "-") == 0
	                 ? cairn_stacks_open_descriptor(STDIN_FILENO, &stacks, &fault)
	                 : cairn_stacks_open_file(argv[1], &stacks, &fault);
	if (status != CAIRN_OK) {
		printf("%s: %s\n", cairn_status_name(status), fault.what);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < cairn_stacks_threads(stacks); i++)
		print_stack(stacks, i);
	printf("problems %zu\n", cairn_stacks_problems(stacks, &fault));
	if (cairn_stacks_thread(stacks, cairn_stacks_threads(stacks), &thread) ||
	    cairn_stacks_begin(stacks, cairn_stacks_threads(stacks)))
		return EXIT_FAILURE;
	cairn_stacks_close(stacks);
	cairn_stacks_close(NULL);
	return EXIT_SUCCESS;
}
