/* SPDX-License-Identifier: MIT */
/* Tests recorded backtraces: frames and images of Swift's crash reports, and reports cut at every byte. */
#include "unit.h"

#include "base/bytes.h"
#include "output/record.h"
#include "output/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char json_report[] =
	"{\"timestamp\":\"2026-06-01T08:00:00Z\",\"kind\":\"crashReport\",\"description\":"
        "\"Illegal instruction\","
	"\"faultAddress\":\"0x0000000000401010\",\"platform\":\"x86_64 Linux\",\"threads\":["
	"{\"name\":\"app\",\"crashed\":true,\"registers\":{\"rip\":\"0x0000000000401010\"},"
        "\"frames\":["
	"{\"kind\":\"programCounter\",\"address\":\"0x401010\",\"inlined\":true,\"symbol\":\"$"
        "s4main4sinkyS2iF\","
	"\"offset\":16,\"description\":\"sink(_:) + 16\",\"image\":\"app\","
	"\"sourceLocation\":{\"file\":\"\\/src\\/a.swift\",\"line\":8,\"column\":16}},"
	"{\"kind\":\"returnAddress\",\"address\":\"0x401020\",\"symbol\":\"<unknown>\",\"offset\":"
        "0},"
	"{\"kind\":\"omittedFrames\",\"count\":7},"
	"{\"kind\":\"asyncResumePoint\",\"address\":\"0x401030\",\"symbol\":\"board\"},"
	"{\"kind\":\"truncated\"}]},{\"frames\":[{\"kind\":\"ra\",\"address\":\"0x401040\","
        "\"times\":3}]}],"
	"\"images\":[{\"name\":\"app\",\"buildId\":\"abcd\",\"path\":\"/w/"
        "app\",\"baseAddress\":\"0x400000\","
	"\"endOfText\":\"0x402000\"},{\"name\":\"b\",\"baseAddress\":\"0x2\",\"endOfText\":\"0x1\"}"
        "]}";

static const char text_report[] =
	"\n*** Program crashed: Illegal instruction at 0x0000000000401010 ***\n\n"
	"Platform: x86_64 Linux (Debian)\n\nThread 0 \"app\" crashed:\n\n"
	"0               0x0000000000401010 sink(_:) + 16 in app at /src/a.swift:8:16\n"
	"1 [ra]          0x0000000000401020 <unknown> in app\n"
	"2 [ra] [inlined] 0x0000000000401020 f() + 3 in app at /src/a.swift:9\n...\n"
	"9 [async]       0x0000000000401030 board in app\n\n"
	"Registers:\n\nrip 0000000000401010  0f 0b\n\nImages (1 omitted):\n\n"
	"0x0000000000400000\xe2\x80\x93"
	"0x0000000000402000 abcd app /w/app\n\nBacktrace took 0.02s\n";

static void open_report(struct json_reader_value *threads, struct json_reader_value *images)
{
	struct json_reader_value document;
	struct cairn_fault fault;
	const struct cairn_bytes text = { (const uint8_t *)json_report, sizeof(json_report) - 1 };

	ck_assert_int_eq(json_reader_open(text, &document, &fault), CAIRN_OK);
	ck_assert(json_reader_member(&document, "threads", threads));
	ck_assert(json_reader_member(&document, "images", images));
}

/* Everything that a frame has, in one line. */
static const char *describe(const struct recorded_frame *frame)
{
	static const char *const kinds[] = { "return", "pc", "async", "omitted", "truncated" };
	static char line[400];
	char name[100];

	recorded_frame_name(frame, name, sizeof(name));
	snprintf(line, sizeof(line), "%s %d %" PRIx64 " %" PRIu64 "%s %s:%" PRIu64 ":%" PRIu64,
	         kinds[frame->kind], frame->has_address, frame->address, frame->times,
	         frame->inlined ? " inlined" : "", name, frame->line, frame->column);
	return line;
}

START_TEST(reads_frames)
{
	static const char *const want[] = {
		"pc 1 401010 1 inlined sink(_:):8:16",
		"return 1 401020 1 <unknown>:0:0",
		"omitted 0 0 7 :0:0",
		"async 1 401030 1 board:0:0",
		"truncated 0 0 1 :0:0",
		"return 1 401040 3 :0:0",
	};
	struct json_reader_value threads, images, thread, frames, object;
	struct recorded_frame frame;
	size_t count = 0;

	open_report(&threads, &images);
	for (size_t at = 0; json_reader_element(&threads, &at, &thread);) {
		ck_assert(json_reader_member(&thread, "frames", &frames));
		for (size_t k = 0; json_reader_element(&frames, &k, &object); count++) {
			ck_assert_uint_lt(count, sizeof(want) / sizeof(*want));
			recorded_frame_read(&object, &frame);
			ck_assert_str_eq(describe(&frame), want[count]);
		}
	}
	ck_assert_uint_eq(count, sizeof(want) / sizeof(*want));
}
END_TEST

START_TEST(leaves_out_unknown_names)
{
	static const char text[] = "{\"symbol\":\"<unknown>\"}";
	struct json_reader_value object;
	struct recorded_frame frame;
	struct cairn_fault fault;
	char name[4];

	ck_assert_int_eq(
		json_reader_open((struct cairn_bytes){ (const uint8_t *)text, sizeof(text) - 1 },
	                         &object, &fault),
		CAIRN_OK);
	recorded_frame_read(&object, &frame);
	char whole[16];
	ck_assert_uint_eq(recorded_frame_name(&frame, whole, sizeof(whole)), 0);
	/* a name that does not fit is truncated */
	ck_assert_uint_eq(recorded_frame_name(&frame, name, sizeof(name)), 3);
}
END_TEST

START_TEST(reads_images)
{
	struct json_reader_value threads, images, object;
	struct recorded_image image;
	size_t at = 0;

	open_report(&threads, &images);
	ck_assert(json_reader_element(&images, &at, &object));
	ck_assert(recorded_image_read(&object, &image));
	ck_assert(image.base == 0x400000 && image.end == 0x402000);
	ck_assert(bytes_are(image.path, "/w/app") && bytes_are(image.id, "abcd"));
	ck_assert(json_reader_element(&images, &at, &object));
	ck_assert(!recorded_image_read(&object, &image));
}
END_TEST

static int drop_bytes(void *context, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)context += size;
	return 0;
}

/* Reports that end anywhere: what could be read of them is written, and never more than the whole. */
static void cut(const char *report, size_t size)
{
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary;
	struct cairn_error error;
	uint64_t frames = 0;
	size_t written = 0;

	options.write = drop_bytes;
	options.context = &written;
	for (size_t end = 0; end <= size; end++) {
		/* a block of its own, so that sanitizers see reads behind its end */
		uint8_t *part = malloc(end + 1);
		ck_assert_ptr_nonnull(part);
		memcpy(part, report, end);
		part = realloc(part, end > 0 ? end : 1);
		ck_assert_ptr_nonnull(part);
		options.text = (struct cairn_bytes){ part, end };
		summary = (struct cairn_captured_summary){ .size = sizeof(summary) };
		written = 0;
		const enum cairn_status status = cairn_captured_write(&options, &summary, &error);
		ck_assert(status == CAIRN_OK || status == CAIRN_NOT_FOUND);
		ck_assert_uint_le(written, 1 << 20);
		ck_assert_uint_le(summary.frames, 10);
		if (status == CAIRN_OK)
			frames = summary.frames;
		struct record_input input = record_input_of(options.text);
		struct record_thread document;
		struct cairn_fault fault;
		for (size_t i = 0; record_next_document(&input, &document, &fault); i++)
			ck_assert_uint_le(i, end);
		free(part);
	}
	ck_assert_uint_ge(frames, 3);
}

START_TEST(reads_cut_reports)
{
	cut(json_report, sizeof(json_report) - 1);
	cut(text_report, sizeof(text_report) - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recorded");
	TCase *tests = tcase_create("recorded");

	tcase_add_test(tests, reads_frames);
	tcase_add_test(tests, leaves_out_unknown_names);
	tcase_add_test(tests, reads_images);
	tcase_add_test(tests, reads_cut_reports);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
