/* SPDX-License-Identifier: MIT */
/*
 * A recording of perf on its way to a profile: its records in the order of their times, the processes with what they have
 * mapped, and tables of what the profile holds, each item once.
 *
 *	load.c       records, and their order
 *	done.c       what was read, and need not be in memory
 *	processes.c  who has mapped what, from record to record
 *	image.c      the memory of a process, as far as its files and a copied stack have it
 *	stack.c      the stack of a sample, by its chain or by the unwinder
 *	code_names.c names of code that a process has made
 *	kernel_names.c  names of the kernel
 *	message.c    the profile, as a message of OpenTelemetry's
 */
#ifndef CAIRN_PROFILES_RECORDING_RECORDING_H
#define CAIRN_PROFILES_RECORDING_RECORDING_H

#include "base/allowance.h"
#include "base/table/number_map.h"
#include "base/table/string_pool.h"
#include "formats/perfdata/perfdata.h"
#include "profiles/place.h"
#include "symbols/sources/jit/jit_history.h"

enum {
	RECORDING_FRAMES_MAX = 4096, /* of one stack: a dump has 64 KiB at most */
	RECORDING_IMAGES_MAX =
		200, /* files whose tables are used; the symbolizer keeps more open */
	RECORDING_ATTRS_MAX = 1 << 12,
	RECORDING_MAPS_MAX = 1 << 16, /* of one process; Linux allows 65530 */
	/* Maps that are copied, moved, or told to the unwinder, for any recording and for each of its bytes. */
	RECORDING_MOVES_LEAST = 1 << 26,
	RECORDING_MOVES_TIMES = 64,
	/* Bytes of the maps that processes hold, likewise: a child shares those of its parent until one of them maps something. */
	RECORDING_MAP_BYTES_LEAST = 1 << 24,
	RECORDING_MAP_BYTES_TIMES = 3,
	/* Frames of deferred user stacks, likewise: any number of samples may wait for one. */
	RECORDING_DEFERRED_LEAST = 1 << 24,
	RECORDING_DEFERRED_TIMES = 4,
	RECORDING_SPACES_MAX = 64, /* processes whose modules are known to an unwinder at a time */
};
#define RECORDING_IMAGE_BYTES ((uint64_t)512 << 20) /* of all of them */
#define RECORDING_KERNEL UINT32_MAX                 /* the pid of the kernel's mappings */

/* An event, and the numbers of its texts. */
struct recorded_attr {
	struct perfdata_attr attr;
	uint32_t name;
	bool is_time; /* it counts nanoseconds */
};

/* A record in its place, as small as it can be: a recording may consist of records without a body. */
struct recorded_event {
	uint64_t time;
	const uint8_t *body;
	uint32_t number; /* in the file */
	uint32_t
		deferred; /* of a sample that waits for its user stack: number of the event that has it, from 1 on; 0: none */
	uint16_t type, misc, size;
};

/* A file that was mapped. */
struct recorded_file {
	uint32_t path; /* a text */
	uint8_t id[PERFDATA_ID_MAX];
	size_t id_size;
	bool looked; /* for its bytes */
	struct cairn_bytes bytes;
	struct profile_place *place; /* NULL without bytes */
};

struct recorded_map {
	uint64_t start, end, offset;
	uint32_t file;
	bool is_code;
};

/* Maps in the order of addresses, none over another one. Processes share them until one of these changes its own. */
struct recorded_maps {
	size_t count, room, users;
	struct recorded_map map[];
};

struct recording;

/* Where a file is in memory: pc = va + bias. */
struct recorded_image {
	uint64_t low, high, bias;
	uint32_t file;
};

/* What a process has made, by the file that it has written about it. */
struct recorded_code {
	struct cairn_bytes bytes; /* empty: none was found */
	struct jit_history history;
};

/* A symbol of the kernel. */
struct kernel_symbol {
	uint64_t address;
	struct cairn_bytes name;
	bool is_local;
};

struct recorded_kernel {
	bool looked;
	struct cairn_bytes bytes; /* the list of its symbols; empty: none was found */
	struct cairn_bytes
		reference; /* the symbol whose address the recording tells; empty: none */
	uint64_t reference_address;
	struct cairn_bytes host, release; /* of the machine, as the recording tells; may be empty */
	struct kernel_symbol *symbols;    /* in the order of addresses */
	size_t count, room;
};

/* The name of an address; each may be 0: a name, a path, a line. */
struct code_name {
	uint32_t name, file, line;
};

/* What the unwinder knows of a process, and the stack that it follows. */
struct recorded_memory {
	struct cairn_space *space;
	struct recorded_process *process;
	struct recorded_image *images; /* of the maps that the space was told of */
	size_t image_count, image_room;
	uint64_t stack_start;
	struct cairn_bytes stack;
};

/* Small, because a fork of 32 bytes makes one. */
struct recorded_process {
	uint32_t pid;
	uint32_t name;                  /* a text */
	uint64_t mount;                 /* the namespace of its paths; 0: not known */
	struct cairn_bytes jitdump;     /* the path of the one that it has mapped; empty: none */
	struct recorded_code *code;     /* NULL: not needed yet */
	struct recorded_maps *maps;     /* NULL: none */
	struct recorded_memory *memory; /* NULL: not needed yet, or given to another process */
	struct recording *recording;
	bool changed; /* since the space was told */
};

/* Equal samples: what they sum up to, and the list of their times. */
struct recorded_sample {
	uint32_t attr, pid, tid, name, stack;
	uint64_t value, count;
	size_t first_time, last_time; /* from 1 on */
};

struct recorded_time {
	uint64_t time;
	size_t next; /* from 1 on; 0: the last one */
};

struct recording {
	struct perfdata file;
	const struct cairn_recording_options *options;
	enum cairn_status status;
	struct cairn_fault *fault;
	void **unpacked; /* one for each file that has compressed records */
	size_t unpacked_count, unpacked_room;
	enum cairn_machine machine;
	int64_t clock_offset; /* from the recording's clock to the time since 1970 */

	struct recorded_attr *attrs;
	struct number_map attr_ids; /* to numbers from 1 on */
	struct recorded_event *events;
	struct cairn_bytes *packed; /* pieces of a stream */
	size_t attr_count, attr_room, event_count, event_room, packed_count, packed_room,
		packed_next;

	struct string_pool texts, id_paths, file_keys;
	struct perfdata_build_id *ids; /* by the number of their path in id_paths */
	struct recorded_file *files;   /* by their number in file_keys */
	size_t id_count, id_room, file_count, file_room, image_count;
	uint64_t image_bytes;

	struct recorded_process *
		*processes;     /* pointers, because a space keeps the address of its process */
	uint64_t mount;         /* the namespace of perf's own paths; 0: not known */
	struct number_map pids; /* of pid + 1, to numbers from 1 on */
	struct number_map thread_names;
	size_t process_count, process_room;

	/* tables; a key is what makes an item, and number 0 of each is none */
	struct string_pool mappings, functions, locations, stacks, samples, counters;
	struct recorded_kernel kernel;
	uint64_t now; /* the time of the sample */
	bool is_monotonic;
	struct recorded_sample *sample; /* by its number in `samples` */
	struct recorded_time *times;
	uint64_t *counter; /* what each had come to, by its number in `counters` */
	size_t counter_count, counter_room;
	size_t sample_count, sample_room, time_count, time_room;
	uint32_t frames[RECORDING_FRAMES_MAX];
	size_t frame_count;

	bool has_deferred;
	uint64_t without_user; /* samples whose user stack was deferred, and lost */
	struct recorded_memory *memories[RECORDING_SPACES_MAX];
	size_t next_memory; /* given to the next process that has none */
	uint64_t map_bytes, map_bytes_max;
	bool maps_over;      /* more were wanted */
	uint64_t read_bytes; /* of records, since the host was told that the file is not needed */
	struct allowance moves_left, deferred_left;
	struct cairn_recording_counts counts;
};

/* Keys of the tables. */
struct mapping_key {
	uint64_t start, end, offset;
	uint32_t file, unused;
};

struct function_key {
	uint32_t name, file;
};

struct location_key {
	uint64_t address;
	uint32_t mapping;
	uint32_t is_kernel;
	uint32_t function; /* 0: its name is not known here */
	uint32_t line;
};

/* Number 0 of each table, and the texts that are always there. */
void recording_begin_tables(struct recording *r);

/* Memory is short, or the recording wants more than it is worth: recording->status says so. */
void recording_lack_memory(struct recording *r);

/* The files beside the first one of a recording that is a directory. */
struct recording_parts {
	const struct cairn_bytes *bytes;
	size_t count;
};
struct recording_parts recording_parts(const struct cairn_recording_options *options);

/* A record was read, and is not needed for a while. */
void recording_done(struct recording *r, const struct perfdata_record *record);

/* Each of these sets recording->status if it fails. */
void recording_load(struct recording *r);
void recording_take_record(struct recording *r,
                           const struct perfdata_record *record); /* no sample */

/* `deferred` has the user stack of the sample, if the cookies are equal; NULL: it was lost. */
void recording_take_sample(struct recording *r, const struct perfdata_record *record,
                           const struct perfdata_record *deferred);

struct perfdata_record recorded_event_record(const struct recording *r,
                                             const struct recorded_event *event);

/* The event of a sample: the only one, or the one that it names. */
uint32_t recording_attr_number(const struct recording *r, const struct perfdata_record *record);

/* Returns the number of a text, which is made UTF-8. */
uint32_t recording_text(struct recording *r, struct cairn_bytes text);

/* Returns the number of an item in a table. */
uint32_t recording_item(struct recording *r, struct string_pool *table, const void *key,
                        size_t size);

struct recorded_process *recording_process(struct recording *r, uint32_t pid);
const struct recorded_map *recorded_process_map(const struct recorded_process *process,
                                                uint64_t address);

/* Is it a map of a file, whose code no process has made? */
bool recording_is_in_file(const struct recording *r, const struct recorded_map *map);

/*
 * The name of an address that is in no file, at the time of the sample, or in the kernel; `map` is what it is in, and may be NULL.
 * Sets recording->status if memory is short.
 */
struct code_name recording_name_code(struct recording *r, struct recorded_process *process,
                                     const struct recorded_map *map, uint64_t address);
void recorded_process_drop_code(struct recorded_process *process);
void recorded_process_drop_maps(struct recorded_process *process);
void recorded_kernel_finish(struct recorded_kernel *kernel);

/* Return the memory of a process, whose space has its modules as they are now, or NULL if memory is short. */
struct recorded_memory *recorded_process_memory(struct recorded_process *process);
void recorded_memory_finish(struct recorded_memory *memory);

/* The message of OpenTelemetry's, to be freed; NULL: memory is short. */
uint8_t *recording_message(struct recording *r, size_t *size);

#endif
