/* SPDX-License-Identifier: MIT */
/* Downloads the program and the debug file of a build into the debuginfod cache. */
#include "fetcher.h"

#include "os/channel.h"
#include "worker.h"

#include "os/children.h"
#include "os/confine.h"
#include "os/debuginfod.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Return true if the directory, or the nearest existing parent, is writable; the library creates
 * missing directories.
 */
static bool can_write_below(const char *folder)
{
	char path[FETCHER_PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", folder) >= (int)sizeof(path))
		return false;
	while (access(path, F_OK) != 0 && errno == ENOENT && strrchr(path, '/') > path)
		*strrchr(path, '/') = '\0';
	return access(path, W_OK | X_OK) == 0;
}

bool fetcher_can_write(const char *folder)
{
	const pid_t child = fork();

	if (child == 0)
		_exit(os_drop_user(WORKER_NOBODY) == 0 && can_write_below(folder) ? 0 : 1);
	return child > 0 && os_child_end(child, CHANNEL_NEVER, NULL) == 0;
}

static bool bring_file(struct debuginfod *asked, enum cairn_module_file kind,
                       const struct fetcher_question *question, uint32_t *is_late)
{
	const char *path;
	const enum debuginfod_answer answer = debuginfod_find(
		asked, kind, (struct cairn_bytes){ question->id, question->id_size }, &path);

	*is_late |= answer == DEBUGINFOD_LATE;
	asked->late = false; /* give the next build its own deadline */
	return answer == DEBUGINFOD_FOUND;
}

static bool serve_build(struct debuginfod *asked, int socket)
{
	struct fetcher_question question;
	struct fetcher_answer answer = { .is_late = 0 };

	if (!channel_receive(socket, &question, sizeof(question), NULL, CHANNEL_NEVER) ||
	    question.id_size == 0 || question.id_size > FETCHER_ID_MAX)
		return false;
	asked->deadline = question.seconds;
	answer.has_debug = bring_file(asked, CAIRN_FILE_DEBUG, &question, &answer.is_late);
	if (!answer.is_late)
		answer.has_program =
			bring_file(asked, CAIRN_FILE_PROGRAM, &question, &answer.is_late);
	return channel_send(socket, &answer, sizeof(answer), -1, CHANNEL_NEVER);
}

_Noreturn void fetcher_run(int socket)
{
	struct debuginfod asked = { .deadline = DEBUGINFOD_DEADLINE };
	const pid_t parent = getppid();

	/* Run as the same user as the workers, which read the downloaded files. */
	if (os_drop_user(WORKER_NOBODY) != 0 || os_end_with_parent(parent) != 0)
		_exit(1);
	while (serve_build(&asked, socket))
		continue;
	_exit(0);
}
