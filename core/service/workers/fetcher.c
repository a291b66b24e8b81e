/* SPDX-License-Identifier: MIT */
/* Brings the program and the debug file of a build into the cache of debuginfod. */
#include "fetcher.h"

#include "channel.h"

#include "os/debuginfod/debuginfod.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool bring_file(struct debuginfod *asked, enum debuginfod_kind kind,
                       const struct fetcher_question *question, uint32_t *is_late)
{
	const char *path;
	const enum debuginfod_answer answer = debuginfod_find(
		asked, kind, (struct cairn_bytes){ question->id, question->id_size }, &path);

	*is_late |= answer == DEBUGINFOD_LATE;
	asked->late = false; /* the next build has a chance of its own */
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
	answer.has_debug = bring_file(asked, DEBUGINFOD_DEBUG, &question, &answer.is_late);
	if (!answer.is_late)
		answer.has_program =
			bring_file(asked, DEBUGINFOD_PROGRAM, &question, &answer.is_late);
	return channel_send(socket, &answer, sizeof(answer), -1, CHANNEL_NEVER);
}

_Noreturn void fetcher_run(int socket)
{
	struct debuginfod asked = { .deadline = DEBUGINFOD_DEADLINE };
	const pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	while (serve_build(&asked, socket))
		continue;
	_exit(0);
}
