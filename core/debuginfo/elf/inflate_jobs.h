/* SPDX-License-Identifier: MIT */
/* Several compressed sections at once: one is one stream, which a thread inflates alone. */
#ifndef CAIRN_DEBUGINFO_ELF_INFLATE_JOBS_H
#define CAIRN_DEBUGINFO_ELF_INFLATE_JOBS_H

#include "compressed_sections.h"

struct inflate_job {
	struct cairn_bytes section; /* size 0: there is nothing to do */
	enum inflate_kind kind;
	bool big, mapped; /* its pages may be given back */
	uint8_t *out;     /* free() gives it back */
	size_t size;
	enum cairn_status status;
	struct cairn_fault fault;
};

/* Memory for what the section claims to be, drawn from the budget; what is wrong is its status. */
void inflate_job_prepare(struct inflate_job *job, struct budget *budget);

/* All that are prepared, the largest first.  A status for each; what failed has no memory then. */
void inflate_jobs_run(struct inflate_job *job, size_t count, unsigned threads);

#endif
