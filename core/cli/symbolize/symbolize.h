/* SPDX-License-Identifier: MIT */
/*
 * `cairn symbolize`: requests in, answers out (core/requests reads and names them). The parts of the verb: symbols (the
 * symbolizer, by the options), body (the file of a reference), origin and bodies (the process that fetches such files), log (stacks of a log), members (what an answer keeps of its request), answer (JSON).
 */
#ifndef CAIRN_CLI_SYMBOLIZE_SYMBOLIZE_H
#define CAIRN_CLI_SYMBOLIZE_SYMBOLIZE_H

#include "base/allowance.h"
#include "cli/front/cli.h"
#include "origin.h"
#include "os/debuginfod/debuginfod.h"
#include "output/json.h"
#include "requests/request.h"

enum {
	SYMBOLIZE_ANSWER = 1,           /* the version of answers */
	SYMBOLIZE_TRY_AGAIN = 75,       /* the exit status, as of EX_TEMPFAIL */
	SYMBOLIZE_BUFFER = 1 << 16,     /* bytes of answers that are written at once */
	SYMBOLIZE_STACKS_MAX = 1 << 25, /* bytes of the stacks of a reference's file, as JSON */
	SYMBOLIZE_PRINTED_LEAST =
		1 << 26, /* bytes of names of an answer, and so many for each of the request */
	SYMBOLIZE_PRINTED_TIMES = 64,
};

struct symbolize {
	const char *folders, *sysroot, *bodies;
	bool each, use_debuginfod, tell_fetches;
	struct origin origin;         /* of references by URL */
	struct debuginfod debuginfod; /* asked with --debuginfod only */
	struct cairn_symbolizer *symbolizer;
};

/* One request and what became of it. */
struct symbolize_answer {
	struct request request;
	bool is_read; /* the request has parts */
	bool is_hashed;
	enum request_result result;
	const char *why; /* of REQUEST_REJECTED and REQUEST_TRY_AGAIN; a constant */
	bool has_offset;
	uint64_t offset; /* in the request, of what is wrong */
	char *stacks; /* of a reference's file, as JSON, which the request borrows; of malloc() */
};

/* Makes the symbolizer.  False: memory is short. */
bool symbolize_open_symbols(struct symbolize *run);

/* Reads the file of a reference into answer->request; else sets the result and why. */
void symbolize_read_body(struct symbolize *run, struct symbolize_answer *answer);

/*
 * The stacks of a log as an object with threads, as a report has them; *size is 0 if there is none. The caller frees the text. NULL: memory
 * is short.
 */
char *symbolize_read_log(struct cairn_bytes log, size_t *size);

void symbolize_reject(struct symbolize_answer *answer, const char *why);
void symbolize_try_again(struct symbolize_answer *answer, const char *why);

/*
 * Passes on the members of an object that are texts, numbers, true, false or null, but for those that are named in `without`, which
 * ends with NULL.
 */
void symbolize_print_members(struct json *json, struct cairn_bytes object,
                             const char *const *without, struct allowance *printed);

/* Prints the answer on a line of standard output. */
void symbolize_print(struct symbolize_answer *answer, uint64_t size);

#endif
