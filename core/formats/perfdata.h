/* SPDX-License-Identifier: MIT */
/*
 * Reads recordings of perf: a header, records of events, and features of the recording
 * (docs/formats/perfdata.md). A recording written to a pipe consists only of records.
 *
 *	struct perfdata recording;
 *	struct perfdata_record record;
 *	if (perfdata_open(bytes, &recording, &fault) != CAIRN_OK)
 *		...
 *	while (perfdata_next(&recording.records, &record))
 *		switch (record.type) {
 *		case PERFDATA_SAMPLE: ... perfdata_read_sample(&record, &attr, &sample)
 *		}
 *	... recording.records.fault
 *
 * Records inside compressed records are read in the same way: pass the decompressed bytes to
 * perfdata_records().
 */
#ifndef CAIRN_FORMATS_PERFDATA_H
#define CAIRN_FORMATS_PERFDATA_H

#include "base/reader.h"

#include <cairn.h>

/* Types of records that are read. Other types are skipped. */
enum {
	PERFDATA_MMAP = 1,
	PERFDATA_LOST = 2,
	PERFDATA_COMM = 3,
	PERFDATA_EXIT = 4,
	PERFDATA_FORK = 7,
	PERFDATA_SAMPLE = 9,
	PERFDATA_MMAP2 = 10,
	PERFDATA_LOST_SAMPLES = 13,
	PERFDATA_NAMESPACES = 16,
	PERFDATA_DEFERRED = 22, /* CALLCHAIN_DEFERRED, since Linux 6.19 */
	PERFDATA_USER = 64,     /* first type of perf's own records, which have no time */
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

enum {
	PERFDATA_BUILD_IDS = 2,
	PERFDATA_HOST = 3,
	PERFDATA_RELEASE = 4,
	PERFDATA_ARCH = 6,
	PERFDATA_EVENTS = 12,
	PERFDATA_CLOCK = 29,
	PERFDATA_FEATURES = 256,
};

/* Bits of `misc` in a record. */
enum {
	PERFDATA_MODE = 7,
	PERFDATA_MODE_KERNEL = 1,
	PERFDATA_MODE_USER = 2,
	PERFDATA_EXEC = 1 << 13,     /* COMM: the program was replaced */
	PERFDATA_HAS_ID = 1 << 14,   /* MMAP2: contains a build ID instead of device and inode */
	PERFDATA_HAS_SIZE = 1 << 15, /* the build ID has an explicit size */
};

/* Markers in a call chain that start the part of another execution mode. */
#define PERFDATA_CONTEXT_FIRST ((uint64_t)-4095)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
#define PERFDATA_CONTEXT_DEFERRED ((uint64_t)-640) /* a cookie follows and ends the chain */

enum {
	PERFDATA_ID_MAX = 20,      /* in bytes */
	PERFDATA_BRANCH_SIZE = 24, /* source, target and flags */
};

/*
 * Bit of branch_type: the branch stack contains the calls that have not returned, instead of all
 * branches.
 */
#define PERFDATA_BRANCH_CALLS ((uint64_t)1 << 11)

/* A sequence of records. `in.big` is the byte order. */
struct perfdata_records {
	struct reader in;
};

struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	bool big;
	struct cairn_bytes body; /* contents after the header */
	struct cairn_bytes data; /* compressed records: the compressed bytes */
};

struct perfdata {
	struct cairn_bytes bytes;
	bool big, is_pipe;
	struct perfdata_records records;
	/* events in the header, each followed by its section of IDs; empty in a pipe */
	struct cairn_bytes attrs;
	size_t attr_size;
	uint64_t features[PERFDATA_FEATURES / 64];
	uint64_t feature_table; /* offset of the table of features */
};

/* An event that was recorded. It determines the layout of its records. */
struct perfdata_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format, branch_type, user_registers;
	uint64_t period;     /* fixed period of the samples; 0 if each sample contains its period */
	bool is_inherited;   /* new threads have their own counters with the same IDs */
	bool has_sample_ids; /* all records end with sample identification fields */
	bool is_monotonic;   /* times use CLOCK_MONOTONIC, as jitdump files do */
	bool big;
	struct cairn_bytes ids; /* array of 8-byte numbers */
};

/* A sample. Missing fields are 0. `chain` is an array of 8-byte numbers, innermost first. */
struct perfdata_sample {
	uint64_t ip, time, id, period;
	uint32_t pid, tid;
	bool has_time;
	struct cairn_bytes counts; /* see perfdata_sample_count() */
	struct cairn_bytes chain;
	struct cairn_bytes branches; /* elements of PERFDATA_BRANCH_SIZE bytes, latest first */
	uint64_t register_abi;       /* 0: no registers; 1: 32-bit; 2: 64-bit */
	/* array of 8-byte numbers, one for each bit of user_registers */
	struct cairn_bytes registers;
	struct cairn_bytes stack; /* contents, starting at the stack pointer */
};

struct perfdata_count {
	uint64_t id, value;
};

/* A mapping of part of a file. Mappings of the kernel have pid -1. */
struct perfdata_mmap {
	uint32_t pid, tid;
	uint64_t start, size, offset; /* `offset` is the file offset */
	struct cairn_bytes path;
	uint8_t build_id[PERFDATA_ID_MAX];
	size_t id_size; /* 0 if there is no build ID */
	bool is_code;
};

struct perfdata_fork {
	uint32_t pid, parent, tid, parent_tid;
};

/* The user stack for the samples of a thread that end with this cookie. */
struct perfdata_deferred {
	uint64_t cookie;
	uint32_t tid;
	struct cairn_bytes chain; /* array of 8-byte numbers */
};

struct perfdata_comm {
	uint32_t pid, tid;
	struct cairn_bytes name;
	bool is_exec;
};

/*
 * Namespaces of a process, recorded with `perf record --namespaces`. The paths of the process are
 * relative to its mount namespace.
 */
struct perfdata_namespaces {
	uint32_t pid, tid;
	uint64_t mount;
};

/* The build ID of a file. `pid` is -1 for the kernel. */
struct perfdata_build_id {
	struct cairn_bytes path;
	uint8_t id[PERFDATA_ID_MAX];
	size_t size;
};

bool perfdata_recognize(struct cairn_bytes bytes);

CAIRN_MUST_USE enum cairn_status perfdata_open(struct cairn_bytes bytes, struct perfdata *recording,
                                               struct cairn_fault *fault);

/* Iterate over records in any bytes, such as the contents of a compressed record. */
struct perfdata_records perfdata_records(struct cairn_bytes bytes, bool big);

/*
 * Read the next record. Return false at the end, or if a record is damaged, which sets
 * records->in.fault. If the bytes end within a record, the fault is CAIRN_TRUNCATED and the
 * position stays at the start of the record, so a caller that receives the records in parts can
 * continue there with the next part.
 */
bool perfdata_next(struct perfdata_records *records, struct perfdata_record *record);

/* Read event `index` of the header. Return false if there is no such event or it is damaged. */
bool perfdata_attr(const struct perfdata *recording, size_t index, struct perfdata_attr *attr);

/* Read an event from a record, as in a pipe. */
bool perfdata_read_attr(const struct perfdata_record *record, struct perfdata_attr *attr);

/* Get a feature of the header. Return false if the recording does not have it. */
bool perfdata_feature(const struct perfdata *recording, unsigned number,
                      struct cairn_bytes *feature);

/* Return the string in a feature such as ARCH. It is empty if the feature is damaged. */
struct cairn_bytes perfdata_feature_text(struct cairn_bytes feature, bool big);

/* Readers of records. They return false if the record is damaged. */
bool perfdata_read_sample(const struct perfdata_record *record, const struct perfdata_attr *attr,
                          struct perfdata_sample *sample);

/*
 * Read counter `index` of the sampled group, or of a single event. Return false if there is no such
 * counter or the counters have no IDs.
 */
bool perfdata_sample_count(const struct perfdata_sample *sample, const struct perfdata_attr *attr,
                           size_t index, struct perfdata_count *count);
bool perfdata_read_mmap(const struct perfdata_record *record, struct perfdata_mmap *mmap);
bool perfdata_read_fork(const struct perfdata_record *record, struct perfdata_fork *fork);
bool perfdata_read_comm(const struct perfdata_record *record, struct perfdata_comm *comm);
bool perfdata_read_namespaces(const struct perfdata_record *record,
                              struct perfdata_namespaces *namespaces);
bool perfdata_read_build_id(const struct perfdata_record *record, struct perfdata_build_id *id);

/*
 * Read the record. `first` is the first event, whose identification fields contain the thread.
 * Return false also if records do not have these fields.
 */
bool perfdata_read_deferred(const struct perfdata_record *record, const struct perfdata_attr *first,
                            struct perfdata_deferred *deferred);

/*
 * Return the ID that identifies the event of a sample, or 0 if not all events have one at a known
 * offset.
 */
uint64_t perfdata_sample_event(const struct perfdata_record *record,
                               const struct perfdata_attr *first);

/*
 * Return the time of a record other than a sample, from its identification fields, or 0 if the
 * recording does not have it there.
 */
uint64_t perfdata_record_time(const struct perfdata_record *record,
                              const struct perfdata_attr *first);

/*
 * Read the next name of an event in the feature EVENTS, and one of its IDs. *at must be 0 for the
 * first.
 */
bool perfdata_event_name(struct cairn_bytes feature, bool big, size_t *at, uint64_t *id,
                         struct cairn_bytes *name);

/* Return element `index` of an array of 8-byte numbers. */
static inline uint64_t perfdata_number(struct cairn_bytes list, size_t index, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | list.data[8 * index + (big ? i : 7 - i)];
	return value;
}

#endif
