/* SPDX-License-Identifier: MIT */
/* The search for the file of a module: places in their order, and the proof by a build ID. */
#include "unit.h"

#include "locate/locate.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 512, ELF_SIZE = 64 + 56 + 16 + 4 };

static char root[] = "/tmp/cairn-locate-XXXXXX";

/* Make directories and a file below the root, of the build abcdef and the last byte. */
static void make(const char *name, uint8_t last)
{
	const uint8_t header[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	uint8_t elf[ELF_SIZE] = { 0 };
	char path[PATH];

	memcpy(elf, header, sizeof(header));
	elf[16] = 3;                /* ET_DYN */
	elf[18] = 62;               /* EM_X86_64 */
	elf[20] = 1;                /* version */
	elf[32] = 64;               /* program headers */
	elf[52] = 64, elf[54] = 56; /* sizes of headers */
	elf[56] = 1;                /* one segment */
	elf[64] = 4;                /* PT_NOTE */
	elf[64 + 8] = 120;          /* its offset */
	elf[64 + 32] = 20;          /* bytes in the file */
	elf[120] = 4, elf[124] = 4; /* sizes of the name and of the ID */
	elf[128] = 3;               /* NT_GNU_BUILD_ID */
	memcpy(elf + 132, "GNU", 4);
	const uint8_t id[] = { 0xab, 0xcd, 0xef, last };
	memcpy(elf + 136, id, sizeof(id));
	const int size = snprintf(path, sizeof(path), "%s/%s", root, name);
	ck_assert_int_lt(size, PATH);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(elf, 1, sizeof(elf), file), sizeof(elf));
	ck_assert_int_eq(fclose(file), 0);
}

static void set_up(void)
{
	strcpy(root, "/tmp/cairn-locate-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

static void tear_down(void)
{
	char command[PATH];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

static const enum locate_place places[] = { LOCATE_PATH, LOCATE_LIBRARY, LOCATE_TREES, LOCATE_END };

/* Search below the root for a module; the expected path counts from the root, NULL: there is none. */
static void check(const struct locate_search *search, const char *expected)
{
	struct locate_search own = *search;
	struct located found;

	own.directories = root;
	own.sysroot = root;
	own.no_system = true;
	if (!own.order)
		own.order = places;
	ck_assert_int_eq(locate_file(&own, &found), expected != NULL);
	if (expected)
		ck_assert_str_eq(found.path + strlen(root), expected);
	else
		ck_assert_ptr_null(found.path);
	located_close(&found);
}

START_TEST(tries_places_in_their_order)
{
	static const enum locate_place trees_first[] = { LOCATE_TREES, LOCATE_PATH, LOCATE_END };
	struct locate_search search = { .path = BYTES("/bin/x"),
		                        .build_id = BYTES("\xab\xcd\xef\1") };

	check(&search, NULL);
	make(".build-id/ab/cdef01/elf", 1);
	check(&search, "/.build-id/ab/cdef01/elf");
	make("buildid/abcdef01/executable", 1);
	check(&search, "/.build-id/ab/cdef01/elf");
	make("bin/x", 1);
	check(&search, "/bin/x");
	search.order = trees_first;
	check(&search, "/.build-id/ab/cdef01/elf");
}
END_TEST

START_TEST(believes_a_build_id)
{
	struct locate_search search = { .order = places,
		                        .path = BYTES("/bin/x"),
		                        .build_id = BYTES("\xab\xcd\xef\1"),
		                        .sysroot = root };
	struct located found;

	make("bin/x", 2);
	check(&search, NULL);
	ck_assert(!locate_file(&search, &found));
	ck_assert(found.other_build);
	ck_assert_str_eq(found.refused, "its file has another build ID");
	search.any_build = true;
	check(&search, "/bin/x");
	search.any_build = false;
	search.build_id.size = 0; /* its path is all that is known of it */
	check(&search, "/bin/x");
}
END_TEST

START_TEST(finds_libraries_by_name)
{
	struct locate_search search = { .path = BYTES("libx.so"),
		                        .build_id = BYTES("\xab\xcd\xef\1") };

	make("usr/lib64/libx.so", 1);
	check(&search, NULL); /* directories of the system are skipped */
	make("libx.so", 1);
	check(&search, "/libx.so");
	search.build_id.size = 0; /* a name proves nothing */
	check(&search, NULL);
}
END_TEST

START_TEST(takes_given_files)
{
	static const enum locate_place order[] = { LOCATE_GIVEN, LOCATE_END };
	char other[PATH], own[PATH];
	const char *const given[] = { other, own };
	struct locate_search search = { .order = order,
		                        .path = BYTES("/bin/x"),
		                        .build_id = BYTES("\xab\xcd\xef\1"),
		                        .given = given,
		                        .given_count = 2 };
	struct located found;

	snprintf(other, sizeof(other), "%s/other", root);
	snprintf(own, sizeof(own), "%s/x", root);
	make("other", 2);
	make("x", 1);
	check(&search, "/x");
	search.build_id.size = 0; /* the name decides */
	check(&search, "/x");
	search.build_id = (struct cairn_bytes)BYTES("\xab\xcd\xef\3");
	ck_assert(!locate_file(&search, &found));
	ck_assert(!found.other_build);
	ck_assert_ptr_null(found.refused);
}
END_TEST

static const struct {
	const char *path, *record;
	struct cairn_bytes name, id;
	bool found;
} breakpad[] = {
	{ "x/AB0/x.sym", "AB0", BYTES("x"), BYTES("AB0"), true },
	{ "x/AB0/x.sym", "ab0", BYTES("x"), BYTES("AB0"), true },
	{ "x/AB0/x.sym", "AB1", BYTES("x"), BYTES("AB0"), false },
	{ "x.pdb/AB0/x.sym", "AB0", BYTES("x.pdb"), BYTES("AB0"), true },
	{ "y/AB0/y.sym", "AB0", BYTES("../y"), BYTES("AB0"), false },
	{ "AB0/x.sym", "AB0", BYTES("."), BYTES("AB0"), false },
};

START_TEST(finds_breakpad_files)
{
	struct located found;
	char path[PATH];

	make(breakpad[_i].path, 1);
	snprintf(path, sizeof(path), "%s/%s", root, breakpad[_i].path);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "MODULE Linux x86_64 %s x\n", breakpad[_i].record);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(locate_breakpad(root, NULL, breakpad[_i].name, breakpad[_i].id, &found),
	                 breakpad[_i].found);
	if (breakpad[_i].found)
		ck_assert_str_eq(found.path, path);
	located_close(&found);
}
END_TEST

static const struct {
	const char *sysroot;
	struct cairn_bytes path;
	const char *expected; /* NULL: rejected */
} joined[] = {
	{ NULL, BYTES("/usr/bin/a"), "/usr/bin/a" },
	{ "/image", BYTES("/usr/bin/a"), "/image/usr/bin/a" },
	{ "/image//", BYTES("/usr/bin/a"), "/image/usr/bin/a" },
	{ "/", BYTES("/usr/bin/a"), "/usr/bin/a" },
	{ "/image", BYTES("/image/usr/bin/a"), "/image/usr/bin/a" },
	{ "/image/", BYTES("/image/usr/bin/a"), "/image/usr/bin/a" },
	{ "/image", BYTES("/images/a"), "/image/images/a" },
	{ "/image", BYTES("/image"), "/image/image" },
	{ "/image", BYTES("usr/bin/a"), NULL },
	{ "/image", BYTES("/usr\0bin"), NULL },
};

START_TEST(joins_sysroot_and_path)
{
	char path[LOCATE_PATH_MAX];

	ck_assert_int_eq(locate_path(joined[_i].sysroot, joined[_i].path, path),
	                 joined[_i].expected != NULL);
	if (joined[_i].expected)
		ck_assert_str_eq(path, joined[_i].expected);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locate");
	TCase *search = tcase_create("search");

	tcase_add_checked_fixture(search, set_up, tear_down);
	tcase_add_test(search, tries_places_in_their_order);
	tcase_add_test(search, believes_a_build_id);
	tcase_add_test(search, finds_libraries_by_name);
	tcase_add_test(search, takes_given_files);
	tcase_add_loop_test(search, finds_breakpad_files, 0, COUNT(breakpad));
	tcase_add_loop_test(search, joins_sysroot_and_path, 0, COUNT(joined));
	suite_add_tcase(s, search);
	return unit_run(s);
}
