/* SPDX-License-Identifier: MIT */
/*
 * Uploads to a symbol store, one after the other, and the same in memory.  The input is a row of
 * uploads: kind, part, number of parts and which of two uploads in one byte, the size of what is sent in another, with
 * its first bit for the head of a symbfile before it; then the bytes.  Always:
 *   - the store refuses what it should, and nothing else;
 *   - what it publishes is what the parts are when they are joined, or what was published before;
 *   - nothing is left in the folder of what is being written.
 * The disk is not waited for: the linker gives the store an fsync() that does nothing.
 */
#include "fuzz.h"

#include "server/net/store.h"
#include "server/protocol/upload.h"

#include <dirent.h>
#include <ftw.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum {
	PARTS_MAX = 4,
	UPLOADS = 2, /* of one file: one with a name, one without */
	PART_SIZE = 160,
	JOINED_SIZE = PARTS_MAX * PART_SIZE,
	TREE_FILES = 16,
};

struct content {
	bool there;
	size_t size;
	uint8_t bytes[JOINED_SIZE];
};

/* The parts that came of a file in so many parts. */
struct set {
	bool was_published;
	struct content part[PARTS_MAX];
};

static struct {
	struct set set[UPLOAD_KINDS][UPLOADS][PARTS_MAX + 1];
	struct content published[UPLOAD_KINDS];
} model;

static struct store store;
static char directory[256];

int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	return fd < 0;
}

static struct cairn_bytes bytes_of(const struct content *content)
{
	return (struct cairn_bytes){ content->bytes, content->size };
}

static bool all_there(const struct set *set, uint32_t parts)
{
	for (uint32_t i = 0; i < parts; i++)
		if (!set->part[i].there)
			return false;
	return true;
}

static bool join(const struct upload *upload, const struct set *set, struct content *joined)
{
	struct upload_parts_view view;
	bool whole = true;

	for (uint32_t i = 0; i < upload->parts; i++)
		whole = whole && symbfile_has_magic(bytes_of(&set->part[i]));
	joined->size = 0;
	for (uint32_t i = 0; i < upload->parts; i++) {
		struct cairn_bytes part = bytes_of(&set->part[i]);
		size_t head = 0;
		if (whole && upload->parts > 1) {
			view = upload_parts_view(part);
			if (upload_parts_check_joined(upload, &view))
				return false;
			head = i > 0 ? view.header : 0;
		}
		memcpy(joined->bytes + joined->size, part.data + head, part.size - head);
		joined->size += part.size - head;
	}
	view = upload_parts_view(bytes_of(joined));
	return !upload_parts_check_joined(upload, &view);
}

/* Sets that are published, or that the one with this number of this upload has replaced. */
static void forget_others(const struct upload *upload, const struct set *own)
{
	for (unsigned i = 0; i < UPLOADS; i++)
		for (uint32_t parts = 1; parts <= PARTS_MAX; parts++) {
			struct set *set = &model.set[upload->kind][i][parts];
			if (parts == 1 || (set != own && all_there(set, parts)))
				memset(set, 0, sizeof(*set));
		}
}

/* What store.h promises: whether the part is taken. */
static bool take_in_memory(const struct upload *upload, const struct content *part)
{
	struct set *set = &model.set[upload->kind][upload->name[0] != '\0'][upload->parts];
	struct upload_parts_view view = upload_parts_view(bytes_of(part));
	struct content joined = { .there = true };

	if (upload_parts_check(upload, bytes_of(part), &view))
		return false;
	set->part[upload->part] = *part;
	if (!all_there(set, upload->parts))
		return true;
	if (!join(upload, set, &joined)) {
		bool kept = set->was_published;
		if (!kept)
			memset(set, 0, sizeof(*set));
		return kept;
	}
	set->was_published = true;
	model.published[upload->kind] = joined;
	forget_others(upload, set);
	return true;
}

static bool take_in_store(const struct upload *upload, const struct content *part)
{
	char detail[STORE_DETAIL_MAX];
	struct os_durable file;

	ALWAYS(store_begin(&store, &file) == 0);
	ALWAYS(os_durable_write(&file, bytes_of(part)) == 0);
	const struct upload_refusal *no = store_accept(&store, upload, &file, detail);
	os_durable_abandon(&file);
	ALWAYS(!no || (no->status >= 400 && no->status < 500));
	return !no;
}

static void check_published(const struct fileid *id, enum upload_kind kind)
{
	enum download_resource what = kind == UPLOAD_RANGES ? DOWNLOAD_RANGES : DOWNLOAD_RETURNPADS;
	static uint8_t packed[2 * JOINED_SIZE], bytes[JOINED_SIZE];
	int fd = store_read(&store, id, what), metadata = store_read(&store, id, DOWNLOAD_METADATA);

	ALWAYS((fd >= 0) == model.published[kind].there);
	ALWAYS(kind != UPLOAD_RANGES || (metadata >= 0) == (fd >= 0));
	if (metadata >= 0)
		close(metadata);
	if (fd < 0)
		return;
	ssize_t got = read(fd, packed, sizeof(packed));
	close(fd);
	ALWAYS(got > 0);
	size_t size = ZSTD_decompress(bytes, sizeof(bytes), packed, (size_t)got);
	ALWAYS(size == model.published[kind].size);
	ALWAYS(memcmp(bytes, model.published[kind].bytes, size) == 0);
}

static void check_nothing_new(void)
{
	char path[sizeof(directory) + 8];
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/new", directory);
	DIR *new = opendir(path);
	ALWAYS(new);
	while ((entry = readdir(new)))
		ALWAYS(entry->d_name[0] == '.' &&
		       entry->d_name[1 + (entry->d_name[1] == '.')] == '\0');
	closedir(new);
}

/* The next upload; false at the end of the input. */
static bool next(struct cairn_bytes *in, struct upload *upload, struct content *part)
{
	static const uint8_t head[] = "symbfile\0\1";

	if (in->size < 2)
		return false;
	uint8_t what = in->data[0], size = in->data[1] & 0x7f;
	upload->kind = what & 1 ? UPLOAD_RETURNPADS : UPLOAD_RANGES;
	upload->parts = 1 + (what >> 1) % PARTS_MAX;
	upload->part = (uint32_t)(what >> 3 & 0xf) % upload->parts;
	strcpy(upload->name, what & 0x80 ? "0123456789abcdef0123456789abcdef" : "");
	*part = (struct content){ .there = true };
	if (in->data[1] & 0x80) {
		part->size = sizeof(head) - 1;
		memcpy(part->bytes, head, part->size);
	}
	in->data += 2;
	in->size -= 2;
	if (size > in->size)
		size = (uint8_t)in->size;
	memcpy(part->bytes + part->size, in->data, size);
	part->size += size;
	in->data += size;
	in->size -= size;
	return true;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about, (void)type, (void)where;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, TREE_FILES, FTW_DEPTH | FTW_PHYS);
}

static void close_store(void)
{
	store_close(&store);
	remove_tree(directory);
}

static void open_store(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/assembly.XXXXXX", tmp ? tmp : "/tmp");
	ALWAYS(mkdtemp(directory) && store_open(&store, directory, 0) == 0);
	atexit(close_store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes in = { data ? data : (const uint8_t *)"", size };
	struct upload upload = { .id = { { 0 } } };
	char path[sizeof(directory) + DOWNLOAD_DIRECTORY + 2], name[DOWNLOAD_DIRECTORY + 1];
	struct content part;

	if (!directory[0])
		open_store();
	memset(&model, 0, sizeof(model));
	while (next(&in, &upload, &part)) {
		ALWAYS(take_in_store(&upload, &part) == take_in_memory(&upload, &part));
		check_published(&upload.id, upload.kind);
	}
	check_nothing_new();
	download_directory(&upload.id, name);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	remove_tree(path);
	return 0;
}
