/* SPDX-License-Identifier: MIT */
/*
 * Writes perf's files: the map of names, and the jitdump. A jitdump has a header and records. Line
 * and frame records precede the code record of their function. perf finds the jitdump because the
 * process maps its first page as executable.
 */
#include "perf.h"

#include "dwarf.h"
#include "machine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	PATH_BYTES = 4096,
	DUMP_HEADER = 40,
	RECORD_HEAD = 16,
	RECORD_CODE = 0,
	RECORD_LINES = 2,
	RECORD_FRAMES = 4,
	FRAMES_INDEX = 20, /* size of .eh_frame_hdr with one entry */
};

/*
 * A file that process `pid` has opened, or has failed to open. `pid` is 0 before the first attempt.
 * After a fork, the child opens files of its own.
 */
struct perf_file {
	int descriptor;
	pid_t pid;
};

static struct perf_file map_file, dump_file;
static struct cairn_jit_bytes record;
static uint64_t dumped;
static const char *dump_directory;

CAIRN_JIT_INTERNAL void cairn_jit_perf_directory(const char *directory)
{
	dump_directory = directory;
}

/*
 * Open or create a file. Refuse symbolic links and files of other users, because any user can
 * create files in /tmp.
 */
static int open_own_file(const char *path, int flags)
{
	const int descriptor = open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	struct stat status;

	if (descriptor < 0)
		return -1;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid())
		return descriptor;
	close(descriptor);
	return -1;
}

static void reopen_file(struct perf_file *file, pid_t pid, const char *path, int flags)
{
	if (file->pid != 0 && file->descriptor >= 0)
		close(file->descriptor);
	file->pid = pid;
	file->descriptor = open_own_file(path, flags);
}

static void flush_record(const struct perf_file *file)
{
	if (!record.failed && record.size)
		(void)!write(file->descriptor, record.data, record.size);
}

static void start_record(void)
{
	record.size = 0;
	record.failed = false;
}

CAIRN_JIT_INTERNAL void cairn_jit_perf_map(const struct cairn_jit_facts *facts)
{
	const pid_t pid = getpid();
	char text[64];

	if (map_file.pid != pid) {
		snprintf(text, sizeof(text), "/tmp/perf-%ld.map", (long)pid);
		reopen_file(&map_file, pid, text, O_WRONLY | O_APPEND);
	}
	if (map_file.descriptor < 0)
		return;
	start_record();
	const int size =
		snprintf(text, sizeof(text), "%" PRIx64 " %" PRIx32 " ", facts->start, facts->size);
	cairn_jit_put(&record, text, (size_t)size);
	cairn_jit_put(&record, facts->name, facts->name_size - 1);
	cairn_jit_put(&record, "\n", 1);
	flush_record(&map_file);
}

static uint64_t read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_dump_header(pid_t pid)
{
	start_record();
	cairn_jit_put_number(&record, 0x4a695444, 4);
	cairn_jit_put_number(&record, 1, 4);
	cairn_jit_put_number(&record, DUMP_HEADER, 4);
	cairn_jit_put_number(&record, MACHINE_ELF, 4);
	cairn_jit_put_number(&record, 0, 4);
	cairn_jit_put_number(&record, (uint64_t)pid, 4);
	cairn_jit_put_number(&record, read_clock(), 8);
	cairn_jit_put_number(&record, 0, 8);
	flush_record(&dump_file);
}

/*
 * Open the jitdump. Its first page stays mapped, because perf and `cairn bt` find the file through
 * the mapping.
 */
static void open_dump(pid_t pid)
{
	char path[PATH_BYTES];
	const int size = snprintf(path, sizeof(path), "%s/jit-%ld.dump",
	                          dump_directory ? dump_directory : "/tmp", (long)pid);

	if (size < 0 || size >= PATH_BYTES)
		return;
	reopen_file(&dump_file, pid, path, O_RDWR | O_TRUNC);
	dumped = 0;
	if (dump_file.descriptor < 0)
		return;
	write_dump_header(pid);
	if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
	         dump_file.descriptor, 0) == MAP_FAILED) {
		close(dump_file.descriptor);
		dump_file.descriptor = -1;
	}
}

/* Begin a record. Returns its offset for end_part(). */
static size_t begin_part(uint32_t id, uint64_t time)
{
	const size_t begin = record.size;

	cairn_jit_put_number(&record, id, 4);
	cairn_jit_put_number(&record, 0, 4);
	cairn_jit_put_number(&record, time, 8);
	return begin;
}

static void align_record(size_t begin)
{
	while ((record.size - begin) % 8 && !record.failed)
		cairn_jit_put_number(&record, 0, 1);
}

static void end_part(size_t begin)
{
	const uint32_t size = (uint32_t)(record.size - begin);

	if (!record.failed)
		memcpy(record.data + begin + 4, &size, 4);
}

static uint64_t count_lines(const struct cairn_jit_facts *facts)
{
	const uint8_t *ops = facts->lines;
	struct cairn_jit_line line = { .line = 1 };
	uint64_t count = 0;

	while (cairn_jit_next_line(&ops, facts->lines + facts->lines_size, &line))
		count++;
	return count;
}

static void put_lines(const struct cairn_jit_facts *facts, uint64_t time)
{
	const uint8_t *ops = facts->lines;
	struct cairn_jit_line line = { .line = 1 };

	if (!facts->lines_size || !facts->file_size)
		return;
	const size_t begin = begin_part(RECORD_LINES, time);
	cairn_jit_put_number(&record, facts->start, 8);
	cairn_jit_put_number(&record, count_lines(facts), 8);
	while (cairn_jit_next_line(&ops, facts->lines + facts->lines_size, &line)) {
		cairn_jit_put_number(&record, facts->start + line.offset, 8);
		cairn_jit_put_number(&record, line.line, 4);
		cairn_jit_put_number(&record, 0, 4);
		cairn_jit_put(&record, facts->file, facts->file_size);
	}
	align_record(begin);
	end_part(begin);
}

/*
 * Append a frame record: .eh_frame with one FDE, and .eh_frame_hdr. All addresses in them are
 * relative, because perf places both sections after the code, at the next multiple of 8 bytes.
 */
static void put_frames(const struct cairn_jit_facts *facts, uint64_t time)
{
	const uint64_t code = ((uint64_t)facts->size + 7) & ~(uint64_t)7;

	if (!facts->framed)
		return;
	const size_t begin = begin_part(RECORD_FRAMES, time);
	const size_t sizes = record.size;
	cairn_jit_put_number(&record, 0, 8);
	cairn_jit_put_number(&record, FRAMES_INDEX, 8);
	cairn_jit_put_number(&record, 0, 8);
	const size_t frames = record.size;
	cairn_jit_write_cie(&record, CIE_RELATIVE);
	const size_t fde = record.size - frames;
	cairn_jit_put_number(&record, (17 + facts->frame_size + 7) / 8 * 8 - 4, 4);
	cairn_jit_put_number(&record, fde + 4, 4);
	cairn_jit_put_number(&record, (uint64_t) - (int64_t)(code + fde + 8), 4);
	cairn_jit_put_number(&record, facts->size, 4);
	cairn_jit_put_number(&record, 0, 1); /* size of the augmentation data */
	cairn_jit_put(&record, facts->frame, facts->frame_size);
	align_record(frames);
	cairn_jit_put_number(&record, 0, 4); /* terminator of .eh_frame */
	const uint64_t size = record.size - frames;
	cairn_jit_put(&record, "\1\x1b\3\x3b", 4);
	cairn_jit_put_number(&record, (uint64_t) - (int64_t)(size + 4), 4);
	cairn_jit_put_number(&record, 1, 4);
	cairn_jit_put_number(&record, (uint64_t) - (int64_t)(size + code), 4);
	cairn_jit_put_number(&record, (uint64_t) - (int64_t)(size - fde), 4);
	if (!record.failed) {
		const uint64_t whole = record.size - frames;

		memcpy(record.data + sizes, &whole, 8);
		memcpy(record.data + sizes + 16, &whole, 8);
	}
	align_record(begin);
	end_part(begin);
}

static void put_code(const struct cairn_jit_facts *facts, pid_t pid, uint64_t time)
{
	const size_t begin = begin_part(RECORD_CODE, time);

	cairn_jit_put_number(&record, (uint64_t)pid, 4);
	cairn_jit_put_number(&record, (uint64_t)pid, 4);
	cairn_jit_put_number(&record, facts->start, 8);
	cairn_jit_put_number(&record, facts->start, 8);
	cairn_jit_put_number(&record, facts->size, 8);
	cairn_jit_put_number(&record, dumped++, 8);
	cairn_jit_put(&record, facts->name, facts->name_size);
	cairn_jit_put(&record, (const void *)(uintptr_t)facts->start, facts->size);
	end_part(begin);
}

CAIRN_JIT_INTERNAL void cairn_jit_perf_dump(const struct cairn_jit_facts *facts)
{
	const pid_t pid = getpid();

	if (dump_file.pid != pid)
		open_dump(pid);
	if (dump_file.descriptor < 0 || dump_file.pid != pid)
		return;
	const uint64_t time = read_clock();
	start_record();
	put_lines(facts, time);
	put_frames(facts, time);
	put_code(facts, pid, time);
	flush_record(&dump_file);
}
