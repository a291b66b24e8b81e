/* SPDX-License-Identifier: MIT */
/* `cairn symbfile push`: sends the parts, and prints progress and the server's answers. */
#include "push.h"

#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

enum { BAR_WIDTH = 30 };

static void clear_bar(struct push_plan *plan)
{
	if (plan->shown > 0) {
		fprintf(stderr, "\r%*s\r", plan->shown, "");
		fflush(stderr);
	}
	plan->shown = 0;
}

/*
 * Draw the progress bar: ranges 2/5 [=========>          ]  42%  5.1 MB
 */
void push_progress(void *context, uint64_t sent, uint64_t received, uint64_t of)
{
	struct push_plan *plan = context;
	uint32_t parts = plan->now->split.count;
	char bar[BAR_WIDTH + 1];

	(void)received;
	if (of == 0)
		return;
	double done = ((double)plan->part + (double)sent / (double)of) / parts;
	size_t filled = (size_t)(done * (double)BAR_WIDTH);
	for (size_t i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
	bar[BAR_WIDTH] = '\0';
	int width = fprintf(stderr, "\r%s %" PRIu32 "/%" PRIu32 " [%s] %3.0f%%  %.1f MB",
	                    upload_kind_name(plan->now->kind), plan->part + 1, parts, bar,
	                    100 * done, done * (double)plan->now->bytes.bytes.size / 1e6);
	plan->shown = width > plan->shown ? width : plan->shown;
	fflush(stderr);
}

void push_print_retry(void *context, const struct http_retry *retry)
{
	clear_bar(context);
	net_print_retry(NULL, retry);
}

static void print_part_json(const struct push_plan *plan, const struct upload *upload, size_t size,
                            const struct push_result *result)
{
	const char *outcome = !result                               ? "dry-run"
	                      : !result->answered                   ? "lost"
	                      : result->answer.outcome == UPLOAD_OK ? "ok"
	                                                            : "failed";
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_string(&json, "file", plan->now->path);
	json_string(&json, "kind", upload_kind_name(upload->kind));
	json_string(&json, "file_id", net_id_text(&upload->id));
	json_number(&json, "part", upload->part);
	json_number(&json, "parts", upload->parts);
	json_number(&json, "size", size);
	json_string(&json, "outcome", outcome);
	if (result && result->answered) {
		json_number(&json, "status", result->answer.status);
		json_string(&json, "code", result->answer.code);
		json_string(&json, "text", result->answer.text);
		json_string(&json, "uuid", result->answer.uuid);
	} else if (result) {
		json_string(&json, "text", result->lost);
	}
	json_end(&json);
}

static void report_part_failure(const struct push_plan *plan, const struct upload *upload,
                                const struct push_result *result)
{
	print_diagnostic(plan->now->path, "part %" PRIu32 " of %" PRIu32 " is not sent",
	                 upload->part + 1, upload->parts);
	print_string_between(stderr, "cairn: ", plan->url, "");
	fputs(result->answered ? ": the server answers " : ": ", stderr);
	if (result->answered)
		net_print_answer(&result->answer);
	else
		print_string(stderr, result->lost);
	fputc('\n', stderr);
}

static struct upload describe_part_upload(const struct push_plan *plan)
{
	struct upload upload = plan->now->upload;

	upload.kind = plan->now->kind;
	upload.id = plan->id;
	upload.part = plan->part;
	upload.parts = plan->now->split.count;
	return upload;
}

static bool make_part(struct push_plan *plan, struct cairn_bytes *bytes)
{
	struct push_file *file = &plan->file[plan->now - plan->file];
	enum cairn_status status = symbfile_split_part(&file->split, plan->part, bytes);

	if (status != CAIRN_OK)
		print_diagnostic(file->path, "part %" PRIu32 ": %s", plan->part,
		                 cairn_status_text(status));
	return status == CAIRN_OK;
}

static bool send_part(struct push_plan *plan)
{
	struct upload upload = describe_part_upload(plan);
	struct push_result result;
	struct cairn_bytes bytes;

	if (!make_part(plan, &bytes))
		return false;
	bool done = push_part(plan->http, &upload, bytes, &result);
	clear_bar(plan);
	if (plan->form == FORM_JSON)
		print_part_json(plan, &upload, bytes.size, &result);
	if (!done)
		report_part_failure(plan, &upload, &result);
	return done;
}

static bool send_file(struct push_plan *plan)
{
	uint32_t parts = plan->now->split.count;

	for (plan->part = 0; plan->part < parts; plan->part++)
		if (!send_part(plan))
			return false;
	if (plan->form != FORM_JSON) {
		print_string(stdout, plan->now->path);
		printf(": %s of %s sent, %zu bytes in %" PRIu32 " part%s\n",
		       upload_kind_name(plan->now->kind), net_id_text(&plan->id),
		       plan->now->bytes.bytes.size, parts, parts == 1 ? "" : "s");
	}
	return true;
}

int push_all(struct push_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		plan->now = &plan->file[i];
		if (!send_file(plan))
			return EXIT_BROKEN;
	}
	return EXIT_CLEAN;
}

static void print_part(const struct push_plan *plan, const struct upload *upload, size_t size)
{
	size_t length = strlen(plan->url);

	while (length > 0 && plan->url[length - 1] == '/')
		length--;
	print_text_between(stdout, "POST ",
	                   (struct cairn_bytes){ (const uint8_t *)plan->url, length }, "");
	printf("%s FileID: %s FilePart: %" PRIu32 " FileParts: %" PRIu32 " Content-Length: %zu%s\n",
	       upload_kind_path(upload->kind), net_id_text(&upload->id), upload->part,
	       upload->parts, size, plan->key ? " Authorization: APIKey (hidden)" : "");
}

int push_print_plan(struct push_plan *plan)
{
	struct cairn_bytes bytes;

	for (size_t i = 0; i < plan->count; i++) {
		plan->now = &plan->file[i];
		for (plan->part = 0; plan->part < plan->now->split.count; plan->part++) {
			struct upload upload = describe_part_upload(plan);
			if (!make_part(plan, &bytes))
				return EXIT_BROKEN;
			if (plan->form == FORM_JSON)
				print_part_json(plan, &upload, bytes.size, NULL);
			else
				print_part(plan, &upload, bytes.size);
		}
	}
	return EXIT_CLEAN;
}
