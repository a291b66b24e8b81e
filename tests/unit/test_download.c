/* SPDX-License-Identifier: MIT */
/* The download protocol: paths, metadata. */
#include "unit.h"

#include "server/protocol/download.h"

#define ID "NHb9aTyjzuGRQxEH02ygWA"
#define PATH "/NH/b9/" ID

static const struct {
	const char *path;
	enum cairn_status status;
	enum download_resource what;
} paths[] = {
	{ PATH "/metadata.json", CAIRN_OK, DOWNLOAD_METADATA },
	{ PATH "/ranges", CAIRN_OK, DOWNLOAD_RANGES },
	{ PATH "/returnpads", CAIRN_OK, DOWNLOAD_RETURNPADS },
	{ PATH "/range", CAIRN_NOT_FOUND, DOWNLOADS },
	{ PATH "/ranges/", CAIRN_NOT_FOUND, DOWNLOADS },
	{ PATH "/../../../../etc/passwd", CAIRN_NOT_FOUND, DOWNLOADS },
	{ PATH "/", CAIRN_NOT_FOUND, DOWNLOADS },
	{ PATH, CAIRN_NOT_FOUND, DOWNLOADS },
	{ "", CAIRN_NOT_FOUND, DOWNLOADS },
	{ "/", CAIRN_NOT_FOUND, DOWNLOADS },
	{ "/NH/b8/" ID "/ranges", CAIRN_MALFORMED, DOWNLOADS },
	{ "/../../" ID "/ranges", CAIRN_MALFORMED, DOWNLOADS },
	{ "/NH/b9/NHb9aTyjzuGRQxEH02yg../ranges", CAIRN_MALFORMED, DOWNLOADS },
	{ "/d+/+n/d++nFqkSpJIXRFeHMp_Smg/ranges", CAIRN_MALFORMED, DOWNLOADS },
	{ "/NH/b9/NHb9aTyjzuGRQxEH02ygWB/ranges", CAIRN_MALFORMED, DOWNLOADS },
	{ "/34/76/3476fd693ca3cee191431107d36ca058/ranges", CAIRN_NOT_FOUND, DOWNLOADS },
};

START_TEST(reads_paths)
{
	enum download_resource what = DOWNLOADS;
	char path[DOWNLOAD_PATH_MAX];
	struct fileid id;

	ck_assert_int_eq(download_path_read(paths[_i].path, &id, &what), paths[_i].status);
	ck_assert_int_eq(what, paths[_i].what);
	if (what != DOWNLOADS) {
		download_path(&id, what, path);
		ck_assert_str_eq(path, paths[_i].path + 1);
	}
}
END_TEST

#define REFERS(to) "{\"version\":1,\"symbolFileReferences\":{\"dwarfFileID\":" to "}}"

static const struct {
	struct cairn_bytes text;
	enum cairn_status status;
	uint64_t offset;
} documents[] = {
	{ BYTES(REFERS("\"" ID "\"")), CAIRN_OK, 0 },
	{ BYTES("{\"more\":[],\"symbolFileReferences\":{\"x\":1,\"dwarfFileID\":\"" ID
	        "\"},\"version\":1}"),
	  CAIRN_OK, 0 },
	{ BYTES(REFERS("null")), CAIRN_NOT_FOUND, 0 },
	{ BYTES("{\"version\":1}"), CAIRN_NOT_FOUND, 0 },
	{ BYTES("{\"version\":1,\"symbolFileReferences\":{}}"), CAIRN_NOT_FOUND, 0 },
	{ BYTES("{\"version\":1,\"symbolFileReferences\":null}"), CAIRN_NOT_FOUND, 0 },
	{ BYTES(REFERS("\"short\"")), CAIRN_MALFORMED, 52 },
	{ BYTES(REFERS("\"../../../../etc/passwd\"")), CAIRN_MALFORMED, 52 },
	{ BYTES(REFERS("7")), CAIRN_MALFORMED, 51 },
	{ BYTES(REFERS("\"" ID "\\u0000\"")), CAIRN_MALFORMED, 52 },
	{ BYTES("{\"version\":2,\"symbolFileReferences\":null}"), CAIRN_UNSUPPORTED, 11 },
	{ BYTES("{\"version\":1.0}"), CAIRN_UNSUPPORTED, 11 },
	{ BYTES("{\"version\":10000000}"), CAIRN_UNSUPPORTED, 11 },
	{ BYTES("{\"version\":\"1\"}"), CAIRN_MALFORMED, 0 },
	{ BYTES("{\"symbolFileReferences\":null}"), CAIRN_MALFORMED, 0 },
	{ BYTES("[]"), CAIRN_MALFORMED, 0 },
	{ BYTES("not found"), CAIRN_MALFORMED, 1 },
	{ BYTES(""), CAIRN_TRUNCATED, 0 },
};

START_TEST(reads_metadata)
{
	struct cairn_fault fault = { CAIRN_OK, 0, "" };
	struct fileid id;
	enum cairn_status status =
		download_metadata_read(unit_exact(documents[_i].text), &id, &fault);

	ck_assert_int_eq(status, documents[_i].status);
	ck_assert_uint_eq(fault.offset, documents[_i].offset);
}
END_TEST

START_TEST(writes_metadata)
{
	struct cairn_fault fault;
	struct fileid id, again;
	char text[128];
	struct sink out = sink_open(text, sizeof(text));

	ck_assert(fileid_parse((struct cairn_bytes)BYTES(ID), &id));
	download_metadata_write(&id, &out);
	ck_assert(sink_fits(&out));
	ck_assert_int_eq(download_metadata_read((struct cairn_bytes){ (uint8_t *)text, out.size },
	                                        &again, &fault),
	                 CAIRN_OK);
	ck_assert_mem_eq(&id, &again, sizeof(id));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("download");
	TCase *tcase = tcase_create("download");

	tcase_add_loop_test(tcase, reads_paths, 0, COUNT(paths));
	tcase_add_loop_test(tcase, reads_metadata, 0, COUNT(documents));
	tcase_add_test(tcase, writes_metadata);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
