/* SPDX-License-Identifier: MIT */
/*
 * Reads names and lines of JIT code from the jitdump that the program writes, jit-PID.dump.  The program maps a
 * page of the file, so its path is among the mappings.  Anybody may put a file there.  It is used only if its
 * header has the PID of its name and it is a regular file that root or the process's user owns; for a running
 * process it must also be newer than the process.  For a core, root or the user who asks must own it.
 */
#include "bt.h"

#include "base/array_grow.h"
#include "formats/jitdump/jitdump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DUMP_MAX = 512 << 20, /* bytes that are read: the code is among them */
	PATH_SIZE = 4096 + 64,
	ELF_HEADER = 0x40, /* V8 adds the size of one to the addresses of lines */
};

/* The number in "jit-PID.dump"; 0: the path is of another file. */
static uint64_t find_dump_pid(struct cairn_bytes path)
{
	static const char before[] = "jit-", after[] = ".dump";
	size_t at = path.size, digits = 0;
	uint64_t pid = 0;

	while (at > 0 && path.data[at - 1] != '/')
		at--;
	if (path.size - at < 9 || memcmp(path.data + at, before, 4) != 0)
		return 0;
	for (at += 4; at < path.size && path.data[at] >= '0' && path.data[at] <= '9';
	     at++, digits++)
		pid = digits < 10 ? 10 * pid + (uint64_t)(path.data[at] - '0') : UINT64_MAX;
	return path.size - at == 5 && memcmp(path.data + at, after, 5) == 0 ? pid : 0;
}

/* Of a core nobody knows when its process began. */
static bool is_trusted(const struct bt *bt, const struct stat *file)
{
	if (bt->snapshot.kind == SNAPSHOT_PROCESS)
		return bt_is_own_file(bt, file);
	return S_ISREG(file->st_mode) && (file->st_uid == geteuid() || file->st_uid == 0);
}

static int open_dump(const struct bt *bt, struct cairn_bytes path, size_t *size)
{
	char name[PATH_SIZE] = "";
	struct stat about;

	if (path.size >= PATH_SIZE - 64 || path.data[0] != '/' ||
	    memchr(path.data, '\0', path.size))
		return -1;
	if (bt->snapshot.kind == SNAPSHOT_PROCESS)
		snprintf(name, sizeof(name), "/proc/%llu/root",
		         (unsigned long long)bt->snapshot.pid);
	strncat(name, (const char *)path.data, path.size);
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &about) != 0 || !is_trusted(bt, &about))) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		*size = about.st_size < DUMP_MAX ? (size_t)about.st_size : DUMP_MAX;
	return fd;
}

/* In pieces, each of which replaces the last: most of it is code, of which only the names stay. */
static bool read_dump(struct bt_jit_dump *jit, int fd, size_t size)
{
	size_t done = 0;

	jit->text = malloc(size ? size : 1);
	while (jit->text && done < size) {
		ssize_t got = read(fd, jit->text + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	jit->size = done;
	return jit->text != NULL;
}

static int compare_by_start(const void *left, const void *right)
{
	const struct bt_jit_code *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The last that begins at or before `pc`, and among those that begin there was loaded before `number`. */
static struct bt_jit_code *find_code(const struct bt_jit_dump *jit, uint64_t pc, size_t number)
{
	const struct bt_jit_code asked = { .start = pc, .number = number };
	size_t low = 0;

	for (size_t high = jit->count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (compare_by_start(&jit->codes[middle], &asked) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &jit->codes[low - 1] : NULL;
}

/* Code that moved has the name that it had before, in the order in which it moved. */
static void name_moved_code(struct bt_jit_dump *jit)
{
	for (size_t i = 0; i < jit->move_count; i++) {
		struct bt_jit_code *to =
			find_code(jit, jit->moves[i].start, jit->moves[i].number + 1);
		const struct bt_jit_code *from =
			find_code(jit, jit->moves[i].old, jit->moves[i].number);
		if (!to || !from || from->start != jit->moves[i].old)
			continue;
		to->name = from->name;
	}
}

static bool add_code(struct bt_jit_dump *jit, const struct jitdump_record *record,
                     struct cairn_bytes lines)
{
	if (!array_grow(&jit->codes, &jit->room, jit->count + 1, sizeof(*jit->codes)))
		return false;
	jit->codes[jit->count] = (struct bt_jit_code){ record->start, record->size, jit->count,
		                                       record->name, lines };
	jit->count++;
	return true;
}

static bool add_move(struct bt_jit_dump *jit, const struct jitdump_record *record)
{
	if (!array_grow(&jit->moves, &jit->move_room, jit->move_count + 1, sizeof(*jit->moves)))
		return false;
	jit->moves[jit->move_count++] =
		(struct bt_jit_move){ record->old, record->start, jit->count };
	return add_code(jit, record, (struct cairn_bytes){ jit->text, 0 });
}

/* Does any line begin where only V8's do not? */
static void note_shift(struct bt_jit_dump *jit, const struct jitdump *dump,
                       const struct jitdump_record *record)
{
	struct cairn_bytes lines = record->lines;
	struct jitdump_line line = { .address = 0 };

	if (jitdump_line(dump, &lines, &line) && line.address - record->start < ELF_HEADER)
		jit->shift = 0;
}

static void index_dump(struct bt_jit_dump *jit, struct jitdump *dump)
{
	struct jitdump_record record, lines = { .start = 0 };
	bool ok = true;

	jit->shift = ELF_HEADER;
	while (ok && jitdump_next(dump, &record)) {
		if (record.kind == JITDUMP_LINES) {
			lines = record;
			note_shift(jit, dump, &record);
		} else if (record.kind == JITDUMP_MOVE) {
			ok = add_move(jit, &record);
		} else {
			bool own = lines.lines.size > 0 && lines.start == record.start;
			ok = add_code(jit, &record,
			              own ? lines.lines : (struct cairn_bytes){ jit->text, 0 });
			lines.lines.size = 0;
		}
	}
	jit->big = dump->big;
	if (jit->count > 0)
		qsort(jit->codes, jit->count, sizeof(*jit->codes), compare_by_start);
	name_moved_code(jit);
}

static bool read_mapped_dump(struct bt *bt, struct cairn_bytes path, uint64_t pid)
{
	struct bt_jit_dump *jit = &bt->jit;
	struct jitdump dump;
	size_t size = 0;
	int fd = open_dump(bt, path, &size);

	if (fd < 0)
		return false;
	bool ok = read_dump(jit, fd, size) &&
	          jitdump_open((struct cairn_bytes){ jit->text, jit->size }, &dump) &&
	          dump.pid == pid;
	close(fd);
	if (ok)
		index_dump(jit, &dump);
	else
		bt_close_jit_dump(jit);
	return ok;
}

static void look_for_dump(struct bt *bt)
{
	bt->jit.looked = true;
	for (size_t i = 0; i < bt->snapshot.mapping_count; i++) {
		const struct snapshot_mapping *mapping = &bt->snapshot.mappings[i];
		uint64_t pid = mapping->has_file ? find_dump_pid(mapping->path) : 0;
		if (pid && !mapping->deleted && read_mapped_dump(bt, mapping->path, pid))
			return;
	}
}

/* The last line at or before `pc`. */
static void find_line(const struct bt_jit_dump *jit, const struct bt_jit_code *code, uint64_t pc,
                      struct cairn_location *location)
{
	const struct jitdump dump = { .big = jit->big };
	struct cairn_bytes lines = code->lines;
	struct jitdump_line line = { .address = 0 };

	while (jitdump_line(&dump, &lines, &line) && line.address - jit->shift <= pc) {
		location->file = line.file;
		location->line = line.line;
	}
}

bool bt_find_jit_code(struct bt *bt, uint64_t pc, struct cairn_location *location)
{
	if (!bt->jit.looked)
		look_for_dump(bt);
	const struct bt_jit_code *code = find_code(&bt->jit, pc, SIZE_MAX);
	if (!code || pc - code->start >= code->size || code->name.size == 0)
		return false;
	*location = (struct cairn_location){ .function = code->name,
		                             .start = code->start,
		                             .offset = pc - code->start };
	find_line(&bt->jit, code, pc, location);
	return true;
}

void bt_close_jit_dump(struct bt_jit_dump *jit)
{
	free(jit->codes);
	free(jit->moves);
	free(jit->text);
	*jit = (struct bt_jit_dump){ .looked = jit->looked };
}
